"""Settings of a matcher that a user or a search may change."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["Setting"]


class Setting:
    """A setting, as an attribute of the class of a matcher: `fan = ej.Setting(3, 30, step=1)`.

    `earshot tune` and `earshot settings` know its range. It has its value before the first `enrol`. An attribute of an object,
    set in `__init__` for example, is the default of that object.
    """

    def __init__(
        self,
        lowest: float | None = None,
        highest: float | None = None,
        default: float | str | bool | None = None,
        *,
        step: float | None = None,
        log: bool = False,
        choices: Sequence[str] | None = None,
        summary: str = "",
    ) -> None:
        """A number from `lowest` to `highest`, whole with a whole `step`; one of `choices`; or on or off, with a default of
        True or False. Without `default` it is the middle of the range by its scale, or the first choice."""
        self.name = ""
        self.choices = list(choices) if choices is not None else None
        self.step, self.log, self.summary = step, log, summary
        self.is_flag = isinstance(default, bool)
        if (lowest is None) != (highest is None) or (lowest is None) == (self.choices is None and not self.is_flag):
            raise ValueError("a setting needs lowest and highest, or choices, or a default of True or False")
        if lowest is None or highest is None:
            self.lowest = self.highest = 0.0
            self.default: float | str | bool = default if default is not None else (self.choices or [""])[0]
            return
        if not (math.isfinite(lowest) and math.isfinite(highest) and lowest < highest and (lowest > 0 or not log)):
            raise ValueError(f"a setting goes from {lowest} to {highest}; expected a range, above 0 with log=True")
        self.lowest, self.highest = lowest, highest
        self.is_whole = step is not None and all(float(value).is_integer() for value in (step, lowest, highest))
        self.default = default if default is not None else self.middle()

    def middle(self) -> float:
        middle = math.sqrt(self.lowest * self.highest) if self.log else (self.lowest + self.highest) / 2
        if self.step is None:
            return middle
        near = self.lowest + round((middle - self.lowest) / self.step) * self.step
        return round(near) if self.is_whole else near

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, matcher: object | None, owner: type | None = None) -> Any:
        return self if matcher is None else vars(matcher).get(self.name, self.default)

    def __set__(self, matcher: object, value: Any) -> None:
        vars(matcher)[self.name] = value

    def statement(self, matcher: object) -> dict[str, Any]:
        """The setting as the contract states it. The value of the object is the default."""
        stated: dict[str, Any] = {"name": self.name, "default": self.__get__(matcher), "summary": self.summary}
        if self.choices is not None:
            return {**stated, "choices": self.choices}
        if self.is_flag:
            return {**stated, "type": "flag"}
        kind, scale = "whole" if self.is_whole else "number", "logarithmic" if self.log else "linear"
        return {**stated, "type": kind, "lowest": self.lowest, "highest": self.highest, "step": self.step, "scale": scale}


def settings(matcher: object) -> dict[str, Setting]:
    """The settings of a matcher's class by their names; those of a subclass replace others."""
    found: dict[str, Setting] = {}
    for kind in reversed(type(matcher).__mro__):
        found.update({name: value for name, value in vars(kind).items() if isinstance(value, Setting)})
    return found


def configure(matcher: object, values: Mapping[str, Any]) -> None:
    """Gives settings their values."""
    known = settings(matcher)
    for name, value in values.items():
        if name not in known:
            raise ValueError(f"no setting is called {name!r}; there are {', '.join(known) or 'none'}")
        setattr(matcher, name, value)
