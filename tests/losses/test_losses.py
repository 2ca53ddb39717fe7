"""Each loss, shown right: with its auxiliary variables drawn and summed out, the weights follow the loss itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from topicwright.errors import InputError
from topicwright.losses import EpsilonInsensitive, Hinge, Logistic
from topicwright.losses.draws import inverse_gaussian, polya_gamma

N = 4  # words of the only document, all in the only topic: m = 4 η, and the loss is of η


def log_hinge(f: Any, y: float, c: float, margin: float) -> Any:
    return -2 * c * np.maximum(0, margin - y * f)


def log_logistic(f: Any, y: float, c: float) -> Any:
    return c * ((y + 1) / 2 * f - np.logaddexp(0, f))


def log_insensitive(f: Any, y: float, c: float, eps: float) -> Any:
    return -2 * c * np.maximum(0, np.abs(y - f) - eps)


CASES: dict[str, tuple[Any, float, float, Any]] = {
    "hinge": (Hinge(0.7, 1.5), 1.0, 1.0, lambda f, y, c: log_hinge(f, y, 0.7 * c, 1.5)),
    "hinge, the other side": (Hinge(0.7, 1.5), -1.0, 1.0, lambda f, y, c: log_hinge(f, y, 0.7 * c, 1.5)),
    "hinge, half the weight": (Hinge(0.7, 1.5), 1.0, 0.5, lambda f, y, c: log_hinge(f, y, 0.7 * c, 1.5)),
    "logistic": (Logistic(3.3), 1.0, 1.0, lambda f, y, c: log_logistic(f, y, 3.3 * c)),
    "logistic, the other side": (Logistic(0.6), -1.0, 1.0, lambda f, y, c: log_logistic(f, y, 0.6 * c)),
    "logistic, a large cost": (Logistic(204.8), 1.0, 0.1, lambda f, y, c: log_logistic(f, y, 204.8 * c)),
    "insensitive": (EpsilonInsensitive(1.1, 0.4), 0.8, 1.0, lambda f, y, c: log_insensitive(f, y, 1.1 * c, 0.4)),
    "insensitive, twice the weight": (
        EpsilonInsensitive(0.5, 0.2),
        -1.3,
        2.0,
        lambda f, y, c: log_insensitive(f, y, 0.5 * c, 0.2),
    ),
}


def chain(loss: Any, y: float, weight: float, n: int = 2000, thin: int = 40) -> np.ndarray:
    """Many chains side by side, one a document: η | auxiliary, auxiliary | η; the last η of each, a few times."""
    rng = np.random.default_rng(0)
    eta, lengths = np.zeros(n), np.full(n, N)
    targets, weights = np.full((n, 1), y), np.full((n, 1), weight)
    kept = []
    for sweep in range(5 * thin):
        A, Q = loss.linearise(N * eta[:, None], targets, lengths, weights, rng)
        precision = 1.0 + Q[:, 0] * N * N
        eta = N * A[:, 0] / precision + rng.standard_normal(n) / np.sqrt(precision)
        if sweep % thin == thin - 1:
            kept.append(eta)
    return np.concatenate(kept)


def p_value(draws: np.ndarray, log_density: Any) -> float:
    grid = np.linspace(-12, 12, 40_001)
    density = np.exp(log_density(grid) - grid**2 / 2 - np.max(log_density(grid) - grid**2 / 2))
    cdf = np.cumsum(density) / density.sum()
    return float(stats.kstest(draws, lambda x: np.interp(x, grid, cdf)).pvalue)


@pytest.mark.parametrize("name", CASES)
def test_the_auxiliary_variables_sum_out_to_the_loss(name: str) -> None:
    loss, y, weight, log_likelihood = CASES[name]
    draws = chain(loss, y, weight)
    assert p_value(draws, lambda f: log_likelihood(f, y, weight)) > 0.001
    assert p_value(draws, lambda f: log_likelihood(f, y, 1.5 * weight)) < 1e-6


@pytest.mark.parametrize("mean", [1e-3, 0.3, 4.0, 300.0])
def test_inverse_gaussian_numbers(mean: float) -> None:
    draws = inverse_gaussian(np.full(20_000, mean), np.random.default_rng(1))
    assert stats.kstest(draws, stats.invgauss(mean).cdf).pvalue > 0.001


def test_inverse_gaussian_numbers_without_a_mean_are_those_of_levy() -> None:
    draws = inverse_gaussian(np.full(20_000, np.inf), np.random.default_rng(1))
    assert stats.kstest(draws, stats.levy.cdf).pvalue > 0.001


@pytest.mark.parametrize("shape", [0.05, 0.6, 1.0, 3.3, 20.48, 204.8])
@pytest.mark.parametrize("tilt", [0.0, 0.5, 5.0, 11.9, 12.1, 1e4])
def test_polya_gamma_numbers(shape: float, tilt: float) -> None:
    """Their Laplace transform is (cosh(z/2) / cosh(√(z²/4 + t/2)))^h: at two points, within four standard errors."""
    draws = polya_gamma(np.full(100_000, shape), np.full(100_000, -tilt), np.random.default_rng(2))
    mean = shape / 4 if tilt == 0 else shape * np.tanh(tilt / 2) / (2 * tilt)
    for t in (1.0 / mean, 5.0 / mean):
        root = np.sqrt(tilt**2 / 4 + t / 2)
        log_ratio = tilt / 2 - root + np.log1p(np.exp(-tilt)) - np.log1p(np.exp(-2 * root))
        values = np.exp(-t * draws)
        assert abs(values.mean() - np.exp(shape * log_ratio)) < 4 * values.std() / np.sqrt(len(draws))


LOSSES = [Hinge(), Logistic(), Logistic(204.8), EpsilonInsensitive()]
NUMBERS = arrays(np.float64, (3, 2), elements=st.floats(-1e6, 1e6))


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@given(
    scores=NUMBERS,
    targets=NUMBERS,
    lengths=arrays(np.int64, 3, elements=st.integers(0, 10**6)),
    weights=arrays(np.float64, (3, 2), elements=st.floats(0, 100)),
)
def test_numbers_stay_finite(loss: Any, scores: Any, targets: Any, lengths: Any, weights: Any) -> None:
    if not isinstance(loss, EpsilonInsensitive):
        targets = np.where(targets > 0, 1.0, -1.0)
    A, Q = loss.linearise(scores, targets, lengths, weights, np.random.default_rng(0))
    assert np.isfinite(A).all()
    assert np.isfinite(Q).all()
    assert (Q >= 0).all()
    assert np.isfinite(loss.centre(targets, lengths)).all()


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_nothing_pulls_where_nothing_is_known(loss: Any) -> None:
    targets = np.array([[1.0, np.nan], [1.0, -1.0]])
    A, Q = loss.linearise(np.zeros((2, 2)), targets, np.array([3, 0]), None, np.random.default_rng(0))
    assert (A != 0).tolist() == [[True, False], [False, False]]
    assert (Q != 0).tolist() == [[True, False], [False, False]]
    assert loss.centre(targets, np.array([3, 0]))[0, 1] == 0


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [(Hinge, {"cost": 0}), (Hinge, {"margin": -1}), (Logistic, {"cost": np.nan}), (EpsilonInsensitive, {"epsilon": 0})],
)
def test_parameters_are_positive(kind: Any, parameters: dict[str, float]) -> None:
    with pytest.raises(InputError, match="must be a positive number: got"):
        kind(**parameters)
