#!/usr/bin/env python3
"""Runs the steps of action.yml as GitHub's runner does, in sample repositories with a matcher in Python and one in C++.

    scripts/check-action.py WHEEL [FOLDER]

Each runs first without a baseline, then unchanged, then worse. FOLDER keeps the repositories, with the summaries of the jobs.
Needs PyYAML, `c++` and an index of Python packages.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())


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
        repository.mkdir(parents=True)
        if language == "python":
            shutil.copy(ROOT / "Tests/Action/matcher.py", repository)
            command = "python3 matcher.py"
        else:
            source = ROOT / "Tests/Action/matcher.cpp"
            subprocess.run(["c++", "-std=c++17", "-O2", "-o", repository / "matcher", source], check=True)
            command = "./matcher"
        cases = [
            ("first", command, 0, "There is no baseline"), ("unchanged", command, 0, ""),
            ("worse", f"{command} --weak", 2, "recall"),
        ]
        for number, (name, line, expected, text) in enumerate(cases):
            status, summary, kept = job(repository, number, matcher_command=line, package=str(wheel))
            good = status == expected and text in summary and "Finds" in summary and "earshot-run/report.html" in kept
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
