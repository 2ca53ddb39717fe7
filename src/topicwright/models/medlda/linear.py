"""Weights of topics and words by a convex solve, with penalties chosen on left-out training documents.

The weights of a task minimize ½ ‖w‖² + C Σ_d loss(x_d · w), by coordinate ascent in the dual (Hsieh et al. 2008; Yu,
Huang & Lin 2011 for the logistic loss). All tasks of a block take their steps together, so that the inner loops run
over contiguous rows of weights, and many tasks cost little more than one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._sampling.grid import ThreadTask, new_pool, run
from ..._utils.numba import jit, jit_inline
from ...losses.base import DUAL_EPSILON_INSENSITIVE, DUAL_LOGISTIC, DUAL_SQUARED_HINGE, Loss, observed_targets
from .._inputs import Floats, Tasks

COSTS = (0.3, 1.0, 3.0, 10.0)  # candidates for C, for rows of length 1
_BLOCK = 64  # tasks that are solved together
_PASSES, _MOST_PASSES, _VISITS, _TOLERANCE = 40, 200, 400_000, 1e-3  # few documents may take more passes
_NEWTON_STEPS, _NEWTON_TOLERANCE = 20, 1e-6
_FOLDS, _EVALUATED = 5, 2000  # folds, and left-out documents that suffice to compare penalties

Quality = Callable[[Floats, Floats], float]  # of scores, given targets; higher is better


class LinearProblem(NamedTuple):
    """Documents as sparse rows of features, and the loss of their scores in some tasks."""

    rows: Any  # CSR
    tasks: Tasks
    loss: Loss
    n_jobs: int = 1

    def subset(self, docs: NDArray[Any]) -> LinearProblem:
        """The problem for some of the documents."""
        targets, weights = self.tasks
        tasks = Tasks(targets[docs], None if weights is None else weights[docs])
        return self._replace(rows=self.rows[docs], tasks=tasks)


def has_dual(loss: Loss) -> bool:
    """Whether the convex solve knows a loss."""
    return hasattr(loss, "dual")


def solve_path(
    problem: LinearProblem, costs: Sequence[float], n_passes: int | None = None, tolerance: float = _TOLERANCE
) -> list[Floats]:
    """Weights of shape (n_features, n_tasks) for each C, in ascending order; each solve starts from the last.

    A solve ends when a pass over the documents changes the weights by less than ``tolerance`` times as much as the
    first, in squares. Weights are in units of the margin of the loss.
    """
    rows, (targets, weights), loss, n_jobs = problem
    lengths = np.diff(rows.indptr)
    cost, known, _ = observed_targets(1.0, targets, lengths, weights)
    norms = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
    rng = np.random.default_rng(0)
    if n_passes is None:
        n_passes = max(_PASSES, min(_MOST_PASSES, _VISITS // max(1, len(norms))))
    orders = np.array([rng.permutation(len(norms)) for _ in range(n_passes)]).reshape(n_passes, -1)
    matrix = (rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data)
    blocks = [slice(first, first + _BLOCK) for first in range(0, targets.shape[1], _BLOCK)]
    parts = [np.ascontiguousarray(known[:, block]) for block in blocks]
    bounds = [np.ascontiguousarray(cost[:, block]) for block in blocks]
    solved = [np.zeros((rows.shape[1], part.shape[1])) for part in parts]
    duals = [np.zeros_like(part) for part in parts]
    options = (loss.dual, float(getattr(loss, "epsilon", 0.0)), tolerance)  # type: ignore[attr-defined]
    path, pool = [], new_pool(n_jobs)
    try:
        for factor in costs:
            calls = [
                ThreadTask(partial(ascend_dual, matrix, part, factor * bound, weight, dual, norms, orders, *options))
                for part, bound, weight, dual in zip(parts, bounds, solved, duals)
            ]
            run(calls, pool, n_jobs)
            path.append(np.hstack(solved))
    finally:
        if pool is not None:
            pool.shutdown()
    return [weights * getattr(loss, "margin", 1.0) for weights in path]


# ---------------------------------------------------------------------- left-out documents


def choose_cost(problem: LinearProblem, costs: Sequence[float], quality: Quality) -> float:
    """C with the best predictions for left-out documents; of equals, the largest.

    Parameters
    ----------
    problem : LinearProblem
        Documents and tasks.
    costs : sequence of float
        Candidates, ascending.
    quality : callable
        Quality of some scores given the targets.
    """
    folds = split_documents(problem.tasks.targets)
    n_known = int(np.sum(folds >= 0))
    if len(costs) == 1 or n_known < _FOLDS:
        return costs[-1]
    found = np.zeros(len(costs))
    for fold in range(min(_FOLDS, math.ceil(_EVALUATED * _FOLDS / n_known))):
        out = np.flatnonzero(folds == fold)
        path = solve_path(problem.subset(np.flatnonzero(folds != fold)), costs)
        found += [quality(problem.rows[out] @ weights, problem.tasks.targets[out]) for weights in path]
    return costs[int(np.flatnonzero(found == found.max())[-1])]


def left_out_scores(problem: LinearProblem, cost: float, rows: Any = None) -> Floats:
    """Score of each document in each task, by weights that were found without it.

    ``rows`` are the features by which documents are scored, if others than those of the problem.
    """
    rows = problem.rows if rows is None else rows
    folds = split_documents(problem.tasks.targets)
    scores = np.zeros(problem.tasks.targets.shape)
    for fold in range(_FOLDS):
        (weights,) = solve_path(problem.subset(np.flatnonzero(folds != fold)), [cost])
        out = np.flatnonzero(folds == fold)
        scores[out] = rows[out] @ weights
    return scores


def split_documents(targets: Floats) -> NDArray[np.int64]:
    """Fold of each document; −1 for documents without a target, which are never left out."""
    known = np.flatnonzero(~np.isnan(targets).all(axis=1))
    folds = np.full(len(targets), -1)
    folds[np.random.default_rng(0).permutation(known)] = np.arange(len(known)) % _FOLDS
    return folds


# ---------------------------------------------------------------------- the kernel


@jit
def ascend_dual(
    matrix: Any,
    targets: Any,
    cost: Any,
    weights: Any,
    dual: Any,
    norms: Any,
    orders: Any,
    kind: Any,
    epsilon: Any,
    tolerance: Any,
) -> None:
    """Coordinate ascent in the dual, in place; w = Σ_d dual_d x_d holds before and after."""
    start, columns, values = matrix
    n_tasks = targets.shape[1]
    score, change = np.zeros(n_tasks), np.zeros(n_tasks)
    first = 0.0
    for sweep in range(orders.shape[0]):
        total = 0.0
        for position in range(orders.shape[1]):
            d = orders[sweep, position]
            if norms[d] == 0.0:
                continue
            score[:] = 0.0
            for j in range(start[d], start[d + 1]):
                row, value = weights[columns[j]], values[j]
                for task in range(n_tasks):
                    score[task] += row[task] * value
            moved = 0.0
            for task in range(n_tasks):
                old = dual[d, task]
                new = _dual_step(kind, score[task], old, norms[d], targets[d, task], cost[d, task], epsilon)
                dual[d, task], change[task] = new, new - old
                moved += change[task] * change[task]
            if moved > 0.0:
                total += moved * norms[d]
                for j in range(start[d], start[d + 1]):
                    row, value = weights[columns[j]], values[j]
                    for task in range(n_tasks):
                        row[task] += change[task] * value
        if sweep == 0:
            first = total
        if total <= tolerance * first:
            break


@jit_inline
def _dual_step(kind: Any, score: Any, old: Any, norm: Any, target: Any, cost: Any, epsilon: Any) -> Any:
    """Dual variable that maximizes the dual given all others."""
    if cost == 0.0:
        return 0.0
    if kind == DUAL_SQUARED_HINGE:  # C max(0, 1 − y f)²
        ridge = 0.5 / cost
        return target * max(0.0, target * old - (target * score - 1.0 + ridge * target * old) / (norm + ridge))
    if kind == DUAL_LOGISTIC:  # C log(1 + exp(−y f))
        return target * _logistic_step(target * score, target * old, norm, cost)
    if kind == DUAL_EPSILON_INSENSITIVE:  # C max(0, |y − f| − ε)
        free = old + (target - score) / norm
        shrunk = max(0.0, abs(free) - epsilon / norm)
        return min(cost, shrunk) * (1.0 if free > 0.0 else -1.0)
    ridge = 1.0 / cost  # C (y − f)² / 2
    return old + (target - score - ridge * old) / (norm + ridge)


@jit_inline
def _logistic_step(margin: Any, old: Any, norm: Any, cost: Any) -> Any:
    """Solve norm (α − old) + margin + log(α / (C − α)) = 0, by Newton steps within a bracket for the logarithm."""
    low, high = -margin - norm * (cost - old), -margin + norm * old
    u = min(high, max(low, math.log(old / (cost - old)) if 0.0 < old < cost else -margin))
    share = 0.5
    for _ in range(_NEWTON_STEPS):
        share = 1.0 / (1.0 + math.exp(-u))
        value = norm * (cost * share - old) + margin + u
        if value > 0.0:
            high = u
        else:
            low = u
        step = value / (norm * cost * share * (1.0 - share) + 1.0)
        if abs(step) < _NEWTON_TOLERANCE:
            break
        u = u - step if low < u - step < high else 0.5 * (low + high)
    return cost * share
