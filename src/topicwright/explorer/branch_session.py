"""One branch as all windows see it: its steps, the picture of its model, and the update that is under way."""

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
from ..views.report.svg import times_on_page
from ..views.topic_metrics import coherence_of_topics
from .map_layout import maps_of
from .view_model import ModelView

if TYPE_CHECKING:
    from ..models import Sweep
    from ..steering import Steering

Result = TypeVar("Result")
PROBLEMS = (TopicwrightError, OSError, MemoryError)  # that people are told of, such as a full disk
SWEEPS = 20  # of an update
_SECONDS_BETWEEN = 0.25  # of news about an update
_REST = 1.0  # seconds without work, after which topics are measured


class BranchSession:
    """What windows on one branch share. Work is done in one thread, one piece after the other; news comes in the loop.

    ``tell`` calls all listeners with what is new: "model", "steps", "work" or "measures".
    """

    def __init__(self, model: Any, steering: Steering | None = None, why_not: str = "") -> None:
        self.steering = steering
        self.why_not = why_not  # it can't be steered
        self.busy, self.done, self.asked, self.outcome = False, 0, SWEEPS, ""
        self.coherence: Any = None
        self._measured: Any = None
        self._listeners: list[Callable[[str], None]] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="topicwright-explorer")
        self.show(model)
        self._compiling: threading.Thread | None = None
        if steering is not None:  # nobody is to wait for the sampler to be compiled
            self._compiling = threading.Thread(target=steering.prepare, daemon=True, name="topicwright-compiler")
            self._compiling.start()

    def wait_for_the_sampler(self) -> None:
        """Wait until it is compiled. Numba changes warning filters meanwhile, which are those of a notebook too."""
        if self._compiling is not None:
            with log_compilation():
                self._compiling.join()

    # ------------------------------------------------------------------ what is shown

    def show(self, model: Any) -> None:
        """Make a picture of a model, in the thread that works."""
        before: ModelView | None = getattr(self, "picture", None)
        names = {} if self.steering is None else self.steering.names
        picture = ModelView(model, names, like=before)
        hidden = self.hidden
        self.over_time = times_on_page(model, range(picture.n_topics))
        self.picture, self.coherence = picture, None
        self._shown = (model, names, hidden)
        if before is not None:
            self._tell("model")  # the map takes as long as all else, and may come after it
        self.maps = maps_of(picture, hidden)

    def _follow(self) -> str:
        """Bring the picture up to what the steps say now; tells what is new."""
        if self.steering is None:
            return "steps"
        model, names, hidden = self.steering.model, self.steering.names, self.hidden
        if model.topic_word_counts_ is not self._shown[0].topic_word_counts_:
            self.show(model)
            return "model"
        if (names, hidden) != self._shown[1:]:
            picture = self.picture.renamed(names)
            self.picture, self.maps = picture, maps_of(picture, hidden)
            self._shown = (model, names, hidden)
            return "model"
        return "steps"

    picture: ModelView
    maps: dict[str, Any]
    over_time: TopicsOverTime | None

    @property
    def hidden(self) -> frozenset[int]:
        """Topics that are not shown."""
        return frozenset() if self.steering is None else self.steering.hidden | self.steering.free

    @property
    def can_return(self) -> frozenset[int]:
        """Topics that somebody has hidden, and may show again."""
        return self.hidden if self.steering is None else self.steering.hidden - self.steering.free

    @property
    def pinned(self) -> frozenset[int]:
        """Topics that stay as they are."""
        return frozenset() if self.steering is None else self.steering.pinned

    @property
    def changes(self) -> dict[int, Any]:
        """The topics that the last update changed, by number."""
        changes = None if self.steering is None else self.steering.changes
        return {} if changes is None else {change.topic: change for change in changes.notable}

    # ------------------------------------------------------------------ work

    async def do(self, work: Callable[[], Result]) -> Result:
        """Do something with the steps, and show what became of it."""
        self._loop = asyncio.get_running_loop()

        def both() -> tuple[Result, str]:
            result = work()
            return result, self._follow()

        result, news = await self._loop.run_in_executor(self._worker, both)
        self._tell(news)
        return result

    async def update(self) -> None:
        """Sweeps with all that was said; windows hear of each."""
        if self.steering is None or self.busy:
            return
        self._loop = asyncio.get_running_loop()
        self.busy, self.done = True, 0
        self._tell("work")
        try:
            self.outcome = await self._loop.run_in_executor(self._worker, self._update)
        except PROBLEMS as error:
            self.outcome = str(error) or type(error).__name__
        finally:
            self.busy = False
            self._tell("model")

    def _update(self) -> str:
        assert self.steering is not None
        started = last = time.monotonic()
        first: int | None = None

        def on_sweep(sweep: Sweep) -> None:
            nonlocal last, first
            first = sweep.number - 1 if first is None else first
            self.done = sweep.number - first
            if time.monotonic() - last >= _SECONDS_BETWEEN:
                last = time.monotonic()
                self._tell("work")

        changes = self.steering.update(SWEEPS, on_sweep)
        self._follow()
        n_changed = len(changes.notable)
        told = f"{n_changed} topic{'s' * (n_changed != 1)} changed" if n_changed else "No topic changed much"
        return f"{told} ({time.monotonic() - started:.1f} s)"

    async def measure(self) -> None:
        """Find the coherence of topics, once for each model; it takes its time, and nobody waits for it."""
        picture, self._loop = self.picture, asyncio.get_running_loop()
        if picture.model is self._measured or not picture.has_documents:
            return
        self._measured = picture.model
        await asyncio.sleep(_REST)
        while self.busy:
            await asyncio.sleep(_REST)
        if picture.model is not self.picture.model:
            return
        with suppress(TopicwrightError):
            found = await asyncio.to_thread(coherence_of_topics, picture.model)
            if picture.model is self.picture.model:
                self.coherence = found
                self._tell("measures")

    # ------------------------------------------------------------------ windows

    def subscribe(self, listener: Callable[[str], None]) -> Callable[[], None]:
        """Call this with what is new, in the loop; returns a function that ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def _tell(self, news: str) -> None:
        def tell() -> None:
            for listener in list(self._listeners):
                listener(news)

        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(tell)

    def close(self) -> None:
        """End the work and let the branch go."""
        if self.steering is not None:
            self.steering.stop()
        self._worker.shutdown(wait=True, cancel_futures=True)
        if self.steering is not None:
            self.steering.close()
