"""What a loss has to say to the sampler: two functions.

The loss of document d in one task is a function of m / N, where m = Σ_k η_k n_dk. Given auxiliary variables its
pseudo-likelihood is a Gaussian in m, that is, two numbers (Gibbs MedLDA; Zhu, Chen, Perkins & Zhang 2014):

    log pseudo-likelihood  =  A · m  −  Q / 2 · m²  +  const

A loss of one's own needs ``linearise`` and ``centre``, and touches no sampler.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError

Floats = NDArray[np.float64]


class Loss(Protocol):
    """All arrays are of shape (n_docs, n_tasks), but for the lengths; a target of NaN is not known."""

    def linearise(
        self,
        scores: Floats,
        targets: Floats,
        lengths: NDArray[np.int64],
        weights: Floats | None,
        rng: np.random.Generator,
    ) -> tuple[Floats, Floats]:
        """Draw the auxiliary variables given the scores m, and return A and Q; ``weights`` multiply the cost."""

    def centre(self, targets: Floats, lengths: NDArray[np.int64]) -> Floats:
        """About where the loss wants m, free of all topics: the sampler makes its proposals there."""


def positive(name: str, value: Any) -> float:
    """A parameter that must be a positive number."""
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 < float(value) < np.inf:
        raise InputError(f"{name} must be a positive number: got {value!r}")
    return float(value)


def only_known(linear: Floats, quadratic: Floats, targets: Floats, lengths: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Nothing pulls where the target is not known, or where there are no words."""
    known = np.isfinite(targets) & (lengths > 0)[:, None]
    return np.where(known, linear, 0.0), np.where(known, quadratic, 0.0)


def costs(cost: float, weights: Floats | None, shape: tuple[int, ...]) -> Floats:
    """The cost of each document and task; a weight of zero is a cost so small that nothing comes of it."""
    return np.broadcast_to(np.float64(cost), shape) if weights is None else np.maximum(cost * weights, 1e-300)


def words(lengths: NDArray[np.int64]) -> Floats:
    """N as a column, and 1 for documents without words."""
    return np.maximum(lengths, 1).astype(np.float64)[:, None]
