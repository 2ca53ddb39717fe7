"""Metropolis steps of MedLDA: proposals that cost O(1), and their acceptance.

In a Metropolis step from s to t the token stays in all counts: with δ = η_t − η_s the loss gains

    Σ_l δ_l (A_l − Q_l m_l − Q_l δ_l / 2),    m with the token at s,

so a rejected step costs one pass over the tasks, and nothing has to be restored. The proposal density cancels against
the same term of the conditional, so that a word proposal does not read the table of counts, and one from the table of
exp{·} leaves Σ_l δ_l Q_l (center_l − m_l + η_ls).

The kinds of proposals and the draws from the table depend on no topic. They are planned for the tokens of a document at
once, before the topics of any token are drawn.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._utils.numba import jit_inline, jit_noalloc
from ...knowledge.factors import TopicMultipliers
from ..intrinsics import gain_over_proposal, move_gain, prefetch
from ..priors import extra_at, has_extra, word_prior
from ..random import draw
from .state import CHUNK, LossTerms, MedLDAScratch, MedLDAState, move_token, prefetch_count, token_at

_ZERO, _ONE, _TWO = (np.uint64(n) for n in range(3))
DOC, WORD, EXP = _ZERO, _ONE, _TWO  # the three proposals
_CHUNK = np.uint64(CHUNK)
_IS_TOPIC = np.uint64(1 << 63)  # marks a proposal that is a topic, not the position of a token whose topic it is


class ProposalTable(NamedTuple):
    """Workspace of the table of proposals of a document."""

    probability: NDArray[np.float64]  # alias table
    alias: NDArray[np.uint32]
    stack: NDArray[np.uint32]


def new_table(n_topics: int) -> ProposalTable:
    """Workspace for some topics."""
    return ProposalTable(np.zeros(n_topics), np.zeros(n_topics, np.uint32), np.zeros(n_topics, np.uint32))


@jit_noalloc
def plan_proposals(
    offsets: Any, terms: LossTerms, table: ProposalTable, kinds: Any, first: Any, last: Any, plan: Any, random: Any
) -> None:
    """Plan the proposals of the tokens of some documents: a topic from the table, or the number of topics plus a kind.

    ``plan`` has a row for each token and a column for each step. The kind of a step is drawn for some tokens at a time.
    """
    n_topics, n_kinds = np.uint64(table.alias.shape[0]), np.uint64(kinds.shape[0])
    for d in range(first, last):
        if offsets[d] < offsets[d + _ONE]:
            build_proposal_table(table, terms, d, n_topics)
        for i in range(offsets[d], offsets[d + _ONE], _CHUNK):
            end = min(i + _CHUNK, offsets[d + _ONE])
            for j in range(np.uint64(plan.shape[1])):
                kind = kinds[j % n_kinds] if n_kinds > _ZERO else np.uint64(draw(random) * 3.0)
                for at in range(i, end):
                    if kind == EXP:
                        plan[at, j] = alias_draw(table.probability, table.alias, n_topics, random)
                    else:
                        plan[at, j] = n_topics + kind


@jit_inline
def build_proposal_table(table: ProposalTable, terms: LossTerms, d: Any, n_topics: Any) -> None:
    """Build the table of proposals exp{Σ_l (A_l − Q_l center_l) η_lk − Q_l η_lk² / 2}."""
    largest = -math.inf
    for k in range(n_topics):
        table.probability[k] = move_gain(terms.center_gradient[d], terms.quadratic[d], terms.eta, n_topics, k)
        largest = max(largest, table.probability[k])
    total = 0.0
    for k in range(n_topics):
        table.probability[k] = math.exp(table.probability[k] - largest)
        total += table.probability[k]
    build_alias_table(table.probability, table.alias, table.stack, total, n_topics)


@jit_inline
def propose(
    state: MedLDAState,
    scratch: MedLDAScratch,
    beta: Any,
    order: Any,
    plan: Any,
    d: Any,
    first: Any,
    last: Any,
    random: Any,
) -> None:
    """Draw the proposals of some tokens ahead, and prefetch the memory that they need.

    Proposals that are drawn ahead do not depend on any topic: they are the position of a token, whose topic is read
    later, or a topic from a fixed table. The position of the token itself proposes no change.
    """
    n_topics, steps = np.uint64(state.alpha.shape[0]), np.uint64(plan.shape[1])
    for j in range(steps):
        for nth in range(last - first):
            i = token_at(order, first + nth)
            planned, to = np.uint64(plan[i, j]), j * _CHUNK + nth
            if planned < n_topics:
                scratch.proposed[to] = _IS_TOPIC + planned
            elif planned == n_topics + DOC:
                scratch.proposed[to] = propose_from_document(state, d, random)
            else:
                at = propose_from_word(state, beta, np.uint64(state.tokens[i]), random)
                scratch.proposed[to] = at
                if at < _IS_TOPIC:
                    prefetch(state.by_word.topics, at)
    for nth in range(last - first):
        i = token_at(order, first + nth)
        w = np.uint64(state.tokens[i])
        prefetch_count(state, w, np.uint64(state.assignments[i]))
        for j in range(steps):
            prefetch_count(
                state, w, resolve_proposal(state, plan[i, j] == n_topics + DOC, scratch.proposed[j * _CHUNK + nth])
            )


@jit_inline
def propose_from_document(state: MedLDAState, d: Any, random: Any) -> Any:
    """Position of a random token of a document, or a topic in proportion to α."""
    first = state.offsets[d]
    n = np.float64(state.offsets[d + _ONE] - first)
    n_topics = np.uint64(state.alpha.shape[0])
    place = draw(random) * (n + state.alpha_probability[n_topics])  # the sum of α is the last entry of its table
    if place >= n:
        return _IS_TOPIC + alias_draw(state.alpha_probability, state.alpha_alias, n_topics, random)
    return first + np.uint64(place)


@jit_inline
def propose_from_word(state: MedLDAState, beta: Any, w: Any, random: Any) -> Any:
    """Position of a random token of a word, or a uniform topic."""
    first = state.by_word.start[w]
    n = np.float64(state.by_word.start[w + _ONE] - first)
    n_topics = np.uint64(state.alpha.shape[0])
    place = draw(random) * (n + word_prior(beta, w) * np.float64(n_topics))
    if place >= n:
        return _IS_TOPIC + min(np.uint64(draw(random) * n_topics), n_topics - _ONE)
    return first + np.uint64(place)


@jit_inline
def resolve_proposal(state: MedLDAState, is_doc: Any, proposed: Any) -> Any:
    """Topic of a proposal."""
    if proposed >= _IS_TOPIC:
        return proposed - _IS_TOPIC
    return np.uint64(state.assignments[proposed]) if is_doc else np.uint64(state.by_word.topics[proposed])


@jit_inline
def metropolis_walk(
    state: MedLDAState,
    scratch: MedLDAScratch,
    terms: LossTerms,
    beta: Any,
    factors: Any,
    pseudo: Any,
    multipliers: TopicMultipliers,
    plan: Any,
    i: Any,
    nth: Any,
    w: Any,
    old: Any,
    random: Any,
) -> Any:
    """Draw a topic by Metropolis steps from the old one with the proposals of :func:`propose`; updates all counts."""
    b_w = word_prior(beta, w)
    s = old
    n_topics = np.uint64(state.alpha.shape[0])
    for j in range(np.uint64(plan.shape[1])):
        kind = np.uint64(plan[i, j])
        kind = kind - n_topics if kind >= n_topics else EXP
        t = resolve_proposal(state, kind == DOC, scratch.proposed[j * _CHUNK + nth])
        if t == s:
            continue
        to_t, to_s = state.total[s] - 1.0, state.total[t]  # conditional over proposal density, of t and of s
        if kind == EXP:
            gain = gain_over_proposal(scratch.gradient, scratch.center_gradient, scratch.quadratic, terms.eta, s, t)
        else:
            gain = move_gain(scratch.gradient, scratch.quadratic, terms.eta, s, t)
        if kind != DOC or pseudo is not None:
            to_t *= scratch.in_doc[t] + scratch.alpha[t]
            to_s *= scratch.in_doc[s] - 1.0 + scratch.alpha[s]
            if kind == DOC:
                to_t *= scratch.in_doc[s] - 1.0 + state.alpha[s]
                to_s *= scratch.in_doc[t] + state.alpha[t]
        if kind != WORD or has_extra(beta):
            in_t, in_s = np.float64(state.words[w, t]) + b_w, np.float64(state.words[w, s]) - 1.0 + b_w
            to_t *= in_t + extra_at(beta, w, t)
            to_s *= in_s + extra_at(beta, w, s)
            if kind == WORD:
                to_t *= in_s
                to_s *= in_t
        if len(factors) > 0:
            to_t *= multipliers.ratio[t]
            to_s *= multipliers.ratio[s]
        if draw(random) * to_s < to_t * math.exp(gain):
            move_token(state, scratch, terms, i, w, s, t)
            s = t
    return s


# ---------------------------------------------------------------------- alias tables


@jit_inline
def build_alias_table(probability: Any, alias: Any, stack: Any, total: Any, n: Any) -> None:
    """Turn weights into an alias table in place (Walker 1977; Vose 1991), from which a draw costs O(1)."""
    small, large = _ZERO, n
    for k in range(n):
        probability[k] *= n / total
        alias[k] = k
        if probability[k] < 1.0:
            stack[small] = k
            small += _ONE
        else:
            large -= _ONE
            stack[large] = k
    while small > _ZERO and large < n:
        small -= _ONE
        poor, rich = np.uint64(stack[small]), np.uint64(stack[large])
        alias[poor] = rich
        probability[rich] -= 1.0 - probability[poor]
        if probability[rich] < 1.0:
            stack[small] = rich
            small += _ONE
            large += _ONE
    while small > _ZERO:  # left over by rounding
        small -= _ONE
        probability[stack[small]] = 1.0


@jit_inline
def alias_draw(probability: Any, alias: Any, n: Any, random: Any) -> Any:
    """One draw from an alias table."""
    u = draw(random) * n
    column = min(np.uint64(u), n - _ONE)
    return column if u - np.float64(column) < probability[column] else np.uint64(alias[column])


def alias_table(weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
    """Alias table of some weights."""
    probability, alias = weights.astype(np.float64), np.zeros(len(weights), np.uint32)
    _build_alias_table(
        probability, alias, np.zeros(len(weights), np.uint32), float(weights.sum()), np.uint64(len(weights))
    )
    return probability, alias


@jit_noalloc
def _build_alias_table(probability: Any, alias: Any, stack: Any, total: Any, n: Any) -> None:
    build_alias_table(probability, alias, stack, total, n)
