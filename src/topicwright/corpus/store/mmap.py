"""Arrays that may lie on disk, gone through piece by piece, so that memory need not hold all of one."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

_PIECE = 1 << 22  # entries


def iter_chunks(array: NDArray[Any], size: int = _PIECE) -> Iterator[NDArray[Any]]:
    """Neighbouring parts of an array, in order; of one that is mapped, each is let go before the next."""
    for start in range(0, len(array), size):
        yield array[start : start + size]
        release_pages(array)


def release_pages(array: NDArray[Any]) -> None:
    """Let the system have the memory of what was read of a mapped array; the next look reads it again.

    An array that is not mapped is left alone, and so is one that is copied on write, whose changes would be lost.
    """
    base: Any = array
    mode = "c"
    while isinstance(base, np.ndarray):
        mode = getattr(base, "mode", mode)
        base = base.base
    if isinstance(base, mmap.mmap) and mode != "c" and hasattr(mmap, "MADV_DONTNEED"):
        base.madvise(mmap.MADV_DONTNEED)


def count_ids(ids: NDArray[np.int32], n_words: int) -> NDArray[np.int64]:
    """How often each id occurs. NumPy's ``bincount`` alone would make a copy of all ids, of twice the size."""
    counts = np.zeros(n_words, np.int64)
    for piece in iter_chunks(ids):
        counts += np.bincount(piece, minlength=n_words)
    return counts
