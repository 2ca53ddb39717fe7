"""β, the prior of words in topics, in its three forms: one number, one of each word, or either with seeds on top.

Compiled code asks for it through the functions below; each form is compiled for itself, so that plain numbers cost
what plain numbers cost.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.core import types
from numba.extending import overload
from numpy.typing import NDArray

from .._compile import inline
from ..knowledge.priors import Seeds

_ONE = np.uint64(1)
_NUMBERS = (types.Float, types.Array)


class SeededBeta(NamedTuple):
    """β that is larger for some words in some topics: b_kw = base_w + extra_kw."""

    base: float | NDArray[np.float64]
    seeds: Seeds


Beta = float | NDArray[np.float64] | SeededBeta
BetaSum = float | NDArray[np.float64]


def with_seeds(base: float | NDArray[np.float64], seeds: Seeds | None) -> Beta:
    """β as the samplers take it."""
    return base if seeds is None else SeededBeta(base, seeds)


def sum_of_prior(beta: Beta, n_words: int, n_topics: int) -> BetaSum:
    """B = Σ_w b_w over the vocabulary, or with seeds one of each topic."""
    if isinstance(beta, SeededBeta):
        extra = np.bincount(beta.seeds.topics, weights=beta.seeds.extra, minlength=n_topics)
        return np.asarray(sum_of_prior(beta.base, n_words, n_topics) + extra)
    return float(np.sum(beta)) if np.ndim(beta) else float(beta) * n_words  # type: ignore[arg-type]


def base_of(beta: Beta) -> float | NDArray[np.float64]:
    """β without what seeds add."""
    return beta.base if isinstance(beta, SeededBeta) else beta


def scaled(beta: Beta, factor: float) -> Beta:
    """β with its base multiplied; what seeds add stays."""
    return beta._replace(base=beta.base * factor) if isinstance(beta, SeededBeta) else beta * factor


def prior_of(beta: Any, w: Any) -> Any:
    """The prior of a word in a topic that has no seed for it. Compiled code only."""


def extra_sum(beta: Any, w: Any, weight: Any) -> Any:
    """Σ_k weight_k · extra_kw over the topics where word w is a seed. Compiled code only."""


def walk_extra(beta: Any, w: Any, weight: Any, u: Any) -> Any:
    """The topic at ``u`` in that sum. Compiled code only."""


def sum_at(beta_sum: Any, k: Any) -> Any:
    """B of a topic. Compiled code only."""


@overload(prior_of, strict=False, jit_options={"_nrt": False})
def _prior_of(beta: Any, w: Any) -> Any:
    if not isinstance(beta, _NUMBERS):
        return lambda beta, w: prior_of(beta.base, w)
    if isinstance(beta, types.Float):
        return lambda beta, w: beta
    return lambda beta, w: beta[w]


@overload(sum_at, strict=False, jit_options={"_nrt": False})
def _sum_at(beta_sum: Any, k: Any) -> Any:
    if isinstance(beta_sum, types.Float):
        return lambda beta_sum, k: beta_sum
    return lambda beta_sum, k: beta_sum[k]


@overload(extra_sum, strict=False, jit_options={"_nrt": False})
def _extra_sum(beta: Any, w: Any, weight: Any) -> Any:
    if not isinstance(beta, _NUMBERS):
        return lambda beta, w, weight: _sum_of_seeds(beta.seeds, w, weight)
    return lambda beta, w, weight: 0.0


@overload(walk_extra, strict=False, jit_options={"_nrt": False})
def _walk_extra(beta: Any, w: Any, weight: Any, u: Any) -> Any:
    if not isinstance(beta, _NUMBERS):
        return lambda beta, w, weight, u: _walk_seeds(beta.seeds, w, weight, u)
    return lambda beta, w, weight, u: np.uint64(0)  # never called: there is no such mass


@inline
def _sum_of_seeds(seeds: Seeds, w: Any, weight: Any) -> Any:
    total = 0.0
    for j in range(seeds.start[w], seeds.start[w + _ONE]):
        total += weight[seeds.topics[j]] * seeds.extra[j]
    return total


@inline
def _walk_seeds(seeds: Seeds, w: Any, weight: Any, u: Any) -> Any:
    """Rounding may leave u a little too large: then the last topic that has any mass."""
    chosen = np.uint64(seeds.topics[seeds.start[w]])
    for j in range(seeds.start[w], seeds.start[w + _ONE]):
        k = np.uint64(seeds.topics[j])
        part = weight[k] * seeds.extra[j]
        if part > 0.0:
            chosen = k
            u -= part
            if u < 0.0:
                return k
    return chosen
