"""The library's warnings, which a caller may hold back.

``warnings.catch_warnings`` changes filters of the whole process: in a server, threads that use it undo each other's.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .errors import TopicwrightWarning

Warned = dict[str, type[TopicwrightWarning]]

_held: ContextVar[Warned | None] = ContextVar("held", default=None)


def warn(message: str, category: type[TopicwrightWarning], stacklevel: int = 1) -> None:
    """Warn as ``warnings.warn`` does, or note it where warnings are held back."""
    held = _held.get()
    if held is None:
        warnings.warn(message, category, stacklevel=stacklevel + 1)
    else:
        held[message] = category


@contextmanager
def held_back() -> Iterator[Warned]:
    """Hold back what this thread warns of; what that was is in the mapping, in its order."""
    held: Warned = {}
    before = _held.set(held)
    try:
        yield held
    finally:
        _held.reset(before)
