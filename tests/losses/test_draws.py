"""Draws of auxiliary variables, compared with their distributions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special, stats

from topicwright.losses.augmentation import inverse_gaussian, polya_gamma

N_DRAWS = 40_000


def p_value(draws: Any, cdf: Any) -> float:
    return float(stats.kstest(draws, cdf).pvalue)


@pytest.mark.parametrize("mean", [1e-4, 0.05, 1.0, 7.0, 1e3, 1e6])
def test_inverse_gaussian_has_its_distribution(mean: float) -> None:
    draws = inverse_gaussian(np.full(N_DRAWS, 1 / mean), np.random.default_rng(1))
    assert p_value(draws, stats.invgauss(mean).cdf) > 0.001  # SciPy's mu with scale 1 is the mean at shape 1
    assert p_value(draws, stats.invgauss(mean * 1.2).cdf) < 0.001 or mean >= 1e3  # where all are nearly Lévy


@pytest.mark.parametrize("mean", [1e12, 1e160, 1e308, np.inf])
def test_inverse_gaussian_of_a_huge_mean_is_levy(mean: float) -> None:
    assert p_value(inverse_gaussian(np.full(N_DRAWS, 1 / mean), np.random.default_rng(2)), stats.levy.cdf) > 0.001


@pytest.mark.parametrize("mean", [1e-300, 1e-30, 1e-9])
def test_inverse_gaussian_of_a_tiny_mean_stays_at_it(mean: float) -> None:
    draws = inverse_gaussian(np.full(N_DRAWS, 1 / mean), np.random.default_rng(3))
    np.testing.assert_allclose(draws, mean, rtol=6 * np.sqrt(mean) + 1e-12)  # the variance is mean³


@given(st.lists(st.floats(0, 1e300), max_size=5), st.integers(0, 10))
def test_inverse_gaussian_is_finite_and_positive(rates: list[float], seed: int) -> None:
    draws = inverse_gaussian(np.array(rates), np.random.default_rng(seed))
    assert draws.shape == (len(rates),)
    assert np.all(np.isfinite(draws) & (draws > 0))


def polya_gamma_cdf(h: float, z: float) -> Any:
    """By the density of Polson, Scott & Windle (2013, equation 3 tilted by z), summed and integrated on a grid."""
    mean = h / 4 if z == 0 else h / (2 * z) * np.tanh(z / 2)
    x = np.geomspace(mean / 200, mean * 60, 40_001)[:, None]
    n = np.arange(60)
    size = special.gammaln(n + h) - special.gammaln(n + 1) - special.gammaln(h) + np.log(2 * n + h)
    size = size + h * np.log(np.cosh(z / 2)) + (h - 1) * np.log(2) - z**2 * x / 2 - (2 * n + h) ** 2 / (8 * x)
    density = np.sum((-1.0) ** n * np.exp(size), axis=1) / np.sqrt(2 * np.pi * x[:, 0] ** 3)
    cdf = integrate.cumulative_simpson(density, x=x[:, 0], initial=0)
    beyond = np.where(x[:, 0] > mean * 20, 1.0, cdf)  # where the alternating sum has no digits left
    return lambda value: np.interp(value, x[:, 0], beyond)


@pytest.mark.parametrize(
    ("h", "z"), [(0.4, 0.0), (1.0, 0.0), (1.0, 3.0), (1.6, 1.0), (2.5, 0.5), (2.5, 12.0), (1.0, 30.0)]
)
def test_polya_gamma_has_its_distribution(h: float, z: float) -> None:
    draws = polya_gamma(h, np.full(N_DRAWS, z), np.random.default_rng(4))
    assert p_value(draws, polya_gamma_cdf(h, z)) > 0.001
    assert p_value(draws * 1.03, polya_gamma_cdf(h, z)) < 0.001


@pytest.mark.parametrize("h", [0.01, 0.7, 1.0, 2.5, 13.2, 204.8, 1e6])
@pytest.mark.parametrize("z", [0.0, 1e-9, 0.4, 4.0, 19.0, 22.0, 45.0, -300.0])
def test_polya_gamma_has_the_cumulants_of_its_distribution(h: float, z: float) -> None:
    """κ_j = (j − 1)! h Σ_k a_k^j with a_k = 1 / (2π² ((k − 1/2)² + z²/4π²)): sums that share nothing with the draws."""
    a = 1 / (2 * np.pi**2 * ((np.arange(200_000) + 0.5) ** 2 + (z / (2 * np.pi)) ** 2))
    mean, variance = h * a.sum(), h * (a**2).sum()
    mean += h / (2 * np.pi**2 * 200_000)  # the terms that are left out
    fourth = 6 * h * (a**4).sum() + 3 * variance**2  # central moment
    draws = polya_gamma(np.full(N_DRAWS, h), z, np.random.default_rng(5))
    assert abs(draws.mean() - mean) < 4 * np.sqrt(variance / N_DRAWS)
    assert abs(np.mean((draws - mean) ** 2) - variance) < 5 * np.sqrt((fourth - variance**2) / N_DRAWS)


def test_polya_gamma_of_any_size_is_finite() -> None:
    h, z = np.meshgrid([0.0, 1e-300, 1e-9, 1.0, 1e4, 1e9], [0.0, 1e-300, 1.0, 40.0, 1e6, 1e12, 1e150])
    draws = polya_gamma(h, z, np.random.default_rng(6))
    assert np.all(np.isfinite(draws) & (draws >= 0))
    assert np.all(draws[h == 0] == 0)
    assert polya_gamma(1.0, 2.0, np.random.default_rng(7)).shape == ()
