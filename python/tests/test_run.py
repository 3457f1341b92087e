"""Tables, comparisons, gates, catalogs and degradations."""

import html
import json
import subprocess
import sys
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import RATE, tune

import earshot_judge as ej

TABLES = ["trials", "cells", "recordings", "snr", "det", "thresholds", "reliability", "costs", "retrieval", "skew"]


@pytest.fixture(scope="module")
def other(music, tmp_path_factory):
    """The run of a matcher that finds nothing."""
    output = tmp_path_factory.mktemp("other")
    return ej.evaluate("null", references=music, queries=music.parent / "queries/truth.csv", output=output, progress=False)


@pytest.mark.parametrize("table", TABLES)
def test_tables_have_the_documented_columns_and_types(table, run):
    frame, documented = run.read(table), run.columns(table)
    assert list(frame.columns) == list(documented.index)
    assert {name: str(kind) for name, kind in frame.dtypes.items()} == documented.dtype.to_dict()


def test_an_unknown_table_is_named(run):
    with pytest.raises(ej.EarshotError, match="no table 'nosuch'; the tables are trials, cells"):
        run.read("nosuch")


def test_runs_of_earlier_programs_are_read():
    old = ej.Run(Path(__file__).parents[2] / "Tests/EvaluationTests/Golden/run-3")
    assert list(old.trials.outcome) == ["correct", "correctReject"]
    assert str(old.trials.fold.dtype) == "Int64"
    assert old.sentence == ""


def test_a_folder_that_is_no_run_is_named(tmp_path):
    with pytest.raises(ej.EarshotError, match="no folder of a finished run"):
        ej.Run(tmp_path)


@pytest.mark.parametrize(("version", "reason"), [
    (0, "has format 0; Earshot "), (None, "has format None"), (6, r"written by Earshot \d+\.\d+ or later; this is \d"),
    (2**32 - 1, "written by Earshot "),
])  # fmt: skip
def test_a_run_of_another_version_is_named(version, reason, tmp_path):
    (tmp_path / "summary.json").write_text(json.dumps({"schemaVersion": version}))
    with pytest.raises(ej.EarshotError, match=f"summary.json: {reason}"):
        ej.Run(tmp_path)


def test_the_summary_has_figures_with_intervals(run):
    recall = run.summary.loc["recall"]
    assert (recall["count"], recall.of) == (6, 6)
    assert recall.lower < recall.value == recall.upper


def test_pages_begin_with_the_result(run, other):
    assert run.sentence
    assert html.escape(run.sentence) in run._repr_html_()
    assert "recallLower" in other._repr_html_()
    assert "null" in repr(other)


def test_a_comparison_counts_pairs(run, other):
    row = ej.compare(other, run).iloc[0]
    assert (row.onlySecondRight, row.onlyFirstRight, row.recallDifference) == (6, 0, 1)
    assert ej.compare(str(other.folder), run.folder).equals(ej.compare(other, run))


def test_gates(run, other):
    rules = {"rules": [{"measure": "recall", "atLeast": 0.5}]}
    assert ej.gate(run, rules).verdict in ("pass", "inconclusive")
    broken = ej.gate(other, rules)
    assert (broken.verdict, broken.exit_code) == ("fail", 2)
    assert "recall" in broken.findings.reason.iloc[0]
    assert "fail" in broken._repr_html_()
    assert ej.gate(run, baseline=run).verdict in ("pass", "inconclusive")


@pytest.mark.parametrize("rules", ["nosuch", {"rules": [{"mesure": "recall"}]}])
def test_wrong_rules_are_named(rules, run):
    with pytest.raises(ej.EarshotError, match=r"nosuch|mesure|measure"):
        ej.gate(run, rules)


def test_tables_mark_what_is_significantly_best(run, other):
    latex = ej.table({"a_b": run, "null": other})
    assert latex.startswith("\\begin{tabular}{lrrrr}\n\\toprule\nMatcher, \\% & Recall")
    assert "a\\_b & \\textbf{100.0}" in latex
    assert "\\textbf" not in ej.table({"a": run, "b": run}), "equal runs"
    assert "**100.0**" in ej.table([run, other], format="markdown")
    assert isinstance(ej.table([run], format="frame"), pd.DataFrame)
    assert ej.table(run) == ej.table([run]) == ej.table(run.folder) == ej.table([str(run.folder)])
    with pytest.raises(ValueError, match="the same name"):
        ej.table([run, run])


def test_degradations_keep_length_and_place():
    samples = tune(1)
    fast, truth = ej.degrade(samples, RATE, [{"speed": {"percent": 2}}])
    assert len(fast) == len(samples)
    assert abs(truth["offsetSeconds"]) < 1e-3
    assert truth["timeSkew"] == 0.02
    at = np.arange(RATE) * 1.02
    assert np.corrcoef(np.interp(at, np.arange(len(samples)), samples), fast[:RATE])[0, 1] > 0.95
    noisy, truth = ej.degrade(samples, RATE, [{"noise": {"colour": "pink", "snrDecibels": 0}}], seconds=5, seed=3)
    begin = round(truth["offsetSeconds"] * RATE)
    assert len(noisy) == 5 * RATE
    assert np.corrcoef(samples[begin : begin + 5 * RATE], noisy)[0, 1] > 0.5
    assert abs(truth["snrDecibels"]) < 0.01
    assert np.array_equal(noisy, ej.degrade(samples, RATE, truth["chain"], seconds=5, seed=3)[0])


@pytest.mark.parametrize(
    ("chain", "seconds", "text"),
    [([{"nosuch": {}}], None, "nosuch"), ([], 99, "needed"), ([{"noise": {"colour": "mauve"}}], None, "mauve|colour")],
)
def test_wrong_chains_are_named(chain, seconds, text):
    with pytest.raises(ej.EarshotError, match=text):
        ej.degrade(tune(1), RATE, chain, seconds=seconds)


@pytest.mark.parametrize("number", [np.float32, np.float64, np.int64, np.uint8, Fraction, lambda n: np.arange(3)[n]])
def test_any_number_is_a_parameter(number):
    given = [{"speed": {"percent": number(2)}}]
    plain = [{"speed": {"percent": 2}}]
    samples = tune(1)
    assert np.array_equal(ej.degrade(samples, RATE, given)[0], ej.degrade(samples, RATE, plain)[0])


def test_what_is_no_parameter_is_named():
    with pytest.raises(TypeError, match="of type complex; expected a number"):
        ej.degrade(tune(1), RATE, [{"speed": {"percent": 2j}}])


@pytest.mark.parametrize("kind", [np.int64, np.uint16, np.uint32, np.uint64, bool, complex, object, lambda x: x.tolist()])
def test_samples_of_unknown_full_scale_are_refused(kind):
    samples = (tune(1, 1) * 32767).astype(np.int16)
    with pytest.raises(TypeError, match=r"expected floats.*int16.*astype\(numpy\.int16\)"):
        ej.audio.as_samples(kind(samples) if kind.__name__ == "<lambda>" else samples.astype(kind))


def test_each_warning_of_the_program_is_one_of_python(tmp_path):
    folder = tmp_path / "tunes"
    folder.mkdir()
    ej.audio.write_wav(folder / "a.wav", tune(1), RATE)
    ej.audio.write_wav(folder / ".hidden.wav", tune(2), RATE)
    ej.audio.write_wav(folder / "short.wav", tune(3, 1), RATE)
    with pytest.warns(ej.EarshotWarning) as caught:
        catalog = ej.Catalog.create(tmp_path / "c.earcatalog", folder)
    texts = sorted(str(one.message) for one in caught)
    assert ["left out" in text and ".hidden.wav" in text for text in texts] == [True, False]
    assert texts[1].startswith("short: ")
    assert {one.filename for one in caught} == {__file__}
    (tmp_path / "cut.flac").write_bytes(cut_flac(tune(1)))
    with pytest.warns(ej.EarshotWarning, match=r"cut\.flac: damaged at") as caught:
        found = catalog.match(tmp_path / "cut.flac")
    assert list(found.reference) == ["a"]
    assert [one.filename for one in caught] == [__file__]
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("ignore", category=ej.EarshotWarning)
        catalog.match(tmp_path / "cut.flac")
    assert not caught


def cut_flac(samples: np.ndarray) -> bytes:
    """The first part of a FLAC file, as of a download that broke off."""
    raw = (samples * 32767).astype("<i2").tobytes()
    form = ["-f", "s16le", "-ar", str(RATE), "-ac", "1"]
    command = ["ffmpeg", "-loglevel", "error", *form, "-i", "-", "-f", "flac", "-"]
    whole = subprocess.run(command, input=raw, capture_output=True, check=True).stdout
    return whole[: len(whole) * 2 // 3]


def test_catalogs_recognise(tmp_path):
    catalog = ej.Catalog.create(tmp_path / "tunes.earcatalog", {f"tune {n}": (tune(n), RATE) for n in range(3)})
    found = catalog.match(tune(1)[3 * RATE : 9 * RATE], RATE)
    assert found.reference.iloc[0] == "tune 1"
    assert found.matchOffset.iloc[0] == pytest.approx(3, abs=0.01)
    ej.audio.write_wav(tmp_path / "clip.wav", tune(1)[3 * RATE : 9 * RATE], RATE)
    pd.testing.assert_frame_equal(catalog.match(tmp_path / "clip.wav"), found)
    assert catalog.match(tune(9)[: 5 * RATE], RATE).empty
    damaged = tmp_path / "damaged.earcatalog"
    damaged.write_bytes(b"nothing")
    with pytest.raises(ej.EarshotError, match=r"damaged\.earcatalog"):
        ej.Catalog(damaged).match(tmp_path / "clip.wav")
    with pytest.raises(ej.EarshotError, match="no such file"):
        catalog.match("nosuch.wav")
    with pytest.raises(ValueError, match="sample rate"):
        catalog.match(tune(1))
    with pytest.raises(ej.EarshotError, match="no such catalog"):
        ej.Catalog(tmp_path / "nosuch.earcatalog")


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int16, np.int32, np.float16, np.float32, np.float64, ">f4", ">i2"])
@pytest.mark.parametrize("shape", [(100,), (100, 1), (100, 2), (50, 6)])
def test_files_keep_samples(dtype, shape, tmp_path):
    kind = np.dtype(dtype)
    values = np.random.default_rng(1).uniform(-1, 1, shape)
    if kind.kind == "f":
        given = values.astype(kind)
    else:
        limits = np.iinfo(kind)
        given = np.clip(np.round(values * limits.max) + (128 if kind.kind == "u" else 0), limits.min, limits.max).astype(kind)
    ej.audio.write_wav(tmp_path / "a.wav", given, 44100)
    samples, rate = ej.audio.read_wav(tmp_path / "a.wav")
    assert rate == 44100
    assert samples.shape == (shape if shape[-1:] != (1,) else shape[:1])
    expected = ej.audio.as_samples(given).reshape(samples.shape)
    assert np.array_equal(samples, expected)
    assert np.abs(samples).max() <= 1


def test_a_missing_program_is_named(monkeypatch):
    monkeypatch.setenv("EARSHOT_BINARY", "/nosuch/earshot")
    with pytest.raises(ej.EarshotError, match=r"/nosuch/earshot: no such program\. Install the wheel"):
        ej.program.run("--version")


def test_mlflow_gets_figures_parameters_and_the_report(run, other, tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.chdir(tmp_path)
    mlflow = pytest.importorskip("mlflow")
    mlflow.set_tracking_uri((tmp_path / "store").as_uri())
    client = mlflow.MlflowClient()
    logged = client.get_run(run.log_mlflow())
    assert logged.data.metrics["recall"] == 1
    assert logged.data.metrics["recall.lower"] == pytest.approx(run.summary.lower["recall"])
    assert logged.data.metrics["conditions/recorded/5 s"] == 1
    assert logged.data.params["planName"] == run.details["run"]["planName"]
    assert {"report.html", "trials.csv"} <= {file.path for file in client.list_artifacts(logged.info.run_id)}
    with mlflow.start_run() as own:
        assert other.log_mlflow() == own.info.run_id
    assert client.get_run(own.info.run_id).data.metrics["recall"] == 0


def test_a_missing_mlflow_is_named(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(ej.EarshotError, match=r"pip install 'earshot-judge\[mlflow\]'"):
        run.log_mlflow()


def test_details_are_those_of_the_file(run):
    assert run.details == json.loads((run.folder / "summary.json").read_text())
