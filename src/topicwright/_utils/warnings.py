"""The library's warnings, which a caller may hold back.

``warnings.catch_warnings`` changes filters of the whole process: in a server, threads that use it undo each other's.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ..errors import TopicwrightWarning

CollectedWarnings = dict[str, type[TopicwrightWarning]]

_INSIDE = {"topicwright", "sklearn"}
_held: ContextVar[CollectedWarnings | None] = ContextVar("held", default=None)


def warn(message: str, category: type[TopicwrightWarning]) -> None:
    """Warn at the line that called the library, or note it where warnings are held back."""
    held = _held.get()
    if held is None:
        warnings.warn(category(message), stacklevel=_calls_inside() + 1)
    else:
        held[message] = category


def _calls_inside() -> int:
    """How many calls above this one are in the library, or in scikit-learn, whose wrappers call it."""
    frame, number = sys._getframe(1), 0
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _INSIDE:
        frame, number = frame.f_back, number + 1
    return number


@contextmanager
def collect_warnings() -> Iterator[CollectedWarnings]:
    """Hold back what this thread warns of; what that was is in the mapping, in its order."""
    held: CollectedWarnings = {}
    before = _held.set(held)
    try:
        yield held
    finally:
        _held.reset(before)
