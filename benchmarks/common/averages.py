"""Figures drawn from many measurements: medians, means with errors, ratios, and points of curves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean, median, stdev

import numpy as np


def median_or_none(values: Iterable[float | None]) -> float | None:
    """The median of the values that are not None, if any.

    >>> median_or_none([3.0, None, 1.0])
    2.0
    """
    known = [value for value in values if value is not None]
    return median(known) if known else None


class TimedSweeps:
    """A row of a table with the CPU seconds of sweeps."""

    seconds: list[list[float]]  # run by run

    @property
    def median(self) -> float:
        """Of all sweeps of all runs."""
        return median(second for run in self.seconds for second in run)

    def ratio(self, base: TimedSweeps) -> float | None:
        """Time relative to the base: the median of the ratios in each round."""
        return median_or_none(ratios(self.seconds, base.seconds))


def mean_and_error(values: Iterable[float | None]) -> tuple[float | None, float | None]:
    """The mean over runs, and its standard error where there are several.

    >>> mean_and_error([1.0, 3.0])
    (2.0, 1.0)
    """
    known = [value for value in values if value is not None]
    error = stdev(known) / len(known) ** 0.5 if len(known) > 1 else None
    return (fmean(known) if known else None), error


def ratios(over: Sequence[Sequence[float]], under: Sequence[Sequence[float]], late: bool = False) -> list[float]:
    """Round by round, over all runs; late: in the last half of each run only.

    >>> ratios([[1.0, 3.0]], [[1.0, 2.0]], late=True)
    [1.5]
    """
    return [
        a / max(b, 1e-9)
        for first, second in zip(over, under)
        for a, b in list(zip(first, second))[len(first) // 2 if late else 0 :]
    ]


def value_at(seconds: Sequence[float], values: Sequence[float], when: float) -> float | None:
    """A curve's value then, between two points on a line; None before the first and after the last.

    >>> value_at([1.0, 3.0], [10.0, 20.0], 2.0), value_at([1.0, 3.0], [10.0, 20.0], 4.0)
    (15.0, None)
    """
    if not seconds or not seconds[0] <= when <= seconds[-1]:
        return None
    return float(np.interp(when, seconds, values))


def when_reached(seconds: Sequence[float], values: Sequence[float], level: float) -> float | None:
    """Seconds after which a curve was that high for the first time, as seen at a point.

    >>> when_reached([1.0, 2.0, 4.0], [5.0, 7.0, 6.0], 6.0)
    2.0
    """
    return next((second for second, value in zip(seconds, values) if value >= level), None)
