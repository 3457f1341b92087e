"""Searches for the settings of a matcher."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from .evaluation import Host, Recordings, asking, corpus, default_folder
from .matcher import ArrayAdapter, Matcher

__all__ = ["Tuning", "tune"]


@dataclass
class Tuning:
    """What a search for settings found. Its folder has a page, `tuning.html`."""

    folder: Path
    settings: dict[str, Any]
    """The best settings."""
    candidates: pd.DataFrame
    """A row for each candidate; the documentation of `earshot tune` explains the columns."""
    facts: dict[str, Any]
    """All that the search knows, as in `tuning.json`."""
    summary: str
    """What was found on both halves, in words."""


def tune(
    matcher: Matcher | str,
    *,
    search: Sequence[str] = (),
    goals: Sequence[str] = ("recall",),
    at_most: Mapping[str, float] | None = None,
    candidates: int = 100,
    references: Recordings | None = None,
    plan: str | os.PathLike[str] = "smoke",
    output: str | os.PathLike[str] | None = None,
    progress: bool = True,
    options: Sequence[str] = (),
) -> Tuning:
    """Searches the settings of a matcher, on one half of the recordings, and checks the best on the other.

    The same call continues a search that was interrupted. `search` names settings; without it all are searched. `goals` are
    `recall`, `milliseconds` and `megabytesPerHour`; several give a front. `at_most` limits `falseAccepts`, `milliseconds` and
    `megabytesPerHour`. `options` are further options of `earshot tune`. The matcher itself keeps its settings.
    """
    adapter = ArrayAdapter(matcher) if isinstance(matcher, Matcher) else None
    folder = Path(output) if output else default_folder(adapter, str(matcher), f"tuning-{Path(plan).stem}")
    words = ["--plan", os.fspath(plan), *corpus(references, None, folder), *asking(matcher, adapter, folder)]
    for goal in goals:
        words += ["--goal", goal]
    for figure, most in (at_most or {}).items():
        words += ["--at-most", f"{figure}={most}"]
    if search:
        words += ["--search", ",".join(search)]
    if "--budget-minutes" not in options:
        words += ["--candidates", str(candidates)]
    try:
        with Host({"matcher": adapter}, progress) as host:
            host.run([["tune", *words, *options, "--output", str(folder)]])
            summary = Path(host.output(0)).read_text()
    finally:
        with contextlib.suppress(OSError):
            folder.rmdir()  # A start that failed leaves it empty.
    facts = json.loads((folder / "tuning.json").read_text())
    choices = {setting["name"]: setting.get("choices") for setting in facts["searched"]}
    best = facts["candidates"][facts["winner"]]["settings"]
    settings = {name: choices[name][int(value)] if choices.get(name) else value for name, value in best.items()}
    return Tuning(folder, settings, pd.read_csv(folder / "tuning.csv"), facts, summary)
