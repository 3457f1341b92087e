"""The command `earshot-judge`: measures a program in a build, judges it against a baseline, and writes a summary."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from .evaluation import evaluate, passed, variables
from .program import EXIT_CODES, EarshotError, message, program, run
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
UNFIT = ("is not fit for a first baseline", "Without a baseline, later runs would be compared with this one.")
SUMMARY = "GITHUB_STEP_SUMMARY"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="earshot-judge", description=__doc__)
    parser.add_argument("--matcher-command", required=True, help="the command line of the program")
    parser.add_argument("--adapter-env", action="append", default=[], help="the name of a variable that the program needs")
    parser.add_argument("--plan", default="accuracy", help="a plan's name or file")
    parser.add_argument("--references", help="a folder of recordings")
    parser.add_argument("--queries", help="a list of recorded queries")
    parser.add_argument("--baseline", default="earshot-baseline.json", help="the baseline in the repository")
    parser.add_argument("--require-baseline", action="store_true", help="fail without that file")
    parser.add_argument("--rules", default="standard", help="the name or file of rules")
    parser.add_argument(
        "--inconclusive", required=True, choices=["pass", "fail", "inconclusive"], help="the outcome if queries cannot tell"
    )
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
    if is_first and (faults := conformance(chosen.matcher_command, chosen.adapter_env)):
        return refuse(Path(chosen.output), faults)
    measured = evaluate(
        chosen.matcher_command, references=chosen.references or None, queries=chosen.queries or None, plan=chosen.plan,
        output=chosen.output, fresh=True, options=passed(*chosen.adapter_env),
    )  # fmt: skip
    if len(measured.errors) == len(measured.trials):
        raise EarshotError(f"every trial ended with an error; the first: {measured.errors.error.iloc[0]}")
    folder, new = measured.folder, measured.folder / "baseline.json"
    new.unlink(missing_ok=True)
    statuses, anyway = (EXIT_CODES["pass"], EXIT_CODES["noBaseline"]), [] if is_first else ["--anyway"]
    accepted = run("baseline", "accept", folder, "--name", new.resolve(), *anyway, allowed=statuses)
    if accepted.returncode:
        return refuse(folder, message(accepted.stderr, accepted.stdout, accepted.returncode))
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
    parts = [f"## {markdown(measured.name)} {verdict}", advice, markdown(measured.sentence), weakest(measured), found]
    summarise(folder, parts)
    return status


def summarise(folder: Path, parts: Sequence[str]) -> None:
    """Writes the summary into the folder of the run, and adds it to that of the job."""
    text = "\n\n".join(part.strip() for part in parts if part) + "\n"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "summary.md").write_text(text)
    if job := os.environ.get(SUMMARY):
        with open(job, "a") as file:
            file.write(text + "\n")


def refuse(folder: Path, reason: str) -> int:
    """The status of a build whose run is no first baseline."""
    verdict, advice = UNFIT
    print(f"Error: {reason}", file=sys.stderr)
    summarise(folder, [f"## The matcher {verdict}", advice, reason])
    return EXIT_CODES["noBaseline"]


def conformance(command: str, names: Sequence[str]) -> str:
    """The checks of the contract that a program fails, one a line; empty if none."""
    statuses = (EXIT_CODES["pass"], EXIT_CODES["error"])
    done = run("arena", "check", command, *passed(*variables(), *names), allowed=statuses)
    if not done.returncode:
        return ""
    failed = [line for line in done.stdout.splitlines() if line.lstrip().startswith("fail")]
    return "\n".join(["the program does not keep the contract of matchers:", *failed]) if failed else message(
        done.stderr, done.stdout, done.returncode
    )


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
    lines = [f"| {markdown(text)} | {100 * row['recall']:.0f} % | {row['positives']} |" for text, row in rows]
    return "\n".join([f"| weakest {name}s | recall | queries |", "| --- | --: | --: |", *lines])


def openmetrics(measured: Run) -> str:
    """Every figure in the format of OpenMetrics, as GitLab and Prometheus read it."""
    lines = []
    for name, value in measured.summary["value"].dropna().items():
        metric = "earshot_" + str(name).replace(".", "_")
        lines += [f"# TYPE {metric} gauge", f"{metric} {value:.6g}"]
    lines.append("# TYPE earshot_cell_recall gauge")
    for cell in measured.cells.dropna(subset="recall").fillna({"severity": ""}).to_dict("records"):
        names = {"degradation": cell["degradation"], "severity": cell["severity"], "seconds": f"{cell['lengthSeconds']:g}"}
        labels = ",".join(f'{name}="{label(str(value))}"' for name, value in names.items())
        lines.append(f"earshot_cell_recall{{{labels}}} {cell['recall']:.6g}")
    return "\n".join([*lines, "# EOF", ""])


def label(text: str) -> str:
    """The value of a label of OpenMetrics between quotes."""
    return visible(text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n"))


def markdown(text: str) -> str:
    """Text in one line, as CommonMark and its tables show it."""
    line = re.sub(r"([|<>`*_\[\]\\&#~$])", r"\\\1", visible(re.sub(r"[\n\r\t]", " ", text)))
    return re.sub(r"^(?=[-+=](?!\d))", r"\\", line)


def visible(text: str) -> str:
    """Text with U+FFFD for what moves a cursor, ends a line or turns the direction of reading, as the program shows it."""
    return re.sub("[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", "\ufffd", text)


if __name__ == "__main__":
    sys.exit(main())
