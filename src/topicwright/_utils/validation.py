"""Validation of parameters."""

from __future__ import annotations

import os
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError

LEARN = "learn"
MOST_TOPICS = 1_000_000
MOST_STEPS = 10_000  # of a token or of weights in a sweep
_MOST_JOBS = 1024  # a thread has memory of its own, so that a slip such as 10**9 must not be taken at its word
SMALLEST_PRIOR, LARGEST_PRIOR = 1e-100, 1e15  # within these no sum, product or log Γ leaves the range of a double
_ALPHA_SUM_AT_START = 5.0  # as in MALLET
_BETA_AT_START = 0.01
_PRIOR = f"a positive number, an array of positive numbers, or {LEARN!r}"


def check_integer(name: str, value: Any, minimum: int, maximum: int | None = None) -> int:
    """An integer within bounds, or an error that names the parameter."""
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise InputError(parameter=name, expected="an integer", got=value)
    number = int(value)
    if number < minimum or (maximum is not None and number > maximum):
        bounds = f"of at least {minimum}" if maximum is None else f"from {minimum:,} to {maximum:,}"
        raise InputError(parameter=name, expected=f"an integer {bounds}", got=number)
    return number


def check_rows(name: str, rows: Any, n_rows: int) -> NDArray[np.int64]:
    """Row numbers as an array, or an error that names the parameter."""
    numbers = np.atleast_1d(np.asarray(rows))
    is_valid = numbers.ndim == 1 and (numbers.size == 0 or np.issubdtype(numbers.dtype, np.integer))
    if not is_valid or ((numbers < 0) | (numbers >= n_rows)).any():
        raise InputError(parameter=name, expected=f"row numbers from 0 to {n_rows - 1:,}", got=rows)
    return numbers.astype(np.int64)


def check_n_jobs(n_jobs: Any) -> int:
    """Threads to use: None is 1, -1 is all processors that this process may use, -2 all but one."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise InputError(parameter="n_jobs", expected="an integer other than 0", got=n_jobs)
    number = int(n_jobs)
    if number > 0:
        return min(number, _MOST_JOBS)
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, usable + 1 + number)


def initial_alpha(alpha: Any, n_topics: int) -> NDArray[np.float64]:
    """α of each topic to start from."""
    if _is_learn("alpha", alpha):
        return np.full(n_topics, _ALPHA_SUM_AT_START / n_topics)
    values = _positive("alpha", alpha)
    if values.ndim == 0:
        return np.full(n_topics, float(values))
    if values.shape != (n_topics,):
        raise InputError(parameter="alpha", expected=f"a number or an array of shape ({n_topics},)", got=values.shape)
    return values.copy()


def initial_beta(beta: Any, n_words: int) -> float | NDArray[np.float64]:
    """β to start from: one number, or one of each word."""
    if _is_learn("beta", beta):
        return _BETA_AT_START
    values = _positive("beta", beta)
    if values.ndim == 0:
        return float(values)
    if values.shape != (n_words,):
        raise InputError(parameter="beta", expected=f"a number or an array of shape ({n_words},)", got=values.shape)
    return values.copy()


def _is_learn(name: str, value: Any) -> bool:
    if isinstance(value, str) and value != LEARN:
        raise InputError(parameter=name, expected=_PRIOR, got=value)
    return isinstance(value, str)


def _positive(name: str, value: Any) -> NDArray[np.float64]:
    try:
        values = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.array(np.nan)
    if isinstance(value, bool) or values.ndim > 1 or not np.all(np.isfinite(values) & (values > 0)):
        raise InputError(parameter=name, expected=_PRIOR, got=value)
    if np.any((values < SMALLEST_PRIOR) | (values > LARGEST_PRIOR)):
        out = values[(values < SMALLEST_PRIOR) | (values > LARGEST_PRIOR)].flat[0]
        raise InputError(parameter=name, expected=f"from {SMALLEST_PRIOR:g} to {LARGEST_PRIOR:g}", got=float(out))
    return values


def check_choice(name: str, value: Any, known: Collection[str]) -> str:
    """One of the known names, or an error that lists them."""
    if not isinstance(value, str) or value not in known:
        raise InputError(parameter=name, expected=f"one of {', '.join(map(repr, known))}", got=value)
    return value


def check_bool(name: str, value: Any) -> bool:
    """True or False, or an error that names the parameter."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(parameter=name, expected="True or False", got=value)
    return bool(value)


def check_positive(name: str, value: Any) -> float:
    """A finite number above zero."""
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 < float(value) < np.inf:
        raise InputError(parameter=name, expected="a positive number", got=value)
    return float(value)


def check_non_negative(name: str, value: Any) -> float:
    """A finite number of at least zero."""
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 <= float(value) < np.inf:
        raise InputError(parameter=name, expected="a number of at least 0", got=value)
    return float(value)


def check_in_range(name: str, value: Any, minimum: float, maximum: float, *, or_none: bool = False) -> float:
    """A number within bounds; ``or_none`` says that the parameter may also be None."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not minimum <= value <= maximum:
        bounds = f"a number from {minimum:g} to {maximum:g}"
        raise InputError(parameter=name, expected=f"None or {bounds}" if or_none else bounds, got=value)
    return float(value)
