"""Logistic loss, for classification with probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .._utils.validation import check_positive
from .augmentation import polya_gamma
from .base import CLASSIFICATION, DUAL_LOGISTIC, Floats, observed_targets, register_loss

_PREFERRED = 2.0  # |f| at which the right class has a probability of 88 %: more gains little


@register_loss("logistic", CLASSIFICATION)
@dataclass(frozen=True)
class Logistic:
    """Logistic loss, for classification: (1 + exp(−y f))^(−c) with targets y of −1 or +1.

    The likelihood of a logistic regression to the power of c. It gives probabilities.

    Parameters
    ----------
    cost : float
        c: how much an error counts against the words. With 1, the plain likelihood.

    Examples
    --------
    >>> scores, targets, rng = np.zeros((1, 1)), np.array([[-1.0]]), np.random.default_rng(0)
    >>> A, Q = Logistic().linearize(scores, targets, np.array([10]), None, rng)
    >>> A.item(), Q.shape  # A = c y / 2N
    (-0.05, (1, 1))
    >>> Logistic().pseudo_loss(np.array([[0.0]]), np.array([[1.0]])).round(4).item()  # log 2
    0.6931
    """

    dual: ClassVar[int] = DUAL_LOGISTIC

    cost: float = 1.0

    def __post_init__(self) -> None:
        check_positive("cost", self.cost)

    def linearize(
        self, scores: Floats, targets: Floats, lengths: NDArray[Any], weights: Floats | None, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """A and Q given one Pólya-Gamma draw an entry (Polson, Scott & Windle 2013, theorem 1)."""
        c, y, n = observed_targets(self.cost, targets, lengths, weights)
        omega = polya_gamma(c, scores / n, rng)
        return c * y / 2 / n, omega / n**2

    def center(self, targets: Floats, lengths: NDArray[Any]) -> Floats:
        """2 y N: between the infinity that the loss prefers and the 0 of the prior, a probability of 88 %."""
        is_known, y, n = observed_targets(1.0, targets, lengths)
        return is_known * y * _PREFERRED * n

    def pseudo_loss(self, predictions: Floats, targets: Floats) -> Floats:
        """log(1 + exp(−y f))."""
        return np.where(np.isnan(targets), 0.0, np.logaddexp(0.0, -np.nan_to_num(targets) * predictions))

    @staticmethod
    def probability(predictions: Floats) -> Floats:
        """Probability of the target +1: 1 / (1 + exp(−f))."""
        from scipy.special import expit

        return np.asarray(expit(predictions))
