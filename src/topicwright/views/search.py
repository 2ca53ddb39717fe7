"""Search for words and documents of a model."""

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
from .documents import metadata_of
from .format import require_documents

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_TOPICS = 5  # of a word
_COMPLETIONS = 20  # words that an unknown word of a query may be the prefix of
_K1, _B = 1.2, 0.75  # of BM25: saturation of term frequencies, normalization by length
_NAME, _LABEL, _WORDS = "name", "label", "words"


class WordTopic(NamedTuple):
    """A topic of a word: the number of its tokens in the topic, and their share of all its tokens."""

    topic: int
    times: float
    share: float


class FoundWord(NamedTuple):
    """A word of the vocabulary, its number of tokens, and the topics that have most of them."""

    word: str
    times: float
    topics: tuple[WordTopic, ...]


class FoundDocument(NamedTuple):
    """A training document, and what it was found by: its name, a label, or words."""

    row: int
    name: str | None
    labels: tuple[str, ...]
    date: str | None
    by: str
    score: float
    """BM25 score if it was found by words, otherwise 1."""
    words: tuple[str, ...]
    """Words of the query that it contains."""


class Search:
    """Search index of the words and documents of a model.

    Parameters
    ----------
    model : fitted model
        Any model; to search for documents, it must have its training documents.

    Examples
    --------
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
        """Words that equal, start with or contain ``q``, in this order; of each kind the most frequent first.

        Parameters
        ----------
        q : str
            The query.
        n : int
            Largest number of results.
        """
        wanted = _normalize_query(q)
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
        """Documents whose name contains ``q``, documents with the label ``q``, and documents that contain its words.

        Each of these kinds gets a third of the results, or more if the others need less. Matches by words are ranked by
        BM25; a word that is not in the vocabulary matches the words that start with it. Documents without names are
        found by their row.

        Parameters
        ----------
        q : str
            The query.
        n : int
            Largest number of results.
        """
        wanted = _normalize_query(q)
        check_integer("n", n, 1)
        require_documents(self._model, "Search.documents")
        if not wanted:
            return []
        by_name = [self._document(row, _NAME) for row in self._named(wanted, n)]
        by_label = [self._document(row, _LABEL) for row in self._rows_of_labels.get(wanted, [])[:n]]
        by_words = [self._document(row, _WORDS, score, words) for row, score, words in self._with_words(q, n)]
        return _balanced([by_name, by_label, by_words], n)

    def _document(self, row: int, by: str, score: float = 1.0, words: tuple[str, ...] = ()) -> FoundDocument:
        return FoundDocument(row, *metadata_of(self._corpus, row), by, score, words)

    def _named(self, wanted: str, n: int) -> list[int]:
        """Rows of documents whose name equals, starts with or contains the query."""
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

    def _with_words(self, q: str, n: int) -> Iterator[tuple[int, float, tuple[str, ...]]]:
        """Rows with the largest BM25 scores, and the words of the query that they contain."""
        scores = np.zeros(self._corpus.n_docs)
        rows_of: dict[str, Ints] = {}
        for word in self._query_words(q):
            rows, times = self._rows_with(word)
            scores[rows] += self._bm25(rows, times)
            rows_of[self._vocabulary[word]] = rows
        rows = np.flatnonzero(scores)
        for row in rows[np.lexsort((rows, -scores[rows]))[:n]].tolist():
            yield row, float(scores[row]), tuple(word for word, rows in rows_of.items() if _contains(rows, row))

    def _rows_with(self, word: int) -> tuple[Ints, Ints]:
        """Rows of the documents that contain a word, and how often."""
        start, end = self._postings.indptr[word : word + 2]
        return np.unique(self._postings.indices[start:end], return_counts=True)

    def _bm25(self, rows: Ints, times: Ints) -> Floats:
        """Contribution of a word to the BM25 scores of documents (Robertson and Zaragoza 2009)."""
        idf = np.log1p((self._corpus.n_docs - len(rows) + 0.5) / (len(rows) + 0.5))
        return np.asarray(idf * times * (_K1 + 1) / (times + self._length_norm[rows]))

    @cached_property
    def _postings(self) -> Any:
        """Rows of the tokens of each word, as the columns of a CSC array."""
        corpus = self._corpus
        ones = np.ones(corpus.n_tokens, dtype=np.int8)
        return csr_array((ones, corpus.tokens, corpus.offsets), shape=(corpus.n_docs, corpus.n_words)).tocsc()

    @cached_property
    def _length_norm(self) -> Floats:
        lengths = self._corpus.doc_lengths()
        return np.asarray(_K1 * (1 - _B + _B * lengths / max(lengths.mean(), 1e-12)))

    def _query_words(self, q: str) -> list[int]:
        """Words of a query by number; for an unknown word, the words that start with it."""
        tokenizer = self._corpus.tokenizer
        words = q.split() if tokenizer is None or tokenizer.is_custom else tokenizer(q)
        numbers: list[int] = []
        for word in words:
            known = self._numbers.get(word)
            numbers.extend(self._completions(word) if known is None else [known])
        return list(dict.fromkeys(numbers))

    def _completions(self, prefix: str) -> list[int]:
        start = prefix.casefold()
        numbers = [number for number, word in enumerate(self._folded) if word.startswith(start)]
        return sorted(numbers, key=lambda number: (-self._times[number], number))[:_COMPLETIONS]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self._vocabulary)}


def _normalize_query(q: str) -> str:
    if not isinstance(q, str):
        raise InputError(parameter="q", expected="a string", got=type(q))
    return " ".join(q.casefold().split())


def _contains(sorted_rows: Ints, row: int) -> bool:
    index = int(np.searchsorted(sorted_rows, row))
    return index < len(sorted_rows) and int(sorted_rows[index]) == row


def _balanced(kinds: list[list[FoundDocument]], n: int) -> list[FoundDocument]:
    """At most ``n`` documents, each once: an equal part for each kind, and what is left for the first kinds."""
    by_row = {one.row: number for number, kind in reversed(list(enumerate(kinds))) for one in kind}  # the first kind
    unique = [[one for one in kind if by_row[one.row] == number] for number, kind in enumerate(kinds)]
    sizes = [min(len(kind), -(-n // len(kinds))) for kind in unique]
    for number, kind in enumerate(unique):
        sizes[number] = min(len(kind), sizes[number] + max(0, n - sum(sizes)))
    return [one for kind, size in zip(unique, sizes) for one in kind[:size]][:n]
