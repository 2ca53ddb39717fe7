"""Dates cut into periods: days, weeks, months, quarters, years, decades or centuries."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..corpus.dates import Dates

Ints = NDArray[np.int64]
MOST, FEWEST = 60, 8  # periods that a chart is to have


class Unit(NamedTuple):
    """A length of periods: how they are numbered, where each begins, and what it is called."""

    name: str
    number: Callable[[Dates], Ints]
    start: Callable[[int], np.datetime64]
    title: Callable[[np.datetime64], str]


def _months(name: str, length: int, title: Callable[[np.datetime64], str]) -> Unit:
    return Unit(
        name,
        lambda dates: dates.astype("datetime64[M]").astype(np.int64) // length,
        lambda number: np.datetime64(number * length, "M").astype("datetime64[D]"),
        title,
    )


def _years(name: str, length: int) -> Unit:
    return Unit(
        name,
        lambda dates: (dates.astype("datetime64[Y]").astype(np.int64) + 1970) // length,
        lambda number: np.datetime64(number * length - 1970, "Y").astype("datetime64[D]"),
        lambda day: str(day)[:4] + ("s" if length > 1 else ""),
    )


def _days(name: str, length: int, before: int) -> Unit:
    """``before`` days lie between the start of the first period that is counted and 1970."""
    return Unit(
        name,
        lambda dates: (dates.astype("datetime64[D]").astype(np.int64) + before) // length,
        lambda number: np.datetime64(number * length - before, "D"),
        str,
    )


def _quarter(day: np.datetime64) -> str:
    year, month = str(day)[:4], int(str(day)[5:7])
    return f"{year} Q{(month + 2) // 3}"


UNITS = {
    unit.name: unit
    for unit in (
        _days("day", 1, 0),
        _days("week", 7, 3),  # from Monday on: 1970 began on a Thursday
        _months("month", 1, lambda day: str(day)[:7]),
        _months("quarter", 3, _quarter),
        _years("year", 1),
        _years("decade", 10),
        _years("century", 100),
    )
}


def unit_for(dates: Dates, few: int) -> Unit:
    """The unit whose chart tells most: of 8 to 60 periods, as many as can be that hold ``few`` documents or more.

    Where documents lie in fewer than 8 periods of every unit, the one with the most of them; of equals the longest, so
    that dates of years alone are shown by the year.
    """
    return max(UNITS.values(), key=lambda unit: _worth(unit.number(dates), few, list(UNITS).index(unit.name)))


def _worth(numbers: Ints, few: int, length: int) -> tuple[int, bool, int, int, int]:
    n_periods = int(numbers.max() - numbers.min()) + 1
    _, counts = np.unique(numbers, return_counts=True)
    enough = int((counts >= few).sum()) if len(counts) >= FEWEST else 0
    return -max(MOST, n_periods), len(counts) >= FEWEST, enough, len(counts), length
