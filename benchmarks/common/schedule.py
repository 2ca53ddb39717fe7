"""Samplers take turns, so that what disturbs the machine disturbs all of them alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

One = TypeVar("One")

LONGEST_TURN = 5.0  # CPU seconds
MEASURE_AGAIN = 1.15  # a curve gets a new point when CPU time has grown by this factor

clock = time.thread_time  # CPU seconds of this thread: whatever draws the progress does not count


def seconds_of(call: Callable[[], object]) -> float:
    """CPU seconds that a call takes."""
    start = clock()
    call()
    return clock() - start


def alternating(who: Sequence[One], round_: int) -> Sequence[One]:
    """Those who take turns, every second round in reverse order.

    >>> alternating("abc", 0), alternating("abc", 1)
    ('abc', 'cba')
    """
    return who[:: 1 if round_ % 2 == 0 else -1]


class Contestant:
    """A sampler with its own clock: anything that has ``prepare`` and ``sweep``, and perhaps ``finish``."""

    def __init__(self, name: str, build: Callable[[], Any]) -> None:
        start = clock()
        self.name, self.model = name, build()
        self.setup_seconds = clock() - start
        self.model.prepare()
        self.n_sweeps, self.seconds = 0, 0.0

    def sweep(self) -> float:
        """Draw every token once; the CPU seconds that it took."""
        start = clock()
        self.model.sweep()
        taken = clock() - start
        self.n_sweeps += 1
        self.seconds += taken
        return taken

    def finish(self) -> float:
        """Do what is left after the last sweep, if anything; the CPU seconds that it took."""
        finish = getattr(self.model, "finish", None)
        return 0.0 if finish is None else seconds_of(finish)


def take_turns(
    contestants: Sequence[Contestant], n_sweeps: int | Sequence[int], progress: Callable[[str], object]
) -> list[list[float]]:
    """CPU seconds of every sweep of every contestant; they go in turn, every second round in reverse order.

    ``n_sweeps`` is the same for all, or one number for each: who has done enough sits out.
    """
    wanted = [n_sweeps] * len(contestants) if isinstance(n_sweeps, int) else list(n_sweeps)
    seconds: list[list[float]] = [[] for _ in contestants]
    order = list(zip(contestants, seconds, wanted))
    for round_ in range(max(wanted, default=0)):
        progress(f"sweep {round_ + 1} of {max(wanted)}")
        for contestant, own, enough in alternating(order, round_):
            if round_ < enough:
                own.append(contestant.sweep())
    return seconds


def race(
    contestants: Sequence[Contestant],
    budget: float,
    progress: Callable[[str], object],
    measure: Callable[[Contestant], object] | None = None,
) -> None:
    """Give each contestant the same CPU seconds, slice by slice; evaluations are not timed.

    The last sweep begins within the budget, and may end beyond it: at most one sweep in favor of a slow method.
    """
    marks = slices(budget)
    measured = dict.fromkeys((contestant.name for contestant in contestants), 0.0)
    for number, mark in enumerate(marks):
        for contestant in alternating(contestants, number):
            progress(f"{contestant.name}: {contestant.seconds:.1f} of {budget:g} CPU seconds")
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
