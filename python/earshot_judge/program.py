"""The program `earshot`: where it is, and what it prints."""

from __future__ import annotations

import inspect
import json
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

EXIT_CODES: dict[str, int] = json.loads(Path(__file__).with_name("exit_codes.json").read_text())


class EarshotError(RuntimeError):
    """What the program, or a matcher, could not do."""


class EarshotWarning(UserWarning):
    """What the program warns of, such as damaged audio and files that are left out."""


def warn(text: str) -> None:
    """Warns at the line that called this package."""
    level, caller = 1, inspect.currentframe()
    while caller and Path(caller.f_code.co_filename).parent == Path(__file__).parent:
        level, caller = level + 1, caller.f_back
    warnings.warn(text, EarshotWarning, stacklevel=level)


def program() -> str:
    """The path of `earshot`: that of `EARSHOT_BINARY`, of this package, or of PATH."""
    own = Path(__file__).parent / "bin" / "earshot"
    found = os.environ.get("EARSHOT_BINARY") or (str(own) if own.exists() else shutil.which("earshot"))
    if not found or not os.access(found, os.X_OK):
        raise EarshotError(
            f"{found or 'earshot'}: no such program. Install the wheel of this machine, or name a program in EARSHOT_BINARY."
        )
    return found


def environment() -> dict[str, str]:
    """That of the program, which prints each warning as a line of JSON."""
    return {**os.environ, "EARSHOT_WARNINGS": "json"}


def warning(line: str) -> str | None:
    """The warning that a line of the program holds; None if it holds none."""
    try:
        return str(json.loads(line)["warning"])
    except (ValueError, KeyError, TypeError):
        return None


def run(*arguments: str | os.PathLike[str], allowed: Sequence[int] = (0,)) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end, and passes on its warnings.

    Raises an `EarshotError` with what it printed if it ends with another status.
    """
    done = subprocess.run(
        [program(), *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, env=environment()
    )  # fmt: skip
    lines = [(line, warning(line)) for line in done.stderr.splitlines()]
    done.stderr = "\n".join(line for line, text in lines if text is None)
    if done.returncode not in allowed:
        raise EarshotError(message(done.stderr, done.stdout, done.returncode))
    if done.returncode != EXIT_CODES["error"]:
        for text in filter(None, (text for _, text in lines)):
            warn(text)
    return done


def message(errors: str, output: str, status: int) -> str:
    """What a command that failed says last, without its progress."""
    *_, last = ("\n" + (errors.strip() or output.strip())).rsplit("\nError: ", 1)
    return "\n".join(last.strip().splitlines()[-6:]) or f"earshot ended with status {status}"


def refusal(version: object, known: int) -> str | None:
    """Why a file of a version of its format is not read by a program that knows it up to `known`; None if it is."""
    if isinstance(version, int) and 1 <= version <= known:
        return None
    number = run("--version").stdout.split()[1]
    if not isinstance(version, int) or version < 1:
        return f"has format {version}; Earshot {number} reads 1 to {known}"
    major, minor, _ = number.split(".")
    return f"written by Earshot {major}.{int(minor) + 1} or later; this is {number}"


def main() -> None:
    """Becomes the program, with the same arguments."""
    try:
        path = program()
    except EarshotError as error:
        sys.exit(f"Error: {error}")
    os.execv(path, [path, *sys.argv[1:]])
