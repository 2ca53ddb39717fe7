"""Fitted state of models trained in batch, and the operations on it that other packages may use.

``model.fit_state_`` holds what training continues from besides the documented attributes: the knowledge in compiled
form and the topics as inference reads them. Steering, streaming and views use this module and never a private attribute
of a model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._sampling.engine import SamplingEngine
from .._sampling.inference import TopicSnapshot
from .._sampling.priors import prior_sum, with_seeds
from .._sampling.problem import SamplingProblem
from .._utils.warnings import CollectedWarnings
from ..corpus import Corpus
from ..knowledge import CompiledKnowledge

if TYPE_CHECKING:
    from ._training import OnSweep
    from .lda import LDA
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


def start_fit(model: LDA, corpus: Corpus, alpha: NDArray[np.float64], seed: int, compiled: CompiledKnowledge) -> None:
    """Prepare a model for training on a corpus with knowledge that is already compiled."""
    model._reset_fit_state(corpus, alpha)
    model.seed_ = seed
    model._set_knowledge(FitState([], compiled, {}))


def set_knowledge(
    model: LDA, knowledge: list[Any], compiled: CompiledKnowledge, warnings: CollectedWarnings | None = None
) -> None:
    """Replace the knowledge of a model; its results stay as they are."""
    model._set_knowledge(FitState(knowledge, compiled, warnings or {}))


def continue_training(model: LDA, n_sweeps: int, on_sweep: OnSweep | None = None, backend: Any = None) -> None:
    """Run more sweeps with the knowledge in ``fit_state_``, without compiling it again."""
    from ._training import Where

    model._train(n_sweeps, on_sweep, Where(backend))


def build_problem(model: LDA) -> SamplingProblem:
    """Input of a sampling engine: corpus, priors, knowledge and the present assignments of a model."""
    return model._problem()


def build_engine(model: LDA) -> SamplingEngine:
    """A sampling engine that continues from the present state of a model; close it after use."""
    return model._new_engine()


def store_results(model: LDA, engine: SamplingEngine) -> None:
    """Set the fitted attributes of a model from an engine."""
    model._store_results(engine.results())


def refit_weights(model: MedLDABase) -> None:
    """Fit the weights of a supervised model to its present topics, as ``fit`` does after the last sweep."""
    model._refit()


def count_assignments(model: LDA) -> None:
    """Set the counts and the other results of a model from its ``assignments_``."""
    engine = build_engine(model)
    engine.close()
    store_results(model, engine)


def refresh_snapshot(model: LDA) -> None:
    """Set the prior of words in the snapshot from ``beta_`` and the seeds in ``fit_state_``."""
    state = model.fit_state_
    assert state.snapshot is not None
    beta = with_seeds(model.beta_, state.compiled.seeds)
    total = prior_sum(beta, model.corpus_.n_words, len(model.alpha_))
    model.fit_state_ = state._replace(snapshot=state.snapshot._replace(beta=beta, beta_sum=total))
