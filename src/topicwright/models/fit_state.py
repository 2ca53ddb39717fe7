"""Fitted state of models trained in batch, and the operations on it that other packages may use.

``model.fit_state_`` holds what training continues from besides the documented attributes: the knowledge in compiled
form and the topics as inference reads them. Steering, streaming and views use this module and never a private attribute
of a model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._sampling import new_engine
from .._sampling.engine import SamplingEngine, SamplingProblem, SamplingResults
from .._sampling.inference import TopicSnapshot
from .._sampling.initialization import initial_assignments
from .._sampling.priors import base_prior, prior_sum, with_word_priors
from .._sampling.random import seed_from
from .._utils.validation import initial_beta
from .._utils.warnings import CollectedWarnings
from ..corpus import Corpus
from ..knowledge import CompiledKnowledge

if TYPE_CHECKING:
    from ._training import OnSweep
    from .batch import BatchTopicModel
    from .medlda.base import MedLDABase


class FitState(NamedTuple):
    """Knowledge that a model was trained with, and its topics as inference reads them."""

    knowledge: list[Any]
    """Knowledge objects in the order in which they were compiled."""
    compiled: CompiledKnowledge
    """The same knowledge as the sampler reads it."""
    warnings: CollectedWarnings
    """Warnings issued when the knowledge was compiled. ``resume`` does not repeat them."""
    baseline: Any = None
    """The same training without knowledge, once ``knowledge_report`` has needed it."""
    snapshot: TopicSnapshot | None = None
    """Topic–word counts and priors as inference reads them. None before the first results."""


# ---------------------------------------------------------------------- before training


def reset_fit_state(model: BatchTopicModel, corpus: Corpus, alpha: NDArray[np.float64]) -> None:
    """Set the fitted attributes of a model to those before the first sweep, except knowledge."""
    model.__dict__.pop("fit_state_", None)
    model.field_ = None
    model.corpus_ = corpus
    model.vocabulary_ = corpus.vocabulary
    model.n_features_in_ = corpus.n_words
    model.seed_ = seed_from(model.random_state)
    model.alpha_ = alpha
    model.beta_ = initial_beta(model.beta, corpus.n_words)
    model.earlier_ = None
    model.updates_ = []
    model.new_topics_ = []
    model.assignments_ = None
    model.sweeps_ = 0
    model.manifest_ = None
    model.log_likelihood_ = []


def start_fit(
    model: BatchTopicModel, corpus: Corpus, alpha: NDArray[np.float64], seed: int, compiled: CompiledKnowledge
) -> None:
    """Prepare a model for training on a corpus with knowledge that is already compiled."""
    reset_fit_state(model, corpus, alpha)
    model.seed_ = seed
    model._set_knowledge(FitState([], compiled, {}))


def set_knowledge(
    model: BatchTopicModel,
    knowledge: list[Any],
    compiled: CompiledKnowledge,
    warnings: CollectedWarnings | None = None,
) -> None:
    """Replace the knowledge of a model; its results stay as they are.

    The model has no manifest from here on: the steps of a session repeat it, and give the same file at any time.
    """
    model.manifest_ = None
    model._set_knowledge(FitState(knowledge, compiled, warnings or {}))


# ---------------------------------------------------------------------- training


def build_problem(model: BatchTopicModel) -> SamplingProblem:
    """Input of a sampling engine: corpus, priors, knowledge and the present assignments of a model."""
    corpus = model.corpus_
    problem = SamplingProblem(
        corpus.tokens,
        corpus.offsets,
        corpus.n_words,
        len(model.alpha_),
        model.alpha_,
        model.beta_,
        model.seed_,
        model.fit_state_.compiled,
        model.assignments_,
        model.sweeps_,
        is_mixture=is_mixture(model),
        earlier=model.earlier_,
    )
    return problem if model.assignments_ is not None else problem._replace(assignments=initial_assignments(problem))


def is_mixture(model: BatchTopicModel) -> bool:
    """Whether every document of a model has one topic."""
    return bool(getattr(model, "one_topic_per_document", False))


def build_engine(model: BatchTopicModel) -> SamplingEngine:
    """A sampling engine that continues from the present state of a model; close it after use."""
    return model._new_engine()


def continue_training(
    model: BatchTopicModel, n_sweeps: int, on_sweep: OnSweep | None = None, backend: Any = None
) -> None:
    """Run more sweeps with the knowledge in ``fit_state_``, without compiling it again."""
    model._train(n_sweeps, on_sweep, backend)


def refit_weights(model: MedLDABase) -> None:
    """Fit the weights of a supervised model to its present topics, as ``fit`` does after the last sweep."""
    model._refit()


# ---------------------------------------------------------------------- results


def store_results(model: BatchTopicModel, engine: SamplingEngine) -> None:
    """Set the fitted attributes of a model from an engine."""
    model._store_results(engine.results())


def store_topics(model: BatchTopicModel, results: SamplingResults) -> None:
    """Set the topics of a model, its priors and its progress."""
    model.assignments_ = results.assignments
    model.alpha_ = results.topics.alpha
    model.beta_ = base_prior(results.topics.beta)
    model.sweeps_ = results.sweep_number
    model.topic_word_counts_ = results.topic_word_counts
    if results.doc_topic_counts is not None:
        model.doc_topic_counts_ = results.doc_topic_counts
    else:  # documents on shards need not fit in memory: they are counted on demand
        model.__dict__.pop("doc_topic_counts_", None)
    model.fit_state_ = model.fit_state_._replace(snapshot=results.topics)
    model._drop_cached_results()


def count_assignments(model: BatchTopicModel) -> None:
    """Set the topics of a model from its ``assignments_``."""
    engine = new_engine(build_problem(model))
    engine.close()
    (results,) = engine.results()
    store_topics(model, results)


def refresh_snapshot(model: BatchTopicModel) -> None:
    """Set the prior of words in the snapshot from ``beta_`` and the seeds in ``fit_state_``."""
    state = model.fit_state_
    assert state.snapshot is not None
    beta = with_word_priors(model.beta_, state.compiled.word_priors)
    total = prior_sum(beta, model.corpus_.n_words, len(model.alpha_))
    model.fit_state_ = state._replace(snapshot=state.snapshot._replace(beta=beta, beta_sum=total))
