"""Training loop of models fitted in sweeps: priors, training curve, callbacks and interruption."""

from __future__ import annotations

import logging
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from numba.core import event as numba_events

from .._sampling import new_engine
from .._sampling.engine import SamplingEngine
from .._utils.validation import check_bool, check_integer, check_n_jobs
from .._utils.warnings import warn
from ..errors import InputError, StoppedWarning, TopicwrightWarning
from ._knowledge import warn_of_lost_seeds
from .fit_state import store_results
from .manifest import record_run

if TYPE_CHECKING:
    from .._sampling.engine import SamplingProblem
    from .batch import BatchTopicModel

logger = logging.getLogger("topicwright")

LEARN_AFTER, LEARN_EVERY = 20, 10  # sweeps before the priors are first learned, and between

Curve = list[tuple[int, float]]


class Sweep(NamedTuple):
    """Progress of training, passed to ``on_sweep`` after each sweep."""

    number: int
    """Number of sweeps done so far."""
    last: int
    """Number of the last sweep of this training."""
    log_likelihood: float | None
    """log p(w, z) per token, if it was evaluated after this sweep."""
    moved: float
    """Share of the tokens that changed their topic."""
    seconds: float
    """Duration of the sweep."""


OnSweep = Callable[[Sweep], Any]


# ---------------------------------------------------------------------- engines


def check_backend(backend: Any, resume: Any) -> None:
    """Validate the parameters ``backend`` and ``resume`` of ``fit``."""
    check_bool("resume", resume)
    if backend is None and resume:
        raise InputError(
            "`resume=True` continues a run of a backend: pass `backend`, or call resume() on a fitted model",
            parameter="resume",
            got=resume,
        )
    if isinstance(backend, type):
        raise InputError(
            parameter="backend",
            expected="a DiskBackend or a RayBackend",
            got=backend,
            hint=f"pass an instance: tw.{backend.__name__}(…)",
        )
    if backend is not None and not callable(getattr(backend, "start", None)):
        raise InputError(parameter="backend", expected="a DiskBackend or a RayBackend", got=backend)


def start_engine(problem: SamplingProblem, n_jobs: int | None, backend: Any, resume: bool) -> SamplingEngine:
    """Engine of a model without a loss: on a backend, or in this process."""
    threads = check_n_jobs(n_jobs)
    if backend is None:
        return new_engine(problem, n_jobs=threads)
    engine: SamplingEngine = backend.start(problem, n_jobs=threads, resume=resume)
    return engine


# ---------------------------------------------------------------------- the loop


def run_training(model: BatchTopicModel, engine: SamplingEngine, n_sweeps: int, on_sweep: OnSweep | None) -> None:
    """Train a model for ``n_sweeps`` more sweeps, store the results on it, and close the engine.

    An engine that resumes an interrupted run of a backend may have done some of the sweeps already. A callback with a
    method ``recall`` then receives the last likelihood of that run. Priors are not learned while earlier counts are
    fixed: new documents may be few.
    """
    learns = model.earlier_ is None
    is_new, n_before, target = model.sweeps_ == 0, model.sweeps_, model.sweeps_ + n_sweeps
    started, clock = time.time(), time.perf_counter()
    try:
        done = engine.sweep_number
        if done > target:
            warn(f"{done:,} sweeps are done already, more than the {target:,} requested", TopicwrightWarning)
        earlier, recall = list(engine.curve), getattr(on_sweep, "recall", None)
        if earlier and recall is not None:
            recall(earlier[-1][1])
        curve, is_stopped = run_sweeps(
            engine,
            max(0, target - done),
            learns_alpha=learns and isinstance(model.alpha, str),
            learns_beta=learns and isinstance(model.beta, str),
            evaluate_every=check_integer("evaluate_every", model.evaluate_every, 0),
            on_sweep=on_sweep,
        )
        store_results(model, engine)
        backend = getattr(engine, "description", "")
    finally:
        engine.close()
    model.log_likelihood_ = [*model.log_likelihood_, *earlier, *curve]
    model.interrupted_ = is_stopped
    record_run(model, started, time.perf_counter() - clock, model.sweeps_ - n_before, backend)
    if is_new and not is_stopped:
        warn_of_lost_seeds(model)


def run_sweeps(
    engine: SamplingEngine,
    n_sweeps: int,
    *,
    learns_alpha: bool,
    learns_beta: bool,
    evaluate_every: int,
    on_sweep: OnSweep | None,
) -> tuple[Curve, bool]:
    """Run sweeps of an engine.

    Returns
    -------
    curve : list of (sweep, log p(w, z) per token)
    is_stopped : bool
        Whether training stopped before the last sweep.
    """
    curve: Curve = []
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
            progress = Sweep(done, last, likelihood, engine.n_moved / n_tokens, time.perf_counter() - started)
            if on_sweep is not None and on_sweep(progress) is False:
                break
    missing = last - engine.sweep_number
    if missing and interrupted.is_set():
        warn(
            f"stopped after {engine.sweep_number:,} of {last:,} sweeps, which are kept; resume({missing}) continues",
            StoppedWarning,
        )
    return curve, missing > 0


@contextmanager
def _interruptible() -> Iterator[threading.Event]:
    """Event that Ctrl-C sets, so that no sweep is cut in two. A second Ctrl-C is an ordinary one."""
    event = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield event
        return
    previous = signal.getsignal(signal.SIGINT)
    if previous is not signal.default_int_handler:  # the application handles Ctrl-C itself
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


F = TypeVar("F", bound=Callable[..., Any])


def rollback_on_error(method: F) -> F:
    """Restore the attributes of an object if one of its methods fails. A warning raised as an error is no failure."""

    @wraps(method)
    def with_rollback(self: Any, *arguments: Any, **options: Any) -> Any:
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

    return cast(F, with_rollback)


# ---------------------------------------------------------------------- messages


_SECONDS_BETWEEN = 0.2
_last_shown = 0.0


def show_progress(sweep: Sweep) -> None:
    """Show the progress of training on standard error, in a terminal or a notebook; pass it as ``on_sweep``.

    Examples
    --------
    >>> import topicwright as tw
    >>> lda = tw.LDA(n_topics=2, n_sweeps=30).fit(["ship sea", "bread oven"] * 5, on_sweep=tw.show_progress)
    """
    global _last_shown
    is_last = sweep.number == sweep.last
    now = time.monotonic()
    if not is_last and now - _last_shown < _SECONDS_BETWEEN:
        return
    _last_shown = now
    parts = [f"sweep {sweep.number:,} of {sweep.last:,}", f"{1000 * sweep.seconds:,.0f} ms", f"{sweep.moved:.1%} moved"]
    if sweep.log_likelihood is not None:
        parts.append(f"log-likelihood {sweep.log_likelihood:.4f} per word")
    sys.stderr.write(f"\r{' · '.join(parts):<78}" + "\n" * is_last)
    sys.stderr.flush()


@contextmanager
def log_compilation() -> Iterator[None]:
    """Log once per process that kernels are being compiled, if that takes a while. Loading from the cache is quiet."""
    listener = _CompilationLogger()
    try:
        with numba_events.install_listener("numba:compile", listener):
            yield
    finally:
        listener.stop()


class _CompilationLogger(numba_events.Listener):  # type: ignore[misc]
    """Listener that logs a message some time after the first kernel began to compile."""

    has_logged = False
    delay = 1.0  # seconds

    def __init__(self) -> None:
        self._timer: threading.Timer | None = None

    def on_start(self, event: Any) -> None:
        """Numba compiles a kernel, or a function that one inlines."""
        if self._timer is None and not _CompilationLogger.has_logged:
            self._timer = threading.Timer(self.delay, self._log)
            self._timer.daemon = True
            self._timer.start()

    def on_end(self, event: Any) -> None:
        """Further kernels may follow."""

    def stop(self) -> None:
        """Cancel a message that is not logged yet."""
        if self._timer is not None:
            self._timer.cancel()

    def _log(self) -> None:
        if not _CompilationLogger.has_logged:
            _CompilationLogger.has_logged = True
            logger.info("compiling this kind of model (first run only)")
