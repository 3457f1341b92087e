"""The command `earshot-judge`: measures a program in a build, judges it against a baseline, and writes a summary."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from .evaluation import evaluate
from .program import EarshotError, program, run
from .run import Run

PASSED = (0, 4)
"""The statuses of a gate that passes, or finds an improvement."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="earshot-judge", description=__doc__)
    parser.add_argument("--matcher-command", required=True, help="the command line of the program")
    parser.add_argument("--plan", default="smoke", help="a plan's name or file")
    parser.add_argument("--references", help="a folder of recordings")
    parser.add_argument("--queries", help="a list of recorded queries")
    parser.add_argument("--baseline", default="earshot-baseline.json", help="the baseline in the repository")
    parser.add_argument("--rules", default="standard", help="the name or file of rules")
    parser.add_argument("--inconclusive", default="pass", choices=["pass", "fail", "inconclusive"])
    parser.add_argument("--output", default="earshot-run", help="the folder for the results")
    chosen = parser.parse_args(arguments)
    try:
        return judge(chosen)
    except (EarshotError, ValueError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1


def judge(chosen: argparse.Namespace) -> int:
    """The status of the build."""
    measured = evaluate(
        chosen.matcher_command, references=chosen.references or None, queries=chosen.queries or None, plan=chosen.plan,
        output=chosen.output, fresh=True,
    )  # fmt: skip
    folder, baseline = measured.folder, Path(chosen.baseline)
    new = folder / "baseline.json"
    run("baseline", "accept", folder, "--name", new.resolve())
    (folder / "metrics.txt").write_text(openmetrics(measured))
    text = f"## {measured.name}\n\n{measured.sentence}\n\n" + markdown(measured)
    if not baseline.exists():
        text += f"\nThere is no baseline yet. To compare later runs with this one, commit its `baseline.json` as {baseline}.\n"
        # Then only rules that compare nothing can fail.
        baseline = new
    write(folder, text)
    done = subprocess.run(
        [
            program(), "gate", str(folder), "--rules", chosen.rules, "--baseline", str(baseline.resolve()),
            "--inconclusive", chosen.inconclusive,
            "--junit", str(folder / "junit.xml"), "--markdown", str(folder / "gate.md"), "--json", str(folder / "gate.json"),
            *(["--github"] if "GITHUB_STEP_SUMMARY" in os.environ else []),
        ]
    )  # fmt: skip
    return 0 if done.returncode in PASSED else done.returncode


def markdown(measured: Run) -> str:
    """The weakest conditions as a table."""
    rows = [
        f"| {(row['degradation'] + ' ' + row['severity']).strip()}, {row['lengthSeconds']:g} s | {100 * row['recall']:.0f} % "
        f"| {100 * row['recallLower']:.0f}–{100 * row['recallUpper']:.0f} % |"
        for row in measured.weakest.fillna({"severity": ""}).to_dict("records")
    ]
    return "\n".join(["| weakest conditions | recall | 95 % interval |", "| --- | --: | --: |", *rows, ""]) if rows else ""


def openmetrics(measured: Run) -> str:
    """Every figure in the format of OpenMetrics, as GitLab and Prometheus read it."""
    lines = []
    for name, value in measured.summary["value"].dropna().items():
        metric = "earshot_" + str(name).replace(".", "_")
        lines += [f"# TYPE {metric} gauge", f"{metric} {value:.6g}"]
    lines.append("# TYPE earshot_cell_recall gauge")
    for cell in measured.cells.dropna(subset="recall").fillna({"severity": ""}).to_dict("records"):
        labels = f'degradation="{cell["degradation"]}",severity="{cell["severity"]}",seconds="{cell["lengthSeconds"]:g}"'
        lines.append(f"earshot_cell_recall{{{labels}}} {cell['recall']:.6g}")
    return "\n".join([*lines, "# EOF", ""])


def write(folder: Path, text: str) -> None:
    """Writes the summary to the folder, and to that of the job."""
    (folder / "summary.md").write_text(text)
    if job := os.environ.get("GITHUB_STEP_SUMMARY"):
        with open(job, "a") as file:
            file.write(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
