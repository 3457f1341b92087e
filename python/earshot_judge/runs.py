"""Several runs: comparisons, gates and tables, as the program makes them."""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from .audio import as_json
from .program import EXIT_CODES, EarshotError, message, run
from .run import Run

AnyRun = Run | str | os.PathLike[str]
VERDICTS = {EXIT_CODES[name]: name for name in ("pass", "fail", "inconclusive", "improved")}
VERDICTS[EXIT_CODES["noBaseline"]] = "no baseline"
SIGNIFICANT = 0.05
FIGURES = {
    "recall": "Recall",
    "recallAtZeroFalseAccepts": "Recall at 0 false accepts",
    "precision": "Precision",
    "falseAcceptRate": "False accepts",
}
"""The columns of `table` and their titles. The lowest false accepts are best."""


def compare(a: AnyRun, b: AnyRun) -> pd.DataFrame:
    """Compares two runs, or their folders, of the same queries: one row for all trials, then one for each condition.

    `recallDifference` is that of `b` minus that of `a`, with its 95 % interval. `probabilityHolm` is that of a paired test.
    """
    with tempfile.TemporaryDirectory() as folder:
        run("compare", a, b, "--output", folder)
        return pd.read_csv(Path(folder) / "compare-1.csv")


@dataclass
class Verdict:
    """What a gate found."""

    verdict: str
    """`pass`, `fail`, `inconclusive`, `improved` or `no baseline`."""
    exit_code: int
    """That of `earshot gate`."""
    findings: pd.DataFrame
    """One row for each rule: `rule`, `verdict`, `scope`, `reason`, `trials`."""
    notes: list[str]

    def _repr_html_(self) -> str:
        table = self.findings.to_html(index=False)
        return f"<p><b>{self.verdict}</b></p>{table}"


def gate(
    run_: AnyRun, rules: str | os.PathLike[str] | Mapping[str, Any] = "standard", baseline: AnyRun | None = None,
) -> Verdict:  # fmt: skip
    """Judges a run by rules: the name of installed ones, a file, or their content."""
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "findings.json"
        if isinstance(rules, Mapping):
            written = Path(folder) / "rules.yaml"
            written.write_text(as_json(rules))
            rules = written
        against = ["--baseline", baseline] if baseline else []
        done = run("gate", run_, "--rules", rules, *against, "--json", found, allowed=tuple(VERDICTS))
        if not found.exists():
            raise EarshotError(message(done.stderr, done.stdout, done.returncode))
        content = json.loads(found.read_text())
        return Verdict(VERDICTS[done.returncode], done.returncode, pd.DataFrame(content["findings"]), content["notes"])


def table(
    runs: AnyRun | Sequence[AnyRun] | Mapping[str, AnyRun], format: Literal["latex", "markdown", "html", "frame"] = "latex"
) -> str | pd.DataFrame:
    """A table of runs or their folders with 95 % intervals, for a paper (with the package booktabs), a page or a notebook.

    The best recall is bold if the paired test of `compare` finds a difference to each other run. The best of another figure is
    bold if its interval meets no other one.
    """
    several = [runs] if isinstance(runs, (str, os.PathLike, Run)) else runs
    mapped = several if isinstance(several, Mapping) else {Run(one).name: one for one in several}
    named = {name: Run(one) for name, one in mapped.items()}
    if len(named) < len(several):
        raise ValueError("two runs have the same name; give a mapping of names to runs")
    bold = {figure: best(named, figure) for figure in FIGURES}
    marks = {"latex": r"\textbf{%s}", "html": "<b>%s</b>"}
    rows = []
    for name, one in named.items():
        row = {}
        for figure, title in FIGURES.items():
            value, lower, upper = rate(one, figure)
            text = "–" if math.isnan(value) else f"{100 * value:.1f}"
            text = marks.get(format, "**%s**") % text if bold[figure] == name else text
            row[title] = text if math.isnan(lower) else f"{text} ({100 * lower:.1f}–{100 * upper:.1f})"
        rows.append(row)
    frame = pd.DataFrame(rows, index=pd.Index(list(named), name="Matcher, %"))
    if format == "frame":
        return frame
    if format == "html":
        return frame.to_html(escape=False)
    cells = [["Matcher, %", *FIGURES.values()], *([name, *row.values()] for name, row in zip(named, rows, strict=True))]
    if format == "markdown":
        head, *body = ["| " + " | ".join(row) + " |" for row in cells]
        return "\n".join([head, "| --- |" + " --: |" * len(FIGURES), *body])
    signs = str.maketrans({"_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "–": "--"})
    head, *body = [" & ".join(text.translate(signs) for text in row) + r" \\" for row in cells]
    begin = r"\begin{tabular}{l" + "r" * len(FIGURES) + "}"
    return "\n".join([begin, r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"])


def rate(one: Run, figure: str) -> tuple[float, float, float]:
    """A figure of a run with its interval, NaN where there is none."""
    value, lower, upper = (float(one.summary[column][figure]) for column in ("value", "lower", "upper"))
    return value, lower, upper


def best(runs: Mapping[str, Run], figure: str) -> str | None:
    """The name of the run that is significantly best by a figure, if there is one."""
    sign = -1 if figure == "falseAcceptRate" else 1
    rates = {name: rate(one, figure) for name, one in runs.items()}
    known = {name: found for name, found in rates.items() if not math.isnan(found[0])}
    if len(known) < 2:
        return None
    first = max(known, key=lambda name: sign * known[name][0])
    others = [name for name in known if name != first]
    if figure == "recall":
        return first if all(differ(runs[first], runs[name]) for name in others) else None
    _, lower, upper = known[first]
    apart = all(known[name][2] < lower if sign > 0 else known[name][1] > upper for name in others)
    return first if apart else None


def differ(a: Run, b: Run) -> bool:
    """Whether the paired test tells the recalls of two runs apart; false if their queries differ."""
    try:
        return bool(compare(a, b).probabilityHolm.iloc[0] < SIGNIFICANT)
    except EarshotError:
        return False
