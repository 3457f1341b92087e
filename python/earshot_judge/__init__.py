"""Measure audio fingerprint matchers from Python: matchers, runs as data frames, degradations, catalogs and metrics."""

from . import metrics
from .audio import degrade
from .catalog import Catalog
from .degradation import Degradation, serve_degradations
from .evaluation import evaluate
from .matcher import Alignment, Answer, ExplainedAnswer, Explanation, Matcher, Place, Votes
from .program import EarshotError, EarshotWarning
from .run import Run
from .runs import Verdict, compare, gate, table
from .settings import Setting
from .tuning import Tuning, tune

__all__ = [
    "Alignment", "Answer", "Catalog", "Degradation", "EarshotError", "EarshotWarning", "ExplainedAnswer", "Explanation",
    "Matcher", "Place", "Run", "Setting", "Tuning", "Verdict", "Votes", "compare", "degrade", "evaluate", "gate", "metrics",
    "serve_degradations", "table", "tune",
]
