"""New topics: candidates from documents that are unlike the past together, opened on held-out evidence only.

1. A hash of its words puts each document in one of two halves. In the first, words that are in clearly more documents
   than the past lets expect are rising, and rising words that occur in the same documents form a group.
2. The documents with two or more words of a group start as a candidate topic, and the candidates compete with the old
   topics for their tokens, given the past and the other documents of the first half.
3. The second half decides. With g_d the gain of a document's log-probability by completion when the candidate is added,
   Σ g_d / √Σ g_d² must exceed a normal quantile whose level keeps spurious topics below one in 20,000 documents.
4. The same test of the frequency of the group's words against the past says whether the subject is new: it must have
   at least doubled. If it has not, the subject was always there, and the report suggests to split its topic.
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
from .report import SplitSuggestion

if TYPE_CHECKING:
    from ..batch import BatchTopicModel

Floats = NDArray[np.float64]
_RISE = 2.0  # of the frequency of a rising word, and of the words of a new topic
_WORD_Z = 3.0  # standard deviations by which a rising word is in more documents than expected
_LEAST_WITH_WORD = 5  # documents with a rising word
_LARGEST_DISTANCE = 0.9  # of words in one group
_LEAST_WORDS, _WORDS_IN_DOCUMENT = 3, 2  # of a group
_MOST_CANDIDATES = 8  # of one update
_LEAST_DOCUMENTS = 8  # of a candidate
_SWEEPS = 15
_DOCUMENTS_PER_SPURIOUS_TOPIC = 40_000
_LARGEST_LEVEL = 0.01


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
    assert model.assignments_ is not None
    assert model.earlier_ is not None
    nothing = NewTopics(0, model.assignments_, [])
    if n_most == 0 or model.earlier_.words.sum() == 0:
        return nothing
    search = _Search(model, n_jobs)
    groups = search.groups_of_rising_words()
    if not groups:
        return nothing
    candidates = search.fit_candidates(groups)
    level = min(_LARGEST_LEVEL, model.corpus_.n_docs / _DOCUMENTS_PER_SPURIOUS_TOPIC / len(groups))
    base = search.log_probabilities(candidates, [])
    splits: list[SplitSuggestion] = []
    accepted: list[int] = []
    for candidate, words in enumerate(groups, len(model.alpha_)):
        if search.n_documents(candidates, candidate) < _LEAST_DOCUMENTS:
            continue
        now = search.log_probabilities(candidates, [*accepted, candidate])
        if not _is_positive(now - base, level):
            continue
        if not search.is_new(words, level):
            names = tuple(str(word) for word in model.vocabulary_[words])
            splits.append(SplitSuggestion(search.origin(candidates, candidate), names, float((now - base).sum())))
        elif n_most is None or len(accepted) < n_most:
            accepted.append(candidate)
            base = now
    return NewTopics(len(accepted), search.assignments_with(candidates, accepted), splits)


def _is_positive(values: Floats, level: float) -> bool:
    """Whether the sum of a figure of documents is clearly positive: Σ x_d / √Σ x_d² exceeds a normal quantile."""
    from scipy.stats import norm

    root = float(np.sqrt((values**2).sum()))
    return bool(root > 0 and values.sum() / root > norm.isf(level))


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

    def groups_of_rising_words(self) -> list[NDArray[np.int64]]:
        """Groups of rising words that occur in the same documents of the first half, the most frequent first.

        Clusters of average linkage; the similarity of two words is the cosine of their documents.
        """
        from scipy.cluster.hierarchy import fcluster, linkage

        words = np.flatnonzero(self._rising_words())
        if len(words) < _LEAST_WORDS:
            return []
        table = self._incidence(words)[self.is_train]
        together = (table.T @ table).toarray().astype(np.float64)
        size = np.diag(together)
        distance = 1.0 - together / np.sqrt(np.outer(size, size))
        pairs = distance[np.triu_indices(len(words), 1)]
        cluster = fcluster(linkage(pairs, "average"), _LARGEST_DISTANCE, "distance")
        groups = [np.flatnonzero(cluster == k) for k in np.unique(cluster)]
        ranked = sorted((-float(size[own].sum()), own.tolist()) for own in groups if len(own) >= _LEAST_WORDS)
        return [words[own] for _, own in ranked[:_MOST_CANDIDATES]]

    def _incidence(self, words: NDArray[np.int64]) -> Any:
        """Which documents have which words, as CSR."""
        from scipy.sparse import csr_array

        column = np.full(self.corpus.n_words, -1)
        column[words] = np.arange(len(words))
        own = column[self.corpus.tokens]
        pairs = np.unique(self.doc_of_token[own >= 0] * np.int64(len(words)) + own[own >= 0])
        where = np.divmod(pairs, len(words))
        return csr_array((np.ones(len(pairs), np.int64), where), shape=(self.corpus.n_docs, len(words)))

    def _group_of_documents(self, groups: list[NDArray[np.int64]]) -> NDArray[np.int64]:
        """Group of each document of the first half that has two or more of its words; −1 for none.

        Documents with topics that are given by knowledge have none.
        """
        counts = np.column_stack([self._incidence(words).sum(axis=1) for words in groups])
        best = counts.argmax(axis=1)
        chosen = self.is_train & (counts.max(axis=1) >= _WORDS_IN_DOCUMENT)
        allowed = self.model.fit_state_.compiled.allowed_topics
        if allowed is not None:
            constrained = np.bincount(self.doc_of_token, allowed.sets != EVERY_TOPIC, self.corpus.n_docs)
            chosen &= 2 * constrained < self.corpus.doc_lengths()
        return np.where(chosen, best, -1)

    def _rising_words(self) -> NDArray[np.bool_]:
        """Words that are in clearly more documents of the first half than expected, and at least twice as many.

        A word that occurs n p_w times in n tokens of the past is expected in n p_w / r documents, where r is how often
        it occurs in each document that has it.
        """
        n_words = self.corpus.n_words
        chosen = self.is_train[self.doc_of_token]
        types = np.unique(self.doc_of_token[chosen] * np.int64(n_words) + self.corpus.tokens[chosen])
        documents = np.bincount(types % n_words, minlength=n_words).astype(np.float64)
        x = np.bincount(self.corpus.tokens[chosen], minlength=n_words).astype(np.float64)
        past = np.asarray(self.earlier.words.sum(axis=0), np.float64) + 0.5
        n, size = max(1.0, x.sum()), past.sum()
        rise = x / n / (past / size)
        expected = np.divide(documents, rise, out=np.zeros(n_words), where=x > 0)
        is_rising = documents - expected > _WORD_Z * np.sqrt(expected * (1 + n / size) + 1.0)
        return np.asarray(is_rising & (documents >= _LEAST_WITH_WORD) & (rise >= _RISE))

    def fit_candidates(self, groups: list[NDArray[np.int64]]) -> NDArray[np.uint32]:
        """Assignments in which tokens of some documents have candidates, one for each group, after the topics."""
        group_of_document = self._group_of_documents(groups)
        rows = np.flatnonzero(group_of_document >= 0)
        own = group_of_document[self.doc_of_token] >= 0
        tokens, offsets = self._documents(rows)
        n_words, seed = self.corpus.n_words, self.model.seed_
        start = self.n_topics + group_of_document[self.doc_of_token[own]]
        n_all = self.n_topics + len(groups)
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

    def n_documents(self, candidates: NDArray[np.uint32], candidate: int) -> int:
        """Number of documents with a candidate."""
        return len(np.unique(self.doc_of_token[candidates == candidate]))

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
        return np.asarray(np.diff(np.concatenate([[0.0], np.cumsum(each)])[scored.offsets]))

    def is_new(self, words: NDArray[np.int64], level: float) -> bool:
        """Whether the words of a group are clearly more frequent in the second half than in the past, and twice so.

        A word counts with the log of its rise in the first half.
        """
        lengths = self.corpus.doc_lengths()
        in_train = self.is_train[self.doc_of_token]
        past = np.asarray(self.earlier.words.sum(axis=0), np.float64)[words] + 0.5
        share = past / max(1.0, float(self.earlier.words.sum()))
        now = np.bincount(self.corpus.tokens[in_train], minlength=self.corpus.n_words)[words] / in_train.sum()
        weights = np.zeros(self.corpus.n_words)
        weights[words] = np.log(np.maximum(now / share, 1.0))
        found = np.bincount(self.doc_of_token, weights[self.corpus.tokens], self.corpus.n_docs)[~self.is_train]
        expected = (weights[words] * share).sum() * lengths[~self.is_train]
        return bool(found.sum() >= _RISE * expected.sum() and _is_positive(found - expected, level))

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
