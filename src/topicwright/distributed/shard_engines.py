"""Engines of a shard: the samplers of one machine, on the counts of all shards.

Words are in blocks, and an engine samples the tokens of one block at a time, so that it needs the counts of that block
only.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._sampling.engine import SamplingProblem
from .._sampling.grid import Grid, default_n_blocks, make_grid
from .._sampling.grid_engine import GridEngine
from .._sampling.labeled.engine import LabeledEngine
from .._sampling.medlda.engine import WARMUP_SWEEPS, MedLDAEngine
from .._sampling.medlda.state import TokensByWord
from .._sampling.medlda.weights import TaskWeights, WeightStatistics, count_documents, weight_statistics
from .._sampling.priors import with_word_priors
from .._sampling.sparse_lda.engine import SparseEngine
from .._utils.count_rows import CountRows, count_tokens, empty_rows, sort_rows, topic_bits
from .._utils.numba import jit
from ..knowledge.allowed_topics import AllowedTopics
from ..knowledge.factors import FactorCounts
from .count_table import WordCountTable, shard_rows
from .protocol import Round, SweepMessage, Workers
from .sharding import RunDirectory

Floats = NDArray[np.float64]


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
        self._word_priors, self._max_count = knowledge.word_priors, max_count
        # Rows that tokens of other words read.
        self._read: Any = slice(None) if knowledge.reads & {"words", "any"} else knowledge.all_linked.ravel()
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
        self.alpha, self.beta = message.alpha, with_word_priors(message.beta, self._word_priors)
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


class MedLDAShardEngine(MedLDAEngine):
    """MedLDA sampler on the documents of a shard, given the weights that all shards share.

    Word proposals are drawn from the tokens of a word in all shards. So the shard lists the topics of all tokens of its
    words, its own and those of other shards.
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
        self._topics, self._max_count, self._remote_lengths = problem.assignments, max_count, remote_lengths
        self._make_warmup = partial(
            SparseShardEngine,
            block_positions=block_positions,
            n_jobs=n_jobs,
            max_count=max_count,
            remote_lengths=remote_lengths,
        )
        self._problem = problem
        self._warmup_shard: SparseShardEngine | None = None
        self._own = np.bincount(problem.tokens, minlength=problem.n_words)
        super().__init__(problem, n_jobs=n_jobs, n_warmup_sweeps=0, n_blocks=1)

    @property
    def assignments(self) -> NDArray[np.uint32]:
        """Topic of each token."""
        return self._topics

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of tokens of each topic in all shards."""
        return self._sizes

    def doc_topics(self) -> Any:
        """Document–topic counts, as CSR of shape (n_docs, n_topics); tokens without a topic do not count."""
        return count_documents(self._topics, self._corpus[1], self.n_topics + 1)[:, : self.n_topics]

    def statistics(self, sweep: int, before: TaskWeights) -> WeightStatistics:
        """Sufficient statistics of the weights of topics in a sweep, given the weights of the last one."""
        linear, quadratic = self._auxiliary_terms(sweep, before)
        of_features = 0.0 if self._feature_scores is None else self._feature_scores
        return weight_statistics(self.doc_topics(), linear - quadratic * of_features, quadratic)

    def loss_terms(self, sweep: int, before: TaskWeights, eta: Floats) -> tuple[Floats, Floats]:
        """A − Q m and Q, from which the weights of words are drawn after those of topics."""
        linear, quadratic = self._auxiliary_terms(sweep, before)
        return linear - quadratic * self._scores(eta), quadratic

    def draw(
        self,
        turn: Round,
        table: WordCountTable,
        sizes: NDArray[np.int64],
        message: SweepMessage,
        remote_counts: Any = None,
    ) -> NDArray[np.uint32]:
        """Sample all tokens, starting from the counts of all shards; returns their topics."""
        if turn.sweep < WARMUP_SWEEPS:
            self._warmup_shard = self._warmup_shard or self._make_warmup(
                self._problem._replace(assignments=self._topics)
            )
            self._topics = self._warmup_shard.draw(turn, table, sizes, message, remote_counts)
            return self._topics
        self._end_warmup()
        assert message.eta is not None
        before, (self._eta, words) = message.eta
        linear, quadratic = self._auxiliary_terms(turn.sweep, before)
        self._feature_eta = words
        self.sweep_number, self._sizes = turn.sweep, sizes
        self.alpha, self.beta = message.alpha, with_word_priors(message.beta, self._knowledge.word_priors)
        self._load_counts(table)
        if remote_counts is not None:
            self._append_remote_documents(remote_counts)
        n_tasks = len(self._eta)
        self._gradient = (linear - quadratic * self._scores(self._eta)).T
        self._terms.center_gradient[:, :n_tasks] = linear - quadratic * self._center
        self._terms.quadratic[:, :n_tasks] = quadratic
        self._prepare_documents()
        self._draw_topics()
        self._topics = self._state.assignments[: self.n_tokens]
        return self._topics

    def close(self) -> None:
        """Stop the threads."""
        self._end_warmup()
        super().close()

    def _end_warmup(self) -> None:
        if self._warmup_shard is not None:
            self._warmup_shard.close()
            self._warmup_shard = None

    def _build_state(self, assignments: NDArray[np.uint32]) -> None:
        """Nothing: counts come with each sweep."""

    def _auxiliary_terms(self, sweep: int, weights: TaskWeights) -> tuple[Floats, Floats]:
        """A and Q of a sweep; the same in every call."""
        self._feature_eta = weights.words
        self._update_feature_scores()
        scores = self._scores(weights.topics)
        parts = [self._linearize(number, scores[docs], sweep) for number, docs in enumerate(self._doc_blocks)]
        linear, quadratic = (np.concatenate(each) for each in zip(*parts))
        return linear, quadratic

    def _scores(self, eta: Floats) -> Floats:
        scores = np.asarray(self.doc_topics() @ eta.T)
        return scores if self._feature_scores is None else scores + self._feature_scores

    def _load_counts(self, table: WordCountTable) -> None:
        tokens, shift = self._corpus[0], np.uint64(topic_bits(self.n_topics))
        words = np.zeros((self.n_words, self.n_topics), np.uint16 if self._max_count < 2**16 else np.int32)
        _fill_words(table.words, table.start, table.entries, words, shift)
        topics_from_counts = np.where(self._own > 0, words.sum(axis=1, dtype=np.int64), 0)
        start = np.concatenate([[0], np.cumsum(topics_from_counts)])
        topics = np.empty(start[-1], np.min_scalar_type(self.n_topics))
        place: Any = np.empty(len(tokens), np.uint32 if start[-1] < 2**32 else np.uint64)
        _list_by_word(tokens, self._topics, words, start, topics, place)
        self._set_state(self._topics, words, TokensByWord(start.astype(np.uint64), topics, place))
        self._counts = self._rows_for_factors(table) if self._knowledge.factors else None

    def _rows_for_factors(self, table: WordCountTable) -> FactorCounts:
        needed, order = np.ones(self.n_words, np.bool_), np.arange(self.n_words)
        docs = document_rows(self.doc_lengths, self._remote_lengths, self._topics, self.n_topics)
        sort_rows(docs, np.uint64(0), np.uint64(len(docs.start)))
        return FactorCounts(shard_rows(table, self._own, needed, order, self._max_count), docs)

    def _append_remote_documents(self, remote_counts: Any) -> None:
        """Append linked documents of other shards behind those of the shard."""
        offsets = self._corpus[1]
        ends = offsets[-1] + np.cumsum(self._remote_lengths)
        self._state = self._state._replace(
            offsets=np.concatenate([offsets, ends]).view(np.uint64),
            assignments=np.concatenate([self._state.assignments, topics_from_counts(remote_counts)]),
        )
        if self._counts is not None:
            fill_rows(self._counts.docs, len(self.doc_lengths), remote_counts)


@jit
def _fill_words(words: Any, start: Any, entries: Any, counts: Any, shift: Any) -> None:
    mask = (np.uint64(1) << shift) - np.uint64(1)
    for i in range(words.shape[0]):
        for j in range(start[i], start[i + 1]):
            counts[words[i], np.uint64(entries[j]) & mask] = np.uint64(entries[j]) >> shift


@jit
def _list_by_word(tokens: Any, assignments: Any, words: Any, start: Any, topics: Any, place: Any) -> None:
    """List the topics of all tokens of each word: those of the shard, then those of other shards, which are fixed."""
    n_words, n_topics = words.shape
    end = start[:-1].copy()
    own = np.zeros((n_words, n_topics), np.int32)
    for i in range(tokens.shape[0]):
        w = tokens[i]
        topics[end[w]] = assignments[i]
        place[i] = end[w]
        own[w, assignments[i]] += 1
        end[w] += 1
    for w in range(n_words):
        if start[w] < start[w + 1]:
            for k in range(n_topics):
                for _ in range(np.int64(words[w, k]) - own[w, k]):
                    topics[end[w]] = k
                    end[w] += 1
