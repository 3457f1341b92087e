#!/usr/bin/env python3
"""Checks that what the machine does to a matcher changes no verdict.

Runs a plan with a matcher in a process of its own: alone, while all processes are stopped 20 times for longer than the limit of a
query, and while the matcher is killed 20 times. Outcomes must be the same, and nothing may count as an error.

usage: scripts/checks/disturbances.py [--times N]
"""
import argparse, csv, os, pathlib, random, signal, subprocess, sys, tempfile, time
from harness import EARSHOT, Bench

LIMIT_SECONDS = 6
QUERY_SECONDS = 0.3
IDENTITY = 128
# Queries between two disturbances.
APART = 2
STOP_SECONDS = 7.5
PLAN = """
name: disturbed
corpus: synthetic
seed: 5
positives: 20
negatives: 20
latencyTrials: 0
lengthSeconds: 3
families: [{name: clean}, {name: noise, chain: [{noise: {colour: pink, snrDecibels: 0}}]}]
"""
# It takes its time, so that a disturbance falls into a query, and leaves its number.
ADAPTER = """
import subprocess, sys, time
folder, earshot = sys.argv[1:]
inner = subprocess.Popen([earshot, "arena", "adapter"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
import os
open(folder + "/adapter", "w").write(str(os.getpid()))
for line in sys.stdin:
    if '"identify"' in line:
        time.sleep(QUERY_SECONDS)
        open(folder + "/asked", "a").write(".")
    inner.stdin.write(line); inner.stdin.flush()
    print(inner.stdout.readline(), end="", flush=True)
"""


def family(process):
    """A process and all that descend from it."""
    parents = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(fields[1]), []).append(int(path.parent.name))
    found = [process]
    for each in found:
        found += parents.get(each, [])
    return found


def stop(judge, bench):
    members = family(judge.pid)
    for member in members:
        os.kill(member, signal.SIGSTOP)
    time.sleep(STOP_SECONDS)
    for member in reversed(members):
        os.kill(member, signal.SIGCONT)


def kill(judge, bench):
    os.kill(int((bench.folder / "adapter").read_text()), random.choice([signal.SIGKILL, signal.SIGTERM]))


def outcomes(bench, name, disturb=None, times=0):
    """The outcome and the error of each trial, and how often the run was disturbed."""
    for old in ("asked", "adapter"):
        (bench.folder / old).unlink(missing_ok=True)
    command = f"{sys.executable} {bench.folder}/adapter.py {bench.folder} {EARSHOT}"
    judge = subprocess.Popen(
        [EARSHOT, "evaluate", "--plan", bench.folder / "plan.yaml", "--details", "0", "--no-cache", "--output", bench.folder / name,
         "--time-limit-seconds", str(LIMIT_SECONDS), "--matcher-command", command],
        cwd=bench.folder, env=bench.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # The queries that make its identity come first. A query that is disturbed twice is not measured, so disturbances are apart.
    done, next_at = 0, IDENTITY
    asked = bench.folder / "asked"
    while judge.poll() is None and done < times:
        time.sleep(random.uniform(0, 0.1))
        if asked.exists() and asked.stat().st_size > next_at and judge.poll() is None:
            time.sleep(random.uniform(0, QUERY_SECONDS))
            disturb(judge, bench)
            done += 1
            next_at = asked.stat().st_size + APART
    output, errors = judge.communicate(timeout=1800)
    assert judge.returncode == 0, f"exit code {judge.returncode}: {errors[-800:]}"
    with open(bench.folder / name / "trials.csv") as file:
        rows = list(csv.DictReader(file))
    return {row["trial"]: (row["outcome"], row["error"], row["bestReference"], row["bestScore"]) for row in rows}, done


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=20)
    times = parser.parse_args().times
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder)
        (bench.folder / "plan.yaml").write_text(PLAN)
        (bench.folder / "adapter.py").write_text(ADAPTER.replace("QUERY_SECONDS", str(QUERY_SECONDS)))
        calm, _ = outcomes(bench, "calm")
        assert not any(error for _, error, *_ in calm.values()), "the calm run has errors"
        wrong = False
        for name, disturb in [("stopped", stop), ("killed", kill)]:
            found, done = outcomes(bench, name, disturb, times)
            lost = sum(row[0] == "notMeasured" for row in found.values())
            other = [trial for trial, row in found.items() if row[0] != "notMeasured" and row != calm[trial]]
            print(f"{name} {done} times: {len(found)} trials, {lost} not measured, {len(other)} with another answer", flush=True)
            for trial in other[:5]:
                print(f"  {trial}: {calm[trial]} became {found[trial]}")
            wrong |= bool(other) or lost > 0 or done < times or len(found) != len(calm)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
