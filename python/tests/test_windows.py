"""The passages that adapters with windows find."""

from __future__ import annotations

import wave
from pathlib import Path

import pytest

from earshot_judge import protocol

RATE = 8000


class Known(protocol.Adapter):
    """Names a reference of 4 s in each window that holds a part of it, and places it without an error."""

    window_seconds = 10.0
    name, version, settings = "known", "1", {}

    def __init__(self, begin: float) -> None:
        self.begin = begin
        self.reference_seconds = {"jingle": 4.0}
        self.starts = iter(range(0, 1000, 5))

    def identify(self, path: str) -> list[protocol.Answer]:
        start = next(self.starts)
        heard = min(self.begin + 4, start + 10) - max(self.begin, start)
        return [protocol.Answer("jingle", heard, start - self.begin)] if heard > 0 else []


@pytest.mark.parametrize("begin", [0.0, 1.0, 8.5, 11.0, 13.0, 26.0])
def test_a_passage_ends_with_its_reference(begin: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EARSHOT_WORK", str(tmp_path))
    path = tmp_path / "day.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", "none"))
        file.writeframes(bytes(2 * 30 * RATE))
    (passage,) = Known(begin).passages(str(path))
    assert passage.query_range == pytest.approx((begin, begin + 4))


def test_a_longer_reference_is_known_to_a_quarter_of_a_window() -> None:
    adapter = Known(0)
    adapter.reference_seconds["song"] = 200.0
    assert adapter.heard(protocol.Answer("song", 9, 50.0), 30, 40) == (32.5, 37.5)
    assert adapter.heard(protocol.Answer("song", 9, -20.0), 15, 25) == (20, 22.5)
    # It begins in the last quarter of its first window.
    assert adapter.heard(protocol.Answer("song", 9, -23.0), 15, 25) == (23, 25)


def test_a_stated_range_is_extended_to_the_ends_of_its_reference_nearby() -> None:
    adapter = Known(0)
    near = protocol.Answer("jingle", 9, -21.0, heard=(6.5, 9.5))
    far = protocol.Answer("jingle", 9, -21.0, heard=(8.6, 9.5))
    assert adapter.heard(near, 15, 25) == (21, 25)
    assert adapter.heard(far, 15, 25) == (23.6, 25)


def test_a_passage_needs_a_position() -> None:
    with pytest.raises(ValueError, match="the answer 'jingle' states no offset"):
        Known(0).heard(protocol.Answer("jingle", 9), 15, 25)
    answers = [protocol.Answer("b", 1), protocol.Answer("a", 1, 3.0), protocol.Answer("c", 2)]
    adapter = Known(0)
    adapter.identify = lambda path: answers
    reply = protocol.answer(adapter, {"op": "identify", "query": "q", "path": ""})
    assert [(each["id"], each["offsetSeconds"]) for each in reply["answers"]] == [("c", None), ("a", 3.0), ("b", None)]


def test_a_related_answer_is_no_passage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert protocol.Answer("jingle", 9, related=True).line()["related"] is True
    assert "related" not in protocol.Answer("jingle", 9).line()
    monkeypatch.setenv("EARSHOT_WORK", str(tmp_path))
    path = tmp_path / "day.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", "none"))
        file.writeframes(bytes(2 * 30 * RATE))
    adapter = Known(0)
    adapter.identify = lambda path: [protocol.Answer("jingle", 9, 1.0, related=True)]
    assert adapter.passages(str(path)) == []
