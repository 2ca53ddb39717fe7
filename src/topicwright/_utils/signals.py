"""Deferred signals, for work that must not be interrupted."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

STOP_SIGNALS = tuple(  # Ctrl-C, a request to stop, and a closed terminal, which Windows does not have
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


@contextmanager
def defer_signals() -> Iterator[None]:
    """Defer SIGINT, SIGTERM and SIGHUP to the end of the block, if Python handles them.

    In threads other than the main one it does nothing, since no handler runs there.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers: dict[int, Any] = {n: old for n in STOP_SIGNALS if callable(old := signal.getsignal(n))}
    received: list[tuple[int, Any]] = []
    is_over = False

    def defer(number: int, frame: Any) -> None:
        if is_over:  # a handler raised an error before all handlers were restored
            handlers[number](number, frame)
        else:
            received.append((number, frame))

    try:
        for number in handlers:
            signal.signal(number, defer)
        yield
    finally:
        is_over = True
        for number, old in handlers.items():
            signal.signal(number, old)
        for number, frame in received:
            handlers[number](number, frame)
