"""Tables of word counts that all shards share: packed as in ``_utils/count_rows.py``, without gaps.

A table is made once in a round, passed to the shards that sample its words, and never changed. So it can be in memory
that processes share.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._sampling.grid import ThreadTask, run
from .._utils.count_rows import CountRows, empty_rows, entries_type, sort_descending, topic_bits
from .._utils.numba import jit, jit_inline
from ..errors import ClusterError


class CountDelta(NamedTuple):
    """Changes of word counts.

    Sparse: ``lengths`` are the numbers of changed topics of each word, ``topics`` and ``changes`` list these word by
    word. Dense: ``changes`` has a row for each word and a column for each topic, and the other arrays are empty.
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
        """Number of bytes."""
        return sum(array.nbytes for array in self)

    def gained(self, n_topics: int) -> NDArray[np.int64]:
        """Total change of each topic."""
        if self.is_dense:
            return np.asarray(self.changes.sum(axis=0, dtype=np.int64))
        return np.bincount(self.topics, self.changes, n_topics).astype(np.int64)


def count_delta(
    tokens: NDArray[np.int32],
    before: NDArray[np.uint32],
    after: NDArray[np.uint32],
    n_words: int,
    n_topics: int,
) -> CountDelta:
    """Changes between two assignments of the same tokens; ``n_topics`` stands for no topic."""
    start, old, new = _moves(tokens, before, after, n_words)
    lengths, topics, changes = _sum_moves(start, old, new, n_topics)
    return pack_delta(lengths, topics, changes, n_topics)


def pack_delta(
    lengths: NDArray[np.uint32], topics: NDArray[np.uint32], changes: NDArray[np.int64], n_topics: int
) -> CountDelta:
    """Changes in the narrowest types that hold them; dense where that takes fewer bytes.

    With 16-bit topics and 32-bit changes, dense is smaller if more than 2/3 of all counts changed.
    """
    changes = changes.astype(_narrowest(changes))
    sparse = CountDelta(
        lengths.astype(np.min_scalar_type(int(lengths.max(initial=0)))),
        topics.astype(np.min_scalar_type(n_topics - 1)),
        changes,
    )
    if sparse.nbytes <= len(lengths) * n_topics * changes.itemsize:
        return sparse
    table = np.zeros((len(lengths), n_topics), changes.dtype)
    table[np.repeat(np.arange(len(lengths)), lengths), topics] = changes
    return CountDelta(lengths[:0], topics[:0], table)


def _narrowest(changes: NDArray[np.int64]) -> Any:
    most = int(np.abs(changes).max(initial=0))
    return next(kind for kind in (np.int8, np.int16, np.int32, np.int64) if most <= np.iinfo(kind).max)


@jit
def _moves(tokens: Any, before: Any, after: Any, n_words: Any) -> Any:
    """Old and new topics of moved tokens, word by word, and where each word begins."""
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


@jit
def _sum_moves(start: Any, old: Any, new: Any, n_topics: Any) -> Any:
    """Sum of the moves of each word, without topics whose moves cancel."""
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


_ONE = np.uint64(1)
_DENSE_ROW, _MAX_COUNTING_SORT = 4, 1000  # rows with a quarter of all topics and counts up to this: counting sort
_MIN_FOR_THREADS = 500_000  # entries


class WordCountTable(NamedTuple):
    """Topic counts of some words; row i is ``entries[start[i] : start[i + 1]]``, in canonical order."""

    words: NDArray[np.int64]  # of each row
    start: NDArray[np.int64]
    entries: NDArray[Any]
    sizes: NDArray[np.int64]  # number of tokens of each topic

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return len(self.sizes)


def empty_table(words: NDArray[np.int64], n_topics: int, largest: int) -> WordCountTable:
    """Empty table, for counts of up to ``largest``."""
    entries: NDArray[Any] = np.zeros(0, entries_type(largest, n_topics))
    return _read_only(WordCountTable(words, np.zeros(len(words) + 1, np.int64), entries, np.zeros(n_topics, np.int64)))


def apply_deltas(table: WordCountTable, deltas: Sequence[CountDelta], n_threads: int = 1) -> WordCountTable:
    """Table with the changes of some shards applied."""
    changed = _merge_deltas(deltas, len(table.words))
    if len(table.entries) + len(changed.topics) + changed.dense.size < _MIN_FOR_THREADS:
        n_threads = 1
    edges = np.linspace(0, len(table.words), n_threads + 1, dtype=np.int64)
    parts = [
        ThreadTask(partial(_apply_to_rows, table, changed, int(first), int(last))) for first, last in pairwise(edges)
    ]
    with ThreadPoolExecutor(n_threads) as pool:  # starts threads only for tasks
        results = run(parts, pool if n_threads > 1 else None, n_threads)
    entries = np.concatenate([part for part, _, _ in results])
    start = np.concatenate([[0], np.cumsum(np.concatenate([lengths for _, lengths, _ in results]))])
    sizes = table.sizes + np.sum([gained for _, _, gained in results], axis=0, dtype=np.int64)
    return _read_only(WordCountTable(table.words, start, entries, sizes))


class _MergedDeltas(NamedTuple):
    """Changes of several shards."""

    lengths: NDArray[np.uint32]  # by shard and row
    first: NDArray[np.int64]  # first topic of each shard
    topics: NDArray[np.uint32]
    changes: NDArray[np.int64]
    dense: NDArray[np.int64]  # sum of the dense ones


def _merge_deltas(deltas: Sequence[CountDelta], n_rows: int) -> _MergedDeltas:
    sparse = [delta for delta in deltas if not delta.is_dense]
    lengths = np.zeros((len(sparse), n_rows), np.uint32)
    for row, delta in zip(lengths, sparse):
        row[:] = delta.lengths
    first = np.cumsum([0, *(len(delta.topics) for delta in sparse)])[:-1]
    topics = np.concatenate([np.zeros(0, np.uint32), *(delta.topics for delta in sparse)]).astype(np.uint32)
    changes = np.concatenate([np.zeros(0, np.int64), *(delta.changes for delta in sparse)])
    dense = np.zeros((0, 0), np.int64)
    for delta in deltas:
        if delta.is_dense:
            dense = delta.changes.astype(np.int64) if not dense.size else dense + delta.changes
    return _MergedDeltas(lengths, first, topics, changes, dense)


def _apply_to_rows(
    table: WordCountTable, changed: _MergedDeltas, first: int, last: int
) -> tuple[NDArray[Any], Any, Any]:
    """New entries of some rows, the length of each row, and the total change of each topic."""
    before = changed.lengths[:, :first].sum(axis=1, dtype=np.int64)
    own = changed.lengths[:, first:last]
    room = int(table.start[last] - table.start[first]) + int(own.sum(dtype=np.int64))
    room += int(np.count_nonzero(changed.dense[first:last]))
    entries = np.empty(room, table.entries.dtype)
    lengths, gained = np.zeros(last - first, np.int64), np.zeros(table.n_topics, np.int64)
    starts, place = table.start[first : last + 1], (changed.first + before).astype(np.uint64)
    shift = np.uint64(topic_bits(table.n_topics))
    flat = (own, place, changed.topics, changed.changes, changed.dense[first:last])
    end = _apply_kernel(starts, table.entries, *flat, entries, lengths, gained, shift)
    if end < 0:
        raise ClusterError("a count fell below zero: a shard sent changes that do not match its input")
    return entries[:end], lengths, gained


def shard_rows(
    table: WordCountTable, own: NDArray[np.int64], needed: NDArray[np.bool_], order: NDArray[np.int64], largest: int
) -> CountRows:
    """Count rows of the words that a shard needs, with room for its own tokens; ``own`` has their number by word."""
    held = np.zeros(len(own), np.int64)
    held[table.words] = np.diff(table.start)
    rows = empty_rows(np.where(needed, held + own, 0), table.n_topics, order, largest)
    _copy_rows(table.words, table.start, table.entries, needed, rows.entries, rows.start)
    return rows


def tables_to_csr(tables: Sequence[WordCountTable], n_words: int) -> Any:
    """All counts as CSR of shape (n_topics, n_words)."""
    from scipy.sparse import coo_array

    n_topics = tables[0].n_topics
    shift = topic_bits(n_topics)
    words = np.concatenate([np.repeat(table.words, np.diff(table.start)) for table in tables])
    entries = np.concatenate([table.entries for table in tables])
    counts = (entries >> entries.dtype.type(shift)).astype(np.int64)
    topics = (entries & entries.dtype.type((1 << shift) - 1)).astype(np.int64)
    matrix = coo_array((counts, (topics, words)), shape=(n_topics, n_words)).tocsr()
    matrix.sort_indices()
    return matrix


def _read_only(table: WordCountTable) -> WordCountTable:
    for array in table:
        array.setflags(write=False)
    return table


@jit
def _copy_rows(words: Any, start: Any, entries: Any, needed: Any, to: Any, to_start: Any) -> None:
    for i in range(words.shape[0]):
        if needed[words[i]]:
            at = to_start[words[i]]
            to[at] = start[i + 1] - start[i]
            for j in range(start[i], start[i + 1]):
                at += _ONE
                to[at] = entries[j]


@jit
def _apply_kernel(
    start: Any,
    entries: Any,
    lengths: Any,
    place: Any,
    topics: Any,
    changes: Any,
    dense: Any,
    new_entries: Any,
    new_lengths: Any,
    gained: Any,
    shift: Any,
) -> Any:
    """Row by row: unpack, add, pack what is left, and sort. Returns the number of entries; -1 for a count below 0."""
    mask = (_ONE << shift) - _ONE
    n_topics = gained.shape[0]
    count = np.zeros(n_topics, np.int64)
    listed = np.empty(n_topics, np.uint64)
    is_in = np.zeros(n_topics, np.uint8)
    tally = np.zeros(_MAX_COUNTING_SORT + 1, np.int64)
    end = np.uint64(0)
    for w in range(start.shape[0] - 1):
        n = 0
        for j in range(start[w], start[w + 1]):
            k = np.uint64(entries[j]) & mask
            count[k] = np.int64(np.uint64(entries[j]) >> shift)
            is_in[k] = 1
            listed[n] = k
            n += 1
        for s in range(lengths.shape[0]):
            for j in range(place[s], place[s] + np.uint64(lengths[s, w])):
                n = add_to_count(np.uint64(topics[j]), changes[j], count, listed, is_in, gained, n)
            place[s] += np.uint64(lengths[s, w])
        if dense.shape[0] > 0:
            for k in range(np.uint64(n_topics)):
                if dense[w, k] != 0:
                    n = add_to_count(k, dense[w, k], count, listed, is_in, gained, n)
        row = end
        largest = np.int64(0)
        for j in range(n):
            largest = max(largest, count[listed[j]])
            if count[listed[j]] < 0:
                return -1
        if _DENSE_ROW * n >= n_topics and largest <= _MAX_COUNTING_SORT:
            end = pack_by_counting(count, tally, largest, new_entries, row, shift)
        else:
            for j in range(n):
                if count[listed[j]] > 0:
                    new_entries[end] = (np.uint64(count[listed[j]]) << shift) | listed[j]
                    end += _ONE
            sort_descending(new_entries, row, end)
        for j in range(n):
            count[listed[j]] = 0
            is_in[listed[j]] = 0
        new_lengths[w] = end - row
    return np.int64(end)


@jit_inline
def add_to_count(k: Any, change: Any, count: Any, listed: Any, is_in: Any, gained: Any, n: Any) -> Any:
    """Add to the count of a topic; returns the number of listed topics."""
    if is_in[k] == 0:
        is_in[k] = 1
        listed[n] = k
        n += 1
    count[k] += change
    gained[k] += change
    return n


@jit_inline
def pack_by_counting(count: Any, tally: Any, largest: Any, entries: Any, row: Any, shift: Any) -> Any:
    """Pack entries in canonical order by counting sort, for rows where most topics have a count; returns their end."""
    n_topics = count.shape[0]
    for k in range(n_topics):
        tally[count[k]] += 1
    at = np.int64(row)
    for c in range(largest, 0, -1):
        at += tally[c]
        tally[c] = at - tally[c]  # where those with this count begin
    tally[0] = 0
    for k in range(n_topics - 1, -1, -1):
        c = count[k]
        if c > 0:
            entries[tally[c]] = (np.uint64(c) << shift) | np.uint64(k)
            tally[c] += 1
    for c in range(1, largest + 1):
        tally[c] = 0
    return np.uint64(at)
