"""Training a model of a corpus in the background, while windows watch."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..views.topic_metrics import coherence_of_topics
from .branch_session import PROBLEMS, BranchSession

if TYPE_CHECKING:
    from ..corpus import Corpus
    from ..models import LDA, Sweep

_CHUNK = 20  # sweeps between two looks at the topics: what is learned does not depend on it
_SECONDS_BETWEEN = 0.2  # of news
_MEASURED = 0.2  # of the time goes at most into coherence


class Training:
    """A training, its curves and, from its first look on, a bench with the topics so far."""

    def __init__(self, model: LDA, corpus: Corpus, path: Path) -> None:
        self.model, self.corpus, self.path = model, corpus, path
        self.last = int(model.n_sweeps)
        self.sweep, self.seconds, self.problem = 0, 0.0, ""
        self.likelihood: list[tuple[float, float]] = []
        self.coherence: list[tuple[float, float]] = []
        self.bench: BranchSession | None = None
        self.is_over = False
        self._asked_to_stop = False
        self._measuring = 0.0
        self._listeners: list[Callable[[], None]] = []
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="topicwright-training")

    async def run(self, on_saved: Callable[[], Any]) -> None:
        """Train, save, and have ``on_saved`` open what was saved."""
        self._loop = asyncio.get_running_loop()
        try:
            await self._loop.run_in_executor(self._worker, self._train)
            await self._loop.run_in_executor(self._worker, on_saved)
        except PROBLEMS as error:
            self.problem = str(error) or type(error).__name__
        self.is_over = True
        self._tell()

    def stop(self) -> None:
        """End after the sweep that is under way; what was learned is saved."""
        self._asked_to_stop = True

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call this in the loop when there is news; returns a function that ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def close(self) -> None:
        """Wait for the end."""
        self.stop()
        self._worker.shutdown(wait=True, cancel_futures=True)

    # ------------------------------------------------------------------ in the thread

    def _train(self) -> None:
        started = last_news = time.monotonic()

        def on_sweep(sweep: Sweep) -> bool:
            nonlocal last_news
            self.sweep, self.seconds = sweep.number, time.monotonic() - started
            if sweep.log_likelihood is not None:
                self.likelihood = [*self.likelihood, (float(sweep.number), sweep.log_likelihood)]
            if time.monotonic() - last_news >= _SECONDS_BETWEEN:
                last_news = time.monotonic()
                self._tell()
            return not self._asked_to_stop

        self.model.n_sweeps = min(_CHUNK, self.last)
        self.model.fit(self.corpus, on_sweep=on_sweep)
        while self.model.sweeps_ < self.last and not self._asked_to_stop:
            self._look()
            self.model.resume(min(_CHUNK, self.last - self.model.sweeps_), on_sweep=on_sweep)
        self.model.n_sweeps = self.last
        self.model.save(self.path)

    def _look(self) -> None:
        """Show the topics so far, and measure them where that is not too much of the time."""
        if self.bench is None:
            self.bench = BranchSession(self.model, why_not="You can change topics when the training is done.")
        else:
            self.bench.show(self.model)
        if self._measuring <= _MEASURED * self.seconds:
            started = time.monotonic()
            values = coherence_of_topics(self.model)
            self._measuring += time.monotonic() - started
            if not np.isnan(values).all():
                self.coherence = [*self.coherence, (float(self.sweep), float(np.nanmean(values)))]
        self._tell()

    def _tell(self) -> None:
        def tell() -> None:
            for listener in list(self._listeners):
                listener()

        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(tell)
