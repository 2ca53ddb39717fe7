"""Monitor of a stream: inspects documents while the model learns from them, and raises alerts.

Its state can be stored as arrays. A restored monitor continues bit for bit as if it had never stopped.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..._utils.deprecation import deprecated_keywords
from ..._utils.signals import defer_signals
from ..._utils.validation import check_in_range, check_integer
from ...errors import InputError
from ...io import ModelFields, pack_strings
from ...io.strict_json import to_json
from ...models.online.inputs import StreamDocument
from .alerts import Alert
from .drift import DriftDetector, LabelHistory
from .emerging_labels import Trends, find_emerging_labels, trends_of
from .mislabel_scores import LabelEvidence
from .mislabeled import MislabelDetector
from .model_access import MonitoredDocument, concatenate_documents
from .window_statistics import NO_LABEL, SLOTS, WindowStatistics

if TYPE_CHECKING:
    from ...models import OnlineLabeledLDA
    from ...models.online.state import StreamState

__all__ = ["Alert", "StreamMonitor", "Trends"]

CHECK_EVERY = 50  # documents between two updates of the statistics and checks of the labels
_MAX_FALSE_RATE = 0.1  # false alerts per document
_CHECKS_PER_SEARCH = 4  # checks per search for emerging labels


class StreamMonitor:
    """Inspects the documents that a streaming model learns from, and raises alerts.

    Alerts do not depend on how the stream is divided into calls. A monitor that is saved with its model continues
    exactly as if it had never stopped. Documents without labels are ignored. Monitoring a document takes one to two
    times as long as learning from it, at any age of the stream. Memory grows with the vocabulary of the model, not with
    the stream.

    Parameters
    ----------
    model : OnlineLabeledLDA
        A new or a fitted model.
    window : int
        Number of recent documents that scores and word trends are based on.
    block : int
        Number of new documents of a label that are compared with earlier ones.
    mislabeled, drift, candidate : float
        Accepted rate of false alerts of each kind, per document of the stream; 0 disables the kind.

    Notes
    -----
    Measured on arXiv abstracts by date, 5,000 at a time with all their words, of which 2 % had the labels of another
    abstract. Figures are means of three draws; settings were chosen on the same documents. "Others" are alerts per
    1,000 documents with their original labels, some of which a reader would agree with.

    ===========================  =========  ======  ======
    abstracts, ``mislabeled``    precision  recall  others
    ===========================  =========  ======  ======
    2014, 0.005                       0.72    0.26     2.0
    1989 to 2001, 0.005               0.81    0.27     1.1
    2007 to 2016, 0.005               0.82    0.28     1.2
    2014, 0.01                        0.61    0.37     4.7
    1989 to 2001, 0.01                0.55    0.35     5.2
    2007 to 2016, 0.01                0.69    0.36     3.2
    ===========================  =========  ======  ======

    There are no other alerts in the abstracts of 2014. In 9,459 abstracts on machine learning of 1994 to 2019, eleven
    labels change, among them cs.NE in 2015 (deep, convolutional) and cs.CR in 2018 (adversarial), and there are six
    candidates, such as recurrent, rnn, lstms in 2016. Monitoring took 1.3 to 2.4 times as long as learning, the latter
    if most labels are large and change.

    Examples
    --------
    >>> import topicwright as tw
    >>> monitor = tw.StreamMonitor(tw.OnlineLabeledLDA())
    >>> texts, labels = ["ship sails sea wind", "bread oven flour salt"] * 200, [["sea"], ["kitchen"]] * 200
    >>> monitor.learn(texts, labels)
    []
    >>> for alert in monitor.learn(["bread flour oven"], [["sea"]], ids=["a17"]):
    ...     print(alert)
    document a17, labeled sea, would fit kitchen better: bread, flour, oven
    """

    @deprecated_keywords(mislabelled="mislabeled")
    def __init__(
        self,
        model: OnlineLabeledLDA,
        *,
        window: int = 1000,
        block: int = 50,
        mislabeled: float = 0.005,
        drift: float = 0.0001,
        candidate: float = 0.0001,
    ) -> None:
        self.model = model
        self.window, self.block = check_integer("window", window, CHECK_EVERY), check_integer("block", block, 5, 10_000)
        self.mislabeled = check_in_range("mislabeled", mislabeled, 0.0, _MAX_FALSE_RATE)
        self.drift = check_in_range("drift", drift, 0.0, _MAX_FALSE_RATE)
        self.candidate = check_in_range("candidate", candidate, 0.0, _MAX_FALSE_RATE)
        self.n_docs_seen = 0
        self._stats = WindowStatistics(self.window)
        self._scores = MislabelDetector(self.mislabeled, self.window)
        self._drift = DriftDetector(self.drift, self.block)

    def learn(self, X: Any, y: Any = None, ids: Iterable[Any] | None = None) -> list[Alert]:
        """Learn from documents as :meth:`OnlineLabeledLDA.partial_fit`, and return alerts.

        Parameters
        ----------
        X, y
            Documents and labels, as in :meth:`OnlineLabeledLDA.partial_fit`.
        ids : iterable, optional
            Ids of the documents in alerts; by default their numbers from 0.

        Returns
        -------
        list of Alert
            Alerts about documents immediately, alerts about labels after every 50 documents.
        """
        model = self.model
        stream = model.open_stream()
        items = stream.parse(X, y)
        names = _checked_ids(ids, self.n_docs_seen, len(items))
        stream.new_labels = []
        model.set_stream(stream)
        alerts: list[Alert] = []
        self._synchronize(stream)
        try:
            start = 0
            while start < len(items):
                end = start + min(
                    CHECK_EVERY - self.n_docs_seen % CHECK_EVERY, stream.settings.window
                )  # the model keeps this number of documents
                with defer_signals():
                    stream.learn(items[start:end])
                    alerts += self._inspect(stream, items[start:end], names[start:end])
                start = end
        finally:
            model.set_stream(stream)  # discards cached results
        return alerts

    def trends(self, top: int = 5) -> Trends:
        """Words that are in significantly more, or fewer, documents of the window than before.

        >>> import topicwright as tw
        >>> monitor = tw.StreamMonitor(tw.OnlineLabeledLDA(), window=100)
        >>> _ = monitor.learn(["ship sea"] * 300 + ["ship storm"] * 50, [["sea"]] * 350)
        >>> monitor.trends().rising, monitor.trends().falling
        (('storm',), ('sea',))
        """
        return trends_of(self._stats, check_integer("top", top, 0))

    # ------------------------------------------------------------------ inspection

    def _inspect(self, stream: StreamState, items: Sequence[StreamDocument], names: Sequence[Any]) -> list[Alert]:
        """Inspect documents that were just learned, with the statistics of the last check."""
        alerts: list[Alert | None] = []
        self._stats.synchronize(stream)
        labeled = [(item.labels, name) for item, name in zip(items, names) if item.labels is not None]
        learned = list(stream.window)[len(stream.window) - len(labeled) :]
        for (labels, name), recent in zip(labeled, learned):
            document = self._stats.document(name, recent.tokens, recent.labels)
            if self.mislabeled:
                alerts.append(self._scores.score(self._stats, stream.settings.alpha, document, labels))
            self._stats.add(document)
            if self.drift:
                self._drift.add(document)
        self.n_docs_seen += len(items)
        if self.n_docs_seen % CHECK_EVERY == 0:
            alerts += self._check(stream)
        return [alert for alert in alerts if alert is not None]

    def _check(self, stream: StreamState) -> list[Alert]:
        stats, number = self._stats, self.n_docs_seen
        stats.absorb_pending(stream, CHECK_EVERY)
        self._scores.calibrate()
        alerts = self._drift.check(stream, stats, number, CHECK_EVERY) if self.drift else []
        is_due = self.candidate and number % (_CHECKS_PER_SEARCH * CHECK_EVERY) == 0 and stats.n_before >= self.window
        if is_due:
            alerts += find_emerging_labels(stream, stats, number, self.candidate * _CHECKS_PER_SEARCH * CHECK_EVERY)
        return alerts

    def _synchronize(self, stream: StreamState) -> None:
        """Renumber words and labels if the model was pruned."""
        numbers = self._stats.synchronize(stream)
        if numbers is None:
            return
        new = {id(document): numbers.document(document) for document in self.documents()}
        self._stats.restore(*([new[id(old)] for old in part] for part in (self._stats.window, self._stats.pending)))
        self._drift.restore(self._drift.renumber(numbers, new))

    def documents(self) -> Iterator[MonitoredDocument]:
        """All stored documents, some of them several times."""
        yield from self._stats.window
        yield from self._stats.pending
        for history in self._drift.histories.values():
            yield from history.recent
            yield from history.sample

    # ------------------------------------------------------------------ serialization

    def state(self) -> dict[str, NDArray[Any]]:
        """State as arrays, for :meth:`from_state`."""
        if self.model.stream_ is not None:
            self._synchronize(self.model.stream_)
        return _to_arrays(self)

    @classmethod
    def from_state(cls, model: OnlineLabeledLDA, state: Mapping[str, NDArray[Any]]) -> StreamMonitor:
        """Monitor that continues from a state; raises ``ModelFileError`` if the state does not fit the model.

        >>> import topicwright as tw
        >>> monitor = tw.StreamMonitor(tw.OnlineLabeledLDA())
        >>> _ = monitor.learn(["ship sea", "bread oven"], [["sea"], ["kitchen"]])
        >>> tw.StreamMonitor.from_state(monitor.model, monitor.state()).n_docs_seen
        2
        """
        return _from_arrays(cls, model, state)


def _checked_ids(ids: Iterable[Any] | None, start: int, n: int) -> list[Any]:
    if ids is None:
        return list(range(start, start + n))
    if isinstance(ids, (str, bytes)):
        raise InputError(parameter="ids", expected="a list with one id per document", got=type(ids))
    names = [name.item() if isinstance(name, np.generic) else name for name in ids]
    if len(names) != n:
        raise InputError(f"`ids` has {len(names)} entries but there are {n} documents", parameter="ids", got=len(names))
    return [name if isinstance(name, (str, int)) else str(name) for name in names]


# ---------------------------------------------------------------------- state as arrays

Arrays = dict[str, NDArray[Any]]
_SETTINGS = {  # attribute of each setting in the file
    "window": "window",
    "block": "block",
    "mislabelled": "mislabeled",
    "drift": "drift",
    "candidate": "candidate",
}
_MAX_NUMBER = 2**62


def _to_arrays(monitor: StreamMonitor) -> Arrays:
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


def _from_arrays(cls: type[StreamMonitor], model: OnlineLabeledLDA, state: Mapping[str, NDArray[Any]]) -> StreamMonitor:
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
