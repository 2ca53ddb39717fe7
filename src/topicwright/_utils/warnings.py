"""Warnings of the library, which a caller can collect instead.

``warnings.catch_warnings`` changes filters of the whole process, so that threads of a server would disturb each other.
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
_collected: ContextVar[CollectedWarnings | None] = ContextVar("collected", default=None)


def warn(message: str, category: type[TopicwrightWarning]) -> None:
    """Issue a warning at the line that called the library, or collect it inside :func:`collect_warnings`."""
    collected = _collected.get()
    if collected is None:
        warnings.warn(category(message), stacklevel=_frames_inside() + 1)
    else:
        collected[message] = category


def _frames_inside() -> int:
    """Number of frames above this one in the library, or in scikit-learn, whose wrappers call it."""
    frame, number = sys._getframe(1), 0
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _INSIDE:
        frame, number = frame.f_back, number + 1
    return number


@contextmanager
def collect_warnings() -> Iterator[CollectedWarnings]:
    """Collect the warnings of this thread in a mapping from message to category, instead of issuing them."""
    collected: CollectedWarnings = {}
    token = _collected.set(collected)
    try:
        yield collected
    finally:
        _collected.reset(token)
