"""The counts of all shards. They lie with the workers, block by block of words, so that nobody has to hold them all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .count_table import WordCountTable, added, empty_table
from .protocol import CountRef, Workers, round_of
from .sharding import RunDirectory

_THREADS = min(4, os.cpu_count() or 1)  # that sum up what the driver fetches
_FEW = 16  # shards of which each may be given the sizes of topics in all others


class BlockCounts:
    """Where the counts of each block of words are, and where the sizes of topics in each shard.

    Whoever draws a block next adds the changes of those who drew it last, and keeps the sum for the one after it. So
    sums are made side by side, and counts go from worker to worker, while the driver, which has references to them,
    need not wait for any. What is lost is counted anew from topics on disk.
    """

    def __init__(self, run: RunDirectory, workers: Workers) -> None:
        self._run, self._workers = run, workers
        self._all = range(run.n_shards)
        self._sizes = [workers.keep(np.zeros(run.n_topics, np.int64))] * run.n_shards
        self._blocks = [self._none(block) for block in range(run.n_rounds)]

    def step(self, shards: Sequence[int], step: int, message: Any, lent: Sequence[Any]) -> list[Any]:
        """Let each of some shards draw its block; returns references to their replies."""
        blocks = [round_of(step, shard, self._run.n_rounds).block for shard in shards]
        self._sum_up(shards, blocks)
        sizes = self._sizes_for(shards)
        given = [
            (step, message, borrowed, len(sizes), *sizes, self._blocks[block].table, *self._blocks[block].changes)
            for block, borrowed in zip(blocks, lent)
        ]
        replies, own_sizes, changes, tables = zip(*self._workers.ask(shards, "step", given, 4))
        for shard, own in zip(shards, own_sizes):
            self._sizes[shard] = own
        for block in set(blocks):
            at = [i for i, own in enumerate(blocks) if own == block]
            table = tables[at[0]] if self._blocks[block].changes else self._blocks[block].table
            self._blocks[block] = CountRef(table, tuple(changes[i] for i in at))
        return list(replies)

    def recount(self, step: int) -> None:
        """Count the topics of all shards after a step; sizes are waited for, so that all workers are there."""
        sizes = self._workers.call(self._all, "sizes", [step] * len(self._all))
        self._sizes = [self._workers.keep(own) for own in sizes]
        self._blocks = [self._counted(block, step) for block in range(self._run.n_rounds)]

    def sizes(self) -> NDArray[np.int64]:
        """How many tokens each topic has."""
        sizes: NDArray[np.int64] = np.sum(self._workers.fetch(self._sizes), axis=0, dtype=np.int64)
        return sizes

    def fetch(self) -> list[WordCountTable]:
        """All tables, to this process."""
        return [self._fetched(held) for held in self._blocks]

    def _sum_up(self, shards: Sequence[int], blocks: Sequence[int]) -> None:
        """Where several shards draw the same block, let one of them add the changes for all."""
        for block, shard in {block: shard for shard, block in zip(shards, blocks) if blocks.count(block) > 1}.items():
            table, changes = self._blocks[block]
            if changes:
                self._blocks[block] = CountRef(*self._workers.ask([shard], "add", [(table, *changes)], 1))

    def _sizes_for(self, shards: Sequence[int]) -> list[Any]:
        """What adds up to the sizes of topics: as many references for each of many shards would be too many."""
        if len(self._all) <= _FEW:
            return self._sizes
        return self._workers.ask(shards[:1], "total", [self._sizes], 1)

    def _counted(self, block: int, step: int) -> CountRef:
        changes = self._workers.ask(self._all, "count", [(block, step)] * len(self._all), 1)
        return self._none(block)._replace(changes=tuple(changes))

    def _fetched(self, held: CountRef) -> WordCountTable:
        table, *changes = self._workers.fetch([held.table, *held.changes])
        return added(table, changes, _THREADS) if changes else table

    def _none(self, block: int) -> CountRef:
        largest = int(self._run.arrays["word_counts"].max(initial=0))
        return CountRef(self._workers.keep(empty_table(self._run.words(block), self._run.n_topics, largest)))
