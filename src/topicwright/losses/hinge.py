"""Hinge loss, for classification."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .._utils.numba import jit
from .._utils.validation import check_positive
from .augmentation import root_of_normal
from .base import CLASSIFICATION, DUAL_SQUARED_HINGE, Floats, observed_targets, register_loss


@register_loss("hinge", CLASSIFICATION)
@dataclass(frozen=True)
class Hinge:
    """Hinge loss, for classification: exp(−2c max(0, ℓ − y f)) with targets y of −1 or +1.

    The loss of Gibbs MedLDA (Zhu, Chen, Perkins & Zhang 2014).

    Parameters
    ----------
    cost : float
        c: how much an error counts against the words.
    margin : float
        ℓ: score that a document should reach on the side of its class. Large relative to the prior of the weights: 64
        with nu = 1.

    Examples
    --------
    >>> scores, targets = np.zeros((3, 1)), np.array([[1.0], [-1.0], [np.nan]])
    >>> A, Q = Hinge(cost=1.6).linearize(scores, targets, np.array([10, 20, 30]), None, np.random.default_rng(0))
    >>> np.sign(A).ravel().tolist(), (Q > 0).ravel().tolist()
    ([1.0, -1.0, 0.0], [True, True, False])
    >>> Hinge(margin=2.0).pseudo_loss(np.array([[0.5]]), np.array([[1.0]])).item()
    1.5
    """

    dual: ClassVar[int] = DUAL_SQUARED_HINGE  # its square, which is smooth and as accurate

    cost: float = 1.6
    margin: float = 64.0

    def __post_init__(self) -> None:
        check_positive("cost", self.cost)
        check_positive("margin", self.margin)

    def linearize(
        self, scores: Floats, targets: Floats, lengths: NDArray[Any], weights: Floats | None, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """A and Q given one inverse Gaussian draw an entry (Polson & Scott 2011, with γ = 1/λ)."""
        linear, quadratic = rng.standard_normal(scores.shape), rng.random(scores.shape)
        _linearize(scores, targets, np.asarray(lengths), weights, self.cost, self.margin, linear, quadratic)
        return linear, quadratic

    def center(self, targets: Floats, lengths: NDArray[Any]) -> Floats:
        """The margin, on the target's side: y ℓ N."""
        is_known, y, n = observed_targets(1.0, targets, lengths)
        return is_known * y * self.margin * n

    def pseudo_loss(self, predictions: Floats, targets: Floats) -> Floats:
        """max(0, ℓ − y f)."""
        return np.where(np.isnan(targets), 0.0, np.maximum(0.0, self.margin - targets * predictions))


@jit
def _linearize(
    scores: Any, targets: Any, lengths: Any, weights: Any, cost: Any, margin: Any, linear: Any, quadratic: Any
) -> None:
    """Replace Normal and uniform draws by A = c y (1 + c γ ℓ) / N and Q = c² γ / N²."""
    for d in range(scores.shape[0]):
        n = max(1.0, float(lengths[d]))
        for task in range(scores.shape[1]):
            y = targets[d, task]
            c = cost if weights is None else cost * weights[d, task]
            if lengths[d] == 0 or np.isnan(y):
                c, y = 0.0, 0.0
            zeta = margin - y * scores[d, task] / n
            gamma = root_of_normal(c * abs(zeta), linear[d, task], quadratic[d, task])
            linear[d, task] = c * y * (1.0 + c * gamma * margin) / n
            quadratic[d, task] = c * gamma * (c / n**2)
