"""Serialization of a monitor: it continues bit for bit as if it had never stopped."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...io import ModelFields, pack_strings
from ...io.strict_json import to_json
from .drift import DriftDetector, LabelHistory
from .mislabel_scores import LabelEvidence
from .model_access import MonitoredDocument, concatenate_documents
from .window_statistics import NO_LABEL, SLOTS, WindowStatistics

if TYPE_CHECKING:
    from ...models import OnlineLabeledLDA
    from .monitor import StreamMonitor

Arrays = dict[str, NDArray[Any]]
_SETTINGS = {  # attribute of each setting in the file
    "window": "window",
    "block": "block",
    "mislabelled": "mislabeled",
    "drift": "drift",
    "candidate": "candidate",
}
_MAX_NUMBER = 2**62


def to_arrays(monitor: StreamMonitor) -> Arrays:
    """State of a monitor as arrays."""
    stats, drift = monitor._stats, monitor._drift
    stored = list({id(document): document for document in monitor.documents()}.values())
    settings = {name: getattr(monitor, attribute) for name, attribute in _SETTINGS.items()}
    return {
        **pack_strings([to_json(settings, "settings")], "settings"),
        "counters": np.array([monitor.n_docs_seen, stats.n_docs], np.int64),
        "numbers": np.array([stats.n_before, stats.n_tokens, drift.budget, stats.unit, monitor._scores.limit]),
        "scores": np.array(monitor._scores.scores, np.float64),
        **_words_to_arrays(stats),
        **{f"documents.{name}": part for name, part in concatenate_documents(stored)._asdict().items()},
        **pack_strings([to_json([document.name for document in stored], "ids")], "documents.ids"),
        **_positions_to_arrays(stats, drift, {id(document): n for n, document in enumerate(stored)}),
        "drift.labels": np.array(list(drift.histories), np.int64),
        "drift.numbers": np.array(
            [(history.stride, history.passed, history.since) for history in drift.histories.values()], np.int64
        ).reshape(-1, 3),
    }


def _words_to_arrays(stats: WindowStatistics) -> Arrays:
    n_words, n_labels = stats.n_numbers
    return {
        "before": stats.before[:n_words].copy(),
        "told": stats.alerted_until[:n_words].copy(),
        "said.labels": stats.evidence.labels[:n_words].copy(),
        "said.counts": stats.evidence.counts[:n_words].copy(),
        "said.rest": stats.evidence.rest[:n_words].copy(),
        "said.totals": stats.evidence.totals[:n_labels].copy(),
        "said.tokens": stats.evidence.tokens[:n_words].copy(),
    }


def _positions_to_arrays(stats: WindowStatistics, drift: DriftDetector, position: dict[int, int]) -> Arrays:
    def positions(documents: Iterable[MonitoredDocument]) -> NDArray[np.int64]:
        return np.array([position[id(document)] for document in documents], np.int64)

    histories = drift.histories.values()
    return {
        "window": positions(stats.window),
        "waiting": positions(stats.pending),
        "drift.recent": positions(document for history in histories for document in history.recent),
        "drift.recent_offsets": _offsets(len(history.recent) for history in histories),
        "drift.sample": positions(document for history in histories for document in history.sample),
        "drift.sample_offsets": _offsets(len(history.sample) for history in histories),
    }


def _offsets(lengths: Iterable[int]) -> NDArray[np.int64]:
    return np.cumsum([0, *lengths], dtype=np.int64)


def from_arrays(cls: type[StreamMonitor], model: OnlineLabeledLDA, state: Mapping[str, NDArray[Any]]) -> StreamMonitor:
    """Monitor from arrays; raises ``ModelFileError`` if they are not a valid state."""
    fields = ModelFields("the state of the monitor", {}, state)
    try:
        settings = fields.json("settings").items()
        monitor = cls(model, **{_SETTINGS.get(name, name): value for name, value in settings})
    except (InputError, TypeError, AttributeError) as error:
        fields.fail("settings", f"must be those of a monitor: {error}")
    if model.stream_ is not None:
        monitor._stats.attach(model.stream_)
    counters = fields.array("counters", np.int64, shape=(2,), minimum=0, maximum=_MAX_NUMBER)
    numbers = fields.array("numbers", np.float64, shape=(5,), finite=False)
    if not (numbers >= 0).all() or not np.isfinite(numbers[:-1]).all() or numbers[3] < 1:
        fields.fail("numbers", "must not be negative, nor all but the last infinite, nor the fourth below 1")
    monitor.n_docs_seen, monitor._stats.n_docs = counters.tolist()
    stats = monitor._stats
    stats.n_before, stats.n_tokens, monitor._drift.budget, stats.unit, monitor._scores.limit = numbers.tolist()
    monitor._scores.scores.extend(fields.array("scores", np.float64, ndim=1).tolist())
    _read_words(fields, monitor._stats)
    stored = _documents(fields, *monitor._stats.n_numbers)
    monitor._stats.restore(_documents_at(fields, "window", stored), _documents_at(fields, "waiting", stored))
    monitor._drift.restore(_read_histories(fields, monitor, stored))
    return monitor


def _read_words(fields: ModelFields, stats: WindowStatistics) -> None:
    n_words, n_labels = stats.n_numbers
    stats.before = fields.array("before", np.float64, shape=(n_words,), minimum=0).copy()
    stats.alerted_until = fields.array("told", np.int64, shape=(n_words,), minimum=0).copy()
    evidence = LabelEvidence(
        fields.array("said.labels", np.int32, shape=(n_words, SLOTS), minimum=NO_LABEL, maximum=n_labels - 1).copy(),
        fields.array("said.counts", np.float32, shape=(n_words, SLOTS), minimum=0).copy(),
        fields.array("said.rest", np.float64, shape=(n_words,), minimum=0).copy(),
        fields.array("said.totals", np.float64, shape=(n_labels,), minimum=0).copy(),
        fields.array("said.tokens", np.float64, shape=(n_words,), minimum=0).copy(),
    )
    if (evidence.counts[evidence.labels == NO_LABEL] > 0).any():
        fields.fail("said.counts", "must be those of labels")
    stats.evidence, stats.n_words = evidence, int(np.count_nonzero(evidence.tokens))


def _documents(fields: ModelFields, n_words: int, n_labels: int) -> list[MonitoredDocument]:
    words = fields.array("documents.words", np.uint32, ndim=1, maximum=n_words - 1)
    times = fields.array("documents.times", np.uint32, shape=words.shape, minimum=1)
    labels = fields.array("documents.labels", np.uint32, ndim=1, maximum=n_labels - 1)
    ids = fields.json("documents.ids")
    if not isinstance(ids, list):
        fields.fail("documents.ids", "must be a list")
    offsets = fields.offsets("documents.offsets", len(words), len(ids))
    label_offsets = fields.offsets("documents.label_offsets", len(labels), len(ids))
    if not (np.diff(label_offsets) > 0).all():
        fields.fail("documents.label_offsets", "must leave each document a label")
    rows = zip(ids, pairwise(offsets.tolist()), pairwise(label_offsets.tolist()))
    return [
        MonitoredDocument(name, words[a:b].copy(), times[a:b].copy(), labels[c:d].copy())
        for name, (a, b), (c, d) in rows
    ]


def _documents_at(fields: ModelFields, name: str, stored: Sequence[MonitoredDocument]) -> list[MonitoredDocument]:
    positions = fields.array(name, np.int64, ndim=1, minimum=0, maximum=len(stored) - 1)
    return [stored[position] for position in positions.tolist()]


def _read_histories(
    fields: ModelFields, monitor: StreamMonitor, stored: Sequence[MonitoredDocument]
) -> dict[int, LabelHistory]:
    n_labels = monitor._stats.n_numbers[1]
    labels = fields.array("drift.labels", np.int64, ndim=1, minimum=0, maximum=n_labels - 1).tolist()
    numbers = fields.array("drift.numbers", np.int64, shape=(len(labels), 3), minimum=0, maximum=_MAX_NUMBER)
    if len(set(labels)) < len(labels) or (numbers[:, 0] < 1).any():
        fields.fail("drift.numbers", "must be those of different labels, with a stride of 1 or more")
    recent, sample = (
        [documents[a:b] for a, b in pairwise(fields.offsets(f"{name}_offsets", len(documents), len(labels)).tolist())]
        for name in ("drift.recent", "drift.sample")
        for documents in (_documents_at(fields, name, stored),)
    )
    histories = {}
    for label, last, before, (stride, passed, since) in zip(labels, recent, sample, numbers.tolist()):
        history = histories[label] = LabelHistory(monitor.block)
        history.recent, history.sample = deque(last), before
        history.stride, history.passed, history.since = stride, passed, since
    return histories
