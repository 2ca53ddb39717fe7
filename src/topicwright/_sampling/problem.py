"""What an engine is given: a corpus, what is known of it, what its topics are to predict, and where to begin."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..knowledge.compiler import CompiledKnowledge
from ..losses import Loss
from .medlda.weights import FeatureColumns

Floats = NDArray[np.float64]


class Supervision(NamedTuple):
    """What topics are to predict, and how."""

    targets: Floats  # of shape (n_docs, n_tasks); NaN where it is not known
    loss: Loss
    cost_weights: Floats | None = None  # how much each target counts
    nu: float = 1.0  # the precision of the weights' prior
    sampler: str = "compositional"  # Metropolis steps; or "dense", exact draws
    mh_steps: int = 6  # a token
    weight_sweeps: int = 2  # how often the weights are drawn in a sweep
    recency: float = 6.0  # sweep t counts as t^(recency − 1) in the mean of the weights
    eta: Floats | None = None  # weights to go on from, of shape (n_tasks, n_topics)
    average: Floats | None = None
    features: FeatureColumns | None = None  # what else is weighed in the margin: a column for each word
    feature_nu: float = 1.0
    feature_eta: Floats | None = None
    feature_average: Floats | None = None


class SamplingProblem(NamedTuple):
    """What is to be trained, and the state to go on from."""

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    n_words: int
    n_topics: int
    alpha: Floats
    beta: float | Floats
    seed: int
    knowledge: CompiledKnowledge
    assignments: NDArray[np.uint32] | None = None  # in the corpus's order; n_topics means "not assigned yet"
    sweep_number: int = 0  # how many sweeps led to that state
    supervision: Supervision | None = None
