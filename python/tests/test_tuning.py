"""Settings of a class, and a search of them."""

import json

import numpy as np
import pytest

import earshot_judge as ej
from earshot_judge.matcher import ArrayAdapter

PLAN = """
name: tiny
seed: 5
positives: 6
negatives: 4
lengthSeconds: 3
families:
  - {name: clean}
"""


class Choosing(ej.Matcher):
    """Compares loudness over time, but does not hear the first part of a reference."""

    deaf = ej.Setting(0, 100, 80, step=20, summary="per cent of a reference that it does not hear")
    floor = ej.Setting(0.01, 1, log=True)
    mode = ej.Setting(choices=["plain", "broken"])
    exact = ej.Setting(default=True)

    def __init__(self):
        self.contours = {}

    def enrol(self, id, samples, rate):
        if self.mode == "broken":
            raise RuntimeError("broken on purpose")
        self.contours[id] = contour(samples[int(self.deaf / 100 * len(samples)) :], rate)

    def ready(self):
        return sum(contour.nbytes for contour in self.contours.values())

    def identify(self, samples, rate):
        own = contour(samples, rate)
        found = []
        for id, whole in self.contours.items():
            if len(whole) >= len(own):
                distances = np.abs(np.lib.stride_tricks.sliding_window_view(whole, len(own)) - own).sum(1)
                found.append(ej.Answer(id, score=-distances.min()))
        return sorted(found, key=lambda answer: -answer.score)[:10]


def contour(samples, rate):
    frame = rate // 20
    return np.abs(samples[: len(samples) // frame * frame]).reshape(-1, frame).mean(1)


def test_settings_are_attributes_with_defaults():
    one, other = Choosing(), Choosing()
    one.deaf = 2
    assert (one.deaf, other.deaf, one.mode, one.exact) == (2, 80, "plain", True)
    assert other.floor == pytest.approx(0.1)
    assert isinstance(ej.Setting(3, 30, step=1).middle(), int)
    stated = {each["name"]: each for each in ArrayAdapter(one).tunables}
    assert stated["deaf"] == {
        "name": "deaf", "default": 2, "summary": "per cent of a reference that it does not hear", "type": "whole", "lowest": 0,
        "highest": 100, "step": 20, "scale": "linear",
    }  # fmt: skip
    assert stated["mode"]["choices"] == ["plain", "broken"]
    assert stated["exact"]["type"] == "flag"
    assert stated["floor"]["scale"] == "logarithmic"
    with pytest.raises(ValueError, match="no setting is called 'nothing'; there are deaf, floor, mode, exact"):
        ArrayAdapter(one).configure({"nothing": 1})


@pytest.mark.parametrize(
    ("arguments", "options"),
    [((3,), {}), ((3, 2), {}), ((0, 2), {"log": True}), ((), {}), ((1, 2), {"choices": ["a", "b"]}), ((np.nan, 2), {})],
)
def test_ranges_that_contradict_themselves_are_refused(arguments, options):
    with pytest.raises(ValueError, match="a setting"):
        ej.Setting(*arguments, **options)


def test_a_search_finds_the_best_and_names_what_fails(music, tmp_path):
    plan = tmp_path / "tiny.yaml"
    plan.write_text(PLAN)

    def search(output, **options):
        return ej.tune(
            Choosing(), references=music, plan=plan, search=["deaf", "mode"], candidates=6, output=tmp_path / output,
            progress=False, options=["--no-look"], **options,
        )  # fmt: skip

    found = search("found", at_most={"falseAccepts": 0.3, "megabytesPerHour": 1000})
    assert found.settings["mode"] == "plain"
    assert found.settings["deaf"] < 80
    assert "best, test half: recall at 30.0 % false accepts at most" in found.summary
    broken = found.candidates[found.candidates["mode"] == "broken"]
    assert len(broken)
    assert broken.failure.str.contains("broken on purpose").all()
    assert (found.folder / "tuning.html").exists()
    again = search("found", at_most={"falseAccepts": 0.3, "megabytesPerHour": 1000})
    assert again.settings == found.settings
    nearest = search("nearest", at_most={"megabytesPerHour": 1e-9})
    assert nearest.candidates.isWinner.any()
    assert json.loads((nearest.folder / "tuning.json").read_text())["goals"]["limits"] == [
        {"figure": "megabytesPerHour", "most": 1e-9}
    ]
