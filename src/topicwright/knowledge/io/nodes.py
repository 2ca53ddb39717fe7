"""Values of a knowledge file, each with the place where it stands, so that every complaint names the place."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, NoReturn

from ...errors import InputError

_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
_WHOLE = re.compile(r"[-+]?[0-9]{1,15}")
_FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_NOTHING = ("", "~", "null")
_SHOWN = 60


class Text(str):
    """Text of a file: its line, and whether it stood bare of quotes, so that it may be meant as a number or true."""

    line: int
    bare: bool

    def __new__(cls, text: str, line: int, bare: bool) -> Text:  # noqa: D102
        self = super().__new__(cls, text)
        self.line, self.bare = line, bare
        return self


class SequenceNode(list[Any]):
    """A list of a file."""

    line: int


class MappingNode(dict[str, Any]):
    """A mapping of a file."""

    line: int


class KnowledgeFileError(InputError):
    """Something in a knowledge file is not what it must be; ``line`` is where, if that is known."""

    def __init__(self, message: str, line: int | None = None) -> None:  # without it, it could not be unpickled
        super().__init__(message)
        self.line = line


class Node:
    """A value, and the place where it stands."""

    def __init__(self, value: Any, place: str = "", line: int | None = None) -> None:
        self.value = value
        self.place = place
        self.line = getattr(value, "line", line)

    def fail(self, expected: str, hint: str = "") -> NoReturn:
        """Raise the error: the place must be what is expected."""
        shown = str(self.value) if _is_bare(self.value) else repr(self.value)
        shown = shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"
        self.refuse(f"must be {expected}: got {'nothing' if self.is_nothing else shown}{hint}")

    def refuse(self, reason: str, line: int | None = None) -> NoReturn:
        """Raise an error that gives the reason."""
        place = self.place or "knowledge"
        raise KnowledgeFileError(
            f"{place} {reason}" if reason.startswith("must") else f"{place}: {reason}", line or self.line
        )

    # ------------------------------------------------------------------ what is inside

    @property
    def is_list(self) -> bool:
        """Whether it is a list."""
        return isinstance(self.value, (list, tuple))

    @property
    def is_mapping(self) -> bool:
        """Whether it is a mapping."""
        return isinstance(self.value, dict)

    @property
    def is_nothing(self) -> bool:
        """Whether nothing is there, or null."""
        return self.value is None or (_is_bare(self.value) and self.value.lower() in _NOTHING)

    @property
    def has_mappings(self) -> bool:
        """Whether it is a list of mappings."""
        return self.is_list and len(self.value) > 0 and all(isinstance(entry, dict) for entry in self.value)

    def entries(self, expected: str) -> list[Node]:
        """The entries of a list; nothing at all is an empty one."""
        if self.is_nothing:
            return []
        if not self.is_list:
            self.fail(expected)
        return [Node(entry, self._within(f"entry {n}"), self.line) for n, entry in enumerate(self.value, 1)]

    def items(self, expected: str) -> list[tuple[Node, Node]]:
        """The keys and values of a mapping; nothing at all is an empty one."""
        if self.is_nothing:
            return []
        if not self.is_mapping:
            self.fail(expected)
        return [
            (Node(key, self._within("a key"), self.line), Node(value, self._within(str(key)), self.line))
            for key, value in self.value.items()
        ]

    def fields(self, known: tuple[str, ...], needed: tuple[str, ...] = ()) -> dict[str, Node]:
        """The values of a mapping that has certain keys and no others."""
        found = {}
        for key, value in self.items(f"a mapping with {' and '.join(needed) or 'some'} of the keys {', '.join(known)}"):
            if key.value not in known:
                self.refuse(f"unknown key {key.value!r}: the keys here are {', '.join(known)}", key.line)
            found[str(key.value)] = value
        for name in needed:
            if name not in found:
                self.refuse(f"the key {name!r} is missing")
        return found

    def _within(self, place: str) -> str:
        return f"{self.place}, {place}" if self.place else place

    # ------------------------------------------------------------------ what it is

    def text(self, expected: str = "text") -> str:
        """Text; whatever stands without quotes is text too, so that ``no`` and ``1984`` are words."""
        if isinstance(self.value, str) and not (self.value == "" and _is_bare(self.value)):
            return str(self.value)
        hint = ", which needs quotes to be text" if isinstance(self.value, (int, float)) else ""
        return self.fail(expected, hint)

    def number_or_none(self) -> float | None:
        """A finite number, or None if it is something else."""
        if _is_bare(self.value):
            number = float(self.value) if _NUMBER.fullmatch(self.value) else math.nan
        else:
            number = _as_float(self.value) if type(self.value) in (int, float) else math.nan
        return number if math.isfinite(number) else None

    def number(self, expected: str, fits: Callable[[float], bool]) -> float:
        """A finite number that fits."""
        number = self.number_or_none()
        if number is None or not fits(number):
            self.fail(expected)
        return number

    def whole_or_none(self) -> int | None:
        """A whole number, or None if it is something else."""
        if _is_bare(self.value):
            return int(self.value) if _WHOLE.fullmatch(self.value) else None
        return self.value if type(self.value) is int else None

    def flag_or_none(self) -> bool | None:
        """True or false, or None if it is something else."""
        if isinstance(self.value, bool):
            return self.value
        return _FLAGS.get(self.value.lower()) if _is_bare(self.value) else None

    def flag(self) -> bool:
        """True or false."""
        flag = self.flag_or_none()
        if flag is None:
            self.fail("true or false")
        return flag


def plain(value: Any) -> Any:
    """What a file says without its places: what stands bare of quotes and reads as a number or true is one."""
    if isinstance(value, dict):
        return {str(key): plain(own) for key, own in value.items()}
    if isinstance(value, list):
        return [plain(own) for own in value]
    if not _is_bare(value):
        return str(value) if isinstance(value, str) else value
    spot = Node(value)
    readings = (spot.whole_or_none(), spot.number_or_none(), spot.flag_or_none())
    read = next((reading for reading in readings if reading is not None), str(value))
    return None if spot.is_nothing else read


def reads_as_text(text: str) -> bool:
    """Whether text means the same with and without quotes."""
    spot = Node(Text(text, 0, bare=True))
    return spot.number_or_none() is None and spot.flag_or_none() is None and not spot.is_nothing


def looks_whole(text: Any) -> bool:
    """Whether text is a whole number in figures."""
    return isinstance(text, str) and _WHOLE.fullmatch(text) is not None


def _is_bare(value: Any) -> bool:
    return isinstance(value, Text) and value.bare


def _as_float(number: int | float) -> float:
    try:
        return float(number)
    except OverflowError:  # an integer beyond all floats
        return math.inf
