"""Draws of the weights given topics and auxiliary variables (LightMedLDA eq. 22 and 23).

Given A and Q the posterior of a task's weights is Gaussian, with precision ν I + Σ_d Q_d n_d n_dᵀ. Coordinate by
coordinate, a sweep costs the non-zero counts; as a block, by Cholesky, K³. Weights of words are drawn in the same way
with other columns.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._utils.numba import jit, jit_inline
from ...losses.base import Loss
from ..grid import ThreadTask, new_pool, run

Floats = NDArray[np.float64]
_ONE, _TWO, _THREE = (np.uint64(n) for n in (1, 2, 3))


class FeatureColumns(NamedTuple):
    """Sparse matrix of features in column order: column k is from ``start[k]`` to ``start[k + 1]``."""

    start: NDArray[np.int64]
    docs: NDArray[np.int32]
    values: NDArray[np.float64]


class WeightPosterior(NamedTuple):
    """Terms of the posterior of the weights; arrays of shape (n_tasks, n_docs)."""

    gradient: Floats  # A − Q m with m = Σ_k η_k n_dk plus the scores of features; updated with the weights
    quadratic: Floats
    columns: FeatureColumns  # n_dk
    nu: float


def count_by_topic(assignments: NDArray[np.uint32], offsets: NDArray[np.int64], n_topics: int) -> FeatureColumns:
    """Document–topic counts by topic."""
    in_doc = np.zeros(n_topics)
    start = np.zeros(n_topics + 1, np.int64)
    _count_documents(assignments, offsets, in_doc, start)
    np.cumsum(start, out=start)
    columns = FeatureColumns(start, np.empty(start[-1], np.int32), np.empty(start[-1]))
    _list_documents(assignments, offsets, in_doc, columns, start[:-1].copy())
    return columns


def count_documents(assignments: NDArray[np.uint32], offsets: NDArray[np.int64], n_topics: int) -> Any:
    """Document–topic counts as CSR of shape (n_docs, n_topics)."""
    from scipy.sparse import csc_array

    start, docs, counts = count_by_topic(assignments, offsets, n_topics)
    return csc_array((counts.astype(np.int64), docs, start), shape=(len(offsets) - 1, n_topics)).tocsr()


def draw_by_coordinates(eta: Floats, posterior: WeightPosterior, n_sweeps: int, rng: np.random.Generator) -> list[Any]:
    """Calls that draw the weights of each task in place, coordinate by coordinate; they may run in parallel.

    Every task has its own order of topics. With a common order, the first topics absorb what all tasks have in common,
    and tasks are slow to separate.
    """
    orders, normals = _orders_and_normals(eta, n_sweeps, rng)
    return [
        partial(
            sweep_weights,
            eta[task],
            posterior.gradient[task],
            posterior.quadratic[task],
            posterior.columns,
            posterior.nu,
            orders[task],
            normals[task],
        )
        for task in range(len(eta))
    ]


def _orders_and_normals(eta: Floats, n_sweeps: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], Floats]:
    """Order of topics and random numbers, by task and sweep."""
    n_tasks, n_topics = eta.shape
    orders = rng.permuted(np.tile(np.arange(n_topics), (n_tasks, n_sweeps, 1)), axis=2)
    return orders, rng.standard_normal((n_tasks, n_sweeps, n_topics))


def draw_blocked(eta: Floats, posterior: WeightPosterior, rng: np.random.Generator) -> list[Any]:
    """Calls that draw the weights of each task as a block, by Cholesky."""
    normals = rng.standard_normal(eta.shape)
    return [partial(_draw_by_cholesky, eta[task], posterior, task, normals[task]) for task in range(len(eta))]


class WeightStatistics(NamedTuple):
    """Sufficient statistics of the weights, by task; those of parts of a corpus add up."""

    precision: Floats  # Σ_d Q_d n_d n_dᵀ, of shape (tasks, topics, topics)
    linear: Floats  # Σ_d A_d n_d, of shape (tasks, topics)


def weight_statistics(doc_topics: Any, linear: Floats, quadratic: Floats) -> WeightStatistics:
    """Sufficient statistics from counts (CSR, documents × topics) and A and Q of shape (n_docs, n_tasks)."""
    counts = doc_topics.astype(np.float64)
    weighted = (counts.multiply(column[:, None]).tocsr() for column in quadratic.T)
    precision = [(counts.T @ of_task).toarray() for of_task in weighted]
    return WeightStatistics(np.array(precision), np.asarray((counts.T @ linear).T))


def draw_from_statistics(
    eta: Floats, given: WeightStatistics, nu: float, n_sweeps: int, rng: np.random.Generator
) -> Floats:
    """Draw as :func:`draw_by_coordinates` does, with the same random numbers, from sufficient statistics."""
    orders, normals = _orders_and_normals(eta, n_sweeps, rng)
    eta = eta.copy()
    for task in range(len(eta)):
        _sweep_statistics(eta[task], given.precision[task], given.linear[task], nu, orders[task], normals[task])
    return eta


@jit
def _sweep_statistics(eta: Any, precision: Any, linear: Any, nu: Any, orders: Any, normals: Any) -> None:
    for sweep in range(orders.shape[0]):
        for position in range(orders.shape[1]):
            k = orders[sweep, position]
            total = linear[k] + precision[k, k] * eta[k]
            for j in range(eta.shape[0]):
                total -= precision[k, j] * eta[j]
            own = nu + precision[k, k]
            eta[k] = total / own + normals[sweep, position] / np.sqrt(own)


def _draw_by_cholesky(eta: Floats, posterior: WeightPosterior, task: int, normals: Floats) -> None:
    from scipy.linalg import cholesky, solve_triangular
    from scipy.sparse import csc_array

    start, docs, numbers = posterior.columns
    gradient, quadratic = posterior.gradient[task], posterior.quadratic[task]
    counts: Any = csc_array((numbers, docs, start), shape=(len(gradient), len(eta)))
    precision = (counts.T @ counts.multiply(quadratic[:, None]).tocsr()).toarray()
    linear = counts.T @ gradient + precision @ eta
    factor = cholesky(precision + posterior.nu * np.eye(len(eta)), lower=True)
    drawn = solve_triangular(factor, solve_triangular(factor, linear, lower=True) + normals, lower=True, trans="T")
    gradient -= quadratic * (counts @ (drawn - eta))
    eta[:] = drawn


@jit
def sweep_weights(eta: Any, gradient: Any, quadratic: Any, columns: Any, nu: Any, orders: Any, normals: Any) -> None:
    """Draw each weight given the others, in the given orders."""
    precision = np.empty(eta.shape[0])
    for sweep in range(orders.shape[0]):
        for position in range(orders.shape[1]):
            k = orders[sweep, position]
            first, last = np.uint64(columns.start[k]), np.uint64(columns.start[k + 1])
            if sweep == 0:
                precision[k] = nu + sum_column(quadratic, columns, first, last, True)
            slope = sum_column(gradient, columns, first, last, False) - nu * eta[k]
            change = slope / precision[k] + normals[sweep, position] / np.sqrt(precision[k])
            eta[k] += change
            shift_column(gradient, quadratic, columns, first, last, change)


@jit_inline
def sum_column(values: Any, columns: Any, first: Any, last: Any, is_squared: Any) -> Any:
    """Σ_d values_d n_d, or with the squares of n_d: four sums, so that additions need not wait for each other."""
    total_0, total_1, total_2, total_3 = 0.0, 0.0, 0.0, 0.0
    j = first
    while j < last:
        n_0 = columns.values[j]
        total_0 += values[np.uint64(columns.docs[j])] * (n_0 * n_0 if is_squared else n_0)
        if j + _THREE < last:
            n_1, n_2, n_3 = columns.values[j + _ONE], columns.values[j + _TWO], columns.values[j + _THREE]
            total_1 += values[np.uint64(columns.docs[j + _ONE])] * (n_1 * n_1 if is_squared else n_1)
            total_2 += values[np.uint64(columns.docs[j + _TWO])] * (n_2 * n_2 if is_squared else n_2)
            total_3 += values[np.uint64(columns.docs[j + _THREE])] * (n_3 * n_3 if is_squared else n_3)
            j += _THREE
        j += _ONE
    return (total_0 + total_1) + (total_2 + total_3)


@jit_inline
def shift_column(gradient: Any, quadratic: Any, columns: Any, first: Any, last: Any, change: Any) -> None:
    """Subtract change · Q_d n_d from the gradient of each document of a column."""
    for j in range(first, last):
        d = np.uint64(columns.docs[j])
        gradient[d] -= change * quadratic[d] * columns.values[j]


@jit
def _count_documents(assignments: Any, offsets: Any, in_doc: Any, start: Any) -> None:
    """Set ``start[k + 1]`` to the number of documents of topic k."""
    for d in range(offsets.shape[0] - 1):
        for i in range(offsets[d], offsets[d + 1]):
            k = assignments[i]
            if in_doc[k] == 0.0:
                in_doc[k] = 1.0
                start[k + 1] += 1
        for i in range(offsets[d], offsets[d + 1]):
            in_doc[assignments[i]] = 0.0


@jit
def _list_documents(assignments: Any, offsets: Any, in_doc: Any, columns: Any, end: Any) -> None:
    for d in range(offsets.shape[0] - 1):
        for i in range(offsets[d], offsets[d + 1]):
            in_doc[assignments[i]] += 1.0
        for i in range(offsets[d], offsets[d + 1]):
            k = assignments[i]
            if in_doc[k] > 0.0:
                columns.docs[end[k]] = d
                columns.values[end[k]] = in_doc[k]
                end[k] += 1
                in_doc[k] = 0.0


@jit
def add_weighted_columns(columns: Any, weights: Any, scores: Any) -> Any:
    """Add the weighted sum of the columns to scores, and return these."""
    for k in range(weights.shape[0]):
        for j in range(columns.start[k], columns.start[k + 1]):
            scores[columns.docs[j]] += weights[k] * columns.values[j]
    return scores


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
    means = [np.zeros_like(eta) for eta, _, _ in blocks]
    pool = new_pool(n_jobs)
    try:
        for sweep in range(_SWEEPS):
            scores = np.zeros(targets.T.shape)  # by task
            for eta, columns, _ in blocks:
                for task, weights in enumerate(eta):
                    add_weighted_columns(columns, weights, scores[task])
            linear, quadratic = loss.linearize(np.ascontiguousarray(scores.T), targets, lengths, cost_weights, rng)
            by_task = np.ascontiguousarray(quadratic.T)
            posterior = WeightPosterior(np.ascontiguousarray(linear.T) - by_task * scores, by_task, *blocks[0][1:])
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
