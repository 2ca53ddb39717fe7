"""Ctrl-C and SIGTERM end a training after the sweep that is under way; a second one ends it at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Stop:
    """Whether somebody asked for the end, and with which signal."""

    signal: int | None = None

    @property
    def asked(self) -> bool:
        """Whether a signal has come."""
        return self.signal is not None

    @property
    def exit_code(self) -> int:
        """130 after Ctrl-C, 143 after SIGTERM, as shells have it."""
        return 0 if self.signal is None else 128 + self.signal


@contextmanager
def stopping_on_signals() -> Iterator[Stop]:
    """Note the first signal; after it, signals do what they did before. What was ignored stays so."""
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    ours = {number: old for number, old in handlers.items() if old not in (signal.SIG_IGN, None)}

    def restore() -> None:
        for number, old in ours.items():
            signal.signal(number, old)

    def note(number: int, frame: Any) -> None:
        stop.signal = number
        restore()

    for number in ours:
        signal.signal(number, note)
    try:
        yield stop
    finally:
        restore()
