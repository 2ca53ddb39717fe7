"""The ε-insensitive loss: numbers, with misses up to ε free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .augmentation import inverse_gaussian
from .base import Floats, check_number, known_entries


@dataclass(frozen=True)
class EpsilonInsensitive:
    """exp(−2c max(0, |y − f| − ε)), support vector regression's (Zhu, Chen, Perkins & Zhang 2014); y is any number.

    Parameters
    ----------
    cost : float
        c: how much a miss counts beside the texts.
    epsilon : float
        ε: how far f may be from y at no cost, in the unit of y. With 0, the absolute error.

    Examples
    --------
    >>> scores, targets, rng = np.zeros((2, 1)), np.array([[3.5], [np.nan]]), np.random.default_rng(0)
    >>> A, Q = EpsilonInsensitive().linearise(scores, targets, np.array([10, 10]), None, rng)
    >>> (A != 0).ravel().tolist(), (Q > 0).ravel().tolist()
    ([True, False], [True, False])
    >>> EpsilonInsensitive(epsilon=0.25).pseudo_loss(np.array([[1.0]]), np.array([[3.0]])).item()
    1.75
    """

    cost: float = 1.6
    epsilon: float = 1e-3

    def __post_init__(self) -> None:
        check_number("cost", self.cost)
        check_number("epsilon", self.epsilon, zero=True)

    def linearise(
        self, scores: Floats, targets: Floats, lengths: NDArray[Any], weights: Floats | None, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """A and Q given two inverse Gaussian draws an entry: a hinge from either side, whose linear parts cancel."""
        c, y, n = known_entries(self.cost, targets, lengths, weights)
        low, high = y - self.epsilon, y + self.epsilon
        gamma = inverse_gaussian(c * np.abs(low - scores / n), rng)
        delta = inverse_gaussian(c * np.abs(high - scores / n), rng)
        return c**2 * (low * gamma + high * delta) / n, c**2 * (gamma + delta) / n**2

    def centre(self, targets: Floats, lengths: NDArray[Any]) -> Floats:
        """The target itself: y N."""
        known, y, n = known_entries(1.0, targets, lengths)
        return known * y * n

    def pseudo_loss(self, shares_scores: Floats, targets: Floats) -> Floats:
        """max(0, |y − f| − ε)."""
        return np.where(np.isnan(targets), 0.0, np.maximum(0.0, np.abs(targets - shares_scores) - self.epsilon))
