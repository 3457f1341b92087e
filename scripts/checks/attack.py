#!/usr/bin/env python3
"""Attacks `earshot` with hostile input, kills and full disks, from fixed seeds.

usage: scripts/checks/attack.py [KIND...]     all kinds, or those named; --list names them; KIND:NUMBER repeats one attempt

EARSHOT_BINARY is the program, .build/release/earshot by default. More than 5,000 attempts, in ten minutes on two
processors. Prints a table of kinds: attempts, crashes, hangs, and what was wrong or lost. The exit code is 1 if there is any.
An attempt with more than 3 GB of address space counts as a crash. Without ffmpeg its formats are left out, without
strace calls do not fail, and without the program SessionProgram beside `earshot` no kit is attacked.
"""
import array, collections, concurrent.futures, json, math, os, pathlib, random, re, shutil, signal, struct, subprocess, sys
import tempfile, threading, time

from harness import EARSHOT, GOLDEN, RATE, ROOT, Bench, checksum, song, wav, write_first_manifest

if "--help" in sys.argv[1:]:
    sys.exit(print(__doc__.strip()))

KIT = os.path.join(os.path.dirname(EARSHOT), "SessionProgram")

MOST_MEMORY = 3 << 20  # in KiB
EXTREMES = [0, 1, 2, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 2**63 - 1, 2**63, 2**64 - 1]
HOSTILE_TEXTS = ["", " ", "\t", "\0", "\n", "\x1b[2J", "'", "\"", "`id`", "$(id)", ";", "|", "&", "<b>", "=1+1", "-", "--",
                 "..", "../..", "/", "//", "%s%n", "\u202e", "\u2028", "e\u0301", "\u00e9", "𝄞", "a" * 300, "x" * 5000, "🎵",
                 "NaN", "inf", "-1", "0", "1e400", "9" * 40, "null", "true", "[]", "{}", "#", ",", "a,b", "\r", "\ufeff"]
HOSTILE_NUMBERS = ["0", "-1", "1e-300", "1e308", "nan", "inf", "-inf", "9223372036854775807", "9223372036854775808",
                   "-9223372036854775808", "1e400", "", "0x10", "1,5", "½"]


class Crash(Exception):
    pass


class Hang(Exception):
    pass


class Wrong(Exception):
    pass


def expect(is_so, what):
    if not is_so:
        raise Wrong(what)


class Attempt(Bench):
    """A folder for one attempt, and its random numbers."""

    def __init__(self, folder, prepared, kind, number):
        super().__init__(folder)
        self.prepared, self.number, self.random = prepared, number, random.Random(f"{kind} {number}")

    def earshot(self, *words, expected=(0, 1), seconds=30, before="", program=EARSHOT, **options):
        """Runs the program; its end must be an exit with one of the expected codes, and a message if it is not 0."""
        words = [word if isinstance(word, bytes) else os.fsencode(str(word)) for word in words]
        # Python's own arguments hold no zero byte, nor do those of any program.
        words = [word.replace(b"\0", b"") for word in words]
        script = f'ulimit -v {MOST_MEMORY}; {before} exec "$0" "$@"'
        options.setdefault("stdout", subprocess.PIPE)
        process = subprocess.Popen(["sh", "-c", script, program, *words], cwd=self.folder, env=self.environment,
                                   stdin=subprocess.PIPE if "input" in options else subprocess.DEVNULL,
                                   stdout=options["stdout"], stderr=subprocess.PIPE)
        try:
            output, errors = process.communicate(options.get("input"), timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Hang(f"no end after {seconds} s: {words}")
        text = errors.decode(errors="replace")
        if process.returncode < 0 or process.returncode >= 128 or "Fatal error" in text:
            raise Crash(f"ended with {process.returncode}: {words}: {text[-300:]}")
        expect(process.returncode in expected, f"exit code {process.returncode}: {words}: {text[-300:]}")
        expect(process.returncode == 0 or text or output, f"exit code {process.returncode} without a message: {words}")
        hostile = [c for c in text if (ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0]
        expect(not hostile, f"steers the terminal: {words}: {text[-300:]!r}")
        return process.returncode, (output or b"").decode(errors="replace"), text

    def write(self, name, data):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode(errors="surrogatepass"))
        return name

    def mutated(self, data):
        """The bytes with one to three changes."""
        data, choose = bytearray(data), self.random
        for _ in range(choose.randint(1, 3)):
            if not data:
                break
            place = choose.randrange(len(data))
            kind = choose.randrange(7)
            if kind == 0:
                for _ in range(1 << choose.randrange(7)):
                    data[choose.randrange(len(data))] ^= 1 << choose.randrange(8)
            elif kind == 1:
                data[choose.randrange(min(len(data), 200))] ^= 1 << choose.randrange(8)
            elif kind == 2:
                del data[place:]
            elif kind == 3:
                width = choose.choice([1, 2, 4, 8])
                value = (choose.choice(EXTREMES) % 256**width).to_bytes(width, choose.choice(["little", "big"]))
                start = choose.randrange(min(len(data), 256))
                data[start:start + width] = value
            elif kind == 4:
                data[place:place + choose.randrange(3000)] = b""
            elif kind == 5:
                block = bytes(data[place:place + choose.randrange(1, 4096)])
                data[choose.randrange(len(data)):0] = block
            else:
                length = choose.randrange(1, 2000)
                data[place:place + length] = choose.choice([bytes(length), b"\xff" * length, choose.randbytes(length)])
        return bytes(data)

    def small_run(self):
        """The options of an evaluation of little work, on the songs in place of a corpus."""
        self.environment["XDG_CACHE_HOME"] = self.prepared.environment["XDG_CACHE_HOME"]
        return ["--folder", self.prepared.folder / "songs", "--matcher", "null", "--no-cache", "--output", "run"]

    def right_or_none(self, output, song):
        """Every answer names the song, and its place is within the song."""
        for line in filter(None, output.split("\n")):
            for answer in json.loads(line)["answers"]:
                expect(answer["reference"] == song, f"named {answer['reference']} instead of {song}")

    def parts(self, folder=""):
        return [path.name for path in (self.folder / folder).rglob("*.part")]


class Prepared(Bench):
    """Three songs in all formats, a catalog of them with media items, and what else the attempts begin with."""

    FOREIGN = {"m4a": ["-c:a", "aac"], "mka": ["-c:a", "aac"], "wv": [], "mp4": ["-c:a", "aac"], "tta": []}
    NATIVE = {"flac": [], "mp3": [], "ogg": ["-c:a", "libvorbis"], "opus": ["-c:a", "libopus"], "aiff": [], "au": []}
    TABLE = ("title,artist,genres,timeRanges,creationDate,explicitContent,n:number,j:json\n"
             "One,\"a, b\",x; y,1..<2; 5..<9,2022-06-09,true,1.5,\"{\"\"a\"\": [1, null]}\"\n".replace(", null", "")
             + "Two,é,,3..<4,2023-01-31T10:00:00Z,false,-2,\n")

    def __init__(self, folder):
        super().__init__(folder)
        self.songs = [song(seed, 20) for seed in range(3)]
        self.queries = [samples[5 * RATE:11 * RATE] for samples in self.songs]
        self.audio = {"wav": wav(self.queries[0])}
        for name, samples in zip("abc", self.songs):
            (self.folder / f"{name}.wav").write_bytes(wav(samples))
        (self.folder / "q.wav").write_bytes(self.audio["wav"])
        (self.folder / "songs").mkdir()
        for name in ["a.wav", "b.wav", "q.wav"]:
            shutil.copy(self.folder / name, self.folder / "songs" / name)
        (self.folder / "a.csv").write_text(self.TABLE)
        if shutil.which("ffmpeg"):
            for extension, options in {**self.NATIVE, **self.FOREIGN}.items():
                words = ["ffmpeg", "-loglevel", "error", "-y", "-i", "q.wav", *options, f"q.{extension}"]
                if subprocess.run(words, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True).returncode == 0:
                    self.audio[extension] = (self.folder / f"q.{extension}").read_bytes()
        if "ogg" in self.audio:
            self.audio["oga"] = self.audio["ogg"] * 3  # chained
        self.run([EARSHOT, "custom-catalog", "create", "-s", "a.wav", "b.wav", "c.wav", "-m", "a.csv", "-o", "c.earcatalog"])
        self.run([EARSHOT, "signature", "-i", "a.wav", "-o", "a.earsignature"])
        self.run([EARSHOT, "signature", "-i", "q.wav", "-o", "q.earsignature"])
        self.catalog = (self.folder / "c.earcatalog").read_bytes()
        self.signature = (self.folder / "a.earsignature").read_bytes()
        # Files of earlier versions, of which a mutated one must be refused too.
        self.catalogs = [self.catalog, *(path.read_bytes() for path in sorted(GOLDEN.glob("*.earcatalog")))]
        self.signatures = [self.signature, *(path.read_bytes() for path in sorted(GOLDEN.glob("standard*.earsignature")))]
        self.matched = self.answers("q.wav")
        expect(self.matched == ["a"], f"the query has the answers {self.matched}")
        (self.folder / "plan.yaml").write_text(PLAN)
        self.run([EARSHOT, "evaluate", "--plan", "plan.yaml", "--matcher", "oracle", "--details", "0", "--no-cache",
                  "--output", "run"])
        self.trials = (self.folder / "run/trials.csv").read_bytes()
        self.store = (self.folder / "run/trials.sqlite").read_bytes()
        # The catalogs that commands make.
        self.outcomes, self.outcomes_lock = {}, threading.Lock()

    def answers(self, query):
        output = self.run([EARSHOT, "match", "--catalog", "c.earcatalog", query]).stdout
        return [answer["reference"] for answer in json.loads(output)["answers"]]


PLAN = """name: attack
corpus: synthetic
seed: 5
positives: 2
negatives: 1
lengthSeconds: 3
latencyTrials: 0
families:
  - name: clean
  - {name: noise, unit: dB, severities: [0, -10], chain: [{noise: {colour: pink, snrDecibels: $severity}}]}
"""


def sections(data):
    count, = struct.unpack_from("<I", data, 12)
    found = {}
    for place in range(count):
        name, start, length = struct.unpack_from("<8sQQ", data, 48 + 24 * place)
        found[name.decode().strip()] = (start, length)
    return found


def sealed(data, changed):
    """The file with new checksums for the blocks that hold the changed byte positions."""
    data = bytearray(data)
    header, table = struct.unpack_from("<QQ", data, 24)
    for block in {(place - header) >> 16 for place in changed}:
        start = header + (block << 16)
        struct.pack_into("<Q", data, table + 8 * block, checksum(data[start:min(start + (1 << 16), table)]))
    struct.pack_into("<Q", data, len(data) - 8, checksum(data[table:-8]))
    return bytes(data)


# The kinds. Each function makes one attempt.

def damaged_audio(it):
    extension = it.random.choice(sorted(it.prepared.audio))
    name = it.write(f"q.{extension}", it.mutated(it.prepared.audio[extension]))
    if it.number % 2:
        code, output, _ = it.earshot("match", "--catalog", it.prepared.folder / "c.earcatalog", name)
        it.right_or_none(output, "a")
    else:
        code, _, _ = it.earshot("signature", "-i", name, "-o", "out")
        expect((it.folder / "out").exists() == (code == 0), "an output beside an error, or none without")


def random_audio(it):
    """Files that say they are audio and hold anything."""
    magics = [b"RIFF\xff\xff\xff\xffWAVEfmt ", b"fLaC", b"OggS\0\2", b"ID3\4\0\0\x7f\x7f\x7f\x7f", b"\xff\xfb\x90\0", b"FORM",
              b".snd", b"caff", b"riff", b"\0\0\0\x20ftypM4A ", b"\x1aE\xdf\xa3", b"wvpk", b"ffconcat version 1.0\nfile a.wav\n",
              b"#EXTM3U\nfile:///etc/passwd\n", b"RF64\xff\xff\xff\xffWAVEds64", b"MThd", b"\0", b""]
    body = it.random.choice([it.random.randbytes(it.random.randrange(20000)), bytes(5000), b"\xff" * 5000, b"text " * 900])
    name = it.write(f"x.{it.random.choice(['wav', 'mp3', 'ogg', 'flac', 'm4a', 'bin'])}", it.random.choice(magics) + body)
    it.earshot("signature", "-i", name, "-o", "out")


def damaged_catalog(it):
    sound = it.prepared.catalogs[max(0, it.number % 10 - 4)]
    damaged = it.mutated(sound)
    it.write("c.earcatalog", damaged)
    code, output, _ = it.earshot(*it.random.choice([
        ["custom-catalog", "upgrade", "c.earcatalog"], ["custom-catalog", "export", "c.earcatalog", "-o", "out"],
        ["match", "--catalog", "c.earcatalog", it.prepared.folder / "q.wav"], ["custom-catalog", "verify", "c.earcatalog"],
        ["custom-catalog", "display", "c.earcatalog"],
        ["custom-catalog", "update", "c.earcatalog", "-s", it.prepared.folder / "q.earsignature"]]))
    expect(code != 0 or damaged == sound, "a damaged catalog was taken")
    expect(code == 0 or (it.folder / "c.earcatalog").read_bytes() == damaged, "a refused catalog was changed")


def damaged_signature(it):
    sound = it.prepared.signatures[it.number % len(it.prepared.signatures)]
    damaged = it.mutated(sound)
    it.write("a.earsignature", damaged)
    code, _, _ = it.earshot("custom-catalog", "create", "-s", "a.earsignature", "-o", "c.earcatalog")
    expect((code == 0) == (damaged == sound), "a damaged signature was taken")
    expect((it.folder / "c.earcatalog").exists() == (code == 0), "a catalog beside an error")


def forged_catalog(it):
    """Other bytes under right checksums: refused, or read and written without harm."""
    data, choose = bytearray(it.prepared.catalogs[max(0, it.number % 10 - 4)]), it.random
    found = sections(data)
    name = choose.choice(["ITEMS", "ITEMS", "ITEMS", "REFS", "IDS", "INFO", "SETTINGS", "STARTS", "PEAKS", "MARKS",
                       "GROUPS", "ENDS"])
    start, length = found[name]
    changed = []
    for _ in range(1 << choose.randrange(4)):
        place = start + choose.randrange(length)
        width = min(choose.choice([1, 1, 2, 4, 8]), start + length - place)
        value = choose.choice([*EXTREMES, choose.getrandbits(64), 0x1B, 0x2F, 0x22]) % 256**width
        data[place:place + width] = value.to_bytes(width, "little")
        changed += [place, place + width - 1]
    it.write("c.earcatalog", sealed(data, changed))
    for words in choose.sample([["custom-catalog", "display", "c.earcatalog"], ["custom-catalog", "verify", "c.earcatalog"],
                                ["custom-catalog", "display", "--json", "c.earcatalog"],
                                ["custom-catalog", "export", "-i", "c.earcatalog", "-o", "out"],
                                ["match", "--all", "--catalog", "c.earcatalog", it.prepared.folder / "q.wav"]], 2):
        it.earshot(*words)
    outside = [path.name for path in it.folder.iterdir() if path.name not in ("c.earcatalog", "out", "cache", "data")]
    expect(not outside, f"wrote {outside}")


def hostile_table(it):
    """A table of media items is refused, or its export makes the same catalog again."""
    text = it.prepared.TABLE
    for _ in range(it.random.randint(1, 4)):
        cells = re.split("([,\n])", text)
        cells[it.random.randrange(0, len(cells), 2)] = it.random.choice(HOSTILE_TEXTS + HOSTILE_NUMBERS)
        text = "".join(cells)
    it.write("a.csv", text)
    signature = it.prepared.folder / "a.earsignature"
    code, _, _ = it.earshot("custom-catalog", "create", "-s", signature, "-m", "a.csv", "-o", "one")
    if code == 0:
        it.earshot("custom-catalog", "export", "-i", "one", "-o", "out", expected=(0,))
        it.earshot("custom-catalog", "create", "-s", "out", "-m", "out", "-o", "two", expected=(0,))
        same = (it.folder / "one").read_bytes() == (it.folder / "two").read_bytes()
        expect(same, f"the export makes another catalog of {text!r}")


OPTIONS = {
    "match": ["--minimum-score"], "custom-catalog create": ["--jobs"], "custom-catalog update": ["--jobs"],
    "listen": ["--rate", "--channels"], "degrade": ["--length", "--count", "--seed"],
    "evaluate": ["--jobs", "--seed", "--positives", "--negatives", "--negative-folds", "--start-shift", "--details",
                 "--cache-gigabytes", "--time-limit-seconds", "--memory-limit-gigabytes", "--shard"],
    "streams": ["--jobs", "--seed", "--positives"], "growth": ["--seed"], "intros": ["--jobs", "--seed"],
    "passages": ["--jobs", "--seed", "--hours", "--airings"],
    "frontier": ["--jobs"], "tune": ["--jobs", "--search-seed"], "try": ["--jobs", "--at", "--length"],
    "arena run": ["--jobs", "--seed"], "report": ["--details"], "minimise": ["--worst", "--longest", "--jobs"],
}
CASES = [(command, option, value) for command, options in OPTIONS.items() for option in options for value in HOSTILE_NUMBERS]


def hostile_number(it):
    command, option, value = CASES[it.number]
    here = it.prepared.folder
    words = {
        "match": ["--catalog", here / "c.earcatalog", here / "q.earsignature"],
        "custom-catalog create": ["-s", here / "a.earsignature", "-o", "c"],
        "custom-catalog update": ["missing", "-s", here / "a.earsignature"],
        "listen": ["--catalog", here / "c.earcatalog", "--raw", "s16le"],
        "degrade": [here / "q.wav", "--output", "out"],
        "evaluate": ["--plan", here / "plan.yaml", *it.small_run()],
        "report": [here / "run", "--output", "out"],
    }.get(command, ["--corpora", "missing"])
    # A large number may mean long work, which is no hang; the command is then ended.
    is_large = value in ("9223372036854775807", "1e308")
    try:
        it.earshot(*command.split(), *words, f"{option}={value}", expected=(0, 1, 64), seconds=8 if is_large else 60)
    except Hang:
        if not is_large:
            raise


STEPS = {"noise": ["colour", "snrDecibels"], "speed": ["percent"], "pitch": ["percent"], "tempo": ["percent"],
         "drift": ["percent"], "wow": ["percent", "hertz"], "room": ["seconds"], "echo": ["milliseconds", "decibels"],
         "gain": ["decibels"], "clipping": ["percent"], "resample": ["rate"], "truncate": ["seconds"],
         "silence": ["seconds"], "dropout": ["percent"], "format": ["encoding"], "band": ["low", "high"],
         "shelf": ["hertz", "decibels"], "compression": ["decibels"], "identity": [], "crowd": ["snrDecibels"]}


def hostile_chain(it):
    choose = it.random
    steps = []
    for _ in range(choose.randint(1, 4)):
        name = choose.choice(sorted(STEPS))
        values = {key: choose.choice([*HOSTILE_NUMBERS, "5", "-5", "50", "pink", "wav-pcm16", "[1, 2]", "{}", "~"])
                  for key in STEPS[name]}
        steps.append("{%s: {%s}}" % (name, ", ".join(f"{key}: {value}" for key, value in values.items())))
    it.earshot("degrade", it.prepared.folder / "q.wav", "--length", "1", "--chain", f"[{', '.join(steps)}]",
               "--output", "out", expected=(0, 1, 64))


def hostile_yaml(it):
    """Recipes and plans with other tokens, or random structure."""
    choose = it.random
    recipe = (ROOT / "Tests/Corpora/synthetic.yaml").read_text()
    text = choose.choice([PLAN, recipe])
    tokens = re.split(r"([\s:,\[\]{}]+)", text)
    for _ in range(choose.randint(1, 5)):
        place = choose.randrange(len(tokens))
        tokens[place] = choose.choice([*HOSTILE_TEXTS, *HOSTILE_NUMBERS, "&a", "*a", "!!int x", "<<: *a", "- - -", "[[[", "? ", "|",
                                       "---", "%YAML 1.1", "!<x>", tokens[choose.randrange(len(tokens))]])
    text = "".join(tokens)
    if choose.randrange(8) == 0:
        text = choose.choice(["[", "{a: ", "- ", "? ", "\"", "&a [*a, "]) * choose.choice([10, 1000, 60000])
    it.write("plan.yaml", text)
    it.write("corpora/synthetic.yaml", text)
    if choose.randrange(2):
        it.earshot("corpus", "list", "synthetic", "--corpora", "corpora", expected=(0, 1, 64))
    else:
        try:
            it.earshot("evaluate", "--plan", "plan.yaml", "--positives", "1", "--negatives", "1", "--details", "0",
                       *it.small_run(), expected=(0, 1, 64), seconds=60)
        except Hang:
            expect(re.search(r"\d{4}", text), "no end")


def hostile_list(it):
    choose = it.random
    lines = choose.choices([*HOSTILE_TEXTS, str(it.prepared.folder / "q.wav"), str(it.prepared.folder / "q.earsignature"), "missing",
                            "/dev/null", "/dev/zero", "/", "list"], k=choose.randint(0, 12))
    ends = choose.choice(["\n", "\r\n"])
    it.write("list", choose.choice(["", "\ufeff"]) + ends.join(lines) + choose.choice(["", ends]))
    code, output, _ = it.earshot("match", "--catalog", it.prepared.folder / "c.earcatalog", "--files",
                                 choose.choice(["list", "/dev/stdin"]), input=(it.folder / "list").read_bytes())
    for line in filter(None, output.split("\n")):
        json.loads(line)
    it.right_or_none(output, "a")


def hostile_truth(it):
    text = "query,reference,offsetSeconds,startSeconds,endSeconds\nq.wav,a.wav,5,0,3\nq.wav,b.wav,1,3,6\n"
    text = it.random.choice([text, "q.wav\ta.wav\nq.wav\tb.wav\n", text.replace("query,", "query_id,").replace("reference,", "reference_id,")])
    cells = re.split("([,\n\t])", text)
    for _ in range(it.random.randint(1, 3)):
        cells[it.random.randrange(0, len(cells), 2)] = it.random.choice(HOSTILE_TEXTS + HOSTILE_NUMBERS)
    it.write("truth.csv", "".join(cells))
    it.environment["XDG_CACHE_HOME"] = it.prepared.environment["XDG_CACHE_HOME"]
    it.earshot("evaluate", "--queries", "truth.csv", "--references", it.prepared.folder / "songs", "--query-folder",
               it.prepared.folder / "songs", "--matcher", "null", "--no-cache", "--details", "0", "--output", "run",
               expected=(0, 1, 64, 69))


def hostile_name(it):
    name = HOSTILE_TEXTS[it.number % len(HOSTILE_TEXTS)].replace("\0", "").replace("/", "_")[:200]
    raw = name.encode() if it.number % 3 else b"caf\xff" + name.encode()
    path = os.fsencode(it.folder) + b"/" + raw + b".wav"
    shutil.copy(it.prepared.folder / "q.wav", path)
    it.earshot("signature", "-i", path, "-o", "out")
    it.earshot("custom-catalog", "create", "-s", it.folder, "-o", "c")
    it.earshot("match", "--catalog", it.prepared.folder / "c.earcatalog", path)
    if (it.folder / "c").exists():
        it.earshot("custom-catalog", "display", "c", expected=(0,))
        it.earshot("custom-catalog", "export", "-i", "c", "-o", "export")
    it.earshot("signature", "-i", b"missing " + raw, "-o", "x", expected=(1, 64))


def hostile_stream(it):
    choose = it.random
    form = choose.choice(["s16le", "f32le"])
    rate = choose.choice([1000, 1001, 1023, 1024, 2000, 8000, 11025, 44100, 192000, 768000, choose.randrange(1000, 50000)])
    samples = choose.choice([
        choose.randbytes(choose.randrange(400000)), bytes(300000), b"\xff" * 100001, struct.pack("<f", math.nan) * 5000,
        struct.pack("<f", 3e38) * 50000, it.prepared.queries[1].tobytes() * 2, b""])
    code, output, _ = it.earshot("listen", "--catalog", it.prepared.folder / "c.earcatalog", "--raw", form, "--rate", rate,
                                 "--channels", choose.choice([1, 1, 2, 8]), input=samples)
    for line in filter(None, output.split("\n")):
        json.loads(line)


def killed_writer(it):
    """A catalog whose writer is killed is the old one or the new one, and nothing else is left."""
    update = it.number % 2 == 0
    if update:
        it.write("c.earcatalog", it.prepared.catalog)
    words = (["custom-catalog", "update", "c.earcatalog", "-s", it.prepared.folder / "q.earsignature"] if update
             else ["custom-catalog", "create", "-s", it.prepared.folder / "a.earsignature", "-o", "c.earcatalog"])
    process = subprocess.Popen([EARSHOT, *words], cwd=it.folder, env=it.environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(it.random.uniform(0, 0.12))
    process.send_signal(it.random.choice([signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP]))
    process.wait()
    if (it.folder / "c.earcatalog").exists():
        it.earshot("custom-catalog", "verify", "c.earcatalog", expected=(0,))
    else:
        expect(not update, "the catalog is gone")
    # The moment in which a new catalog replaces the old one may leave its second name. The next writer removes it.
    if update and it.parts():
        it.earshot(*words)
    expect(not it.parts(), f"left {it.parts()}")


def killed_upgrade(it):
    """A catalog or a store whose upgrade is killed is the old one or the new one, and nothing of it is lost."""
    old = it.random.choice(it.prepared.catalogs[1:-1])
    if it.number % 2:
        it.write("c.earcatalog", old)
        words = ["custom-catalog", "upgrade", "c.earcatalog"]
    else:
        (it.folder / "store").mkdir()
        for number in range(1, 5):
            it.write(f"store/segment-{number}.earcatalog", old)
        # Each of three segments has one reference of its own, as identifiers differ in a store.
        write_first_manifest(it.folder / "store/manifest.sqlite",
                             {number: [place for place in range(3) if place != number - 1] for number in range(1, 5)})
        words = ["store", "repair", "store"]
    process = subprocess.Popen([EARSHOT, *words], cwd=it.folder, env=it.environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(it.random.uniform(0, 0.12))
    process.kill()
    process.wait()
    for again in range(2):
        if it.number % 2:
            _, output, _ = it.earshot("custom-catalog", "display", "--json", "c.earcatalog", expected=(0,))
            expect(len(json.loads(output)["references"]) == 3, "references are lost")
        else:
            _, output, _ = it.earshot("store", "check", "--json", "store", expected=(0,))
            count = sum(part["references"] for part in json.loads(output)["parts"])
            expect(count == 4, f"{count} of 4 references are there")
        it.earshot(*words, expected=(0,))
    expect(not it.parts(), f"left {it.parts()}")


def no_room(it):
    """Limits on file sizes act like a full disk. What was there before stays."""
    it.write("c.earcatalog", it.prepared.catalog)
    words = it.random.choice([
        ["custom-catalog", "update", "c.earcatalog", "-s", it.prepared.folder / "q.earsignature"],
        ["custom-catalog", "create", "-s", it.prepared.folder / "a.earsignature", "-o", "new"],
        ["custom-catalog", "upgrade", it.write("old.earcatalog", it.prepared.catalogs[1])],
        ["custom-catalog", "export", "-i", "c.earcatalog", "-o", "out"],
        ["signature", "-i", it.prepared.folder / "q.wav", "-o", "new"],
        ["degrade", it.prepared.folder / "q.wav", "--length", "1", "--output", "out"],
        ["library", "add", "7"]])
    blocks = it.random.choice([0, 1, 4, 16, 64, 200])
    code, _, _ = it.earshot(*words, before=f"ulimit -f {blocks};")
    expect(not it.parts(), f"left {it.parts()}")
    for name in ("c.earcatalog", "old.earcatalog"):
        it.earshot("custom-catalog", "verify", name, expected=(0,))
    if words[1] == "create" and code != 0:
        expect(not (it.folder / "new").exists(), "half a catalog")


FAULTS = [("write", "ENOSPC"), ("fsync", "EIO"), ("fsync", "ENOSPC"), ("rename", "EACCES"), ("linkat", "EPERM"),
          ("flock", "ENOLCK"), ("flock", "EINTR"), ("fchmod", "EPERM"), ("clone,clone3", "EAGAIN")]
# Those that the start of every program needs are refused for the files of the attempt only.
FAULTS_OF_FILES = [("openat", "EMFILE"), ("openat", "EIO"), ("close", "EIO"), ("newfstatat,fstat", "EIO"), ("mmap", "ENOMEM"),
                   ("read,pread64", "EIO"), ("fsync", "EIO")]


def failing_calls(it):
    """A system call that fails ends a writer with a message, and its catalog is the old one or the new one."""
    if not shutil.which("strace"):
        return
    signature = it.prepared.folder / "q.earsignature"
    words = it.random.choice([["upgrade", "c.earcatalog"], ["update", "c.earcatalog", "-s", signature], ["remove", "c.earcatalog", "-s", "b"],
                              ["create", "-s", signature, "-o", "c.earcatalog"],
                              ["merge", it.prepared.folder / "c.earcatalog", "c.earcatalog", "-o", "c.earcatalog"]])
    old = it.prepared.catalogs[1] if words[0] == "upgrade" else it.prepared.catalog
    it.write("c.earcatalog", old)
    with it.prepared.outcomes_lock:
        new = it.prepared.outcomes.get(str(words))
        if new is None:
            it.earshot("custom-catalog", *words, expected=(0,))
            new = it.prepared.outcomes[str(words)] = (it.folder / "c.earcatalog").read_bytes()
            it.write("c.earcatalog", old)
    if it.random.randrange(2):
        (calls, error), paths = it.random.choice(FAULTS), ""
    else:
        calls, error = it.random.choice(FAULTS_OF_FILES)
        paths = f"-P {it.folder} -P {it.folder}/c.earcatalog -P {signature}"
    when = f"{it.random.choice([1, 1, 2, 3, 4, 6, 9])}{it.random.choice(['', '', '+'])}"
    if calls == "write" or error == "EINTR":
        when = "1"  # The message is written too, and a call that is always interrupted never ends.
    code, _, _ = it.earshot("custom-catalog", *words, seconds=60, before="set -- -D -f -qq -o /dev/null"
                            f" {paths} -e inject={calls}:error={error}:when={when} \"$0\" \"$@\"; exec strace \"$@\";")
    there = (it.folder / "c.earcatalog").read_bytes()
    # A fault after the new file has its name is an error, and the file is there.
    expect(there == new or code != 0 and there == old, f"exit code {code}, and the catalog is another one")
    expect(not it.parts(), f"left {it.parts()}")


def no_output(it):
    """Standard output that is full or closed."""
    words = it.random.choice([
        ["match", "--catalog", it.prepared.folder / "c.earcatalog", it.prepared.folder / "q.wav"], ["settings"],
        ["custom-catalog", "display", it.prepared.folder / "c.earcatalog"], ["corpus", "list", "synthetic"],
        ["custom-catalog", "verify", it.prepared.folder / "c.earcatalog"], ["--version"], ["match", "--help"],
        ["degrade", it.prepared.folder / "q.wav", "--length", "1", "--output", "out"],
        ["report", it.prepared.folder / "run", "--output", "report"]])
    before = it.random.choice(["exec >/dev/full;", "exec >&-;"])
    code, _, errors = it.earshot(*words, before=before)
    expect(code == 1, f"nothing could be printed, and the exit code is 0: {words} {before}")


def hostile_journal(it):
    """What others write into the shared folder loses no item of ours."""
    meeting = it.folder / "meeting"
    meeting.mkdir()
    it.earshot("library", "add", "7", "--title", "mine", expected=(0,))
    it.earshot("library", "sync", "--folder", meeting, expected=(0,))
    journal, = meeting.glob("library-*.jsonl")
    line = journal.read_text().split("\n")[1]
    good = json.loads(line)
    lines = []
    for _ in range(it.random.randint(1, 20)):
        event = dict(good, tag=f"{it.random.getrandbits(128):032X}")
        event["tag"] = "-".join([event["tag"][:8], event["tag"][8:12], event["tag"][12:16], event["tag"][16:20], event["tag"][20:]])
        event[it.random.choice(["event", "app", "shazamID", "clock", "item", "title", "format"])] = it.random.choice(
            [*HOSTILE_TEXTS, *EXTREMES, -1, 2**53 - 1, 1.5, None, [], {}, "8"])
        text = json.dumps(event)
        lines.append(it.random.choice([text, text, text[:it.random.randrange(len(text))], it.random.choice(HOSTILE_TEXTS)]))
    it.write("meeting/library-0.jsonl", "\n".join(lines) + "\n")
    it.earshot("library", "sync", expected=(0,))
    it.earshot("library", "add", "9", "--title", "last", expected=(0,))
    _, output, _ = it.earshot("library", "list", expected=(0,))
    rows = [row.split("\t") for row in output.split("\n") if row]
    ids = [row[0] for row in rows]
    expect(ids[0] == "9" and "7" in ids, f"the list is {ids}")
    expect(len(ids) == len(set(ids)) and all(id.isdigit() for id in ids), f"the list is {ids}")


def changed_in_place(it):
    """A catalog that is overwritten or shortened during a match: every answer is right, or there is an error."""
    it.write("c.earcatalog", it.prepared.catalog)
    it.write("list", f"{it.prepared.folder}/q.earsignature\n" * 200)
    process = subprocess.Popen([EARSHOT, "match", "--catalog", "c.earcatalog", "--files", "list"], cwd=it.folder,
                               env=it.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(it.random.uniform(0, 0.3))
    path, data = it.folder / "c.earcatalog", it.prepared.catalog
    change = it.random.choice([lambda: os.truncate(path, it.random.randrange(len(data))), lambda: path.write_bytes(data * 2),
                               lambda: path.write_bytes(bytes(len(data))), lambda: path.write_bytes(it.random.randbytes(len(data)))])
    change()
    finish_match(it, process, 200)


def finish_match(it, process, count):
    try:
        output, errors = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        raise Hang("no end of the match")
    if process.returncode < 0:
        raise Crash(f"ended with {process.returncode}: {errors[-300:]}")
    found = [json.loads(line) for line in output.decode().split("\n") if line]
    right = sum(1 for line in found if [answer["reference"] for answer in line["answers"]] == ["a"])
    failed = sum(1 for line in found if line.get("error"))
    expect(right + failed == len(found), f"{len(found) - right - failed} of {len(found)} answers are silently wrong")
    expect(process.returncode != 0 or right == count, f"{right} of {count} right, and the exit code is 0")


LARGE = threading.Lock()


def large_changed_in_place(it):
    """The same with a catalog of more than 64 MB, which is mapped."""
    with LARGE:
        large = it.prepared.folder / "large.earcatalog"
        if not large.exists():
            make_large(it.prepared, large)
    shutil.copy(large, it.folder / "c.earcatalog")
    it.write("list", f"{it.prepared.folder}/q.earsignature\n" * 40)
    process = subprocess.Popen([EARSHOT, "match", "--catalog", "c.earcatalog", "--files", "list"], cwd=it.folder,
                               env=it.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(it.random.uniform(0.02, 0.6))
    size = large.stat().st_size
    if it.number % 2:
        os.truncate(it.folder / "c.earcatalog", it.random.randrange(size))
    else:
        with open(it.folder / "c.earcatalog", "r+b") as file:
            for _ in range(200):
                file.seek(it.random.randrange(size - 65536))
                file.write(it.random.randbytes(65536))
    finish_match(it, process, 40)


def make_large(prepared, path):
    folder = prepared.folder / "large"
    folder.mkdir()
    shutil.copy(prepared.folder / "a.wav", folder / "a.wav")
    noise = random.Random(64)
    for number in range(8):
        (folder / f"n{number}.wav").write_bytes(wav(array.array("h", noise.randbytes(2 * RATE * 300))))
    prepared.run([EARSHOT, "custom-catalog", "create", "-s", folder, "-o", path])
    # Copies under other names until the file is large: a later reference of equal sound is never preferred.
    copies = prepared.folder / "copies"
    copies.mkdir()
    prepared.run([EARSHOT, "custom-catalog", "export", "-i", path, "-o", copies])
    for number in range(200):
        if path.stat().st_size > 70 << 20:
            break
        more = prepared.folder / f"more{number}"
        more.mkdir()
        for source in copies.glob("n*.earsignature"):
            for copy in range(8):
                shutil.copy(source, more / f"{source.stem}-{number}-{copy}.earsignature")
        prepared.run([EARSHOT, "custom-catalog", "update", path, "-s", more])


def damaged_store(it):
    """A run's store with flipped bits is refused, or gives the same trials."""
    data = bytearray(it.prepared.store)
    for _ in range(1 << it.random.randrange(6) if it.number else 0):
        data[it.random.randrange(len(data))] ^= 1 << it.random.randrange(8)
    it.write("run/trials.sqlite", bytes(data))
    code, _, _ = it.earshot("report", "run", "--details", "0", "--output", "out")
    expect(code == 0 or it.number, "a sound store is refused")
    if code == 0:
        same = (it.folder / "out/trials.csv").read_bytes() == it.prepared.trials
        expect(same, "a damaged store gives other trials")


def output_over_input(it):
    it.write("a.wav", wav(it.prepared.songs[0]))
    it.write("a.csv", it.prepared.TABLE)
    it.write("thesis.txt", "my thesis")
    os.symlink("a.wav", it.folder / "soft")
    os.link(it.folder / "a.wav", it.folder / "hard")
    os.symlink("nothing", it.folder / "dangling")
    target = it.random.choice(["a.wav", "soft", "hard", "./a.wav", "a.csv", "thesis.txt", "dangling", "missing/x", "/", "."])
    command = it.random.choice([["signature", "-i", "a.wav"], ["custom-catalog", "create", "-s", "a.wav"],
                                ["custom-catalog", "create", "-s", ".", "-m", "a.csv"],
                                ["custom-catalog", "create", "-s", "a.wav", "-m", "a.csv"]])
    before = {name: (it.folder / name).read_bytes() for name in ["a.wav", "a.csv", "thesis.txt"]}
    it.earshot(*command, "-o", target)
    for name, data in before.items():
        expect((it.folder / name).read_bytes() == data, f"{name} was replaced")
    expect(not (it.folder / "nothing").exists() and (it.folder / "dangling").is_symlink(), "the link was replaced")


ADAPTER = """import json, os, subprocess, sys, time
for line in sys.stdin:
    ask = json.loads(line)
    answer = {"ok": True}
    if ask["op"] == "hello": answer = {"protocol": 1, "name": "daemon", "version": "1"}
    if ask["op"] == "identify":
        process = subprocess.Popen(["sleep", "1000"], start_new_session=True, env={}, stdin=-3, stdout=-3, stderr=-3, cwd="/")
        open("PIDS", "a").write(f"{process.pid}\\n")
        answer = {"query": ask["query"], "answers": []}
        if MODE == "hang": time.sleep(1000)
        if MODE == "exit": os._exit(0)
        if MODE == "garbage": answer = "\\x1b[2J"
    print(json.dumps(answer), flush=True)
"""


def adapter_daemon(it):
    """Processes of an adapter that leave its session and environment end with it, also when earshot is killed."""
    mode = ["answer", "hang", "exit", "garbage", "killed"][it.number % 5]
    pids = it.folder / "pids"
    it.write("adapter.py", ADAPTER.replace("PIDS", str(pids)).replace("MODE", repr("hang" if mode == "killed" else mode)))
    words = ["evaluate", "--plan", it.prepared.folder / "plan.yaml", "--no-cache", "--details", "0", "--output", "run",
             "--time-limit-seconds", "1000" if mode == "killed" else "1", "--matcher-command", f"{sys.executable} {it.folder}/adapter.py"]
    if mode == "killed":
        process = subprocess.Popen([EARSHOT, *map(str, words)], cwd=it.folder, env=it.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: pids.exists() and pids.read_text().endswith("\n"), 60)
        process.kill()
        process.wait()
    else:
        it.earshot(*words, seconds=120)
    started = [int(pid) for pid in pids.read_text().split()]
    expect(started, "the adapter was not asked")
    alive = lambda: [pid for pid in started if is_alive(pid)]
    wait_until(lambda: not alive(), 10)
    left = alive()
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    expect(not left, f"{len(left)} of {len(started)} daemons are left ({mode})")


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def wait_until(is_so, seconds):
    end = time.monotonic() + seconds
    while not is_so() and time.monotonic() < end:
        time.sleep(0.02)


def foreign_lock(it):
    """A lock of a stranger on a catalog is waited for and then named, and nothing is changed by readers."""
    import fcntl
    it.write("c.earcatalog", it.prepared.catalog)
    with open(it.folder / "c.earcatalog") as file:
        fcntl.flock(file, it.random.choice([fcntl.LOCK_SH, fcntl.LOCK_EX]))
        it.earshot("custom-catalog", "verify", "c.earcatalog", expected=(0,))
        code, output, _ = it.earshot("match", "--catalog", "c.earcatalog", it.prepared.folder / "q.wav", expected=(0,))
        it.right_or_none(output, "a")


def hostile_items(it):
    """Items with values of every type are kept whole, or refused by name."""
    if os.path.exists(KIT):
        it.earshot("--items", it.number, program=KIT, expected=(0,), seconds=120)


def hostile_delegate(it):
    """Delegates that throw, block, call back into the session and release it."""
    if os.path.exists(KIT):
        it.earshot("--delegate", it.number, program=KIT, expected=(0,), seconds=60)


MILLION = threading.Lock()


def million_items(it):
    """A reference with a million items, all equal or all different, is read, matched, changed and exported."""
    rows = ("same,1\n" * 10**6 if it.number % 2 == 0 else "".join(f"item {n},{n}\n" for n in range(10**6)))
    it.write("m.csv", "title,n\n" + rows)
    with MILLION:
        it.earshot("custom-catalog", "create", "-s", it.prepared.folder / "a.earsignature", "-m", "m.csv", "-o", "c.earcatalog",
                   expected=(0,), seconds=120)
        _, output, _ = it.earshot("custom-catalog", "display", "--json", "c.earcatalog", expected=(0,), seconds=120)
        ids = re.findall(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", output)
        expect(len(set(ids)) >= 10**6, f"{len(set(ids))} identifiers")
        _, output, _ = it.earshot("match", "--catalog", "c.earcatalog", it.prepared.folder / "q.earsignature", expected=(0,),
                                  seconds=120)
        it.right_or_none(output, "a")
        it.earshot("custom-catalog", "remove", "c.earcatalog", "-m", ids[-1], expected=(0,), seconds=120)


def id3(frames):
    def size(length):
        return bytes(length >> shift & 0x7F for shift in (21, 14, 7, 0))
    body = b"".join(name + size(len(data)) + b"\0\0" + data for name, data in frames)
    return b"ID3\4\0\0" + size(len(body)) + body


def hostile_tags(it):
    """Tags with long titles and control characters, and pictures that lie about their size."""
    choose = it.random
    def text():
        return choose.choice([*HOSTILE_TEXTS, "t" * (1 << 20), "\x1b[2J" * 1000, "".join(map(chr, range(160))), "\u202e" * 500])
    def picture():
        data = choose.choice([b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff" + bytes(5000)])
        size = choose.choice([*EXTREMES, len(data)]) % 2**32
        kind = choose.choice(["image/png", "", "-->", "x" * 300]).encode()
        return (struct.pack(">II", 3, len(kind)) + kind + struct.pack(">I", choose.choice([0, 0, size]))
                + struct.pack(">IIIII", size, size, 24, 0, choose.choice([size, len(data)])) + data)
    kind = choose.choice([kind for kind in ("mp3", "flac", "wav") if kind in it.prepared.audio])
    audio = it.prepared.audio[kind]
    if kind == "flac":
        # Comments and a picture before the blocks that are there, after the first, which is never the last.
        comments = [f"{name}={text()}".encode(errors="replace") for name in ("TITLE", "ARTIST", "GENRE", "ISRC", text()[:50])]
        block = struct.pack("<I", 0) + struct.pack("<I", choose.choice([len(comments), *EXTREMES]) % 2**32) + b"".join(
            struct.pack("<I", choose.choice([len(one), len(one), len(one), choose.choice(EXTREMES) % 2**32])) + one
            for one in comments)
        block = block[:2**24 - 1]
        cover = picture()
        audio = (audio[:42] + b"\4" + len(block).to_bytes(3, "big") + block
                 + b"\6" + len(cover).to_bytes(3, "big") + cover + audio[42:])
    else:
        frames = [(name, b"\3" + text().encode(errors="replace")) for name in (b"TIT2", b"TPE1", b"TALB", b"TCON", b"TSRC")]
        frames.append((b"APIC", b"\0image/png\0\3\0" + picture()))
        tag = id3(choose.sample(frames, len(frames)))
        if choose.randrange(3) == 0:
            tag = it.mutated(tag)
        if kind == "mp3":
            audio = tag + audio
        else:
            audio += b"id3 " + struct.pack("<I", choose.choice([len(tag), 2**32 - 1])) + tag
    enrol(it, it.write(f"x.{kind}", audio))


def enrol(it, name):
    """A catalog of a file is refused, or works; its tags steer no terminal."""
    code, _, _ = it.earshot("custom-catalog", "create", "-s", name, "-o", "c.earcatalog", seconds=60)
    if code == 0:
        for words in (["display", "c.earcatalog"], ["verify", "c.earcatalog"], ["export", "-i", "c.earcatalog", "-o", "out"]):
            _, output, _ = it.earshot("custom-catalog", *words, expected=(0,), seconds=60)
            expect(not re.search("[\0-\x08\x0b-\x1f\x7f-\x9f]", output), f"steers the terminal: {words}: {output[:300]!r}")
        _, output, _ = it.earshot("match", "--catalog", "c.earcatalog", it.prepared.folder / "q.wav", expected=(0,), seconds=60)
        it.right_or_none(output, "x")


def nested_boxes(names, depth):
    """MPEG-4 boxes within each other, the innermost empty."""
    return b"".join(struct.pack(">I", 8 * (depth - level)) + names[level % len(names)] for level in range(depth))


def riff_chunk(name, body, size=None):
    return name + struct.pack("<I", len(body) if size is None else size) + body + b"\0" * (len(body) % 2)


def overlapping_chunks(audio, count, flags):
    """A WAV whose chunks of ID3 each state the same 4 MB, and whose first frame leads to the frames that all share."""
    size = bytes((1 << 22) >> shift & 127 for shift in (21, 14, 7, 0))
    parts = [riff_chunk(b"id3 ", b"ID3\3\0" + flags + size + b"XXXX" + struct.pack(">I", max(1, 28 * (count - 1 - index))) + b"\0\0")
             for index in range(count)]
    more = b"".join(parts) + (b"TIT2" + struct.pack(">I", 1) + b"\0\0\3") * 300_000
    return audio[:4] + struct.pack("<I", len(audio) - 8 + len(more)) + audio[8:] + more


BOXES = [(names, depth) for names in ([b"moov"], [b"udta"], [b"moov", b"udta", b"ilst"], [b"moov", b"trak", b"mdia", b"minf"])
         for depth in (5_000, 20_000, 60_000, 200_000, 1_000_000)]
CHUNKS = [(count, flags) for count in (20, 300, 3_000, 10_000) for flags in (b"\0", b"\x80")]


def hostile_boxes(it):
    """Boxes that are nested deeply behind a file that plays, with and without --sandbox."""
    if "m4a" not in it.prepared.audio:
        return
    names, depth = BOXES[it.number % len(BOXES)]
    enrol(it, it.write("x.m4a", it.prepared.audio["m4a"] + nested_boxes(names, depth)))
    it.earshot("custom-catalog", "create", "--sandbox", "-s", "x.m4a", "-o", "other.earcatalog", seconds=60)


def hostile_chunks(it):
    """Chunks whose tags overlap cost no more than the file has bytes."""
    enrol(it, it.write("x.wav", overlapping_chunks(it.prepared.audio["wav"], *CHUNKS[it.number % len(CHUNKS)])))


def huge_tags(prepared):
    """Tags that state sizes and counts beyond the file, or are many, by the extension of their file."""
    size = lambda value: bytes(value >> shift & 127 for shift in (21, 14, 7, 0))
    frame = lambda name, text, stated=None: name + size(len(text) if stated is None else stated) + b"\0\0" + text
    comments = lambda *texts: b"\0" * 4 + struct.pack("<I", len(texts)) + b"".join(struct.pack("<I", len(text)) + text for text in texts)
    block = lambda body: b"\4" + len(body).to_bytes(3, "big") + body
    ape = lambda stated, items: b"APETAGEX" + struct.pack("<IIIIQ", 2000, stated, items, 0, 0)
    box = lambda name, body: struct.pack(">I", 8 + len(body)) + name + body
    cover = box(b"moov", box(b"udta", box(b"meta", bytes(4) + box(b"ilst", box(b"covr", box(b"data", bytes(60 << 20)))))))
    made = {
        "mp3": [
            (b"ID3\4\0\0\x7f\x7f\x7f\x7f", b""), (id3([(b"TIT2", b"\3x")] * 100_000), b""), (id3([(b"TXXX", b"\3x")]) * 10_000, b""),
            (b"ID3\4\0\0" + size(13) + frame(b"TIT2", b"\3ab", 2**28 - 1), b""), (id3([(b"TCON", b"\3" + b"(1)" * 20_000)]), b""),
            (id3([(b"TPE1", b"\3" + b"a\0" * 30_000)] * 60), b""), (id3([(b"TIT2", b"\3a" + "\u0301".encode() * 30_000)]), b""),
            (id3([(b"TIT2", b"\1\xff\xfeA\0B"), (b"TPE1", b"\1"), (b"TCON", b"\1\xfe\xff\xd8\0\xd8\0")]), b""),
            (b"", ape(0xFFFFFFF0, 0xFFFFFFFF)), (b"", b"\1\0\0\0\0\0\0\0Title\0x" * 100_000 + ape(32 + 1_500_000, 0xFFFFFFFF)),
        ],
        "m4a": [(b"", bytes(4) + b"udta" + (bytes(4) + b"udta") * 100_000), (b"", b"\0\0\0\1udta\0\x7f" + b"\xff" * 6), (b"", cover)],
        "wav": [(b"", riff_chunk(b"LIST", b"INFO", 1 << 20) * 10_000), (b"", riff_chunk(b"LIST", b"INFO" + riff_chunk(b"INAM", b"x\0") * 100_000))],
    }
    files = [(kind, before + prepared.audio[kind] + after) for kind, tags in made.items() if kind in prepared.audio for before, after in tags]
    for body in (comments(*[b"GENRE=a%d" % number for number in range(100_000)]), b"\xff" * 4 + b"x" * 100,
                 bytes(4) + struct.pack("<II", 2, 2**32 - 1) + b"TITLE=x"):
        if "flac" in prepared.audio:
            # After the first block, which is never the last.
            files.append(("flac", prepared.audio["flac"][:42] + block(body) + prepared.audio["flac"][42:]))
    return files


def extreme_tags(it):
    files = huge_tags(it.prepared)
    kind, data = files[it.number % len(files)]
    enrol(it, it.write(f"x.{kind}", data))


LONG = threading.Lock()


def shrinking_file(it):
    """A file that is cut while it is read is read to its new end, with a message."""
    kind = ["wav", "flac", "mp3", "m4a"][it.number % 4]
    path, seconds = it.prepared.folder / f"long.{kind}", 1800
    with LONG:
        if kind != "wav" and kind not in it.prepared.audio:
            return
        if not path.exists():
            samples = it.prepared.songs[0] * (seconds // 20)
            (it.prepared.folder / "long.wav").write_bytes(wav(samples))
            if kind != "wav":
                it.prepared.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-i", "long.wav", f"long.{kind}"])
    shutil.copy(path, it.folder / path.name)
    process = subprocess.Popen([EARSHOT, "match", "--catalog", it.prepared.folder / "c.earcatalog", "--json", path.name,
                                *(["--sandbox"] if it.number // 4 % 2 else [])], cwd=it.folder, env=it.environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(it.random.uniform(.3, 1))
    was_running = process.poll() is None
    os.truncate(it.folder / path.name, path.stat().st_size // 3)
    try:
        output, errors = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise Hang("no end 60 s after the file was cut")
    if process.returncode not in (0, 1):
        raise Crash(f"ended with {process.returncode}: {errors[-300:]}")
    for line in filter(None, output.decode().split("\n")):
        read = json.loads(line)["durationSeconds"]
        # All may have been read before the cut.
        expect(not was_running or errors or json.loads(line)["error"] or read >= seconds - 1, f"{read} s of {seconds} s without a message")


FOLDER = threading.Lock()


def hostile_in_folder(it):
    """A hostile file among a hundred is enrolled or named, and the 99 others are enrolled."""
    choose, here = it.random, it.prepared.folder / "hundred"
    with FOLDER:
        if not here.exists():
            here.mkdir()
            for number in range(99):
                shutil.copy(it.prepared.folder / "q.wav", here / f"good{number}.wav")
    shutil.copytree(here, it.folder / "f", copy_function=os.link)
    audio = it.prepared.audio
    kind, data = [
        lambda: ("m4a", audio.get("m4a", b"") + nested_boxes(*choose.choice(BOXES))),
        lambda: ("wav", overlapping_chunks(audio["wav"], *choose.choice(CHUNKS))),
        lambda: ("mp3", choose.randbytes(20_000)), lambda: ("wav", b""), lambda: choose.choice(huge_tags(it.prepared)),
        lambda: ("flac", it.mutated(audio.get("flac", audio["wav"]))), lambda: ("wav", audio["wav"][:44] + struct.pack("<f", math.nan)),
    ][it.number % 7]()
    it.write(f"f/hostile.{kind}", data)
    code, _, errors = it.earshot("custom-catalog", "create", "-s", "f", "-o", "c.earcatalog", seconds=90)
    _, output, _ = it.earshot("custom-catalog", "display", "--json", "c.earcatalog", expected=(0,))
    found = {one["id"] for one in json.loads(output)["references"]}
    expect(len(found - {"hostile"}) == 99, f"{len(found - {'hostile'})} of 99 others are enrolled")
    expect(code == ("hostile" not in found), f"exit code {code}, and the hostile file is{' not' * ('hostile' not in found)} enrolled")
    expect("hostile" in found or "hostile" in errors, "the hostile file is not named")


KINDS = {
    damaged_audio: 900, random_audio: 250, damaged_catalog: 600, damaged_signature: 400, forged_catalog: 700,
    hostile_table: 300, hostile_number: len(CASES), hostile_chain: 250, hostile_yaml: 300, hostile_list: 150,
    hostile_truth: 150, hostile_name: 2 * len(HOSTILE_TEXTS), hostile_stream: 150, killed_writer: 150, killed_upgrade: 100, no_room: 120,
    failing_calls: 200, no_output: 60, hostile_journal: 80, changed_in_place: 40, large_changed_in_place: 20, damaged_store: 120,
    output_over_input: 80, adapter_daemon: 10, foreign_lock: 10, hostile_items: 40, hostile_delegate: 70, million_items: 2,
    hostile_tags: 200, hostile_boxes: len(BOXES), hostile_chunks: len(CHUNKS), extreme_tags: 18, shrinking_file: 16,
    hostile_in_folder: 28,
}


def attack(prepared, kind, number):
    """Makes one attempt; gives what went wrong, by its kind."""
    with tempfile.TemporaryDirectory(dir=prepared.folder.parent, ignore_cleanup_errors=True) as folder:
        try:
            kind(Attempt(folder, prepared, kind.__name__, number))
        except (Crash, Hang, Wrong) as problem:
            return type(problem).__name__, str(problem)
        except Exception as problem:
            return "Wrong", f"{type(problem).__name__}: {problem}"
    return None


def main(names):
    if names == ["--list"]:
        return print("\n".join(f"{kind.__name__} {count}" for kind, count in KINDS.items()))
    chosen = [(kind, number) for kind, count in KINDS.items() for number in range(count)
              if not names or kind.__name__ in names or f"{kind.__name__}:{number}" in names]
    began, found = time.monotonic(), collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        (pathlib.Path(folder) / "prepared").mkdir()
        prepared = Prepared(pathlib.Path(folder) / "prepared")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for (kind, number), problem in zip(chosen, pool.map(lambda one: attack(prepared, *one), chosen)):
                found[kind]["attempts"] += 1
                if problem:
                    found[kind][problem[0]] += 1
                    print(f"{kind.__name__}:{number}: {problem[0]}: {problem[1]}", file=sys.stderr, flush=True)
    print("| kind | attempts | crash | hang | wrong or lost |\n|---|--:|--:|--:|--:|")
    total = sum(found.values(), collections.Counter())
    for name, count in [*((kind.__name__.replace("_", " "), count) for kind, count in found.items()), ("all", total)]:
        print(f"| {name} | {count['attempts']} | {count['Crash']} | {count['Hang']} | {count['Wrong']} |")
    print(f"{time.monotonic() - began:.0f} s")
    sys.exit(1 if total["Crash"] + total["Hang"] + total["Wrong"] else 0)


main(sys.argv[1:])
