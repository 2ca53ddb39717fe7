"""A watch as arrays, and back: it goes on to the bit as if it had never stopped."""

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
from .drift import Drift, LabelHistory
from .mislabel_scores import LabelEvidence
from .model_access import MonitoredDocument, side_by_side
from .window_statistics import NOBODY, SLOTS, WindowStatistics

if TYPE_CHECKING:
    from ...models import OnlineLabeledLDA
    from .monitor import StreamMonitor

Arrays = dict[str, NDArray[Any]]
_SETTINGS = ("window", "block", "mislabelled", "drift", "candidate")
_MOST = 2**62


def to_arrays(watch: StreamMonitor) -> Arrays:
    """All that is remembered."""
    memory, drift = watch._memory, watch._drift
    kept = list({id(document): document for document in watch.documents()}.values())
    settings = {name: getattr(watch, name) for name in _SETTINGS}
    return {
        **pack_strings([to_json(settings, "settings")], "settings"),
        "counters": np.array([watch.n_docs_seen, memory.n_docs], np.int64),
        "numbers": np.array([memory.n_before, memory.n_tokens, drift.saved, memory.unit, watch._scores.limit]),
        "scores": np.array(watch._scores.scores, np.float64),
        **_words_to_arrays(memory),
        **{f"documents.{name}": part for name, part in side_by_side(kept)._asdict().items()},
        **pack_strings([to_json([document.name for document in kept], "ids")], "documents.ids"),
        **_places_to_arrays(memory, drift, {id(document): n for n, document in enumerate(kept)}),
        "drift.labels": np.array(list(drift.pasts), np.int64),
        "drift.numbers": np.array(
            [(past.stride, past.passed, past.since) for past in drift.pasts.values()], np.int64
        ).reshape(-1, 3),
    }


def _words_to_arrays(memory: WindowStatistics) -> Arrays:
    n_words, n_labels = memory.n_numbers
    return {
        "before": memory.before[:n_words].copy(),
        "told": memory.told[:n_words].copy(),
        "said.labels": memory.said.labels[:n_words].copy(),
        "said.counts": memory.said.counts[:n_words].copy(),
        "said.rest": memory.said.rest[:n_words].copy(),
        "said.totals": memory.said.totals[:n_labels].copy(),
        "said.tokens": memory.said.tokens[:n_words].copy(),
    }


def _places_to_arrays(memory: WindowStatistics, drift: Drift, place: dict[int, int]) -> Arrays:
    def places(documents: Iterable[MonitoredDocument]) -> NDArray[np.int64]:
        return np.array([place[id(document)] for document in documents], np.int64)

    pasts = drift.pasts.values()
    return {
        "window": places(memory.window),
        "waiting": places(memory.waiting),
        "drift.recent": places(document for past in pasts for document in past.recent),
        "drift.recent_offsets": _offsets(len(past.recent) for past in pasts),
        "drift.sample": places(document for past in pasts for document in past.sample),
        "drift.sample_offsets": _offsets(len(past.sample) for past in pasts),
    }


def _offsets(lengths: Iterable[int]) -> NDArray[np.int64]:
    return np.cumsum([0, *lengths], dtype=np.int64)


def from_arrays(cls: type[StreamMonitor], model: OnlineLabeledLDA, state: Mapping[str, NDArray[Any]]) -> StreamMonitor:
    """A watch from arrays that may hold anything: whatever does not fit is a ModelFileError."""
    fields = ModelFields("the state of the watch", {}, state)
    try:
        watch = cls(model, **fields.json("settings"))
    except (InputError, TypeError) as error:
        fields.fail("settings", f"must be those of a watch: {error}")
    if model.stream_ is not None:
        watch._memory.take_up(model.stream_)
    counters = fields.array("counters", np.int64, shape=(2,), minimum=0, maximum=_MOST)
    numbers = fields.array("numbers", np.float64, shape=(5,), finite=False)
    if not (numbers >= 0).all() or not np.isfinite(numbers[:-1]).all() or numbers[3] < 1:
        fields.fail("numbers", "must not be negative, nor all but the last infinite, nor the fourth below 1")
    watch.n_docs_seen, watch._memory.n_docs = counters.tolist()
    memory = watch._memory
    memory.n_before, memory.n_tokens, watch._drift.saved, memory.unit, watch._scores.limit = numbers.tolist()
    watch._scores.scores.extend(fields.array("scores", np.float64, ndim=1).tolist())
    _read_words(fields, watch._memory)
    kept = _documents(fields, *watch._memory.n_numbers)
    watch._memory.hold(_at(fields, "window", kept), _at(fields, "waiting", kept))
    watch._drift.hold(_pasts(fields, watch, kept))
    return watch


def _read_words(fields: ModelFields, memory: WindowStatistics) -> None:
    n_words, n_labels = memory.n_numbers
    memory.before = fields.array("before", np.float64, shape=(n_words,), minimum=0).copy()
    memory.told = fields.array("told", np.int64, shape=(n_words,), minimum=0).copy()
    said = LabelEvidence(
        fields.array("said.labels", np.int32, shape=(n_words, SLOTS), minimum=NOBODY, maximum=n_labels - 1).copy(),
        fields.array("said.counts", np.float32, shape=(n_words, SLOTS), minimum=0).copy(),
        fields.array("said.rest", np.float64, shape=(n_words,), minimum=0).copy(),
        fields.array("said.totals", np.float64, shape=(n_labels,), minimum=0).copy(),
        fields.array("said.tokens", np.float64, shape=(n_words,), minimum=0).copy(),
    )
    if (said.counts[said.labels == NOBODY] > 0).any():
        fields.fail("said.counts", "must be those of labels")
    memory.said, memory.n_words = said, int(np.count_nonzero(said.tokens))


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


def _at(fields: ModelFields, name: str, kept: Sequence[MonitoredDocument]) -> list[MonitoredDocument]:
    places = fields.array(name, np.int64, ndim=1, minimum=0, maximum=len(kept) - 1)
    return [kept[place] for place in places.tolist()]


def _pasts(fields: ModelFields, watch: StreamMonitor, kept: Sequence[MonitoredDocument]) -> dict[int, LabelHistory]:
    n_labels = watch._memory.n_numbers[1]
    labels = fields.array("drift.labels", np.int64, ndim=1, minimum=0, maximum=n_labels - 1).tolist()
    numbers = fields.array("drift.numbers", np.int64, shape=(len(labels), 3), minimum=0, maximum=_MOST)
    if len(set(labels)) < len(labels) or (numbers[:, 0] < 1).any():
        fields.fail("drift.numbers", "must be those of different labels, with a stride of 1 or more")
    recent, sample = (
        [documents[a:b] for a, b in pairwise(fields.offsets(f"{name}_offsets", len(documents), len(labels)).tolist())]
        for name in ("drift.recent", "drift.sample")
        for documents in (_at(fields, name, kept),)
    )
    pasts = {}
    for label, last, before, (stride, passed, since) in zip(labels, recent, sample, numbers.tolist()):
        past = pasts[label] = LabelHistory(watch.block)
        past.recent, past.sample = deque(last), before
        past.stride, past.passed, past.since = stride, passed, since
    return pasts
