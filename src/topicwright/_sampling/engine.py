"""Sampling problems, the protocol of the engines that solve them, and statistics of their counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from .._utils.count_rows import CountRows, rows_from_csr
from ..knowledge.compiler import CompiledKnowledge
from ..losses.base import Loss
from .dirichlet import count_histogram, documents_log_likelihood, learn_alpha, learn_beta, topics_log_likelihood
from .grid import ThreadTask, new_pool, run
from .inference import TopicSnapshot
from .medlda.weights import FeatureColumns
from .priors import Beta, BetaSum, base_prior, prior_sum

Floats = NDArray[np.float64]


class WeightResults(NamedTuple):
    """Weights of a MedLDA model: the last draw, and the mean over sweeps."""

    eta: Floats  # of topics, of shape (n_tasks, n_topics)
    average: Floats
    feature_eta: Floats  # of words, of shape (n_tasks, n_features)
    feature_average: Floats


class SamplingResults(NamedTuple):
    """Fitted state of one topic model."""

    sweep_number: int  # sweeps that led to it
    assignments: NDArray[np.uint32]  # topic of each token, in corpus order
    topic_word_counts: Any  # CSR of shape (n_topics, n_words)
    doc_topic_counts: Any  # CSR of shape (n_docs, n_topics); None where documents need not fit in memory
    topics: TopicSnapshot  # priors and counts for inference
    weights: WeightResults | None = None  # of MedLDA


@runtime_checkable
class SamplingEngine(Protocol):
    """Gibbs sampler of a topic model, or of several that are trained side by side.

    Training calls ``prepare`` once, then ``sweep`` and the statistics in turn, then ``results`` and ``close``.
    """

    @property
    def n_tokens(self) -> int:
        """Tokens that a sweep draws."""
        ...

    @property
    def sweep_number(self) -> int:
        """Sweeps done so far, earlier runs included."""
        ...

    @property
    def n_moved(self) -> int:
        """Tokens that changed their topic in the last sweep."""
        ...

    @property
    def curve(self) -> Sequence[tuple[int, float]]:
        """(sweep, log p(w, z) per token) as far as an interrupted run computed it before it was resumed."""
        ...

    def prepare(self) -> None:
        """Compile the sampler, or load it from the cache."""
        ...

    def sweep(self) -> None:
        """Draw the topic of every token once."""
        ...

    def log_likelihood(self) -> float:
        """log p(w, z) of the corpus."""
        ...

    def learn_alpha(self) -> None:
        """Fit α to the document–topic counts."""
        ...

    def learn_beta(self) -> None:
        """Fit β to the topic–word counts."""
        ...

    def results(self) -> Sequence[SamplingResults]:
        """Fitted state of each model that the engine trains."""
        ...

    def close(self) -> None:
        """Stop threads or workers. Results stay available."""
        ...


class TopicCountsMixin:
    """Statistics of the topic–word counts."""

    alpha: Floats
    beta: Beta
    n_words: int
    n_topics: int
    sweep_number: int
    assignments: Any
    topic_words: Any
    sizes: Any

    @property
    def beta_sum(self) -> BetaSum:
        """Σ_w b_w over the vocabulary; with word priors one of each topic."""
        return prior_sum(self.beta, self.n_words, self.n_topics)

    @property
    def word_rows(self) -> CountRows:
        """Topic counts of each word, for inference."""
        return rows_from_csr(self.topic_words().T.tocsr())

    def learn_beta(self) -> None:
        """Fit β to the topic–word counts."""
        self.beta = learn_beta(float(base_prior(self.beta)), self.topic_words(), self.sizes)

    def results(self) -> Sequence[SamplingResults]:
        """Fitted state of the model."""
        counts = self.topic_words()
        return [
            SamplingResults(self.sweep_number, self.assignments, counts, self._doc_topic_counts(), self._snapshot())
        ]

    def _snapshot(self) -> TopicSnapshot:
        """Topics as inference reads them."""
        return TopicSnapshot(self.word_rows, self.sizes, self.alpha, self.beta, self.beta_sum)

    def _doc_topic_counts(self) -> Any:
        """Document–topic counts where they are in memory."""
        return None


class CountStatisticsMixin(TopicCountsMixin):
    """Statistics of the topic–word and document–topic counts of an engine that has both in memory."""

    doc_lengths: NDArray[np.int64]
    doc_topics: Any
    curve: Sequence[tuple[int, float]] = ()
    _earlier: EarlierCounts | None = None

    def log_likelihood(self) -> float:
        """log p(w, z) of the corpus, given earlier counts if there are any."""
        return documents_log_likelihood(self.doc_topics(), self.alpha) + self._words_log_likelihood()

    def _words_log_likelihood(self) -> float:
        total = topics_log_likelihood(self.topic_words(), self.beta)
        return total if self._earlier is None else total - topics_log_likelihood(self._earlier.words, self.beta)

    def learn_alpha(self) -> None:
        """Fit α to the document–topic counts."""
        self.alpha = learn_alpha(self.alpha, count_histogram(self.doc_topics(), self.doc_lengths))

    def _doc_topic_counts(self) -> Any:
        return self.doc_topics()


class EngineGroup:
    """Engines of several models of one corpus, each with its own topics; a sweep is one sweep of each.

    The likelihood is that of one model of as many copies of the corpus. In a resumed run some engines may be ahead:
    they wait for the others.

    Parameters
    ----------
    engines : sequence of SamplingEngine
        One for each model.
    n_jobs : int
        Engines that sweep at the same time.
    """

    def __init__(self, engines: Sequence[SamplingEngine], n_jobs: int) -> None:
        self.engines = list(engines)
        self.n_tokens = sum(engine.n_tokens for engine in engines)
        self._n_jobs = n_jobs
        self._pool = new_pool(n_jobs)

    @property
    def sweep_number(self) -> int:
        """Sweeps that all engines have done."""
        return min(engine.sweep_number for engine in self.engines)

    @property
    def curve(self) -> Sequence[tuple[int, float]]:
        """(sweep, log p(w, z) per token) at the sweeps for which all engines have it from an interrupted run."""
        curves = [dict(engine.curve) for engine in self.engines]
        sweeps = [sweep for sweep in curves[0] if all(sweep in curve for curve in curves)]
        return [(sweep, self._joint([curve[sweep] for curve in curves]) / self.n_tokens) for sweep in sweeps]

    @property
    def n_moved(self) -> int:
        """Tokens that changed their topic in the last sweep, in all engines."""
        return sum(engine.n_moved for engine in self.engines)

    def log_likelihood(self) -> float:
        """log p(w, z) of all copies together."""
        return self._joint([engine.log_likelihood() / max(1, engine.n_tokens) for engine in self.engines])

    def _joint(self, per_token: Sequence[float]) -> float:
        return float(self.n_tokens * np.mean(per_token))

    def learn_alpha(self) -> None:
        """Fit the α of each model."""
        for engine in self.engines:
            engine.learn_alpha()

    def learn_beta(self) -> None:
        """Fit the β of each model."""
        for engine in self.engines:
            engine.learn_beta()

    def prepare(self) -> None:
        """Compile the sampler, which is the same for all engines."""
        self.engines[0].prepare()

    def sweep(self) -> None:
        """Run one sweep of every engine that is not ahead."""
        behind = [engine for engine in self.engines if engine.sweep_number == self.sweep_number]
        run([ThreadTask(engine.sweep) for engine in behind], self._pool, self._n_jobs)

    def results(self) -> Sequence[SamplingResults]:
        """Fitted state of each model."""
        return [results for engine in self.engines for results in engine.results()]

    def close(self) -> None:
        """Close all engines and the threads."""
        for engine in self.engines:
            engine.close()
        if self._pool is not None:
            self._pool.shutdown()


class Supervision(NamedTuple):
    """Targets of MedLDA, its loss, and the parameters of its sampler."""

    targets: Floats  # of shape (n_docs, n_tasks); NaN where unknown
    loss: Loss
    cost_weights: Floats | None = None  # multipliers of the cost, of shape (n_docs, n_tasks)
    nu: float = 1.0  # precision of the prior of the weights
    sampler: str = "compositional"  # "compositional" for Metropolis steps, "dense" for exact draws
    mh_steps: int = 6  # Metropolis steps a token
    weight_sweeps: int = 2  # draws of the weights in a sweep
    recency: float = 6.0  # sweep t counts as t^(recency − 1) in the mean of the weights
    eta: Floats | None = None  # weights to start from, of shape (n_tasks, n_topics)
    average: Floats | None = None
    features: FeatureColumns | None = None  # further features: a column for each word
    feature_nu: float = 1.0
    feature_eta: Floats | None = None
    feature_average: Floats | None = None
    base_scores: Floats | None = None  # known part of the prediction m / N, of shape (n_docs, n_tasks)


class EarlierCounts(NamedTuple):
    """Counts of documents that are not sampled any more: they count in every draw and never change."""

    words: Any  # topic–word counts, CSR of shape (n_topics, n_words)
    documents: NDArray[np.int64]  # documents of each topic, for models in which a document has one


class SamplingProblem(NamedTuple):
    """A corpus, priors and knowledge to train on, and the state to start from."""

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    n_words: int
    n_topics: int
    alpha: Floats
    beta: float | Floats
    seed: int
    knowledge: CompiledKnowledge
    assignments: NDArray[np.uint32] | None = None  # in corpus order; n_topics means "not assigned yet"
    sweep_number: int = 0  # sweeps that led to that state
    supervision: Supervision | None = None
    is_mixture: bool = False  # every document has one topic
    earlier: EarlierCounts | None = None
