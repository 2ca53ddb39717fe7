"""The loop around the sweeps: progress, Ctrl-C, the priors, and word of a first compilation."""

from __future__ import annotations

import logging
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from numba.core import event as numba_events

from .._sampling.engine import SamplingEngine
from .._utils.warnings import warn
from ..errors import InputError, StoppedWarning

if TYPE_CHECKING:
    from .._sampling.problem import SamplingProblem
    from ..distributed.driver import ShardedEngine

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
    engine: SamplingEngine,
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
    with log_compilation():
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
def log_compilation() -> Iterator[None]:
    """Say so when compilation keeps the user waiting, once in a process; a kernel that is only loaded is no matter."""
    announcer = _CompilationLogger()
    try:
        with numba_events.install_listener("numba:compile", announcer):
            yield
    finally:
        announcer.stop()


class _CompilationLogger(numba_events.Listener):  # type: ignore[misc]
    """Speaks some time after the first kernel began to be compiled."""

    has_spoken = False
    patience = 1.0  # seconds

    def __init__(self) -> None:
        self._timer: threading.Timer | None = None

    def on_start(self, event: Any) -> None:
        """Numba compiles a kernel, or what one inlines."""
        if self._timer is None and not _CompilationLogger.has_spoken:
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
        if not _CompilationLogger.has_spoken:
            _CompilationLogger.has_spoken = True
            logger.info("compiling this kind of model (first run only)")


class Where(NamedTuple):
    """A backend, or None for this process; and whether to go on with a run that was cut off there."""

    backend: Any = None
    resume: bool = False

    def start(self, job: SamplingProblem, n_jobs: int) -> ShardedEngine:
        """The engine of a backend."""
        engine: ShardedEngine = self.backend.start(job, n_jobs=n_jobs, resume=self.resume)
        return engine

    def start_all(self, jobs: Sequence[SamplingProblem], n_jobs: int) -> list[ShardedEngine]:
        """Engines of several models, one job each."""
        engines: list[ShardedEngine] = self.backend.start_all(jobs, n_jobs=n_jobs, resume=self.resume)
        return engines


HERE = Where()


def placed(backend: Any, resume: Any) -> Where:
    """What ``fit`` was told, checked."""
    if not isinstance(resume, bool):
        raise InputError(f"resume must be True or False: got {resume!r}")
    if backend is None and resume:
        raise InputError("resume=True goes on with a run of a backend: give one, or call resume() on a fitted model")
    if backend is not None and (isinstance(backend, type) or not callable(getattr(backend, "start", None))):
        got = f"the class; write tw.{backend.__name__}(…)" if isinstance(backend, type) else repr(backend)
        raise InputError(f"backend must be a DiskBackend or a RayBackend: got {got}")
    return Where(backend, resume)


_SECONDS_BETWEEN = 0.2
_shown = 0.0


def show_progress(sweep: Sweep) -> None:
    """Show sweeps on standard error, at a prompt or in a notebook; to be passed as ``on_sweep``.

    >>> import topicwright as tw
    >>> lda = tw.LDA(n_topics=2, n_sweeps=30).fit(["ship sea", "bread oven"] * 5, on_sweep=tw.show_progress)
    """
    global _shown
    is_last = sweep.number == sweep.last
    now = time.monotonic()
    if not is_last and now - _shown < _SECONDS_BETWEEN:
        return
    _shown = now
    told = [f"sweep {sweep.number:,} of {sweep.last:,}", f"{1000 * sweep.seconds:,.0f} ms", f"{sweep.moved:.1%} moved"]
    if sweep.log_likelihood is not None:
        told.append(f"log-likelihood {sweep.log_likelihood:.4f} per word")
    sys.stderr.write(f"\r{' · '.join(told):<78}" + "\n" * is_last)
    sys.stderr.flush()


F = TypeVar("F", bound=Callable[..., Any])


def rollback_on_error(method: F) -> F:
    """Have a method that fails leave its object as it was; a warning that is raised is no failure."""

    @wraps(method)
    def tried(self: Any, *arguments: Any, **options: Any) -> Any:
        before = dict(vars(self))
        try:
            return method(self, *arguments, **options)
        except Warning:
            raise
        except BaseException:
            for name in vars(self).keys() - before.keys():
                delattr(self, name)
            vars(self).update(before)
            raise

    return cast(F, tried)
