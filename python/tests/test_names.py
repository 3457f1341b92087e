"""Names that others choose pass through every format, and a parser of that format reads each back."""

import csv
import io
import json
import re
import subprocess
import xml.etree.ElementTree as Tree
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest
from conftest import RATE, tune

import earshot_judge as ej
from earshot_judge import ci
from earshot_judge.program import program

# Only the five gravest findings have annotations, so those that aim at them are the first.
NAMES = [
    "::error file=x::pwned", "two\r\nlines", "100 % $HOME ${x} %0A %s", "\x1b]0;pwn\x07\x1b[31mred", "a,b;c:d", "plain",
    'a "quoted" name', "it's", "pipe | in | row", "`code` ```fence```", "*stars* _lines_ ~~gone~~", "# heading",
    "[link](http://x) ![image](x)", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</script><b>",
    "&lt;b&gt; & &amp;", "--> ]]> <!-- <![CDATA[", "two\nlines", "carriage\rreturn", "tab\there",
    "x\n99.000\t100.000\tFAKE LABEL", 'x"\n  TRACK 99 AUDIO\n    TITLE "FAKE', "\x01\x08\x7f\x9b31mC1",
    "\u202egnp.exe\u2066", "line\u2028and\u2029paragraph", '=HYPERLINK("http://x")', "+1+cmd|' /C calc'!A0", "@SUM(1)",
    "\uff1d1+1", "  blanks at both ends  ", "../../etc/passwd", "back\\slash \\n \\", 'a="} 1\nearshot_evil 99',
    "e\u0301 and \u0301alone", "\ufffe\uffff\ufdd0", "\U0001f3b5 \u97f3\u697d", "---", "long " * 200,
    b"invalid \xff\xfe UTF-8".decode("utf-8", "replace"),
]  # fmt: skip
STEERING = re.compile("[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
RULES = "rules:\n  - {measure: recall, each: cell, atLeast: 1}\n"


def field(name, but=""):
    """A name without what steers a terminal or the direction of reading."""
    return STEERING.sub(lambda found: found[0] if found[0] in but else "\ufffd", name)


def unguarded(cells):
    """Texts of a table for people, which has an apostrophe before a formula. No name begins with one."""
    return [cell.removeprefix("'") for cell in cells]


def earshot(*arguments, status=0, **options):
    done = subprocess.run([program(), *map(str, arguments)], capture_output=True, **options)
    assert done.returncode == status, done.stderr.decode()
    return done.stdout.decode()


@pytest.fixture(scope="module")
def tunes(tmp_path_factory):
    """A tune for each name, and queries that no reference holds."""
    folder = tmp_path_factory.mktemp("names")
    for part in ("music", "queries", "others"):
        (folder / part).mkdir()
    for number in range(len(NAMES)):
        ej.audio.write_wav(folder / f"music/r{number}.wav", tune(number, 12), RATE)
        ej.audio.write_wav(folder / f"queries/q{number}.wav", tune(number, 12)[RATE * 2 : RATE * 9], RATE)
        ej.audio.write_wav(folder / f"others/o{number}.wav", tune(1000 + number, 4), RATE)
    return folder


@pytest.fixture(scope="module")
def named(tunes):
    """A run whose conditions have the names, and what a gate writes of it."""
    with open(tunes / "others/truth.csv", "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["query", "reference", "degradation"])
        rows.writerows([f"o{number}.wav", f"r{number % 3}.wav", name] for number, name in enumerate(NAMES))
    (tunes / "few").mkdir()
    for number in range(3):
        (tunes / f"few/r{number}.wav").symlink_to(tunes / f"music/r{number}.wav")
    given = ["--references", tunes / "few", "--queries", tunes / "others/truth.csv", "--output", tunes / "run"]
    printed = earshot("evaluate", *given, "--table")
    (tunes / "rules.yaml").write_text(RULES)
    annotations = earshot(
        "gate", tunes / "run", "--rules", tunes / "rules.yaml", "--junit", tunes / "junit.xml",
        "--markdown", tunes / "gate.md", "--json", tunes / "gate.json", "--github", status=3,
        env={"GITHUB_STEP_SUMMARY": str(tunes / "job.md")},
    )  # fmt: skip
    return SimpleNamespace(folder=tunes, run=ej.Run(tunes / "run"), printed=printed, annotations=annotations)


@pytest.fixture(scope="module")
def catalog(tunes):
    """A catalog whose references have the names as titles."""
    with open(tunes / "items.csv", "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["reference", "title:text"])
        rows.writerows([f"r{number}", name] for number, name in enumerate(NAMES))
    earshot("custom-catalog", "create", "-s", tunes / "music", "-m", tunes / "items.csv", "-o", tunes / "c.earcatalog")
    queries = [tunes / f"queries/q{number}.wav" for number in range(len(NAMES))]

    def match(form, *others):
        return earshot("match", "-c", tunes / "c.earcatalog", "--format", form, *(others or queries))

    return match


def test_tables(named):
    for name in ("cells", "trials"):
        with open(named.folder / f"run/{name}.csv", newline="", encoding="utf-8") as file:
            assert sorted(unguarded(row["degradation"] for row in csv.DictReader(file))) == sorted(NAMES)


def test_json(named):
    findings = json.loads((named.folder / "gate.json").read_text())["findings"]
    assert [finding["scope"].removesuffix(", 5 s") for finding in findings] == NAMES


def test_xml(named):
    names = [case.get("name").removesuffix(", 5 s") for case in Tree.parse(named.folder / "junit.xml").iter("testcase")]
    assert names == [re.sub("[\ufffe\uffff]", "\ufffd", field(name, but="\t\n")) for name in NAMES]


def markdown(line):
    """The cells of a row of CommonMark's tables."""
    cells, text, escaped = [], "", False
    for character in line:
        if escaped:
            text += character if re.match(r"[!-/:-@\[-`{-~]", character) else "\\" + character
        elif character == "|":
            cells, text = [*cells, text.strip()], ""
        elif character != "\\":
            assert character not in "<>`*_[]&#~$", f"markup in {line}"
            text += character
        escaped = character == "\\" and not escaped
    return cells[1:]


def test_markdown(named):
    expected = [field(re.sub("[\r\n\t]", " ", name)).strip() for name in NAMES]
    rows = [markdown(row) for row in (named.folder / "gate.md").read_text().split("\n") if row.startswith("| inconclusive")]
    assert [row[2].removesuffix(", 5 s").strip() for row in rows] == expected
    assert {len(row) for row in rows} == {4}
    cells = named.run.cells.assign(degradation=unguarded(named.run.cells.degradation))
    rows = ci.weakest(SimpleNamespace(weakest=cells, cells=cells)).split("\n")[2:]
    assert sorted(markdown(row)[0].removesuffix(", 5 s") for row in rows) == sorted(expected)


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.texts, self.scripts, self.tags = None, [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.texts += [value for _, value in attributes if value]
        self.open = (tag, dict(attributes).get("type")) if tag in ("script", "style") else None

    def handle_endtag(self, tag):
        self.open = None

    def handle_data(self, data):
        if self.open is None:
            self.texts.append(data)
        elif self.open == ("script", "application/json"):
            self.scripts.append(json.loads(data))
        elif self.open[0] == "script":
            assert "alert(1)" not in data


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield key
            yield from strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings(part)


def test_pages(named):
    page = Page((named.folder / "run/report.html").read_text())
    assert not [tag for tag, attributes in page.tags if tag == "img" or any(name.startswith("on") for name in attributes)]
    data = set(strings(page.scripts))
    for name in NAMES:
        assert any(field(name, but="\t\n") in text for text in page.texts), name
        assert any(name in text for text in data), name


def open_metrics(text):
    """Names of metrics, labels and values of the text format."""
    samples = []
    for line in text.removesuffix("# EOF\n").split("\n")[:-1]:
        if line.startswith("# TYPE "):
            continue
        name, braces, value = re.fullmatch(r'(\w+)(\{(?:\w+="(?:[^"\\]|\\[\\"n])*",?)*\})? ([-+.\de]+)', line).groups()
        labels = re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', braces or "")
        plain = {key: re.sub(r"\\(.)", lambda found: {"n": "\n"}.get(found[1], found[1]), text) for key, text in labels}
        samples.append((name, plain, float(value)))
    return samples


def test_open_metrics(named):
    cells = [labels for name, labels, _ in open_metrics(ci.openmetrics(named.run)) if name == "earshot_cell_recall"]
    expected = [field(name, but="\n") for name in NAMES]
    assert sorted(unguarded(labels["degradation"] for labels in cells)) == sorted(expected)


def test_annotations(named):
    """A runner reads `::level key=value,…::message` and undoes percents."""
    lines = [line for line in named.annotations.split("\n") if line.startswith("::")]
    assert len(lines) == 5
    for line, name in zip(lines, NAMES, strict=False):
        properties = re.fullmatch(r"::warning ([^:]*)::(.*)", line)[1]
        title = dict(part.split("=", 1) for part in properties.split(","))["title"]
        decoded = re.sub("%([0-9A-F]{2})", lambda found: chr(int(found[1], 16)), title)
        name = field(name, but="\r\n")
        assert decoded.endswith(f": {name}, 5 s")


def test_a_terminal(named, catalog):
    shown = earshot("custom-catalog", "display", named.folder / "c.earcatalog")
    for text in (named.printed, named.annotations, catalog("text"), shown):
        assert not [line for line in text.split("\n") if STEERING.search(line.replace("\t", ""))]
    lines = [re.sub(" +", " ", line) for line in catalog("text").split("\n")]
    for name in NAMES:
        assert any(re.sub(" +", " ", field(name))[:40].strip() in line for line in lines), name


def test_labels(catalog):
    lines = catalog("labels").removesuffix("\n").split("\n")
    assert [line.split("\t")[2:] for line in lines] == [[field(name)] for name in NAMES]


def test_cue_sheets(catalog):
    titles = []
    for line in catalog("cue").removesuffix("\n").split("\n"):
        word, text = re.fullmatch(
            r' *(?:(FILE) "[^"]*" WAVE|(TITLE) "([^"]*)"|TRACK \d\d AUDIO|INDEX 01 \d\d:\d\d:\d\d)', line
        ).group(2, 3)  # fmt: skip
        titles += [text] if word else []
    assert titles == [field(name).replace('"', "'") for name in NAMES]


def test_answers_as_tables_and_json(catalog):
    assert unguarded(row["title"] for row in csv.DictReader(io.StringIO(catalog("csv"), newline=""))) == NAMES
    assert [json.loads(line)["answers"][0]["title"] for line in catalog("jsonl").removesuffix("\n").split("\n")] == NAMES


def test_items_that_are_exported(named, catalog):
    folder = named.folder / "exported"
    earshot("custom-catalog", "export", "-i", named.folder / "c.earcatalog", "-o", folder)
    for number, name in enumerate(NAMES):
        with open(folder / f"r{number}.csv", newline="", encoding="utf-8") as file:
            assert [row["title"] for row in csv.DictReader(file)] == [name]


def test_names_of_queries(tunes, catalog):
    """The paths of files, which may hold all but a slash and a zero."""
    files = []
    for number, name in enumerate(NAMES):
        files.append(tunes / "queries" / (f"{name.replace('/', '|')[:60]}.wav"))
        files[-1].symlink_to(tunes / f"queries/q{number}.wav")
    rows = csv.DictReader(io.StringIO(catalog("csv", *files), newline=""))
    assert unguarded(row["query"] for row in rows) == [str(file) for file in files]
    sheet = re.findall(r'(?m)^FILE "(.*)" WAVE$', catalog("cue", *files))
    assert sheet == [field(file.name).replace('"', "'") for file in files]
