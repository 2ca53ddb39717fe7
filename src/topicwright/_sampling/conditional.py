"""The conditional distribution of a topic: weights of all topics, and the searches that draw one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.count_rows import CountRows, entry_at, row_bounds, row_sum, walk_row, walk_row_within, walk_row_without
from .._utils.numba import jit_inline
from ..knowledge.allowed_topics import AllowedTopics
from ..knowledge.factors import TopicMultipliers
from ..knowledge.priors import DocumentPriors, SharedCounts
from .priors import BetaSum, extra_sum, topic_prior_sum, walk_extra, word_prior
from .random import draw

_ZERO, _ONE = np.uint64(0), np.uint64(1)
BLOCK_BITS = np.uint64(8)  # weights are also summed in blocks of 256 topics, so that a draw need not pass all topics


class TopicWorkspace(NamedTuple):
    """Arrays by topic, with one more entry for tokens that have no topic yet."""

    size: NDArray[np.int64]  # n_k
    alpha: NDArray[np.float64]
    inverse: NDArray[np.float64]  # 1 / (n_k + B)
    inverse_less: NDArray[np.float64]  # 1 / (n_k - 1 + B): with one token taken out
    weight: NDArray[np.float64]  # (n_dk + a_k) / (n_k + B) in the current document
    block: NDArray[np.float64]  # sums of a_k / (n_k + B) over blocks of topics
    in_doc: NDArray[np.float64]  # n_dk
    listed: NDArray[np.uint32]  # topics with n_dk > 0, unordered
    where: NDArray[np.uint32]  # index of a topic in that list


def new_workspace(size: NDArray[np.int64], alpha: NDArray[np.float64], beta_sum: BetaSum) -> TopicWorkspace:
    """Workspace outside of any document."""
    n_topics = len(size)
    inverse = np.append(1.0 / (size + beta_sum), 0.0)
    with np.errstate(divide="ignore"):
        inverse_less = np.append(1.0 / (size - 1 + beta_sum), 0.0)
    weight = np.append(alpha, 0.0) * inverse
    block_of = np.arange(n_topics + 1) >> int(BLOCK_BITS)
    return TopicWorkspace(
        size=np.append(size, 0),
        alpha=np.append(alpha, 0.0),
        inverse=inverse,
        inverse_less=inverse_less,
        weight=weight,
        block=np.bincount(block_of, weights=weight).astype(np.float64),
        in_doc=np.zeros(n_topics + 1),
        listed=np.zeros(n_topics + 1, np.uint32),
        where=np.zeros(n_topics + 1, np.uint32),
    )


@jit_inline
def enter_document(topics: TopicWorkspace, docs: CountRows, d: Any) -> Any:
    """Load the counts of a document; returns its number of topics, and their part of the sum of weights."""
    r0, r1 = row_bounds(docs, d)
    n_listed = r1 - r0
    gained = 0.0
    for j in range(n_listed):
        entry = docs.entries[r0 + j]
        k = entry & docs.mask
        count = np.float64(np.int64(entry >> docs.shift))
        topics.listed[j] = k
        topics.where[k] = j
        topics.in_doc[k] = count
        part = count * topics.inverse[k]
        topics.weight[k] += part
        gained += part
    return n_listed, gained


class DocumentPseudoCounts(NamedTuple):
    """Pseudo-counts that are added to the counts of the current document."""

    shared: SharedCounts  # of linked documents
    priors: DocumentPriors  # of seed words
    added: NDArray[np.float64]  # to the current document, by topic


@jit_inline
def add_pseudo_counts(
    topics: TopicWorkspace, docs: CountRows, pseudo: DocumentPseudoCounts, d: Any, n_listed: Any
) -> Any:
    """Add shares of linked documents' counts and the priors of seeds; returns as :func:`enter_document`."""
    gained = 0.0
    for link in range(pseudo.shared.start[d], pseudo.shared.start[d + _ONE]):
        j, end = row_bounds(docs, pseudo.shared.sources[link])
        while j < end:
            k, count = entry_at(docs, j)
            more = pseudo.shared.share[link] * count
            n_listed = _add_pseudo_count(topics, pseudo, n_listed, k, more)
            gained += more * topics.inverse[k]
            j += _ONE
    for j in range(pseudo.priors.start[d], pseudo.priors.start[d + _ONE]):
        k = np.uint64(pseudo.priors.topics[j])
        n_listed = _add_pseudo_count(topics, pseudo, n_listed, k, pseudo.priors.extra[j])
        gained += pseudo.priors.extra[j] * topics.inverse[k]
    return n_listed, gained


@jit_inline
def _add_pseudo_count(topics: TopicWorkspace, pseudo: DocumentPseudoCounts, n_listed: Any, k: Any, more: Any) -> Any:
    if topics.in_doc[k] == 0.0:
        topics.where[k] = n_listed
        topics.listed[n_listed] = k
        n_listed += _ONE
    topics.in_doc[k] += more
    pseudo.added[k] += more
    topics.weight[k] += more * topics.inverse[k]
    return n_listed


@jit_inline
def remove_pseudo_counts(topics: TopicWorkspace, pseudo: DocumentPseudoCounts, n_listed: Any) -> Any:
    """Subtract the pseudo-counts; returns the number of topics of the document."""
    kept = _ZERO
    for j in range(n_listed):
        k = np.uint64(topics.listed[j])
        topics.in_doc[k] = np.rint(topics.in_doc[k] - pseudo.added[k])
        pseudo.added[k] = 0.0
        if topics.in_doc[k] > 0.0:
            topics.listed[kept] = k
            kept += _ONE
        else:
            topics.weight[k] = topics.alpha[k] * topics.inverse[k]
    return kept


@jit_inline
def leave_document(topics: TopicWorkspace, docs: CountRows, d: Any, n_listed: Any) -> None:
    """Store the counts of a document, in time proportional to its topics."""
    r0, _ = row_bounds(docs, d)
    for j in range(n_listed):
        k = np.uint64(topics.listed[j])
        docs.entries[r0 + j] = (np.uint64(topics.in_doc[k]) << np.uint64(docs.shift)) | k
        topics.in_doc[k] = 0.0
        topics.weight[k] = topics.alpha[k] * topics.inverse[k]
    docs.entries[docs.start[d]] = n_listed


@jit_inline
def remove_token(topics: TopicWorkspace, n_listed: Any, k: Any) -> Any:
    """Remove a token of topic k from the counts of the document; returns its number of topics."""
    topics.in_doc[k] -= 1.0
    if topics.in_doc[k] == 0.0:
        n_listed -= _ONE
        hole = topics.where[k]
        last = topics.listed[n_listed]
        topics.listed[hole] = last
        topics.where[last] = hole
    return n_listed


@jit_inline
def add_token(topics: TopicWorkspace, n_listed: Any, k: Any) -> Any:
    """Add a token of topic k to the counts of the document; returns its number of topics."""
    if topics.in_doc[k] == 0.0:
        topics.where[k] = n_listed
        topics.listed[n_listed] = k
        n_listed += _ONE
    topics.in_doc[k] += 1.0
    return n_listed


@jit_inline
def leave_topic(topics: TopicWorkspace, n_listed: Any, k: Any, beta_sum: Any) -> Any:
    """Remove a token from topic k, whose weight is reduced already; returns number of topics and block change."""
    n_listed = remove_token(topics, n_listed, k)
    topics.size[k] -= 1
    change = topics.alpha[k] * (topics.inverse_less[k] - topics.inverse[k])
    topics.inverse[k] = topics.inverse_less[k]
    topics.inverse_less[k] = 1.0 / (topics.size[k] - 1 + topic_prior_sum(beta_sum, k))
    topics.block[k >> BLOCK_BITS] += change
    return n_listed, change


@jit_inline
def enter_topic(topics: TopicWorkspace, n_listed: Any, k: Any, beta_sum: Any) -> Any:
    """Add a token to topic k; returns the number of topics and the block change."""
    n_listed = add_token(topics, n_listed, k)
    topics.size[k] += 1
    topics.inverse_less[k] = topics.inverse[k]
    topics.inverse[k] = 1.0 / (topics.size[k] + topic_prior_sum(beta_sum, k))
    change = topics.alpha[k] * (topics.inverse[k] - topics.inverse_less[k])
    topics.block[k >> BLOCK_BITS] += change
    topics.weight[k] = (topics.in_doc[k] + topics.alpha[k]) * topics.inverse[k]
    return n_listed, change


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
    extra = extra_sum(beta, w, weight)
    total = row_mass + extra + beta_w * weight_sum
    is_rejection = own < _MAX_REJECTION * total
    while True:
        u = draw(random) * (total if is_rejection else total - own)
        rest = u - (row_mass if is_rejection else row_mass - own)
        if rest >= 0.0:
            _, end = row_bounds(rows, w)
            if rest < extra:
                return walk_extra(beta, w, weight, rest), end
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
    extra = extra_sum(beta, w, inside)
    beta_w = word_prior(beta, w)
    u = draw(random) * (row_mass + extra + beta_w * weight_sum)
    new, at = no_topic(topics), end
    if u < row_mass:
        new, at = walk_row_within(rows, w, inside, old, own, u, new)
    elif u < row_mass + extra:
        new = walk_extra(beta, w, inside, u - row_mass)
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
