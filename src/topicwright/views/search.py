"""Words and documents that are looked for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from .._utils.validation import check_integer
from ..corpus import Corpus
from ..errors import InputError
from .documents import known_of
from .validation import has_documents

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_TOPICS = 5  # of a word
_BEGUN = 20  # words that an unknown word of a question may be the beginning of
_SATURATION, _BY_LENGTH = 1.2, 0.75  # k1 and b of BM25
_NAME, _LABEL, _WORDS = "name", "label", "words"


class WordTopic(NamedTuple):
    """A topic that holds a word, how often, and the share of all the word's occurrences that is."""

    topic: int
    times: float
    share: float


class FoundWord(NamedTuple):
    """A word of the vocabulary, how often it occurs, and the topics that hold most of it."""

    word: str
    times: float
    topics: tuple[WordTopic, ...]


class FoundDocument(NamedTuple):
    """A training document, and by what it was found: its name, a label, or words."""

    row: int
    name: str | None
    labels: tuple[str, ...]
    date: str | None
    by: str
    score: float
    """BM25, where words were looked for; else 1."""
    words: tuple[str, ...]
    """Those that were looked for and are in it."""


class Search:
    """Looks for words and documents of a model; what it needs for that is worked out once.

    >>> import topicwright as tw
    >>> search = Search(tw.LDA(n_topics=2, n_sweeps=5).fit(["ship sails sea", "bread oven"] * 5))
    >>> [found.word for found in search.words("s")]
    ['sails', 'sea', 'ship']
    >>> [found.row for found in search.documents("the oven", n=2)]
    [1, 3]
    """

    def __init__(self, model: Any) -> None:
        check_is_fitted(model)
        self._model = model
        self._corpus: Corpus = model.corpus_
        self._vocabulary: list[str] = model.vocabulary_.tolist()

    # ------------------------------------------------------------------ words

    def words(self, q: str, n: int = 20) -> list[FoundWord]:
        """The words that are, begin with or hold ``q``, in this order; of each kind the most frequent first."""
        wanted = _checked(q)
        check_integer("n", n, 1)
        if not wanted:
            return []
        ranks = [
            (0 if word == wanted else 1 if word.startswith(wanted) else 2, -times, number)
            for number, (word, times) in enumerate(zip(self._folded, self._times))
            if wanted in word
        ]
        return [self._word(number) for *_, number in sorted(ranks)[:n]]

    def _word(self, number: int) -> FoundWord:
        start, end = self._by_word.indptr[number : number + 2]
        topics, times = self._by_word.indices[start:end], self._by_word.data[start:end]
        order = np.lexsort((topics, -times))[:_TOPICS]
        total = max(self._times[number], 1e-12)
        held = [WordTopic(int(topics[i]), float(times[i]), float(times[i]) / total) for i in order if times[i] > 0]
        return FoundWord(self._vocabulary[number], self._times[number], tuple(held))

    @cached_property
    def _folded(self) -> list[str]:
        return [word.casefold() for word in self._vocabulary]

    @cached_property
    def _by_word(self) -> Any:
        return self._model.topic_word_counts_.T.tocsr()

    @cached_property
    def _times(self) -> list[float]:
        times: list[float] = np.asarray(self._by_word.sum(axis=1), dtype=np.float64).ravel().tolist()
        return times

    # ------------------------------------------------------------------ documents

    def documents(self, q: str, n: int = 20) -> list[FoundDocument]:
        """The documents whose name holds ``q``, those that have it for a label, and those with its words.

        Each of these has a third of the room, or more where others leave some. Words are ranked by BM25; one that the
        model does not know stands for those that begin with it. Documents without names are found by their row.
        """
        wanted = _checked(q)
        check_integer("n", n, 1)
        if not has_documents(self._model):
            raise InputError("documents needs the training documents, and this model does not keep them")
        if not wanted:
            return []
        by_name = [self._document(row, _NAME) for row in self._named(wanted, n)]
        by_label = [self._document(row, _LABEL) for row in self._rows_of_labels.get(wanted, [])[:n]]
        by_words = [self._document(row, _WORDS, score, words) for row, score, words in self._holding(q, n)]
        return _shared_out([by_name, by_label, by_words], n)

    def _document(self, row: int, by: str, score: float = 1.0, words: tuple[str, ...] = ()) -> FoundDocument:
        return FoundDocument(row, *known_of(self._corpus, row), by, score, words)

    def _named(self, wanted: str, n: int) -> list[int]:
        """Rows whose name is, begins with, or holds what is wanted."""
        if self._corpus.ids is None:
            number = wanted.removeprefix("row ").strip()
            is_row = number.isascii() and number.isdigit() and len(number) < 10 and int(number) < self._corpus.n_docs
            return [int(number)] if is_row else []
        ranks = [
            (0 if name == wanted else 1 if name.startswith(wanted) else 2, row)
            for row, name in enumerate(self._names)
            if wanted in name
        ]
        return [row for _, row in sorted(ranks)[:n]]

    @cached_property
    def _names(self) -> list[str]:
        return [name.casefold() for name in self._corpus.ids or ()]

    @cached_property
    def _rows_of_labels(self) -> dict[str, list[int]]:
        rows: dict[str, list[int]] = {}
        for row, labels in enumerate(self._corpus.labels or ()):
            for label in dict.fromkeys(label.casefold() for label in labels):
                rows.setdefault(label, []).append(row)
        return rows

    def _holding(self, q: str, n: int) -> Iterator[tuple[int, float, tuple[str, ...]]]:
        """Rows with the best scores of BM25, and the words for which they have them."""
        scores = np.zeros(self._corpus.n_docs)
        rows_of: dict[str, Ints] = {}
        for word in self._wanted(q):
            rows, times = self._rows_with(word)
            scores[rows] += self._bm25(rows, times)
            rows_of[self._vocabulary[word]] = rows
        rows = np.flatnonzero(scores)
        for row in rows[np.lexsort((rows, -scores[rows]))[:n]].tolist():
            yield row, float(scores[row]), tuple(word for word, rows in rows_of.items() if _holds(rows, row))

    def _rows_with(self, word: int) -> tuple[Ints, Ints]:
        """The documents that have a word, and how often."""
        start, end = self._postings.indptr[word : word + 2]
        return np.unique(self._postings.indices[start:end], return_counts=True)

    def _bm25(self, rows: Ints, times: Ints) -> Floats:
        """What a word adds to the scores of documents (Robertson and Zaragoza 2009)."""
        rarity = np.log1p((self._corpus.n_docs - len(rows) + 0.5) / (len(rows) + 0.5))
        return np.asarray(rarity * times * (_SATURATION + 1) / (times + self._damping[rows]))

    @cached_property
    def _postings(self) -> Any:
        """The rows of every word's tokens, as the columns of a CSC array."""
        corpus = self._corpus
        ones = np.ones(corpus.n_tokens, dtype=np.int8)
        return csr_array((ones, corpus.tokens, corpus.offsets), shape=(corpus.n_docs, corpus.n_words)).tocsc()

    @cached_property
    def _damping(self) -> Floats:
        lengths = self._corpus.doc_lengths()
        return np.asarray(_SATURATION * (1 - _BY_LENGTH + _BY_LENGTH * lengths / max(lengths.mean(), 1e-12)))

    def _wanted(self, q: str) -> list[int]:
        """The words of a question by number; the known words that begin as an unknown one does."""
        tokenizer = self._corpus.tokenizer
        words = q.split() if tokenizer is None or tokenizer.is_custom else tokenizer(q)
        numbers: list[int] = []
        for word in words:
            known = self._numbers.get(word)
            numbers.extend(self._begun(word) if known is None else [known])
        return list(dict.fromkeys(numbers))

    def _begun(self, word: str) -> list[int]:
        start = word.casefold()
        numbers = [number for number, known in enumerate(self._folded) if known.startswith(start)]
        return sorted(numbers, key=lambda number: (-self._times[number], number))[:_BEGUN]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self._vocabulary)}


def _checked(q: str) -> str:
    if not isinstance(q, str):
        raise InputError(f"q must be a str: got {type(q).__name__}")
    return " ".join(q.casefold().split())


def _holds(rows: Ints, row: int) -> bool:
    place = int(np.searchsorted(rows, row))
    return place < len(rows) and int(rows[place]) == row


def _shared_out(kinds: list[list[FoundDocument]], n: int) -> list[FoundDocument]:
    """At most ``n`` documents, each once: a part of the room for each kind, and the rest for the first that want it."""
    by_row = {one.row: number for number, kind in reversed(list(enumerate(kinds))) for one in kind}  # the first kind
    fresh = [[one for one in kind if by_row[one.row] == number] for number, kind in enumerate(kinds)]
    sizes = [min(len(kind), -(-n // len(kinds))) for kind in fresh]
    for place, kind in enumerate(fresh):
        sizes[place] = min(len(kind), sizes[place] + max(0, n - sum(sizes)))
    return [one for kind, size in zip(fresh, sizes) for one in kind[:size]][:n]
