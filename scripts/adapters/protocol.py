"""What every adapter shares: the contract of external matchers, version 1, from the child's side.

`earshot` writes one JSON object a line to standard input and reads exactly one line for each from
standard output, in order. An adapter is a `Rival` handed to `serve`, which answers until the input
ends. Whatever else a rival prints to standard output is sent to standard error.
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
    """One candidate. Skews are fractions, None where the rival states none."""

    id: str
    score: float
    """As the rival counts; more is better."""
    offset_seconds: float
    """The time in the reference that is heard at the query's first sample."""
    frequency_skew: float | None = None
    """f_query / f_reference - 1."""
    time_skew: float | None = None
    """Seconds of reference in a second of query, less 1."""
    accepted: bool = True
    """Whether the rival itself would report it."""

    def line(self) -> dict:
        return {
            "id": self.id, "score": self.score, "confidence": None, "accepted": self.accepted,
            "offsetSeconds": self.offset_seconds,
            "frequencySkew": self.frequency_skew, "timeSkew": self.time_skew,
        }


class Rival:
    """A matcher. Subclasses give the names and settings to print, and the methods that raise."""

    name: str
    version: str
    settings: dict[str, str | float | bool]
    match_milliseconds: float | None = None
    """How long the last look-up took by the rival's own clock, where it says."""

    def enrol(self, id: str, path: str) -> None:
        raise NotImplementedError

    def ready(self) -> int | None:
        """Ends enrolment; the size of the index in bytes, where it can be told."""
        raise NotImplementedError

    def identify(self, path: str) -> list[Answer]:
        """Candidates, in any order."""
        raise NotImplementedError


def options(description: str, settings: list[str], home: str, needs_home: bool = False) -> argparse.Namespace:
    """The command line of an adapter: `--setting`, the first by default, and `--home`, where the rival is."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--setting", choices=settings, default=settings[0])
    parser.add_argument("--home", type=os.path.abspath, required=needs_home, help=home)
    return parser.parse_args()


def work_folder() -> pathlib.Path:
    """Where index and scratch files go; whoever started the adapter removes it."""
    return pathlib.Path(os.environ.get("EARSHOT_WORK") or tempfile.mkdtemp(prefix="earshot-rival-"))


def run(*command: str | os.PathLike, env: dict[str, str] | None = None) -> str:
    """What a program prints. Raises with its last words when it fails."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=env,
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        words = (done.stderr or done.stdout).strip().splitlines()[-3:]
        raise RuntimeError(f"{command[0]} ended with status {done.returncode}: {' | '.join(words)}")
    return done.stdout


def commit(checkout: str) -> str:
    """The commit of a checkout, for rivals without version numbers."""
    try:
        return run("git", "-C", checkout, "rev-parse", "--short", "HEAD").strip()
    except (OSError, RuntimeError):
        return "unknown"


def bytes_on_disk(folder: pathlib.Path) -> int:
    """What the files in a folder take on disk, holes not counted."""
    return sum(file.stat().st_blocks * 512 for file in folder.rglob("*") if file.is_file())


def answer(rival: Rival, request: dict) -> dict:
    """The answer to one request."""
    match request["op"]:
        case "hello":
            if request["protocol"] != VERSION:
                raise ValueError(f"speaks protocol {VERSION}, not {request['protocol']}")
            return {"protocol": VERSION, "name": rival.name, "version": rival.version,
                    "settings": rival.settings}
        case "enrol":
            rival.enrol(request["id"], request["path"])
            return {"ok": True}
        case "ready":
            return {"ok": True, "indexBytes": rival.ready()}
        case "identify":
            # Equals in the order of their places, as that of enrolment must not matter.
            answers = sorted(rival.identify(request["path"]),
                             key=lambda answer: (-answer.score, answer.offset_seconds))
            return {"query": request["query"], "answers": [each.line() for each in answers[:MOST_ANSWERS]],
                    "matchMilliseconds": rival.match_milliseconds}
        case other:
            raise ValueError(f"unknown op {other!r}")


def reply(rival: Rival, line: bytes) -> str:
    """The answer to one line, as a line; where it fails, the error."""
    try:
        return json.dumps(answer(rival, json.loads(line)), allow_nan=False)
    except Exception as error:
        return json.dumps({"error": f"{type(error).__name__}: {error}"})


def serve(rival: Rival) -> None:
    """Answers until standard input ends."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for line in sys.stdin.buffer:
        print(reply(rival, line), file=answers, flush=True)
