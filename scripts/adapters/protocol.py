"""The protocol of external matchers, versions 1 to 3, for adapters.

`earshot` writes one JSON object for each line to standard input. It reads exactly one line for each
from standard output, in order. `serve` answers for an `Adapter` until the input ends. Other standard
output of a matcher goes to standard error.
"""
from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import wave
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

MOST_ANSWERS = 10


@dataclass
class Answer:
    """One candidate. Offset and skews are None if the matcher does not state them."""

    id: str
    score: float
    """The matcher's own score; higher is better."""
    offset_seconds: float | None = None
    """The reference time at the query's first sample. Without it the recording alone is judged."""
    frequency_skew: float | None = None
    """f_query / f_reference - 1."""
    time_skew: float | None = None
    """Reference seconds per query second - 1."""
    accepted: bool = True
    """Whether the matcher itself would report it."""
    confidence: float | None = None
    """The probability that it is right, 0 to 1."""
    heard: tuple[float, float] | None = None
    """The seconds of the query that it explains, if the matcher states them."""
    related: bool = False
    """Whether the query is another take, mix or arrangement of the recording. Then it is no claim of identity."""

    @property
    def place(self) -> float:
        """The offset, for passages, which need one."""
        if self.offset_seconds is None:
            raise ValueError(f"the answer {self.id!r} states no offset, which a passage needs")
        return self.offset_seconds

    def line(self) -> dict[str, Any]:
        return {
            "id": self.id, "score": self.score, "confidence": self.confidence, "accepted": self.accepted,
            "offsetSeconds": self.offset_seconds,
            "frequencySkew": self.frequency_skew, "timeSkew": self.time_skew,
        } | ({"related": True} if self.related else {})


@dataclass
class Passage:
    """A stretch of a recording, and the stretch of a reference that it plays, both in seconds."""

    answer: Answer
    query_range: tuple[float, float]

    def line(self) -> dict[str, Any]:
        rate = 1 + (self.answer.time_skew or 0)
        return {
            "id": self.answer.id, "score": self.answer.score, "confidence": self.answer.confidence,
            "queryRange": self.query_range,
            "referenceRange": [self.answer.place + rate * at for at in self.query_range],
            "frequencySkew": self.answer.frequency_skew, "timeSkew": self.answer.time_skew,
        }


@dataclass
class Place:
    """A place of a query in a reference. The skews are those of `Answer`."""

    id: str
    offset_seconds: float
    frequency_skew: float = 0.0
    time_skew: float = 0.0


Peak = tuple[float, float | None]
"""Seconds and hertz, which are None for a matcher without frequencies."""


@dataclass
class ExplainedAnswer:
    """A candidate of `identify` with the parts of its score."""

    id: str
    score: float
    offset_seconds: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict)
    """What the score is the sum of. All candidates have the same names."""
    matched_peaks: int | None = None
    """How many of the query's peaks the reference has."""
    compared_peaks: int | None = None
    """How many it could have."""

    def line(self) -> dict[str, Any]:
        return {
            "id": str(self.id), "score": float(self.score),
            "offsetSeconds": None if self.offset_seconds is None else float(self.offset_seconds),
            "parts": [{"name": name, "amount": float(amount)} for name, amount in self.parts.items()],
            "matchedPeaks": whole(self.matched_peaks), "comparedPeaks": whole(self.compared_peaks),
        }


@dataclass
class Votes:
    """How often peaks agree at offsets near a place: in bins from `first_seconds` after it."""

    first_seconds: float
    """The middle of the first bin."""
    bin_seconds: float
    counts: Sequence[int]

    def line(self) -> dict[str, Any]:
        return {"firstSeconds": float(self.first_seconds), "binSeconds": float(self.bin_seconds),
                "counts": [int(count) for count in self.counts]}


@dataclass
class Alignment:
    """A query at a place of a reference. What is None or empty is not drawn."""

    place: Place
    """One of those that were asked for."""
    reference_peaks: Sequence[Peak] = ()
    """In seconds of the reference."""
    pairs: Sequence[tuple[int, int]] = ()
    """The places of peaks that agree, in the query's peaks and in these."""
    votes: Votes | None = None

    def line(self) -> dict[str, Any]:
        return {
            "id": str(self.place.id), "offsetSeconds": float(self.place.offset_seconds),
            "referencePeaks": points(self.reference_peaks),
            "pairs": [[int(query), int(reference)] for query, reference in self.pairs],
            "votes": self.votes and self.votes.line(),
        }


@dataclass
class Explanation:
    """Why a query has its answers, for the page of a run. What is None or empty is not drawn."""

    query_peaks: Sequence[Peak] = ()
    candidates: Sequence[ExplainedAnswer] = ()
    """The answers of `identify`, the best first, and others after them."""
    alignments: Sequence[Alignment] = ()
    threshold: float | None = None
    """The score from which the matcher accepts."""

    def line(self) -> dict[str, Any]:
        return {
            "queryPeaks": points(self.query_peaks), "candidates": [each.line() for each in ranked(self.candidates)],
            "alignments": [each.line() for each in self.alignments],
            "threshold": None if self.threshold is None else float(self.threshold),
        }


def points(peaks: Sequence[Peak]) -> list[list[float | None]]:
    """Peaks with plain numbers."""
    return [[float(seconds), None if hertz is None else float(hertz)] for seconds, hertz in peaks]


def whole(count: int | None) -> int | None:
    """A plain number."""
    return None if count is None else int(count)


Ranked = TypeVar("Ranked", Answer, ExplainedAnswer)


def ranked(answers: Sequence[Ranked]) -> list[Ranked]:
    """The best first. Equal scores are sorted by offset, so that the order of enrolment does not matter."""
    return sorted(answers, key=lambda answer: (-answer.score, answer.offset_seconds is None, answer.offset_seconds or 0))


class Responder:
    """Answers requests. Subclasses define `respond`."""

    def respond(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to one request."""
        raise NotImplementedError

    def describe(self, error: Exception) -> str:
        """An error in a line."""
        return f"{type(error).__name__}: {error}"


class Adapter(Responder):
    """A matcher. Subclasses define the attributes and the methods that raise."""

    name: str
    version: str
    settings: Mapping[str, str | float | bool]
    tunables: Sequence[Mapping[str, Any]] = ()
    """The settings that `configure` changes, as the contract states them."""
    match_milliseconds: float | None = None
    """The time of the last lookup by the matcher's own clock, if known."""
    window_seconds: float | None = None
    """The length of the windows in which `passages` looks a recording up; without one there are no passages."""
    reference_seconds: dict[str, float]
    """The length of each reference; only with windows."""

    def respond(self, request: dict[str, Any]) -> dict[str, Any]:
        return answer(self, request)

    def configure(self, settings: Mapping[str, Any]) -> None:
        """Takes the value of every setting, before the first reference."""
        raise NotImplementedError

    def enrol(self, id: str, path: str) -> None:
        raise NotImplementedError

    def ready(self) -> int | None:
        """Ends enrolment and returns the size of the index in bytes, if known."""
        raise NotImplementedError

    def identify(self, path: str) -> Sequence[Answer]:
        """Candidates, in any order."""
        raise NotImplementedError

    @property
    def explains(self) -> bool:
        """Whether it says why a query has its answers."""
        return type(self).explain is not Adapter.explain

    def explain(self, path: str, places: Sequence[Place]) -> Explanation | None:
        """Says why a query has its answers, and how it fits to places of references. Only pages of runs show it."""
        raise NotImplementedError

    def passages(self, path: str) -> list[Passage]:
        """The passages of a recording: accepted answers to windows that overlap by half, joined where they agree.

        A passage begins and ends with its reference, where that is within the window. A matcher may state which part of a
        window it explains. Then the end of the reference counts only within a quarter of a window of that. If it does not,
        a window is taken to be accepted if a passage fills about half of it or more. Then a passage that does not begin
        with its reference begins a quarter of a window after its first window, and ends likewise.
        """
        found: list[Passage] = []
        ends: list[float] = []
        window = self.window_seconds
        assert window is not None
        piece = str(work_folder() / "window.wav")
        for start, end in windows(path, window, piece):
            for answer in self.identify(piece):
                if not answer.accepted or answer.related:
                    continue
                rate = 1 + (answer.time_skew or 0)
                answer.offset_seconds = answer.place - rate * start
                heard = self.heard(answer, start, end)
                same = next((place for place, passage in reversed(list(enumerate(found)))
                             if passage.answer.id == answer.id and ends[place] >= start and abs(
                    passage.answer.place + (1 + (passage.answer.time_skew or 0) - rate) * start
                    - answer.place) < SAME_SECONDS), None)
                if same is None:
                    found.append(Passage(answer, heard))
                    ends.append(end)
                    continue
                passage = found[same]
                passage.query_range = (min(passage.query_range[0], heard[0]), max(passage.query_range[1], heard[1]))
                passage.answer.score = max(passage.answer.score, answer.score)
                ends[same] = end
        return found

    def heard(self, answer: Answer, start: float, end: float) -> tuple[float, float]:
        """The seconds of the recording that an answer to its part from `start` to `end` explains.

        The offset of the answer is that of the recording.
        """
        edge = (end - start) / 4
        first, last = (start + at for at in answer.heard or (edge, end - start - edge))
        rate = 1 + (answer.time_skew or 0)
        begins = -answer.place / rate
        stops = begins + self.reference_seconds[answer.id] / rate
        if start <= begins <= end and (answer.heard is None or abs(begins - first) <= edge):
            first = begins
        if start <= stops <= end and (answer.heard is None or abs(stops - last) <= edge):
            last = stops
        return (first, last) if first < last else (max(start, begins), min(end, stops))


SAME_SECONDS = 0.5
"""Two windows play the same passage if they place it at most this far apart."""


def windows(path: str, seconds: float, piece: str) -> Iterator[tuple[float, float]]:
    """Writes each window of a recording to the file `piece`, and yields its begin and end in seconds."""
    with wave.open(path) as file:
        rate, frames = file.getframerate(), file.getnframes()
        length = round(seconds * rate)
        for start in range(0, max(1, frames - length // 2), max(1, length // 2)):
            file.setpos(start)
            data = file.readframes(length)
            with wave.open(piece, "wb") as window:
                window.setparams(file.getparams())
                window.writeframes(data)
            yield start / rate, min(frames, start + length) / rate


def length_seconds(path: str) -> float:
    """The length of a WAV file."""
    with wave.open(path) as file:
        return float(file.getnframes() / file.getframerate())


def options(description: str, settings: list[str], home: str, needs_home: bool = False) -> argparse.Namespace:
    """Parses `--setting`, the first by default, `--home`, the folder of the matcher, and `--window`."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--setting", choices=settings, default=settings[0])
    parser.add_argument("--home", type=os.path.abspath, required=needs_home, help=home)
    parser.add_argument("--window", type=float, help="find passages in windows of this many seconds")
    return parser.parse_args()


def work_folder() -> pathlib.Path:
    """The folder for the index and temporary files. `earshot` removes it."""
    return pathlib.Path(os.environ.get("EARSHOT_WORK") or tempfile.mkdtemp(prefix="earshot-adapter-"))


def run(*command: str | os.PathLike[str], env: dict[str, str] | None = None) -> str:
    """The output of a program. Raises an error with its last lines if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=env,
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines()[-3:]
        raise RuntimeError(f"{command[0]} ended with status {done.returncode}: {' | '.join(lines)}")
    return done.stdout


def commit(checkout: str) -> str:
    """The commit of a checkout, for matchers without version numbers."""
    try:
        return run("git", "-C", checkout, "rev-parse", "--short", "HEAD").strip()
    except (OSError, RuntimeError):
        return "unknown"


def bytes_on_disk(folder: pathlib.Path) -> int:
    """The disk space of the files in a folder, without holes."""
    return sum(file.stat().st_blocks * 512 for file in folder.rglob("*") if file.is_file())


def answer(adapter: Adapter, request: dict[str, Any]) -> dict[str, Any]:
    """The answer to one request."""
    match request["op"]:
        case "hello":
            if request["protocol"] != 1:
                raise ValueError(f"speaks protocol 1, not {request['protocol']}")
            newest = min(3, request.get("newest", 1))
            finds_passages = adapter.window_seconds is not None
            hello: dict[str, Any] = {"protocol": newest if newest != 2 or finds_passages else 1, "name": adapter.name,
                                     "version": adapter.version, "settings": adapter.settings}
            if newest >= 3:
                hello["operations"] = ["passages"] * finds_passages + ["explain"] * adapter.explains
                hello["tunables"] = adapter.tunables
            return hello
        case "configure":
            adapter.configure(request["settings"])
            return {"ok": True}
        case "enrol":
            adapter.enrol(request["id"], request["path"])
            if adapter.window_seconds is not None:
                adapter.reference_seconds[request["id"]] = length_seconds(request["path"])
            return {"ok": True}
        case "ready":
            return {"ok": True, "indexBytes": adapter.ready()}
        case "identify":
            answers = ranked(adapter.identify(request["path"]))
            return {"query": request["query"], "answers": [each.line() for each in answers[:MOST_ANSWERS]],
                    "matchMilliseconds": adapter.match_milliseconds}
        case "explain":
            places = [Place(each["id"], each["offsetSeconds"], each["frequencySkew"], each["timeSkew"])
                      for each in request["places"]]
            explanation = adapter.explain(request["path"], places) or Explanation()
            return {"query": request["query"], **explanation.line()}
        case "passages":
            return {"query": request["query"],
                    "answers": [passage.line() for passage in adapter.passages(request["path"])]}
        case other:
            raise ValueError(f"unknown op {other!r}")


def reply(adapter: Responder, line: bytes) -> str:
    """The answer to one line, or an error, as a line."""
    try:
        return json.dumps(adapter.respond(json.loads(line)), allow_nan=False)
    except Exception as error:
        return json.dumps({"error": adapter.describe(error)})


def serve(adapter: Adapter, chosen: argparse.Namespace) -> None:
    """Answers with the options of the command line until standard input ends."""
    adapter.window_seconds = chosen.window
    adapter.reference_seconds = {}
    converse(adapter)


def converse(adapter: Responder) -> None:
    """Answers until standard input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    with os.fdopen(os.dup(0), "rb") as requests:
        for line in requests:
            print(reply(adapter, line), file=answers, flush=True)
