"""Kernel of MedLDA: the conditional of LDA times the pseudo-likelihood of the targets, and its exact draws.

A loss comes as two numbers for each document and task, a linear A and a quadratic Q (:mod:`topicwright.losses`). For a
token that is removed from all counts (LightMedLDA eq. 15)

    p(z = k | rest)  ∝  (n_dk + a_k) (n_kw + b_kw) / (n_k + B_k) · g(k) · exp{ Σ_l (A_l − Q_l m_l) η_lk − Q_l η_lk²/2 }

with m_l = Σ_k η_lk n_dk. It is dense in k. A topic is drawn either exactly, in time K · L, or by a few Metropolis steps
with proposals that cost O(1): the topic of a random token of the document, that of a random token of the word, or one
from a table of exp{·} that is built once for a document. The table uses a constant in place of m: with the m of the
document, the proposal would depend on the token that it moves, and the chain would not be exact.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._utils.count_rows import move_in_row, row_bounds
from ..._utils.numba import jit_inline, jit_noalloc
from ...knowledge.allowed_topics import EVERY_TOPIC
from ...knowledge.factors import TokenContext, TopicMultipliers, apply_factors, notify_factors
from ..intrinsics import move_gain
from ..priors import extra_at, word_prior
from ..random import draw
from .metropolis import metropolis_walk, propose
from .state import (
    CHUNK,
    LossTerms,
    MedLDAScratch,
    MedLDAState,
    add_pseudo_counts,
    enter_document,
    insert_token,
    leave_document,
    remove_token,
    token_at,
)

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_CHUNK = np.uint64(CHUNK)


@jit_noalloc
def sweep_medlda(
    state: MedLDAState,
    order: Any,
    starts: Any,
    first_doc: Any,
    last_doc: Any,
    beta: Any,
    terms: LossTerms,
    factors: Any,
    counts: Any,
    multipliers: TopicMultipliers,
    allowed: Any,
    pseudo: Any,
    scratch: MedLDAScratch,
    plan: Any,
    random: Any,
) -> Any:
    """Draw the topic of every token of a cell once, by Metropolis steps, or exactly if there are no steps in the plan.

    The tokens of the n-th document are ``order[starts[n] : starts[n + 1]]``, or these themselves if the order is None.
    ``counts`` are the sparse rows that factors read, updated where there are factors; ``pseudo`` are shares of the
    counts of linked documents, or None. The state may have more documents than the loss terms.
    """
    n_topics = np.uint64(state.alpha.shape[0])
    steps = np.uint64(plan.shape[1])
    n_moved = 0
    for d in range(first_doc, last_doc):
        start, end = starts[d - first_doc], starts[d - first_doc + _ONE]
        if start == end:
            continue
        first, last = state.offsets[d], state.offsets[d + _ONE]
        enter_document(state, scratch, terms, d, first, last)
        if pseudo is not None:
            add_pseudo_counts(state, scratch, pseudo, d)
        for j in range(start, end):
            nth = (j - start) % _CHUNK
            if steps > _ZERO and nth == _ZERO:
                propose(state, scratch, beta, order, plan, d, j, min(j + _CHUNK, end), random)
            i = token_at(order, j)
            w, old = np.uint64(state.tokens[i]), np.uint64(state.assignments[i])
            place = TokenContext(i, d, w, old)
            if len(factors) > 0:
                apply_factors(factors, place, counts, multipliers)
            if allowed is not None and allowed.sets[i] != EVERY_TOPIC:
                remove_token(state, scratch, terms, w, old)
                new = draw_allowed(
                    state, scratch, terms, beta, multipliers, w, allowed, np.uint64(allowed.sets[i]), random
                )
                insert_token(state, scratch, terms, i, w, new)
            elif steps > _ZERO:
                new = metropolis_walk(
                    state, scratch, terms, beta, factors, pseudo, multipliers, plan, i, nth, w, old, random
                )
            else:
                remove_token(state, scratch, terms, w, old)
                new = draw_topic(state, scratch, terms, beta, multipliers, w, n_topics, random)
                insert_token(state, scratch, terms, i, w, new)
            if len(factors) > 0:
                clear_multipliers(multipliers)
            if new != old:
                n_moved += 1
                if len(factors) > 0:
                    move_in_row(counts.words, w, old, new, row_bounds(counts.words, w)[1], n_topics)
                    move_in_row(counts.docs, d, old, new, row_bounds(counts.docs, d)[1], n_topics)
                    notify_factors(factors, place, new)
        leave_document(state, scratch, terms, d, first, last)
    return n_moved


# ---------------------------------------------------------------------- exact draws


@jit_inline
def lda_weight(
    state: MedLDAState, scratch: MedLDAScratch, beta: Any, multipliers: TopicMultipliers, w: Any, k: Any
) -> Any:
    """Weight of a topic in LDA, with knowledge but without the loss."""
    in_topic = np.float64(state.words[w, k]) + word_prior(beta, w) + extra_at(beta, w, k)
    return (scratch.in_doc[k] + scratch.alpha[k]) * in_topic / state.total[k] * multipliers.ratio[k]


@jit_inline
def loss_score(scratch: MedLDAScratch, terms: LossTerms, k: Any) -> Any:
    """Log of the factor of the loss for a topic."""
    return move_gain(scratch.gradient, scratch.quadratic, terms.eta, np.uint64(terms.eta.shape[0]) - _ONE, k)


@jit_inline
def draw_topic(
    state: MedLDAState,
    scratch: MedLDAScratch,
    terms: LossTerms,
    beta: Any,
    multipliers: TopicMultipliers,
    w: Any,
    n: Any,
    random: Any,
) -> Any:
    """Draw a topic from the conditional."""
    largest = -math.inf
    for k in range(n):
        scratch.weight[k] = loss_score(scratch, terms, k)
        largest = max(largest, scratch.weight[k])
    total = 0.0
    for k in range(n):
        total += lda_weight(state, scratch, beta, multipliers, w, k) * math.exp(scratch.weight[k] - largest)
        scratch.weight[k] = total
    return search_sums(scratch.weight, n, draw(random) * total)


@jit_inline
def draw_allowed(
    state: MedLDAState,
    scratch: MedLDAScratch,
    terms: LossTerms,
    beta: Any,
    multipliers: TopicMultipliers,
    w: Any,
    allowed: Any,
    s: Any,
    random: Any,
) -> Any:
    """Draw a topic for a token with a set of allowed topics."""
    first = allowed.start[s]
    n = allowed.start[s + _ONE] - first
    largest = -math.inf
    for j in range(n):
        scratch.weight[j] = loss_score(scratch, terms, np.uint64(allowed.topics[first + j]))
        largest = max(largest, scratch.weight[j])
    total = 0.0
    for j in range(n):
        k = np.uint64(allowed.topics[first + j])
        weight = lda_weight(state, scratch, beta, multipliers, w, k)
        total += weight * math.exp(scratch.weight[j] - largest)
        scratch.weight[j] = total
    return np.uint64(allowed.topics[first + search_sums(scratch.weight, n, draw(random) * total)])


@jit_inline
def search_sums(sums: Any, n: Any, u: Any) -> Any:
    """First index whose running sum is above u."""
    j = _ZERO
    while j + _ONE < n and sums[j] <= u:
        j += _ONE
    return j


@jit_inline
def clear_multipliers(multipliers: TopicMultipliers) -> None:
    """Reset the multipliers of all topics."""
    for j in range(multipliers.size[0]):
        k = multipliers.topics[j]
        multipliers.ratio[k] = 1.0
        multipliers.is_listed[k] = 0
    multipliers.size[0] = _ZERO
