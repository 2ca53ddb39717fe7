"""Validation of parameters."""

from __future__ import annotations

from topicwright._utils.validation import check_in_range

from ..assertions import raises_input


def test_a_number_must_be_in_range() -> None:
    assert check_in_range("threshold", 1, -1, 1) == 1.0
    for value in (1.5, float("nan"), "0.5", None, True):
        with raises_input("threshold", expected="a number from -1 to 1"):
            check_in_range("threshold", value, -1, 1)
