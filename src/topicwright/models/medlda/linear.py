"""Weights of topics and words by a convex solve, with penalties chosen on left-out training documents.

The weights of a task minimize ½ ‖w‖² + C Σ_d loss(x_d · w), by coordinate ascent in the dual (Hsieh et al. 2008; Yu,
Huang & Lin 2011 for the logistic loss). All tasks of a block take their steps together, so that the inner loops run
over contiguous rows of weights, and many tasks cost little more than one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._sampling.grid import ThreadTask, new_pool, run
from ..._utils.numba import jit, jit_inline
from ...losses.base import DUAL_EPSILON_INSENSITIVE, DUAL_LOGISTIC, DUAL_SQUARED_HINGE, Loss, observed_targets
from .._inputs import Floats, Tasks

COSTS = (0.3, 1.0, 3.0, 10.0)  # candidates for C, for rows of length 1
_BLOCK = 96  # tasks that are solved together
_PASSES, _TOLERANCE = 20, 3e-3  # as good on left-out documents as 40 and 1e-3
_MOST_PASSES, _VISITS = 200, 400_000  # few documents may take more passes
_NEWTON_STEPS, _NEWTON_TOLERANCE = 20, 1e-6
_FOLDS, _EVALUATED = 5, 2000  # folds, and left-out documents that suffice to compare penalties

Quality = Callable[[Floats, Floats], float]  # of scores, given targets; higher is better


class LinearProblem(NamedTuple):
    """Documents as sparse rows of features, and the loss of their scores in some tasks."""

    rows: Any  # CSR
    tasks: Tasks
    loss: Loss
    n_jobs: int = 1


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
    solver = _Solver(problem, n_passes, tolerance)
    orders = solver.orders(np.arange(problem.rows.shape[0]))
    path = [np.empty((problem.rows.shape[1], problem.tasks.targets.shape[1])) for _ in costs]

    def solve(block: slice) -> None:
        for weights, found in zip(path, solver.solve(block, costs, orders)):
            weights[:, block] = found

    _run([partial(solve, block) for block in solver.blocks], problem.n_jobs)
    return path


def task_blocks(n_tasks: int) -> list[slice]:
    """Blocks of tasks that are solved together: of similar size and, with many tasks, an even number for threads."""
    n_blocks = 1 if n_tasks <= _BLOCK // 2 else 2 * math.ceil(n_tasks / (2 * _BLOCK))
    edges = np.linspace(0, n_tasks, n_blocks + 1).astype(int).tolist()
    return [slice(first, last) for first, last in pairwise(edges)]


class _Solver:
    """Arrays of a problem, prepared for the kernel. Weights are in single precision, half the memory to pass over."""

    def __init__(self, problem: LinearProblem, n_passes: int | None = None, tolerance: float = _TOLERANCE) -> None:
        rows, (targets, weights), loss, _ = problem
        self.blocks = task_blocks(targets.shape[1])
        if n_passes is None:
            n_passes = max(_PASSES, min(_MOST_PASSES, _VISITS // max(1, rows.shape[0])))
        self._n_features, self._n_passes = rows.shape[1], n_passes
        self._matrix = (rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data.astype(np.float32))
        self._norms = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
        self._cost, self._targets, _ = observed_targets(1.0, targets, np.diff(rows.indptr), weights)
        self._scale = getattr(loss, "margin", 1.0)
        self._options = (loss.dual, float(getattr(loss, "epsilon", 0.0)), tolerance)  # type: ignore[attr-defined]

    def orders(self, docs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Order of some documents in each pass."""
        rng = np.random.default_rng(0)
        orders = np.array([rng.permutation(docs) for _ in range(self._n_passes)])
        return orders.reshape(self._n_passes, len(docs))

    def solve(self, block: slice, costs: Sequence[float], orders: NDArray[np.int64]) -> Iterator[Floats]:
        """Weights of a block of tasks for each C, from the documents of ``orders``."""
        targets, bound = (np.ascontiguousarray(part[:, block]) for part in (self._targets, self._cost))
        weights, dual = np.zeros((self._n_features, targets.shape[1]), np.float32), np.zeros_like(targets)
        for cost in costs:
            ascend_dual(self._matrix, targets, cost * bound, weights, dual, self._norms, orders, *self._options)
            yield weights * np.float64(self._scale)


def _run(calls: Sequence[Callable[[], Any]], n_jobs: int) -> list[Any]:
    pool = new_pool(n_jobs)
    try:
        return run([ThreadTask(call) for call in calls], pool, n_jobs)
    finally:
        if pool is not None:
            pool.shutdown()


# ---------------------------------------------------------------------- left-out documents


class LeftOutScores(NamedTuple):
    """Scores of documents by words, and the C that led to them."""

    cost: float
    scores: Floats  # of shape (n_docs, n_tasks); 0 for a document without a target


def left_out_scores(
    problem: LinearProblem, costs: Sequence[float], quality: Quality | None = None, rows: Any = None
) -> LeftOutScores:
    """Score of each document in each task, by weights that were found without it.

    Parameters
    ----------
    problem : LinearProblem
        Documents and tasks.
    costs : sequence of float
        Candidates for C, ascending. The one with the best predictions is chosen; of equals, the largest.
    quality : callable, optional
        Quality of some scores given the targets; needed for several candidates.
    rows : CSR, optional
        Features by which documents are scored, if they are not those of the problem.
    """
    rows = problem.rows if rows is None else rows
    solver, folds = _Solver(problem), split_documents(problem.tasks.targets)
    n_known = int(np.sum(folds >= 0))
    docs = [np.flatnonzero(folds == fold) for fold in range(_FOLDS)]
    n_tasks = problem.tasks.targets.shape[1]
    is_chosen = len(costs) == 1 or n_known < _FOLDS
    n_evaluated = 0 if is_chosen else min(_FOLDS, math.ceil(_EVALUATED * _FOLDS / n_known))

    def predict(some: Sequence[int], costs: Sequence[float]) -> list[Floats]:
        """Scores of some folds, of shape (n_costs, n_docs, n_tasks)."""
        found = [np.zeros((len(costs), len(docs[fold]), n_tasks)) for fold in some]

        def solve(scores: Floats, fold: int, block: slice) -> None:
            own, orders = rows[docs[fold]], solver.orders(np.flatnonzero(folds != fold))
            scores[:, :, block] = [own @ weights for weights in solver.solve(block, costs, orders)]

        pairs = zip(some, found)
        _run([partial(solve, scores, fold, block) for fold, scores in pairs for block in solver.blocks], problem.n_jobs)
        return found

    scores = np.zeros(problem.tasks.targets.shape)
    evaluated = predict(range(n_evaluated), costs)
    chosen = len(costs) - 1
    if not is_chosen:
        assert quality is not None
        qualities = sum(
            np.array([quality(of_cost, problem.tasks.targets[own]) for of_cost in found])
            for own, found in zip(docs, evaluated)
        )
        chosen = int(np.flatnonzero(qualities == np.max(qualities))[-1])
    for own, found in zip(docs, evaluated):
        scores[own] = found[chosen]
    rest = range(n_evaluated, _FOLDS)
    for fold, found in zip(rest, predict(rest, costs[chosen : chosen + 1])):
        scores[docs[fold]] = found[0]
    return LeftOutScores(costs[chosen], scores)


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
    score, change = np.zeros(n_tasks, weights.dtype), np.zeros(n_tasks, weights.dtype)
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
