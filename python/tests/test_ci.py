"""The command `earshot-judge` in a build."""

import shutil
import sys
import xml.etree.ElementTree as Tree
from pathlib import Path
from types import SimpleNamespace

import pandas
import pytest

from earshot_judge import ci

MATCHER = Path(__file__).parents[2] / "Tests/Action/matcher.py"


def test_a_first_build_passes_and_says_how_to_keep_the_baseline(music, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "job.md"))
    command = f"{sys.executable} {MATCHER}"
    given = ["--references", str(music), "--queries", str(music.parent / "queries/truth.csv"), "--output", "out",
             "--inconclusive", "pass"]  # fmt: skip
    assert ci.main(["--matcher-command", command, *given]) == 0
    assert "There is no baseline yet" in Path("job.md").read_text()
    printed = capfd.readouterr().out
    assert "::warning::earshot-baseline.json: There is no baseline yet." in printed
    assert "Nothing was compared: the baseline is this run" in printed
    Tree.parse("out/junit.xml")
    metrics = Path("out/metrics.txt").read_text()
    assert "\nearshot_recall 1\n" in metrics
    assert 'earshot_cell_recall{degradation="recorded"' in metrics
    assert metrics.endswith("# EOF\n")


def test_a_worse_build_fails_and_says_what_broke(music, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "job.md"))
    given = ["--references", str(music), "--queries", str(music.parent / "queries/truth.csv"), "--rules", "rules.yaml",
             "--inconclusive", "pass"]  # fmt: skip
    Path("rules.yaml").write_text("rules:\n  - {measure: recall, noLossBeyond: 0.01}\n")
    judge = ["--matcher-command", f"{sys.executable} {MATCHER}"]
    assert ci.main([*judge, *given]) == 0
    shutil.copy("earshot-run/baseline.json", "earshot-baseline.json")
    assert ci.main([*judge, *given]) == 0
    Path("worse.py").write_text(MATCHER.read_text().replace("count > least", "False"))
    assert ci.main(["--matcher-command", f"{sys.executable} worse.py", *given]) == 2
    first, unchanged, worse = Path("job.md").read_text().split("## peaks 1 ")[1:]
    assert first.startswith("has its first figures\n\nThere is no baseline yet")
    assert unchanged.startswith("is not found to be worse than its baseline")
    assert worse.startswith("breaks a rule\n\n`report.html`")
    assert "as `earshot-baseline.json`" in worse
    assert "| weakest recordings | recall |" in worse
    assert "| fail | recall" in worse


def test_a_condition_without_severity_has_no_gap():
    rows = pandas.DataFrame(
        {"degradation": ["recorded", "pink noise"], "severity": [float("nan"), "0 dB"], "lengthSeconds": 5.0, "recall": 0.5,
         "positives": 4}
    )  # fmt: skip
    lines = ci.weakest(SimpleNamespace(weakest=rows, cells=rows)).splitlines()
    assert lines[2:] == ["| recorded, 5 s | 50 % | 4 |", "| pink noise 0 dB, 5 s | 50 % | 4 |"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--plan", "nosuch"], "nosuch"), (["--queries", "list.csv"], "queries need references"),
        (["--rules", "nosuch"], "nosuch: no such rules"), (["--baseline", "wrong.json"], "wrong.json"),
        (["--require-baseline"], "earshot-baseline.json: there is no such baseline"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_named(arguments, text, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ci, "conformance", lambda *arguments: "")
    Path("wrong.json").write_text("{}")
    assert ci.main(["--matcher-command", "true", "--inconclusive", "pass", *arguments]) == 1
    assert not Path("earshot-run").exists(), "it was found before the run"
    assert text in capsys.readouterr().err


def test_a_program_that_breaks_the_contract_makes_no_baseline(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "job.md"))
    assert ci.main(["--matcher-command", "true", "--inconclusive", "pass"]) == 5
    assert not Path("earshot-run/baseline.json").exists()
    assert "is not fit for a first baseline" in Path("job.md").read_text()
    assert "contract" in capfd.readouterr().err


def test_a_matcher_that_misses_clean_queries_makes_no_baseline(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ci, "conformance", lambda *arguments: "")
    Path("deaf.py").write_text(MATCHER.read_text().replace("count > least", "False"))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    given = ["--plan", "smoke", "--inconclusive", "pass"]
    assert ci.main(["--matcher-command", f"{sys.executable} deaf.py", *given]) == 5
    assert "of 6 clean queries of 10 s" in capfd.readouterr().err


def test_the_outcome_of_too_few_queries_must_be_chosen(capsys):
    with pytest.raises(SystemExit):
        ci.main(["--matcher-command", "true"])
    assert "--inconclusive" in capsys.readouterr().err
