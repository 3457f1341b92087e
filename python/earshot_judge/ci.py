"""The command `earshot-judge`: measures a program in a build, judges it against a baseline, and writes a summary."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from .evaluation import evaluate
from .program import EXIT_CODES, EarshotError, program, run
from .run import Run
from .runs import VERDICTS

FAILED = ("could not be judged", "The log of this step says why.")
FOUND = {
    "pass": ("is not found to be worse than its baseline", ""),
    "fail": (
        "breaks a rule",
        "`report.html` in the files of this job plays the queries that were missed, and shows why. If the loss is meant, "
        "commit `baseline.json` of this job as {baseline}.",
    ),
    "inconclusive": ("has too few queries to be judged", "Add queries, or rules that ask for less."),
    "improved": ("is better than its baseline", "To keep what was won, commit `baseline.json` of this job as {baseline}."),
    "no baseline": ("has a baseline of other queries", "To begin anew, commit `baseline.json` of this job as {baseline}."),
}
"""What a verdict of `earshot gate` means, and what to do."""
FIRST = (
    "has its first figures",
    "There is no baseline yet. To compare later runs with this one, commit `baseline.json` of this job as {baseline}.",
)
SUMMARY = "GITHUB_STEP_SUMMARY"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="earshot-judge", description=__doc__)
    parser.add_argument("--matcher-command", required=True, help="the command line of the program")
    parser.add_argument("--plan", default="smoke", help="a plan's name or file")
    parser.add_argument("--references", help="a folder of recordings")
    parser.add_argument("--queries", help="a list of recorded queries")
    parser.add_argument("--baseline", default="earshot-baseline.json", help="the baseline in the repository")
    parser.add_argument("--require-baseline", action="store_true", help="fail without that file")
    parser.add_argument("--rules", default="standard", help="the name or file of rules")
    parser.add_argument("--inconclusive", default="pass", choices=["pass", "fail", "inconclusive"])
    parser.add_argument("--output", default="earshot-run", help="the folder for the results")
    chosen = parser.parse_args(arguments)
    try:
        return judge(chosen)
    except (EarshotError, ValueError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return EXIT_CODES["error"]


def judge(chosen: argparse.Namespace) -> int:
    """The status of the build."""
    baseline = Path(chosen.baseline)
    is_first = not baseline.exists() and not chosen.require_baseline
    against = [] if is_first else ["--baseline", os.path.abspath(baseline)]
    run("gate", chosen.output, "--check", "--rules", chosen.rules, *against)
    measured = evaluate(
        chosen.matcher_command, references=chosen.references or None, queries=chosen.queries or None, plan=chosen.plan,
        output=chosen.output, fresh=True,
    )  # fmt: skip
    folder, new = measured.folder, measured.folder / "baseline.json"
    run("baseline", "accept", folder, "--name", new.resolve())
    (folder / "metrics.txt").write_text(openmetrics(measured))
    if is_first:
        print("::warning::" * (SUMMARY in os.environ) + f"{baseline}: {FIRST[1].format(baseline=baseline)}", flush=True)
    environment = {name: value for name, value in os.environ.items() if name != SUMMARY}
    findings = folder / "gate.md"
    findings.unlink(missing_ok=True)
    done = subprocess.run(
        [
            program(), "gate", str(folder), "--rules", chosen.rules,
            *(against or ["--baseline", str(new.absolute())]), "--inconclusive", chosen.inconclusive,
            "--junit", str(folder / "junit.xml"), "--markdown", str(findings), "--json", str(folder / "gate.json"),
            *(["--github"] if SUMMARY in os.environ else []),
        ],
        env=environment,
    )  # fmt: skip
    status = 0 if done.returncode == EXIT_CODES["improved"] else done.returncode
    verdict, advice = FIRST if is_first and not status else FOUND.get(VERDICTS.get(done.returncode, ""), FAILED)
    found = findings.read_text() if findings.exists() else ""
    advice = advice.format(baseline=f"`{baseline}`")
    parts = [f"## {measured.name} {verdict}", advice, measured.sentence, weakest(measured), found]
    text = "\n\n".join(part.strip() for part in parts if part) + "\n"
    (folder / "summary.md").write_text(text)
    if job := os.environ.get(SUMMARY):
        with open(job, "a") as file:
            file.write(text + "\n")
    return status


def weakest(measured: Run) -> str:
    """The weakest conditions as a table; the weakest recordings where there is one condition."""
    if len(measured.cells) > 1:
        name, rows = "condition", [
            (f"{row['degradation']} {row['severity']}".strip() + f", {row['lengthSeconds']:g} s", row)
            for row in measured.weakest.fillna({"severity": ""}).to_dict("records")
        ]  # fmt: skip
    else:
        lost = measured.recordings.query("recall < 1").sort_values("recall", kind="stable").head(4)
        name, rows = "recording", [(row["recording"], row) for row in lost.to_dict("records")]
    if not rows:
        return ""
    lines = [
        f"| {text.replace('|', chr(92) + '|')} | {100 * row['recall']:.0f} % | {row['positives']} |" for text, row in rows
    ]
    return "\n".join([f"| weakest {name}s | recall | queries |", "| --- | --: | --: |", *lines])


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


if __name__ == "__main__":
    sys.exit(main())
