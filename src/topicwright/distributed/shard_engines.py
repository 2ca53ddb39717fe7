"""Engines of a shard: the samplers of one machine, on the counts of all shards.

Words are in blocks, and an engine samples the tokens of one block at a time, so that it needs the counts of that block
only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._sampling.engine import SamplingProblem
from .._sampling.grid import Grid, default_n_blocks, make_grid
from .._sampling.grid_engine import GridEngine
from .._sampling.labeled.engine import LabeledEngine
from .._sampling.priors import with_seeds
from .._sampling.sparse_lda.engine import SparseEngine
from .._utils.count_rows import CountRows, count_tokens, empty_rows, topic_bits
from .._utils.numba import jit
from ..knowledge.allowed_topics import AllowedTopics
from .count_table import WordCountTable, shard_rows
from .protocol import Round, SweepMessage, Workers
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


class _Block(NamedTuple):
    """Tokens of a block of words, as a corpus."""

    grid: Grid
    positions: NDArray[np.int64]  # of the tokens in the shard, in grid order, for factors
    assignments: NDArray[np.uint32]
    allowed: AllowedTopics | None
    own: NDArray[np.int64]  # number of tokens of each word in the shard


def document_rows(
    lengths: NDArray[np.int64], remote_lengths: NDArray[np.int64], assignments: NDArray[np.uint32], n_topics: int
) -> CountRows:
    """Count rows of the documents of a shard, with empty rows for linked documents elsewhere."""
    rows = empty_rows(np.concatenate([lengths, remote_lengths]), n_topics)
    doc_of_token = np.repeat(np.arange(len(lengths), dtype=np.uint32), lengths)
    count_tokens(rows, doc_of_token, assignments, np.uint64(n_topics))
    return rows


class SparseShardEngine(SparseEngine):
    """Sparse sampler on the documents of a shard.

    ``max_count`` bounds all counts. ``remote_lengths`` are the lengths of linked documents of other shards, whose rows
    follow those of the shard.
    """

    def __init__(
        self,
        problem: SamplingProblem,
        block_positions: list[NDArray[np.int32]],
        *,
        n_jobs: int,
        max_count: int,
        remote_lengths: NDArray[np.int64],
    ) -> None:
        assert problem.assignments is not None
        self._problem, self._block_positions = problem, block_positions
        self._blocks: dict[int, _Block] = {}
        knowledge = problem.knowledge
        GridEngine.__init__(
            self, problem, make_grid(problem.tokens[:0], np.zeros(1, np.int64), problem.n_words, 1), n_jobs
        )
        self._set_knowledge(knowledge)
        self._seeds, self._max_count = knowledge.seeds, max_count
        # Rows that tokens of other words read.
        self._read: Any = slice(None) if knowledge.reads & {"words", "any"} else knowledge.linked.ravel()
        self._round = Round(0, 0, 0)
        self.docs = document_rows(self.doc_lengths, remote_lengths, problem.assignments, problem.n_topics)
        self._sort(self.docs)

    def doc_topics(self) -> Any:
        """Document–topic counts of the shard, as CSR of shape (n_docs, n_topics)."""
        return super().doc_topics()[: len(self.doc_lengths)]

    def draw(
        self,
        turn: Round,
        table: WordCountTable,
        sizes: NDArray[np.int64],
        message: SweepMessage,
        remote_counts: Any = None,
    ) -> NDArray[np.uint32]:
        """Sample the tokens of a block of words, starting from the counts of all shards; returns their topics.

        ``sizes`` are the topic sizes of all shards, and are changed. ``remote_counts`` are the topic counts of linked
        documents of other shards, as CSR, if there are any.
        """
        if remote_counts is not None:
            fill_rows(self.docs, len(self.doc_lengths), remote_counts)
        if turn.block not in self._blocks:  # made when needed: a shard may be loaded for one step
            self._blocks[turn.block] = _make_block(self._problem, self._block_positions[turn.block])
        block = self._blocks[turn.block]
        self._round, self.sweep_number = turn, turn.sweep
        self.alpha, self.beta = message.alpha, with_seeds(message.beta, self._seeds)
        self._grid, self._positions = block.grid, block.positions
        self._assignments, self._allowed = block.assignments, block.allowed
        needed = block.own > 0
        needed[self._read] = True
        self.words = shard_rows(table, block.own, needed, block.grid.word_order, self._max_count)
        self._sizes = sizes
        self.sweep()
        return self.assignments

    def _key(self) -> tuple[int, ...]:
        return (self._round.sweep, 0, self._round.number) if self._round.number else (self._round.sweep,)

    def _canonicalize(self) -> None:
        """Sort the rows of documents; those of words are replaced in each round."""
        self._sort(self.docs)


def _make_block(problem: SamplingProblem, block_positions: NDArray[np.int32]) -> _Block:
    assert problem.assignments is not None
    knowledge = problem.knowledge
    own, starts = (
        np.ascontiguousarray(problem.tokens[block_positions]),
        np.searchsorted(block_positions, problem.offsets),
    )
    n_blocks = 1 if knowledge.needs_one_block else default_n_blocks(len(own))
    grid = make_grid(own, starts, problem.n_words, n_blocks, knowledge.linked)
    positions = block_positions[grid.order].astype(np.int64)
    allowed = knowledge.allowed_topics and knowledge.allowed_topics._replace(
        sets=knowledge.allowed_topics.sets[positions]
    )
    token_positions = positions if knowledge.factors else grid.order
    return _Block(
        grid, token_positions, problem.assignments[positions], allowed, np.bincount(own, minlength=problem.n_words)
    )


class LabeledShardEngine(LabeledEngine):
    """Sampler of fully labeled documents on a shard, with all words in one block."""

    def __init__(
        self,
        problem: SamplingProblem,
        block_positions: list[NDArray[np.int32]],
        *,
        n_jobs: int,
        max_count: int,
        remote_lengths: NDArray[np.int64],
    ) -> None:
        super().__init__(problem, n_jobs=n_jobs)
        self._by_word = np.argsort(self._word_of_slot, kind="stable")

    def draw(
        self,
        turn: Round,
        table: WordCountTable,
        sizes: NDArray[np.int64],
        message: SweepMessage,
        remote_counts: Any = None,
    ) -> NDArray[np.uint32]:
        """Sample all tokens, starting from the counts of all shards; returns their topics."""
        self.sweep_number, self.alpha, self.beta = turn.sweep, message.alpha, message.beta
        order, shift = self._by_word, np.uint64(topic_bits(self.n_topics))
        topics = self._topics[self._label_of_slot[order]]
        start = np.searchsorted(self._word_of_slot[order], np.append(table.words, self.n_words))
        counts = np.zeros(len(order), np.int32)
        _read_counts(table.start, table.entries, start, topics, counts, self.n_topics, shift)
        self._corpus.counts[order] = counts
        self._sizes = sizes[self._topics]
        self.sweep()
        return self.assignments


@jit
def _read_counts(
    start: Any, entries: Any, slot_start: Any, topics: Any, counts: Any, n_topics: Any, shift: Any
) -> None:
    """Read the counts of some topics of each word."""
    mask = (np.uint64(1) << shift) - np.uint64(1)
    of_word = np.zeros(n_topics, np.int64)
    for w in range(start.shape[0] - 1):
        if slot_start[w] == slot_start[w + 1]:
            continue
        for j in range(start[w], start[w + 1]):
            of_word[np.uint64(entries[j]) & mask] = np.uint64(entries[j]) >> shift
        for slot in range(slot_start[w], slot_start[w + 1]):
            counts[slot] = of_word[topics[slot]]
        for j in range(start[w], start[w + 1]):
            of_word[np.uint64(entries[j]) & mask] = 0
