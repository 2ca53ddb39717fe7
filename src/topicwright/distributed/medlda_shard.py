"""The engine of a shard whose topics are to predict something: documents and their auxiliary variables stay here."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._sampling.medlda.engine import AUXILIARY, WARMUP_SWEEPS, MedLDAEngine, sweep_rng
from .._sampling.medlda.refit import TaskWeights
from .._sampling.medlda.state import TokensByWord
from .._sampling.medlda.weights import WeightStatistics, count_documents, weight_statistics
from .._sampling.priors import with_seeds
from .._sampling.problem import SamplingProblem
from .._utils.count_rows import sort_rows, topic_bits
from .._utils.numba import jit
from ..knowledge.factors import FactorCounts
from .count_table import WordCountTable, rows_of
from .protocol import Message, Round
from .remote_documents import fill_rows, listed
from .shard_engines import SparseShardEngine, document_rows

Floats = NDArray[np.float64]


class MedLDAShardEngine(MedLDAEngine):
    """Topics of a shard's documents, given the weights that all shards share.

    A proposal from a word must be drawn from that word's tokens in all shards. So of each word that the shard has, it
    lists the topics of all tokens, its own and others'.
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
        self._topics, self._largest, self._lengths_of_others = problem.assignments, largest, others
        self._plainly = partial(SparseShardEngine, places=places, n_jobs=n_jobs, largest=largest, others=others)
        self._problem = problem
        self._first: SparseShardEngine | None = None
        self._own = np.bincount(problem.tokens, minlength=problem.n_words)
        super().__init__(problem, n_jobs=n_jobs, n_warmup_sweeps=0)

    @property
    def assignments(self) -> NDArray[np.uint32]:
        """The topic of each token."""
        return self._topics

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many tokens each topic has in all shards."""
        return self._sizes

    def doc_topics(self) -> Any:
        """Counts of topics in documents, as CSR of shape (n_docs, n_topics); some tokens may have no topic yet."""
        return count_documents(self._topics, self._corpus[1], self.n_topics + 1)[:, : self.n_topics]

    def statistics(self, sweep: int, before: TaskWeights) -> WeightStatistics:
        """What the weights of topics are drawn from in a sweep, given the weights of the sweep before."""
        linear, quadratic = self._auxiliaries(sweep, before)
        return weight_statistics(self.doc_topics(), linear - quadratic * self._feature_scores, quadratic)

    def margins(self, sweep: int, before: TaskWeights, eta: Floats) -> tuple[Floats, Floats, Floats]:
        """What the weights of words are drawn from, once those of topics are: A, Q and the scores."""
        linear, quadratic = self._auxiliaries(sweep, before)
        return linear, quadratic, np.asarray(self.doc_topics() @ eta.T) + self._feature_scores

    def draw(
        self, which: Round, table: WordCountTable, sizes: NDArray[np.int64], message: Message, lent: Any = None
    ) -> NDArray[np.uint32]:
        """Draw all topics, starting from the counts of all shards; returns them. ``lent`` as for a SparsePart."""
        if which.sweep < WARMUP_SWEEPS:
            self._first = self._first or self._plainly(self._problem._replace(assignments=self._topics))
            self._topics = self._first.draw(which, table, sizes, message, lent)
            return self._topics
        self._leave_plain()
        assert message.eta is not None
        before, (self._eta, words) = message.eta
        linear, quadratic = self._auxiliaries(which.sweep, before)
        self._feature_eta = words
        self.sweep_number, self._sizes = which.sweep, sizes
        self.alpha, self.beta = message.alpha, with_seeds(message.beta, self._knowledge.seeds)
        self._start_from(table)
        if lent is not None:
            self._take_in(lent)
        n_tasks = len(self._eta)
        self._terms.linear[:, :n_tasks] = linear - quadratic * self._feature_scores
        self._terms.quadratic[:, :n_tasks] = quadratic
        self._terms.center[:, :n_tasks] = self._center - self._feature_scores
        self._draw_topics()
        self._topics = self._state.assignments[: self.n_tokens]
        return self._topics

    def close(self) -> None:
        """Let the threads go."""
        self._leave_plain()
        super().close()

    def _leave_plain(self) -> None:
        if self._first is not None:
            self._first.close()
            self._first = None

    def _build_state(self, assignments: NDArray[np.uint32]) -> None:
        """Counts are given for each sweep."""

    def _auxiliaries(self, sweep: int, weights: TaskWeights) -> tuple[Floats, Floats]:
        """A and Q: the same however often they are asked for."""
        rng = sweep_rng(self.seed, sweep, AUXILIARY)
        self._feature_eta = weights.words
        self._update_feature_scores()
        scores = np.asarray(self.doc_topics() @ weights.topics.T) + self._feature_scores
        linear, quadratic = self._loss.linearize(scores, self._targets, self.doc_lengths, self._cost_weights, rng)
        return linear, quadratic

    def _start_from(self, table: WordCountTable) -> None:
        tokens, shift = self._corpus[0], np.uint64(topic_bits(self.n_topics))
        words = np.zeros((self.n_words, self.n_topics), np.uint16 if self._largest < 2**16 else np.int32)
        _fill_words(table.words, table.start, table.entries, words, shift)
        listed = np.where(self._own > 0, words.sum(axis=1, dtype=np.int64), 0)
        start = np.concatenate([[0], np.cumsum(listed)])
        topics = np.empty(start[-1], np.min_scalar_type(self.n_topics))
        place: Any = np.empty(len(tokens), np.uint32 if start[-1] < 2**32 else np.uint64)
        _list_by_word(tokens, self._topics, words, start, topics, place)
        self._set_state(self._topics, words, TokensByWord(start.astype(np.uint64), topics, place))
        self._counts = self._rows_for_factors(table) if self._knowledge.factors else None

    def _rows_for_factors(self, table: WordCountTable) -> FactorCounts:
        needed, order = np.ones(self.n_words, np.bool_), np.arange(self.n_words)
        docs = document_rows(self.doc_lengths, self._lengths_of_others, self._topics, self.n_topics)
        sort_rows(docs, np.uint64(0), np.uint64(len(docs.start)))
        return FactorCounts(rows_of(table, self._own, needed, order, self._largest), docs)

    def _take_in(self, lent: Any) -> None:
        """Documents of other shards stand behind the shard's own, for these to borrow of."""
        offsets = self._corpus[1]
        ends = offsets[-1] + np.cumsum(self._lengths_of_others)
        self._state = self._state._replace(
            offsets=np.concatenate([offsets, ends]).view(np.uint64),
            assignments=np.concatenate([self._state.assignments, listed(lent)]),
        )
        if self._counts is not None:
            fill_rows(self._counts.docs, len(self.doc_lengths), lent)


@jit
def _fill_words(words: Any, start: Any, entries: Any, counts: Any, shift: Any) -> None:
    mask = (np.uint64(1) << shift) - np.uint64(1)
    for i in range(words.shape[0]):
        for j in range(start[i], start[i + 1]):
            counts[words[i], np.uint64(entries[j]) & mask] = np.uint64(entries[j]) >> shift


@jit
def _list_by_word(tokens: Any, assignments: Any, words: Any, start: Any, topics: Any, place: Any) -> None:
    """The topics of all tokens of each word: the shard's own, and then those of others, which stay as they are."""
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
