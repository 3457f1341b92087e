#!/usr/bin/env python3
"""Checks that `--check-memory` tells matchers that know the queries, or keep answers, from honest ones.

Runs dishonest matchers and honest ones, each under its own random seed. Each dishonest run must be suspected of what it does, and no
honest one of anything. What is timed must cost a matcher that keeps answers as much as it costs an honest one.

usage: scripts/checks/honesty.py [--runs N]
"""
import argparse, array, csv, json, statistics, sys, tempfile
from harness import EARSHOT, Bench

PLAN = """
name: honest
corpus: synthetic
seed: 11
positives: 30
negatives: 10
latencyTrials: 60
lengthSeconds: 3
families: [{name: clean}, {name: noise, chain: [{noise: {colour: pink, snrDecibels: -6}}]}]
"""
# The matcher of `earshot` behind another program. `remembering` keeps answers by a digest of the file. `knowing` compares samples with
# the queries that `earshot degrade` makes of the plan, and finds nothing else.
ADAPTER = """
import array, hashlib, json, subprocess, sys, wave
mode, folder, earshot = sys.argv[1:]
inner = subprocess.Popen([earshot, "arena", "adapter"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

def ask(request):
    inner.stdin.write(json.dumps(request) + chr(10))
    inner.stdin.flush()
    return json.loads(inner.stdout.readline())

def samples(path):
    with wave.open(path) as file:
        frames = array.array("h", file.readframes(file.getnframes()))
        return frames[::file.getnchannels()], file.getframerate()

def is_same(frames, begin, spots, step):
    return all(begin + step * n < len(frames) and abs(frames[begin + step * n] - 32768 * spot) < 4 for n, spot in enumerate(spots))

known = json.load(open(folder + "/known.json")) if mode == "knowing" else []
references, kept = {}, {}

def known_answer(path):
    frames, _ = samples(path)
    for query in known:
        if is_same(frames, 0, query["spots"], query["step"]):
            reference = references.get(query["reference"])
            return [{"id": reference, "offsetSeconds": query["offset"], "score": 1}] if reference else []
    return []

for line in sys.stdin:
    request = json.loads(line)
    if mode == "knowing" and request["op"] == "enrol":
        frames, rate = samples(request["path"])
        for query in known:
            if query["clean"] and is_same(frames, round(query["offset"] * rate), query["spots"], query["step"]):
                references[query["reference"]] = request["id"]
    if request["op"] != "identify" or mode == "honest":
        answer = ask(request)
        if request["op"] == "hello":
            answer["name"] = mode
    elif mode == "remembering":
        digest = hashlib.sha256(open(request["path"], "rb").read()).hexdigest()
        if digest not in kept:
            kept[digest] = ask(request)["answers"]
        answer = {"query": request["query"], "answers": kept[digest]}
    else:
        answer = {"query": request["query"], "answers": known_answer(request["path"])}
    print(json.dumps(answer), flush=True)
"""
EXPECTED = {"honest": [], "remembering": ["keep answers"], "knowing": ["know the queries"]}
STEP = 997


def learn(bench):
    """Writes a few samples of each query of the plan, with its truth."""
    bench.run([EARSHOT, "degrade", "--plan", "plan.yaml", "--output", "made"])
    known = []
    with open(bench.folder / "made/truth.csv") as file:
        for row in csv.DictReader(file):
            if not row["reference"]:
                continue
            data = (bench.folder / "made" / row["query"]).read_bytes()
            begin = data.index(b"data") + 8
            values = array.array("f", data[begin:begin + (len(data) - begin) // 4 * 4])
            channels = int.from_bytes(data[22:24], "little")
            known.append({"reference": row["reference"], "offset": float(row["offsetSeconds"]), "clean": row["degradation"] == "clean",
                          "step": STEP, "spots": list(values[::channels][:40 * STEP:STEP])})
    (bench.folder / "known.json").write_text(json.dumps(known))


def evaluate(bench, mode, *more):
    """What is suspected, what was found, recall, and the median of the timed queries in processor milliseconds."""
    command = f"{sys.executable} {bench.folder}/adapter.py {mode} {bench.folder} {EARSHOT}"
    done = bench.run([EARSHOT, "evaluate", "--plan", "plan.yaml", "--details", "0", "--no-cache", "--fresh", "--output", mode,
                      "--check-memory", "--matcher-command", command])
    lines = [line.strip() for line in done.stdout.splitlines()]
    suspected = [text for text in ("keep answers", "know the queries") if any("it seems to " + text in line for line in lines)]
    with open(bench.folder / mode / "trials.csv") as file:
        rows = list(csv.DictReader(file))
    found = [row["outcome"] == "correct" for row in rows if row["kind"] == "positive"]
    costs = [float(row["processorMilliseconds"]) for row in rows if row["processorMilliseconds"]]
    finding = next(line for line in lines if line.startswith("Check for memory"))
    return suspected, finding, sum(found) / len(found), statistics.median(costs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10, help="of each dishonest matcher; twice as many honest ones")
    runs = parser.parse_args().runs
    wrong = False
    costs = {}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder)
        (bench.folder / "plan.yaml").write_text(PLAN)
        (bench.folder / "adapter.py").write_text(ADAPTER)
        learn(bench)
        for mode, expected in EXPECTED.items():
            results = [evaluate(bench, mode) for _ in range(2 * runs if mode == "honest" else runs)]
            right = sum(suspected == expected for suspected, *_ in results)
            costs[mode] = statistics.median(cost for *_, cost in results)
            print(f"{mode}: as expected in {right} of {len(results)} runs; recall {results[0][2]:.2f}; {costs[mode]:.2f} ms; "
                  f"{results[0][1]}", flush=True)
            for suspected, finding, *_ in results:
                if suspected != expected:
                    print(f"  suspected {suspected}: {finding}")
            wrong |= right < len(results)
    if costs["remembering"] < 0.75 * costs["honest"]:
        print("A matcher that keeps answers is timed as faster.")
        wrong = True
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
