"""The logistic loss, by Pólya-Gamma variables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .base import Floats, costs, only_known, positive, words
from .draws import polya_gamma

_SMALLEST = 1e-6  # a cost below this is none


@dataclass(frozen=True)
class Logistic:
    """(e^f if y = 1, else 1)^c / (1 + e^f)^c with f = m/N, for y of −1 or 1 (Polson, Scott & Windle 2013).

    The auxiliary variable ω is Pólya-Gamma(c, m/N), and then A = c y / (2 N), Q = ω / N².

    >>> import numpy as np
    >>> A, Q = Logistic(2.0).linearise(np.zeros((1, 1)), np.ones((1, 1)), np.array([4]), None, np.random.default_rng(0))
    >>> A.tolist()
    [[0.25]]
    """

    cost: float = 1.0

    def __post_init__(self) -> None:
        positive("cost", self.cost)

    def linearise(
        self,
        scores: Floats,
        targets: Floats,
        lengths: NDArray[np.int64],
        weights: Floats | None,
        rng: np.random.Generator,
    ) -> tuple[Floats, Floats]:
        """Draw ω, and return A and Q."""
        n, c = words(lengths), costs(self.cost, weights, scores.shape)
        omega = np.where(c > _SMALLEST, polya_gamma(np.maximum(c, _SMALLEST), scores / n, rng), 0.0)
        return only_known(c * np.nan_to_num(targets) / (2.0 * n), omega / n**2, targets, lengths)

    def centre(self, targets: Floats, lengths: NDArray[np.int64]) -> Floats:
        """A clear yes or no, odds of about 50 to 1: f = 4 y."""
        return 4.0 * np.nan_to_num(targets) * lengths[:, None]
