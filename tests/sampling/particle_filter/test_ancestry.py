"""Resampling: surviving particles, and lazily reordered rows compared with copied rows."""

from __future__ import annotations

from math import factorial
from typing import Any

import numba
import numpy as np
import pytest

from topicwright._sampling.particle_filter.ancestry import (
    begin_epoch,
    has_free_epoch,
    lane_count,
    lane_of,
    new_ancestry,
    reorder_all_lanes,
    reorder_lanes,
)
from topicwright._sampling.particle_filter.resampling import resample_multinomial, resample_systematic
from topicwright._sampling.random import streams

from ..enumeration import p_value


@numba.njit
def may_follow(ancestry: Any) -> Any:
    return has_free_epoch(ancestry)


@numba.njit
def next_epoch(ancestry: Any, n: Any) -> None:
    begin_epoch(ancestry, n)


@numba.njit
def reorder(lanes: Any, row: Any, stamps: Any, ancestry: Any, spare: Any) -> None:
    reorder_lanes(lanes, row, stamps, row, ancestry, spare)


@numba.njit
def look(lanes: Any, row: Any, stamps: Any, ancestry: Any, p: Any) -> Any:
    return lanes[row, lane_of(ancestry, np.uint64(stamps[row]), p)]


def resampled(rng: np.random.Generator, n: int, gently: bool) -> np.ndarray:
    """Ancestors: any, or all but one particle that takes another's place."""
    if not gently:
        return np.sort(rng.choice(n, n, p=rng.dirichlet(np.full(n, 0.5))))
    ancestors = np.arange(n)
    ancestors[rng.integers(n)] = rng.integers(n)
    return ancestors


@pytest.mark.parametrize("gently", [False, True])
@pytest.mark.parametrize("n_particles", [1, 3, 8, 10, 300])
@pytest.mark.parametrize(("n_epochs", "horizon"), [(1 << 20, None), (50, 8), (1 << 20, 2)])
def test_lazy_rows_equal_eager_ones(n_particles: int, n_epochs: int, horizon: int | None, gently: bool) -> None:
    rng = np.random.default_rng(n_particles)
    n_rows, width = 40, lane_count(n_particles)
    ancestry = new_ancestry(n_particles, n_epochs, horizon)
    lazy, stamps, spare = np.zeros((n_rows, width), np.int32), np.zeros(n_rows, np.uint32), np.zeros(width, np.int32)
    eager = np.zeros((n_rows, n_particles), np.int32)
    oldest = 0
    for _ in range(600):
        if rng.random() < 0.5:
            if not may_follow(ancestry):
                reorder_all_lanes(lazy, np.uint64(n_rows), stamps, ancestry, spare)
                ancestry.epochs[:] = 0
            ancestors = resampled(rng, n_particles, gently)
            ancestry.ancestors[:n_particles] = ancestors
            next_epoch(ancestry, np.uint64(n_particles))
            eager = eager[:, ancestors]
        row = int(n_rows * rng.random() ** 3)  # some rows often, others hardly ever
        reorder(lazy, np.uint64(row), stamps, ancestry, spare)
        np.testing.assert_array_equal(lazy[row, :n_particles], eager[row])
        change = rng.integers(0, 100, n_particles)
        lazy[row, :n_particles] += change
        eager[row] += change
        row, p = rng.integers(n_rows), rng.integers(n_particles)
        assert look(lazy, np.uint64(row), stamps, ancestry, np.uint64(p)) == eager[row, p]
        oldest = max(oldest, int(ancestry.epochs[0]) - int(stamps.min()))
    if n_particles > 1 and n_epochs > 600 and horizon is None:
        assert oldest > 100  # rows were left alone for long
    reorder_all_lanes(lazy, np.uint64(n_rows), stamps, ancestry, spare)
    np.testing.assert_array_equal(lazy[:, :n_particles], eager)


def test_old_epochs_are_merged() -> None:
    """With every resampling that leaves one particle, all that came before has one lane left."""
    ancestry = new_ancestry(10)
    rng = np.random.default_rng(0)
    for _ in range(500):
        ancestry.ancestors[:10] = resampled(rng, 10, False)
        next_epoch(ancestry, np.uint64(10))
    now, live = ancestry.epochs.tolist()
    assert now == 500
    assert 0 < now - live < 40


def test_no_change_when_all_particles_survive() -> None:
    ancestry = new_ancestry(10)
    ancestry.ancestors[:10] = np.arange(10)
    next_epoch(ancestry, np.uint64(10))
    assert ancestry.epochs.tolist() == [0, 0]


# ---------------------------------------------------------------------- who goes on


@numba.njit
def children(n: Any, weights: Any, random: Any, systematic: Any, counts: Any) -> None:
    """Number of children of each particle, by repetition."""
    ancestors = np.zeros(weights.shape[0], np.uint16)
    for i in range(n):
        if systematic:
            resample_systematic(weights, np.uint64(weights.shape[0]), random, ancestors)
        else:
            resample_multinomial(weights, np.uint64(weights.shape[0]), random, ancestors)
        for p in range(weights.shape[0]):
            counts[i, ancestors[p]] += 1


@pytest.mark.parametrize("systematic", [True, False])
def test_children_are_in_proportion_to_weights(systematic: bool) -> None:
    weights = np.array([0.02, 0.3, 0.0, 0.11, 0.45, 0.12])
    counts = np.zeros((20_000, 6), np.int64)
    children(len(counts), weights, streams(1, 1)[0], systematic, counts)
    assert (counts.sum(axis=1) == 6).all()
    assert counts[:, 2].sum() == 0
    error = counts.std(axis=0) / np.sqrt(len(counts))
    assert (np.abs(counts.mean(axis=0) - 6 * weights) <= 4 * error).all()
    if systematic:
        assert (np.abs(counts - 6 * weights) < 1).all()
    else:
        pairs = np.bincount(7 * counts[:, 1] + counts[:, 4], minlength=49)
        assert p_value(pairs, np.array([_multinomial(a, b) for a in range(7) for b in range(7)])) > 0.001


def _multinomial(a: int, b: int) -> float:
    """The chance that of 6 draws a fall on a weight of 0.3, and b on one of 0.45."""
    if a + b > 6:
        return 0.0
    ways = factorial(6) / (factorial(a) * factorial(b) * factorial(6 - a - b))
    return float(ways * 0.3**a * 0.45**b * 0.25 ** (6 - a - b))
