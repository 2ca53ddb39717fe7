"""Engine of a shard of MedLDA: documents and their auxiliary variables stay on the shard."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._sampling.engine import SamplingProblem
from .._sampling.medlda.engine import AUXILIARY, WARMUP_SWEEPS, MedLDAEngine, sweep_rng
from .._sampling.medlda.state import TokensByWord
from .._sampling.medlda.weights import TaskWeights, WeightStatistics, count_documents, weight_statistics
from .._sampling.priors import with_seeds
from .._utils.count_rows import sort_rows, topic_bits
from .._utils.numba import jit
from ..knowledge.factors import FactorCounts
from .count_table import WordCountTable, shard_rows
from .protocol import Round, SweepMessage
from .shard_engines import SparseShardEngine, document_rows, fill_rows, topics_from_counts

Floats = NDArray[np.float64]


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
        super().__init__(problem, n_jobs=n_jobs, n_warmup_sweeps=0)

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
        return weight_statistics(self.doc_topics(), linear - quadratic * self._feature_scores, quadratic)

    def loss_terms(self, sweep: int, before: TaskWeights, eta: Floats) -> tuple[Floats, Floats, Floats]:
        """A, Q and the scores, from which the weights of words are drawn after those of topics."""
        linear, quadratic = self._auxiliary_terms(sweep, before)
        return linear, quadratic, np.asarray(self.doc_topics() @ eta.T) + self._feature_scores

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
        self.alpha, self.beta = message.alpha, with_seeds(message.beta, self._knowledge.seeds)
        self._load_counts(table)
        if remote_counts is not None:
            self._append_remote_documents(remote_counts)
        n_tasks = len(self._eta)
        self._terms.linear[:, :n_tasks] = linear - quadratic * self._feature_scores
        self._terms.quadratic[:, :n_tasks] = quadratic
        self._terms.center[:, :n_tasks] = self._center - self._feature_scores
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
        rng = sweep_rng(self.seed, sweep, AUXILIARY)
        self._feature_eta = weights.words
        self._update_feature_scores()
        scores = np.asarray(self.doc_topics() @ weights.topics.T) + self._feature_scores
        linear, quadratic = self._loss.linearize(scores, self._targets, self.doc_lengths, self._cost_weights, rng)
        return linear, quadratic

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
