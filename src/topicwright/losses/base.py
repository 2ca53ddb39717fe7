"""What a loss is: three methods. A class that has them can be given wherever the library's own can."""

from __future__ import annotations

from math import isfinite
from numbers import Real
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError

Floats = NDArray[np.float64]


class Loss(Protocol):
    """A pseudo-likelihood of targets that is Gaussian in the scores once auxiliary variables are drawn.

    Scores are m = Σ_k eta_k n_dk, of shape (n_docs, n_tasks): sums over tokens. What a loss judges is f = m / N_d.
    """

    def linearise(
        self, scores: Floats, targets: Floats, lengths: NDArray[Any], weights: Floats | None, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """Draw the auxiliary variables given the scores; return A, Q: log pseudo-likelihood = A·m − Q/2·m² + const.

        Targets have the scores' shape: −1 or +1 where classes are told apart, any number in regression, NaN where
        nothing is known. ``lengths`` (n_docs,) are numbers of tokens; ``weights``, of the scores' shape, multiply the
        cost. Both A and Q are 0 where the target is NaN, the document empty, or the weight 0.
        """
        ...

    def centre(self, targets: Floats, lengths: NDArray[Any]) -> Floats:
        """About where the loss wants m, from the targets alone: a proposal that looks at topics would not be exact."""
        ...

    def pseudo_loss(self, shares_scores: Floats, targets: Floats) -> Floats:
        """The loss itself at f = m / N; 0 where the target is NaN."""
        ...


class ObservedTargets(NamedTuple):
    """What :func:`known_entries` gives: arrays without NaN and without a length of 0."""

    cost: Floats
    targets: Floats
    lengths: Floats


def known_entries(
    cost: float, targets: Floats, lengths: NDArray[Any], weights: Floats | None = None
) -> ObservedTargets:
    """The cost of each entry, 0 where there is nothing to learn from; targets and lengths that are harmless there.

    >>> known_entries(2.0, np.array([[1.0, np.nan], [1.0, -1.0]]), np.array([5, 0])).cost.tolist()
    [[2.0, 0.0], [0.0, 0.0]]
    """
    column = np.asarray(lengths, np.float64)[:, None]
    known = ~np.isnan(targets) & (column > 0)
    costs = np.where(known, cost if weights is None else cost * weights, 0.0)
    return ObservedTargets(costs, np.where(known, targets, 0.0), np.maximum(column, 1.0))


def check_number(name: str, value: Any, *, zero: bool = False) -> None:
    """Raise an InputError unless the value is finite and positive, or, where ``zero`` may be, not negative."""
    fits = isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
    if not fits or value < 0 or (value == 0 and not zero):
        expected = "a number of at least 0" if zero else "a positive number"
        raise InputError(f"{name} must be {expected}: got {value!r}")
