"""Validation of parameters: each validator is tested here, once for all estimators."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

from topicwright._utils.validation import (
    LARGEST_PRIOR,
    SMALLEST_PRIOR,
    check_bool,
    check_choice,
    check_in_range,
    check_integer,
    check_n_jobs,
    check_non_negative,
    check_positive,
    initial_alpha,
    initial_beta,
)

from ..assertions import raises_input


@pytest.mark.parametrize("value", [1, 10, np.int64(3), np.uint8(10)])
def test_integers_within_bounds(value: Any) -> None:
    checked = check_integer("n", value, 1, 10)
    assert checked == value
    assert type(checked) is int


@pytest.mark.parametrize("value", [2.0, 2.5, "2", None, True, [2], np.array([2, 3])])
def test_rejects_other_types_as_integers(value: Any) -> None:
    with raises_input("n", expected="an integer"):
        check_integer("n", value, 1)


@pytest.mark.parametrize(
    ("value", "bounds", "expected"),
    [
        (0, (1,), "an integer of at least 1"),
        (-1, (0,), "an integer of at least 0"),
        (0, (1, 1_000_000), "an integer from 1 to 1,000,000"),
        (1_000_001, (1, 1_000_000), "an integer from 1 to 1,000,000"),
    ],
)
def test_rejects_integers_out_of_bounds(value: int, bounds: tuple[int, ...], expected: str) -> None:
    with raises_input("n", expected=expected, got=value):
        check_integer("n", value, *bounds)


def test_number_of_jobs() -> None:
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert [check_n_jobs(n) for n in (None, 1, 3, -1)] == [1, 1, 3, processors]
    assert check_n_jobs(-(10**6)) == 1
    assert [check_n_jobs(n) for n in (2**31, 10**30)] == [1024, 1024]  # each thread allocates memory
    for value in (0, 1.5, "two", True):
        with raises_input("n_jobs", got=value):
            check_n_jobs(value)


def test_choices() -> None:
    assert check_choice("loss", "hinge", ("hinge", "logistic")) == "hinge"
    for value in ("Hinge", None, 1, ["hinge"]):
        with raises_input("loss", expected="one of 'hinge', 'logistic'", got=value):
            check_choice("loss", value, ("hinge", "logistic"))


def test_booleans() -> None:
    assert check_bool("resume", True) is True
    assert check_bool("resume", np.False_) is False
    for value in (1, 0, "yes", None):
        with raises_input("resume", expected="True or False", got=value):
            check_bool("resume", value)


@pytest.mark.parametrize("value", [0, -1.0, float("nan"), float("inf"), "1", None, True])
def test_positive_numbers(value: Any) -> None:
    assert check_positive("nu", 2) == 2.0
    with raises_input("nu", expected="a positive number"):
        check_positive("nu", value)


@pytest.mark.parametrize("value", [-0.5, float("nan"), float("inf"), "1", None, True])
def test_numbers_that_are_not_negative(value: Any) -> None:
    assert check_non_negative("epsilon", 0) == 0.0
    with raises_input("epsilon", expected="a number of at least 0"):
        check_non_negative("epsilon", value)


def test_rejects_numbers_out_of_range() -> None:
    assert check_in_range("threshold", 1, -1, 1) == 1.0
    for value in (1.5, float("nan"), "0.5", None, True):
        with raises_input("threshold", expected="a number from -1 to 1"):
            check_in_range("threshold", value, -1, 1)


def test_initial_priors() -> None:
    assert initial_alpha(0.5, 3).tolist() == [0.5, 0.5, 0.5]
    assert initial_alpha([1, 2, 3], 3).tolist() == [1.0, 2.0, 3.0]
    assert initial_alpha("learn", 10).sum() == pytest.approx(5.0)
    assert initial_beta(0.5, 3) == 0.5
    assert initial_beta("learn", 3) == 0.01
    assert np.array_equal(initial_beta(np.array([0.1, 0.2]), 2), [0.1, 0.2])


@pytest.mark.parametrize("value", [0, -1, float("nan"), "auto", None, True, [[1.0]], [0.1, 0.0]])
@pytest.mark.parametrize(("name", "initial"), [("alpha", initial_alpha), ("beta", initial_beta)])
def test_rejects_invalid_priors(name: str, initial: Any, value: Any) -> None:
    with raises_input(name, match="positive number"):
        initial(value, 2)


@pytest.mark.parametrize(("name", "initial"), [("alpha", initial_alpha), ("beta", initial_beta)])
def test_rejects_priors_of_another_shape(name: str, initial: Any) -> None:
    with raises_input(name, expected="a number or an array of shape (2,)", got=(3,)):
        initial([0.1, 0.2, 0.3], 2)
    for value in (SMALLEST_PRIOR / 10, LARGEST_PRIOR * 10):
        with raises_input(name, got=value):
            initial(value, 2)
