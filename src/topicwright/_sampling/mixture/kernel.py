"""Kernels of the Dirichlet-multinomial mixture, in which all tokens of a document have one topic.

The conditional of a document's topic, with the document taken out of all counts (Nigam et al. 2000, Yin & Wang 2014):

    p(z_d = k | rest)  ∝  (m_k + a_k) (1 + e_dk) · Π_w Π_{j < n_dw} (n_kw + b_kw + j) / Π_{i < N_d} (n_k + B_k + i)
                          · Π_i g_i(k)

m_k is the number of documents of topic k, e_dk the pseudo-counts of the document, and g_i the product of the factors of
token i. Only topics in which a word occurs need a product: for the others it is the same.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._utils.count_rows import CountRows, entry_at, move_in_row, remove_from_row, row_bounds
from ..._utils.numba import jit_inline, jit_noalloc
from ...knowledge.allowed_topics import EVERY_TOPIC
from ...knowledge.factors import FactorCounts, TokenContext, TopicMultipliers, apply_factors, notify_factors
from ..priors import add_extra, has_extra, topic_prior_sum, word_prior
from ..random import draw

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_LARGE = 1e150  # products are taken into the logarithm from here on; one more ratio does not overflow


class MixtureScratch(NamedTuple):
    """Workspace by topic."""

    log_weight: NDArray[np.float64]
    product: NDArray[np.float64]  # ratios that are not in log_weight yet
    in_word: NDArray[np.float64]  # counts and pseudo-counts of the current word, zero between words
    added: NDArray[np.float64]  # pseudo-counts of the current document
    ones: NDArray[np.float64]


def new_scratch(n_topics: int) -> MixtureScratch:
    """Workspace between documents."""
    zeros = np.zeros((3, n_topics))
    return MixtureScratch(zeros[0], np.ones(n_topics), zeros[1], zeros[2], np.ones(n_topics))


@jit_noalloc
def sweep_mixture(
    tokens: Any,
    starts: Any,
    positions: Any,
    assignments: Any,
    words: CountRows,
    docs: CountRows,
    size: Any,
    n_docs: Any,
    alpha: Any,
    beta: Any,
    beta_sum: Any,
    factors: Any,
    multipliers: TopicMultipliers,
    allowed: Any,
    pseudo: Any,
    scratch: MixtureScratch,
    random: Any,
    first: Any,
    last: Any,
) -> Any:
    """Draw the topics of documents from ``first`` up to ``last``; returns the number of moved tokens.

    The tokens of a document are sorted by word. ``size`` and ``n_docs`` are the tokens and documents of each topic.
    An assignment of K means "none yet".
    """
    n_topics = np.uint64(alpha.shape[0])
    log_weight = scratch.log_weight
    n_moved = np.int64(0)
    for d in range(first, last):
        i0, i1 = starts[d], starts[d + _ONE]
        if i0 == i1:
            continue
        old = np.uint64(assignments[i0])
        n = np.int64(i1 - i0)

        # Take the document out of its topic.
        if old < n_topics:
            size[old] -= n
            n_docs[old] -= 1.0
            docs.entries[docs.start[d]] = _ZERO
            for i in range(i0, i1):
                remove_from_row(words, np.uint64(tokens[i]), old)

        # Draw from the conditional.
        for k in range(n_topics):
            total = np.float64(size[k]) + topic_prior_sum(beta_sum, k)
            log_weight[k] = math.log(n_docs[k] + alpha[k]) - math.lgamma(total + n) + math.lgamma(total)
        i = i0
        while i < i1:
            w = np.uint64(tokens[i])
            end = i + _ONE
            while end < i1 and tokens[end] == tokens[i]:
                end += _ONE
            multiply_word(words, beta, scratch, w, end - i)
            i = end
        flush_products(scratch)
        add_knowledge(tokens, positions, i0, i1, d, old, words, docs, factors, multipliers, allowed, pseudo, scratch)
        new = draw_document(log_weight, random)

        # Put it into the new one.
        size[new] += n
        n_docs[new] += 1.0
        for i in range(i0, i1):
            w = np.uint64(tokens[i])
            _, unknown = row_bounds(words, w)
            move_in_row(words, w, n_topics, new, unknown, n_topics)
            if new != old:
                assignments[i] = new
                notify_factors(factors, TokenContext(np.uint64(positions[i]), d, w, old), new)
        n_moved += n if new != old else np.int64(0)
        docs.entries[docs.start[d]] = _ONE
        docs.entries[docs.start[d] + _ONE] = (np.uint64(n) << np.uint64(docs.shift)) | new
    return n_moved


@jit_noalloc
def infer_mixture(
    tokens: Any,
    offsets: Any,
    first: Any,
    last: Any,
    words: CountRows,
    beta: Any,
    size: Any,
    alpha: Any,
    beta_sum: Any,
    positions: Any,
    rows: Any,
    factors: Any,
    docs: Any,
    multipliers: TopicMultipliers,
    allowed: Any,
    pseudo: Any,
    scratch: MixtureScratch,
    theta: Any,
) -> None:
    """Set ``theta[r]`` to the posterior of the topic of document ``rows[r]``, given the topics.

    A topic has a prior probability in proportion to its tokens.
    """
    n_topics = np.uint64(alpha.shape[0])
    log_weight = scratch.log_weight
    for r in range(first, last):
        d = np.uint64(rows[r])
        i0, i1 = offsets[d], offsets[d + _ONE]
        for k in range(n_topics):
            total = np.float64(size[k]) + topic_prior_sum(beta_sum, k)
            log_weight[k] = math.log(np.float64(size[k]) + alpha[k]) - np.float64(i1 - i0) * math.log(total)
        for i in range(i0, i1):
            multiply_word(words, beta, scratch, np.uint64(tokens[i]), _ONE)
        flush_products(scratch)
        add_knowledge(
            tokens, positions, i0, i1, d, n_topics, words, docs, factors, multipliers, allowed, pseudo, scratch
        )
        total = exponentiate(log_weight)
        for k in range(n_topics):
            theta[r, k] = log_weight[k] / total


@jit_inline
def multiply_word(words: CountRows, beta: Any, scratch: MixtureScratch, w: Any, times: Any) -> None:
    """Multiply by Π_{j < times} (n_kw + b_kw + j) / (b_w + j)."""
    in_word = scratch.in_word
    b = word_prior(beta, w)
    j, end = row_bounds(words, w)
    if has_extra(beta):
        while j < end:
            k, count = entry_at(words, j)
            in_word[k] = count
            j += _ONE
        add_extra(beta, w, 1.0, scratch.ones, in_word)
        for topic in range(in_word.shape[0]):
            multiply_topic(scratch, np.uint64(topic), in_word[topic], times, b)
            in_word[topic] = 0.0
    else:
        while j < end:
            k, count = entry_at(words, j)
            multiply_topic(scratch, k, count, times, b)
            j += _ONE


@jit_inline
def multiply_topic(scratch: MixtureScratch, k: Any, count: Any, times: Any, b: Any) -> None:
    """Multiply the product of one topic by Π_{j < times} (count + b + j) / (b + j)."""
    if count > 0.0:
        for j in range(times):
            scratch.product[k] *= 1.0 + count / (b + np.float64(j))
            if scratch.product[k] > _LARGE:
                scratch.log_weight[k] += math.log(scratch.product[k])
                scratch.product[k] = 1.0


@jit_inline
def flush_products(scratch: MixtureScratch) -> None:
    """Take all products into the logarithms."""
    for k in range(scratch.product.shape[0]):
        scratch.log_weight[k] += math.log(scratch.product[k])
        scratch.product[k] = 1.0


@jit_inline
def add_knowledge(
    tokens: Any,
    positions: Any,
    i0: Any,
    i1: Any,
    d: Any,
    old: Any,
    words: CountRows,
    docs: Any,
    factors: Any,
    multipliers: TopicMultipliers,
    allowed: Any,
    pseudo: Any,
    scratch: MixtureScratch,
) -> None:
    """Add the logarithms of factors and pseudo-counts, and −∞ for topics that are not allowed."""
    log_weight = scratch.log_weight
    if len(factors) > 0:
        for i in range(i0, i1):
            context = TokenContext(np.uint64(positions[i]), d, np.uint64(tokens[i]), old)
            apply_factors(factors, context, FactorCounts(words, docs), multipliers)
            for j in range(multipliers.size[0]):
                k = multipliers.topics[j]
                log_weight[k] += math.log(multipliers.ratio[k])
                multipliers.ratio[k] = 1.0
                multipliers.is_listed[k] = 0
            multipliers.size[0] = _ZERO
    if pseudo is not None:
        add_document_counts(docs, pseudo, d, scratch)
    if allowed is not None:
        keep_allowed(positions, i0, i1, allowed, scratch)


@jit_inline
def add_shared(docs: CountRows, shared: Any, d: Any, sums: Any) -> None:
    """Add the shares of the counts of linked documents to ``sums``."""
    for link in range(shared.start[d], shared.start[d + _ONE]):
        j, end = row_bounds(docs, np.uint64(shared.sources[link]))
        while j < end:
            k, count = entry_at(docs, j)
            sums[k] += shared.share[link] * count
            j += _ONE


@jit_inline
def add_document_counts(docs: CountRows, pseudo: Any, d: Any, scratch: MixtureScratch) -> None:
    """Add log(1 + e_dk), where e_dk are shares of linked documents' counts and the priors of seeds."""
    add_shared(docs, pseudo[0], d, scratch.added)
    for j in range(pseudo[1].start[d], pseudo[1].start[d + _ONE]):
        scratch.added[pseudo[1].topics[j]] += pseudo[1].extra[j]
    for k in range(scratch.added.shape[0]):
        scratch.log_weight[k] += math.log(1.0 + scratch.added[k])
        scratch.added[k] = 0.0


@jit_inline
def keep_allowed(positions: Any, i0: Any, i1: Any, allowed: Any, scratch: MixtureScratch) -> None:
    """Exclude all topics but those that most of the document's tokens with allowed topics may have."""
    most = 0.0
    for i in range(i0, i1):
        s = np.uint64(allowed.sets[positions[i]])
        if s != EVERY_TOPIC:
            for j in range(allowed.start[s], allowed.start[s + _ONE]):
                k = allowed.topics[j]
                scratch.added[k] += 1.0
                most = max(most, scratch.added[k])
    for k in range(scratch.added.shape[0]):
        if scratch.added[k] < most:
            scratch.log_weight[k] = -np.inf
        scratch.added[k] = 0.0


@jit_inline
def exponentiate(log_weight: Any) -> Any:
    """Replace logarithms by exponentials, of which the largest is 1; returns their sum."""
    largest, total = log_weight[_ZERO], 0.0
    for k in range(log_weight.shape[0]):
        largest = max(largest, log_weight[k])
    for k in range(log_weight.shape[0]):
        log_weight[k] = math.exp(log_weight[k] - largest)
        total += log_weight[k]
    return total


@jit_inline
def draw_document(log_weight: Any, random: Any) -> Any:
    """Draw a topic in proportion to the exponentials, which replace their logarithms."""
    u = draw(random) * exponentiate(log_weight)
    chosen = _ZERO
    for k in range(log_weight.shape[0]):
        if log_weight[k] > 0.0:
            chosen = np.uint64(k)
            u -= log_weight[k]
            if u < 0.0:
                break
    return chosen
