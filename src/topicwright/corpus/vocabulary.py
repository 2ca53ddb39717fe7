"""Vocabularies: numbering the words of a stream of documents, and pruning rare and frequent ones."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .store.arrays import count_ids

Words = NDArray[np.object_]


class WordCounts(Protocol):
    """Numbers of documents and of occurrences of words, wherever the documents are."""

    @property
    def vocabulary(self) -> Words:
        """Word of each id."""

    @property
    def n_docs(self) -> int:
        """Number of documents."""

    def document_frequencies(self) -> NDArray[np.int64]:
        """Number of documents that each word occurs in."""

    def word_counts(self) -> NDArray[np.int64]:
        """Number of occurrences of each word."""


class TokenStream(NamedTuple):
    """Word ids of all documents, where each document starts, and the word of each id.

    Parameters
    ----------
    tokens : int32 array
        Word ids; -1 for words that are excluded.
    offsets : int64 array
        Document ``d`` is ``tokens[offsets[d]:offsets[d + 1]]``.
    vocabulary : array of str
        Word of each id.
    """

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    vocabulary: Words

    @property
    def n_docs(self) -> int:
        """Number of documents."""
        return len(self.offsets) - 1

    def document_frequencies(self) -> NDArray[np.int64]:
        """Number of documents that each word occurs in."""
        return document_frequencies(self.tokens, self.offsets, len(self.vocabulary))

    def word_counts(self) -> NDArray[np.int64]:
        """Number of occurrences of each word."""
        return count_ids(self.tokens, len(self.vocabulary))

    def without_excluded(self) -> TokenStream:
        """Stream without the tokens of excluded words."""
        return TokenStream(*drop_negative_ids(self.tokens, self.offsets), self.vocabulary)


def number_words(documents: Iterable[Iterable[str]], excluded: Iterable[str] = ()) -> TokenStream:
    """Stream in which words are numbered in order of appearance, and excluded ones are -1. Documents are read once."""
    index = new_word_index(excluded)
    number = index.__getitem__
    tokens, offsets = array("i"), array("q", [0])
    for words in documents:
        tokens.extend(map(number, words))
        offsets.append(len(tokens))
    return TokenStream(np.frombuffer(tokens, np.int32), np.frombuffer(offsets, np.int64), indexed_words(index))


def new_word_index(excluded: Iterable[str] = ()) -> dict[str, int]:
    """Mapping that gives the next id to every new word that is looked up, and -1 to excluded words."""
    return defaultdict(count().__next__, dict.fromkeys(excluded, -1))


def indexed_words(index: dict[str, int]) -> Words:
    """Words that have ids, in the order of their ids."""
    return np.array([word for word, i in index.items() if i >= 0], dtype=object)


def drop_negative_ids(
    tokens: NDArray[np.int32], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Tokens and offsets without negative ids."""
    keep = tokens >= 0
    if keep.all():
        return tokens, offsets
    kept_before = np.concatenate([[0], np.cumsum(keep)])
    return tokens[keep], kept_before[offsets].astype(np.int64)


def take_documents(
    tokens: NDArray[np.int32], offsets: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Tokens and offsets of some documents, in the order of these rows."""
    lengths = np.diff(offsets)[rows]
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    positions = np.arange(ends[-1]) + np.repeat(offsets[rows] - ends[:-1], lengths)
    return tokens[positions], ends


def renumber(stream: TokenStream, keep: NDArray[np.bool_], *, sort: bool) -> TokenStream:
    """Stream in the vocabulary of the words to keep, in alphabetical order if ``sort``."""
    new, words = new_ids(stream.vocabulary, keep, sort=sort)
    return TokenStream(*drop_negative_ids(new[stream.tokens], stream.offsets), words)


def new_ids(words: Words, keep: NDArray[np.bool_], *, sort: bool) -> tuple[NDArray[np.int32], Words]:
    """New id of each word, -1 for those that are not kept, and the words that are kept."""
    old = np.flatnonzero(keep).tolist()
    if sort:
        old.sort(key=words.tolist().__getitem__)
    new = np.full(len(words) + 1, -1, dtype=np.int32)  # the last entry is for excluded words, which are -1
    new[old] = np.arange(len(old))
    return new, words[old]


def document_frequencies(tokens: NDArray[np.int32], offsets: NDArray[np.int64], n_words: int) -> NDArray[np.int64]:
    """Number of documents that each word occurs in."""
    from scipy.sparse import csr_array

    shape = (len(offsets) - 1, n_words)
    ones = np.ones(len(tokens), dtype=np.int8)
    by_word = csr_array((ones, tokens, offsets), shape=shape).tocsc()
    # The documents of a word are sorted, so a new document is one that differs from its neighbor.
    documents, starts = by_word.indices, by_word.indptr
    new = np.ones(len(documents), dtype=bool)
    new[1:] = documents[1:] != documents[:-1]
    new[starts[:-1][np.diff(starts) > 0]] = True
    return np.diff(np.concatenate([[0], np.cumsum(new)])[starts]).astype(np.int64)


@dataclass(frozen=True)
class Pruning:
    """Choice of words by their frequencies.

    Parameters
    ----------
    min_df, max_df : int or float
        Least and greatest number of documents that a word occurs in; a float is a share of all documents.
    max_words : int, optional
        Number of the most frequent words to keep.
    """

    min_df: float = 1
    max_df: float = 1.0
    max_words: int | None = None

    def __post_init__(self) -> None:
        for name in ("min_df", "max_df"):
            _check_frequency(name, getattr(self, name))
        if self.max_words is not None and not (_is_whole(self.max_words) and self.max_words >= 1):
            expected = "None or a whole number from 1"
            raise InputError(parameter="max_words", expected=expected, got=self.max_words)

    @property
    def keeps_all(self) -> bool:
        """Whether no word can be pruned, so that document frequencies need not be counted."""
        floor = self.min_df <= 1 if _is_whole(self.min_df) else self.min_df == 0.0
        return floor and not _is_whole(self.max_df) and self.max_df == 1.0 and self.max_words is None

    def select(self, counted: WordCounts) -> NDArray[np.bool_]:
        """Mask of the words to keep; an error if none is left."""
        n_words, n_docs = len(counted.vocabulary), counted.n_docs
        if self.keeps_all or n_words == 0:
            return np.ones(n_words, dtype=bool)
        lowest, highest = _as_documents(self.min_df, n_docs), _as_documents(self.max_df, n_docs)
        if highest < lowest:
            raise InputError(
                f"`max_df` must not be below `min_df`: got `max_df={self.max_df}` ({highest:g} documents) "
                f"and `min_df={self.min_df}` ({lowest:g} documents) for {n_docs} documents",
                parameter="max_df",
                got=self.max_df,
            )
        df = counted.document_frequencies()
        keep = (df >= lowest) & (df <= highest)
        if not keep.any():
            raise InputError(
                f"no words are left after pruning: of {n_words:,} words, `min_df={self.min_df}` removes "
                f"{np.sum(df < lowest):,} and `max_df={self.max_df}` removes {np.sum(df > highest):,}"
            )
        return self._most_frequent(keep, counted)

    def _most_frequent(self, keep: NDArray[np.bool_], counted: WordCounts) -> NDArray[np.bool_]:
        if self.max_words is None or keep.sum() <= self.max_words:
            return keep
        counts, words = counted.word_counts().tolist(), counted.vocabulary.tolist()
        ranked = sorted(np.flatnonzero(keep).tolist(), key=lambda i: (-counts[i], words[i]))
        mask = np.zeros_like(keep)
        mask[ranked[: self.max_words]] = True
        return mask


class WordIndex:
    """Fixed vocabulary with the id of each word; build it once and use it for many batches.

    Parameters
    ----------
    vocabulary : iterable of str, or dict of int
        The words in the order of their ids, or the id of each word.

    Examples
    --------
    >>> WordIndex(["apple", "pear"]).ids["pear"]
    1
    """

    def __init__(self, vocabulary: Iterable[str] | Mapping[str, int]) -> None:
        words = _in_id_order(vocabulary) if isinstance(vocabulary, Mapping) else list(vocabulary)
        if not all(isinstance(word, str) for word in words):
            stranger = next(word for word in words if not isinstance(word, str))
            raise InputError(parameter="vocabulary", expected="a list of words", got=stranger)
        words = [str(word) for word in words]  # NumPy's strings are a subclass with another repr
        self.ids: dict[str, int] = {word: i for i, word in enumerate(words)}
        if len(self.ids) != len(words):
            repeated = next(word for i, word in enumerate(words) if self.ids[word] != i)
            message = f"`vocabulary` must not repeat words: got {repeated!r} twice"
            raise InputError(message, parameter="vocabulary", got=repeated)
        self.words = np.empty(len(words), dtype=object)
        self.words[:] = words
        self.words.setflags(write=False)


def as_word_index(vocabulary: Any) -> WordIndex:
    """WordIndex of a WordIndex, of words in order, or of a dict of ids."""
    if isinstance(vocabulary, WordIndex):
        return vocabulary
    if isinstance(vocabulary, str) or not isinstance(vocabulary, Iterable):
        raise InputError(parameter="vocabulary", expected="a list of words", got=type(vocabulary))
    return WordIndex(vocabulary)


def _in_id_order(ids: Mapping[str, int]) -> list[str]:
    words = sorted(ids, key=ids.__getitem__)
    if [ids[word] for word in words] != list(range(len(words))):
        message = f"`vocabulary` must number its {len(words)} words from 0 to {len(words) - 1}"
        raise InputError(message, parameter="vocabulary", got=ids)
    return words


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _check_frequency(name: str, value: Any) -> None:
    share = isinstance(value, (float, np.floating)) and 0.0 <= value <= 1.0
    if not share and not (_is_whole(value) and value >= 1):
        expected = "a number of documents (a whole number from 1) or a share (from 0.0 to 1.0, with a point)"
        raise InputError(parameter=name, expected=expected, got=value)


def _as_documents(frequency: float, n_docs: int) -> float:
    return frequency if _is_whole(frequency) else frequency * n_docs
