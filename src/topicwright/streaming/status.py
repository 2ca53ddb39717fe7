"""How a stream stands: what was read, how fast, and how well its words are foreseen."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from ..models.online.state import SourcePosition, StreamState
from .sources import SourceRotated

if TYPE_CHECKING:
    from ..models import OnlineLabeledLDA
    from .monitor.monitor import Alert

_SECONDS = 10.0  # that rates are taken over


class Status(NamedTuple):
    """How a stream stands; counts are those of the model's whole life."""

    place: SourcePosition | None
    """How far the source was read."""
    size: int | None
    """Bytes of the source, where that can be told."""
    documents: int
    words: int
    skipped: int
    """Documents without labels."""
    bad_lines: int
    documents_per_second: float
    words_per_second: float
    labels: int
    new_labels: tuple[Any, ...]
    """Those that came up in this run, the last ones."""
    n_new_labels: int
    vocabulary: int
    perplexity: float
    """Of the window; NaN where it has no words."""
    window: int
    """Documents that this is about."""
    particles: int
    effective_particles: float
    rising: tuple[str, ...]
    falling: tuple[str, ...]
    alerts: int
    """In this run."""
    saved: SourcePosition | None
    """Where the last checkpoint stands."""
    seconds: float
    """Of this run."""
    is_waiting: bool
    """Whether there was nothing to read."""


class Speed:
    """Documents and words a second, over the last seconds."""

    def __init__(self, documents: int, words: int) -> None:
        self.started = time.monotonic()
        self._points = deque([(self.started, documents, words)])

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self.started

    def add(self, documents: int, words: int) -> tuple[float, float]:
        """The rates, now that so many have been read."""
        now = time.monotonic()
        self._points.append((now, documents, words))
        while len(self._points) > 2 and self._points[1][0] < now - _SECONDS:
            self._points.popleft()
        then, n_documents, n_words = self._points[0]
        seconds = max(now - then, 1e-9)
        return (documents - n_documents) / seconds, (words - n_words) / seconds


def figures_of(model: OnlineLabeledLDA) -> dict[str, Any]:
    """What a model has to tell, also before it is fitted."""
    stream = model.stream_ or StreamState.from_parameters(model)
    return {
        "documents": stream.engine.n_documents,
        "words": stream.engine.n_tokens,
        "skipped": stream.n_skipped,
        "labels": len(stream.labels),
        "vocabulary": stream.engine.n_words,
        "perplexity": stream.running_perplexity(),
        "window": len(stream.recent),
        "particles": stream.engine.n_particles,
        "effective_particles": stream.engine.effective_particles,
    }


class Started(NamedTuple):
    """The source is open."""

    place: SourcePosition
    """Where reading begins: behind the lines that were learned from before."""
    n_documents: int
    """That the model has learned from before."""


class BadLine(NamedTuple):
    """A line that was skipped."""

    number: int
    reason: str
    """With the name of the source and the number of the line."""
    data: bytes
    """The line; of one that is too long the beginning."""
    is_left: bool = False
    """The last line has no end yet: it is neither counted nor passed by, and will be read when there is more."""


class Saved(NamedTuple):
    """A checkpoint."""

    place: SourcePosition
    seconds: float
    """How long it took."""


class SaveFailed(NamedTuple):
    """A checkpoint that could not be written; the last one is as it was."""

    error: OSError
    last: SourcePosition | None
    """Where that one stands; None if there is none."""


Event = Union[Started, Status, BadLine, Saved, SaveFailed, SourceRotated, "Alert"]
OnEvent = Callable[[Event], object]
