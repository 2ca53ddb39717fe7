"""Memory-mapped arrays, read in chunks, so that memory need not hold all of one."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

_CHUNK_ENTRIES = 1 << 22


def iter_chunks(array: NDArray[Any], size: int = _CHUNK_ENTRIES) -> Iterator[NDArray[Any]]:
    """Consecutive chunks of an array; the memory of a mapped one is released before the next."""
    for start in range(0, len(array), size):
        yield array[start : start + size]
        release_pages(array)


def release_pages(array: NDArray[Any]) -> None:
    """Release the memory of the pages that were read of a mapped array; the next access reads them again.

    Nothing is done for an array that is not mapped, or that is copied on write, whose changes would be lost.
    """
    base: Any = array
    mode = "c"
    while isinstance(base, np.ndarray):
        mode = getattr(base, "mode", mode)
        base = base.base
    if isinstance(base, mmap.mmap) and mode != "c" and hasattr(mmap, "MADV_DONTNEED"):
        base.madvise(mmap.MADV_DONTNEED)


def count_ids(ids: NDArray[np.int32], n_words: int) -> NDArray[np.int64]:
    """Number of occurrences of each id. NumPy's ``bincount`` alone would copy all ids at twice the size."""
    counts = np.zeros(n_words, np.int64)
    for chunk in iter_chunks(ids):
        counts += np.bincount(chunk, minlength=n_words)
    return counts
