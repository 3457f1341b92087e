#!/usr/bin/env python3
"""Writes Reports/results.md and the tables of README and articles from stored figures; runs refresh those figures first.

usage: scripts/results.sh [--standard RUN] [--conditions RUN] [--confidence RUN] [--negatives RUN] [--rows RUN]
                          [--exam-standard RUN] [--exam-conditions RUN] [--exam-negatives RUN]
                          [--streams DIR] [--growth DIR] [--intros DIR] [--passages DIR] [--arena DIR] [--ladder DIR]
                          [--calibration RUN] [--tuned DIR --searches DIR]
                          [--ways ARENA --recordings ARENA] [--versions ARENA]
                          [--field ARENA --microphone ARENA --ratios TABLE]
       scripts/results.sh --numbers
       scripts/results.sh --again NAME
       scripts/results.sh --looks
       scripts/results.sh --verify

Reports/results holds the figures: parts of the summary.json and CSV files of the runs, and where they come from. Its folder
`trials` holds the trials that they follow from. An arena of Earshot alone replaces its column, and keeps the rivals.

--verify computes the figures again from the trials, compares them with the stored ones and with every table, and ends with 1 if a
digit differs. It names the figures without stored trials, and compares these, where each run comes from, and the remarks with the
history of the repository. --numbers stores what other numbers the articles state; --verify finds where one was changed since. --again computes those of a study from its stored trials after a definition
has changed, and keeps what trials do not give. Reports/looks.csv counts the looks at each set: a run that is stored adds a line,
--looks adds those of the history, and --verify finds what is missing.
"""
import argparse
import collections
import csv
import glob
import hashlib
import io
import itertools
import json
import lzma
import math
import os
import pathlib
import re
import sqlite3

import foretelling
import judging
import looks
import origins
import ways

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STORE = os.path.join(ROOT, "Reports/results")
# The plans of an exam, whose figures are named exam-PLAN.
EXAMS = ("standard", "conditions", "negatives")
SUMMARIES = {
    "standard": ("overall",), "conditions": ("overall",), "negatives": ("overall",), "confidence": ("reliability",),
} | {f"exam-{plan}": ("overall",) for plan in EXAMS}
FIGURES = (
    "trials", "positives", "negatives", "recall", "wrongReferenceRate", "falseAcceptRate", "recallAtZeroFalseAccepts",
    "rightTopAnswer", "distinctNegativeSeconds", "expectedCalibrationError", "brierScore",
)
COMMANDS = {"standard": "scripts/evaluate.sh", "negatives": "earshot evaluate --plan negatives",
            "conditions": "earshot evaluate --plan conditions", "rows": "earshot evaluate --plan rows",
            "confidence": "earshot evaluate --plan conditions --negative-folds 5",
            "ladder": "earshot arena run --plan ladder",
            "calibration": "earshot arena run --plan ladder",
            "tuned": "earshot arena run --plan conditions --positives 4 --negatives 2",
            "passages": "earshot passages --plan passages --hours 1 --airings 42",
            } | {f"exam-{plan}": f"earshot evaluate --plan {plan} --corpus exam --exam Reports/looks.csv" for plan in EXAMS}
# The files that say where runs come from.
RUNS = ["runs.json", *(name + ".json" for name in SUMMARIES)]
TABLES = {"rows": "cells.csv", "arena": "leaderboard.csv", "tuned": "leaderboard.csv"}
ARENAS = ("arena", "tuned", "ladder", "field", "microphone", "passages")
# The columns that judge, and the table that has them.
TRIAL = ("trial", "degradation", "severity", "lengthSeconds", "kind", "source", "sourceClass", "sourceStartSeconds",
         "sourceEndSeconds", "fold", "offered", "error", "truthReferences", "answerReference", "bestReference", "bestScore",
         "queryDigest")
# With the scores that decide at any threshold, where a matcher ranks by something else than the score.
RANKED = TRIAL + ("rightScore", "wrongScore", "rightRank")
PLAYED = ("trial", "degradation", "severityValue", "lengthSeconds", "kind", "sourceClass", "isRight", "rightRank")
TRIALS = {
    "standard": ("trials.csv", RANKED), "conditions": ("trials.csv", RANKED), "negatives": ("trials.csv", TRIAL),
    "confidence": ("trials.csv", TRIAL + ("bestConfidence", "bestIsRight")),
    "rows": ("trials.csv", TRIAL + ("freeFrequencySkewError", "offsetErrorSeconds")),
    "arena": ("trials.csv", RANKED + ("offsetErrorSeconds", "processorMilliseconds")),
    "tuned": ("trials.csv", RANKED + ("offsetErrorSeconds", "processorMilliseconds")),
    "ladder": ("trials.csv", RANKED),
    "calibration": ("trials.csv", ("trial", "degradation", "sourceClass", "offered", "error", "bestConfidence", "bestIsRight")),
    "streams": ("streams.csv", ("trial", "cell", "class", "firstRightSeconds", "firstWrongSeconds")),
    "growth": ("answers.csv", ("hours", "trial", "class", "isPositive", "outcome")),
    "intros": ("trials.csv", ("kind", "set", "episodes", "right", "condition", "lengthSeconds", "tailSeconds",
                              "spacingPercent", "accepted", "first", "verdict", "tag")),
    "field": ("trials.csv", PLAYED), "microphone": ("trials.csv", PLAYED),
    "passages": ("passages.csv", ("verdict", "reference", "kind", "begin", "end", "answeredBegin", "answeredEnd",
                                  "fadeInSeconds", "fadeOutSeconds", "score")),
}
TRIALS |= {f"exam-{plan}": TRIALS[plan] for plan in EXAMS}
# Figures that no trials give.
OTHERS = ("time, download and disk of scripts/evaluate.sh; enrolment, index and p values of the arena; "
          "processor time of passages")
LARGEST_BYTES = 400_000


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return json.load(file) if path.endswith(".json") else list(csv.DictReader(file))


def stored(name):
    return read(os.path.join(STORE, name))


def save(name, value):
    with open(os.path.join(STORE, name), "w", newline="", encoding="utf-8") as file:
        if name.endswith(".json"):
            file.write(json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
        else:
            writer = csv.DictWriter(file, value[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(value)


def provenance(name, folder, command):
    """Commit, date and engine of a run or study."""
    paths = [os.path.join(folder, "summary.json")] + sorted(glob.glob(os.path.join(folder, "*", "summary.json")))
    found = [read(path)["run"] for path in paths if os.path.exists(path)]
    if found:
        run = next((run for run in found if run["matcher"]["name"] == "earshot"), found[0])
        plan = {"confidence": "conditions", "arena": "conditions", "tuned": "conditions", "calibration": "ladder"}.get(name, name).removeprefix("exam-")
        if run["planName"] != plan:
            raise SystemExit(f"results: {folder}: expected a run of plan {plan}, found {run['planName']}")
        return {"command": command, "commit": run["commit"], "date": run["startedAt"][:10],
                "engine": run["matcher"]["version"], "seed": run["seed"], "referenceCount": run["referenceCount"],
                "referenceHours": run["referenceSeconds"] / 3600}
    store = sqlite3.connect(os.path.join(folder, "trials.sqlite"))
    rows = store.execute("SELECT content FROM record WHERE kind IN ('beginning', 'facts')")
    origins = [json.loads(row[0]) for row in rows]
    if not origins:
        raise SystemExit(f"results: {folder}: expected a finished run or study")
    origin = max(origins, key=lambda origin: origin["startedAt"])
    return {"command": command, "commit": origin["commit"], "date": origin["startedAt"][:10],
            "engine": origin["matcher"]["version"]}


def pack(path, columns):
    """The columns of a table that judge, compressed; equal tables give equal bytes."""
    rows = read(path)
    missing = [column for column in columns if not rows or column not in rows[0]]
    if missing:
        raise SystemExit(f"results: {path}: no column {', '.join(missing)}")
    for row in rows:
        if "queryDigest" in row:
            # Only negatives are compared by it.
            row["queryDigest"] = row["queryDigest"][:16] if row["kind"] == "negative" else ""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    packed = lzma.compress(text.getvalue().encode(), preset=9 | lzma.PRESET_EXTREME)
    if len(packed) > LARGEST_BYTES:
        raise SystemExit(f"results: {path}: its columns take {len(packed):,} bytes, at most {LARGEST_BYTES:,} are stored")
    return packed


def unpack(packed):
    return list(csv.DictReader(io.StringIO(lzma.decompress(packed).decode(), newline="")))


def packed_trials(name, folder):
    """The trials of a run or study by the name of their file; of an arena a file for each contestant."""
    table, columns = TRIALS[name]
    if name not in ARENAS:
        return {name: pack(os.path.join(folder, table), columns)}
    contestants = contestants_of(name, folder)
    return {f"{name}/{contestant}": pack(os.path.join(folder, contestant, table), columns) for contestant in contestants}


def contestants_of(name, folder):
    """The folders of an arena, or of runs that stand beside each other, the program's own first."""
    if name == "passages":
        found = sorted(os.path.basename(os.path.dirname(path)) for path in glob.glob(os.path.join(folder, "*", "passages.csv")))
        return sorted(found, key=lambda name: name != "Earshot")
    return [row["name"] for row in read(os.path.join(folder, "leaderboard.csv"))]


def trials_path(name):
    return os.path.join(STORE, "trials", name + ".csv.xz")


def store_trials(packed):
    """Writes files of trials; returns their names, each with the digest of its uncompressed bytes."""
    for name, content in packed.items():
        os.makedirs(os.path.dirname(trials_path(name)), exist_ok=True)
        with open(trials_path(name), "wb") as file:
            file.write(content)
    return [[name, hashlib.sha256(lzma.decompress(content)).hexdigest()] for name, content in packed.items()]


def stored_trials(run):
    packed = {}
    for name, digest in run["trials"]:
        with open(trials_path(name), "rb") as file:
            packed[name] = file.read()
        if hashlib.sha256(lzma.decompress(packed[name])).hexdigest() != digest:
            raise ValueError(f"{os.path.relpath(trials_path(name), ROOT)}: not the trials of the run")
    return packed


def computed(name, run, packed):
    """The figures that follow from trials, as they are stored."""
    tables = {file: unpack(content) for file, content in packed.items()}
    if name in ("streams", "growth", "intros", "calibration"):
        return getattr(judging, name)(tables[name])
    if name == "foretelling":
        field, plan = ({file.split("/")[1]: rows for file, rows in tables.items() if file.startswith(side + "/")}
                       for side in ("field", "microphone"))
        return foretelling.figures(field, plan, tables["ratios"])
    if name == "passages":
        return judging.passages({contestant(file.split("/")[1]): rows for file, rows in tables.items()}, run["hours"])
    trials = {file: judging.judged(rows) for file, rows in tables.items()}
    if name in ("arena", "tuned"):
        return judging.standings({contestant(file.split("/")[1]): rows for file, rows in trials.items()})
    if name == "ladder":
        return judging.ladder({contestant(file.split("/")[1]): rows for file, rows in trials.items()})
    if name == "rows":
        return judging.cells(trials[name])
    if name == "confidence":
        return {"reliability": judging.reliability(trials[name])}
    figures = {"overall": judging.scorecard(trials[name], run["seed"])}
    if name == "conditions":
        rates = [trial for trial in trials[name] if trial.row["degradation"].startswith("rate")]
        figures["groups"] = {"sampleRate": {"recall": judging.recall(rates)}}
    return figures


def contestant(name):
    return name.replace("-", ", ", 1)


def measured(name, folder, run):
    """The figures that the program computed, as they are stored; None for those that only follow from trials."""
    if name in SUMMARIES:
        summary = read(os.path.join(folder, "summary.json"))
        kept = {part: {key: value for key, value in summary[part].items() if key in FIGURES} for part in SUMMARIES[name]}
        if name == "conditions":
            kept["groups"] = {"sampleRate": {"recall": summary["groups"]["sampleRate"]["recall"]}}
        return kept
    if name == "passages":
        return [passages_measured(contestant(other), os.path.join(folder, other)) for other in contestants_of(name, folder)]
    if name == "calibration":
        return [{"rung": row["rung"], "queries": row["acceptedOf"], "stated": row["stated"], "observed": row["observed"]}
                for row in read(os.path.join(folder, "ladder.csv")) if not row["condition"]]
    if name == "ladder":
        return [{"name": contestant(other)} | {key: row[key] for key in stored("ladder.csv")[0] if key != "name"}
                for other in contestants_of(name, folder)
                for row in read(os.path.join(folder, other, "ladder.csv")) if row["condition"]]
    if name not in TABLES:
        return None
    rows = read(os.path.join(folder, TABLES[name]))
    kept = "arena" if name == "tuned" else name
    columns = [column for column in dict.fromkeys((*judging.RANK, *stored(kept + ".csv")[0]))
               if column not in judging.RANK or column in rows[0]]
    if kept == "arena":
        run["remarks"] = arena_remarks(rows, read(os.path.join(folder, "pairs.csv")))
        for row in rows:
            row["name"] = contestant(row["name"])
            row["indexBytesPerHour"] = float(row["indexBytes"]) / run["referenceHours"] if row["indexBytes"] else ""
    return [{column: row[column] for column in columns} for row in rows]


def passage_outcome(folder):
    store = sqlite3.connect(os.path.join(folder, "trials.sqlite"))
    return json.loads(store.execute("SELECT content FROM record WHERE kind = 'trial'").fetchone()[0])


def passages_measured(name, folder):
    """The figures of one matcher, from figures.csv, groups.csv and the stored outcome of its run."""
    figures = {row["figure"]: row for row in read(os.path.join(folder, "figures.csv"))}
    groups = {row["group"]: row for row in read(os.path.join(folder, "groups.csv"))}
    row = {"name": name}
    for share in ("found", "precision"):
        figure = figures[share]
        row |= {share: figure["value"], share + "Lower": figure["lower"], share + "Upper": figure["upper"],
                share + "Count": figure["count"], share + "Of": figure["of"]}
    for kind in ("song", "spot", "jingle"):
        row |= {f"{kind}Found": groups[kind]["found"], f"{kind}Of": groups[kind]["foundOf"]}
    outcome = passage_outcome(folder)
    if outcome.get("error"):
        raise SystemExit(f"results: {folder}: the matcher did not finish: {outcome['error'][:200]}")
    hours = outcome["durationSeconds"] / 3600
    return row | {"f1": figures["f1"]["value"], "area": figures["area"]["value"],
                  "areaByReference": figures["areaByReference"]["value"], "false": round(float(figures["falsePerHour"]["value"]) * hours),
                  "edgeMedianSeconds": groups["all"]["edgeMedianSeconds"], "edgeP95Seconds": groups["all"]["edgeP95Seconds"],
                  "processorSecondsPerHour": outcome["processorSeconds"] / hours}


def search_remark(folder):
    """What a search of `earshot tune` found: the settings, the budget, and the gain on both halves."""
    search = read(os.path.join(folder, "tuning.json"))
    best = search["candidates"][search["winner"]]
    words = {setting["name"]: setting.get("choices") for setting in search["searched"]}
    settings = ", ".join(f"{name} {words[name][int(value)] if words.get(name) else format(value, 'g')}"
                         for name, value in best["settings"].items())
    start, found = search["candidates"][0]["rungs"][-1]["recall"], best["rungs"][-1]["recall"]
    check = search["heldOut"]
    measured = sum(1 for candidate in search["candidates"] if candidate["rungs"])
    return (f"{os.path.basename(folder)}, tuned: {settings}. The best of {measured} candidates in {search['seconds'] / 60:.0f} minutes, "
            f"plan {search['plan']} of {search['corpus']}, {search['half']} half. Recall at no false accept: "
            f"{percent(start)} → {percent(found)} there, {percent(check['againstStart']['other']['recall'])} → "
            f"{percent(check['chosen']['recall'])} on the other half.")


def refresh(name, folder, searches=()):
    """Stores the trials of a run or study with their figures, which must be those of the program.

    `searches` are folders of `earshot tune` that chose settings.
    """
    runs = stored("runs.json")
    own = os.path.join(folder, "Earshot") if name == "passages" else folder
    run = provenance(name, own, COMMANDS.get(name) or runs[name]["command"])
    if name == "passages":
        run["hours"] = passage_outcome(own)["durationSeconds"] / 3600
    packed = packed_trials(name, folder)
    program = measured(name, folder, run)
    if list(packed) == [f"{name}/Earshot"] and name in runs:
        packed, program = beside_rivals(name, run, packed, program)
    figures = computed(name, run, packed)
    if name in ("arena", "tuned"):
        # An older program gives no ranks, and a run without rivals gives others.
        program = [row | {key: own[key] for key in judging.RANK} for own, row in zip(figures, program)]
    if program is not None:
        different = list(differences(folder, program, figures))
        if different:
            raise SystemExit("results: " + "\n".join(different))
        figures = program
    if name == "tuned":
        run["remarks"] += [search_remark(search) for search in searches]
    run["trials"] = store_trials(packed)
    if name in SUMMARIES:
        if name == "standard":
            figures["cost"] = stored("standard.json")["cost"]
        save(name + ".json", {**figures, "run": run})
    else:
        save(name + ".csv", figures)
        save("runs.json", runs | {name: run})
    looks.add(name, run)


def beside_rivals(name, run, packed, program):
    """Trials and measured figures of an arena whose own column is of a run of Earshot alone; the rivals' are kept."""
    old = stored("runs.json")[name]
    run["rivals"] = old.get("rivals") or {key: old[key] for key in ("commit", "date")}
    # What compares contestants in pairs is not measured again.
    run["remarks"] = [remark for remark in old.get("remarks", []) if not remark.startswith(("The largest p ", "Queries that another "))]
    before = stored(name + ".csv")
    own = [number for number, row in enumerate(before) if row["name"] == "Earshot"]
    return ({part: packed.get(part, content) for part, content in stored_trials(old).items()},
            before[:own[0]] + program + before[own[-1] + 1:])


def compute_again(name):
    """Stores the figures of a study that follow from its stored trials; what these do not give stays."""
    run = stored("runs.json")[name]
    figures = computed(name, run, stored_trials(run))

    def kept(own, old):
        return {column: value for column, value in old.items() if column not in own or is_same(value, own[column])}
    save(name + ".csv", [own | kept(own, old) for own, old in zip(figures, stored(name + ".csv"), strict=True)])


def differences(place, written, found):
    """Where written figures are not those found; figures that only the first has are none of trials."""
    if isinstance(found, dict):
        for key, value in found.items():
            yield from differences(f"{place} {key}", written.get(key), value)
    elif isinstance(found, list):
        if len(written) != len(found):
            yield f"{place}: {len(written)} rows, the trials give {len(found)}"
        for line, (one, other) in enumerate(zip(written, found), 2):
            yield from differences(f"{place}:{line}", one, other)
    elif not is_same(written, found):
        yield f"{place} is {written}, the trials give {found}"


def is_same(*values):
    """Whether two figures are equal but for rounding in the last places of a sum; an empty cell is None."""
    texts = ["" if value is None else str(value) for value in values]
    try:
        return math.isclose(*map(float, texts), rel_tol=1e-9)
    except ValueError:
        return texts[0] == texts[1]


def arena_remarks(rows, pairs):
    own = [pair for pair in pairs if pair["first"] == "Earshot"]
    missed = [f"{pair['second']} {pair['onlySecond']}" for pair in own if int(pair["onlySecond"])]
    censored = [row["name"] for row in rows if row["isCensored"] == "true"]
    remarks = [f"{rows[0]['positives']} positive and {rows[0]['negatives']} negative queries."]
    if own:
        remarks += ["The largest p of a difference to Earshot is "
                    f"{max(float(pair['probabilityHolm']) for pair in own):g}, after Holm.",
                    "Queries that another found and Earshot missed: " + (", ".join(missed) or "none") + "."]
    return remarks + [f"{name} names nothing below its own threshold, so its recall at other thresholds is unknown."
                      for name in censored]


def percent(value, digits=1):
    if value == "":
        return "–"
    return points(float(value), digits) + " %"


def points(value, digits=1):
    """A share in percent; one below 1 does not read 100, and one above 0 not 0."""
    if value in (0, 1):
        return f"{value * 100:.0f}"
    while digits < 6 and float(f"{value * 100:.{digits}f}") in (0, 100):
        digits += 1
    return f"{value * 100:.{digits}f}"


def rate(figure):
    if "lower" not in figure:
        return percent(figure["rate"])
    return f"{percent(figure['rate'])} ({figure['lower'] * 100:.3g}–{figure['upper'] * 100:.3g} %)"


def count(figure):
    return f"{figure['count']:,} of {figure['of']:,}"


def digits(value):
    """A number with two digits that count."""
    return f"{float(value):#.2g}".rstrip(".")


def milliseconds(value):
    return digits(float(value) * 1000) + " ms"


def table(head, rows, align=""):
    lines = [head, ["---"] + [align or "---"] * (len(head) - 1)] + rows
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def row_of(rows, degradation, severity="", length=5.0):
    return next(row for row in rows if row["degradation"] == degradation
                and row["severity"].replace("−", "-") == severity and float(row["lengthSeconds"]) == length)


def condition(row):
    """The words for a cell; its length is named once."""
    length = f"{float(row['lengthSeconds']):g} s"
    name, severity = row["degradation"].removesuffix(f", {length}"), row["severity"].replace("-", "−")
    return f"{name}, {length}" if severity == length else f"{name} {severity}, {length}"


def readme_rows():
    # The figures of the exam, once the engine took it.
    sets = {plan: (f"exam-{plan}", "the exam") if f"exam-{plan}" in stored_summaries() else (plan, corpus)
            for plan, corpus in zip(EXAMS, ("`games-small`, your own first run", "`games`", "`games`"))}
    own = {plan: stored(name + ".json")["overall"] for plan, (name, _) in sets.items()}
    rows, streams, foretold = map(stored, ("rows.csv", "streams.csv", "foretelling.csv"))
    clean, ledger = row_of(rows, "clean", "5 s"), looks.read()

    def errors(figures):
        return f"{rate(figures['recall'])}; {figures['wrongReferenceRate']['count']} and {figures['falseAcceptRate']['count']}"
    lines = [(sets[plan][0], f"`{plan}` on {sets[plan][1]}: {words}", figure, value) for plan, words, figure, value in (
        ("conditions", "84 conditions of equal weight", "recall; wrong references and false accepts", errors(own["conditions"])),
        ("conditions", "the same", "recall at 0 false accepts", rate(own["conditions"]["recallAtZeroFalseAccepts"])),
        ("standard", "noise down to −24 dB", "recall; wrong references and false accepts", errors(own["standard"])),
        ("negatives", "queries of unknown music", "false accepts", count(own["negatives"]["falseAcceptRate"])),
    )] + [
        ("rows", "`rows` on `games`: clean queries of 5 s", "median error of offset; of frequency skew",
         f"{milliseconds(clean['offsetErrorMedianSeconds'])}; {percent(clean['freeFrequencySkewErrorMedian'], 4)}"),
        ("streams", "`streams` on `games`: babble at 5 dB", "first right answer after (median)",
         digits(next(row for row in streams if row["cell"].startswith("babble/5-db"))["firstRightMedianSeconds"]) + " s"),
        ("foretelling", "[`microphone`](Sources/Evaluation/Evaluation.docc/Microphone.md): a phone in a crowd, simulated and in 101 real "
         "recordings that Earshot was fitted with", "recalls that do not differ significantly",
         f"{sum(row['differs'] == 'False' for row in foretold)} of {len(foretold)}"),
    ]
    return table(["measured by", "figure", "value", "looks"], [
        [words, figure, value, str(looks.count(name, ledger))] for name, words, figure, value in lines
    ]) + older({name: engine_of(name) for name in dict.fromkeys(line[0] for line in lines)})


def run_of(name):
    return stored(name + ".json")["run"] if name in SUMMARIES else stored("runs.json")[name]


def engine_of(name):
    return run_of(name)["engine"]


def older(engines):
    """A sentence for figures of another engine than that of the sources."""
    def numbers(engine):
        return [int(number) for number in engine.split(".")]
    with open(os.path.join(ROOT, "Sources/Signatures/Settings.swift"), encoding="utf-8") as file:
        newest = re.search(r'engineVersion = "([^"]+)"', file.read())[1]
    names = [f"`{'microphone' if name == 'foretelling' else name}`" for name, engine in engines.items() if engine != newest]
    versions = sorted({engine for engine in engines.values() if engine != newest}, key=numbers)
    if not names:
        return ""
    return f"\nMeasured with engine {' and '.join(versions)}, before {newest}: {', '.join(names)}.\n"


def cost():
    """What `scripts/evaluate.sh` takes on a fresh machine; measured by hand, and kept when its run is refreshed."""
    cost = stored("standard.json")["cost"]
    trials = stored("standard.json")["overall"]["trials"]
    return (f"It runs {trials:,} degraded queries. On {cost['cores']} cores that takes about {cost['minutes']:g} minutes, "
            f"{cost['buildMinutes']:g} of them for the build.\n"
            f"It downloads {cost['downloadMegabytes']:g} MB and keeps {cost['diskGigabytes']:g} GB in `~/.cache/earshot`.\n")


def tests_cost():
    """What `scripts/test.sh` takes on a fresh machine; measured by hand, as `cost` is."""
    cost = stored("standard.json")["cost"]["tests"]
    return (f"On {cost['cores']} cores it takes about {cost['minutes']:g} minutes, {cost['buildMinutes']:g} of them for the "
            f"build, and keeps {cost['diskGigabytes']:g} GB in `.build`.\n")


def arena(is_short, name="arena"):
    head = ["", "rank", "recall at 1 % false accepts", "at 0", "offset error, median", "CPU, found / unknown"]
    if not is_short:
        head = head[:4] + ["own threshold: recall, false accepts", head[4], "within 100 ms", head[5], "enrolment", "index an hour"]
    rows = []
    for row in stored(name + ".csv"):
        recall = percent(row["recallAt1PercentFalseAccepts"])
        ends = [row["recallAt1PercentFalseAccepts" + end] for end in ("Lower", "Upper")]
        interval = " ({}–{})".format(*(points(float(end)) for end in ends)) if all(ends) else ""
        offset = milliseconds(row["offsetErrorSecondsMedian"])
        times = [row.get(f"processorMilliseconds{kind}Median") for kind in ("Found", "Unknown")]
        cost = " / ".join(f"{float(time):.0f}" for time in times) + " ms" if all(times) else ""
        rank, *ends = (row.get(key, "") for key in judging.RANK)
        place = f"{rank} ({'–'.join(ends)})" if rank else ""
        short = [row["name"], place, recall + interval, percent(row["recallAt0FalseAccepts"]), offset, cost]
        rows.append(short if is_short else short[:4] + [
            f"{percent(row['recallAtOwnThreshold'])}, {percent(row['falseAcceptRateAtOwnThreshold'])}", offset,
            percent(row["placedWithin100Milliseconds"]), cost,
            f"{float(row['enrolledAudioSecondsPerProcessorSecond']):,.0f} × real time",
            f"{float(size) / 1e6:.2f} MB" if (size := row["indexBytesPerHour"]) else "–"])
    # A run may lack a figure of all contestants.
    kept = [column for column in range(len(head)) if any(row[column] for row in rows)]
    return table([head[column] for column in kept], [[row[column] for column in kept] for row in rows], "--:") + older({name: engine_of(name)})


def ladder():
    """The table of how many queries each contestant accepts on each rung, in each condition."""
    rows = stored("ladder.csv")
    names, rungs, conditions = (list(dict.fromkeys(row[key] for row in rows)) for key in ("name", "rung", "condition"))
    accepted = {(row["name"], row["rung"], row["condition"]): row["acceptedCount"] for row in rows}
    body = [[rung] + [", ".join(accepted[name, rung, condition] for condition in conditions) for name in names] for rung in rungs]
    same = [rung for rung in rungs if any(row["rung"] == rung and row["isSameRecording"] == "true" for row in rows)]
    both = [name for name in names if all(
        int(accepted[name, "other sounds", condition]) <= 0.05 * int(rows[0]["acceptedOf"])
        and int(accepted[name, "same recording", condition]) >= 0.95 * int(rows[0]["acceptedOf"]) for condition in conditions)]
    return (f"Queries accepted of {rows[0]['acceptedOf']} in each condition: {', '.join(conditions)}. "
            f"A perfect matcher accepts all of {', '.join(same[:-1])} and {same[-1]}, and nothing else. "
            f"{', '.join(both) or 'No contestant'} accepts at most 5 % of other sounds and at least 95 % of the same recording in "
            "every condition.\n\n"
            + table(["rung"] + names, body, "--:") + older({"ladder": engine_of("ladder")}))


def passages():
    """The table of matchers that find passages in a long recording."""
    def part(row, kind):
        return f"{row[kind + 'Found']} of {row[kind + 'Of']}"

    def interval(row, name):
        return f"{percent(row[name])} ({points(float(row[name + 'Lower']))}–{points(float(row[name + 'Upper']))})"
    head = ["", "passages found", "answers that are right", "F1", "area", "area by reference", "false", "songs", "advertisements", "jingles",
            "error of ends, median", "processor time an hour"]
    rows = [[row["name"], interval(row, "found"), interval(row, "precision"), f"{float(row['f1']):.2f}", f"{float(row['area']):.2f}",
             f"{float(row['areaByReference']):.2f}", row["false"],
             part(row, "song"), part(row, "spot"), part(row, "jingle"), milliseconds(row["edgeMedianSeconds"]),
             f"{float(row['processorSecondsPerHour']):.0f} s"] for row in stored("passages.csv")]
    return table(head, rows, "--:")


def source(name):
    """Where figures come from, where their trials are, and how often their set was seen."""
    run = run_of(name)
    files = [os.path.relpath(trials_path(name), ROOT) for name, _ in run.get("trials", [])]
    folders = sorted({os.path.dirname(file) for file in files}) if len(files) > 1 else files
    trials = " Trials: " + ", ".join(f"`{path}`" for path in folders) + "." if files else " Its trials are not stored."
    words = [f"commit {run['commit']}", run["date"]] + ([f"engine {run['engine']}"] if "engine" in run else [])
    more = "".join(f" {run[key][0].upper()}{run[key][1:]}." for key in ("machine", "references", "origin") if key in run)
    if "rivals" in run:
        more += f" The rivals are of commit {run['rivals']['commit']}, {run['rivals']['date']}."
    remarks = "".join(f"- {remark}\n" for remark in run.get("remarks", []))
    return ((remarks + "\n" if remarks else "") + f"Source: `{run['command']}`. C{', '.join(words)[1:]}.{more}{trials} "
            f"{looks.sentence(name, looks.read())}\n")


def exam_rows(figures):
    rows = [["positive and negative queries", f"{figures['positives']:,} and {figures['negatives']:,}"],
            ["false accepts", count(figures["falseAcceptRate"])]]
    return rows + ([["recall", f"{rate(figures['recall'])}, {count(figures['recall'])}"],
                    ["wrong references", count(figures["wrongReferenceRate"])],
                    ["recall at 0 false accepts", rate(figures["recallAtZeroFalseAccepts"])]] if figures["positives"] else [])


def results():
    runs, rows = stored("runs.json"), stored("rows.csv")
    summaries = {name: stored(name + ".json") for name in stored_summaries()}
    overall = {name: figures.get("overall") for name, figures in summaries.items()}
    first, all84, negative = overall["standard"], overall["conditions"], overall["negatives"]
    reliability = summaries["confidence"]["reliability"]
    clean, room = row_of(rows, "clean", "5 s"), row_of(rows, "room", "0.8 s RT60")
    text = ["# Results\n", "`scripts/results.sh` writes this file from `Reports/results`. Do not edit it. Intervals are 95 %, "
            "clustered by recording, and allow for few recordings.\n"
            "The article [Measured figures](../Sources/Evaluation/Evaluation.docc/Figures.md) says "
            "how to measure each figure and what limits it.\n"
            "Each section says how often its set was seen, by [looks.csv](looks.csv). Most sets have the recordings of `games`. "
            "A look at one of these is a look at the recordings of all. "
            "[Exam](../Sources/Evaluation/Evaluation.docc/Exam.md) says what a look costs.\n"]

    def section(title, body, name):
        text.extend([f"## {title}\n", body, source(name)])

    for name in summaries:
        if name.startswith("exam-"):
            section(name.replace("exam-", "Exam: "), table(["figure", "value"], exam_rows(overall[name])), name)
    section("Your own first run", table(["figure", "value"], [
        ["recall", f"{rate(first['recall'])}, {count(first['recall'])}"],
        ["wrong references", count(first["wrongReferenceRate"])], ["false accepts", count(first["falseAcceptRate"])],
    ]), "standard")
    section("84 conditions", table(["figure", "value"], [
        ["positive and negative queries", f"{all84['positives']:,} and {all84['negatives']:,}"],
        ["recall at the matcher's own threshold", rate(all84["recall"])],
        ["wrong references; false accepts", f"{all84['wrongReferenceRate']['count']}; {all84['falseAcceptRate']['count']}"],
        ["recall at 0 false accepts", rate(all84["recallAtZeroFalseAccepts"])],
        ["right reference first, whatever its score", rate(all84["rightTopAnswer"])],
        ["recall at every sample rate", rate(summaries["conditions"]["groups"]["sampleRate"]["recall"])],
    ]), "conditions")
    section("Confidence", table(["figure", "value"], [
        ["expected calibration error", percent(reliability["expectedCalibrationError"])],
        ["Brier score", f"{reliability['brierScore']:.2g}"],
    ]), "confidence")
    section("Confidence by relatedness", table(["the query is", "queries", "stated confidence, mean", "right"], [
        [row["rung"], row["queries"], percent(row["stated"]), percent(row["observed"])] for row in stored("calibration.csv")
    ], "--:") + "\nAnother mix is neither right nor wrong.\n", "calibration")
    section("Unknown music", table(["figure", "value"], [
        ["false accepts", f"{count(negative['falseAcceptRate'])} ({percent(negative['falseAcceptRate']['lower'], 2)} to "
                          f"{percent(negative['falseAcceptRate']['upper'], 2)})"],
        ["different audio", f"{negative['distinctNegativeSeconds'] / 3600:.1f} h of {negative['falseAcceptRate']['clusters']} recordings"],
    ]), "negatives")
    section("Single conditions", table(["condition", "queries", "recall"], [
        [condition(row), row["recallOf"], percent(row["recall"])] for row in rows if row["recall"]
    ], "--:") + "\n" + table(["error", "median", "95th percentile"], [
        ["frequency skew, free fit, clean 5 s", percent(clean["freeFrequencySkewErrorMedian"], 4),
         percent(clean["freeFrequencySkewErrorPercentile95"], 4)],
        ["offset, clean 5 s", milliseconds(clean["offsetErrorMedianSeconds"]), ""],
        ["offset, room of 0.8 s", milliseconds(room["offsetErrorMedianSeconds"]), ""],
    ], "--:"), "rows")
    section("Streams", table(["condition", "queries", "first right answer, median", "90 %", "not within 12 s", "wrong first"], [
        [row["cell"], row["queries"], digits(row["firstRightMedianSeconds"]) + " s",
         digits(row["firstRightP90Seconds"]) + " s", str(int(row["queries"]) - int(row["everRight"])), row["wrongFirst"]]
        for row in stored("streams.csv")], "--:"), "streams")
    section("Growing catalogs", table(["hours", "recall, 84 conditions"], [
        [f"{float(row['hours']):,g}", percent(row["correctShare"])] for row in stored("growth.csv")], "--:"), "growth")
    section("Episodes that share an intro", table(["", "clean", "white noise, 5 dB within 4 kHz"], [
        [row["figure"], row["clean"], row["whiteNoise5dB"]] for row in stored("intros.csv")]), "intros")
    section("Arena", arena(False), "arena")
    if "tuned" in runs:
        section("Rivals at their best found settings", arena(False, "tuned"), "tuned")
    section("Ladder of relatedness", ladder(), "ladder")
    return "\n".join(text)


def refresh_foretelling(field, plan, ratios):
    """Compares recordings with the plan that imitates them; both are folders of an arena."""
    packed = packed_trials("field", field) | packed_trials("microphone", plan)
    packed["ratios"] = pack(ratios, ("query", "ratioDecibels"))
    run = provenance("microphone", plan, "earshot arena run --plan microphone")
    save("foretelling.csv", computed("foretelling", run, packed))
    save("runs.json", stored("runs.json") | {"foretelling": run | {"trials": store_trials(packed)}})
    looks.add("foretelling", run)


def refresh_ways(*folders):
    """Compares the ways to ask the product over a plan and over recordings; both are folders of an arena."""
    request = read(os.path.join(folders[0], "judge", "summary.json"))["run"]["request"]
    counts = "".join(f" --{kind} {request[kind]}" for kind in ("positives", "negatives") if kind in request)
    run = provenance("conditions", folders[0],
                     f"earshot arena run --plan conditions{counts} --contestants scripts/adapters/ways.yaml")
    save("ways.csv", [{"set": side} | row for side, folder in zip(("plan", "recordings"), folders)
                      for row in ways.figures(pathlib.Path(folder))])
    save("runs.json", stored("runs.json") | {"ways": run})
    looks.add("ways", run)


def ways_table():
    rows = stored("ways.csv")
    sides = ("plan", "recordings")
    found = {(row["before"], row["after"], row["cause"]): {} for row in rows}
    for row in rows:
        found[row["before"], row["after"], row["cause"]][row["set"]] = row
    totals = {row["set"]: row["of"] for row in rows}
    head = ["ways", "cause of a difference"]
    for side, words in zip(sides, ("`conditions`", "recordings")):
        head += [f"{words}, {int(totals[side]):,} queries", "at most"]
    lines = []
    for (before, after, cause), own in sorted(found.items(), key=lambda item: [step.after for step in ways.STEPS].index(item[0][1])):
        line = [f"`{before}`, `{after}`", ways.CAUSES[cause]]
        for side in sides:
            row = own.get(side)
            line += [f"{int(row['count']):,}" if row else "0", ways.greatest(row) if row else ""]
        lines.append(line)
    return table(head, lines)


def refresh_versions(folder):
    """Compares catalogs that earlier versions wrote with today's; the folder is that of an arena."""
    names = sorted((os.path.basename(os.path.dirname(path)) for path in glob.glob(os.path.join(folder, "*", "trials.csv"))), reverse=True)
    outcomes = {name: {row["trial"]: row["outcome"] for row in read(os.path.join(folder, name, "trials.csv"))} for name in names}
    today = outcomes[names[0]]
    rows = []
    for name, own in outcomes.items():
        counts = collections.Counter(own.values())
        right = {trial for trial, outcome in own.items() if outcome == "correct"}
        before = {trial for trial, outcome in today.items() if outcome == "correct"}
        rows.append({"name": name, "positives": sum(counts[kind] for kind in ("correct", "missed", "wrongReference")),
                     "negatives": sum(counts[kind] for kind in ("falseAccept", "correctReject")), "correct": counts["correct"],
                     "falseAccepts": counts["falseAccept"], "lost": len(before - right), "won": len(right - before)})
    run = provenance("conditions", os.path.join(folder, names[0]),
                     "earshot arena run --plan conditions --half tuning --contestants versions.yaml")
    run["engine"] = read(os.path.join(folder, names[0], "summary.json"))["run"]["matcher"]["settings"]["writer"].split()[-1]
    save("versions.csv", rows)
    save("runs.json", stored("runs.json") | {"versions": run})
    looks.add("versions", run)


def versions_table():
    """Of each version of catalogs, how many queries it answers otherwise than today's."""
    head = ["catalog", "recall", "false accepts", "queries lost", "queries won"]
    lines = [[row["name"].replace("-", " ").replace("groups of", "with groups of"),
              f"{percent(int(row['correct']) / int(row['positives']), 2)} of {int(row['positives']):,}",
              f"{int(row['falseAccepts'])} of {int(row['negatives']):,}", *(row[kind] if at else "" for kind in ("lost", "won"))]
             for at, row in enumerate(stored("versions.csv"))]
    return table(head, lines, "--:")


def with_blocks(path, blocks):
    """The text of a file, with the blocks between its marks replaced."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for name, block in blocks.items():
        pattern = f"(<!-- {name}:begin -->\n).*?(<!-- {name}:end -->)"
        text, number = re.subn(pattern, lambda match: match[1] + block + match[2], text, flags=re.S)
        if number != 1:
            raise SystemExit(f"results: {path}: expected one block {name}:begin … {name}:end, found {number}")
    return text


def documents():
    """Every file with tables of figures, as they should be: its path and its text."""
    readme = os.path.join(ROOT, "README.md")
    article = os.path.join(ROOT, "Sources/Evaluation/Evaluation.docc/Microphone.md")
    tables = foretelling.block(stored("foretelling.csv"), engine_of("foretelling")) + "\n" + source("foretelling")
    passage_article = os.path.join(ROOT, "Sources/Studies/Studies.docc/Passages.md")
    adapters = os.path.join(ROOT, "scripts/adapters/README.md")
    yield adapters, with_blocks(adapters, {"ways": ways_table() + "\n" + source("ways")})
    yield passage_article, with_blocks(passage_article, {
        "passages": passages() + "\n" + source("passages")})
    compatibility = os.path.join(ROOT, "Sources/Fingerprinting/Fingerprinting.docc/Compatibility.md")
    yield compatibility, with_blocks(compatibility, {
        "versions": versions_table() + "\n" + source("versions")})
    yield readme, with_blocks(readme, {"cost": cost(), "tests": tests_cost(), "results": readme_rows(), "arena": arena(True)})
    yield article, with_blocks(article, {"foretelling": tables})
    yield os.path.join(ROOT, "Reports/results.md"), results()


def stored_summaries():
    """The names of `SUMMARIES` whose figures are stored: an exam comes after the engine."""
    return [name for name in SUMMARIES if os.path.exists(os.path.join(STORE, name + ".json"))]


def stored_runs():
    """Each run with its name and its figures."""
    for name in stored_summaries():
        yield name, stored(name + ".json")["run"], name + ".json"
    for name, run in stored("runs.json").items():
        yield name, run, name + ".csv"


def verify():
    """Computes the figures again from stored trials; ends with 1 where one differs."""
    wrong, absent, known, runs = [], [], set(), []
    for name, run, file in stored_runs():
        figures, proven = stored(file), None
        if "trials" not in run:
            absent.append(name)
            runs.append((name, run, figures, proven))
            continue
        known |= {trials_path(part) for part, _ in run["trials"]}
        try:
            packed = stored_trials(run)
            proven = computed(name, run, packed)
            wrong += differences(f"Reports/results/{file}", figures, proven)
            print(f"{name}: computed from {sum(len(unpack(content)) for content in packed.values()):,} stored trials")
        except (OSError, EOFError, ValueError, lzma.LZMAError) as error:
            wrong.append(f"{name}: {error}")
        runs.append((name, run, figures, proven))
    wrong += [f"{os.path.relpath(path, ROOT)}: the trials of no run"
              for path in glob.glob(os.path.join(STORE, "trials/**/*.xz"), recursive=True) if path not in known]
    for path, text in documents():
        with open(path, encoding="utf-8") as file:
            lines = itertools.zip_longest(file.read().splitlines(), text.splitlines())
        wrong += [f"{os.path.relpath(path, ROOT)}:{number} is {one!r}, the figures give {other!r}"
                  for number, (one, other) in enumerate(lines, 1) if one != other]
    wrong += origins.other_numbers(stored(origins.NUMBERS))
    known = []
    if origins.has_history():
        wrong += origins.faults(runs)
        past = list(looks.history(RUNS))
        known = [found[:2] for found in past]
        wrong += looks.changed(looks.read(), past)
    else:
        print("No history here: where runs come from is not compared.")
    wrong += looks.faults(looks.read(), [run[:2] for run in runs], known, set(looks.exams()))
    for name in absent:
        print(f"{name}: not stored, so its figures are compared with the tables only")
    print(f"Not of trials: {OTHERS}")
    if wrong:
        raise SystemExit("\n".join(wrong))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = ["standard", "conditions", "confidence", "negatives", "rows", "streams", "growth", "intros", "passages", "arena", "ladder",
             "calibration", "tuned"]
    names += [f"exam-{plan}" for plan in EXAMS]
    for name in names + ["searches", "ways", "recordings", "field", "microphone", "versions"]:
        parser.add_argument("--" + name, dest=name, metavar="FOLDER")
    parser.add_argument("--ratios", metavar="TABLE")
    parser.add_argument("--numbers", action="store_true")
    parser.add_argument("--again", choices=[name for name in names if name not in SUMMARIES])
    parser.add_argument("--looks", action="store_true")
    parser.add_argument("--verify", action="store_true")
    chosen = vars(parser.parse_args())
    if chosen.pop("numbers"):
        save(origins.NUMBERS, origins.numbers())
        return
    if chosen.pop("verify"):
        if any(chosen.values()):
            parser.error("--verify takes no runs")
        verify()
        return
    if chosen["looks"]:
        print(f"{looks.LEDGER}: {looks.complete(RUNS)} looks of the history added")
    for name in names:
        if chosen[name]:
            searches = chosen["searches"] if name == "tuned" else None
            refresh(name, chosen[name], sorted(glob.glob(os.path.join(searches, "*"))) if searches else [])
    if chosen["again"]:
        compute_again(chosen["again"])
    both = [chosen[name] for name in ("ways", "recordings")]
    if any(both):
        if not all(both):
            parser.error("--ways and --recordings belong together")
        refresh_ways(*both)
    if chosen["versions"]:
        refresh_versions(chosen["versions"])
    foretold = [chosen[name] for name in ("field", "microphone", "ratios")]
    if any(foretold):
        if not all(foretold):
            parser.error("--field, --microphone and --ratios belong together")
        refresh_foretelling(*foretold)
    for target, text in documents():
        with open(target + ".part", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(target + ".part", target)


main()
