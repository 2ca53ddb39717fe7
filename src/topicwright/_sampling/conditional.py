"""The conditional distribution of a topic, and the searches that turn a random number into a topic."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._utils.count_rows import CountRows, row_bounds, row_sum, walk_row, walk_row_within, walk_row_without
from .._utils.numba import jit_inline
from ..knowledge.allowed_topics import AllowedTopics
from ..knowledge.factors import TopicMultipliers
from .priors import extra_sum, walk_extra, word_prior
from .random import draw
from .topic_weights import BLOCK_BITS, TopicWorkspace

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_FEW_TOPICS = np.uint64(512)  # up to here, passing all topics is fastest
_TRIES = 32
_MAX_REJECTION = 0.125  # share of draws that may be rejected


@jit_inline
def draw_topic(
    rows: CountRows,
    topics: TopicWorkspace,
    multipliers: TopicMultipliers,
    beta: Any,
    w: Any,
    old: Any,
    n_listed: Any,
    weight_sum: Any,
    outside_sum: Any,
    random: Any,
) -> Any:
    """Draw a topic for a token that is removed from all counts but those of its word; returns it and its row entry.

    The mass of the old topic in the row is too large by the weight of the token itself. Mostly that is little: then a
    draw that falls on it is rejected, which is faster than to compare with the old topic at every step of the search.
    """
    weight = topics.weight
    own = weight[old]
    beta_w = word_prior(beta, w)
    row_mass = row_sum(rows, w, weight)
    extra = extra_sum(beta, rows, w, weight)
    total = row_mass + extra + beta_w * weight_sum
    is_rejection = own < _MAX_REJECTION * total
    while True:
        u = draw(random) * (total if is_rejection else total - own)
        rest = u - (row_mass if is_rejection else row_mass - own)
        if rest >= 0.0:
            _, end = row_bounds(rows, w)
            if rest < extra:
                return walk_extra(beta, rows, w, weight, rest), end
            return walk_smoothing(topics, multipliers, n_listed, outside_sum, (rest - extra) / beta_w, random), end
        if not is_rejection:
            return walk_row_without(rows, w, weight, old, own, u)
        new, at, left = walk_row(rows, w, weight, u)
        if new != old or left > own:
            return new, at


@jit_inline
def draw_allowed(
    rows: CountRows, topics: TopicWorkspace, allowed: AllowedTopics, s: Any, beta: Any, w: Any, old: Any, random: Any
) -> Any:
    """As :func:`draw_topic`, for a token with a set of allowed topics; costs the lengths of the set and of the row.

    The weights of the set are copied to an array that is zero elsewhere, with which the row is summed.
    """
    first, last = allowed.start[s], allowed.start[s + _ONE]
    _, end = row_bounds(rows, w)
    if last - first == _ONE:
        return np.uint64(allowed.topics[first]), end
    inside = allowed.weight
    weight_sum = 0.0
    for j in range(first, last):
        k = allowed.topics[j]
        inside[k] = topics.weight[k]
        weight_sum += inside[k]
    own = inside[old]
    row_mass = max(0.0, row_sum(rows, w, inside) - own)
    extra = extra_sum(beta, rows, w, inside)
    beta_w = word_prior(beta, w)
    u = draw(random) * (row_mass + extra + beta_w * weight_sum)
    new, at = no_topic(topics), end
    if u < row_mass:
        new, at = walk_row_within(rows, w, inside, old, own, u, new)
    elif u < row_mass + extra:
        new = walk_extra(beta, rows, w, inside, u - row_mass)
    if new == no_topic(topics):
        new = walk_allowed(allowed, first, last, (u - row_mass - extra) / beta_w)
    for j in range(first, last):
        inside[allowed.topics[j]] = 0.0
    return new, at


@jit_inline
def no_topic(topics: TopicWorkspace) -> Any:
    """Number that stands for no topic."""
    return np.uint64(topics.size.shape[0]) - _ONE


@jit_inline
def walk_allowed(allowed: AllowedTopics, first: Any, last: Any, u: Any) -> Any:
    """Topic at ``u`` in the sum of the weights of a set."""
    for j in range(first, last):
        k = np.uint64(allowed.topics[j])
        u -= allowed.weight[k]
        if u < 0.0:
            return k
    return np.uint64(allowed.topics[last - _ONE])


@jit_inline
def walk_smoothing(
    topics: TopicWorkspace, multipliers: TopicMultipliers, n_listed: Any, outside_sum: Any, u: Any, random: Any
) -> Any:
    """Topic at ``u`` in the sum of all weights: topics of the document, then those of factors, then the others."""
    weight, in_doc = topics.weight, topics.in_doc
    for j in range(n_listed):
        k = np.uint64(topics.listed[j])
        u -= weight[k]
        if u < 0.0:
            return k
    for j in range(multipliers.size[0]):
        k = np.uint64(multipliers.topics[j])
        if in_doc[k] == 0.0:
            u -= weight[k]
            if u < 0.0:
                return k
    n_topics = np.uint64(topics.size.shape[0]) - _ONE
    if n_topics > _FEW_TOPICS:
        k = _search_blocks(topics, multipliers, outside_sum, random)
        if k < n_topics:
            return k
    return _search_all(topics, multipliers, n_topics, u)


@jit_inline
def _search_blocks(topics: TopicWorkspace, multipliers: TopicMultipliers, outside_sum: Any, random: Any) -> Any:
    """Topic outside of the document in proportion to a_k / (n_k + B); K if none was found in a few tries."""
    n_topics = np.uint64(topics.size.shape[0]) - _ONE
    for _ in range(_TRIES):
        u = draw(random) * outside_sum
        b = _ZERO
        last = np.uint64(topics.block.shape[0]) - _ONE
        while b < last and u >= topics.block[b]:
            u -= topics.block[b]
            b += _ONE
        k = b << BLOCK_BITS
        end = min(n_topics, k + (_ONE << BLOCK_BITS))
        while k < end:
            u -= topics.alpha[k] * topics.inverse[k]
            if u < 0.0:
                break
            k += _ONE
        if k < end and topics.in_doc[k] == 0.0 and multipliers.is_listed[k] == 0:
            return k
    return n_topics


@jit_inline
def _search_all(topics: TopicWorkspace, multipliers: TopicMultipliers, n_topics: Any, u: Any) -> Any:
    """Topic at ``u`` among those outside of the document; the last one if rounding leaves u too large."""
    chosen = n_topics
    for k in range(n_topics):
        if topics.in_doc[k] == 0.0 and multipliers.is_listed[k] == 0:
            if topics.weight[k] > 0.0:
                chosen = k
            u -= topics.weight[k]
            if u < 0.0:
                return k
    return chosen if chosen < n_topics else np.uint64(topics.listed[_ZERO])


@jit_inline
def apply_ratios(multipliers: TopicMultipliers, weight: Any) -> Any:
    """Multiply the weights of the topics of factors; returns the change of their sum."""
    change = 0.0
    for j in range(multipliers.size[0]):
        k = multipliers.topics[j]
        multipliers.unscaled[j] = weight[k]
        weight[k] *= multipliers.ratio[k]
        change += weight[k] - multipliers.unscaled[j]
    return change


@jit_inline
def undo_ratios(multipliers: TopicMultipliers, weight: Any) -> None:
    """Restore the weights, to the bit, and clear the multipliers."""
    for j in range(multipliers.size[0]):
        k = multipliers.topics[j]
        weight[k] = multipliers.unscaled[j]
        multipliers.ratio[k] = 1.0
        multipliers.is_listed[k] = 0
    multipliers.size[0] = _ZERO
