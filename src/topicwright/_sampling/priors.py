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

from .._utils.count_rows import CountRows, entry_at, row_bounds
from .._utils.numba import jit, jit_inline
from ..knowledge.priors import SharedCounts, WordPriors

_ONE, _TWO, _THREE, _FOUR = (np.uint64(n) for n in range(1, 5))
_FLOOR = 0.05  # of the pseudo-counts of linked words, topics with a smaller share are left out
_NUMBERS = (types.Float, types.Array)


class DensePriors(NamedTuple):
    """Additions to β with one entry for each topic: extra_kw is ``values[row[w], k]``, and row 0 is zero."""

    row: NDArray[np.uint32]
    values: NDArray[np.float64]


class InformedBeta(NamedTuple):
    """β that is larger for some words in some topics: b_kw = base_w + extra_kw."""

    base: float | NDArray[np.float64]
    priors: WordPriors | DensePriors


Beta = float | NDArray[np.float64] | InformedBeta
BetaSum = float | NDArray[np.float64]


def with_word_priors(base: float | NDArray[np.float64], priors: WordPriors | None) -> Beta:
    """β with additions for some words in some topics."""
    return base if priors is None else InformedBeta(base, priors)


def with_linked_counts(beta: Beta, shared: SharedCounts | None, rows: CountRows, n_topics: int) -> Beta:
    """β with shares of the present counts of linked words: extra_kw grows by Σ_u share_wu n_ku.

    These stay the same during a sweep. So linked words need not share a block of the grid, and a draw costs one more
    row, whatever the number of links. Topics with less than a twentieth of a word's sum are left out: they make the
    row long, and linked words agree better without them.
    """
    if shared is None:
        return beta
    known = beta.priors if isinstance(beta, InformedBeta) else None
    assert not isinstance(known, DensePriors)
    if known is None:
        known = WordPriors(np.zeros_like(shared.start), np.empty(0, np.uint32), np.empty(0, np.float64))
    return InformedBeta(base_prior(beta), WordPriors(*_linked_priors(shared, rows, known, n_topics, _FLOOR)))


def with_dense_priors(beta: Beta, n_topics: int) -> Beta:
    """β for samplers that weigh every topic of a token."""
    if not isinstance(beta, InformedBeta) or isinstance(beta.priors, DensePriors):
        return beta
    start = beta.priors.start.astype(np.int64)
    lengths = np.diff(start)
    row = np.cumsum(lengths > 0) * (lengths > 0)
    values = np.zeros((row.max(initial=0) + 1, n_topics))
    values[np.repeat(row, lengths), beta.priors.topics] = beta.priors.extra
    return beta._replace(priors=DensePriors(row.astype(np.uint32), values))


def prior_sum(beta: Beta, n_words: int, n_topics: int) -> BetaSum:
    """B = Σ_w b_w over the vocabulary, with word priors one for each topic."""
    if isinstance(beta, InformedBeta):
        assert not isinstance(beta.priors, DensePriors)
        extra = np.bincount(beta.priors.topics, weights=beta.priors.extra, minlength=n_topics)
        return np.asarray(prior_sum(beta.base, n_words, n_topics) + extra)
    return float(np.sum(beta)) if np.ndim(beta) else float(beta) * n_words  # type: ignore[arg-type]


def base_prior(beta: Beta) -> float | NDArray[np.float64]:
    """β without word priors."""
    return beta.base if isinstance(beta, InformedBeta) else beta


def scaled(beta: Beta, factor: float) -> Beta:
    """β with its base multiplied; word priors stay the same."""
    if isinstance(beta, InformedBeta):
        return beta._replace(base=beta.base * factor)
    return beta * factor


def word_prior(beta: Any, w: Any) -> Any:
    """Base prior of a word, without word priors. For kernels only."""


def extra_sum(beta: Any, w: Any, weight: Any) -> Any:
    """Σ_k weight_k · extra_kw: the mass of the priors of word w. For kernels only."""


def add_extra(beta: Any, w: Any, factor: Any, weight: Any, sums: Any) -> Any:
    """Add ``factor`` · weight_k · extra_kw to ``sums[k]``. For kernels only."""


def walk_extra(beta: Any, w: Any, weight: Any, u: Any) -> Any:
    """The topic at ``u`` in that sum. For kernels only."""


def extra_at(beta: Any, w: Any, k: Any) -> Any:
    """extra_kw of one topic. For kernels only."""


def has_extra(beta: Any) -> Any:
    """Whether β has word priors. For kernels only."""


def topic_prior_sum(beta_sum: Any, k: Any) -> Any:
    """B of a topic. For kernels only."""


@overload(word_prior, strict=False, jit_options={"_nrt": False, "forceinline": True})
def _word_prior(beta: Any, w: Any) -> Any:
    if isinstance(beta, types.Float):
        return lambda beta, w: beta
    if isinstance(beta, types.Array):
        return lambda beta, w: beta[w]
    return lambda beta, w: word_prior(beta.base, w)


@overload(topic_prior_sum, strict=False, jit_options={"_nrt": False, "forceinline": True})
def _topic_prior_sum(beta_sum: Any, k: Any) -> Any:
    if isinstance(beta_sum, types.Float):
        return lambda beta_sum, k: beta_sum
    return lambda beta_sum, k: beta_sum[k]


@overload(extra_sum, strict=False, jit_options={"_nrt": False, "forceinline": True})
def _extra_sum(beta: Any, w: Any, weight: Any) -> Any:
    if isinstance(beta, _NUMBERS):
        return lambda beta, w, weight: 0.0
    return lambda beta, w, weight: _prior_mass(beta.priors, w, weight)


@overload(add_extra, strict=False, jit_options={"_nrt": False, "forceinline": True})
def _add_extra(beta: Any, w: Any, factor: Any, weight: Any, sums: Any) -> Any:
    if isinstance(beta, _NUMBERS):
        return lambda beta, w, factor, weight, sums: None
    return lambda beta, w, factor, weight, sums: _add_priors(beta.priors, w, factor, weight, sums)


@overload(walk_extra, strict=False, jit_options={"_nrt": False, "forceinline": True})
def _walk_extra(beta: Any, w: Any, weight: Any, u: Any) -> Any:
    if isinstance(beta, _NUMBERS):
        return lambda beta, w, weight, u: np.uint64(0)  # never called: there is no such mass
    return lambda beta, w, weight, u: _walk_priors(beta.priors, w, weight, u)


@overload(extra_at, strict=False, jit_options={"_nrt": False, "forceinline": True})
def _extra_at(beta: Any, w: Any, k: Any) -> Any:
    if isinstance(beta, _NUMBERS):
        return lambda beta, w, k: 0.0
    return lambda beta, w, k: beta.priors.values[beta.priors.row[w], k]


@overload(has_extra, strict=False, jit_options={"_nrt": False, "forceinline": True})
def _has_extra(beta: Any) -> Any:
    if isinstance(beta, _NUMBERS):
        return lambda beta: False
    return lambda beta: True


@jit_inline
def _prior_mass(priors: WordPriors, w: Any, weight: Any) -> Any:
    """Σ_k weight_k · extra_kw, with four sums as in :func:`~topicwright._utils.count_rows.row_sum`."""
    j, end = priors.start[w], priors.start[w + _ONE]
    sum0 = sum1 = sum2 = sum3 = 0.0
    while j + _THREE < end:
        sum0 += weight[priors.topics[j]] * priors.extra[j]
        sum1 += weight[priors.topics[j + _ONE]] * priors.extra[j + _ONE]
        sum2 += weight[priors.topics[j + _TWO]] * priors.extra[j + _TWO]
        sum3 += weight[priors.topics[j + _THREE]] * priors.extra[j + _THREE]
        j += _FOUR
    while j < end:
        sum0 += weight[priors.topics[j]] * priors.extra[j]
        j += _ONE
    return (sum0 + sum1) + (sum2 + sum3)


@jit_inline
def _add_priors(priors: WordPriors, w: Any, factor: Any, weight: Any, sums: Any) -> None:
    for j in range(priors.start[w], priors.start[w + _ONE]):
        sums[priors.topics[j]] += factor * weight[priors.topics[j]] * priors.extra[j]


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


@jit
def _linked_priors(shared: SharedCounts, rows: CountRows, known: WordPriors, n_topics: Any, floor: Any) -> Any:
    """Known priors plus Σ_u share_wu n_ku of every word, without topics below a share of the sum."""
    n_words = shared.start.shape[0] - 1
    start = np.zeros(n_words + 1, np.uint64)
    room = np.int64(known.topics.shape[0])
    for w in range(n_words):
        entries = np.int64(0)
        for link in range(shared.start[w], shared.start[w + 1]):
            first, last = row_bounds(rows, np.uint64(shared.sources[link]))
            entries += np.int64(last - first)
        room += min(entries, n_topics)
    topics, extra = np.empty(room, np.uint32), np.empty(room, np.float64)
    sums, listed = np.zeros(n_topics), np.empty(n_topics, np.uint32)
    n = 0
    for w in range(n_words):
        n_listed = 0
        for link in range(shared.start[w], shared.start[w + 1]):
            j, end = row_bounds(rows, np.uint64(shared.sources[link]))
            while j < end:
                k, count = entry_at(rows, j)
                if sums[k] == 0.0:
                    listed[n_listed] = k
                    n_listed += 1
                sums[k] += shared.share[link] * count
                j += _ONE
        total = 0.0
        for at in range(n_listed):
            total += sums[listed[at]]
        for at in range(n_listed):
            if sums[listed[at]] < floor * total:
                sums[listed[at]] = 0.0
        for j in range(known.start[w], known.start[w + 1]):
            k = known.topics[j]
            topics[n], extra[n] = k, known.extra[j] + sums[k]
            sums[k] = 0.0
            n += 1
        for at in range(n_listed):
            k = listed[at]
            if sums[k] > 0.0:
                topics[n], extra[n] = k, sums[k]
                sums[k] = 0.0
                n += 1
        start[w + 1] = n
    return start, topics[:n], extra[:n]
