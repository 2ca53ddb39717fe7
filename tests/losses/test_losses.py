"""Losses: each augmentation is verified by a Gibbs chain with a known stationary distribution."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from topicwright.losses import EpsilonInsensitive, Hinge, Logistic, Loss
from topicwright.losses.base import REGRESSION, registered_losses

from ..assertions import raises_input

N, COUNT, NU = 5, 4, 0.5  # a document of 5 tokens, 4 of them in the one topic that has a weight eta ~ N(0, 1/ν)
N_CHAINS, N_STEPS = 10_000, 50

CASES = [
    (Hinge(cost=0.8, margin=1.0), 1.0),
    (Hinge(cost=1.6, margin=3.0), -1.0),
    (Logistic(cost=1.0), 1.0),
    (Logistic(cost=2.5), -1.0),
    (Logistic(cost=20.48), 1.0),
    (EpsilonInsensitive(cost=0.8, epsilon=0.5), 0.7),
    (EpsilonInsensitive(cost=2.0, epsilon=0.0), -1.5),
]
REGISTERED = [entry.cls for entry in registered_losses()]
LOSSES = [*(cls() for cls in REGISTERED), Logistic(cost=204.8)]
FOR_NUMBERS = tuple(entry.cls for entry in registered_losses(REGRESSION))


def chains(loss: Loss, target: float, weight: float | None) -> Any:
    """Draw eta and the auxiliary variables in turn, in many chains at once: a document each. The last eta of each."""
    rng = np.random.default_rng(0)
    targets, lengths = np.full((N_CHAINS, 1), target), np.full(N_CHAINS, N)
    weights = None if weight is None else np.full((N_CHAINS, 1), weight)
    eta = rng.standard_normal((N_CHAINS, 1)) / np.sqrt(NU)
    for _ in range(N_STEPS):
        A, Q = loss.linearize(eta * COUNT, targets, lengths, weights, rng)
        precision = NU + Q * COUNT**2
        eta = COUNT * A / precision + rng.standard_normal(eta.shape) / np.sqrt(precision)
    return eta[:, 0]


def exact_cdf(loss: Any, target: float, cost: float) -> Any:
    """Of the density N(eta; 0, 1/ν) · exp(−2c loss), or exp(−c loss) for the logistic, on a grid."""
    eta = np.linspace(-15, 15, 60_001)
    power = cost if isinstance(loss, Logistic) else 2 * cost
    log_density = -power * loss.pseudo_loss(eta * COUNT / N, np.full(eta.shape, target)) - NU / 2 * eta**2
    density = np.exp(log_density - log_density.max())
    return lambda values: np.interp(values, eta, np.cumsum(density) / density.sum())


@pytest.mark.parametrize("weight", [None, 0.6])
@pytest.mark.parametrize(("loss", "target"), CASES, ids=str)
def test_auxiliary_variables_integrate_to_the_loss(loss: Any, target: float, weight: float | None) -> None:
    draws, cost = chains(loss, target, weight), loss.cost * (1.0 if weight is None else weight)
    assert stats.kstest(draws, exact_cdf(loss, target, cost)).pvalue > 0.001
    assert stats.kstest(draws, exact_cdf(loss, target, 1.25 * cost)).pvalue < 0.001


def test_loss_values() -> None:
    f = np.array([[-2.0, 0.0, 0.5, 3.0]])
    y = np.array([[1.0, -1.0, 1.0, np.nan]])
    np.testing.assert_allclose(Hinge(margin=1.0).pseudo_loss(f, y), [[3.0, 1.0, 0.5, 0.0]])
    np.testing.assert_allclose(EpsilonInsensitive(epsilon=0.25).pseudo_loss(f, y), [[2.75, 0.75, 0.25, 0.0]])
    np.testing.assert_allclose(
        Logistic().pseudo_loss(f, y), [[np.log1p(np.exp(2.0)), np.log(2.0), np.log1p(np.exp(-0.5)), 0.0]]
    )


def test_logistic_loss_of_far_scores_does_not_overflow() -> None:
    assert Logistic().pseudo_loss(np.array([[-1e6]]), np.array([[1.0]])).item() == 1e6


@pytest.mark.parametrize(("loss", "unit"), [(Hinge(margin=3.0), 3.0), (Logistic(), 2.0), (EpsilonInsensitive(), 1.0)])
def test_center_is_independent_of_topics_and_on_the_side_of_the_target(loss: Loss, unit: float) -> None:
    targets = np.array([[1.0, -1.0], [np.nan, 1.0], [1.0, 1.0]])
    expected = unit * np.array([[10.0, -10.0], [0.0, 4.0], [0.0, 0.0]])
    np.testing.assert_array_equal(loss.center(targets, np.array([10, 4, 0])), expected)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_missing_targets_have_no_effect(loss: Loss) -> None:
    targets = np.array([[1.0, np.nan], [1.0, -1.0], [1.0, -1.0]])
    weights = np.array([[1.0, 1.0], [1.0, 1.0], [0.0, 2.0]])
    scores, lengths = np.full((3, 2), 7.0), np.array([3, 0, 5])
    A, Q = loss.linearize(scores, targets, lengths, weights, np.random.default_rng(0))
    expected = [[True, False], [False, False], [False, True]]
    assert (A != 0).tolist() == expected
    assert (Q > 0).tolist() == expected


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_a_weight_multiplies_the_cost(loss: Any) -> None:
    scores, targets, lengths = np.array([[7.0, -3.0]]), np.array([[1.0, -1.0]]), np.array([5])
    weighted = loss.linearize(scores, targets, lengths, np.full((1, 2), 2.5), np.random.default_rng(3))
    dearer = dataclasses.replace(loss, cost=2.5 * loss.cost)
    np.testing.assert_allclose(weighted, dearer.linearize(scores, targets, lengths, None, np.random.default_rng(3)))


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_same_stream_same_draws(loss: Loss) -> None:
    arguments = np.zeros((4, 2)), np.ones((4, 2)), np.full(4, 3), None
    first, second = (loss.linearize(*arguments, np.random.default_rng(9)) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize(
    ("loss", "score", "target"), [(Hinge(margin=2.0), 20.0, 1.0), (EpsilonInsensitive(epsilon=0.5), 15.0, 2.0)], ids=str
)
def test_a_score_on_the_corner_of_the_loss_draws_from_the_limit(loss: Any, score: float, target: float) -> None:
    many = (20_000, 1)
    _, Q = loss.linearize(
        np.full(many, score), np.full(many, target), np.full(many[0], 10), None, np.random.default_rng(0)
    )
    gamma = Q[:, 0] * 100 / loss.cost**2
    if isinstance(loss, Hinge):
        assert stats.kstest(gamma, stats.levy.cdf).pvalue > 0.001
    assert np.all(np.isfinite(gamma))
    assert np.median(gamma) > 1


SHAPE = (3, 2)
SCORES = arrays(np.float64, SHAPE, elements=st.floats(-1e6, 1e6))
LENGTHS = arrays(np.int64, SHAPE[0], elements=st.integers(0, 10**6))
WEIGHTS = st.none() | arrays(np.float64, SHAPE, elements=st.floats(0, 100))
SIGNS = arrays(np.float64, SHAPE, elements=st.sampled_from([-1.0, 1.0, np.nan]))
NUMBERS = arrays(np.float64, SHAPE, elements=st.floats(-1e6, 1e6) | st.just(np.nan))


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@given(data=st.data(), scores=SCORES, lengths=LENGTHS, weights=WEIGHTS, seed=st.integers(0, 100))
def test_numbers_are_finite(loss: Any, data: Any, scores: Any, lengths: Any, weights: Any, seed: int) -> None:
    targets = data.draw(NUMBERS if isinstance(loss, FOR_NUMBERS) else SIGNS)
    A, Q = loss.linearize(scores, targets, lengths, weights, np.random.default_rng(seed))
    assert A.shape == Q.shape == SHAPE
    assert A.dtype == Q.dtype == np.float64
    assert np.all(np.isfinite(A))
    assert np.all(np.isfinite(Q) & (Q >= 0))
    assert np.all(np.isfinite(loss.center(targets, lengths)))
    assert np.all(np.isfinite(loss.pseudo_loss(scores, targets)))


@pytest.mark.parametrize("kind", REGISTERED)
@pytest.mark.parametrize("cost", [0, -1.0, np.nan, np.inf, "1", None, True])
def test_cost_is_checked(kind: Any, cost: Any) -> None:
    with raises_input("cost", expected="a positive number"):
        kind(cost=cost)


def test_other_parameters_are_checked() -> None:
    with raises_input("margin", got=0):
        Hinge(margin=0)
    with raises_input("epsilon", got=-0.1):
        EpsilonInsensitive(epsilon=-0.1)
    assert Hinge(cost=np.float32(2), margin=np.int64(3)).margin == 3
