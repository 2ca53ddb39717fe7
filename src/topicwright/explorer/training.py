"""Training in the background, with progress for all windows."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..views.words import coherence_of_topics
from .branch_session import USER_ERRORS, BranchSession

if TYPE_CHECKING:
    from ..corpus import Corpus
    from ..models import LDA, Sweep

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
            self.session = BranchSession(
                self.model, read_only_reason="You can change topics when the training is done."
            )
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
