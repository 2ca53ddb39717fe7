"""Random streams: uniform, uncorrelated, and different for different keys."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from scipy import stats

from topicwright._sampling.random import draw, seed_from, streams
from topicwright.errors import InputError


@numba.njit
def fill(stream: Any, numbers: Any) -> None:
    for i in range(numbers.shape[0]):
        numbers[i] = draw(stream)


def numbers_from(stream: np.ndarray, n: int = 200_000) -> np.ndarray:
    numbers = np.empty(n)
    fill(stream.copy(), numbers)
    return numbers


def test_numbers_are_uniform_and_uncorrelated() -> None:
    numbers = numbers_from(streams(0, 1)[0])
    assert numbers.min() >= 0
    assert numbers.max() < 1
    assert stats.kstest(numbers, "uniform").pvalue > 0.001
    assert abs(np.corrcoef(numbers[:-1], numbers[1:])[0, 1]) < 4 / np.sqrt(len(numbers))


def test_streams_of_different_keys_are_independent() -> None:
    a, b = (numbers_from(s) for s in streams(7, 2, 3))
    c = numbers_from(streams(7, 1, 4)[0])
    for one, other in ((a, b), (a, c)):
        assert abs(np.corrcoef(one, other)[0, 1]) < 4 / np.sqrt(len(one))
        assert not set(one.tolist()) & set(other.tolist()[:1000])


def test_steps_are_odd_and_well_mixed() -> None:
    steps = streams(0, 5000)[:, 1].tolist()
    assert all(step % 2 == 1 for step in steps)
    assert all(bin(step ^ (step >> 1)).count("1") >= 24 for step in steps)


def test_seeds_from_random_state() -> None:
    assert seed_from(5) == 5
    assert seed_from(np.int64(5)) == 5
    assert seed_from(np.random.RandomState(0)) == seed_from(np.random.RandomState(0))
    assert seed_from(np.random.default_rng(0)) == seed_from(np.random.default_rng(0))
    assert seed_from(None) != seed_from(None)


@pytest.mark.parametrize("wrong", ["0", 1.5, -1, True])
def test_rejects_invalid_seeds(wrong: object) -> None:
    with pytest.raises(InputError, match="random_state must"):
        seed_from(wrong)
