#!/usr/bin/env python3
"""Shows on music made by a formula that the judge does not blame its own failures on the matcher.

usage: scripts/checks/demonstrations.py [NAME...]     all demonstrations, or those named; --list names them

EARSHOT_BINARY is the program, .build/release/earshot by default. Every demonstration compares the trials of a disturbed run
with those of an undisturbed one. Prints a line for each and exits with 1 if one fails. Full disks are small tmpfs; where
those cannot be mounted, demonstrations are skipped, and the exit code is 77.
"""
import array, hashlib, json, pathlib, random, shlex, shutil, sqlite3, subprocess, sys, tempfile, time, wave

from harness import EARSHOT, ROOT, Bench

if "--help" in sys.argv[1:]:
    sys.exit(print(__doc__.strip()))

PLAN = """name: demonstration
corpus: synthetic
seed: 5
positives: 4
negatives: 4
lengthSeconds: 3
latencyTrials: 0
families:
  - name: clean
  - {name: noise, unit: dB, severities: [0, -10], chain: [{noise: {colour: pink, snrDecibels: $severity}}]}
"""
# Its scores are checksums of the queries' files, so that another sample or another answer shows in the trials.
ADAPTER = """import json, sys, wave, zlib
names = []
for line in sys.stdin:
    ask = json.loads(line)
    answer = {"ok": True}
    if ask["op"] == "hello": answer = {"protocol": 1, "name": "checksum", "version": "1"}
    if ask["op"] == "enrol": names.append(ask["id"])
    if ask["op"] == "identify":
        frames, score = wave.open(ask["path"]).getnframes(), zlib.crc32(open(ask["path"], "rb").read())
        found = names[:FOUND]
        answer = {"query": ask["query"], "answers": [{"id": id, "offsetSeconds": 0, "score": score} for id in found]}
    print(json.dumps(answer), flush=True)
"""


class Skipped(Exception):
    pass


class Demonstration(Bench):
    """A bench with the plan and the adapter."""

    def __init__(self, folder):
        super().__init__(folder)
        self.plan(PLAN)
        self.adapter("1")

    def plan(self, text):
        (self.folder / "plan.yaml").write_text(text)

    def adapter(self, found):
        (self.folder / "adapter.py").write_text(ADAPTER.replace("FOUND", found))

    def evaluate(self, run, *more):
        matcher = [] if "--matcher" in more else ["--matcher-command", f"{sys.executable} {self.folder}/adapter.py"]
        return [EARSHOT, "evaluate", "--plan", "plan.yaml", "--details", "0", "--output", run, *matcher, *more]

    def equal(self, one, other):
        self.run([sys.executable, str(ROOT / "scripts/compare-trials.py"), one, other])

    def undisturbed(self):
        self.run(self.evaluate("undisturbed", "--no-cache"))

    def store(self, path):
        return sqlite3.connect(self.folder / path)


def tmpfs(bench, size, script, *words, **options):
    """Runs a script with a tmpfs of a size such as `1m` mounted at `small`."""
    (bench.folder / "small").mkdir(exist_ok=True)
    probe = ["unshare", "-m", "sh", "-c", f"mount -t tmpfs -o size={size} tmpfs small"]
    if shutil.which("unshare") is None or subprocess.run(probe, cwd=bench.folder, capture_output=True).returncode:
        raise Skipped("no tmpfs can be mounted here")
    return bench.run(["unshare", "-m", "sh", "-euc", f"mount -t tmpfs -o size={size} tmpfs small; {script}",
                      "sh", *words], **options)


def swapped_impulse_response(bench):
    """An impulse response that is replaced by another is not taken from the cache, nor from the run."""
    bench.plan(PLAN + "  - {name: room, chain: [{impulseResponse: {path: ir.wav}}]}\n")
    noise = random.Random(1)
    for run, samples in [("before", [20000] + [0] * 99), ("after", [noise.randrange(-9999, 9999) for _ in range(44100)])]:
        with wave.open(str(bench.folder / "ir.wav"), "wb") as file:
            file.setparams((1, 2, 44100, 0, "NONE", ""))
            file.writeframes(array.array("h", samples).tobytes())
        bench.run(bench.evaluate(run))
    bench.run(bench.evaluate("fresh", "--no-cache"))
    bench.equal("after", "fresh")


def edited_adapter(bench):
    """The answers of an adapter are not taken from the cache after its file has changed."""
    bench.plan(PLAN.replace("lengthSeconds: 3", "lengthSeconds: 5"))
    for run, found in [("before", "1"), ("after", "frames < 150000")]:
        bench.adapter(found)
        bench.run(bench.evaluate(run))
    bench.run(bench.evaluate("fresh", "--no-cache"))
    bench.equal("after", "fresh")


def full_cache_disk(bench):
    """A cache without room is switched off; the trials stay the same."""
    bench.undisturbed()
    done = tmpfs(bench, "256k", 'export XDG_CACHE_HOME=$PWD/small; exec "$@"', *bench.evaluate("run"))
    bench.equal("run", "undisturbed")
    assert "switched off" in done.stderr, f"the cache had room: {done.stderr[-300:]}"


def full_run_disk(bench):
    """A run store without room ends the run; with room again the run goes on to the same trials."""
    bench.undisturbed()
    words = shlex.join(bench.evaluate("small/run"))
    tmpfs(bench, "1m", f"dd if=/dev/zero of=small/ballast bs=1k count=940 2>/dev/null; status=0; {words} || status=$?; "
                 f"[ $status = 1 ]; rm small/ballast; mount -o remount,size=200m small; {words}; cp -r small/run run")
    bench.equal("run", "undisturbed")


def few_descriptors(bench):
    """With too few descriptors a run ends with exit code 1 or gives the same trials; later it goes on to the same."""
    bench.undisturbed()
    for most in [32, 36, 40]:
        run = f"run{most}"
        for folder in [bench.folder / run, bench.folder / "cache"]:
            shutil.rmtree(folder, ignore_errors=True)
        bench.shell(f'ulimit -n {most}; exec "$@"', *bench.evaluate(run), expected=(0, 1))
        bench.run(bench.evaluate(run))
        bench.equal(run, "undisturbed")


def little_memory(bench):
    """With too little memory a run stores nothing wrong: with enough again it goes on to the same trials."""
    bench.undisturbed()
    for megabytes in [400, 700, 1000]:
        run = f"run{megabytes}"
        words = shlex.join(bench.evaluate(run, "--no-cache"))
        bench.shell(f"ulimit -v {megabytes * 1024}; timeout -s KILL 60 {words} || true")
        bench.run(bench.evaluate(run, "--no-cache"))
        bench.equal(run, "undisturbed")


def read_only_run(bench):
    """Report, comparison and history work on runs that cannot be written."""
    for run in ["run", "other"]:
        bench.run(bench.evaluate(run))
    words = [["report", "run", "--details", "2", "--output", "r"], ["compare", "run", "other"],
             ["history", "run", "other", "--output", "h"]]
    commands = "; ".join(shlex.join([EARSHOT, *one]) for one in words)
    mounts = "; ".join(f"mount --bind {run} {run}; mount -o remount,bind,ro {run}" for run in ["run", "other"])
    tmpfs(bench, "64k", f"{mounts}; ! touch run/a 2>/dev/null; {commands}")


def flipped_bits(bench):
    """Thirty flipped bits in the cache change no trial."""
    bench.undisturbed()
    bench.run(bench.evaluate("filling"))
    cache = bench.folder / "cache/earshot/evaluation/trials.sqlite"
    whole = cache.read_bytes()
    for seed in range(8):
        bits, damaged = random.Random(seed), bytearray(whole)
        for _ in range(30):
            damaged[bits.randrange(len(damaged))] ^= 1 << bits.randrange(8)
        for extra in ["-wal", "-shm"]:
            pathlib.Path(f"{cache}{extra}").unlink(missing_ok=True)
        cache.write_bytes(damaged)
        bench.run(bench.evaluate(f"run{seed}"))
        bench.equal(f"run{seed}", "undisturbed")


def stored_commands(bench):
    """A command in a run or in a case is not started."""
    bench.run(bench.evaluate("run", "--matcher", "null"))
    bench.run([EARSHOT, "minimise", "run", "--matcher", "null", "--worst", "1", "--longest", "3", "--output", "cases"])
    program = {"command": f"sh -c 'id > {bench.folder}/started'", "limits": {}}
    with bench.store("run/trials.sqlite") as store:
        *key, content = store.execute("SELECT plan, matcher, kind, trial, position, content FROM record"
                                      " WHERE kind = 'facts'").fetchone()
        facts = json.loads(content)
        facts["request"]["matcher"]["program"] = program
        forged = json.dumps(facts).encode()
        digest = hashlib.sha256("\n".join(map(str, [*key, ""])).encode() + forged).hexdigest()
        store.execute("UPDATE record SET content = ?, digest = ? WHERE kind = 'facts'", (forged, digest))
    for path in (bench.folder / "cases/cases").glob("*.json"):
        case = json.loads(path.read_text())
        case["request"]["matcher"]["program"] = program
        path.write_text(json.dumps(case))
    shutil.copytree(bench.folder / "run", bench.folder / "other")
    for words in [["report", "run", "--details", "3"], ["compare", "run", "other"], ["history", "run", "--output", "h"],
                  ["minimise", "--verify", "cases"], ["minimise", "run", "--worst", "1", "--output", "more"]]:
        bench.run([EARSHOT, *words], expected=(0, 1))
        assert not (bench.folder / "started").exists(), f"{words[0]} started the command"


def alias_bomb(bench):
    """A short YAML file that expands to 10^9 values as a key is refused at once."""
    lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x,x]"]
    lines += [f"a{level}: &a{level} [{','.join([f'*a{level - 1}'] * 10)}]" for level in range(1, 10)]
    bench.plan("\n".join([*lines, "? *a9", ": 1", ""]))
    bench.run(bench.evaluate("run"), expected=(1,), timeout=20)


def killed_ten_times(bench):
    """A run that is killed ten times gives the same trials in the end."""
    began = time.monotonic()
    bench.undisturbed()
    span, moments = time.monotonic() - began, random.Random(10)
    for _ in range(10):
        process = subprocess.Popen(bench.evaluate("run", "--no-cache"), cwd=bench.folder, env=bench.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(moments.uniform(0.2, 1) * span)
        process.kill()
        process.wait()
    bench.run(bench.evaluate("run", "--no-cache"))
    bench.equal("run", "undisturbed")


DEMONSTRATIONS = [swapped_impulse_response, edited_adapter, full_cache_disk, full_run_disk, few_descriptors, little_memory,
                  read_only_run, flipped_bits, stored_commands, alias_bomb, killed_ten_times]


def main(names):
    if names == ["--list"]:
        return print("\n".join(one.__name__ for one in DEMONSTRATIONS))
    failed, skipped = 0, {}
    for one in DEMONSTRATIONS:
        if names and one.__name__ not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                one(Demonstration(folder))
                verdict = "holds"
            except Skipped as reason:
                verdict = skipped[one.__name__] = str(reason)
            except (AssertionError, subprocess.TimeoutExpired) as problem:
                verdict, failed = f"FAILS: {problem}", failed + 1
        print(f"{one.__name__}: {verdict}", flush=True)
    if skipped:
        print(f"skipped {', '.join(skipped)}: {', '.join(set(skipped.values()))}")
    sys.exit(1 if failed else 77 if skipped else 0)


main(sys.argv[1:])
