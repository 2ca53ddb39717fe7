"""Refit of the weights on topic shares that are inferred without the targets.

During training, the topics of a document depend on its target; those of a new document depend on its words alone.
Weights that were learned with the first are overconfident for the second. So after training they are drawn again, with
the same loss and prior, given topic shares that were inferred without the targets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...losses import Loss
from ..threads import ThreadTask, new_pool, run
from .weights import FeatureColumns, WeightPosterior, add_weighted_columns, draw_by_coordinates

Floats = NDArray[np.float64]
_SWEEPS, _BURN_IN = 12, 4


class TaskWeights(NamedTuple):
    """Weights of topics, and of words if these are features; a row for each task."""

    topics: Floats
    words: Floats


def refit_weights(
    shares: Floats,
    lengths: NDArray[np.int64],
    targets: Floats,
    loss: Loss,
    start: TaskWeights,
    *,
    cost_weights: Floats | None,
    nu: float,
    features: FeatureColumns | None,
    feature_nu: float,
    seed: int,
    n_jobs: int,
) -> TaskWeights:
    """Mean of draws of the weights, given fixed topic shares."""
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    blocks = [(start.topics.copy(), to_columns(shares * lengths[:, None]), nu)]
    if features is not None:
        blocks.append((start.words.copy(), features, feature_nu))
    scores = np.zeros(targets.T.shape)  # by task
    for eta, columns, _ in blocks:
        for task, weights in enumerate(eta):
            add_weighted_columns(columns, weights, scores[task])
    means = [np.zeros_like(eta) for eta, _, _ in blocks]
    pool = new_pool(n_jobs)
    try:
        for sweep in range(_SWEEPS):
            linear, quadratic = loss.linearize(np.ascontiguousarray(scores.T), targets, lengths, cost_weights, rng)
            posterior = WeightPosterior(
                np.ascontiguousarray(linear.T), np.ascontiguousarray(quadratic.T), scores, *blocks[0][1:]
            )
            for (eta, columns, precision), mean in zip(blocks, means):
                calls = draw_by_coordinates(eta, posterior._replace(columns=columns, nu=precision), 1, rng)
                run([ThreadTask(call) for call in calls], pool, n_jobs)
                if sweep >= _BURN_IN:
                    mean += eta / (_SWEEPS - _BURN_IN)
    finally:
        if pool is not None:
            pool.shutdown()
    return TaskWeights(means[0], means[1] if features is not None else start.words)


def to_columns(rows: Floats) -> FeatureColumns:
    """Non-zero entries of a dense matrix in column order."""
    from scipy.sparse import csc_array

    columns = csc_array(rows)
    return FeatureColumns(columns.indptr.astype(np.int64), columns.indices.astype(np.int32), columns.data)
