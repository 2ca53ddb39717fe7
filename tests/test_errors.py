"""The tree of errors."""

from __future__ import annotations

import inspect
import pickle

import pytest

from topicwright import errors
from topicwright.knowledge.io.nodes import KnowledgeFileError

KINDS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if kind.__module__ == errors.__name__]


@pytest.mark.parametrize("kind", [*KINDS, KnowledgeFileError])
def test_errors_can_be_pickled(kind: type[Exception]) -> None:
    given = ("ray", "cluster", "training") if kind is errors.MissingExtraError else ("what it is",)
    error = pickle.loads(pickle.dumps(kind(*given)))
    assert type(error) is kind
    assert str(error) == str(kind(*given))


def test_docstring_shows_the_error_tree() -> None:
    drawn = [line for line in str(errors.__doc__).splitlines() if line.startswith("    ")]
    assert len(KINDS) > 5
    for kind in KINDS:
        (line,) = [line for line in drawn if line.strip("│├└─ ").split(" ")[0] == kind.__name__]
        others = [base.__name__ for base in kind.__bases__ if base not in KINDS and base is not Exception]
        assert all(f" {name})" in line for name in others)


def test_an_error_can_be_extended() -> None:
    error = errors.InputError(parameter="date", expected="a date", got="x").extended(
        before="a.csv, line 3: ", after=" (`on_error='skip'`)", where="a.csv, line 3"
    )
    assert str(error) == "a.csv, line 3: date must be a date: got 'x' (on_error='skip')"
    assert (error.parameter, error.got, error.where) == ("date", "x", "a.csv, line 3")
    assert (
        error.describe(lambda name, value: f"--{name}") == "a.csv, line 3: --date must be a date: got 'x' (--on_error)"
    )
