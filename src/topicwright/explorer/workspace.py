"""Workspace that all windows share: a model with its branches, or the training that produces it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError
from ..models import LDA
from ..steering import Steering
from ..steering.branches import MAIN
from ..views.words import coherence_of_topics
from .branch_session import USER_ERRORS, BranchSession

if TYPE_CHECKING:
    from ..corpus import Corpus
    from ..models import Sweep

_CHUNK = 20  # sweeps between two views of the topics; the result does not depend on it
_SECONDS_BETWEEN_EVENTS = 0.2
_COHERENCE_SHARE = 0.2  # of the time at most


class Training:
    """A training with its curves and, after its first sweeps, a read-only session with the current topics.

    Parameters
    ----------
    model : LDA
    corpus : Corpus
    path : Path
        Model file to write.
    """

    def __init__(self, model: LDA, corpus: Corpus, path: Path) -> None:
        self.model, self.corpus, self.path = model, corpus, path
        self.total = int(model.n_sweeps)
        self.sweep, self.seconds, self.problem = 0, 0.0, ""
        self.likelihood: list[tuple[float, float]] = []
        self.coherence: list[tuple[float, float]] = []
        self.session: BranchSession | None = None
        self.is_over = False
        self._stop_requested = False
        self._coherence_seconds = 0.0
        self._listeners: list[Callable[[], None]] = []
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="topicwright-training")

    async def run(self, on_saved: Callable[[], Any]) -> None:
        """Train the model, save it, and call ``on_saved``."""
        self._loop = asyncio.get_running_loop()
        try:
            await self._loop.run_in_executor(self._worker, self._train)
            await self._loop.run_in_executor(self._worker, on_saved)
        except USER_ERRORS as error:
            self.problem = str(error) or type(error).__name__
        self.is_over = True
        self._notify()

    def stop(self) -> None:
        """Stop after the current sweep; the model is saved."""
        self._stop_requested = True

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call a listener in the event loop on progress; returns a function that unsubscribes it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def close(self) -> None:
        """Stop, and wait for the end."""
        self.stop()
        self._worker.shutdown(wait=True, cancel_futures=True)

    # ------------------------------------------------------------------ worker thread

    def _train(self) -> None:
        started = last_event = time.monotonic()

        def on_sweep(sweep: Sweep) -> bool:
            nonlocal last_event
            self.sweep, self.seconds = sweep.number, time.monotonic() - started
            if sweep.log_likelihood is not None:
                self.likelihood = [*self.likelihood, (float(sweep.number), sweep.log_likelihood)]
            if time.monotonic() - last_event >= _SECONDS_BETWEEN_EVENTS:
                last_event = time.monotonic()
                self._notify()
            return not self._stop_requested

        self.model.n_sweeps = min(_CHUNK, self.total)
        self.model.fit(self.corpus, on_sweep=on_sweep)
        while self.model.sweeps_ < self.total and not self._stop_requested:
            self._show_topics()
            self.model.resume(min(_CHUNK, self.total - self.model.sweeps_), on_sweep=on_sweep)
        self.model.n_sweeps = self.total
        self.model.save(self.path)

    def _show_topics(self) -> None:
        """Show the current topics, and compute their coherence if that does not take too much of the time."""
        if self.session is None:
            self.session = BranchSession(self.model, read_only_reason="You can edit topics when training has finished.")
        else:
            self.session.set_model(self.model)
        if self._coherence_seconds <= _COHERENCE_SHARE * self.seconds:
            started = time.monotonic()
            values = coherence_of_topics(self.model)
            self._coherence_seconds += time.monotonic() - started
            if not np.isnan(values).all():
                self.coherence = [*self.coherence, (float(self.sweep), float(np.nanmean(values)))]
        self._notify()

    def _notify(self) -> None:
        def notify() -> None:
            for listener in list(self._listeners):
                listener()

        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(notify)


class Workspace:
    """A model with its branches, or a training that produces one.

    Parameters
    ----------
    title : str
    path : Path, optional
        Model file.
    training : Training, optional
        Training that writes ``path``.
    n_jobs : int
        Threads of an update.
    """

    def __init__(
        self, title: str, *, path: Path | None = None, training: Training | None = None, n_jobs: int = -1
    ) -> None:
        self.title, self.path, self.training = title, path, training
        self._n_jobs = n_jobs
        self._sessions: dict[str, BranchSession] = {}
        self._lock = Lock()

    @classmethod
    def of_model(cls, model: Any, title: str) -> Workspace:
        """Workspace of a model in memory."""
        workspace = cls(title)
        workspace._sessions[MAIN] = _session_of_model(model)
        return workspace

    def session(self, branch: str = MAIN) -> BranchSession | None:
        """Session of a branch, which is opened if it is not open; None before a training has topics."""
        if self.training is not None and (not self.training.is_over or self.training.problem):
            return self.training.session
        return self.open(branch)

    def open(self, branch: str = MAIN) -> BranchSession:
        """Session of a branch of the model file, regardless of a training. Reading the file may take some seconds."""
        with self._lock:
            for name in (MAIN, branch):
                if name not in self._sessions:
                    self._sessions[name] = self._open_branch(name)
            return self._sessions[branch]

    def branches(self) -> list[str]:
        """Names of all branches."""
        steering = self._main()
        return [MAIN] if steering is None else steering.branches()

    def new_branch(self, name: str, origin: str) -> None:
        """Create a branch with the steps of another one."""
        session = self.session(origin)
        if session is None or session.steering is None:
            raise InputError("this model cannot have branches because it cannot be steered")
        made = session.steering.branch(name)
        with self._lock:
            self._sessions[name] = BranchSession(made.model, made)

    def close(self) -> None:
        """Stop all work; the steps are on disk already."""
        if self.training is not None:
            self.training.close()
        for session in self._sessions.values():
            session.close()

    def _main(self) -> Steering | None:
        session = self._sessions.get(MAIN)
        return None if session is None else session.steering

    def _open_branch(self, branch: str) -> BranchSession:
        if branch == MAIN:
            return self._open_main()
        main = self._main()
        if main is None:
            raise InputError(
                f"there is no branch {branch!r}: a model that cannot be steered has no branches",
                parameter="branch",
                got=branch,
            )
        made = main.open_branch(branch)
        return BranchSession(made.model, made)

    def _open_main(self) -> BranchSession:
        from .. import load

        assert self.path is not None
        try:
            steering = Steering.open(self.path, n_jobs=self._n_jobs)
        except InputError as error:
            return _read_only_session(load(self.path), error)
        return BranchSession(steering.model, steering)


def _session_of_model(model: Any) -> BranchSession:
    try:
        steering = Steering(model)
    except InputError as error:
        return _read_only_session(model, error)
    return BranchSession(steering.model, steering)


def _read_only_session(model: Any, error: InputError) -> BranchSession:
    """Session of a model that cannot be steered; raises the error for a model that should be steerable."""
    if hasattr(model, "estimators_"):
        raise InputError(
            "this model has separate topics for each class, which the explorer cannot show; "
            "train it with `strategy='shared'` instead"
        )
    if type(model) is LDA and model.assignments_ is not None:
        raise error
    return BranchSession(model, read_only_reason=f"This model cannot be edited: {error}.")
