"""Streams that are not UTF-8, as under LC_ALL=C: pages are drawn in ASCII, and any other character is spelled out."""

from __future__ import annotations

import codecs
import json
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
