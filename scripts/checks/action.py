#!/usr/bin/env python3
"""Runs the steps of action.yml as GitHub's runner does, in sample repositories with a matcher in Python and one in C++.

    scripts/checks/action.py WHEEL [FOLDER]

Each runs first without a baseline, then unchanged, then worse. The repositories hold songs made by a formula and noisy queries
of them. FOLDER keeps the repositories, with the summaries of the jobs. Needs PyYAML, NumPy, `c++` and an index of Python
packages.
"""
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import wave
from pathlib import Path

import numpy as np
import yaml

if "--help" in sys.argv[1:]:
    sys.exit(print(__doc__.strip()))

ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())


RATE = 16000
SECONDS = 5


def write(path, samples):
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, len(samples), "NONE", None))
        file.writeframes(np.clip(samples, -32768, 32767).astype("<i2").tobytes())


def song(draws, seconds=30):
    """Notes of a fifth of a second, each with a decaying overtone."""
    time = np.arange(RATE // 5) / RATE
    pitches = 220 * 2 ** (draws.integers(0, 36, seconds * 5) / 12)
    notes = [(np.sin(2 * np.pi * p * time) + 0.5 * np.sin(4 * np.pi * p * time)) * np.exp(-5 * time) for p in pitches]
    return 6000 * np.concatenate(notes)


def record(repository, songs=8, queries=10):
    """Writes recordings and the list of their queries, in noise of −60 to 14 dB against the song. The last two songs are unknown."""
    for name in ("recordings", "queries"):
        (repository / name).mkdir(parents=True)
    draws, rows = np.random.default_rng(1), []
    for number in range(songs + 2):
        samples = song(draws)
        if number < songs:
            write(repository / f"recordings/song-{number}.wav", samples)
        for query in range(queries):
            start, decibels = int(draws.integers(0, len(samples) - SECONDS * RATE)), int(draws.choice([-14, -10, 20, 40, 60]))
            cut = samples[start : start + SECONDS * RATE]
            noise = draws.standard_normal(len(cut)) * np.sqrt((cut**2).mean()) * 10 ** (-decibels / 20)
            name = f"song-{number}-{query}.wav"
            write(repository / "queries" / name, cut + noise)
            rows.append([name, f"song-{number}" if number < songs else "", start / RATE if number < songs else ""])
    with open(repository / "queries/list.csv", "w", newline="") as file:
        csv.writer(file).writerows([["query", "reference", "offsetSeconds"], *rows])


def filled(text, values):
    """Text with its expressions replaced."""
    return re.sub(r"\$\{\{ *(\S+) *\}\}", lambda found: values[found[1]], str(text))


def job(repository, number, **given):
    """Runs the steps. Returns the status of the job, its summary and the files that it keeps."""
    temporary = repository.parent / f"{repository.name}-runner"
    temporary.mkdir(exist_ok=True)
    files = {name: temporary / f"{name}-{number}" for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "GITHUB_ENV")}
    for file in files.values():
        file.write_text("")
    values = {"runner.temp": str(temporary), "github.job": "judge", "github.action_path": str(ROOT)}
    for name, one in ACTION["inputs"].items():
        value = given.pop(name.replace("-", "_"), one.get("default"))
        assert value is not None, f"the input {name} is required"
        values[f"inputs.{name}"] = value
    assert not given, given
    # A runner checks the repository out anew.
    shutil.rmtree(repository / "earshot-run", ignore_errors=True)
    status, kept = 0, []
    for step in ACTION["runs"]["steps"]:
        if status and step.get("if") != "always()":
            continue
        if "run" in step:
            assert step["shell"] == "bash"
            script = temporary / "step.sh"
            script.write_text(filled(step["run"], values))
            environment = {name: filled(value, values) for name, value in step.get("env", {}).items()}
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", script], cwd=repository,
                env={**os.environ, "CI": "true", **{name: str(file) for name, file in files.items()}, **environment},
            )
            status = done.returncode
        else:
            assert re.fullmatch(r"actions/upload-artifact@v\d+", step["uses"]), step["uses"]
            patterns = filled(step["with"]["path"], values).split()
            kept = [str(path.relative_to(repository)) for pattern in patterns for path in repository.glob(pattern)]
    return status, files["GITHUB_STEP_SUMMARY"].read_text(), kept


def main(wheel, folder):
    assert len(ACTION["description"]) < 125 and ACTION["branding"]["color"] in (
        "white", "black", "yellow", "blue", "green", "orange", "red", "purple", "gray-dark")
    wrong = 0
    for language in ("cpp", "python"):
        repository = folder / language
        record(repository)
        if language == "python":
            shutil.copy(ROOT / "Tests/Action/matcher.py", repository)
            command = "python3 matcher.py"
        else:
            source = ROOT / "Tests/Action/matcher.cpp"
            subprocess.run(["c++", "-std=c++17", "-O2", "-o", repository / "matcher", source], check=True)
            command = "./matcher"
        cases = [
            ("first", command, 0, "There is no baseline"), ("unchanged", command, 0, "is not found to be worse"),
            ("worse", f"{command} --weak", 2, "breaks a rule"),
        ]
        for number, (name, line, expected, text) in enumerate(cases):
            status, summary, kept = job(
                repository, number, matcher_command=line, package=str(wheel), references="recordings", queries="queries/list.csv",
                inconclusive="pass",
            )
            sentence = json.loads((repository / "earshot-run/summary.json").read_text())["verdict"]["text"]
            good = status == expected and text in summary and sentence in summary and "earshot-run/report.html" in kept
            print(f"{'pass' if good else 'FAIL'}  {language}, {name}: status {status}, {len(summary)} characters of summary, "
                  f"{len(kept)} files", flush=True)
            wrong += not good
            if name == "first":
                shutil.copy(repository / "earshot-run/baseline.json", repository / "earshot-baseline.json")
    return 1 if wrong else 0


if __name__ == "__main__":
    given = Path(sys.argv[1]).resolve()
    if len(sys.argv) > 2:
        sys.exit(main(given, Path(sys.argv[2]).resolve()))
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(given, Path(place)))
