"""Whether stored figures are those of the build that they name, and whether articles state the numbers that were stored with them.

`results.py` uses it. Trials prove the figures that follow from them. What does not (engine, seed, remarks, costs, and the trials
themselves) is compared with the history of the repository: a run is stored once, and is never changed afterwards.
"""
import csv
import hashlib
import io
import json
import lzma
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STORE = "Reports/results"
# The articles that state figures of runs beside their tables, which are written from stored figures.
ARTICLES = (
    "README.md", "scripts/adapters/README.md", "Sources/CatalogServer/CatalogServer.docc/Scaling.md",
    "Sources/Evaluation/Evaluation.docc/Arena.md", "Sources/Evaluation/Evaluation.docc/Figures.md",
    "Sources/Evaluation/Evaluation.docc/Gates.md", "Sources/Evaluation/Evaluation.docc/Microphone.md",
    "Sources/Evaluation/Evaluation.docc/Plans.md", "Sources/Fingerprinting/Fingerprinting.docc/Compatibility.md",
    "Sources/Fingerprinting/Fingerprinting.docc/Experiments.md", "Sources/Fingerprinting/Fingerprinting.docc/Matcher.md",
    "Sources/Studies/Studies.docc/Passages.md", "Sources/Studies/Studies.docc/Robustness.md",
)
NUMBERS = "articles.json"


def git(*words):
    """What git prints; None if it fails."""
    answer = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True)
    return answer.stdout if answer.returncode == 0 else None


def has_history():
    top = git("rev-parse", "--show-toplevel")
    return top is not None and os.path.realpath(top.strip()) == os.path.realpath(ROOT) \
        and git("rev-parse", "--is-shallow-repository").strip() == "false"


def contents(names):
    """The bytes of files at commits, each named COMMIT:PATH; None where there is none."""
    answer = subprocess.run(["git", "-C", ROOT, "cat-file", "--batch"], input="".join(name + "\n" for name in names).encode(),
                            capture_output=True, check=True).stdout
    at = 0
    for _ in names:
        head, at = answer[at:answer.index(b"\n", at)].split(), answer.index(b"\n", at) + 1
        if head[-1] == b"missing":
            yield None
        else:
            yield answer[at:at + int(head[2])]
            at += int(head[2]) + 1


def table(content):
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def stored_at(commit, name):
    (content,) = contents([f"{commit}:{STORE}/{name}"])
    return json.loads(content) if name.endswith(".json") else table(content)


def identity(name, run):
    return name, run["commit"]


def first_records(files):
    """Of each run the commit that stored it first, what it said of the run, and the file of its figures.

    Takes the files that say where runs come from.
    """
    records = {}
    commits = git("rev-list", "--reverse", "HEAD", "--", STORE).split()
    names = [(commit, file) for commit in commits for file in files]
    for (commit, file), content in zip(names, contents([f"{commit}:{STORE}/{file}" for commit, file in names])):
        value = json.loads(content) if content else {}
        runs = {name: (run, name + ".csv") for name, run in value.items()} if file == "runs.json" else \
            {file.removesuffix(".json"): (value["run"], file)} if value else {}
        for name, (run, figures) in runs.items():
            records.setdefault(identity(name, run), (commit, run, figures))
    return records


def changed(place, first, now, proven):
    """What differs from the first record and from what the trials give. What is new is no change."""
    if isinstance(first, dict) and isinstance(now, dict):
        for key, value in first.items():
            if key != "run":
                own = proven.get(key) if isinstance(proven, dict) else None
                yield from changed(f"{place} {key}", value, now.get(key), own)
    elif isinstance(first, list) and isinstance(now, list) and len(first) == len(now):
        for line, (one, other) in enumerate(zip(first, now)):
            own = proven[line] if isinstance(proven, list) and line < len(proven) else None
            yield from changed(f"{place}:{line + 2}", one, other, own)
    elif first != now and (proven is None or str(now) != str(proven)):
        yield f"{place} is {json.dumps(now)[:80]}, it was stored as {json.dumps(first)[:80]}"


def packed_rows(commit, part):
    """The trials of a part as they were stored with a commit, or as they are now."""
    path = f"{STORE}/trials/{part}.csv.xz"
    if commit is None:
        with open(os.path.join(ROOT, path), "rb") as file:
            packed = file.read()
    else:
        (packed,) = contents([f"{commit}:{path}"])
    return table(lzma.decompress(packed))


def other_trials(part, commit):
    """How trials differ from those that were stored first; what has more columns is no other trial."""
    before, now = packed_rows(commit, part), packed_rows(None, part)
    if len(before) != len(now):
        return f"{len(now)} trials, {len(before)} were stored"
    for line, (one, other) in enumerate(zip(before, now), 2):
        for column, value in one.items():
            if other.get(column) != value:
                return f"line {line}, {column} is {other.get(column)!r}, it was stored as {value!r}"
    return None


def of_build(name, run):
    """Where a run does not fit the commit that it names."""
    commit = run["commit"].rstrip("+")
    if not is_before(commit, "HEAD"):
        yield f"{name}: commit {commit} is none of this history"
        return
    engine = re.search(r'engineVersion = "([^"]+)"', git("grep", "-h", "engineVersion = ", commit, "--", "Sources") or "")
    if engine and engine[1] != run.get("engine"):
        yield f"{name}: engine {run.get('engine')}, that of commit {commit} is {engine[1]}"
    day = git("show", "-s", "--format=%cs", commit).strip()
    if run["date"] < day:
        yield f"{name}: {run['date']} is before its commit {commit} of {day}"
    plan = re.search(r"--plan (\S+)", run["command"])
    seed = plan and re.search(r"^seed: (\d+)", git("show", f"{commit}:Corpora/Plans/{plan[1]}.yaml") or "", re.M)
    if seed and "seed" in run and int(seed[1]) != run["seed"]:
        yield f"{name}: seed {run['seed']}, plan {plan[1]} has {seed[1]} at commit {commit}"


def is_before(one, other):
    return git("merge-base", "--is-ancestor", one.rstrip("+"), other.rstrip("+")) is not None


def faults(runs):
    """Where runs are not what their builds made. Takes name, run, figures, and the figures that its trials give, of each."""
    runs = list(runs)
    records = first_records(["runs.json"] + [f"{name}.json" for name, _, figures, _ in runs if isinstance(figures, dict)])
    owners = {}
    for key, (commit, run, _) in records.items():
        for part in run.get("trials", []):
            owners.setdefault(part[1], (key, run, commit))
    for name, run, figures, proven in runs:
        yield from of_build(name, run)
        key = identity(name, run)
        for part, digest in run.get("trials", []):
            owner, its, commit = owners.get(digest, (key, run, None))
            # A later commit of the same engine may answer the same. What names no commit of this history proves nothing.
            if owner == (name, run.get("rivals", {}).get("commit")) and not part.endswith("/Earshot"):
                continue
            if owner != key and is_before(its["commit"], "HEAD") \
                    and (its.get("engine") != run.get("engine") or not is_before(its["commit"], run["commit"])):
                yield f"{name}: the trials {part} are of the run of {its['commit']}, stored with {commit[:12]}"
        if key in records:
            commit, first, file = records[key]
            place = f"{name}, as stored with {commit[:12]}:"
            yield from changed(place, first | {"trials": []}, run | {"trials": []}, None)
            now = dict(run.get("trials", []))
            for part, digest in first.get("trials", []):
                if now.get(part) != digest and (difference := other_trials(part, commit)):
                    yield f"{place} {part}: {difference}"
            yield from changed(place, stored_at(commit, file), figures, proven)


def sections(text):
    """Each heading with its text, without tables that are written from figures."""
    text = re.sub(r"<!-- (\S+):begin -->.*?<!-- \1:end -->", "", text, flags=re.S)
    code, heading, lines = False, "", []
    for line in text.splitlines():
        if line.startswith("```"):
            code = not code
        if line.startswith("#") and not code:
            yield heading, "\n".join(lines)
            heading, lines = line.lstrip("# "), []
        lines.append(line)
    yield heading, "\n".join(lines)


def numbers():
    """Of each section of an article with numbers their digest."""
    found = {}
    for path in ARTICLES:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            for heading, text in sections(file.read()):
                if all_numbers := re.findall(r"\d+(?:[.,]\d+)*", text):
                    digest = hashlib.sha256(" ".join(all_numbers).encode()).hexdigest()[:16]
                    found.setdefault(path, {}).setdefault(heading, []).append(digest)
    return found


def other_numbers(stored):
    """The sections whose numbers are not those that were stored."""
    now = numbers()
    for path in ARTICLES:
        one, other = stored.get(path, {}), now.get(path, {})
        for heading in one.keys() | other.keys():
            if one.get(heading) != other.get(heading):
                yield (f"{path}, \"{heading}\": its numbers are not those stored in {STORE}/{NUMBERS}. If a run gave them, "
                       "scripts/results.py --numbers stores them")
