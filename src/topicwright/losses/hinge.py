"""The hinge loss: a margin on the right side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .base import Floats, costs, only_known, positive, words
from .draws import inverse_gaussian


@dataclass(frozen=True)
class Hinge:
    """exp(−2c · max(0, ℓ − y · m/N)) for y of −1 or 1 (Polson & Scott 2011; Zhu et al. 2014).

    Given ζ = ℓ − y m/N the auxiliary variable γ is inverse Gaussian with mean 1 / (c |ζ|) and shape 1, and then
    A = c y (1 + c γ ℓ) / N, Q = c² γ / N².

    >>> import numpy as np
    >>> rng, y = np.random.default_rng(0), np.array([[1.0], [-1.0]])
    >>> A, Q = Hinge().linearise(np.zeros((2, 1)), y, np.array([5, 9]), None, rng)
    >>> A.shape, bool(A[0, 0] > 0 > A[1, 0])
    ((2, 1), True)
    """

    cost: float = 1.6
    margin: float = 64.0

    def __post_init__(self) -> None:
        positive("cost", self.cost)
        positive("margin", self.margin)

    def linearise(
        self,
        scores: Floats,
        targets: Floats,
        lengths: NDArray[np.int64],
        weights: Floats | None,
        rng: np.random.Generator,
    ) -> tuple[Floats, Floats]:
        """Draw γ, and return A and Q."""
        n, c = words(lengths), costs(self.cost, weights, scores.shape)
        y = np.nan_to_num(targets)
        with np.errstate(divide="ignore", over="ignore"):
            gamma = inverse_gaussian(1.0 / (c * np.abs(self.margin - y * scores / n)), rng)
        scaled = np.minimum(c * gamma, 1e100)
        return only_known(c * y * (1.0 + scaled * self.margin) / n, c * scaled / n**2, targets, lengths)

    def centre(self, targets: Floats, lengths: NDArray[np.int64]) -> Floats:
        """The margin itself: y ℓ N."""
        return np.nan_to_num(targets) * self.margin * lengths[:, None]
