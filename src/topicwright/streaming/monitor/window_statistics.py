"""What a watch remembers of the stream: a window of documents, how often words came, and what they say for labels."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .mislabel_scores import LabelEvidence, ScoringParams, new_evidence, remember
from .model_access import Floats, MonitoredDocument, add_times, count, find_places, side_by_side, statistics_of

if TYPE_CHECKING:
    from ...models.online.state import StreamState

SLOTS = 24  # labels to remember of each word
NOBODY = -1
_UNSEEN = 0.5  # what a word counts before it is seen
_DOCUMENTS = 15  # of the background that a label is made of to begin with
_YOUNG = 5  # documents' worth of words that a label must have before it is compared
_LARGEST = 1e100  # unit
_HORIZON = 20  # windows that the long run is about


class Renumbering(NamedTuple):
    """The new numbers of words and labels; negative for those that the model has given up."""

    words: NDArray[np.int64]
    labels: NDArray[np.int64]

    def document(self, document: MonitoredDocument) -> MonitoredDocument:
        """The same document, as far as it is still known."""
        words, labels = self.words[document.words], self.labels[document.labels]
        is_known = words >= 0
        return MonitoredDocument(
            document.name,
            words[is_known].astype(np.uint32),
            document.times[is_known],
            labels[labels >= 0].astype(np.uint32),
        )


class WindowStatistics:
    """Arrays by the model's numbers of words; they grow with the vocabulary, and shrink when the model is pruned.

    What documents are judged by, ``said`` and the numbers beside it, is that of the last turn.
    """

    def __init__(self, window: int) -> None:
        self.size = window
        self.window: deque[MonitoredDocument] = deque()
        self.waiting: list[MonitoredDocument] = []  # that came since the last turn
        self.recent: Floats = np.zeros(0)  # documents of the window that have a word
        self.before: Floats = np.zeros(0)  # documents before that, in units of those that leave it now
        self.told: NDArray[np.int64] = np.zeros(0, np.int64)  # until which document a word is old news
        self.n_before, self.unit = 0.0, 1.0  # documents before the window, of which the older count for less
        self.said = new_evidence(SLOTS)
        self.n_tokens = 0.0
        self._places: NDArray[np.int64] = np.zeros(0, np.int64)  # all negative, but while words are counted
        self.n_docs = self.n_words = 0
        self._words: dict[str, int] = {}
        self._labels: dict[Any, int] = {}

    # ------------------------------------------------------------------ documents

    def document(self, name: Any, tokens: NDArray[np.int32], labels: Sequence[int]) -> MonitoredDocument:
        """A document of so many tokens, as it is kept."""
        words, places = self.places(tokens)
        times = np.bincount(places, minlength=len(words))
        return MonitoredDocument(name, words.astype(np.uint32), times.astype(np.uint32), np.array(labels, np.uint32))

    def add(self, document: MonitoredDocument) -> None:
        """One more document; the oldest of the window leaves it."""
        self.waiting.append(document)
        self.window.append(document)
        count(document.words, self.recent, 1.0)
        if len(self.window) > self.size:
            old = self.window.popleft()
            count(old.words, self.recent, -1.0)
            count(old.words, self.before, self.unit)
            self.n_before += 1

    def turn(self, stream: StreamState, n: int) -> None:
        """So many documents have come and are learned: what they say is known from now on."""
        documents, tokens = side_by_side(self.waiting), self.said.tokens
        if stream.settings.forgetting is not None:
            tokens *= stream.settings.forgetting**n
            self.n_tokens *= stream.settings.forgetting**n
        self.n_words += int(add_times(documents.words, documents.times, tokens))
        self.n_tokens += float(documents.times.sum())
        self.n_docs += len(self.waiting)
        longest = int(np.diff(documents.offsets).max(initial=0))
        room = np.zeros(longest, np.uint64), np.zeros(longest)
        remember(statistics_of(stream), documents, self.n_tokens, self.prior, *room, self.said)
        self.waiting = []
        self._forget(float(np.exp(-n / (_HORIZON * self.size))))

    def _forget(self, decay: float) -> None:
        """What left the window earlier counts for less, since what leaves it later counts for more."""
        self.unit /= decay
        self.n_before *= decay
        if self.unit > _LARGEST:
            self.before /= self.unit
            self.unit = 1.0

    def hold(self, window: Iterable[MonitoredDocument], waiting: Iterable[MonitoredDocument]) -> None:
        """Go on from other documents; those without labels are left out."""
        self.window = deque(document for document in window if len(document.labels))
        self.waiting = [document for document in waiting if len(document.labels)]
        n_words, n_labels = self.n_numbers
        words = side_by_side(self.window).words
        self.recent = np.bincount(words, minlength=n_words).astype(np.float64)
        self.make_room(n_words, n_labels)

    # ------------------------------------------------------------------ what is expected

    @property
    def prior(self) -> float:
        """c: words of the background that a label begins with; it goes by the length of documents."""
        return _DOCUMENTS * max(self.length, 1.0)

    @property
    def length(self) -> float:
        """The mean length of a document."""
        return self.n_tokens / max(self.n_docs, 1)

    def rule(self, alpha: float) -> ScoringParams:
        """What documents are judged by."""
        n_all = self.n_tokens + _UNSEEN * self.n_words
        return ScoringParams(_UNSEEN, n_all, self.prior, _YOUNG * self.length, alpha)

    def places(self, words: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The different ones of some words, and the place of each among them."""
        different, places = np.zeros((2, len(words)), np.int64)
        return different[: find_places(words, self._places, different, places)], places

    def background(self, words: NDArray[Any]) -> Floats:
        """p(w) of some words."""
        p: Floats = (self.said.tokens[words] + _UNSEEN) / (self.n_tokens + _UNSEEN * self.n_words)
        return p

    def words(self, numbers: Any) -> tuple[str, ...]:
        """The words of some numbers."""
        words = list(self._words)
        return tuple(words[n] for n in numbers)

    def label(self, number: int) -> Any:
        """The label of a number."""
        return list(self._labels)[number]

    # ------------------------------------------------------------------ the model's numbers

    def follow(self, stream: StreamState) -> Renumbering | None:
        """Make room for what is new; where the model was pruned, take over its numbers, and return them."""
        numbers = None
        if self._words is not stream.words.number:
            if self._words:
                numbers = self._renumber(stream)
            elif stream.is_fitted:
                self._learn_from(stream)
            self._words, self._labels = stream.words.number, stream.labels
        self.make_room(len(self._words), len(self._labels))
        return numbers

    def take_up(self, stream: StreamState) -> None:
        """Go on with a model that has the same numbers."""
        self._words, self._labels = stream.words.number, stream.labels

    @property
    def n_numbers(self) -> tuple[int, int]:
        """How many words and labels have numbers."""
        return len(self._words), len(self._labels)

    def make_room(self, n_words: int, n_labels: int) -> None:
        """For so many words and labels, and some more."""
        n, said = 1 << max(n_words - 1, 0).bit_length(), self.said
        if n_words > len(said.tokens):
            parts = _longer(said.counts, n), _longer(said.rest, n), said.totals, _longer(said.tokens, n)
            self.said = LabelEvidence(_longer(said.labels, n, NOBODY), *parts)
        self._places = _longer(self._places, n, NOBODY)
        self.recent, self.before, self.told = _longer(self.recent, n), _longer(self.before, n), _longer(self.told, n)
        if n_labels > len(self.said.totals):
            self.said = self.said._replace(totals=_longer(self.said.totals, 1 << (n_labels - 1).bit_length()))

    def _learn_from(self, stream: StreamState) -> None:
        """What a model knows that has learned without a watch."""
        table = stream.view().counts.tocoo()
        self.make_room(table.shape[1], table.shape[0])
        labels, counts, rest, totals, tokens = self.said
        tokens[: table.shape[1]] = np.bincount(table.col, table.data, table.shape[1])
        totals[: table.shape[0]] = np.bincount(table.row, table.data, table.shape[0])
        self.n_tokens, self.n_docs = float(tokens.sum()), stream.engine.n_documents
        self.n_words = int(np.count_nonzero(tokens))
        order = np.lexsort((-table.data / (totals[table.row] + self.prior), table.col))
        words = table.col[order]
        ranks = np.arange(len(words)) - np.searchsorted(words, words)
        order, words, ranks = (part[ranks < SLOTS] for part in (order, words, ranks))
        labels[words, ranks], counts[words, ranks] = table.row[order], table.data[order]
        others = self.n_tokens - np.where(labels == NOBODY, 0.0, totals[labels]).sum(axis=1)
        rest[:] = np.maximum(tokens - counts.sum(axis=1), 0.0) / np.maximum(others, self.prior)

    def _renumber(self, stream: StreamState) -> Renumbering:
        numbers = Renumbering(_new(self._words, stream.words.number), _new(self._labels, stream.labels))
        n_words, n_labels, said = len(stream.words.number), len(stream.labels), self.said
        self.before, self.told = (_moved(part, numbers.words, n_words) for part in (self.before, self.told))
        labels = np.append(numbers.labels, NOBODY)[said.labels].astype(np.int32)
        order = np.argsort(labels == NOBODY, axis=1, kind="stable")  # those that are left come first
        labels, counts = np.take_along_axis(labels, order, axis=1), np.take_along_axis(said.counts, order, axis=1)
        self.said = LabelEvidence(
            _moved(labels, numbers.words, n_words, NOBODY),
            _moved(np.where(labels == NOBODY, np.float32(0), counts), numbers.words, n_words),
            _moved(said.rest, numbers.words, n_words),
            _moved(said.totals, numbers.labels, n_labels),
            _moved(said.tokens, numbers.words, n_words),
        )
        self.n_words = int(np.count_nonzero(self.said.tokens))
        return numbers


def _longer(array: NDArray[Any], n: int, value: int = 0) -> NDArray[Any]:
    if n <= len(array):
        return array
    return np.concatenate([array, np.full((n - len(array), *array.shape[1:]), value, array.dtype)])


def _new(old: dict[Any, int], new: dict[Any, int]) -> NDArray[np.int64]:
    return np.array([new.get(name, NOBODY) for name in old], np.int64)


def _moved(old: NDArray[Any], numbers: NDArray[np.int64], n: int, value: int = 0) -> NDArray[Any]:
    """The entries of an array at their new places."""
    new = np.full((n, *old.shape[1:]), value, old.dtype)
    kept = numbers >= 0
    new[numbers[kept]] = old[: len(numbers)][kept]
    return new
