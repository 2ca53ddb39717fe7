"""New topics: candidates from documents that the model explains badly, opened on held-out evidence only.

1. Documents are scored with the past counts alone (``document_scores``), and a hash of their words splits them in two.
2. The badly explained documents of one half are clustered, and the clusters compete with the old topics for their
   tokens. What is left of each cluster is a candidate.
3. The other half decides. With g_d the gain of a document's log-probability by completion when the candidate is added,
   Σ g_d / √Σ g_d² must exceed a normal quantile whose level keeps spurious topics below one in 20,000 documents.
4. A candidate is new if its words are clearly more frequent in the other half than in the past. Otherwise it is a
   subject that was always there, and the report suggests to split its topic.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._sampling import new_engine
from ..._sampling.engine import EarlierCounts, SamplingProblem
from ..._sampling.inference import TokenBatch, TopicSnapshot, infer, log_probability, split_alternating
from ..._sampling.priors import prior_sum, with_word_priors
from ..._utils.count_rows import rows_from_csr
from ...corpus.vocabulary import take_documents
from ...knowledge.allowed_topics import EVERY_TOPIC
from ...knowledge.base import TopicNumbers
from ...knowledge.compiler import CompiledKnowledge
from ..fit_state import is_mixture
from .report import SplitSuggestion, document_scores

if TYPE_CHECKING:
    from ..batch import BatchTopicModel

Floats = NDArray[np.float64]
_BADLY_EXPLAINED = -1.5  # score, of which some documents of old subjects have less too
_MOST_CANDIDATES = 8  # of one update
_LEAST_DOCUMENTS = 8  # of a candidate, in either half
_CLUSTER_SWEEPS, _SWEEPS = 20, 15
_CLUSTER_BETA = 0.1
_DOCUMENTS_PER_SPURIOUS_TOPIC = 40_000
_LARGEST_LEVEL = 1e-3
_CHARACTERISTIC_WORDS = 20
_RISE = 2.0  # of the frequency of the characteristic words of a new topic
_RISE_Z = 2.0


class NewTopics(NamedTuple):
    """Assignments with tokens of new topics, which follow the old ones, and subjects that are not new."""

    n_new: int
    assignments: NDArray[np.uint32]
    splits: list[SplitSuggestion]


def find_new_topics(model: BatchTopicModel, n_most: int | None, n_jobs: int = 1) -> NewTopics:
    """New topics for the documents of an updated model.

    Parameters
    ----------
    model : BatchTopicModel
        The updated model, whose assignments and earlier counts are read.
    n_most : int, optional
        Largest number of new topics.
    n_jobs : int
        Number of threads.
    """
    search = _Search(model, n_jobs)
    assert model.assignments_ is not None
    bad = search.badly_explained()
    n_candidates = min(_MOST_CANDIDATES, len(bad) // _LEAST_DOCUMENTS)
    splits: list[SplitSuggestion] = []
    accepted: list[int] = []
    if n_candidates == 0 or n_most == 0:
        return NewTopics(0, model.assignments_, splits)
    candidates = search.fit_candidates(bad, n_candidates)
    level = min(_LARGEST_LEVEL, model.corpus_.n_docs / _DOCUMENTS_PER_SPURIOUS_TOPIC / n_candidates)
    base = search.log_probabilities(candidates, accepted)
    for candidate in search.by_size(candidates, n_candidates):
        now = search.log_probabilities(candidates, [*accepted, candidate])
        gains = now - base
        if not _is_significant(gains, level):
            continue
        words = search.characteristic_words(candidates, candidate)
        if not search.are_rising(words):
            topic = search.origin(candidates, candidate)
            names = tuple(str(word) for word in model.vocabulary_[words])
            splits.append(SplitSuggestion(topic, names[:_CHARACTERISTIC_WORDS], float(gains.sum())))
        elif n_most is None or len(accepted) < n_most:
            accepted.append(candidate)
            base = now
    return NewTopics(len(accepted), search.assignments_with(candidates, accepted), splits)


def _is_significant(gains: Floats, level: float) -> bool:
    """Whether documents gain by a candidate: a one-sided test of their mean, with at least a few that gain much."""
    from scipy.stats import norm

    root = float(np.sqrt((gains**2).sum()))
    n_gaining = np.count_nonzero(gains > 2.0)
    return bool(n_gaining >= _LEAST_DOCUMENTS // 2 and root > 0 and gains.sum() / root > norm.isf(level))


class _Search:
    """Documents of an update in two halves, and snapshots of the topics with some of the candidates."""

    def __init__(self, model: BatchTopicModel, n_jobs: int) -> None:
        assert model.earlier_ is not None
        assert model.assignments_ is not None
        self.model, self.n_jobs = model, n_jobs
        self.corpus, self.earlier = model.corpus_, model.earlier_
        self.n_topics = len(model.alpha_)
        self.assignments = model.assignments_
        self.doc_of_token = np.repeat(np.arange(self.corpus.n_docs), self.corpus.doc_lengths())
        hashes = [zlib.crc32(np.sort(self.corpus.doc(row)).tobytes()) for row in range(self.corpus.n_docs)]
        self.is_train = np.array(hashes, np.int64) % 2 == 0
        self.heldout = split_alternating(TokenBatch(*self._documents(np.flatnonzero(~self.is_train))))

    def _documents(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        return take_documents(self.corpus.tokens, self.corpus.offsets, rows)

    # ------------------------------------------------------------------ candidates

    def badly_explained(self) -> NDArray[np.int64]:
        """Documents of the first half that the past explains badly and knowledge does not assign to topics."""
        past = self._snapshot(self.earlier.words)
        scores = document_scores(past, self.corpus, self.n_jobs)
        chosen = self.is_train & (scores < _BADLY_EXPLAINED)
        allowed = self.model.fit_state_.compiled.allowed_topics
        if allowed is not None:
            constrained = np.bincount(self.doc_of_token, allowed.sets != EVERY_TOPIC, self.corpus.n_docs)
            chosen &= 2 * constrained < self.corpus.doc_lengths()
        return np.flatnonzero(chosen)

    def fit_candidates(self, rows: NDArray[np.int64], n_candidates: int) -> NDArray[np.uint32]:
        """Assignments in which tokens of some documents have candidates, numbered after the topics."""
        own = np.isin(self.doc_of_token, rows)
        tokens, offsets = self._documents(rows)
        n_words, seed = self.corpus.n_words, self.model.seed_
        knowledge = CompiledKnowledge(TopicNumbers(n_candidates))
        beta = np.maximum(self.model.beta_, _CLUSTER_BETA)
        clusters = SamplingProblem(
            tokens, offsets, n_words, n_candidates, np.ones(n_candidates), beta, seed, knowledge, is_mixture=True
        )
        start = self.n_topics + _run(clusters, _CLUSTER_SWEEPS)
        n_all = self.n_topics + n_candidates
        others = self.is_train[self.doc_of_token] & ~own
        words = _padded(self.earlier.words, n_all) + self._count(others, self.assignments, n_all)
        documents = np.zeros(n_all, np.int64)
        documents[: self.n_topics] = self.earlier.documents
        problem = SamplingProblem(
            tokens,
            offsets,
            n_words,
            n_all,
            self._alpha(n_all),
            self.model.beta_,
            seed,
            CompiledKnowledge(TopicNumbers(n_all)),
            start.astype(np.uint32),
            is_mixture=is_mixture(self.model),
            earlier=EarlierCounts(words.tocsr(), documents),
        )
        result = self.assignments.copy()
        result[own] = _run(problem, _SWEEPS)
        return result

    def by_size(self, candidates: NDArray[np.uint32], n_candidates: int) -> list[int]:
        """Candidates with enough documents, the largest first."""
        sizes = np.bincount(candidates, minlength=self.n_topics + n_candidates)
        found = []
        for candidate in range(self.n_topics, self.n_topics + n_candidates):
            documents = np.unique(self.doc_of_token[candidates == candidate])
            if len(documents) >= _LEAST_DOCUMENTS:
                found.append((-int(sizes[candidate]), candidate))
        return [candidate for _, candidate in sorted(found)]

    def assignments_with(self, candidates: NDArray[np.uint32], accepted: list[int]) -> NDArray[np.uint32]:
        """Assignments with some candidates, numbered in this order after the topics; other tokens are as before."""
        result = self.assignments.copy()
        for n, candidate in enumerate(accepted):
            result[candidates == candidate] = self.n_topics + n
        return result

    # ------------------------------------------------------------------ evidence

    def log_probabilities(self, candidates: NDArray[np.uint32], accepted: list[int]) -> Floats:
        """Log-probability of every other word of each document of the second half."""
        n_all = self.n_topics + len(accepted)
        in_train = self.is_train[self.doc_of_token]
        own = self._count(in_train, self.assignments_with(candidates, accepted), n_all)
        topics = self._snapshot((_padded(self.earlier.words, n_all) + own).tocsr())
        seen, scored = self.heldout
        each = log_probability(topics, scored, infer(topics, seen, n_jobs=self.n_jobs), self.n_jobs)
        return np.diff(np.concatenate([[0.0], np.cumsum(each)])[scored.offsets])

    def characteristic_words(self, candidates: NDArray[np.uint32], candidate: int) -> NDArray[np.int64]:
        """Words that tell a candidate from the past, by their share of the divergence of the two."""
        n_words = self.corpus.n_words
        own = np.bincount(self.corpus.tokens[candidates == candidate], minlength=n_words).astype(np.float64)
        past = np.asarray(self.earlier.words.sum(axis=0), np.float64) + 1.0
        share = own / own.sum()
        with np.errstate(divide="ignore", invalid="ignore"):
            divergence = np.where(own > 0, share * np.log(share / (past / past.sum())), 0.0)
        order = np.lexsort((np.arange(n_words), -divergence))[:_CHARACTERISTIC_WORDS]
        return order[divergence[order] > 0]

    def are_rising(self, words: NDArray[np.int64]) -> bool:
        """Whether words are clearly more frequent in the second half than in the past."""
        past = np.asarray(self.earlier.words.sum(axis=0), np.float64)
        before = past[words].sum() / max(1.0, past.sum())
        seen = np.isin(self.corpus.tokens, words)
        counts = np.bincount(self.doc_of_token, seen, self.corpus.n_docs)[~self.is_train]
        lengths = self.corpus.doc_lengths()[~self.is_train]
        excess = counts - _RISE * before * lengths
        deviations = counts - counts.sum() / max(1, lengths.sum()) * lengths
        return bool(excess.sum() > _RISE_Z * np.sqrt((deviations**2).sum()))

    def origin(self, candidates: NDArray[np.uint32], candidate: int) -> int:
        """Topic that most tokens of a candidate have now."""
        return int(np.bincount(self.assignments[candidates == candidate]).argmax())

    # ------------------------------------------------------------------ counts

    def _alpha(self, n_topics: int) -> Floats:
        alpha = self.model.alpha_
        return np.concatenate([alpha, np.full(n_topics - len(alpha), alpha.mean())])

    def _count(self, chosen: NDArray[np.bool_], assignments: NDArray[np.uint32], n_topics: int) -> Any:
        """Topic–word counts of some tokens."""
        from scipy.sparse import coo_array

        where = (assignments[chosen].astype(np.int64), self.corpus.tokens[chosen])
        return coo_array((np.ones(len(where[0]), np.int64), where), shape=(n_topics, self.corpus.n_words)).tocsr()

    def _snapshot(self, counts: Any) -> TopicSnapshot:
        n_topics, n_words = counts.shape
        beta = with_word_priors(self.model.beta_, self.model.fit_state_.compiled.word_priors)
        sizes = np.asarray(counts.sum(axis=1), np.int64)
        total = prior_sum(beta, n_words, n_topics)
        rows = rows_from_csr(counts.T.tocsr())
        return TopicSnapshot(rows, sizes, self._alpha(n_topics), beta, total, is_mixture(self.model))


def _padded(counts: Any, n_topics: int) -> Any:
    """Counts with empty topics after the others."""
    counts = counts.copy()
    counts.resize((n_topics, counts.shape[1]))
    return counts


def _run(problem: SamplingProblem, n_sweeps: int) -> NDArray[np.uint32]:
    """Assignments after some sweeps."""
    engine = new_engine(problem)
    for _ in range(n_sweeps):
        engine.sweep()
    engine.close()
    return engine.assignments
