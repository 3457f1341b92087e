"""The protocol of external matchers, version 1, for adapters.

`earshot` writes one JSON object for each line to standard input. It reads exactly one line for each
from standard output, in order. `serve` answers for an `Adapter` until the input ends. Other standard
output of a matcher goes to standard error.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass

VERSION = 1
MOST_ANSWERS = 10


@dataclass
class Answer:
    """One candidate. A skew is None if the matcher does not state it."""

    id: str
    score: float
    """The matcher's own score; higher is better."""
    offset_seconds: float
    """The reference time at the query's first sample."""
    frequency_skew: float | None = None
    """f_query / f_reference - 1."""
    time_skew: float | None = None
    """Reference seconds per query second - 1."""
    accepted: bool = True
    """Whether the matcher itself would report it."""

    def line(self) -> dict:
        return {
            "id": self.id, "score": self.score, "confidence": None, "accepted": self.accepted,
            "offsetSeconds": self.offset_seconds,
            "frequencySkew": self.frequency_skew, "timeSkew": self.time_skew,
        }


class Adapter:
    """A matcher. Subclasses define the attributes and the methods that raise."""

    name: str
    version: str
    settings: dict[str, str | float | bool]
    match_milliseconds: float | None = None
    """The time of the last lookup by the matcher's own clock, if known."""

    def enrol(self, id: str, path: str) -> None:
        raise NotImplementedError

    def ready(self) -> int | None:
        """Ends enrolment and returns the size of the index in bytes, if known."""
        raise NotImplementedError

    def identify(self, path: str) -> list[Answer]:
        """Candidates, in any order."""
        raise NotImplementedError


def options(description: str, settings: list[str], home: str, needs_home: bool = False) -> argparse.Namespace:
    """Parses `--setting`, the first by default, and `--home`, the folder of the matcher."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--setting", choices=settings, default=settings[0])
    parser.add_argument("--home", type=os.path.abspath, required=needs_home, help=home)
    return parser.parse_args()


def work_folder() -> pathlib.Path:
    """The folder for the index and temporary files. `earshot` removes it."""
    return pathlib.Path(os.environ.get("EARSHOT_WORK") or tempfile.mkdtemp(prefix="earshot-adapter-"))


def run(*command: str | os.PathLike, env: dict[str, str] | None = None) -> str:
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


def answer(adapter: Adapter, request: dict) -> dict:
    """The answer to one request."""
    match request["op"]:
        case "hello":
            if request["protocol"] != VERSION:
                raise ValueError(f"speaks protocol {VERSION}, not {request['protocol']}")
            return {"protocol": VERSION, "name": adapter.name, "version": adapter.version,
                    "settings": adapter.settings}
        case "enrol":
            adapter.enrol(request["id"], request["path"])
            return {"ok": True}
        case "ready":
            return {"ok": True, "indexBytes": adapter.ready()}
        case "identify":
            # Sorts equal scores by offset, so that the order of enrolment does not matter.
            answers = sorted(adapter.identify(request["path"]),
                             key=lambda answer: (-answer.score, answer.offset_seconds))
            return {"query": request["query"], "answers": [each.line() for each in answers[:MOST_ANSWERS]],
                    "matchMilliseconds": adapter.match_milliseconds}
        case other:
            raise ValueError(f"unknown op {other!r}")


def reply(adapter: Adapter, line: bytes) -> str:
    """The answer to one line, or an error, as a line."""
    try:
        return json.dumps(answer(adapter, json.loads(line)), allow_nan=False)
    except Exception as error:
        return json.dumps({"error": f"{type(error).__name__}: {error}"})


def serve(adapter: Adapter) -> None:
    """Answers until standard input ends."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for line in sys.stdin.buffer:
        print(reply(adapter, line), file=answers, flush=True)
