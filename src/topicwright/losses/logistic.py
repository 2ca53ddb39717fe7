"""The logistic loss: classes with probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .augmentation import polya_gamma
from .base import Floats, check_number, known_entries

_WANTED = 2.0  # |f| at which the right class has a probability of 88 %: more gains little


@dataclass(frozen=True)
class Logistic:
    """(1 + exp(−y f))^(−c), the likelihood of a logistic regression to the power of c; targets y are −1 or +1.

    Parameters
    ----------
    cost : float
        c: how much a document's class counts beside its text. With 1, the plain likelihood.

    Examples
    --------
    >>> scores, targets, rng = np.zeros((1, 1)), np.array([[-1.0]]), np.random.default_rng(0)
    >>> A, Q = Logistic().linearise(scores, targets, np.array([10]), None, rng)
    >>> A.item(), Q.shape  # A = c y / 2N
    (-0.05, (1, 1))
    >>> Logistic().pseudo_loss(np.array([[0.0]]), np.array([[1.0]])).round(4).item()  # log 2
    0.6931
    """

    cost: float = 1.0

    def __post_init__(self) -> None:
        check_number("cost", self.cost)

    def linearise(
        self, scores: Floats, targets: Floats, lengths: NDArray[Any], weights: Floats | None, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """A and Q given one Pólya-Gamma draw an entry (Polson, Scott & Windle 2013, theorem 1)."""
        c, y, n = known_entries(self.cost, targets, lengths, weights)
        omega = polya_gamma(c, scores / n, rng)
        return c * y / 2 / n, omega / n**2

    def centre(self, targets: Floats, lengths: NDArray[Any]) -> Floats:
        """2 y N. The loss itself wants infinity, the prior 0; between them, a probability of 88 % for the target."""
        known, y, n = known_entries(1.0, targets, lengths)
        return known * y * _WANTED * n

    def pseudo_loss(self, shares_scores: Floats, targets: Floats) -> Floats:
        """log(1 + exp(−y f))."""
        return np.where(np.isnan(targets), 0.0, np.logaddexp(0.0, -np.nan_to_num(targets) * shares_scores))
