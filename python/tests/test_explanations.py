"""How a matcher of Python explains its answers, on the wire and on the page of a run."""

import json

import matchers
import numpy as np
import pytest
from conftest import RATE, tune

import earshot_judge as ej
from earshot_judge import matcher, protocol


class Explaining(matchers.Peaks):
    """Explains each answer by the places of equal triples."""

    def explain(self, samples, rate, places):
        heard = list(self.keys(samples, rate))
        alignments = []
        for place in places:
            stored = {at: key for key, found in self.table.items() for id, at in found if id == place.id}
            first = round(place.offset_seconds / 0.008)
            times = sorted(at for at in stored if first <= at <= first + 8 * len(heard))
            pairs = [
                (number, times.index(first + 8 * frame))
                for number, (frame, key) in enumerate(heard)
                if stored.get(first + 8 * frame) == key
            ]
            votes = ej.Votes(np.float32(-0.5), 0.5, np.array([0, len(pairs), 0]))
            alignments.append(ej.Alignment(place, [(0.008 * at, None) for at in times], pairs, votes))
        answers = self.identify(samples, rate)
        return ej.Explanation(
            query_peaks=[(np.float64(0.064 * frame), np.int64(8 * key[0])) for frame, key in heard],
            candidates=[
                ej.ExplainedAnswer(each.id, each.score, each.offset_seconds, {"triples": np.int64(each.score)}, 1, len(heard))
                for each in reversed(answers)
            ],
            alignments=alignments,
            threshold=4,
        )


class Silent(matchers.Peaks):
    def explain(self, samples, rate, places):
        return None


class Wordy(matchers.Peaks):
    def explain(self, samples, rate, places):
        return "because"


class Undefined(matchers.Peaks):
    def explain(self, samples, rate, places):
        return ej.Explanation(threshold=float("nan"))


def conversation(kind, tmp_path):
    """The answers of a matcher to `hello`, `identify` and `explain`."""
    adapter = matcher.ArrayAdapter(kind())

    def ask(**request):
        return json.loads(protocol.reply(adapter, json.dumps(request).encode()))

    hello = ask(op="hello", protocol=1, newest=3)
    for number in range(2):
        ej.audio.write_wav(tmp_path / f"{number}.wav", tune(number), RATE)
        assert ask(op="enrol", id=f"r{number}", path=str(tmp_path / f"{number}.wav")) == {"ok": True}
    ej.audio.write_wav(tmp_path / "q.wav", tune(1)[3 * RATE : 8 * RATE], RATE)
    query = {"query": "q", "path": str(tmp_path / "q.wav")}
    place = {"id": "r1", "offsetSeconds": 3, "frequencySkew": 0, "timeSkew": 0}
    return hello, ask(op="identify", **query), ask(op="explain", places=[place], **query)


def test_an_explanation_has_plain_numbers_and_the_order_of_the_answers(tmp_path):
    hello, found, explained = conversation(Explaining, tmp_path)
    assert hello["protocol"] == 3
    assert hello["operations"] == ["explain"]
    assert explained["query"] == "q"
    assert explained["threshold"] == 4
    assert [(each["id"], each["score"], each["offsetSeconds"]) for each in explained["candidates"]] == [
        (each["id"], each["score"], each["offsetSeconds"]) for each in found["answers"]
    ]
    (alignment,) = explained["alignments"]
    assert alignment["id"] == "r1"
    assert len(alignment["pairs"]) > 3
    for query, reference in alignment["pairs"]:
        assert abs(alignment["referencePeaks"][reference][0] - explained["queryPeaks"][query][0] - 3) < 0.01
    assert alignment["referencePeaks"][0][1] is None
    assert alignment["votes"]["firstSeconds"] == -0.5


def test_without_a_method_there_is_no_operation(tmp_path):
    hello, _, explained = conversation(matchers.Peaks, tmp_path)
    assert hello["operations"] == []
    assert explained["candidates"] == []


@pytest.mark.parametrize("newest", [1, 2])
def test_an_earlier_program_gets_its_protocol(newest):
    adapter = matcher.ArrayAdapter(Explaining())
    hello = protocol.answer(adapter, {"op": "hello", "protocol": 1, "newest": newest})
    assert hello["protocol"] == 1
    assert "operations" not in hello


def test_none_explains_nothing(tmp_path):
    _, _, explained = conversation(Silent, tmp_path)
    assert explained == {"query": "q", "queryPeaks": [], "candidates": [], "alignments": [], "threshold": None}


@pytest.mark.parametrize(
    ("kind", "text"),
    [(Wordy, "explain returned str; expected an Explanation or None"), (Undefined, "not JSON compliant")],
)
def test_a_wrong_explanation_is_an_error(kind, text, tmp_path):
    _, found, explained = conversation(kind, tmp_path)
    assert text in explained["error"]
    assert found["answers"]


def test_the_page_of_a_run_draws_it(music, run, tmp_path):
    explained = ej.evaluate(
        Explaining(), references=music, queries=music.parent / "queries/truth.csv", output=tmp_path, progress=False,
        options=["--details", "4"],
    )  # fmt: skip
    assert list(explained.trials.outcome) == list(run.trials.outcome)
    page = (tmp_path / "report.html").read_text()
    assert '"partNames":["triples"]' in page
    assert "The explanation failed" not in page
