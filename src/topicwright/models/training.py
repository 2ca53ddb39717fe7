"""The loop around the sweeps: progress, Ctrl-C, the priors, and word of a first compilation."""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from numba.core import event as numba_events

from .._warning import warn
from ..errors import StoppedWarning
from ..samplers.engine import Engine

logger = logging.getLogger("topicwright")

LEARN_AFTER, LEARN_EVERY = 20, 10  # sweeps before the priors are first learned, and between


class Sweep(NamedTuple):
    """What ``on_sweep`` is told after each sweep."""

    number: int
    """Sweeps done so far, from 1."""
    last: int
    """The number of the last sweep that was asked for."""
    log_likelihood: float | None
    """log p(w, z) per token, after the sweeps where it was computed."""
    moved: float
    """Share of the tokens that changed their topic."""
    seconds: float
    """How long the sweep took."""


OnSweep = Callable[[Sweep], Any]


def train(
    engine: Engine,
    n_sweeps: int,
    *,
    learns_alpha: bool,
    learns_beta: bool,
    evaluate_every: int,
    on_sweep: OnSweep | None,
) -> tuple[list[tuple[int, float]], bool]:
    """Run sweeps; returns the curve of log p(w, z) per token, and whether the run was stopped before its end."""
    curve: list[tuple[int, float]] = []
    n_tokens = max(1, engine.n_tokens)
    last = engine.sweep_number + n_sweeps
    with announcing_compilation():
        engine.prepare()
    with _interruptible() as interrupted:
        while engine.sweep_number < last and not interrupted.is_set():
            started = time.perf_counter()
            engine.sweep()
            done = engine.sweep_number
            if done > LEARN_AFTER and done % LEARN_EVERY == 0:
                if learns_alpha:
                    engine.learn_alpha()
                if learns_beta:
                    engine.learn_beta()
            likelihood = None
            if done == last or (evaluate_every and done % evaluate_every == 0):
                likelihood = engine.log_likelihood() / n_tokens
                curve.append((done, likelihood))
            report = Sweep(done, last, likelihood, engine.n_moved / n_tokens, time.perf_counter() - started)
            if on_sweep is not None and on_sweep(report) is False:
                break
    missing = last - engine.sweep_number
    if missing and interrupted.is_set():
        told = f"stopped after {engine.sweep_number:,} of {last:,} sweeps, which are kept; resume({missing}) goes on"
        warn(told, StoppedWarning)
    return curve, missing > 0


@contextmanager
def _interruptible() -> Iterator[threading.Event]:
    """Ctrl-C sets the event, so that a sweep is never cut in two; a second Ctrl-C is an ordinary one."""
    event = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield event
        return
    previous = signal.getsignal(signal.SIGINT)
    if previous is not signal.default_int_handler:  # somebody else has plans for Ctrl-C
        yield event
        return

    def stop_after_this_sweep(number: int, frame: Any) -> None:
        event.set()
        signal.signal(signal.SIGINT, previous)

    signal.signal(signal.SIGINT, stop_after_this_sweep)
    try:
        yield event
    finally:
        signal.signal(signal.SIGINT, previous)


@contextmanager
def announcing_compilation() -> Iterator[None]:
    """Say so when compilation keeps the user waiting, once in a process; a kernel that is only loaded is no matter."""
    announcer = _Announcer()
    try:
        with numba_events.install_listener("numba:compile", announcer):
            yield
    finally:
        announcer.stop()


class _Announcer(numba_events.Listener):  # type: ignore[misc]
    """Speaks some time after the first kernel began to be compiled."""

    has_spoken = False
    patience = 1.0  # seconds

    def __init__(self) -> None:
        self._timer: threading.Timer | None = None

    def on_start(self, event: Any) -> None:
        """Numba compiles a kernel, or what one inlines."""
        if self._timer is None and not _Announcer.has_spoken:
            self._timer = threading.Timer(self.patience, self._speak)
            self._timer.daemon = True
            self._timer.start()

    def on_end(self, event: Any) -> None:
        """There may be more of them."""

    def stop(self) -> None:
        """It is over."""
        if self._timer is not None:
            self._timer.cancel()

    def _speak(self) -> None:
        if not _Announcer.has_spoken:
            _Announcer.has_spoken = True
            logger.info("compiling this kind of model (first run only)")
