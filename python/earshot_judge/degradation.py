"""Degradations written in Python, and how they speak the protocol of `--degradation-command`."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import protocol
from .audio import as_samples, read_wav, write_wav
from .matcher import code_digest, located

Function = Callable[..., Any]
"""Takes samples, their rate, a `numpy.random.Generator` and a severity. Returns samples, or samples and a delay in seconds."""


@dataclass(frozen=True)
class Degradation:
    """A function that degrades, with what is known of it. A function may have these as its attributes instead."""

    apply: Function
    severities: Sequence[float] | None = None
    """Each becomes a condition. Without them there is one condition, whose severity is None."""
    version: str = ""
    """By default a digest of the code, so that the queries of a changed function are made again."""
    delay_seconds: float | None = None
    """How much later the sound is. None measures it, unless the function returns it."""

    @classmethod
    def of(cls, given: Function | Degradation) -> Degradation:
        if isinstance(given, Degradation):
            return given
        if not callable(given):
            raise TypeError(f"{given!r} is of type {type(given).__name__}; expected a function")
        severities, delay = getattr(given, "severities", None), getattr(given, "delay_seconds", None)
        return cls(given, severities, str(getattr(given, "version", "")), delay)

    def __post_init__(self) -> None:
        if self.severities is not None:
            object.__setattr__(self, "severities", tuple(float(severity) for severity in self.severities))


class Degrader(protocol.Responder):
    """Answers with degradations."""

    def __init__(
        self,
        named: Mapping[str, Function | Degradation] | None = None,
        chain: Sequence[Mapping[str, Any] | Function | Degradation] | None = None,
        log: Path | None = None,
    ) -> None:
        self.log = log
        self.known = {name: Degradation.of(given) for name, given in (named or {}).items()}
        self.own = set(self.known)
        """The degradations with conditions of their own; those that only the chain has get none."""
        self.chain = None if chain is None else [self.step(given) for given in chain]
        """The chain as the program reads it."""

    def step(self, given: Mapping[str, Any] | Function | Degradation) -> Mapping[str, Any]:
        """A step of a chain: a built-in one as it is, `{NAME: {"severity": 0.5}}` of a named one, or a function."""
        if isinstance(given, Mapping):
            name = next(iter(given), None)
            return {"program": {"name": name, **(given[name] or {})}} if name in self.known and len(given) == 1 else given
        one = Degradation.of(given)
        known = next((name for name, other in self.known.items() if other == one), None)
        if known is None:
            known = getattr(one.apply, "__name__", "").strip("<>") or type(one.apply).__name__
            while known in self.known:
                known += "'"
            self.known[known] = one
        return {"program": {"name": known}}

    @property
    def offered(self) -> list[dict[str, Any]]:
        return [self.offer(name, one) for name, one in self.known.items()]

    def offer(self, name: str, one: Degradation) -> dict[str, Any]:
        version = one.version or code_digest(one.apply)[:12]
        return {"name": name, "version": version, "severities": one.severities if name in self.own else []}

    def respond(self, request: dict[str, Any]) -> dict[str, Any]:
        match request["op"]:
            case "hello":
                return {"protocol": 1, "degradations": self.offered}
            case "degrade":
                one = self.known[request["name"]]
                samples, rate = read_wav(Path(request["path"]))
                degraded, delay = applied(one, samples, rate, request["seed"], request.get("severity"))
                write_wav(Path(request["output"]), degraded, rate)
                return {"ok": True, "delaySeconds": delay}
            case other:
                raise ValueError(f"unknown op {other!r}")

    def describe(self, error: Exception) -> str:
        return located(error, self.log)


def serve_degradations(degradations: Mapping[str, Function | Degradation]) -> None:
    """Speaks the protocol on standard input and output until the input ends: the end of a program for
    `--degradation-command`."""
    protocol.converse(Degrader(degradations))


def applied(one: Degradation, samples: Any, rate: int, seed: int, severity: float | None) -> tuple[Any, float | None]:
    """What a function makes of samples, and the delay that it states."""
    # Many packages draw from the generators of the process.
    random.seed(seed)
    np.random.seed(seed % 2**32)
    given = one.apply(samples, rate, np.random.default_rng(seed), severity)
    delay = one.delay_seconds
    if isinstance(given, tuple):
        if len(given) != 2:
            raise TypeError(f"returned a tuple of {len(given)}; expected samples, or samples and a delay in seconds")
        given, delay = given
    if given is None:
        raise TypeError("returned None; expected samples")
    return as_samples(given), None if delay is None else float(delay)
