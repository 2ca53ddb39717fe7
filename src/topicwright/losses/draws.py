"""Draws that NumPy has not, or not in the range that is needed here."""

from __future__ import annotations

import numpy as np

from .base import Floats

_FAR = 1e150
_TERMS = 10
_TILTED = 12.0


def inverse_gaussian(mean: Floats, rng: np.random.Generator) -> Floats:
    """Inverse Gaussian numbers with shape 1, also for means that are very large.

    The method of Michael, Schucany & Haas (1976) picks one of the two roots of a quadratic equation; the smaller one is
    written so that nothing cancels. As the mean grows they become 1 / χ² numbers.

    >>> rng = np.random.default_rng(0)
    >>> bool(abs(inverse_gaussian(np.full(100_000, 0.5), rng).mean() - 0.5) < 0.01)
    True
    """
    mean = np.minimum(mean, _FAR)
    squares = rng.standard_normal(mean.shape) ** 2
    spread = mean * squares
    smaller = mean / (1.0 + spread / 2.0 + np.sqrt(spread) * np.sqrt(1.0 + spread / 4.0))
    is_smaller = rng.random(mean.shape) * (mean + smaller) <= mean
    return np.asarray(np.where(is_smaller, smaller, mean * (mean / smaller)))


def polya_gamma(shape: Floats, tilt: Floats, rng: np.random.Generator) -> Floats:
    """Pólya-Gamma(h, z) numbers for any real h > 0 (Polson, Scott & Windle 2013).

    They are (1/2π²) Σ_k g_k / ((k − ½)² + z²/4π²) with g_k from Gamma(h). The first ten terms are drawn as they are,
    and the rest, at most 0.3 % of the variance, as one Gamma number with the rest's own mean and variance. Beyond
    z = 12 they are inverse Gaussian with mean h/2z and shape h²/4, to within e⁻ᶻ: then cosh(z/2) is e^(z/2) / 2 in the
    Laplace transform.

    >>> rng = np.random.default_rng(0)
    >>> bool(abs(polya_gamma(np.full(100_000, 204.8), np.zeros(100_000), rng).mean() - 204.8 / 4) < 0.05)
    True
    """
    tilt = np.abs(tilt)
    is_near = tilt <= _TILTED
    near = _by_terms(shape, np.minimum(tilt, _TILTED), rng)
    level = shape * shape / 4.0
    far = level * inverse_gaussian(shape / (2.0 * np.maximum(tilt, _TILTED)) / level, rng)
    return np.asarray(np.where(is_near, near, far))


def _by_terms(shape: Floats, tilt: Floats, rng: np.random.Generator) -> Floats:
    total, mean, variance = np.zeros(shape.shape), *_moments(shape, tilt)
    for k in range(_TERMS):
        part = 1.0 / (2.0 * np.pi**2 * ((k + 0.5) ** 2 + (tilt / (2.0 * np.pi)) ** 2))
        total += part * rng.standard_gamma(shape)
        mean = mean - part * shape
        variance = variance - part * part * shape
    return total + rng.standard_gamma(mean * mean / variance) * variance / mean


def _moments(shape: Floats, tilt: Floats) -> tuple[Floats, Floats]:
    """The mean and variance of Pólya-Gamma numbers."""
    z = np.maximum(tilt, 1e-2)
    half = np.tanh(z / 2.0)
    small = tilt < 1e-2
    mean = np.where(small, 0.25 - tilt**2 / 48.0, half / (2.0 * z))
    variance = np.where(small, (1.0 - tilt**2 / 5.0) / 24.0, (2.0 * half - z * (1.0 - half * half)) / (4.0 * z**3))
    return shape * mean, shape * variance
