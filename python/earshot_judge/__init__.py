"""Measure audio fingerprint matchers from Python: matchers, runs as data frames, degradations, catalogs and metrics."""

from . import metrics
from .audio import degrade
from .catalog import Catalog
from .evaluation import evaluate
from .matcher import Answer, Matcher
from .program import EarshotError
from .run import Run
from .runs import Verdict, compare, gate, table

__all__ = [
    "Answer", "Catalog", "EarshotError", "Matcher", "Run", "Verdict",
    "compare", "degrade", "evaluate", "gate", "metrics", "table",
]
