"""The command `earshot-judge` in a build."""

import sys
import xml.etree.ElementTree as Tree
from pathlib import Path

import pandas
import pytest

from earshot_judge import ci

MATCHER = Path(__file__).parents[2] / "Tests/Action/matcher.py"


def test_a_first_build_passes_and_says_how_to_keep_the_baseline(music, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "job.md"))
    command = f"{sys.executable} {MATCHER}"
    given = ["--references", str(music), "--queries", str(music.parent / "queries/truth.csv"), "--output", "out"]
    assert ci.main(["--matcher-command", command, *given]) == 0
    assert "There is no baseline yet" in Path("job.md").read_text()
    Tree.parse("out/junit.xml")
    metrics = Path("out/metrics.txt").read_text()
    assert "\nearshot_recall 1\n" in metrics
    assert 'earshot_cell_recall{degradation="recorded"' in metrics
    assert metrics.endswith("# EOF\n")


def test_a_condition_without_severity_has_no_gap():
    class Weakest:
        weakest = pandas.DataFrame(
            {"degradation": ["recorded", "pink noise"], "severity": [float("nan"), "0 dB"], "lengthSeconds": 5.0,
             "recall": 0.5, "recallLower": 0.2, "recallUpper": 0.8}
        )  # fmt: skip

    rows = ci.markdown(Weakest()).splitlines()[2:]
    assert [row.split(" | ")[0] for row in rows] == ["| recorded, 5 s", "| pink noise 0 dB, 5 s"]


@pytest.mark.parametrize(
    ("arguments", "text"), [(["--plan", "nosuch"], "nosuch"), (["--queries", "list.csv"], "queries need references")]
)
def test_wrong_arguments_are_named(arguments, text, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert ci.main(["--matcher-command", "true", *arguments]) == 1
    assert text in capsys.readouterr().err
