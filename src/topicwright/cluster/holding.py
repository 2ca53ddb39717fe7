"""The counts of all shards. They lie with the workers, block by block of words, so that nobody has to hold them all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from .cutting import Run
from .messages import Reply
from .table import Table, added, empty_table
from .workers import Held, Workers

_THREADS = min(4, os.cpu_count() or 1)  # that sum up what the driver fetches


class Counts:
    """Where the counts of each block of words are, and how many tokens each topic has in all.

    Whoever draws a block next adds the changes of those who drew it last, and keeps the sum for the one after it. So
    sums are made side by side, and counts go from worker to worker. What is lost is counted anew from topics on disk.
    """

    def __init__(self, run: Run, workers: Workers) -> None:
        self._run, self._workers = run, workers
        self.sizes = np.zeros(run.n_topics, np.int64)
        self._blocks = [self._none(block) for block in range(run.n_rounds)]

    def hand_out(self, shards: Sequence[int], blocks: Sequence[int]) -> list[tuple[Any, ...]]:
        """What each shard is given for its block: a reference to a table, and those to changes that it is to add."""
        by = {block: shard for shard, block in zip(shards, blocks) if blocks.count(block) > 1}  # one sums for several
        summed = [block for block in sorted(by) if self._blocks[block].changes]
        held = [self._blocks[block] for block in summed]
        sums = self._workers.add([by[block] for block in summed], held) if held else []
        for block, table in zip(summed, sums):
            self._blocks[block] = Held(table)
        return [(self._blocks[block].table, *self._blocks[block].changes) for block in blocks]

    def take_in(self, blocks: Sequence[int], answers: Sequence[tuple[Reply, Any, Any]]) -> None:
        """Note what shards told of their blocks: what topics gained, and references to changes and to the sum made."""
        for block in sorted(set(blocks)):
            _, changes, tables = zip(*(answer for own, answer in zip(blocks, answers) if own == block))
            held = self._blocks[block]
            self._blocks[block] = Held(tables[0] if held.changes else held.table, changes)
        self.sizes = self.sizes + np.sum([reply.gained for reply, _, _ in answers], axis=0, dtype=np.int64)

    def recount(self, steps: Sequence[int]) -> None:
        """Count the topics of all shards, each after its so many steps."""
        n_rounds, shards = self._run.n_rounds, range(self._run.n_shards)
        counted = self._workers.call(shards, "count", steps, n_kept=n_rounds)
        self.sizes = np.sum([sizes for sizes, *_ in counted], axis=0, dtype=np.int64)
        self._blocks = [
            self._none(block)._replace(changes=tuple(own[1 + block] for own in counted)) for block in range(n_rounds)
        ]

    def fetch(self) -> list[Table]:
        """All tables, to this process."""
        return [self._fetched(held) for held in self._blocks]

    def _fetched(self, held: Held) -> Table:
        table, *changes = self._workers.fetch([held.table, *held.changes])
        return added(table, changes, _THREADS) if changes else table

    def _none(self, block: int) -> Held:
        largest = int(self._run.arrays["word_counts"].max(initial=0))
        return Held(self._workers.keep(empty_table(self._run.words(block), self._run.n_topics, largest)))
