"""Statistics of a stream: a window of documents, word counts, and evidence of words for labels."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .mislabel_scores import LabelEvidence, ScoringParams, new_evidence, update_evidence
from .model_access import (
    Floats,
    MonitoredDocument,
    add_times,
    add_to_counts,
    concatenate_documents,
    find_positions,
    statistics_of,
)

if TYPE_CHECKING:
    from ...models.online.state import StreamState

SLOTS = 24  # labels stored per word
NO_LABEL = -1
_UNSEEN = 0.5  # pseudo-count of a word
_PRIOR_DOCUMENTS = 15  # worth of background that a label starts with
_MIN_LABEL_DOCUMENTS = 5  # worth of words that a label must have to be compared
_MAX_UNIT = 1e100  # unit
_HORIZON = 20  # windows over which earlier documents are forgotten


class Renumbering(NamedTuple):
    """New numbers of words and labels; negative for those that the model has removed."""

    words: NDArray[np.int64]
    labels: NDArray[np.int64]

    def document(self, document: MonitoredDocument) -> MonitoredDocument:
        """Document with new numbers, without removed words and labels."""
        words, labels = self.words[document.words], self.labels[document.labels]
        is_known = words >= 0
        return MonitoredDocument(
            document.name,
            words[is_known].astype(np.uint32),
            document.times[is_known],
            labels[labels >= 0].astype(np.uint32),
        )


class WindowStatistics:
    """Arrays by word number, which grow with the vocabulary and shrink when the model is pruned.

    ``evidence`` and the counts for scores are those of the last check.
    """

    def __init__(self, window: int) -> None:
        self.size = window
        self.window: deque[MonitoredDocument] = deque()
        self.pending: list[MonitoredDocument] = []  # documents since the last check
        self.recent: Floats = np.zeros(0)  # documents of the window with a word
        self.before: Floats = np.zeros(0)  # documents before the window, in units of ``unit``
        self.alerted_until: NDArray[np.int64] = np.zeros(
            0, np.int64
        )  # number of the document up to which a word gets no other alert
        self.n_before, self.unit = 0.0, 1.0  # documents before the window; older ones count less
        self.evidence = new_evidence(SLOTS)
        self.n_tokens = 0.0
        self._positions: NDArray[np.int64] = np.zeros(0, np.int64)  # buffer of ``find_positions``, otherwise negative
        self.n_docs = self.n_words = 0
        self._words: dict[str, int] = {}
        self._labels: dict[Any, int] = {}

    # ------------------------------------------------------------------ documents

    def document(self, name: Any, tokens: NDArray[np.int32], labels: Sequence[int]) -> MonitoredDocument:
        """Document to store, from its tokens."""
        words, positions = self.positions(tokens)
        times = np.bincount(positions, minlength=len(words))
        return MonitoredDocument(name, words.astype(np.uint32), times.astype(np.uint32), np.array(labels, np.uint32))

    def add(self, document: MonitoredDocument) -> None:
        """Add a document; the oldest one leaves the window."""
        self.pending.append(document)
        self.window.append(document)
        add_to_counts(document.words, self.recent, 1.0)
        if len(self.window) > self.size:
            old = self.window.popleft()
            add_to_counts(old.words, self.recent, -1.0)
            add_to_counts(old.words, self.before, self.unit)
            self.n_before += 1

    def absorb_pending(self, stream: StreamState, n: int) -> None:
        """Add the pending documents to the counts and the evidence, after n documents of the stream."""
        documents, tokens = concatenate_documents(self.pending), self.evidence.tokens
        if stream.settings.forgetting is not None:
            tokens *= stream.settings.forgetting**n
            self.n_tokens *= stream.settings.forgetting**n
        self.n_words += int(add_times(documents.words, documents.times, tokens))
        self.n_tokens += float(documents.times.sum())
        self.n_docs += len(self.pending)
        longest = int(np.diff(documents.offsets).max(initial=0))
        buffers = np.zeros(longest, np.uint64), np.zeros(longest)
        update_evidence(statistics_of(stream), documents, self.n_tokens, self.prior, *buffers, self.evidence)
        self.pending = []
        self._forget(float(np.exp(-n / (_HORIZON * self.size))))

    def _forget(self, decay: float) -> None:
        """Decay the counts from before the window, by increasing the unit of later ones."""
        self.unit /= decay
        self.n_before *= decay
        if self.unit > _MAX_UNIT:
            self.before /= self.unit
            self.unit = 1.0

    def restore(self, window: Iterable[MonitoredDocument], pending: Iterable[MonitoredDocument]) -> None:
        """Replace the stored documents; those without labels are dropped."""
        self.window = deque(document for document in window if len(document.labels))
        self.pending = [document for document in pending if len(document.labels)]
        n_words, n_labels = self.n_numbers
        words = concatenate_documents(self.window).words
        self.recent = np.bincount(words, minlength=n_words).astype(np.float64)
        self.reserve(n_words, n_labels)

    # ------------------------------------------------------------------ expected counts

    @property
    def prior(self) -> float:
        """c: pseudo-count of the background in a label, in proportion to the length of documents."""
        return _PRIOR_DOCUMENTS * max(self.length, 1.0)

    @property
    def length(self) -> float:
        """Mean length of a document."""
        return self.n_tokens / max(self.n_docs, 1)

    def params(self, alpha: float) -> ScoringParams:
        """Parameters of the scores."""
        n_all = self.n_tokens + _UNSEEN * self.n_words
        return ScoringParams(_UNSEEN, n_all, self.prior, _MIN_LABEL_DOCUMENTS * self.length, alpha)

    def positions(self, words: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Distinct words, and the index of each word among them."""
        different, positions = np.zeros((2, len(words)), np.int64)
        return different[: find_positions(words, self._positions, different, positions)], positions

    def background(self, words: NDArray[Any]) -> Floats:
        """p(w) of some words."""
        p: Floats = (self.evidence.tokens[words] + _UNSEEN) / (self.n_tokens + _UNSEEN * self.n_words)
        return p

    def words(self, numbers: Any) -> tuple[str, ...]:
        """Words by number."""
        words = list(self._words)
        return tuple(words[n] for n in numbers)

    def label(self, number: int) -> Any:
        """Label by number."""
        return list(self._labels)[number]

    # ------------------------------------------------------------------ word and label numbers

    def synchronize(self, stream: StreamState) -> Renumbering | None:
        """Grow with the vocabulary of the stream; returns the new numbers if the model was pruned."""
        numbers = None
        if self._words is not stream.vocabulary.ids:
            if self._words:
                numbers = self._renumber(stream)
            elif stream.is_fitted:
                self._initialize_from(stream)
            self._words, self._labels = stream.vocabulary.ids, stream.label_ids
        self.reserve(len(self._words), len(self._labels))
        return numbers

    def attach(self, stream: StreamState) -> None:
        """Use the numbers of a stream, which are the same."""
        self._words, self._labels = stream.vocabulary.ids, stream.label_ids

    @property
    def n_numbers(self) -> tuple[int, int]:
        """Number of words and labels."""
        return len(self._words), len(self._labels)

    def reserve(self, n_words: int, n_labels: int) -> None:
        """Grow the arrays for at least this many words and labels."""
        n, evidence = 1 << max(n_words - 1, 0).bit_length(), self.evidence
        if n_words > len(evidence.tokens):
            parts = _grown(evidence.counts, n), _grown(evidence.rest, n), evidence.totals, _grown(evidence.tokens, n)
            self.evidence = LabelEvidence(_grown(evidence.labels, n, NO_LABEL), *parts)
        self._positions = _grown(self._positions, n, NO_LABEL)
        self.recent, self.before, self.alerted_until = (
            _grown(self.recent, n),
            _grown(self.before, n),
            _grown(self.alerted_until, n),
        )
        if n_labels > len(self.evidence.totals):
            self.evidence = self.evidence._replace(
                totals=_grown(self.evidence.totals, 1 << (n_labels - 1).bit_length())
            )

    def _initialize_from(self, stream: StreamState) -> None:
        """Initialize from a model that has learned without a monitor."""
        table = stream.snapshot().counts.tocoo()
        self.reserve(table.shape[1], table.shape[0])
        labels, counts, rest, totals, tokens = self.evidence
        tokens[: table.shape[1]] = np.bincount(table.col, table.data, table.shape[1])
        totals[: table.shape[0]] = np.bincount(table.row, table.data, table.shape[0])
        self.n_tokens, self.n_docs = float(tokens.sum()), stream.engine.n_documents
        self.n_words = int(np.count_nonzero(tokens))
        order = np.lexsort((-table.data / (totals[table.row] + self.prior), table.col))
        words = table.col[order]
        ranks = np.arange(len(words)) - np.searchsorted(words, words)
        order, words, ranks = (part[ranks < SLOTS] for part in (order, words, ranks))
        labels[words, ranks], counts[words, ranks] = table.row[order], table.data[order]
        others = self.n_tokens - np.where(labels == NO_LABEL, 0.0, totals[labels]).sum(axis=1)
        rest[:] = np.maximum(tokens - counts.sum(axis=1), 0.0) / np.maximum(others, self.prior)

    def _renumber(self, stream: StreamState) -> Renumbering:
        numbers = Renumbering(
            _new_numbers(self._words, stream.vocabulary.ids), _new_numbers(self._labels, stream.label_ids)
        )
        n_words, n_labels, evidence = len(stream.vocabulary.ids), len(stream.label_ids), self.evidence
        self.before, self.alerted_until = (
            _renumbered(part, numbers.words, n_words) for part in (self.before, self.alerted_until)
        )
        labels = np.append(numbers.labels, NO_LABEL)[evidence.labels].astype(np.int32)
        order = np.argsort(labels == NO_LABEL, axis=1, kind="stable")  # remaining labels first
        labels, counts = np.take_along_axis(labels, order, axis=1), np.take_along_axis(evidence.counts, order, axis=1)
        self.evidence = LabelEvidence(
            _renumbered(labels, numbers.words, n_words, NO_LABEL),
            _renumbered(np.where(labels == NO_LABEL, np.float32(0), counts), numbers.words, n_words),
            _renumbered(evidence.rest, numbers.words, n_words),
            _renumbered(evidence.totals, numbers.labels, n_labels),
            _renumbered(evidence.tokens, numbers.words, n_words),
        )
        self.n_words = int(np.count_nonzero(self.evidence.tokens))
        return numbers


def _grown(array: NDArray[Any], n: int, value: int = 0) -> NDArray[Any]:
    if n <= len(array):
        return array
    return np.concatenate([array, np.full((n - len(array), *array.shape[1:]), value, array.dtype)])


def _new_numbers(old: dict[Any, int], new: dict[Any, int]) -> NDArray[np.int64]:
    return np.array([new.get(name, NO_LABEL) for name in old], np.int64)


def _renumbered(old: NDArray[Any], numbers: NDArray[np.int64], n: int, value: int = 0) -> NDArray[Any]:
    """Entries of an array at their new numbers."""
    new = np.full((n, *old.shape[1:]), value, old.dtype)
    remains = numbers >= 0
    new[numbers[remains]] = old[: len(numbers)][remains]
    return new
