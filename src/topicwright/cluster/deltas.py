"""What a shard changed in a step: the differences of its counts, in as few bytes as they fit in."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._compile import kernel


class Delta(NamedTuple):
    """Changes of counts of words in topics.

    Sparse: ``lengths`` says how many topics of each word changed; ``topics`` and ``changes`` are those, word by word.
    Dense: ``changes`` has a row for each word and a column for each topic, and the others are empty.
    """

    lengths: NDArray[Any]
    topics: NDArray[Any]
    changes: NDArray[Any]

    @property
    def is_dense(self) -> bool:
        """Whether all counts are listed, changed or not."""
        return self.changes.ndim == 2

    @property
    def nbytes(self) -> int:
        """How much is sent."""
        return sum(array.nbytes for array in self)

    def gained(self, n_topics: int) -> NDArray[np.int64]:
        """What each topic gained in all."""
        if self.is_dense:
            return np.asarray(self.changes.sum(axis=0, dtype=np.int64))
        return np.bincount(self.topics, self.changes, n_topics).astype(np.int64)


def changes_between(
    tokens: NDArray[np.int32],
    before: NDArray[np.uint32],
    after: NDArray[np.uint32],
    n_words: int,
    n_topics: int,
) -> Delta:
    """The changes of counts between two states of the same tokens; ``n_topics`` stands for no topic."""
    start, old, new = _moves(tokens, before, after, n_words)
    lengths, topics, changes = _sum_up(start, old, new, n_topics)
    return packed(lengths, topics, changes, n_topics)


def packed(lengths: NDArray[np.uint32], topics: NDArray[np.uint32], changes: NDArray[np.int64], n_topics: int) -> Delta:
    """Changes in the narrowest types that hold them; dense where that takes fewer bytes.

    With topics of 16 bits and changes of 32 that is from 2/3 of all counts on.
    """
    changes = changes.astype(_narrowest(changes))
    sparse = Delta(
        lengths.astype(np.min_scalar_type(int(lengths.max(initial=0)))),
        topics.astype(np.min_scalar_type(n_topics - 1)),
        changes,
    )
    if sparse.nbytes <= len(lengths) * n_topics * changes.itemsize:
        return sparse
    table = np.zeros((len(lengths), n_topics), changes.dtype)
    table[np.repeat(np.arange(len(lengths)), lengths), topics] = changes
    return Delta(lengths[:0], topics[:0], table)


def _narrowest(changes: NDArray[np.int64]) -> Any:
    most = int(np.abs(changes).max(initial=0))
    return next(kind for kind in (np.int8, np.int16, np.int32, np.int64) if most <= np.iinfo(kind).max)


@kernel
def _moves(tokens: Any, before: Any, after: Any, n_words: Any) -> Any:
    """The topics that moved tokens left and entered, word by word, and where each word's begin."""
    start = np.zeros(n_words + 1, np.int64)
    for i in range(tokens.shape[0]):
        if before[i] != after[i]:
            start[tokens[i] + 1] += 1
    for w in range(n_words):
        start[w + 1] += start[w]
    old = np.empty(start[n_words], np.uint32)
    new = np.empty(start[n_words], np.uint32)
    place = start[:-1].copy()
    for i in range(tokens.shape[0]):
        if before[i] != after[i]:
            w = tokens[i]
            old[place[w]] = before[i]
            new[place[w]] = after[i]
            place[w] += 1
    return start, old, new


@kernel
def _sum_up(start: Any, old: Any, new: Any, n_topics: Any) -> Any:
    """The sum of the moves of each word, without topics where they cancel."""
    n_words = start.shape[0] - 1
    change = np.zeros(n_topics + 1, np.int64)
    is_in = np.zeros(n_topics + 1, np.uint8)
    lengths = np.zeros(n_words, np.uint32)
    topics = np.empty(2 * old.shape[0], np.uint32)
    changes = np.empty(2 * old.shape[0], np.int64)
    end = 0
    for w in range(n_words):
        row = end
        for j in range(start[w], start[w + 1]):
            for k, sign in ((old[j], -1), (new[j], 1)):
                if k < n_topics:
                    if is_in[k] == 0:
                        is_in[k] = 1
                        topics[end] = k
                        end += 1
                    change[k] += sign
        kept = row
        for j in range(row, end):
            k = topics[j]
            if change[k] != 0:
                topics[kept] = k
                changes[kept] = change[k]
                kept += 1
            change[k] = 0
            is_in[k] = 0
        lengths[w] = kept - row
        end = kept
    return lengths, topics[:end].copy(), changes[:end].copy()
