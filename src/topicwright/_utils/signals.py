"""Work that no signal may cut in two: signals that come meanwhile are heard when it is done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_HELD = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def defer_signals() -> Iterator[None]:
    """Hold back Ctrl-C and SIGTERM, where Python handles them; their handlers then run at the end.

    In another thread than the main one nothing has to be done: no handler runs there.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers: dict[int, Any] = {n: old for n in _HELD if callable(old := signal.getsignal(n))}
    came: list[tuple[int, Any]] = []
    is_over = False

    def hold(number: int, frame: Any) -> None:
        if is_over:  # a handler that raised has kept us from putting this one back
            handlers[number](number, frame)
        else:
            came.append((number, frame))

    try:
        for number in handlers:
            signal.signal(number, hold)
        yield
    finally:
        is_over = True
        for number, old in handlers.items():
            signal.signal(number, old)
        for number, frame in came:
            handlers[number](number, frame)
