"""The ε-insensitive loss of regression."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .base import Floats, costs, only_known, positive, words
from .draws import inverse_gaussian


@dataclass(frozen=True)
class EpsilonInsensitive:
    """exp(−2c · max(0, |y − m/N| − ε)) for any number y: two hinges back to back (Zhu et al. 2014).

    Given Δ = y − m/N, γ and δ are inverse Gaussian with means 1 / (c |Δ − ε|) and 1 / (c |Δ + ε|) and shape 1, and then
    A = c² ((y − ε) γ + (y + ε) δ) / N, Q = c² (γ + δ) / N².

    >>> import numpy as np
    >>> rng, y = np.random.default_rng(0), np.array([[2.0]])
    >>> A, Q = EpsilonInsensitive().linearise(np.zeros((1, 1)), y, np.array([4]), None, rng)
    >>> bool(A[0, 0] > 0 and Q[0, 0] > 0)
    True
    """

    cost: float = 1.6
    epsilon: float = 1e-3

    def __post_init__(self) -> None:
        positive("cost", self.cost)
        positive("epsilon", self.epsilon)

    def linearise(
        self,
        scores: Floats,
        targets: Floats,
        lengths: NDArray[np.int64],
        weights: Floats | None,
        rng: np.random.Generator,
    ) -> tuple[Floats, Floats]:
        """Draw γ and δ, and return A and Q."""
        n, c = words(lengths), costs(self.cost, weights, scores.shape)
        y, eps = np.nan_to_num(targets), self.epsilon
        miss = y - scores / n
        with np.errstate(divide="ignore", over="ignore"):
            below = np.minimum(c * inverse_gaussian(1.0 / (c * np.abs(miss - eps)), rng), 1e100)
            above = np.minimum(c * inverse_gaussian(1.0 / (c * np.abs(miss + eps)), rng), 1e100)
        linear = c * ((y - eps) * below + (y + eps) * above) / n
        return only_known(linear, c * (below + above) / n**2, targets, lengths)

    def centre(self, targets: Floats, lengths: NDArray[np.int64]) -> Floats:
        """The target itself: y N."""
        return np.nan_to_num(targets) * lengths[:, None]
