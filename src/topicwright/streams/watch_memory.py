"""What a watch remembers of the stream: a window of documents, how often words came, and labels that they speak for."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .watch_reading import Document, Floats, Numbers

if TYPE_CHECKING:
    from ..models.online_state import Stream

SLOTS = 8  # labels to remember of each word
NOBODY = -1
_UNSEEN = 0.5  # what a word counts before it is seen
_DOCUMENTS = 15  # of the background that a label is made of to begin with
_HORIZON = 20  # windows that the long run is about


class Renumbering(NamedTuple):
    """The new numbers of words and labels; negative for those that the model has given up."""

    words: NDArray[np.int64]
    labels: NDArray[np.int64]

    def document(self, document: Document) -> Document:
        """The same document, as far as it is still known."""
        words, labels = self.words[document.words], self.labels[document.labels]
        is_known = words >= 0
        return Document(
            document.name,
            words[is_known].astype(np.uint32),
            document.times[is_known],
            labels[labels >= 0].astype(np.uint32),
        )


class Memory:
    """Arrays by the model's numbers of words; they grow with the vocabulary, and shrink when the model is pruned."""

    def __init__(self, window: int) -> None:
        self.size = window
        self.window: deque[Document] = deque()
        self.tokens: Floats = np.zeros(0)  # of each word, since the beginning
        self.recent: Floats = np.zeros(0)  # documents of the window that have it
        self.before: Floats = np.zeros(0)  # documents before that, which are forgotten by and by
        self.told: NDArray[np.int64] = np.zeros(0, np.int64)  # until which document it is old news
        self.slots: NDArray[np.int32] = np.zeros((0, SLOTS), np.int32)  # labels that it speaks for
        self.values: NDArray[np.float32] = np.zeros((0, SLOTS), np.float32)  # how much
        self.n_before = self.n_tokens = 0.0
        self.n_docs = self.n_words = 0  # that have come
        self._words: dict[str, int] = {}
        self._labels: dict[Any, int] = {}

    # ------------------------------------------------------------------ the model's numbers

    def follow(self, stream: Stream) -> Renumbering | None:
        """Make room for words that are new; where the model was pruned, take over its numbers, and return them."""
        numbers = None
        if self._words is not stream.words.number:
            if self._words:
                numbers = self._renumbered(stream)
            elif stream.is_fitted:
                self._learn_from(stream)
            self._words, self._labels = stream.words.number, stream.labels
        if len(self._words) > len(self.tokens):
            self._make_room(1 << (len(self._words) - 1).bit_length())
        return numbers

    def take_up(self, stream: Stream) -> None:
        """Go on with a model that has the same numbers."""
        self._words, self._labels = stream.words.number, stream.labels
        self._make_room(len(self._words))

    def _make_room(self, n: int) -> None:
        start, more = len(self.tokens), n - len(self.tokens)
        for name in ("tokens", "recent", "before", "told", "values"):
            array = getattr(self, name)
            setattr(self, name, np.concatenate([array, np.zeros((more, *array.shape[1:]), array.dtype)]))
        self.slots = np.concatenate([self.slots, np.full((n - start, SLOTS), NOBODY, np.int32)])

    def _learn_from(self, stream: Stream) -> None:
        """What a model knows that has learned without a watch."""
        counts = stream.view().counts.tocoo()
        self._make_room(counts.shape[1])
        self.tokens[:] = np.bincount(counts.col, weights=counts.data, minlength=counts.shape[1])
        self.n_tokens, self.n_docs = float(self.tokens.sum()), stream.engine.n_documents
        self.n_words = int(np.count_nonzero(self.tokens))
        totals = np.bincount(counts.row, weights=counts.data, minlength=counts.shape[0])
        values = counts.data / (totals[counts.row] + self.prior)
        order = np.lexsort((-values, counts.col))
        words = counts.col[order]
        ranks = np.arange(len(words)) - np.searchsorted(words, words)
        order, words, ranks = (part[ranks < SLOTS] for part in (order, words, ranks))
        self.slots[words, ranks], self.values[words, ranks] = counts.row[order], values[order]

    def _renumbered(self, stream: Stream) -> Renumbering:
        numbers = Renumbering(_new(self._words, stream.words.number), _new(self._labels, stream.labels))
        kept = np.flatnonzero(numbers.words >= 0)
        places = numbers.words[kept]
        for name in ("tokens", "recent", "before", "told", "values", "slots"):
            old = getattr(self, name)
            new = np.zeros((len(stream.words.number), *old.shape[1:]), old.dtype)
            new[places] = old[kept]
            setattr(self, name, new)
        self.slots = np.append(numbers.labels, NOBODY)[self.slots].astype(np.int32)
        self.values[self.slots == NOBODY] = 0.0
        self.n_words = int(np.count_nonzero(self.tokens))
        return numbers

    # ------------------------------------------------------------------ documents

    def add(self, document: Document) -> None:
        """One more document; the oldest of the window leaves it."""
        self.n_words += int(np.count_nonzero(self.tokens[document.words] == 0))
        self.tokens[document.words] += document.times
        self.recent[document.words] += 1
        self.n_tokens += int(document.times.sum())
        self.n_docs += 1
        self.window.append(document)
        if len(self.window) > self.size:
            old = self.window.popleft()
            self.recent[old.words] -= 1
            self.before[old.words] += 1
            self.n_before += 1

    def age(self, n: int) -> None:
        """So many documents have come: those before the window count for less."""
        decay = np.exp(-n / (_HORIZON * self.size))
        self.before *= decay
        self.n_before *= decay

    # ------------------------------------------------------------------ what is expected

    @property
    def prior(self) -> float:
        """c: words of the background that a label begins with; it goes by the length of documents."""
        return _DOCUMENTS * max(self.length, 1.0)

    @property
    def length(self) -> float:
        """The mean length of a document."""
        return self.n_tokens / max(self.n_docs, 1)

    def background(self, words: Numbers | slice) -> Floats:
        """p(w) of some words."""
        p: Floats = (self.tokens[words] + _UNSEEN) / (self.n_tokens + _UNSEEN * self.n_words)
        return p

    def names(self, words: Any) -> tuple[str, ...]:
        """The words of some numbers."""
        names = list(self._words)
        return tuple(names[word] for word in words)


def _new(old: dict[Any, int], new: dict[Any, int]) -> NDArray[np.int64]:
    return np.array([new.get(name, NOBODY) for name in old], np.int64)
