"""A run as data frames."""

from __future__ import annotations

import html
import importlib
import json
import os
import re
from contextlib import nullcontext
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from .program import EarshotError, refusal

DTYPES = {"text": "string", "flag": "boolean", "integer": "Int64", "number": "float64"}
"""The types of columns in data frames."""
COLUMNS = Path(__file__).with_name("columns.json")
"""What a run of this version says of its columns."""


class Run:
    """The folder of a run. Its tables are data frames whose types `columns` gives; a missing value is an empty field."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        if not (self.folder / "summary.json").exists():
            raise EarshotError(f"{self.folder} is no folder of a finished run: it has no summary.json")
        known = json.loads(COLUMNS.read_text(encoding="utf-8"))["schemaVersion"]
        if reason := refusal(self.details.get("schemaVersion"), known):
            raise EarshotError(f"{self.folder / 'summary.json'}: {reason}")

    def columns(self, table: str) -> pd.DataFrame:
        """The columns of a table of the run: `type`, `unit`, `meaning` and `dtype` by name."""
        own = self.folder / "columns.json"  # Programs up to 0.3.0 wrote none.
        content = json.loads((own if own.exists() else COLUMNS).read_text(encoding="utf-8"))
        tables = {one["name"].removesuffix(".csv"): one["columns"] for one in content["tables"]}
        if table not in tables:
            raise EarshotError(f"there is no table {table!r}; the tables are {', '.join(tables)}")
        frame = pd.DataFrame(tables[table]).set_index("name").rename_axis("column")
        frame["dtype"] = frame["type"].map(DTYPES)
        return frame

    def read(self, table: str) -> pd.DataFrame:
        """A table of the run by its name, such as `det`. `columns` explains it."""
        types = self.columns(table)["dtype"].to_dict()
        path = self.folder / f"{table}.csv"
        head = pd.read_csv(path, nrows=0).columns
        known: Any = {name: types[name] for name in head if name in types}
        return pd.read_csv(path, dtype=known, keep_default_na=False, na_values=[""])

    @cached_property
    def trials(self) -> pd.DataFrame:
        """One row for each query."""
        return self.read("trials")

    @cached_property
    def cells(self) -> pd.DataFrame:
        """One row for each condition: a degradation, severity and length."""
        return self.read("cells")

    @cached_property
    def recordings(self) -> pd.DataFrame:
        """One row for each recording that queries were cut from."""
        return self.read("recordings")

    @cached_property
    def details(self) -> dict[str, Any]:
        """All of summary.json."""
        loaded: dict[str, Any] = json.loads((self.folder / "summary.json").read_text())
        return loaded

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One row for each figure of all trials: `value`, its 95 % interval `lower` to `upper`, `count` and `of`."""
        rows = {}
        for name, figure in self.details["overall"].items():
            if isinstance(figure, (int, float)):
                rows[name] = {"value": figure}
            elif "of" in figure:
                rows[name] = {"value": figure.get("rate"), **figure}
            else:
                rows |= {f"{name}.{key}": {"value": value} for key, value in figure.items()}
        frame = pd.DataFrame.from_dict(rows, orient="index", columns=["value", "lower", "upper", "count", "of"])
        frame.index.name = "figure"
        return frame.astype({"value": float, "lower": float, "upper": float, "count": "Int64", "of": "Int64"})

    @property
    def errors(self) -> pd.DataFrame:
        """The trials that failed, with what went wrong. Trials that were not measured are no failures."""
        failed = self.trials.error.notna() & self.trials.offered & (self.trials.outcome != "notMeasured")
        return self.trials.loc[failed, ["trial", "error"]]

    @cached_property
    def name(self) -> str:
        """Name and version of the matcher."""
        matcher = self.details["run"]["matcher"]
        return f"{matcher['name']} {matcher['version']}".strip()

    @property
    def sentence(self) -> str:
        """The result in words, as the report begins; empty if a program up to 0.3.0 wrote the report."""
        return str(self.details.get("verdict", {}).get("text", ""))

    @property
    def weakest(self) -> pd.DataFrame:
        """The conditions with the lowest recall."""
        shown = ["degradation", "severity", "lengthSeconds", "recall", "recallLower", "recallUpper", "positives"]
        lost = self.cells[self.cells.recall < 1]
        return lost.sort_values("recall", kind="stable")[shown].head(8).reset_index(drop=True)

    def log_mlflow(self) -> str:
        """Logs figures, recalls of conditions, settings and the report to the active run of MLflow, else to a new one.

        Returns the identifier of that run.
        """
        try:
            mlflow = importlib.import_module("mlflow")
        except ImportError:
            raise EarshotError("MLflow is not installed. pip install 'earshot-judge[mlflow]'") from None
        measured = self.details["run"]
        shown = ["planName", "corpusName", "corpusDigest", "half", "seed", "commit", "referenceCount", "trialCount"]
        parameters = {"matcher": measured["matcher"]["name"], "version": measured["matcher"]["version"]}
        parameters |= {f"setting.{name}": value for name, value in measured["matcher"]["settings"].items()}
        parameters |= {name: measured[name] for name in shown}
        figures: dict[str, Any] = {}
        for name, row in self.summary.dropna(subset="value").iterrows():
            figures |= {f"{name}{end}": row[key] for key, end in (("value", ""), ("lower", ".lower"), ("upper", ".upper"))}
        for cell in self.cells.fillna({"severity": ""}).to_dict("records"):
            condition = f"{cell['degradation']} {cell['severity']}".strip()
            # MLflow allows letters, digits and few signs.
            name = re.sub(r"[^\w ./:-]", "", condition.replace("−", "-").replace("+", "plus ").replace("%", "percent"))
            figures[f"conditions/{name}/{cell['lengthSeconds']:g} s"] = cell["recall"]
        active = mlflow.active_run()
        with nullcontext(active) if active else mlflow.start_run(run_name=self.name) as logged:
            mlflow.log_params(parameters)
            mlflow.log_metrics({name: float(value) for name, value in figures.items() if not pd.isna(value)})
            for file in ("report.html", "summary.json", "cells.csv", "trials.csv"):
                mlflow.log_artifact(str(self.folder / file))
        return str(logged.info.run_id)

    def __fspath__(self) -> str:
        return str(self.folder)

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r}): {self.name}. {self.sentence}"

    def _repr_html_(self) -> str:
        weak = self.weakest
        table = weak.to_html(index=False, float_format="{:.3g}".format) if len(weak) else ""
        link = html.escape(str(self.folder / "report.html"))
        return f'<h3>{html.escape(self.name)}</h3><p>{html.escape(self.sentence)}</p>{table}<p><a href="{link}">report</a></p>'
