"""From words to ids: counting the words of a stream of documents, and pruning rare and frequent ones."""

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
from .store.mmap import count_ids


class WordCounts(Protocol):
    """Words that were counted, wherever the documents are."""

    @property
    def words(self) -> list[str]:
        """The word of each id."""

    @property
    def n_docs(self) -> int:
        """Number of documents."""

    def document_frequencies(self) -> NDArray[np.int64]:
        """In how many documents each word occurs."""

    def word_counts(self) -> NDArray[np.int64]:
        """How often each word occurs."""


class TokenStream(NamedTuple):
    """Word ids of all documents, where each document starts, and the word of each id."""

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    words: list[str]

    @property
    def n_docs(self) -> int:
        """Number of documents."""
        return len(self.offsets) - 1

    def document_frequencies(self) -> NDArray[np.int64]:
        """In how many documents each word occurs."""
        return document_frequencies(self.tokens, self.offsets, len(self.words))

    def word_counts(self) -> NDArray[np.int64]:
        """How often each word occurs."""
        return count_ids(self.tokens, len(self.words))


def number_words(documents: Iterable[Iterable[str]], skipped: Iterable[str] = ()) -> TokenStream:
    """Number the words in order of appearance, without those to be skipped. Documents are read once."""
    index = growing_index(skipped)
    number = index.__getitem__
    tokens, offsets = array("i"), array("q", [0])
    for words in documents:
        tokens.extend(map(number, words))
        offsets.append(len(tokens))
    return TokenStream(
        *drop_negative_ids(np.frombuffer(tokens, np.int32), np.frombuffer(offsets, np.int64)), indexed_words(index)
    )


def growing_index(skipped: Iterable[str] = ()) -> dict[str, int]:
    """Gives every new word that is asked for the next id, and -1 to those to be skipped."""
    return defaultdict(count().__next__, dict.fromkeys(skipped, -1))


def indexed_words(index: dict[str, int]) -> list[str]:
    """The words that were given ids, in their order."""
    return [word for word, i in index.items() if i >= 0]


def drop_negative_ids(
    tokens: NDArray[np.int32], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The stream without negative ids."""
    keep = tokens >= 0
    if keep.all():
        return tokens, offsets
    kept_before = np.concatenate([[0], np.cumsum(keep)])
    return tokens[keep], kept_before[offsets].astype(np.int64)


def take_documents(
    tokens: NDArray[np.int32], offsets: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The stream of some documents only, in the order of these rows."""
    lengths = np.diff(offsets)[rows]
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    places = np.arange(ends[-1]) + np.repeat(offsets[rows] - ends[:-1], lengths)
    return tokens[places], ends


def renumber(stream: TokenStream, keep: NDArray[np.bool_], *, sort: bool) -> TokenStream:
    """The stream of some of its words only, in alphabetical order if asked."""
    new, words = new_ids(stream.words, keep, sort=sort)
    return TokenStream(*drop_negative_ids(new[stream.tokens], stream.offsets), words)


def new_ids(words: list[str], keep: NDArray[np.bool_], *, sort: bool) -> tuple[NDArray[np.int32], list[str]]:
    """The id that each word has among those that are kept, -1 for others; and those that are kept."""
    old = np.flatnonzero(keep).tolist()
    if sort:
        old.sort(key=words.__getitem__)
    new = np.full(len(words) + 1, -1, dtype=np.int32)  # one more, so that an empty stream can be indexed
    new[old] = np.arange(len(old))
    return new, [words[i] for i in old]


def document_frequencies(tokens: NDArray[np.int32], offsets: NDArray[np.int64], n_words: int) -> NDArray[np.int64]:
    """In how many documents each word occurs."""
    from scipy.sparse import csr_array

    shape = (len(offsets) - 1, n_words)
    ones = np.ones(len(tokens), dtype=np.int8)
    by_word = csr_array((ones, tokens, offsets), shape=shape).tocsc()
    # The documents of a word stand in order, so a new document is one that differs from its neighbour.
    documents, starts = by_word.indices, by_word.indptr
    new = np.ones(len(documents), dtype=bool)
    new[1:] = documents[1:] != documents[:-1]
    new[starts[:-1][np.diff(starts) > 0]] = True
    return np.diff(np.concatenate([[0], np.cumsum(new)])[starts]).astype(np.int64)


@dataclass(frozen=True)
class Pruning:
    """Which words to keep: not too rare, not too frequent, not too many. Floats are shares of documents."""

    min_df: float = 1
    max_df: float = 1.0
    max_words: int | None = None

    def __post_init__(self) -> None:
        for name in ("min_df", "max_df"):
            _check_frequency(name, getattr(self, name))
        if self.max_words is not None and not (_is_whole(self.max_words) and self.max_words >= 1):
            raise InputError(f"max_words must be None or a whole number from 1: got {self.max_words!r}")

    @property
    def keeps_all(self) -> bool:
        """Whether nothing can be pruned, so that document frequencies need no counting."""
        floor = self.min_df <= 1 if _is_whole(self.min_df) else self.min_df == 0.0
        return floor and not _is_whole(self.max_df) and self.max_df == 1.0 and self.max_words is None

    def kept(self, counted: WordCounts) -> NDArray[np.bool_]:
        """A mask of the words to keep; an error if none is left."""
        n_words, n_docs = len(counted.words), counted.n_docs
        if self.keeps_all or n_words == 0:
            return np.ones(n_words, dtype=bool)
        lowest, highest = _as_documents(self.min_df, n_docs), _as_documents(self.max_df, n_docs)
        if highest < lowest:
            raise InputError(
                f"max_df must not be below min_df: got max_df={self.max_df} ({highest:g} documents) "
                f"and min_df={self.min_df} ({lowest:g} documents) for {n_docs} documents"
            )
        df = counted.document_frequencies()
        keep = (df >= lowest) & (df <= highest)
        if not keep.any():
            raise InputError(
                f"no words are left after pruning: of {n_words:,} words, min_df={self.min_df} takes out "
                f"{np.sum(df < lowest):,} and max_df={self.max_df} takes out {np.sum(df > highest):,}"
            )
        return self._most_frequent(keep, counted)

    def _most_frequent(self, keep: NDArray[np.bool_], counted: WordCounts) -> NDArray[np.bool_]:
        if self.max_words is None or keep.sum() <= self.max_words:
            return keep
        counts, words = counted.word_counts().tolist(), counted.words
        ranked = sorted(np.flatnonzero(keep).tolist(), key=lambda i: (-counts[i], words[i]))
        mask = np.zeros_like(keep)
        mask[ranked[: self.max_words]] = True
        return mask


class WordIndex:
    """A fixed vocabulary and the id of each of its words; build it once, use it for many batches.

    >>> WordIndex(["apple", "pear"]).ids["pear"]
    1
    """

    def __init__(self, vocabulary: Iterable[str] | Mapping[str, int]) -> None:
        words = _in_id_order(vocabulary) if isinstance(vocabulary, Mapping) else list(vocabulary)
        if not all(isinstance(word, str) for word in words):
            raise InputError("vocabulary must be a list of words: got an entry that is not a str")
        words = [str(word) for word in words]  # NumPy's strings are a subclass with a look of their own
        self.ids: dict[str, int] = {word: i for i, word in enumerate(words)}
        if len(self.ids) != len(words):
            repeated = next(word for i, word in enumerate(words) if self.ids[word] != i)
            raise InputError(f"vocabulary must not repeat words: got {repeated!r} twice")
        self.words = np.empty(len(words), dtype=object)
        self.words[:] = words
        self.words.setflags(write=False)


def as_word_index(vocabulary: Any) -> WordIndex:
    """A WordIndex from one, from words in order, or from a dict of ids."""
    if isinstance(vocabulary, WordIndex):
        return vocabulary
    if isinstance(vocabulary, str) or not isinstance(vocabulary, Iterable):
        raise InputError(f"vocabulary must be a list of words: got {type(vocabulary).__name__}")
    return WordIndex(vocabulary)


def _in_id_order(ids: Mapping[str, int]) -> list[str]:
    words = sorted(ids, key=ids.__getitem__)
    if [ids[word] for word in words] != list(range(len(words))):
        raise InputError(f"vocabulary must number its {len(words)} words from 0 to {len(words) - 1}")
    return words


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _check_frequency(name: str, value: Any) -> None:
    share = isinstance(value, (float, np.floating)) and 0.0 <= value <= 1.0
    if not share and not (_is_whole(value) and value >= 1):
        raise InputError(
            f"{name} must be a number of documents (a whole number from 1) "
            f"or a share (from 0.0 to 1.0, with a point): got {value!r}"
        )


def _as_documents(frequency: float, n_docs: int) -> float:
    return frequency if _is_whole(frequency) else frequency * n_docs
