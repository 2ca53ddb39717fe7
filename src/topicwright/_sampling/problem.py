"""Inputs of sampling engines: a corpus, priors, knowledge, supervision, and the state to start from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..knowledge.compiler import CompiledKnowledge
from ..losses import Loss
from .medlda.weights import FeatureColumns

Floats = NDArray[np.float64]


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
