"""Word counts of all shards, stored by the workers in blocks of words, so that no process holds all of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .count_table import WordCountTable, apply_deltas, empty_table
from .protocol import CountRef, Workers, round_at
from .sharding import RunDirectory

_THREADS = min(4, os.cpu_count() or 1)  # that add up counts which the driver fetches
_FEW_SHARDS = 16  # up to here each shard is sent the topic sizes of every shard; beyond, their sum


class BlockCounts:
    """References to the counts of each block of words, and to the topic sizes of each shard.

    The worker that samples a block next adds the changes of the workers that sampled it last, and stores the sum for
    its successor. So sums are computed in parallel and counts pass from worker to worker; the driver has references
    only, and waits for none of them. Lost counts are computed again from the assignments on disk.
    """

    def __init__(self, run: RunDirectory, workers: Workers) -> None:
        self._run, self._workers = run, workers
        self._all = range(run.n_shards)
        self._sizes = [workers.put(np.zeros(run.n_topics, np.int64))] * run.n_shards
        self._blocks = [self._empty(block) for block in range(run.n_rounds)]

    def step(self, shards: Sequence[int], step: int, message: Any, remote_counts: Sequence[Any]) -> list[Any]:
        """Let some shards sample their blocks; returns references to their replies."""
        blocks = [round_at(step, shard, self._run.n_rounds).block for shard in shards]
        self._apply_changes(shards, blocks)
        sizes = self._sizes_for(shards)
        given = [
            (step, message, own_counts, len(sizes), *sizes, self._blocks[block].table, *self._blocks[block].changes)
            for block, own_counts in zip(blocks, remote_counts)
        ]
        replies, own_sizes, changes, tables = zip(*self._workers.submit(shards, "step", given, 4))
        for shard, own in zip(shards, own_sizes):
            self._sizes[shard] = own
        for block in set(blocks):
            at = [i for i, own in enumerate(blocks) if own == block]
            table = tables[at[0]] if self._blocks[block].changes else self._blocks[block].table
            self._blocks[block] = CountRef(table, tuple(changes[i] for i in at))
        return list(replies)

    def recount(self, step: int) -> None:
        """Count the assignments of all shards after a step. Waits for the topic sizes, so that all workers are up."""
        sizes = self._workers.call(self._all, "sizes", [step] * len(self._all))
        self._sizes = [self._workers.put(own) for own in sizes]
        self._blocks = [self._count_block(block, step) for block in range(self._run.n_rounds)]

    def sizes(self) -> NDArray[np.int64]:
        """Number of tokens of each topic."""
        sizes: NDArray[np.int64] = np.sum(self._workers.fetch(self._sizes), axis=0, dtype=np.int64)
        return sizes

    def fetch(self) -> list[WordCountTable]:
        """All tables, copied to this process."""
        return [self._fetch_table(ref) for ref in self._blocks]

    def _apply_changes(self, shards: Sequence[int], blocks: Sequence[int]) -> None:
        """Where several shards sample the same block, let one of them add the changes for all."""
        for block, shard in {block: shard for shard, block in zip(shards, blocks) if blocks.count(block) > 1}.items():
            table, changes = self._blocks[block]
            if changes:
                self._blocks[block] = CountRef(*self._workers.submit([shard], "add", [(table, *changes)], 1))

    def _sizes_for(self, shards: Sequence[int]) -> list[Any]:
        """References that add up to the topic sizes; one sum where there are many shards."""
        if len(self._all) <= _FEW_SHARDS:
            return self._sizes
        return self._workers.submit(shards[:1], "total", [self._sizes], 1)

    def _count_block(self, block: int, step: int) -> CountRef:
        changes = self._workers.submit(self._all, "count", [(block, step)] * len(self._all), 1)
        return self._empty(block)._replace(changes=tuple(changes))

    def _fetch_table(self, ref: CountRef) -> WordCountTable:
        table, *changes = self._workers.fetch([ref.table, *ref.changes])
        return apply_deltas(table, changes, _THREADS) if changes else table

    def _empty(self, block: int) -> CountRef:
        largest = int(self._run.arrays["word_counts"].max(initial=0))
        return CountRef(self._workers.put(empty_table(self._run.words(block), self._run.n_topics, largest)))
