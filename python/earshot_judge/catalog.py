"""Catalogs of own recordings, looked up by the program's own matcher."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy.typing as npt
import pandas as pd

from .audio import write_recordings, write_wav
from .program import EarshotError, message, run

COLUMNS: dict[str, Any] = {
    "reference": "string", "title": "string", "matchOffset": float, "frequencySkew": float, "timeSkew": float, "score": float,
    "confidence": float, "queryBegin": float, "queryEnd": float, "referenceBegin": float, "referenceEnd": float,
}  # fmt: skip


class Catalog:
    """A catalog file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise EarshotError(f"{self.path}: there is no such catalog")

    @classmethod
    def create(
        cls, path: str | os.PathLike[str], recordings: str | os.PathLike[str] | Mapping[str, tuple[npt.ArrayLike, float]]
    ) -> Catalog:
        """Makes a catalog of the files of a folder, or of samples and their rates by name."""
        with tempfile.TemporaryDirectory() as name:
            if isinstance(recordings, Mapping):
                write_recordings(Path(name), recordings)
            run("custom-catalog", "create", "-s", name if isinstance(recordings, Mapping) else recordings, "-o", path)
        return cls(path)

    def match(self, query: npt.ArrayLike | str | os.PathLike[str], rate: float | None = None) -> pd.DataFrame:
        """Looks up a file, or samples at a rate: one row for each answer, best first, and none if nothing is recognised.

        Times are in seconds: `matchOffset` is that of the reference at the first sample. `queryBegin` to `queryEnd` is what is
        heard, and `referenceBegin` to `referenceEnd` its place in the reference.
        """
        with tempfile.TemporaryDirectory() as folder:
            if not isinstance(query, (str, os.PathLike)):
                samples, query = query, Path(folder) / "query.wav"
                write_wav(query, samples, rate or 0)
            done = run("match", "--catalog", self.path, "--json", query, allowed=(0, 1))
        answer = json.loads(done.stdout or json.dumps({"error": message(done.stderr, "", done.returncode)}))
        if answer["error"]:
            raise EarshotError(answer["error"])
        for one in answer["answers"]:
            for part in ("query", "reference"):
                one[f"{part}Begin"], one[f"{part}End"] = one.get(f"{part}Range") or (None, None)
        return pd.DataFrame(answer["answers"], columns=list(COLUMNS)).astype(COLUMNS)
