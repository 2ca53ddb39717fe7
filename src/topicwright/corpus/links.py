"""Links of documents, as pairs of rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError

_PAIRS = "links must be pairs of documents, such as [(0, 3), (2, 5)]"


def as_links(links: Any, ids: Sequence[str] | None, n_docs: int) -> NDArray[np.int64]:
    """An array of shape (n_links, 2); documents are given by their rows or ids.

    >>> as_links([(0, "b")], ["a", "b"], 2)
    array([[0, 1]])
    """
    is_done = isinstance(links, np.ndarray) and links.dtype.kind in "iu" and links.shape[1:] == (2,)
    rows = np.asarray(links if is_done else _rows(links, ids), dtype=np.int64).reshape(-1, 2)
    if len(rows) and (rows.min() < 0 or rows.max() >= n_docs):
        raise InputError(f"links must name rows from 0 to {n_docs - 1}: got {rows.min()} to {rows.max()}")
    return rows


def _rows(links: Any, ids: Sequence[str] | None) -> list[list[int]]:
    pairs = [_entries(pair) for pair in _entries(links)]
    if any(len(pair) != 2 for pair in pairs):
        raise InputError(_PAIRS)
    has_ids = any(isinstance(end, str) for pair in pairs for end in pair)
    by_id = {name: row for row, name in enumerate(ids or ())} if has_ids else {}
    return [[_row_of(end, by_id) for end in pair] for pair in pairs]


def _entries(values: Any) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(_PAIRS)
    return list(values)


def _row_of(end: Any, by_id: dict[str, int]) -> int:
    if isinstance(end, str):
        if end not in by_id:
            raise InputError(f"links name a document id that does not exist: {end!r}")
        return by_id[end]
    try:
        return index(end)
    except TypeError:
        raise InputError(f"links must name documents by row number or id: got {end!r}") from None
