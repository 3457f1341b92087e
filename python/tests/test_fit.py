"""The fit of the engine's weights: evidence that cannot be fitted to is named, and what is in it is found."""

import csv
import importlib.util
import lzma
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[2] / "scripts/fit-engine.py"


@pytest.fixture
def fit(tmp_path):
    spec = importlib.util.spec_from_file_location("fit_engine", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.STORE = tmp_path
    return module


def row(fit, trial=0, right=True, **changes):
    """A row as `earshot evidence` writes it; a right place is higher above other times, and explains more."""
    draw = np.random.default_rng(2 * trial + right)
    values = {key: f"{draw.normal(1, 1):.4g}" for key in fit.VALUES} | {"sizeLogOdds": "0", "misfitPeaks": "0"}
    values |= {"explainedShare": f"{np.clip(draw.normal(0.6 if right else 0.2, 0.15), 0, 1):.4g}"}
    return {
        "matcher": "earshot 9", "trial": f"t{trial}", "kind": "positive" if right else "negative", "lengthSeconds": "5",
        "rung": "", "source": f"r{trial}", "sourceClass": "", "reference": f"r{trial}", "offsetSeconds": "1",
        "frequencySkew": "0", "truth": "right" if right else "other", "variant": "middle", "score": "1", **values, **changes,
    }


def written(fit, rows, name="standard"):
    path = fit.STORE / f"{name}.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return path


def stored(fit, rows):
    (fit.STORE / "standard.csv.xz").write_bytes(fit.packed(written(fit, rows), "standard"))
    return fit.Evidence(["standard"])


def queries(fit, count=60):
    """Queries with a right place, and others without."""
    return [row(fit, trial, trial % 2 == 0) for trial in range(count)]


def test_a_fit_finds_what_tells_right_places_and_repeats(fit):
    evidence = stored(fit, queries(fit, 200))
    slopes, constant = fit.fitted(evidence)
    again, same = fit.fitted(evidence)
    assert (slopes == again).all()
    assert constant == same
    assert (slopes >= 0).all()
    assert fit.total_rises((slopes, constant))["explainedShare"] > 3

    def gap(curves):
        """How far right places are above wrong ones, by fits without their recordings."""
        sides = fit.cross_validated(evidence, curves)
        return sides[evidence.is_right].mean() - sides[~evidence.is_right].mean()

    others = {name: curve for name, curve in fit.CURVES.items() if name != "explainedShare"}
    assert gap(fit.CURVES) > gap(others) + 2


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"matcher": "earshot 8"}, r"standard.csv:7: evidence of earshot 8, and of earshot 9 before it"),
        ({"truth": ""}, r"standard.csv:7: expected a truth, found ''"),
        ({"trial": "t1"}, r"standard.csv:7: t1 for the second time"),
    ],
)
def test_evidence_that_is_none_is_named(fit, changes, words):
    rows = queries(fit)
    rows[5] |= changes
    with pytest.raises(SystemExit, match=words):
        stored(fit, rows)


def test_a_missing_value_is_named(fit):
    rows = queries(fit)
    rows[5]["meanHeight"] = ""
    with pytest.raises(SystemExit, match=r"standard.csv.xz:7: no meanHeight"):
        stored(fit, rows)
    rows = queries(fit)
    rows[5]["meanHeight"] = "nan"
    with pytest.raises(SystemExit, match=r"standard.csv.xz:7: no meanHeight"):
        stored(fit, rows)
    # There are places without a lead.
    rows = queries(fit)
    rows[5]["lead"] = ""
    stored(fit, rows)


def test_a_missing_column_is_named(fit):
    rows = [{key: value for key, value in row.items() if key != "slotEvidence"} for row in queries(fit)]
    with pytest.raises(SystemExit, match="no column slotEvidence"):
        stored(fit, rows)


def test_one_class_or_few_recordings_are_refused(fit):
    with pytest.raises(SystemExit, match="evidence of one class only"):
        stored(fit, [row(fit, trial) for trial in range(60)])
    with pytest.raises(SystemExit, match="6 recordings are too few for 5 folds"):
        stored(fit, queries(fit, 6))


def test_half_of_the_recordings_of_a_microphone_are_left_out(fit):
    rows = [row(fit, trial, trial % 2 == 0, source=f"r{trial}-snippet-1.flac") for trial in range(100)]
    packed = lzma.decompress(fit.packed(written(fit, rows), "recordings")).decode().splitlines()
    kept = {line["recording"] for line in csv.DictReader(packed)}
    assert 30 < len(kept) < 70
    assert all(fit.part(name) == "fit" for name in kept)


def test_the_stored_evidence_gives_the_stored_weights(tmp_path):
    weights = SCRIPT.parents[1] / "Sources/Signatures/Weights.swift"

    def check(path):
        return subprocess.run([sys.executable, SCRIPT, "--check", path], capture_output=True, text=True)

    assert check(weights).returncode == 0
    changed = tmp_path / "Weights.swift"
    changed.write_text(weights.read_text().replace("slopes: [0.0, ", "slopes: [0.1, ", 1))
    done = check(changed)
    assert done.returncode == 1
    assert "holds other weights than the evidence gives" in done.stderr
