#!/usr/bin/env python3
"""Check that Package.swift declares exactly the imports that targets use, that folders depend one way, that
EarshotSignatures needs no system library, no file and no Linux, that one target opens all databases, that no
floating-point number ends the process when it becomes a whole one, that each script answers --help, and that each check is run.

    scripts/checks/structure.py            # exit 1 if one of these does not hold
    scripts/checks/structure.py --table    # also print a Markdown table of the targets

Folder dependencies are found by name: a file uses a folder if it names a type or global function declared there.
"""
import collections
import json
import pathlib
import re
import statistics
import subprocess
import sys

if "--help" in sys.argv[1:]:
    sys.exit(print(__doc__.strip()))

ROOT = pathlib.Path(__file__).resolve().parents[2]
ONE_WAY = ["Evaluation", "Reporting", "Fingerprinting", "Signatures", "Studies"]
# Products that are declared to fix the versions of their packages.
PINS = {"Atomics", "DequeModule", "SystemPackage"}
# Targets that are declared to depend on another only to be compiled after it.
ORDER = {("Combine", "GRDB")}
IMPORT = re.compile(r"^\s*(?:@\w+\s+)*(?:(?:public|package|internal|private)\s+)?import\s+"
                    r"(?:(?:struct|class|enum|func|protocol)\s+)?(\w+)", re.M)
DECLARATION = re.compile(r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|final|indirect|nonisolated)\s+)*"
                         r"(?:struct|class|enum|protocol|actor|typealias|func)\s+(\w+)", re.M)
PUBLIC_TYPE = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*public\s+(?:(?:final|indirect)\s+)*"
                         r"(?:struct|class|enum|protocol|actor)\s+(\w+)", re.M)
# A conversion to a whole number: `Int(value)` ends the process for NaN and for large values, `Int(bounded: value)` does not.
CONVERSION = re.compile(r"(?<!\w)(?<!(?<!\.)\.)U?Int(?:8|16|32|64)?\((?!\s*\w+:)")
# What shows that a value has a fraction.
FLOATING = re.compile(r"\.rounded\(|\b(?:Double|Float)\b|(?:\b|\w)[sS]econds\b(?!\()|(?<![\w.])\d+\.\d|\b[rR]ate\b *\*|\* *[rR]ate\b"
                      r"|\b(?:log10|log2|log|floor|ceil|pow|exp|exp2)\(|squareRoot\(")
# Files that convert at every peak, pair or cell, or that cannot import AudioCore, and why their values are bounded.
BOUNDED_OTHERWISE = {
    "Sources/AudioCore/Int+Bounded.swift": "the conversion itself",
    "Sources/EarshotKit/Audio/AVAudioTime.swift": "a host time of 64 bits, compared with the bound",
    "Sources/Fingerprinting/Index/KeySpace.swift": "keys of peaks, whose frequencies have 16 bits",
    "Sources/Fingerprinting/Lookup/PairLookup.swift": "keys of peaks, whose frequencies have 16 bits",
    "Sources/Fingerprinting/Lookup/VoteTable.swift": "planes of buckets, whose skews the key space bounds",
    "Sources/Fingerprinting/Matching/MatchedFilter.swift": "heights of peaks, which have 8 bits",
    "Sources/Fingerprinting/Verification/ChanceControl.swift": "delays of pairs within reach of an alignment",
    "Sources/Fingerprinting/Verification/PeakPairing.swift": "spans around a candidate, which settings bound",
    "Sources/Fingerprinting/Verification/SpectralContrast.swift": "places in rows of a grid that was made for them",
    "Sources/Signatures/FrontEnd/CandidateFinder.swift": "fractions of a bin and of a frame, -0.5 to 0.5",
    "Sources/Signatures/FrontEnd/PeakPicker.swift": "frames of a band, as many as there are samples",
    "Sources/Signatures/Signature/Peak.swift": "clamped to 8 bits",
    "Sources/SystemIO/RunningProcess.swift": "clamped; SystemIO imports nothing of this package",
    "Sources/Metrics": "counts of trials; Metrics imports nothing of this package",
}


def manifest():
    text = subprocess.run(["swift", "package", "dump-package"], cwd=ROOT, check=True, capture_output=True).stdout
    return json.loads(text)


def folder(target):
    if target.get("path"):
        return ROOT / target["path"]
    return ROOT / ("Tests" if target["type"] == "test" else "Sources") / target["name"]


def sources(target):
    skipped = [folder(target) / name for name in target.get("exclude", [])]
    return sorted(path for path in folder(target).rglob("*.swift") if not any(skip in path.parents for skip in skipped))


def code(path):
    """The file's text without comments and string literals."""
    text = path.read_text()
    text = re.sub(r'"""[\s\S]*?"""', '""', text)
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)
    return re.sub(r"//[^\n]*", "", text)


def arrows(targets):
    """The modules that each target imports and declares, as far as the manifest can declare them."""
    names = {target["name"] for target in targets}
    products = {}
    for target in targets:
        for dependency in target["dependencies"]:
            kind, value = next(iter(dependency.items()))
            if kind == "product" or value[0] not in names:
                products[value[0]] = value[0]
    wrong = []
    for target in targets:
        declared = {next(iter(d.values()))[0] for d in target["dependencies"]}
        imported = {m for path in sources(target) for m in IMPORT.findall(path.read_text())}
        imported &= names | set(products)
        # A test that only starts a program depends on it without an import.
        programs = {t["name"] for t in targets if t["type"] == "executable"}
        for module in sorted(imported - declared - {target["name"]}):
            wrong.append(f"{target['name']} imports {module} without declaring it")
        if target["type"] in ("regular", "executable", "test"):
            has_swift = bool(sources(target))
            for module in sorted(declared - imported - programs - PINS):
                if has_swift and (target["name"], module) not in ORDER:
                    wrong.append(f"{target['name']} declares {module} without importing it")
    return wrong


def cycles(base):
    """The knots of folders directly below `base` that depend on one another."""
    homes, uses = collections.defaultdict(set), collections.defaultdict(set)
    texts = {path: code(path) for path in base.rglob("*.swift")}
    home = lambda path: path.relative_to(base).parts[0] if len(path.relative_to(base).parts) > 1 else "."
    for path, text in texts.items():
        for name in DECLARATION.findall(text):
            homes[name].add(home(path))
    examples = {}
    for path, text in texts.items():
        for word in set(re.findall(r"\b[A-Za-z_]\w*\b", text)):
            if len(homes.get(word, ())) == 1 and (word[0].isupper() or len(word) > 8):
                (target,) = homes[word]
                if target != home(path):
                    uses[home(path)].add(target)
                    examples.setdefault((home(path), target), set()).add(f"{path.name}:{word}")

    def reachable(start):
        seen, stack = set(), [start]
        while stack:
            for following in uses[stack.pop()]:
                if following not in seen:
                    seen.add(following)
                    stack.append(following)
        return seen

    reach = {name: reachable(name) for name in list(uses)}
    wrong = []
    for one in sorted(reach):
        for other in sorted(uses[one]):
            if one in reach.get(other, ()):
                some = ", ".join(sorted(examples[one, other])[:6])
                wrong.append(f"{base.name}: {one} -> {other} is part of a cycle ({some})")
    return wrong


def needs_of_signatures(targets):
    """What EarshotSignatures and the targets below it need that phones and browsers lack."""
    by_name = {target["name"]: target for target in targets}
    wrong, waiting, seen = [], ["EarshotSignatures"], set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        if name not in by_name or by_name[name]["type"] != "regular":
            wrong.append(f"EarshotSignatures needs {name}")
            continue
        for path in sources(by_name[name]):
            for module in IMPORT.findall(re.sub(r"#if canImport[\s\S]*?#endif", "", path.read_text())):
                if module not in by_name and module != "Synchronization":
                    wrong.append(f"EarshotSignatures imports {module}: {path.relative_to(ROOT)}")
        waiting += [next(iter(d.values()))[0] for d in by_name[name]["dependencies"]]
    return wrong


def opened_databases(targets):
    """Where a database is opened in another way than DurableSQLite does, whose commits are on the disk."""
    return [f"{path.relative_to(ROOT)} opens a database, which only DurableSQLite may do"
            for target in targets if target["name"] != "DurableSQLite" and folder(target).is_relative_to(ROOT / "Sources")
            for path in sources(target) if re.search(r"\bDatabase(?:Pool|Queue)\(", code(path))]


def argument(text, start):
    """The argument of a call that begins at a place."""
    depth = 1
    for end in range(start, len(text)):
        depth += (text[end] in "([{") - (text[end] in ")]}")
        if depth == 0:
            return text[start:end]
    return text[start:]


def floating_conversions(path):
    """The places of conversions of floating-point numbers that may end the process."""
    text = re.sub(r"//[^\n]*|MemoryLayout<\w+>", lambda other: " " * len(other[0]), path.read_text())
    for call in CONVERSION.finditer(text):
        own = argument(text, call.end())
        # Whole numbers within it are judged by themselves.
        while inner := re.search(r"\bU?Int(?:8|16|32|64)?\(", own):
            own = own[:inner.start()] + own[inner.end() + len(argument(own, inner.end())) + 1:]
        if FLOATING.search(own):
            yield call.end(), text.count("\n", 0, call.start()) + 1, " ".join(argument(text, call.end()).split())


def conversions():
    wrong = []
    unused = set(BOUNDED_OTHERWISE)
    for path in sorted((ROOT / "Sources").rglob("*.swift")):
        name = str(path.relative_to(ROOT))
        allowed = {entry for entry in BOUNDED_OTHERWISE if name == entry or name.startswith(entry + "/")}
        for _, line, value in floating_conversions(path):
            unused -= allowed
            if not allowed:
                wrong.append(f"{name}:{line}: Int({value}) ends the process for NaN and large values; write Int(bounded: …)")
    return wrong + [f"{name} is in BOUNDED_OTHERWISE, and converts nothing" for name in sorted(unused - {"Sources/AudioCore/Int+Bounded.swift"})]


def table(targets):
    print("| target | files | lines | median | longest | public types |")
    print("|---|--:|--:|--:|--:|--:|")
    total = 0
    for target in targets:
        files = sources(target)
        if not files or ROOT / "Sources" not in folder(target).parents:
            continue
        lengths = [len(path.read_text().splitlines()) for path in files]
        total += sum(lengths)
        types = sum(len(PUBLIC_TYPE.findall(code(path))) for path in files)
        print(f"| {target['name']} | {len(files)} | {sum(lengths)} | {statistics.median(lengths):g} "
              f"| {max(lengths)} | {types} |")
    print(f"\nSources: {total} lines of Swift")


def helps():
    """Scripts that do not answer --help, which must do nothing else."""
    wrong = []
    folders = ("scripts", "scripts/checks", "scripts/parts")
    for path in [*(path for folder in folders for path in sorted((ROOT / folder).glob("*.*"))), ROOT / ".ci/run"]:
        if path.suffix not in ("", ".sh", ".py") or not path.stat().st_mode & 0o100:
            continue
        done = subprocess.run([path, "--help"], capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
        if done.returncode or not done.stdout.strip():
            wrong.append(f"{path.relative_to(ROOT)}: --help prints nothing or fails")
    return wrong


def idle_checks():
    """Checks that neither CI nor scripts/nightly.sh runs, and modules that none of them imports."""
    runners = "".join((ROOT / name).read_text() for name in (".ci/run", "scripts/test.sh", "scripts/nightly.sh"))
    files = {path: path.read_text() for path in sorted((ROOT / "scripts/checks").glob("*.*"))}
    return [f"{path.relative_to(ROOT)}: neither .ci/run nor scripts/test.sh nor scripts/nightly.sh runs it" for path in files
            if f"scripts/checks/{path.name}" not in runners
            and not any(re.search(rf"^from {path.stem} import ", text, re.M) for text in files.values())]


def main():
    targets = manifest()["targets"]
    if "--table" in sys.argv[1:]:
        table(targets)
    wrong = arrows(targets) + needs_of_signatures(targets) + opened_databases(targets) + conversions() + helps() + idle_checks()
    for name in ONE_WAY:
        if (ROOT / "Sources" / name).is_dir():
            wrong += cycles(ROOT / "Sources" / name)
    for line in wrong:
        print(f"structure: {line}", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
