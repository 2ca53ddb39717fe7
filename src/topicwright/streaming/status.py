"""Events and status of a stream: position, rates, perplexity, checkpoints."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from ..models.online.lda import TopicStream
from ..models.online.state import SourcePosition
from .sources import SourceRotated

if TYPE_CHECKING:
    from ..models import OnlineLabeledLDA, OnlineLDA
    from .monitor.monitor import Alert

_RATE_SECONDS = 10.0  # window of the rates


class Status(NamedTuple):
    """Status of a stream; counts include earlier runs of the model."""

    position: SourcePosition | None
    """Position in the source."""
    size: int | None
    """Bytes of the source, if known."""
    documents: int
    words: int
    skipped: int
    """Documents without labels."""
    bad_lines: int
    documents_per_second: float
    words_per_second: float
    labels: int
    topics: int
    """Number of topics of a stream without labels; otherwise 0."""
    new_labels: tuple[Any, ...]
    """The most recent new labels of this run."""
    n_new_labels: int
    vocabulary: int
    perplexity: float
    """Perplexity of the window; NaN if it has no words."""
    window: int
    """Documents in the window."""
    particles: int
    effective_particles: float
    rising: tuple[str, ...]
    falling: tuple[str, ...]
    alerts: int
    """Number of alerts in this run."""
    saved: SourcePosition | None
    """Position of the last checkpoint."""
    seconds: float
    """Duration of this run."""
    is_waiting: bool
    """Whether the source has nothing to read."""


class Speed:
    """Documents and words per second, over the last seconds."""

    def __init__(self, documents: int, words: int) -> None:
        self.started = time.monotonic()
        self._points = deque([(self.started, documents, words)])

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    def add(self, documents: int, words: int) -> tuple[float, float]:
        """Rates after this total number of documents and words."""
        now = time.monotonic()
        self._points.append((now, documents, words))
        while len(self._points) > 2 and self._points[1][0] < now - _RATE_SECONDS:
            self._points.popleft()
        then, n_documents, n_words = self._points[0]
        seconds = max(now - then, 1e-9)
        return (documents - n_documents) / seconds, (words - n_words) / seconds


def model_figures(model: OnlineLabeledLDA | OnlineLDA) -> dict[str, Any]:
    """Figures of a model for its status, also before it is fitted."""
    stream: Any = model.stream_ or model.open_stream()
    if isinstance(stream, TopicStream):
        return {
            "documents": stream.n_docs,
            "words": stream.n_tokens,
            "skipped": 0,
            "labels": 0,
            "topics": stream.settings.n_topics,
            "vocabulary": len(stream.vocabulary.ids),
            "perplexity": float("nan"),
            "window": 0,
            "particles": 0,
            "effective_particles": 0.0,
        }
    return {
        "documents": stream.engine.n_documents,
        "words": stream.engine.n_tokens,
        "skipped": stream.n_skipped,
        "labels": len(stream.label_ids),
        "topics": 0,
        "vocabulary": stream.engine.n_words,
        "perplexity": stream.running_perplexity(),
        "window": len(stream.window),
        "particles": stream.engine.n_particles,
        "effective_particles": stream.engine.effective_particles,
    }


class Started(NamedTuple):
    """The source was opened."""

    position: SourcePosition
    """Position where reading starts, after the lines that were learned before."""
    n_documents: int
    """Number of documents that the model has learned before."""


class BadLine(NamedTuple):
    """A line that was skipped."""

    number: int
    reason: str
    """Error message with the name of the source and the number of the line."""
    data: bytes
    """The line; of a line that is too long only the beginning."""
    is_incomplete: bool = False
    """Whether the last line has no end yet. It is not counted, and is read again when there is more."""


class Saved(NamedTuple):
    """A checkpoint was written."""

    position: SourcePosition
    seconds: float
    """Duration of the write."""


class SaveFailed(NamedTuple):
    """A checkpoint could not be written; the last one is not changed."""

    error: OSError
    last: SourcePosition | None
    """Position of the last checkpoint, or None."""


Event = Union[Started, Status, BadLine, Saved, SaveFailed, SourceRotated, "Alert"]
OnEvent = Callable[[Event], object]
