"""The hinge: a class is wanted on its side of a margin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .augmentation import inverse_gaussian
from .base import Floats, check_number, known_entries


@dataclass(frozen=True)
class Hinge:
    """exp(−2c max(0, ℓ − y f)), the loss of Gibbs MedLDA (Zhu, Chen, Perkins & Zhang 2014); targets y are −1 or +1.

    Parameters
    ----------
    cost : float
        c: how much a miss counts beside the texts.
    margin : float
        ℓ: how far on its side a document should be. Large beside the prior of the weights: 64 with nu = 1.

    Examples
    --------
    >>> scores, targets = np.zeros((3, 1)), np.array([[1.0], [-1.0], [np.nan]])
    >>> A, Q = Hinge(cost=1.6).linearise(scores, targets, np.array([10, 20, 30]), None, np.random.default_rng(0))
    >>> np.sign(A).ravel().tolist(), (Q > 0).ravel().tolist()
    ([1.0, -1.0, 0.0], [True, True, False])
    >>> Hinge(margin=2.0).pseudo_loss(np.array([[0.5]]), np.array([[1.0]])).item()
    1.5
    """

    cost: float = 1.6
    margin: float = 64.0

    def __post_init__(self) -> None:
        check_number("cost", self.cost)
        check_number("margin", self.margin)

    def linearise(
        self, scores: Floats, targets: Floats, lengths: NDArray[Any], weights: Floats | None, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """A and Q given one inverse Gaussian draw an entry (Polson & Scott 2011, with γ = 1/λ)."""
        c, y, n = known_entries(self.cost, targets, lengths, weights)
        zeta = self.margin - y * scores / n
        gamma = inverse_gaussian(c * np.abs(zeta), rng)
        return c * y * (1.0 + c * gamma * self.margin) / n, c**2 * gamma / n**2

    def centre(self, targets: Floats, lengths: NDArray[Any]) -> Floats:
        """The margin, on the target's side: y ℓ N."""
        known, y, n = known_entries(1.0, targets, lengths)
        return known * y * self.margin * n

    def pseudo_loss(self, shares_scores: Floats, targets: Floats) -> Floats:
        """max(0, ℓ − y f)."""
        return np.where(np.isnan(targets), 0.0, np.maximum(0.0, self.margin - targets * shares_scores))
