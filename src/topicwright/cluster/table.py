"""The counts that all shards share: for each word its topics, packed as in :mod:`topicwright.counts`, with no gaps.

A table is made once a sweep, given to every shard and never written to. So it can lie in memory that processes share.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._compile import kernel
from ..counts import Rows, empty_rows, entries_type, sort_descending, topic_bits
from ..errors import ClusterError
from .deltas import Delta

_ONE = np.uint64(1)


class Table(NamedTuple):
    """Counts of topics of some words; row i is ``entries[start[i] : start[i + 1]]``, in canonical order."""

    words: NDArray[np.int64]  # of each row
    start: NDArray[np.int64]
    entries: NDArray[Any]
    sizes: NDArray[np.int64]  # how many tokens each topic has

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return len(self.sizes)


def empty_table(words: NDArray[np.int64], n_topics: int, largest: int) -> Table:
    """A table without counts, for counts of up to ``largest``."""
    entries: NDArray[Any] = np.zeros(0, entries_type(largest, n_topics))
    return _read_only(Table(words, np.zeros(len(words) + 1, np.int64), entries, np.zeros(n_topics, np.int64)))


def added(table: Table, deltas: Sequence[Delta]) -> Table:
    """The table with the changes of some shards."""
    sparse = [delta for delta in deltas if not delta.is_dense]
    lengths = np.zeros((len(sparse), len(table.words)), np.uint32)
    for row, delta in zip(lengths, sparse):
        row[:] = delta.lengths
    first = np.cumsum([0, *(len(delta.topics) for delta in sparse)])[:-1].astype(np.uint64)
    topics = np.concatenate([np.zeros(0, np.uint32), *(delta.topics for delta in sparse)]).astype(np.uint32)
    changes = np.concatenate([np.zeros(0, np.int64), *(delta.changes for delta in sparse)])
    dense = np.zeros((0, 0), np.int64)
    for delta in deltas:
        if delta.is_dense:
            dense = delta.changes.astype(np.int64) if not dense.size else dense + delta.changes
    n_changes = len(topics) + int(np.count_nonzero(dense))
    _, start, entries, sizes = table
    new_start, new_entries = np.zeros_like(start), np.empty(len(entries) + n_changes, entries.dtype)
    new_sizes = sizes.copy()
    shift = np.uint64(topic_bits(table.n_topics))
    changed = (lengths, first, topics, changes, dense)
    end = _add(start, entries, *changed, new_start, new_entries, new_sizes, shift)
    if end < 0:
        raise ClusterError("a count fell below zero: a shard sent changes that do not follow from what it was given")
    return _read_only(Table(table.words, new_start, new_entries[:end], new_sizes))


def rows_of(
    table: Table, own: NDArray[np.int64], needed: NDArray[np.bool_], order: NDArray[np.int64], largest: int
) -> Rows:
    """Rows of the words that a shard needs, with room for what its own tokens can add; ``own`` is by word."""
    held = np.zeros(len(own), np.int64)
    held[table.words] = np.diff(table.start)
    rows = empty_rows(np.where(needed, held + own, 0), table.n_topics, order, largest)
    _copy_rows(table.words, table.start, table.entries, needed, rows.entries, rows.start)
    return rows


def tables_to_csr(tables: Sequence[Table], n_words: int) -> Any:
    """All counts as a scipy CSR array of shape (n_topics, n_words)."""
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


def _read_only(table: Table) -> Table:
    for array in table:
        array.setflags(write=False)
    return table


@kernel
def _copy_rows(words: Any, start: Any, entries: Any, needed: Any, to: Any, to_start: Any) -> None:
    for i in range(words.shape[0]):
        if needed[words[i]]:
            at = to_start[words[i]]
            to[at] = start[i + 1] - start[i]
            for j in range(start[i], start[i + 1]):
                at += _ONE
                to[at] = entries[j]


@kernel
def _add(
    start: Any,
    entries: Any,
    lengths: Any,
    first: Any,
    topics: Any,
    changes: Any,
    dense: Any,
    new_start: Any,
    new_entries: Any,
    new_sizes: Any,
    shift: Any,
) -> Any:
    """Row by row: unpack, add, pack what is left in the old order, and sort, which then is quick.

    Returns the number of entries, or -1 where a count is below zero.
    """
    mask = (_ONE << shift) - _ONE
    n_topics = new_sizes.shape[0]
    count = np.zeros(n_topics, np.int64)
    listed = np.empty(n_topics, np.uint64)
    is_in = np.zeros(n_topics, np.uint8)
    place = first.copy()
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
                k = np.uint64(topics[j])
                if is_in[k] == 0:
                    is_in[k] = 1
                    listed[n] = k
                    n += 1
                count[k] += changes[j]
                new_sizes[k] += changes[j]
            place[s] += np.uint64(lengths[s, w])
        if dense.shape[0] > 0:
            for k in range(np.uint64(n_topics)):
                if dense[w, k] != 0:
                    if is_in[k] == 0:
                        is_in[k] = 1
                        listed[n] = k
                        n += 1
                    count[k] += dense[w, k]
                    new_sizes[k] += dense[w, k]
        row = end
        for j in range(n):
            k = listed[j]
            if count[k] < 0:
                return -1
            if count[k] > 0:
                new_entries[end] = (np.uint64(count[k]) << shift) | k
                end += _ONE
            count[k] = 0
            is_in[k] = 0
        sort_descending(new_entries, row, end)
        new_start[w + 1] = end
    return np.int64(end)
