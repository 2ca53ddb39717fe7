"""Hash table of label–word counts: a row of lanes (one for each particle) for each pair that has tokens.

An entry is four adjacent numbers in one cache line: the word, the label, the row, and the epoch in which the row was
reordered. Entries are found by linear probing and never removed. Kernels allocate nothing: :func:`reserve_rows` makes a
larger copy between calls.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._utils.numba import jit_inline, jit_noalloc
from ..intrinsics import prefetch
from ..random import mix64
from .ancestry import LANES, NOW, Ancestry, aligned_zeros, lane_of, reorder_lanes

_ZERO, _ONE, _TWO, _THREE, _FOUR = (np.uint64(n) for n in range(5))
_S32 = np.uint64(32)
_LANES = np.uint64(LANES)
_MOST_LANES = np.uint64(64)  # the processor prefetches further ones itself


class CountTable(NamedTuple):
    """Hash table and count rows; row 0 is all zeros and stands for pairs without a row."""

    entries: NDArray[np.uint32]  # four numbers an entry; row 0 marks an empty one
    lanes: NDArray[Any]  # n_kw
    used: NDArray[np.uint64]  # number of rows in use, row 0 included


def new_count_table(width: int, dtype: Any, n_rows: int = 1 << 6) -> CountTable:
    """Empty table."""
    return CountTable(
        aligned_zeros((4 * _entries_for(n_rows),), np.uint32),
        aligned_zeros((n_rows, width), dtype),
        np.ones(1, np.uint64),
    )


def reserve_rows(table: CountTable, n: int) -> CountTable:
    """The table, or a larger copy with room for n more rows."""
    used = int(table.used[0])
    n_rows = len(table.lanes)
    while used + n > n_rows:
        n_rows *= 2
    if n_rows == len(table.lanes):
        return table
    lanes = aligned_zeros((n_rows, table.lanes.shape[1]), table.lanes.dtype)
    lanes[:used] = table.lanes[:used]
    entries = aligned_zeros((4 * _entries_for(n_rows),), np.uint32)
    _copy_entries(table.entries, entries)
    return CountTable(entries, lanes, table.used)


def _entries_for(n_rows: int) -> int:
    """Number of entries for some rows: a power of two, so that at most half are in use."""
    return 1 << int(2 * n_rows - 1).bit_length()


@jit_inline
def hash_slot(table: CountTable, label: Any, word: Any) -> Any:
    """First entry to search for a pair."""
    n = np.uint64(table.entries.shape[0]) // _FOUR
    return mix64(np.uint64(label) << _S32 | np.uint64(word)) & (n - _ONE)


@jit_inline
def find_entry(table: CountTable, at: Any, label: Any, word: Any) -> Any:
    """Entry of a pair, or the empty one that it would take; the search begins at ``at``."""
    entries = table.entries
    last = np.uint64(entries.shape[0]) // _FOUR - _ONE
    while True:
        here = at * _FOUR
        if entries[here + _TWO] == 0 or (entries[here] == word and entries[here + _ONE] == label):
            return at
        at = (at + _ONE) & last


@jit_inline
def row_at(table: CountTable, at: Any) -> Any:
    """Row of an entry; 0 if it is empty."""
    return np.uint64(table.entries[at * _FOUR + _TWO])


@jit_inline
def reorder_entry(table: CountTable, at: Any, ancestry: Ancestry, spare: Any) -> None:
    """Reorder the lanes of the row of an entry by the current particles."""
    reorder_lanes(table.lanes, row_at(table, at), table.entries, at * _FOUR + _THREE, ancestry, spare)


@jit_inline
def insert_row(table: CountTable, at: Any, label: Any, word: Any, ancestry: Ancestry) -> Any:
    """Add a row of zeros for the pair that takes the empty entry ``at``."""
    row = table.used[0]
    table.used[0] = row + _ONE
    here = at * _FOUR
    table.entries[here], table.entries[here + _ONE] = word, label
    table.entries[here + _TWO], table.entries[here + _THREE] = row, ancestry.epochs[NOW]
    return row


@jit_inline
def prefetch_entry(table: CountTable, at: Any) -> None:
    """Prefetch an entry."""
    prefetch(table.entries, at * _FOUR)


@jit_inline
def prefetch_row(lanes: Any, row: Any) -> None:
    """Prefetch a row, or the beginning of a long one."""
    width = np.uint64(lanes.shape[1])
    for p in range(_ZERO, min(width, _MOST_LANES), _LANES):
        prefetch(lanes, row * width + p)


@jit_noalloc
def _copy_entries(old: Any, new: Any) -> None:
    last = np.uint64(new.shape[0]) // _FOUR - _ONE
    for entry in range(np.uint64(old.shape[0]) // _FOUR):
        here = entry * _FOUR
        if old[here + _TWO] == 0:
            continue
        at = mix64(np.uint64(old[here + _ONE]) << _S32 | np.uint64(old[here])) & last
        while new[at * _FOUR + _TWO] != 0:
            at = (at + _ONE) & last
        for n in range(_FOUR):
            new[at * _FOUR + n] = old[here + n]


@jit_noalloc
def reorder_rows(table: CountTable, ancestry: Ancestry, spare: Any) -> None:
    """Reorder all rows by the current particles, and reset their epochs to 0."""
    for at in range(np.uint64(table.entries.shape[0]) // _FOUR):
        if row_at(table, at) > _ZERO:
            reorder_entry(table, at, ancestry, spare)
            table.entries[at * _FOUR + _THREE] = 0


@jit_noalloc
def read_counts(table: CountTable, ancestry: Ancestry, p: Any, labels: Any, words: Any, counts: Any) -> None:
    """Read the pairs by row and their counts in particle p, without reordering."""
    for at in range(np.uint64(table.entries.shape[0]) // _FOUR):
        row = row_at(table, at)
        if row > _ZERO:
            here = at * _FOUR
            words[row], labels[row] = table.entries[here], table.entries[here + _ONE]
            counts[row] = table.lanes[row, lane_of(ancestry, np.uint64(table.entries[here + _THREE]), p)]


@jit_noalloc
def add_counts(table: CountTable, ancestry: Ancestry, spare: Any, labels: Any, words: Any, counts: Any) -> None:
    """Add to the counts of pairs: the same in all particles, or by lane if ``counts`` has lanes."""
    for n in range(np.uint64(labels.shape[0])):
        at = find_entry(table, hash_slot(table, labels[n], words[n]), labels[n], words[n])
        row = row_at(table, at)
        if row == _ZERO:
            row = insert_row(table, at, labels[n], words[n], ancestry)
        reorder_entry(table, at, ancestry, spare)
        for p in range(np.uint64(table.lanes.shape[1])):
            table.lanes[row, p] += counts[n, p % np.uint64(counts.shape[1])]
