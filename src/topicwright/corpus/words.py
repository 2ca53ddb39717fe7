"""Where the words of a text begin and end, when the user gives no pattern.

A word is a run of letters, of two characters or more; everything else separates. Python's ``\\w`` breaks the
words of Hindi, Tamil or Thai at every vowel sign, because such signs are marks and not letters; here marks
stay inside words, and so do the two joiners that Sinhala and Persian need.

Separators are turned into spaces by ``str.translate`` and the text is split: twice as fast as a regular
expression.
"""

from __future__ import annotations

import string
import unicodedata

_SPACE = ord(" ")
_JOINERS = "\u200c\u200d"

SINGLE_LETTERS = frozenset(string.ascii_letters)

_KEEP_CASE = {code: chr(code) if chr(code).isalpha() else " " for code in range(128)}
_LOWER = {code: letter.lower() for code, letter in _KEEP_CASE.items()}


def ascii_pieces(text: str, lowercase: bool) -> list[str]:
    """Runs of letters of an ASCII text, those of one letter too: see ``SINGLE_LETTERS``."""
    return text.translate(_LOWER if lowercase else _KEEP_CASE).split()


def unicode_words(text: str, lowercase: bool) -> list[str]:
    """Words of any text, composed (NFC) so that two spellings of an accent are one word."""
    pieces = normal_form(text, lowercase).translate(_SEPARATORS).split()
    return [word for word in map(_trim, pieces) if len(word) > 1]


def normal_form(text: str, lowercase: bool) -> str:
    """The text as words are cut from it: in lower case if asked, and composed."""
    if lowercase:
        text = text.lower()
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _trim(piece: str) -> str:
    """A word starts with a letter (an emoji leaves its variation mark behind) and ends in no joiner."""
    if piece[0].isalpha() and piece[-1] not in _JOINERS:
        return piece
    piece = piece.rstrip(_JOINERS)
    start = next((i for i, character in enumerate(piece) if character.isalpha()), len(piece))
    return piece[start:]


class _Separators(dict[int, int]):
    """A table for ``str.translate`` that learns each character when it first comes by."""

    def __missing__(self, code: int) -> int:
        character = chr(code)
        inside = character.isalpha() or character in _JOINERS or unicodedata.category(character) in ("Mn", "Mc")
        self[code] = code if inside else _SPACE
        return self[code]


_SEPARATORS = _Separators()
