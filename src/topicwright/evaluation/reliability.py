"""Reliability of probabilities: how often what they predict is true."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._utils.validation import check_integer
from ..errors import InputError


class Reliability(NamedTuple):
    """Predictions in bins of similar probability, without empty bins."""

    probability: NDArray[np.float64]  # mean of a bin
    frequency: NDArray[np.float64]  # share of its predictions that are true
    counts: NDArray[np.int64]

    @property
    def expected_error(self) -> float:
        """Expected calibration error: mean difference between probability and frequency, weighted by ``counts``."""
        return float(np.average(np.abs(self.probability - self.frequency), weights=self.counts))


def reliability(probabilities: ArrayLike, outcomes: ArrayLike, n_bins: int = 10) -> Reliability:
    """Compare probabilities with frequencies in bins of equal width.

    Parameters
    ----------
    probabilities : array of shape (n,)
        Predicted probabilities.
    outcomes : array of shape (n,)
        Whether what was predicted is true.
    n_bins : int
        Number of bins from 0 to 1.

    Returns
    -------
    Reliability
        Mean probability, frequency and number of predictions of each bin that has some.

    Examples
    --------
    >>> bins = reliability([0.9, 0.8, 0.1, 0.2], [True, False, False, False], n_bins=2)
    >>> bins.probability.round(2).tolist(), bins.frequency.tolist(), bins.counts.tolist()
    ([0.15, 0.85], [0.0, 0.5], [2, 2])
    >>> round(bins.expected_error, 2)
    0.25
    """
    check_integer("n_bins", n_bins, 1)
    p, is_true = np.asarray(probabilities, np.float64).ravel(), np.asarray(outcomes, bool).ravel()
    if len(p) != len(is_true) or len(p) == 0:
        raise InputError(
            parameter="outcomes", expected=f"one entry per probability, of which there are {len(p):,}", got=len(is_true)
        )
    if not ((p >= 0) & (p <= 1)).all():
        wrong: Any = p[~((p >= 0) & (p <= 1))][0]
        raise InputError(parameter="probabilities", expected="numbers from 0 to 1", got=float(wrong))
    bins = np.minimum((p * n_bins).astype(np.int64), n_bins - 1)
    counts = np.bincount(bins, minlength=n_bins)
    used = counts > 0
    probability, frequency = (np.bincount(bins, values, n_bins)[used] / counts[used] for values in (p, is_true * 1.0))
    return Reliability(probability, frequency, counts[used])
