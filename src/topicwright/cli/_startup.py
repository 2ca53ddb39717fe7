"""Fast start-up, and output streams that can print any character."""

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

ESCAPED, DRAWN = (
    "topicwright.escaped",
    "topicwright.drawn",
)  # names of error handlers for characters that cannot be encoded

_UPPER, _LOWER = 0b00011011, 0b11100100  # dots of a braille character
_ASCII = dict(zip("█▉▊▋▌▍▎▏", "######  ")) | dict(zip("─━│┤├╰╭╮╯╸╺", "--|||++++--")) | {"…": "...", "–": "-", "•": "*"}
_ASCII |= {chr(0x2800 + dots): " '.:"[bool(dots & _UPPER) + 2 * bool(dots & _LOWER)] for dots in range(256)}


def _escaped(error: Any) -> tuple[str, int]:
    """Escape characters as in JSON, so that JSON stays valid."""
    return "".join(map(_json_escape, error.object[error.start : error.end])), error.end


def _drawn(error: Any) -> tuple[str, int]:
    """Replace lines and bars by similar ASCII characters, and escape others."""
    unknown = error.object[error.start : error.end]
    return "".join(_ASCII.get(character) or _json_escape(character) for character in unknown), error.end


def _json_escape(character: str) -> str:
    return json.dumps(character)[1:-1]


class AnyTextStream:
    """Output stream for people that accepts any character."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write text, with replacements for characters that cannot be encoded."""
        encoding = self._stream.encoding
        return self._stream.write(text.encode(encoding, DRAWN).decode(encoding))


def accept_any_text(stream: TextIO) -> TextIO:
    """The stream itself if it is Unicode, otherwise a wrapper that replaces characters."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return stream if codecs.lookup(encoding).name.startswith("utf") else AnyTextStream(stream)  # type: ignore[return-value]


codecs.register_error(ESCAPED, _escaped)
codecs.register_error(DRAWN, _drawn)


# scikit-learn imports both with its base classes (over half of its start-up), and no command needs either.
_LAZY = {"scipy.stats", "pandas"}


class _LazyFinder:
    """Import finder for a few slow modules, which are executed when they are first used."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Spec of a module with a lazy loader."""
        spec = PathFinder.find_spec(name, path, target) if name in _LAZY else None
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


def prepare() -> None:
    """Prepare the process; to be called once, before slow imports."""
    gc.set_threshold(100_000)  # imported modules stay: looking for garbage in them takes an eighth of the start
    sys.meta_path.insert(0, _LazyFinder)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed, as by >&-
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 (open until the end)
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ESCAPED)
