"""β, the prior of words in topics: a number or one for each word, plus known topics and the counts of linked words.

Kernels read it through the functions below, which are compiled for each form of β, so that a plain number costs nothing
extra.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.core import types
from numba.extending import overload
from numpy.typing import NDArray

from .._utils.count_rows import CountRows, add_row, row_sum, walk_row_within
from .._utils.numba import jit_inline
from ..knowledge.priors import SharedCounts, WordPriors

_ONE = np.uint64(1)
_NUMBERS = (types.Float, types.Array)


class InformedBeta(NamedTuple):
    """β that is larger for some words in some topics: b_kw = base_w + extra_kw."""

    base: float | NDArray[np.float64]
    priors: WordPriors


class LinkedBeta(NamedTuple):
    """β that grows with the counts of linked words: b_kw = base_kw + Σ_u share_wu n_ku."""

    base: float | NDArray[np.float64] | InformedBeta
    shared: SharedCounts


Beta = float | NDArray[np.float64] | InformedBeta | LinkedBeta
BetaSum = float | NDArray[np.float64]


def with_word_priors(base: float | NDArray[np.float64], priors: WordPriors | None) -> Beta:
    """β with additions for some words in some topics."""
    return base if priors is None else InformedBeta(base, priors)


def with_linked_counts(beta: Any, shared: SharedCounts | None) -> Beta:
    """β with shares of the counts of linked words."""
    return beta if shared is None else LinkedBeta(beta, shared)


def prior_sum(beta: Beta, n_words: int, n_topics: int) -> BetaSum:
    """B = Σ_w b_w over the vocabulary, with word priors one for each topic. Counts of linked words are not in it."""
    if isinstance(beta, LinkedBeta):
        return prior_sum(beta.base, n_words, n_topics)
    if isinstance(beta, InformedBeta):
        extra = np.bincount(beta.priors.topics, weights=beta.priors.extra, minlength=n_topics)
        return np.asarray(prior_sum(beta.base, n_words, n_topics) + extra)
    return float(np.sum(beta)) if np.ndim(beta) else float(beta) * n_words  # type: ignore[arg-type]


def base_prior(beta: Beta) -> float | NDArray[np.float64]:
    """β without word priors and linked words."""
    return base_prior(beta.base) if isinstance(beta, (InformedBeta, LinkedBeta)) else beta


def scaled(beta: Beta, factor: float) -> Beta:
    """β with its base multiplied; word priors stay the same."""
    if isinstance(beta, (InformedBeta, LinkedBeta)):
        return beta._replace(base=scaled(beta.base, factor))  # type: ignore[arg-type]
    return beta * factor


def word_prior(beta: Any, w: Any) -> Any:
    """Base prior of a word, without word priors and linked words. For kernels only."""


def extra_sum(beta: Any, rows: Any, w: Any, weight: Any) -> Any:
    """Σ_k weight_k · extra_kw: the mass of the word priors and linked words of word w. For kernels only."""


def add_extra(beta: Any, rows: Any, w: Any, factor: Any, sums: Any) -> Any:
    """Add ``factor`` · extra_kw to ``sums[k]``. For kernels only."""


def walk_extra(beta: Any, rows: Any, w: Any, weight: Any, u: Any) -> Any:
    """The topic at ``u`` in that sum. For kernels only."""


def extra_at(beta: Any, counts: Any, w: Any, k: Any) -> Any:
    """extra_kw of one topic, with dense counts (a row for each word). For kernels only."""


def has_extra(beta: Any) -> Any:
    """Whether β has word priors or linked words. For kernels only."""


def topic_prior_sum(beta_sum: Any, k: Any) -> Any:
    """B of a topic. For kernels only."""


@overload(word_prior, strict=False, jit_options={"_nrt": False})
def _word_prior(beta: Any, w: Any) -> Any:
    if not isinstance(beta, _NUMBERS):
        return lambda beta, w: word_prior(beta.base, w)
    if isinstance(beta, types.Float):
        return lambda beta, w: beta
    return lambda beta, w: beta[w]


@overload(topic_prior_sum, strict=False, jit_options={"_nrt": False})
def _topic_prior_sum(beta_sum: Any, k: Any) -> Any:
    if isinstance(beta_sum, types.Float):
        return lambda beta_sum, k: beta_sum
    return lambda beta_sum, k: beta_sum[k]


@overload(extra_sum, strict=False, jit_options={"_nrt": False})
def _extra_sum(beta: Any, rows: Any, w: Any, weight: Any) -> Any:
    if isinstance(beta, _NUMBERS):
        return lambda beta, rows, w, weight: 0.0
    if beta.instance_class is LinkedBeta:
        return lambda beta, rows, w, weight: (
            _linked_sum(beta.shared, rows, w, weight) + extra_sum(beta.base, rows, w, weight)
        )
    return lambda beta, rows, w, weight: _prior_mass(beta.priors, w, weight)


@overload(add_extra, strict=False, jit_options={"_nrt": False})
def _add_extra(beta: Any, rows: Any, w: Any, factor: Any, sums: Any) -> Any:
    if isinstance(beta, _NUMBERS):
        return lambda beta, rows, w, factor, sums: None
    if beta.instance_class is LinkedBeta:

        def linked_and_priors(beta: Any, rows: Any, w: Any, factor: Any, sums: Any) -> None:
            _add_linked(beta.shared, rows, w, factor, sums)
            add_extra(beta.base, rows, w, factor, sums)

        return linked_and_priors
    return lambda beta, rows, w, factor, sums: _add_priors(beta.priors, w, factor, sums)


@overload(walk_extra, strict=False, jit_options={"_nrt": False})
def _walk_extra(beta: Any, rows: Any, w: Any, weight: Any, u: Any) -> Any:
    if isinstance(beta, _NUMBERS):
        return lambda beta, rows, w, weight, u: np.uint64(0)  # never called: there is no such mass
    if beta.instance_class is LinkedBeta:

        def priors_then_linked(beta: Any, rows: Any, w: Any, weight: Any, u: Any) -> Any:
            informed = extra_sum(beta.base, rows, w, weight)
            if u < informed:
                return walk_extra(beta.base, rows, w, weight, u)
            return _walk_linked(beta.shared, rows, w, weight, u - informed)

        return priors_then_linked
    return lambda beta, rows, w, weight, u: _walk_priors(beta.priors, w, weight, u)


@overload(extra_at, strict=False, jit_options={"_nrt": False})
def _extra_at(beta: Any, counts: Any, w: Any, k: Any) -> Any:
    if isinstance(beta, _NUMBERS):
        return lambda beta, counts, w, k: 0.0
    if beta.instance_class is LinkedBeta:
        return lambda beta, counts, w, k: _linked_at(beta.shared, counts, w, k) + extra_at(beta.base, counts, w, k)
    return lambda beta, counts, w, k: _priors_at(beta.priors, w, k)


@overload(has_extra, strict=False, jit_options={"_nrt": False})
def _has_extra(beta: Any) -> Any:
    if isinstance(beta, _NUMBERS):
        return lambda beta: False
    return lambda beta: True


@jit_inline
def _linked_at(shared: SharedCounts, counts: Any, w: Any, k: Any) -> Any:
    total = 0.0
    for link in range(shared.start[w], shared.start[w + _ONE]):
        total += shared.share[link] * np.float64(counts[np.uint64(shared.sources[link]), k])
    return total


@jit_inline
def _priors_at(priors: WordPriors, w: Any, k: Any) -> Any:
    total = 0.0
    for j in range(priors.start[w], priors.start[w + _ONE]):
        if priors.topics[j] == k:
            total += priors.extra[j]
    return total


@jit_inline
def _linked_sum(shared: SharedCounts, rows: CountRows, w: Any, weight: Any) -> Any:
    total = 0.0
    for link in range(shared.start[w], shared.start[w + _ONE]):
        total += shared.share[link] * row_sum(rows, np.uint64(shared.sources[link]), weight)
    return total


@jit_inline
def _add_linked(shared: SharedCounts, rows: CountRows, w: Any, factor: Any, sums: Any) -> None:
    for link in range(shared.start[w], shared.start[w + _ONE]):
        add_row(rows, np.uint64(shared.sources[link]), factor * shared.share[link], sums)


@jit_inline
def _walk_linked(shared: SharedCounts, rows: CountRows, w: Any, weight: Any, u: Any) -> Any:
    """Topic at ``u``; if rounding leaves u too large, the last topic that has any mass."""
    chosen = none = ~np.uint64(0)
    for link in range(shared.start[w], shared.start[w + _ONE]):
        source = np.uint64(shared.sources[link])
        part = shared.share[link] * row_sum(rows, source, weight)
        topic, _ = walk_row_within(rows, source, weight, none, 0.0, u / shared.share[link], none)
        if topic != none:
            chosen = topic
        u -= part
        if u < 0.0:
            break
    return chosen


@jit_inline
def _prior_mass(priors: WordPriors, w: Any, weight: Any) -> Any:
    total = 0.0
    for j in range(priors.start[w], priors.start[w + _ONE]):
        total += weight[priors.topics[j]] * priors.extra[j]
    return total


@jit_inline
def _add_priors(priors: WordPriors, w: Any, factor: Any, sums: Any) -> None:
    for j in range(priors.start[w], priors.start[w + _ONE]):
        sums[priors.topics[j]] += factor * priors.extra[j]


@jit_inline
def _walk_priors(priors: WordPriors, w: Any, weight: Any, u: Any) -> Any:
    """Topic at ``u``; if rounding leaves u too large, the last topic that has any mass."""
    chosen = np.uint64(priors.topics[priors.start[w]])
    for j in range(priors.start[w], priors.start[w + _ONE]):
        k = np.uint64(priors.topics[j])
        part = weight[k] * priors.extra[j]
        if part > 0.0:
            chosen = k
            u -= part
            if u < 0.0:
                return k
    return chosen
