"""Parameters, met once and at the door."""

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


def check_integer(name: str, value: Any, minimum: int, maximum: int | None = None) -> int:
    """An integer within bounds, or an error that names the parameter."""
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise InputError(f"{name} must be a whole number: got {value!r}")
    number = int(value)
    if number < minimum or (maximum is not None and number > maximum):
        bounds = f"at least {minimum}" if maximum is None else f"from {minimum:,} to {maximum:,}"
        raise InputError(f"{name} must be {bounds}: got {number}")
    return number


def check_n_jobs(n_jobs: Any) -> int:
    """Threads to use: None is 1, -1 is all processors that this process may use, -2 all but one."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise InputError(f"n_jobs must be a whole number other than 0, or None: got {n_jobs!r}")
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
        raise InputError(f"alpha must have one entry per topic: got shape {values.shape}, expected ({n_topics},)")
    return values.copy()


def initial_beta(beta: Any, n_words: int) -> float | NDArray[np.float64]:
    """β to start from: one number, or one of each word."""
    if _is_learn("beta", beta):
        return _BETA_AT_START
    values = _positive("beta", beta)
    if values.ndim == 0:
        return float(values)
    if values.shape != (n_words,):
        raise InputError(f"beta must have one entry per word: got shape {values.shape}, expected ({n_words},)")
    return values.copy()


def _is_learn(name: str, value: Any) -> bool:
    if isinstance(value, str) and value != LEARN:
        raise InputError(f"{name} must be a positive number, an array of them, or {LEARN!r}: got {value!r}")
    return isinstance(value, str)


def _positive(name: str, value: Any) -> NDArray[np.float64]:
    try:
        values = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.array(np.nan)
    if isinstance(value, bool) or values.ndim > 1 or not np.all(np.isfinite(values) & (values > 0)):
        got = value if isinstance(value, (Real, str)) or value is None else "something else"
        raise InputError(f"{name} must be a positive number, an array of them, or {LEARN!r}: got {got!r}")
    if np.any((values < SMALLEST_PRIOR) | (values > LARGEST_PRIOR)):
        out = values[(values < SMALLEST_PRIOR) | (values > LARGEST_PRIOR)].flat[0]
        raise InputError(f"{name} must be from {SMALLEST_PRIOR:g} to {LARGEST_PRIOR:g}: got {out:g}")
    return values


def check_choice(name: str, value: Any, known: Collection[str]) -> str:
    """One of the known names, or an error that lists them."""
    if not isinstance(value, str) or value not in known:
        raise InputError(f"{name} must be one of {', '.join(map(repr, known))}: got {value!r}")
    return value


def check_positive(name: str, value: Any) -> float:
    """A finite number above zero."""
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 < float(value) < np.inf:
        raise InputError(f"{name} must be a positive number: got {value!r}")
    return float(value)
