"""Sparse count rows: for each word or document its topics, most frequent first.

An entry packs a count and a topic in one integer, ``count << shift | topic``, so that comparing entries
compares counts. The row of a word or document with n tokens has room for min(K, n) entries, which can never
overflow: memory is at most one entry a token. Entries have 32 bits where the largest count allows it, else 64.

The length of a row is stored before its entries, in the same cache line. Rows have room for a multiple of four
entries, and those beyond the length have a count of zero, so that sums can be unrolled by four.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .numba import jit_inline, jit_noalloc

_ONE, _TWO, _THREE, _FOUR = (np.uint64(n) for n in range(1, 5))
_GAPS = np.array([8858, 3937, 1750, 701, 301, 132, 57, 23, 10, 4, 1], dtype=np.uint64)  # Ciura 2001


class CountRows(NamedTuple):
    """Packed rows; ``entries[start[w]]`` is the length of row ``w``, and its entries follow."""

    entries: NDArray[Any]  # uint32 or uint64
    start: NDArray[np.uint64]
    shift: Any  # bits of the topic; this and the next two have the type of the entries
    mask: Any  # mask of the topic
    one: Any  # a count of one


def empty_rows(
    tokens_per_row: NDArray[np.int64],
    n_topics: int,
    order: NDArray[np.int64] | None = None,
    largest: int | None = None,
) -> CountRows:
    """Empty rows with room for every possible count, stored in the given order.

    Rows that different threads change at the same time should not be adjacent. ``largest`` is the largest count, if it
    exceeds the tokens of a row.
    """
    if order is None:
        order = np.arange(len(tokens_per_row))
    fours = (np.minimum(tokens_per_row, n_topics) + 3) // 4
    room = 4 * fours + 1
    ends = np.cumsum(room[order])
    start = np.empty(len(tokens_per_row), dtype=np.uint64)
    start[order] = ends - room[order]
    dtype = entries_type(int(tokens_per_row.max(initial=0)) if largest is None else largest, n_topics)
    entries: NDArray[Any] = np.zeros(int(room.sum()), dtype=dtype)
    shift = topic_bits(n_topics)
    one = 1 << shift
    return CountRows(entries, start, dtype(shift), dtype(one - 1), dtype(one))


def topic_bits(n_topics: int) -> int:
    """Number of bits of the topic in an entry."""
    return max(1, int(n_topics - 1).bit_length())


def entries_type(largest: int, n_topics: int) -> Any:
    """Type of entries with counts up to ``largest``."""
    return np.uint32 if largest.bit_length() + topic_bits(n_topics) <= 32 else np.uint64


def rows_to_csr(rows: CountRows, n_topics: int) -> Any:
    """Counts as CSR of shape (n_words, n_topics)."""
    from scipy.sparse import csr_array

    start = rows.start.astype(np.int64)
    lengths = rows.entries[start].astype(np.int64)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    packed = rows.entries[np.repeat(start + 1 - indptr[:-1], lengths) + np.arange(indptr[-1])]
    counts = (packed >> rows.shift).astype(np.int64)
    topics = (packed & rows.mask).astype(np.int64)
    matrix = csr_array((counts, topics, indptr), shape=(len(lengths), n_topics))
    matrix.sort_indices()
    return matrix


def rows_from_csr(matrix: Any) -> CountRows:
    """Rows in canonical order, from counts as CSR of shape (n_words, n_topics)."""
    n_rows, n_topics = matrix.shape
    lengths = np.diff(matrix.indptr)
    owner = np.repeat(np.arange(n_rows), lengths)
    totals = np.bincount(owner, weights=matrix.data, minlength=n_rows).astype(np.int64)
    rows = empty_rows(totals, n_topics)
    fill_rows(rows, matrix)
    return rows


def fill_rows(rows: CountRows, matrix: Any) -> None:
    """Fill empty rows with counts as CSR of shape (n_words, n_topics), in canonical order."""
    lengths = np.diff(matrix.indptr)
    owner = np.repeat(np.arange(matrix.shape[0]), lengths)
    start = rows.start.astype(np.int64)
    rows.entries[start] = lengths
    order = np.lexsort((-matrix.indices, -matrix.data, owner))
    packed = (matrix.data.astype(np.uint64) << np.uint64(rows.shift)) | matrix.indices.astype(np.uint64)
    place = start[owner] + 1 + np.arange(len(owner)) - matrix.indptr[:-1][owner]
    rows.entries[place] = packed[order].astype(rows.entries.dtype)


@jit_noalloc
def count_tokens(rows: CountRows, owners: Any, assignments: Any, n_topics: Any) -> None:
    """Fill empty rows: token i counts in row ``owners[i]`` for topic ``assignments[i]``, if it has one."""
    for i in range(assignments.shape[0]):
        k = np.uint64(assignments[i])
        if k < n_topics:
            owner = np.uint64(owners[i])
            _, end = row_bounds(rows, owner)
            move_in_row(rows, owner, n_topics, k, end, n_topics)


@jit_noalloc
def sort_rows(rows: CountRows, first: Any, last: Any) -> None:
    """Sort rows into their canonical order, so that later draws depend on the counts alone."""
    for w in range(first, last):
        r0, r1 = row_bounds(rows, w)
        sort_descending(rows.entries, r0, r1)


@jit_inline
def remove_from_row(rows: CountRows, w: Any, old: Any) -> None:
    """Remove one token of word w from topic ``old``."""
    r0, r1 = row_bounds(rows, w)
    _, _, r1 = _take_out(rows, r0, r1, old)
    rows.entries[rows.start[w]] = r1 - r0


@jit_inline
def _take_out(rows: CountRows, r0: Any, r1: Any, old: Any) -> Any:
    """Lower the count of a topic by one; returns the entries that swapped places, and the end of the row."""
    entries, mask = rows.entries, rows.mask
    j = r0
    while (entries[j] & mask) != old:
        j += _ONE
    floor = entries[j] & ~mask
    m = j
    while m + _ONE < r1 and entries[m + _ONE] >= floor:
        m += _ONE
    entry = entries[j] - rows.one
    entries[j] = entries[m]
    entries[m] = entry
    if entry < rows.one:
        r1 -= _ONE
    return j, m, r1


@jit_inline
def move_in_row(rows: CountRows, w: Any, old: Any, new: Any, at: Any, none: Any) -> None:
    """Move one token of word w from topic ``old`` to ``new``; ``at`` is the entry of ``new`` if known.

    Counts stay in descending order: an entry swaps places with the last, or first, of those with the same count.
    """
    entries = rows.entries
    mask, one = rows.mask, rows.one
    r0, r1 = row_bounds(rows, w)
    unknown = at == r1
    if old != none:
        j, m, r1 = _take_out(rows, r0, r1, old)
        if at == m:
            at = j
    if unknown:
        at = r0
        while at < r1 and (entries[at] & mask) != new:
            at += _ONE
        if at == r1:
            entries[at] = new
            r1 += _ONE
    entry = entries[at] + one
    m = at
    while m > r0 and entries[m - _ONE] < (entry & ~mask):
        m -= _ONE
    entries[at] = entries[m]
    entries[m] = entry
    entries[rows.start[w]] = r1 - r0


@jit_inline
def row_bounds(rows: CountRows, w: Any) -> Any:
    """Start and end of the entries of a row."""
    r0 = rows.start[w] + _ONE
    return r0, r0 + np.uint64(rows.entries[r0 - _ONE])


@jit_inline
def entry_at(rows: CountRows, j: Any) -> Any:
    """Topic and count of an entry."""
    entry = rows.entries[j]
    return np.uint64(entry & rows.mask), np.float64(np.int64(entry >> rows.shift))


@jit_inline
def floored_count(rows: CountRows, w: Any, k: Any, floor: Any) -> Any:
    """max(floor, n_kw).

    Four entries are compared at a time, without a branch for each: most topics that are looked for are not in the row.
    """
    entries, mask = rows.entries, rows.mask
    j, end = row_bounds(rows, w)
    while j < end:
        is_found0, is_found1 = entries[j] & mask == k, entries[j + _ONE] & mask == k
        is_found2, is_found3 = entries[j + _TWO] & mask == k, entries[j + _THREE] & mask == k
        if is_found0 | is_found1 | is_found2 | is_found3:
            while entries[j] & mask != k:
                j += _ONE
            return max(floor, entry_at(rows, j)[1])  # beyond the end of the row the count is zero
        if entry_at(rows, j + _THREE)[1] <= floor:  # all that follow are smaller
            break
        j += _FOUR
    return floor


@jit_inline
def row_sum(rows: CountRows, w: Any, weight: Any) -> Any:
    """Σ n_kw · weight_k over the topics of a word.

    Four independent sums use the processor better. They are unrolled here and not by the compiler, so that the result
    is the same on every machine.
    """
    entries = rows.entries
    shift, mask = rows.shift, rows.mask
    j, end = row_bounds(rows, w)
    sum0 = sum1 = sum2 = sum3 = 0.0
    while j < end:
        entry0, entry1, entry2, entry3 = entries[j], entries[j + _ONE], entries[j + _TWO], entries[j + _THREE]
        sum0 += np.float64(np.int64(entry0 >> shift)) * weight[entry0 & mask]
        sum1 += np.float64(np.int64(entry1 >> shift)) * weight[entry1 & mask]
        sum2 += np.float64(np.int64(entry2 >> shift)) * weight[entry2 & mask]
        sum3 += np.float64(np.int64(entry3 >> shift)) * weight[entry3 & mask]
        j += _FOUR
    return (sum0 + sum1) + (sum2 + sum3)


@jit_inline
def add_row(rows: CountRows, w: Any, factor: Any, weight: Any, sums: Any) -> None:
    """Add ``factor`` · weight_k · n_kw to ``sums[k]`` for the topics of a word."""
    j, end = row_bounds(rows, w)
    while j < end:
        k, count = entry_at(rows, j)
        sums[k] += factor * weight[k] * count
        j += _ONE


@jit_inline
def walk_row(rows: CountRows, w: Any, weight: Any, u: Any) -> Any:
    """Topic at ``u`` in the row, its entry, and the distance to the end of its mass."""
    entries = rows.entries
    shift, mask = rows.shift, rows.mask
    j, end = row_bounds(rows, w)
    while True:
        entry = entries[j]
        k = np.uint64(entry & mask)
        u -= np.float64(np.int64(entry >> shift)) * weight[k]
        if u < 0.0 or j + _ONE >= end:
            return k, j, -u
        j += _ONE


@jit_inline
def walk_row_without(rows: CountRows, w: Any, weight: Any, old: Any, own: Any, u: Any) -> Any:
    """As :func:`walk_row`, without the weight of the token itself in its old topic."""
    entries = rows.entries
    shift, mask = rows.shift, rows.mask
    j, end = row_bounds(rows, w)
    while True:
        entry = entries[j]
        k = np.uint64(entry & mask)
        u -= np.float64(np.int64(entry >> shift)) * weight[k]
        if k == old:
            u += own
        if u < 0.0 or j + _ONE >= end:
            return k, j
        j += _ONE


@jit_inline
def walk_row_within(rows: CountRows, w: Any, inside: Any, old: Any, own: Any, u: Any, none: Any) -> Any:
    """As :func:`walk_row`, without the weight ``own`` of the topic ``old``; past the end, the last topic with any mass.

    Returns ``none`` if no topic has any.
    """
    entries = rows.entries
    shift, mask = rows.shift, rows.mask
    j, end = row_bounds(rows, w)
    chosen, at = none, end
    while j < end:
        entry = entries[j]
        k = np.uint64(entry & mask)
        part = np.float64(np.int64(entry >> shift)) * inside[k]
        if k == old:
            part -= own
        if part > 0.0:
            chosen, at = k, j
            u -= part
            if u < 0.0:
                break
        j += _ONE
    return chosen, at


@jit_inline
def sort_descending(entries: Any, r0: Any, r1: Any) -> None:
    """Shell sort: rows are mostly short and nearly sorted, where it is one pass of insertion sort."""
    n = r1 - r0
    for g in range(_GAPS.shape[0]):
        gap = _GAPS[g]
        if gap >= n:
            continue
        for i in range(r0 + gap, r1):
            entry = entries[i]
            j = i
            while j >= r0 + gap and entries[j - gap] < entry:
                entries[j] = entries[j - gap]
                j -= gap
            entries[j] = entry


class GrowingRows:
    """Count rows to which rows and entries can be added.

    A row that needs more room moves to the end of the entries. The order of the entries of a row is part of its state.

    Parameters
    ----------
    n_topics : int
        Number of topics.
    """

    def __init__(self, n_topics: int) -> None:
        self.n_topics = n_topics
        self._room: NDArray[np.int64] = np.zeros(0, np.int64)
        self._totals: NDArray[np.int64] = np.zeros(0, np.int64)  # of the counts that a row may have
        self._used = 0
        self._set(np.zeros(0, np.uint32), np.zeros(0, np.uint64))

    def _set(self, entries: NDArray[Any], start: NDArray[np.uint64]) -> None:
        shift, dtype = topic_bits(self.n_topics), entries.dtype.type
        self.rows = CountRows(entries, start, dtype(shift), dtype((1 << shift) - 1), dtype(1 << shift))

    def copy(self) -> GrowingRows:
        """Independent rows with the same entries."""
        other = GrowingRows(self.n_topics)
        other._room, other._totals, other._used = self._room.copy(), self._totals.copy(), self._used
        other._set(self.rows.entries.copy(), self.rows.start.copy())
        return other

    def lengths(self) -> NDArray[np.int64]:
        """Number of entries of each row."""
        return self.rows.entries[self.rows.start.astype(np.int64)].astype(np.int64)

    def reserve(self, owners: NDArray[np.uint32], n_rows: int) -> None:
        """Make room for a token in the row of each owner, among ``n_rows`` rows in all."""
        n_new = n_rows - len(self._room)
        room = np.concatenate([self._room, np.full(n_new, -1, np.int64)])
        self._totals = np.concatenate([self._totals, np.zeros(n_new, np.int64)])
        self._totals += np.bincount(owners, minlength=n_rows)
        need = np.minimum(self._totals, self.n_topics)
        grown = np.flatnonzero(need > room)
        dtype = entries_type(int(self._totals.max(initial=0)), self.n_topics)
        if not len(grown) and dtype == self.rows.entries.dtype:
            return
        room[grown] = (np.minimum(np.maximum(need, 2 * room), self.n_topics)[grown] + 3) // 4 * 4
        sizes = room + 1
        old = self.rows
        start = np.concatenate([old.start, np.zeros(n_new, np.uint64)])
        end = self._used + int(sizes[grown].sum())
        if end > len(old.entries) or dtype != old.entries.dtype:
            entries: NDArray[Any] = np.zeros(int(sizes.sum()) * 3 // 2, dtype)
            ends = np.cumsum(sizes)
            start, self._used = (ends - sizes).astype(np.uint64), int(ends[-1])
            moved = np.arange(len(old.start))
        else:
            entries = old.entries
            ends = self._used + np.cumsum(sizes[grown])
            start[grown], self._used = (ends - sizes[grown]).astype(np.uint64), end
            moved = grown[grown < len(old.start)]
        _move_rows(old.entries, old.start, entries, start, moved.astype(np.uint64))
        self._room = room
        self._set(entries, start)

    def remove(self, owners: NDArray[np.uint32], topics: NDArray[np.uint32]) -> None:
        """Remove one token of each owner from its topic."""
        _remove_tokens(self.rows, owners, topics)
        self._totals -= np.bincount(owners, minlength=len(self._totals))

    def select(self, kept: NDArray[np.bool_]) -> GrowingRows:
        """The rows that are kept, in the same order."""
        lengths, entries = self.packed()
        return self.from_packed(self.n_topics, lengths[kept], entries[np.repeat(kept, lengths)].astype(np.uint64))

    def packed(self) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Lengths of the rows, and their entries in order."""
        lengths, start = self.lengths(), self.rows.start.astype(np.int64)
        first = np.cumsum(lengths) - lengths
        return lengths, self.rows.entries[np.repeat(start + 1 - first, lengths) + np.arange(lengths.sum())]

    @classmethod
    def from_packed(cls, n_topics: int, lengths: NDArray[np.int64], entries: NDArray[Any]) -> GrowingRows:
        """Rows from what :meth:`packed` returned."""
        result = cls(n_topics)
        owners = np.repeat(np.arange(len(lengths)), lengths)
        counts = (entries >> np.uint64(topic_bits(n_topics))).astype(np.float64)
        totals = np.bincount(owners, weights=counts, minlength=len(lengths)).astype(np.int64)
        room = (np.minimum(totals, n_topics) + 3) // 4 * 4
        ends = np.cumsum(room + 1)
        start = ends - room - 1
        first = np.cumsum(lengths) - lengths
        packed: NDArray[Any] = np.zeros(int((room + 1).sum()), entries_type(int(totals.max(initial=0)), n_topics))
        packed[start] = lengths
        packed[np.repeat(start + 1 - first, lengths) + np.arange(len(entries))] = entries
        result._room, result._totals, result._used = room, totals, len(packed)
        result._set(packed, start.astype(np.uint64))
        return result

    def to_csr(self) -> Any:
        """Counts as CSR of shape (n_rows, n_topics)."""
        return rows_to_csr(self.rows, self.n_topics)


@jit_noalloc
def _remove_tokens(rows: CountRows, owners: Any, topics: Any) -> None:
    for i in range(topics.shape[0]):
        remove_from_row(rows, np.uint64(owners[i]), np.uint64(topics[i]))


@jit_noalloc
def _move_rows(source: Any, source_start: Any, target: Any, target_start: Any, moved: Any) -> None:
    """Copy rows to other places."""
    for n in range(moved.shape[0]):
        at, to = source_start[moved[n]], target_start[moved[n]]
        for j in range(np.uint64(source[at]) + _ONE):
            target[to + j] = source[at + j]
