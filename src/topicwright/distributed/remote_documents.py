"""Topic counts of documents that are linked to documents of another shard, sent to that shard before each step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils.count_rows import CountRows
from .._utils.numba import jit
from .protocol import Workers
from .sharding import RunDirectory


class RemoteDocuments:
    """Fetches the topic counts of linked documents from their shards, and selects those that each shard needs."""

    def __init__(self, run: RunDirectory, workers: Workers) -> None:
        self._workers, self._all = workers, range(run.n_shards)
        wanted = [run.remote_documents(number) for number in self._all]
        every = np.unique(np.concatenate(wanted))
        self._rows = [np.searchsorted(every, own) for own in wanted]
        self.is_needed = len(every) > 0

    def to(self, shards: Sequence[int], steps: Sequence[int]) -> list[Any]:
        """For each of some shards a CSR array with a row for each linked document elsewhere; None without any.

        ``steps`` are the numbers of steps that each shard of the run has done.
        """
        if not self.is_needed:
            return [None] * len(shards)
        from scipy.sparse import vstack

        remote_counts = vstack(self._workers.call(self._all, "linked_document_counts", steps), format="csr")
        return [remote_counts[self._rows[shard]] for shard in shards]


def narrow_counts(counts: Any) -> Any:
    """Counts as CSR, in the narrowest type that holds them."""
    return counts.astype(np.min_scalar_type(int(counts.data.max(initial=0))))


def fill_rows(rows: CountRows, first: int, counts: Any) -> None:
    """Write counts, as CSR, into the rows from ``first`` on."""
    _fill(rows, np.uint64(first), counts.indptr, counts.indices, counts.data)


def topics_from_counts(counts: Any) -> NDArray[np.uint32]:
    """Topic of each token of documents, in any order, from counts as CSR."""
    return np.repeat(counts.indices.astype(np.uint32), counts.data)


@jit
def _fill(rows: Any, first: Any, start: Any, topics: Any, counts: Any) -> None:
    for row in range(start.shape[0] - 1):
        at = rows.start[first + np.uint64(row)]
        rows.entries[at] = start[row + 1] - start[row]
        for j in range(start[row], start[row + 1]):
            at += np.uint64(1)
            rows.entries[at] = (np.uint64(counts[j]) << np.uint64(rows.shift)) | np.uint64(topics[j])
