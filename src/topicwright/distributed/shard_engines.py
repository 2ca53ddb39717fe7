"""Engines of a shard: the samplers of one machine, on counts that are those of all shards and its own changes.

Words come in blocks, and a part draws the tokens of one block at a time, so that it needs the counts of that block
only.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._sampling.grid import Grid, default_n_blocks, make_grid
from .._sampling.grid_engine import GridEngine
from .._sampling.labeled.engine import LabeledEngine
from .._sampling.priors import with_seeds
from .._sampling.problem import SamplingProblem
from .._sampling.sparse_lda.engine import SparseEngine
from .._utils.count_rows import CountRows, count_tokens, empty_rows, topic_bits
from .._utils.numba import jit
from ..knowledge.allowed_topics import AllowedTopics
from .count_table import WordCountTable, rows_of
from .protocol import Message, Round
from .remote_documents import fill_rows


class _Block(NamedTuple):
    """The tokens of a block of words, as a corpus of their own."""

    grid: Grid
    positions: NDArray[np.int64]  # in the shard, of each token in the order of the grid, where factors ask for them
    assignments: NDArray[np.uint32]
    allowed: AllowedTopics | None
    own: NDArray[np.int64]  # how many tokens each word has in the shard


def document_rows(
    lengths: NDArray[np.int64], others: NDArray[np.int64], assignments: NDArray[np.uint32], n_topics: int
) -> CountRows:
    """Counts of a shard's documents, and room for those of others."""
    rows = empty_rows(np.concatenate([lengths, others]), n_topics)
    doc_of_token = np.repeat(np.arange(len(lengths), dtype=np.uint32), lengths)
    count_tokens(rows, doc_of_token, assignments, np.uint64(n_topics))
    return rows


class SparseShardEngine(SparseEngine):
    """The sparse sampler on the documents of a shard; ``largest`` is the most that any count can be.

    ``others`` are the lengths of documents of other shards, whose counts stand after those of its own.
    """

    def __init__(
        self,
        problem: SamplingProblem,
        places: list[NDArray[np.int32]],
        *,
        n_jobs: int,
        largest: int,
        others: NDArray[np.int64],
    ) -> None:
        assert problem.assignments is not None
        self._problem, self._places = problem, places
        self._blocks: dict[int, _Block] = {}
        knowledge = problem.knowledge
        GridEngine.__init__(
            self, problem, make_grid(problem.tokens[:0], np.zeros(1, np.int64), problem.n_words, 1), n_jobs
        )
        self._know(knowledge)
        self._seeds, self._largest = knowledge.seeds, largest
        # Rows that tokens of other words look at.
        self._read: Any = slice(None) if knowledge.reads & {"words", "any"} else knowledge.linked.ravel()
        self._round = Round(0, 0, 0)
        self.docs = document_rows(self.doc_lengths, others, problem.assignments, problem.n_topics)
        self._sort(self.docs)

    def doc_topics(self) -> Any:
        """Counts of topics in the shard's own documents, as CSR of shape (n_docs, n_topics)."""
        return super().doc_topics()[: len(self.doc_lengths)]

    def draw(
        self, which: Round, table: WordCountTable, sizes: NDArray[np.int64], message: Message, lent: Any = None
    ) -> NDArray[np.uint32]:
        """Draw the topics of a block of words, starting from the counts of all shards; returns those topics.

        ``sizes`` are how many tokens each topic has in all shards, and are changed. ``lent`` are the counts of the
        ``others`` as they stand, as CSR, where there are any.
        """
        if lent is not None:
            fill_rows(self.docs, len(self.doc_lengths), lent)
        if which.block not in self._blocks:  # a shard that is loaded for one step needs one
            self._blocks[which.block] = _block(self._problem, self._places[which.block])
        block = self._blocks[which.block]
        self._round, self.sweep_number = which, which.sweep
        self.alpha, self.beta = message.alpha, with_seeds(message.beta, self._seeds)
        self._grid, self._positions = block.grid, block.positions
        self._assignments, self._allowed = block.assignments, block.allowed
        needed = block.own > 0
        needed[self._read] = True
        self.words = rows_of(table, block.own, needed, block.grid.word_order, self._largest)
        self._sizes = sizes
        self.sweep()
        return self.assignments

    def _key(self) -> tuple[int, ...]:
        return (self._round.sweep, 0, self._round.number) if self._round.number else (self._round.sweep,)

    def _canonicalize(self) -> None:
        """Rows of words are given anew for each round."""
        self._sort(self.docs)


def _block(problem: SamplingProblem, places: NDArray[np.int32]) -> _Block:
    assert problem.assignments is not None
    knowledge = problem.knowledge
    own, starts = np.ascontiguousarray(problem.tokens[places]), np.searchsorted(places, problem.offsets)
    n_blocks = 1 if knowledge.needs_one_block else default_n_blocks(len(own))
    grid = make_grid(own, starts, problem.n_words, n_blocks, knowledge.linked)
    positions = places[grid.order].astype(np.int64)
    allowed = knowledge.allowed_topics and knowledge.allowed_topics._replace(
        sets=knowledge.allowed_topics.sets[positions]
    )
    told = positions if knowledge.factors else grid.order
    return _Block(grid, told, problem.assignments[positions], allowed, np.bincount(own, minlength=problem.n_words))


class LabeledShardEngine(LabeledEngine):
    """The sampler of fully labelled documents, likewise, with all words in one block."""

    def __init__(
        self,
        problem: SamplingProblem,
        places: list[NDArray[np.int32]],
        *,
        n_jobs: int,
        largest: int,
        others: NDArray[np.int64],
    ) -> None:
        super().__init__(problem, n_jobs=n_jobs)
        self._by_word = np.argsort(self._word_of_slot, kind="stable")

    def draw(
        self, which: Round, table: WordCountTable, sizes: NDArray[np.int64], message: Message, lent: Any = None
    ) -> NDArray[np.uint32]:
        """Draw all topics, starting from the counts of all shards; returns them. Documents have no links here."""
        self.sweep_number, self.alpha, self.beta = which.sweep, message.alpha, message.beta
        order, shift = self._by_word, np.uint64(topic_bits(self.n_topics))
        topics = self._topics[self._label_of_slot[order]]
        start = np.searchsorted(self._word_of_slot[order], np.append(table.words, self.n_words))
        counts = np.zeros(len(order), np.int32)
        _look_up(table.start, table.entries, start, topics, counts, self.n_topics, shift)
        self._corpus.counts[order] = counts
        self._sizes = sizes[self._topics]
        self.sweep()
        return self.assignments


@jit
def _look_up(start: Any, entries: Any, slot_start: Any, topics: Any, counts: Any, n_topics: Any, shift: Any) -> None:
    """The counts of some topics of each word."""
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
