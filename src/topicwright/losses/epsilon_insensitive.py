"""ε-insensitive loss, for regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .._utils.validation import check_non_negative, check_positive
from .augmentation import inverse_gaussian
from .base import DUAL_EPSILON_INSENSITIVE, REGRESSION, Floats, observed_targets, register_loss


@register_loss("epsilon_insensitive", REGRESSION)
@dataclass(frozen=True)
class EpsilonInsensitive:
    """ε-insensitive loss, for regression: exp(−2c max(0, |y − f| − ε)).

    The loss of support vector regression (Zhu, Chen, Perkins & Zhang 2014).

    Parameters
    ----------
    cost : float
        c: how much an error counts against the words.
    epsilon : float
        ε: errors up to this cost nothing, in the unit of y. With 0, the absolute error.

    Examples
    --------
    >>> scores, targets, rng = np.zeros((2, 1)), np.array([[3.5], [np.nan]]), np.random.default_rng(0)
    >>> A, Q = EpsilonInsensitive().linearize(scores, targets, np.array([10, 10]), None, rng)
    >>> (A != 0).ravel().tolist(), (Q > 0).ravel().tolist()
    ([True, False], [True, False])
    >>> EpsilonInsensitive(epsilon=0.25).pseudo_loss(np.array([[1.0]]), np.array([[3.0]])).item()
    1.75
    """

    dual: ClassVar[int] = DUAL_EPSILON_INSENSITIVE

    cost: float = 1.6
    epsilon: float = 1e-3

    def __post_init__(self) -> None:
        check_positive("cost", self.cost)
        check_non_negative("epsilon", self.epsilon)

    def linearize(
        self, scores: Floats, targets: Floats, lengths: NDArray[Any], weights: Floats | None, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """A and Q given two inverse Gaussian draws an entry: a hinge from either side, whose linear parts cancel."""
        c, y, n = observed_targets(self.cost, targets, lengths, weights)
        low, high = y - self.epsilon, y + self.epsilon
        gamma = inverse_gaussian(c * np.abs(low - scores / n), rng)
        delta = inverse_gaussian(c * np.abs(high - scores / n), rng)
        return c**2 * (low * gamma + high * delta) / n, c**2 * (gamma + delta) / n**2

    def center(self, targets: Floats, lengths: NDArray[Any]) -> Floats:
        """The target itself: y N."""
        is_known, y, n = observed_targets(1.0, targets, lengths)
        return is_known * y * n

    def pseudo_loss(self, predictions: Floats, targets: Floats) -> Floats:
        """max(0, |y − f| − ε)."""
        return np.where(np.isnan(targets), 0.0, np.maximum(0.0, np.abs(targets - predictions) - self.epsilon))
