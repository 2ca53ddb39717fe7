"""A quick start, and streams that can print any word."""

from __future__ import annotations

import codecs
import gc
import io
import json
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType
from typing import Any, TextIO

ESCAPED, DRAWN = "topicwright.escaped", "topicwright.drawn"  # names of ways to deal with what can't be encoded

_UPPER, _LOWER = 0b00011011, 0b11100100  # dots of a braille character
_ASCII = dict(zip("█▉▊▋▌▍▎▏", "######  ")) | dict(zip("─━│┤├╰╭╮╯╸╺", "--|||++++--")) | {"…": "...", "–": "-", "•": "*"}
_ASCII |= {chr(0x2800 + dots): " '.:"[bool(dots & _UPPER) + 2 * bool(dots & _LOWER)] for dots in range(256)}


def _escaped(error: Any) -> tuple[str, int]:
    """As JSON has it, so that JSON stays what it is."""
    return "".join(map(_spelled, error.object[error.start : error.end])), error.end


def _drawn(error: Any) -> tuple[str, int]:
    """For people: lines and bars by something that looks alike."""
    unknown = error.object[error.start : error.end]
    return "".join(_ASCII.get(character) or _spelled(character) for character in unknown), error.end


def _spelled(character: str) -> str:
    return json.dumps(character)[1:-1]


class Page:
    """A stream for people, on which everything can be written."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write what can be encoded as it is, and the rest as it can be."""
        encoding = self._stream.encoding
        return self._stream.write(text.encode(encoding, DRAWN).decode(encoding))


def page(stream: TextIO) -> TextIO:
    """The stream as it is if it takes any character, or else a page on it."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return stream if codecs.lookup(encoding).name.startswith("utf") else Page(stream)  # type: ignore[return-value]


codecs.register_error(ESCAPED, _escaped)
codecs.register_error(DRAWN, _drawn)


# scikit-learn imports both with its base classes (over half of its start-up), and no verb here needs either.
_LATER = {"scipy.stats", "pandas"}


class _ImportLater:
    """Finds a few slow modules, and has them run only when one of their names is first used."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The import system's question: where is this module?"""
        spec = PathFinder.find_spec(name, path, target) if name in _LATER else None
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


def prepare() -> None:
    """To be called once, before anything heavy is imported."""
    gc.set_threshold(100_000)  # what is imported stays: looking for garbage among it takes an eighth of the start
    sys.meta_path.insert(0, _ImportLater)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed, as by >&-
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 (open until the end)
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ESCAPED)
