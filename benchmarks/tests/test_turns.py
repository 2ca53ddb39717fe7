"""Order of runs, and statistics of repeated measurements."""

from __future__ import annotations

import pytest

from benchmarks.common.averages import mean_and_error, median_or_none, ratios, value_at, when_reached
from benchmarks.common.schedule import Contestant, race, take_turns


class Silent:
    """A sampler that only records its calls."""

    def __init__(self, name: str, calls: list[str]) -> None:
        self.name, self.calls = name, calls

    def prepare(self) -> None: ...

    def sweep(self) -> None:
        self.calls.append(self.name)


def test_samplers_take_turns_in_alternating_order() -> None:
    calls: list[str] = []
    contestants = [Contestant(name, lambda name=name: Silent(name, calls)) for name in "abc"]
    take_turns(contestants, 2, lambda text: None)
    assert "".join(calls) == "abccba"


def test_finished_contestants_are_skipped() -> None:
    calls: list[str] = []
    contestants = [Contestant(name, lambda name=name: Silent(name, calls)) for name in "abc"]
    seconds = take_turns(contestants, [3, 1, 2], lambda text: None)
    assert "".join(calls) == "abccaa"
    assert [len(own) for own in seconds] == [3, 1, 2]


def test_race_ends_with_a_measurement_of_each_contestant() -> None:
    measured: list[tuple[str, int]] = []
    contestants = [Contestant(name, lambda name=name: Silent(name, [])) for name in "ab"]
    race(contestants, 0.002, lambda text: None, lambda one: measured.append((one.name, one.n_sweeps)))
    assert {(one.name, one.n_sweeps) for one in contestants} <= set(measured)
    assert all(one.seconds >= 0.002 for one in contestants)


def test_missing_values_are_left_out() -> None:
    assert median_or_none([None, 4.0]) == 4.0
    assert median_or_none([]) is None
    assert mean_and_error([None, 2.0]) == (2.0, None)
    assert mean_and_error([None]) == (None, None)


def test_ratios_are_of_one_round() -> None:
    assert ratios([[2.0, 9.0], [1.0]], [[1.0, 3.0], [2.0]]) == pytest.approx([2.0, 3.0, 0.5])


def test_points_of_a_curve() -> None:
    seconds, values = [1.0, 2.0, 4.0], [0.1, 0.3, 0.2]
    assert value_at(seconds, values, 3.0) == pytest.approx(0.25)
    assert value_at(seconds, values, 0.5) is None
    assert value_at([], [], 1.0) is None
    assert when_reached(seconds, values, 0.2) == 2.0
    assert when_reached(seconds, values, 0.9) is None
