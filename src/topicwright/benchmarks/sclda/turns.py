"""Samplers take turns, so that what disturbs the machine disturbs all of them alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median

import numpy as np

from .setting import Contestant

LONGEST_TURN = 5.0  # CPU seconds
MEASURE_AGAIN = 1.15  # a curve gets a new point when so many times as much CPU time has been used


def take_turns(contestants: Sequence[Contestant], n_sweeps: int, tell: Callable[[str], object]) -> list[list[float]]:
    """CPU seconds of every sweep of every contestant; they go in turn, every second round in reverse order."""
    seconds: list[list[float]] = [[] for _ in contestants]
    order = list(zip(contestants, seconds))
    for round_ in range(n_sweeps):
        tell(f"sweep {round_ + 1} of {n_sweeps}")
        for contestant, own in order[:: 1 if round_ % 2 == 0 else -1]:
            own.append(contestant.sweep())
    return seconds


def race(
    contestants: Sequence[Contestant],
    budget: float,
    tell: Callable[[str], object],
    measure: Callable[[Contestant], object] | None = None,
) -> None:
    """Give each contestant the same CPU seconds, slice by slice; measures are off the clock.

    The last sweep begins within the budget, and may end beyond it: at most one sweep in favour of a slow method.
    """
    marks = slices(budget)
    measured = dict.fromkeys((contestant.name for contestant in contestants), 0.0)
    for number, mark in enumerate(marks):
        for contestant in contestants[:: 1 if number % 2 == 0 else -1]:
            tell(f"{contestant.name}: {contestant.seconds:.1f} of {budget:g} CPU seconds")
            while contestant.seconds < mark:
                contestant.sweep()
            due = contestant.seconds >= MEASURE_AGAIN * measured[contestant.name] or mark == budget
            if measure is not None and due and contestant.seconds > measured[contestant.name]:
                measured[contestant.name] = contestant.seconds
                measure(contestant)


def slices(budget: float) -> list[float]:
    """Where turns end: early ones are short, as curves rise there; then twenty equal ones, or more in a long race.

    >>> [round(mark, 2) for mark in slices(20.0)][-3:]
    [18.0, 19.0, 20.0]
    """
    n_equal = max(20, int(np.ceil(budget / LONGEST_TURN)))
    equal = np.linspace(0.0, budget, n_equal + 1)[1:]
    return [*np.geomspace(budget / 1000, equal[0], 8)[:-1].tolist(), *equal[:-1].tolist(), budget]


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


def median_or_none(values: Sequence[float]) -> float | None:
    """The median, where there are values."""
    return median(values) if values else None
