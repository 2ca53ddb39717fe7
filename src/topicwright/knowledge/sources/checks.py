"""Parameters that several sources share, met at the door."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from operator import index
from typing import Any

from ...errors import InputError


def checked_words(vocabulary: Any) -> list[str]:
    """The different words of a vocabulary, in alphabetical order, so that ties are always cut in the same way."""
    if isinstance(vocabulary, (str, bytes)) or not isinstance(vocabulary, Iterable):
        raise InputError(f"vocabulary must be a list of words: got {type(vocabulary).__name__}")
    words = list(vocabulary)
    stranger = next((word for word in words if not isinstance(word, str)), None)
    if stranger is not None:
        raise InputError(f"vocabulary must hold words: got {stranger!r} among them")
    return sorted({str(word) for word in words})


def checked_threshold(threshold: Any) -> float:
    """A cosine similarity."""
    if isinstance(threshold, bool) or not isinstance(threshold, Real) or not -1 <= float(threshold) <= 1:
        raise InputError(f"threshold must be a number from -1 to 1: got {threshold!r}")
    return float(threshold)


def checked_share(name: str, share: Any) -> float:
    """A share above 0, and at most 1."""
    if isinstance(share, bool) or not isinstance(share, Real) or not 0 < float(share) <= 1:
        raise InputError(f"{name} must be a number above 0 and at most 1: got {share!r}")
    return float(share)


def checked_count(name: str, count: Any, minimum: int = 1) -> int:
    """A whole number of at least the minimum."""
    try:
        number = -1 if isinstance(count, bool) else index(count)
    except TypeError:
        number = -1
    if number < minimum:
        raise InputError(f"{name} must be a whole number of at least {minimum}: got {count!r}")
    return number


def checked_limit(name: str, limit: Any) -> int | None:
    """A whole number of at least 1, or None for no limit."""
    return None if limit is None else checked_count(name, limit)
