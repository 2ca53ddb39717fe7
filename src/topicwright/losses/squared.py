"""Squared loss, for regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .._utils.validation import check_positive
from .base import DUAL_SQUARED, REGRESSION, Floats, observed_targets, register_loss


@register_loss("squared", REGRESSION)
@dataclass(frozen=True)
class SquaredLoss:
    """Half squared error, for regression: exp(−c (y − f)² / 2), the likelihood of a Gaussian with precision c.

    Parameters
    ----------
    cost : float
        c: how much an error counts against the words.

    Examples
    --------
    >>> scores, targets, rng = np.zeros((2, 1)), np.array([[3.5], [np.nan]]), np.random.default_rng(0)
    >>> A, Q = SquaredLoss(cost=2.0).linearize(scores, targets, np.array([10, 10]), None, rng)
    >>> A.ravel().tolist(), Q.ravel().tolist()  # c y / N and c / N²
    ([0.7, 0.0], [0.02, 0.0])
    >>> SquaredLoss().pseudo_loss(np.array([[1.0]]), np.array([[3.0]])).item()
    2.0
    """

    dual: ClassVar[int] = DUAL_SQUARED

    cost: float = 1.0

    def __post_init__(self) -> None:
        check_positive("cost", self.cost)

    def linearize(
        self, scores: Floats, targets: Floats, lengths: NDArray[Any], weights: Floats | None, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """A = c y / N and Q = c / N²: the loss is Gaussian as it is, without auxiliary variables."""
        c, y, n = observed_targets(self.cost, targets, lengths, weights)
        return c * y / n, c / n**2

    def center(self, targets: Floats, lengths: NDArray[Any]) -> Floats:
        """The target itself: y N."""
        is_known, y, n = observed_targets(1.0, targets, lengths)
        return is_known * y * n

    def pseudo_loss(self, predictions: Floats, targets: Floats) -> Floats:
        """(y − f)² / 2."""
        return np.where(np.isnan(targets), 0.0, (targets - predictions) ** 2 / 2)
