"""Session of one branch, shared by all its windows: its steps, the view of its model, and the running update."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import TopicwrightError
from ..models._training import log_compilation
from ..views.over_time import TopicsOverTime
from ..views.report.data import smoothed_over_time
from ..views.words import coherence_of_topics
from .view_model import ModelView, map_data

if TYPE_CHECKING:
    from ..models import Sweep
    from ..steering import Steering

Result = TypeVar("Result")
USER_ERRORS = (TopicwrightError, OSError, MemoryError)  # shown on the page, such as a full disk
UPDATE_SWEEPS = 20
_SECONDS_BETWEEN_EVENTS = 0.25  # of a running update
_IDLE_SECONDS = 1.0  # before topic coherence is computed


class BranchSession:
    """One branch of a model: steering, the view of the model, and background work.

    Work runs in one thread, one call after the other. Listeners are called in the event loop with the name of an event:

    - ``"model"``: the view of the model is new (topics, names, sizes, words);
    - ``"map"``: the topic map is new. It comes after a ``"model"`` event, because placing the names on the map takes as
      long as everything else;
    - ``"steps"``: the steps changed, the model did not;
    - ``"work"``: an update has started, has made progress or has ended;
    - ``"coherence"``: the coherence of the topics is known.

    Parameters
    ----------
    model : fitted model
    steering : Steering, optional
        None if the model is read-only.
    read_only_reason : str
        Sentence for the user if the model is read-only.
    """

    view: ModelView
    maps: dict[str, Any]
    over_time: TopicsOverTime | None

    def __init__(self, model: Any, steering: Steering | None = None, read_only_reason: str = "") -> None:
        self.steering = steering
        self.read_only_reason = read_only_reason
        self.busy, self.sweeps_done, self.sweeps_total, self.outcome = False, 0, UPDATE_SWEEPS, ""
        self.coherence: Any = None
        self._coherence_model: Any = None
        self._listeners: list[Callable[[str], None]] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="topicwright-explorer")
        self.set_model(model)
        self._compilation: threading.Thread | None = None
        if steering is not None:  # so that the first update does not wait for the compiler
            self._compilation = threading.Thread(target=steering.prepare, daemon=True, name="topicwright-compiler")
            self._compilation.start()

    def wait_for_compilation(self) -> None:
        """Wait until the sampler is compiled. Numba changes warning filters meanwhile, also those of a notebook."""
        if self._compilation is not None:
            with log_compilation():
                self._compilation.join()

    # ------------------------------------------------------------------ view of the model

    def set_model(self, model: Any) -> None:
        """Show another model; call this in the worker thread."""
        before: ModelView | None = getattr(self, "view", None)
        names, hidden = ({} if self.steering is None else self.steering.names), self.hidden
        view = ModelView(model, names, like=before)
        self.over_time = smoothed_over_time(model, range(view.n_topics))
        self.coherence = None
        self._set_view(view, (model, names, hidden))

    def _set_view(self, view: ModelView, source: tuple[Any, dict[int, str], frozenset[int]]) -> None:
        self.view, self._source = view, source
        self._notify("model")
        self.maps = map_data(view, source[2])
        self._notify("map")

    def _synchronize(self) -> None:
        """Bring the view up to date with the steering, and send the events."""
        if self.steering is None:
            self._notify("steps")
            return
        model, names, hidden = self.steering.model, self.steering.names, self.hidden
        if model.topic_word_counts_ is not self._source[0].topic_word_counts_:
            self.set_model(model)
        elif (names, hidden) != self._source[1:]:
            self._set_view(self.view.renamed(names), (model, names, hidden))
        else:
            self._notify("steps")

    @property
    def hidden(self) -> frozenset[int]:
        """Topics that are not shown."""
        return frozenset() if self.steering is None else self.steering.hidden | self.steering.free

    @property
    def restorable(self) -> frozenset[int]:
        """Topics that the user has hidden and can show again."""
        return self.hidden if self.steering is None else self.steering.hidden - self.steering.free

    @property
    def pinned(self) -> frozenset[int]:
        """Topics that updates do not change."""
        return frozenset() if self.steering is None else self.steering.pinned

    @property
    def changes(self) -> dict[int, Any]:
        """Changes that the last update made, by topic."""
        changes = None if self.steering is None else self.steering.changes
        return {} if changes is None else {change.topic: change for change in changes.notable}

    # ------------------------------------------------------------------ work

    async def run(self, work: Callable[[], Result]) -> Result:
        """Call a function of the steering in the worker thread and show its effect."""
        self._loop = asyncio.get_running_loop()

        def run_and_synchronize() -> Result:
            result = work()
            self._synchronize()
            return result

        return await self._loop.run_in_executor(self._worker, run_and_synchronize)

    async def update(self) -> None:
        """Update the model with all pending steps; sends "work" events meanwhile."""
        if self.steering is None or self.busy:
            return
        self._loop = asyncio.get_running_loop()
        self.busy, self.sweeps_done = True, 0
        self._notify("work")
        event = "steps"  # after an error; otherwise _update has sent the rest
        try:
            self.outcome = await self._loop.run_in_executor(self._worker, self._update)
            event = "work"
        except USER_ERRORS as error:
            self.outcome = str(error) or type(error).__name__
        finally:
            self.busy = False
            self._notify(event)

    def _update(self) -> str:
        assert self.steering is not None
        started = last_event = time.monotonic()
        first: int | None = None

        def on_sweep(sweep: Sweep) -> None:
            nonlocal last_event, first
            first = sweep.number - 1 if first is None else first
            self.sweeps_done = sweep.number - first
            if time.monotonic() - last_event >= _SECONDS_BETWEEN_EVENTS:
                last_event = time.monotonic()
                self._notify("work")

        changes = self.steering.update(UPDATE_SWEEPS, on_sweep)
        self._synchronize()
        n_changed = len(changes.notable)
        summary = f"{n_changed} topic{'s' * (n_changed != 1)} changed" if n_changed else "No topic changed much"
        return f"{summary} ({time.monotonic() - started:.1f} s)"

    async def compute_coherence(self) -> None:
        """Compute the coherence of the topics in the background, once for each model."""
        view, self._loop = self.view, asyncio.get_running_loop()
        if view.model is self._coherence_model or not view.has_documents:
            return
        self._coherence_model = view.model
        await asyncio.sleep(_IDLE_SECONDS)
        while self.busy:
            await asyncio.sleep(_IDLE_SECONDS)
        if view.model is not self.view.model:
            return
        with suppress(TopicwrightError):
            values = await asyncio.to_thread(coherence_of_topics, view.model)
            if view.model is self.view.model:
                self.coherence = values
                self._notify("coherence")

    # ------------------------------------------------------------------ listeners

    def subscribe(self, listener: Callable[[str], None]) -> Callable[[], None]:
        """Call a listener with the name of each event, in the event loop; returns a function that unsubscribes it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def _notify(self, event: str) -> None:
        def notify() -> None:
            for listener in list(self._listeners):
                listener(event)

        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(notify)

    def close(self) -> None:
        """Stop the work and close the branch."""
        if self.steering is not None:
            self.steering.stop()
        self._worker.shutdown(wait=True, cancel_futures=True)
        if self.steering is not None:
            self.steering.close()
