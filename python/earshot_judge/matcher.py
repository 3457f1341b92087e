"""Matchers written in Python, and how they speak the contract of external matchers."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import pickle
import re
import traceback
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from . import protocol, settings
from .audio import Samples, read_wav
from .protocol import Alignment, Answer, ExplainedAnswer, Explanation, Place, Votes

__all__ = ["Alignment", "Answer", "ExplainedAnswer", "Explanation", "Matcher", "Place", "Votes"]


class Matcher:
    """A matcher to measure. A subclass defines `enrol` and `identify`.

    Samples are 32-bit floats in −1…1, of shape (frames,), or (frames, channels) where `mono` is false and there are two.
    `rate` is in Hz. What `enrol` and `identify` print goes to the log of the run.
    """

    name: str = ""
    """The name in reports; by default that of the class."""
    version: str = ""
    """The version in reports; by default a digest of the code, so that a changed matcher is measured again."""
    settings: Mapping[str, str | float | bool] = {}
    """What reports print about the matcher, beside its attributes of type `Setting`."""
    mono: bool = True
    """Whether samples are mixed to one channel."""

    def enrol(self, id: str, samples: Samples, rate: int) -> None:
        """Takes a reference. All references come before the first query."""
        raise NotImplementedError

    def ready(self) -> int | None:
        """Ends enrolment. Returns the size of the index in bytes, if known."""
        return None

    def identify(self, samples: Samples, rate: int) -> Answer | Iterable[Answer] | None:
        """Names the references of a query. Answers below the own threshold have `accepted=False`."""
        raise NotImplementedError

    def explain(self, samples: Samples, rate: int, places: Sequence[Place]) -> Explanation | None:
        """Says why a query has its answers, and how it fits to places of references. Pages of runs draw that.

        It is asked only after all queries of a run, because one of the places is the right one.
        """
        return None

    def serve(self) -> None:
        """Speaks the contract on standard input and output until the input ends: the end of a program for
        `--matcher-command`."""
        protocol.converse(ArrayAdapter(self))


class ArrayAdapter(protocol.Adapter):
    """Gives a matcher samples in place of files, and checks its answers."""

    def __init__(self, matcher: Matcher, log: Path | None = None) -> None:
        self.matcher = matcher
        self.log = log
        self.name = matcher.name or type(matcher).__name__
        self.version = matcher.version or code_digest(matcher)[:12]
        self.tunables = [each.statement(matcher) for each in settings.settings(matcher).values()]
        own = {each["name"]: each["default"] for each in self.tunables}
        self.settings = {key: plain(value) for key, value in {**own, **matcher.settings}.items()}
        self.ids: set[str] = set()

    def samples(self, path: str) -> tuple[Samples, int]:
        samples, rate = read_wav(Path(path))
        if samples.ndim == 2 and self.matcher.mono:
            samples = samples.mean(axis=1)
        return samples, rate

    def configure(self, values: Mapping[str, Any]) -> None:
        settings.configure(self.matcher, values)

    def enrol(self, id: str, path: str) -> None:
        self.matcher.enrol(id, *self.samples(path))
        self.ids.add(id)

    def ready(self) -> int | None:
        size = self.matcher.ready()
        return None if size is None else int(size)

    def identify(self, path: str) -> list[Answer]:
        given = self.matcher.identify(*self.samples(path))
        if isinstance(given, Answer) or given is None:
            given = [] if given is None else [given]
        if not isinstance(given, Iterable) or isinstance(given, (str, bytes)):
            raise TypeError(f"identify returned {type(given).__name__}; expected an Answer, a list of them, or None")
        return [self.checked(answer) for answer in given]

    @property
    def explains(self) -> bool:
        return type(self.matcher).explain is not Matcher.explain

    def explain(self, path: str, places: Sequence[Place]) -> Explanation | None:
        given = self.matcher.explain(*self.samples(path), places)
        if given is not None and not isinstance(given, Explanation):
            raise TypeError(f"explain returned {type(given).__name__}; expected an Explanation or None")
        return given

    def checked(self, answer: Answer) -> Answer:
        """An answer with plain numbers."""
        if not isinstance(answer, Answer):
            raise TypeError(f"identify returned a list with {type(answer).__name__}; expected Answer")
        if answer.id not in self.ids:
            raise ValueError(f"identify named {answer.id!r}, which is no enrolled reference")
        numbers: dict[str, Any] = {}
        for key in ("score", "offset_seconds", "frequency_skew", "time_skew", "confidence"):
            value = getattr(answer, key)
            numbers[key] = None if value is None else float(value)
            if (value is None and key == "score") or (value is not None and not math.isfinite(value)):
                raise ValueError(f"identify gave {answer.id!r} a {key} of {value}; expected a finite number")
        return replace(answer, id=str(answer.id), accepted=bool(answer.accepted), related=bool(answer.related), **numbers)

    def describe(self, error: Exception) -> str:
        return located(error, self.log)


def located(error: Exception, log: Path | None) -> str:
    """The error with its place in the code, where that is not in this package. Its traceback goes to the log."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).parent != Path(__file__).parent]
    own = next((f for f in reversed(frames) if f.filename not in (json.__file__,)), None)
    text = f"{type(error).__name__}: {error}" + (f" ({Path(own.filename).name}:{own.lineno}, in {own.name})" if own else "")
    if log:
        with log.open("a") as file:
            file.write(json.dumps([text, "".join(traceback.format_exception(error))]) + "\n")
    return text


def plain(value: object) -> str | float | bool:
    """A setting as JSON knows it."""
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, (str, bool, int, float)) else repr(value)


def code_digest(thing: Any) -> str:
    """A digest of what answers: the code of the function or class, what it uses of its module, and the object's attributes."""
    digest, seen = hashlib.sha256(), set[int]()
    if isinstance(thing, types.FunctionType):
        for part in parts(thing, seen):
            digest.update(part)
        return digest.hexdigest()
    for part in parts(type(thing), seen):
        digest.update(part)
    try:
        digest.update(pickle.dumps(sorted(vars(thing).items())))
    except Exception:
        digest.update(repr(sorted(getattr(thing, "__dict__", [repr(thing)]))).encode())
    return digest.hexdigest()


def parts(thing: Any, seen: set[int]) -> Iterator[bytes]:
    """The bytes that a digest of a class, function, code or value is made of."""
    if id(thing) in seen or thing is Matcher or isinstance(thing, types.ModuleType):
        return
    seen.add(id(thing))
    if isinstance(thing, type):
        for kind in thing.__mro__[::-1]:
            if kind.__module__ == thing.__module__:
                for key, value in sorted(vars(kind).items()):
                    if key not in ("__doc__", "__dict__", "__weakref__", "__module__", "__firstlineno__"):
                        yield key.encode()
                        yield from parts(value, seen)
    elif isinstance(thing, (staticmethod, classmethod)):
        yield from parts(thing.__func__, seen)
    elif isinstance(thing, types.FunctionType):
        yield from parts(thing.__code__, seen)
        for value in thing.__defaults__ or ():
            yield from parts(value, seen)
        for cell in thing.__closure__ or ():
            with contextlib.suppress(ValueError):  # A cell may be empty.
                yield from parts(cell.cell_contents, seen)
        for name in sorted(names(thing.__code__)):
            used = thing.__globals__.get(name)
            # The code of other packages is left out, but not their objects.
            foreign = isinstance(used, (type, types.FunctionType, types.BuiltinFunctionType))
            if not foreign or getattr(used, "__module__", None) == thing.__module__:
                yield name.encode()
                yield from parts(used, seen)
    elif isinstance(thing, types.CodeType):
        yield thing.co_code
        yield repr(thing.co_names).encode()
        for constant in thing.co_consts:
            yield from parts(constant, seen)
    else:
        try:
            yield pickle.dumps(sorted(thing, key=repr) if isinstance(thing, (set, frozenset)) else thing)
        except Exception:
            # Without the address, which differs in every process.
            yield re.sub(r" at 0x[0-9a-f]+", "", repr(thing)).encode()


def names(code: types.CodeType) -> set[str]:
    """The global names that code and the functions in it may use."""
    inner = [names(constant) for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return set(code.co_names).union(*inner)
