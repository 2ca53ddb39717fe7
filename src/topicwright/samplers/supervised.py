"""The sampler of supervised topics: the conditional of LDA times exp of how well a topic serves the loss.

A loss comes as two numbers for each document and task, a linear A and a quadratic Q (:mod:`topicwright.losses`). For a
token that is out of all counts (LightMedLDA eq. 15)

    p(z = k | rest)  ∝  (n_dk + a_k) (n_kw + b_kw) / (n_k + B_k) · g(k) · exp{ Σ_l (A_l − Q_l m_l) η_lk − Q_l η_lk²/2 }

with m_l = Σ_k η_lk n_dk. That is dense in k. It is drawn from either exactly, in time K · L, or by a few Metropolis
steps with proposals that cost O(1): the topic of a random token of the document, that of a random token of the word, or
one from a table of exp{·} that is made once for a document. The table holds m at a constant that is free of z: with the
document's own m the proposal would depend on the very token that it moves, and the chain would not be exact.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._compile import hot_kernel, inline
from ..counts import move_in_row, row_bounds
from ..knowledge.factors import Place, Touched, moved_all, touch_all
from ..knowledge.limits import EVERY_TOPIC
from ._prefetch import prefetch
from .prior import extra_at, prior_of, sum_at
from .random import draw

_ZERO, _ONE, _TWO, _THREE, _FOUR = (np.uint64(n) for n in range(5))
DOC, WORD, EXP = _ZERO, _ONE, _TWO  # the three proposals


class Margin(NamedTuple):
    """The loss, as the sampler sees it: rows of tasks, padded with zeros to a width that suits the processor."""

    linear: NDArray[np.float64]  # A, by document
    quadratic: NDArray[np.float64]  # Q
    centre: NDArray[np.float64]  # the constant in place of m in the table of proposals
    scores: NDArray[np.float64]  # m
    eta: NDArray[np.float64]  # the weights, by topic


class ByWord(NamedTuple):
    """The assignments once more, word by word: those of word w are ``topics[start[w] : start[w + 1]]``."""

    start: NDArray[np.uint64]
    topics: NDArray[np.uint32]
    place: NDArray[np.uint32]  # where each token is among them


class Scratch(NamedTuple):
    """What a document needs while the sampler is in it."""

    in_doc: NDArray[np.float64]  # n_dk
    pull: NDArray[np.float64]  # A − Q m, by task
    quadratic: NDArray[np.float64]  # Q of the document, by task
    fixed_pull: NDArray[np.float64]  # A − Q centre
    bend: NDArray[np.float64]  # Σ_l Q η² / 2, by topic
    log_q: NDArray[np.float64]  # the table of proposals, by topic
    chance: NDArray[np.float64]  # the same as an alias table
    other: NDArray[np.uint32]
    weight: NDArray[np.float64]  # running sums of an exact draw
    stack: NDArray[np.uint32]
    proposed: NDArray[np.uint64]  # by step
    kind: NDArray[np.uint64]


class State(NamedTuple):
    """Assignments and counts, by token, word and topic."""

    tokens: NDArray[np.uint32]
    offsets: NDArray[np.uint64]
    assignments: NDArray[np.uint32]
    by_word: ByWord
    words: NDArray[Any]  # n_kw, a row for each word
    size: NDArray[np.int64]
    inverse: NDArray[np.float64]  # 1 / (n_k + B_k)
    alpha: NDArray[np.float64]
    alpha_chance: NDArray[np.float64]  # α as an alias table
    alpha_other: NDArray[np.uint32]


@hot_kernel
def sweep_supervised(
    state: State,
    beta: Any,
    beta_sum: Any,
    margin: Margin,
    factors: Any,
    counts: Any,
    touched: Touched,
    limits: Any,
    scratch: Scratch,
    steps: Any,
    in_cycle: Any,
    random: Any,
) -> Any:
    """Draw the topic of every token once, by so many Metropolis steps, or exactly where there are none.

    ``counts`` are the sparse rows that factors read, kept in step with the rest where there are factors.
    """
    n_topics = np.uint64(state.size.shape[0])
    n_moved = 0
    for d in range(np.uint64(state.offsets.shape[0]) - _ONE):
        first, last = state.offsets[d], state.offsets[d + _ONE]
        if first == last:
            continue
        enter(state, scratch, margin, d, first, last)
        if steps > _ZERO:
            tabulate(scratch, margin, d, n_topics)
        for i in range(first, last):
            w, old = np.uint64(state.tokens[i]), np.uint64(state.assignments[i])
            if i + _ONE < last:
                prefetch_count(state, np.uint64(state.tokens[i + _ONE]), np.uint64(state.assignments[i + _ONE]))
            is_free = limits is None or limits.sets[i] == EVERY_TOPIC
            if is_free and not propose_all(state, scratch, beta, d, w, i, old, steps, in_cycle, random):
                continue  # every step would leave it where it stands
            leave(state, scratch, margin, beta_sum, w, old)
            place = Place(i, d, w, old)
            if len(factors) > 0:
                touch_all(factors, place, counts, touched)
            if limits is not None and limits.sets[i] != EVERY_TOPIC:
                s = np.uint64(limits.sets[i])
                new = draw_in_set(state, scratch, margin, beta, touched, w, limits, s, random)
            elif steps > _ZERO:
                new = walk(state, scratch, margin, beta, touched, w, old, steps, random)
            else:
                new = draw_of_all(state, scratch, margin, beta, touched, w, n_topics, random)
            if len(factors) > 0:
                forget(touched)
            join(state, scratch, margin, beta_sum, w, new)
            state.assignments[i] = new
            if new != old:
                n_moved += 1
                state.by_word.topics[state.by_word.place[i]] = new
                if len(factors) > 0:
                    move_in_row(counts.words, w, old, new, row_bounds(counts.words, w)[1], n_topics)
                    move_in_row(counts.docs, d, old, new, row_bounds(counts.docs, d)[1], n_topics)
                    moved_all(factors, place, new)
        settle(scratch, margin, d, n_topics)
    return n_moved


# ---------------------------------------------------------------------- documents


@inline
def enter(state: State, scratch: Scratch, margin: Margin, d: Any, first: Any, last: Any) -> None:
    """Count a document's topics, and say where the loss pulls it."""
    for i in range(first, last):
        scratch.in_doc[state.assignments[i]] += 1.0
    for j in range(np.uint64(scratch.pull.shape[0])):
        scratch.quadratic[j] = margin.quadratic[d, j]
        scratch.pull[j] = margin.linear[d, j] - margin.quadratic[d, j] * margin.scores[d, j]
    for k in range(np.uint64(state.size.shape[0])):
        scratch.bend[k] = 0.5 * weighted_square(scratch.quadratic, margin.eta, k)


@inline
def settle(scratch: Scratch, margin: Margin, d: Any, n_topics: Any) -> None:
    """Leave a document: its scores anew from its counts, so that rounding can't add up."""
    width = np.uint64(scratch.pull.shape[0])
    for j in range(width):
        margin.scores[d, j] = 0.0
    for k in range(n_topics):
        count = scratch.in_doc[k]
        if count > 0.0:
            scratch.in_doc[k] = 0.0
            for j in range(width):
                margin.scores[d, j] += count * margin.eta[k, j]


@inline
def tabulate(scratch: Scratch, margin: Margin, d: Any, n_topics: Any) -> None:
    """The table of proposals: exp{Σ_l (A_l − Q_l centre_l) η_lk − Q_l η_lk² / 2}."""
    for j in range(np.uint64(scratch.pull.shape[0])):
        scratch.fixed_pull[j] = margin.linear[d, j] - margin.quadratic[d, j] * margin.centre[d, j]
    largest = -math.inf
    for k in range(n_topics):
        scratch.log_q[k] = dot(scratch.fixed_pull, margin.eta, k) - scratch.bend[k]
        largest = max(largest, scratch.log_q[k])
    total = 0.0
    for k in range(n_topics):
        scratch.log_q[k] -= largest
        scratch.chance[k] = math.exp(scratch.log_q[k])
        total += scratch.chance[k]
    make_alias_table(scratch.chance, scratch.other, scratch.stack, total, n_topics)


@inline
def make_alias_table(chance: Any, other: Any, stack: Any, total: Any, n: Any) -> None:
    """Weights become an alias table in place (Walker 1977; Vose 1991): a draw takes one look at one of n columns."""
    small, large = _ZERO, n
    for k in range(n):
        chance[k] *= n / total
        other[k] = k
        if chance[k] < 1.0:
            stack[small] = k
            small += _ONE
        else:
            large -= _ONE
            stack[large] = k
    while small > _ZERO and large < n:
        small -= _ONE
        poor, rich = np.uint64(stack[small]), np.uint64(stack[large])
        other[poor] = rich
        chance[rich] -= 1.0 - chance[poor]
        if chance[rich] < 1.0:
            stack[small] = rich
            small += _ONE
            large += _ONE
    while small > _ZERO:  # what rounding left over
        small -= _ONE
        chance[stack[small]] = 1.0


# ---------------------------------------------------------------------- tokens


@inline
def leave(state: State, scratch: Scratch, margin: Margin, beta_sum: Any, w: Any, k: Any) -> None:
    """Take a token out of all counts and out of the scores."""
    scratch.in_doc[k] -= 1.0
    state.words[w, k] -= 1
    state.size[k] -= 1
    state.inverse[k] = 1.0 / (np.float64(state.size[k]) + sum_at(beta_sum, k))
    for j in range(np.uint64(scratch.pull.shape[0])):
        scratch.pull[j] += scratch.quadratic[j] * margin.eta[k, j]


@inline
def join(state: State, scratch: Scratch, margin: Margin, beta_sum: Any, w: Any, k: Any) -> None:
    """Put a token in."""
    scratch.in_doc[k] += 1.0
    state.words[w, k] += 1
    state.size[k] += 1
    state.inverse[k] = 1.0 / (np.float64(state.size[k]) + sum_at(beta_sum, k))
    for j in range(np.uint64(scratch.pull.shape[0])):
        scratch.pull[j] -= scratch.quadratic[j] * margin.eta[k, j]


@inline
def plain_weight(state: State, scratch: Scratch, beta: Any, touched: Touched, w: Any, k: Any) -> Any:
    """LDA's weight of a topic, with knowledge but without the loss."""
    in_topic = np.float64(state.words[w, k]) + prior_of(beta, w) + extra_at(beta, state.words, w, k)
    return (scratch.in_doc[k] + state.alpha[k]) * in_topic * state.inverse[k] * touched.ratio[k]


@inline
def score(scratch: Scratch, margin: Margin, k: Any) -> Any:
    """How well a topic serves the loss, as a logarithm."""
    return dot(scratch.pull, margin.eta, k) - scratch.bend[k]


@inline
def draw_of_all(
    state: State, scratch: Scratch, margin: Margin, beta: Any, touched: Touched, w: Any, n: Any, random: Any
) -> Any:
    """A topic from the conditional itself."""
    largest = -math.inf
    for k in range(n):
        scratch.log_q[k] = score(scratch, margin, k)
        largest = max(largest, scratch.log_q[k])
    total = 0.0
    for k in range(n):
        total += plain_weight(state, scratch, beta, touched, w, k) * math.exp(scratch.log_q[k] - largest)
        scratch.weight[k] = total
    return find(scratch.weight, n, draw(random) * total)


@inline
def draw_in_set(
    state: State,
    scratch: Scratch,
    margin: Margin,
    beta: Any,
    touched: Touched,
    w: Any,
    limits: Any,
    s: Any,
    random: Any,
) -> Any:
    """The same for a token that may only have the topics of a set."""
    first = limits.start[s]
    n = limits.start[s + _ONE] - first
    largest = -math.inf
    for j in range(n):
        largest = max(largest, score(scratch, margin, np.uint64(limits.topics[first + j])))
    total = 0.0
    for j in range(n):
        k = np.uint64(limits.topics[first + j])
        weight = plain_weight(state, scratch, beta, touched, w, k)
        total += weight * math.exp(score(scratch, margin, k) - largest)
        scratch.weight[j] = total
    return np.uint64(limits.topics[first + find(scratch.weight, n, draw(random) * total)])


@inline
def propose_all(
    state: State,
    scratch: Scratch,
    beta: Any,
    d: Any,
    w: Any,
    i: Any,
    old: Any,
    steps: Any,
    in_cycle: Any,
    random: Any,
) -> Any:
    """Propose the topics of all steps, so that memory is asked for in time; returns whether the token may move.

    No proposal depends on where the steps before have led, but for that of the token itself, which stands for staying.
    """
    none = np.uint64(state.size.shape[0])
    may_move = steps == _ZERO  # an exact draw
    for j in range(steps):
        u = draw(random) * 3.0
        kind = np.uint64(u)
        if in_cycle:
            kind = j % _THREE
        scratch.kind[j] = kind
        t = propose(state, scratch, beta, d, w, i, kind, u - np.floor(u), random, none)
        scratch.proposed[j] = t
        if t != none and t != old:
            may_move = True
            prefetch_count(state, w, t)
    return may_move


@inline
def walk(
    state: State,
    scratch: Scratch,
    margin: Margin,
    beta: Any,
    touched: Touched,
    w: Any,
    old: Any,
    steps: Any,
    random: Any,
) -> Any:
    """A topic by Metropolis steps from the old one, along what was proposed."""
    none = np.uint64(state.size.shape[0])
    s = old
    score_s, weight_s = score(scratch, margin, s), plain_weight(state, scratch, beta, touched, w, s)
    b_w = prior_of(beta, w)
    for j in range(steps):
        t, kind = scratch.proposed[j], scratch.kind[j]
        if t in (s, none):  # "none" is the token itself, and so where it stands
            continue
        score_t, weight_t = score(scratch, margin, t), plain_weight(state, scratch, beta, touched, w, t)
        gain = score_t - score_s
        q_s: Any = 1.0
        q_t: Any = 1.0
        if kind == DOC:
            q_s, q_t = scratch.in_doc[s] + state.alpha[s], scratch.in_doc[t] + state.alpha[t]
        elif kind == WORD:
            q_s, q_t = np.float64(state.words[w, s]) + b_w, np.float64(state.words[w, t]) + b_w
        else:
            gain += scratch.log_q[s] - scratch.log_q[t]
        if draw(random) * weight_s * q_t < weight_t * q_s * math.exp(gain):
            s, score_s, weight_s = t, score_t, weight_t
    return s


@inline
def propose(
    state: State, scratch: Scratch, beta: Any, d: Any, w: Any, i: Any, kind: Any, u: Any, random: Any, none: Any
) -> Any:
    """A topic of a random token of the document or word, or one in proportion to the prior; or one from the table."""
    n_topics = none
    if kind == EXP:
        return alias_draw(scratch.chance, scratch.other, n_topics, u, random)
    if kind == DOC:
        first = state.offsets[d]
        n = state.offsets[d + _ONE] - first
        place = u * (np.float64(n) + state.alpha_chance[n_topics])  # the sum of α stands behind its table
        if place >= np.float64(n):
            rest = draw(random)
            return alias_draw(state.alpha_chance, state.alpha_other, n_topics, rest, random)
        at = first + np.uint64(place)
        return none if at == i else np.uint64(state.assignments[at])
    else:
        first = state.by_word.start[w]
        n = state.by_word.start[w + _ONE] - first
        place = u * (np.float64(n) + prior_of(beta, w) * np.float64(n_topics))
        if place >= np.float64(n):
            return min(np.uint64(draw(random) * n_topics), n_topics - _ONE)
        at = first + np.uint64(place)
        return none if at == np.uint64(state.by_word.place[i]) else np.uint64(state.by_word.topics[at])


@inline
def alias_draw(chance: Any, other: Any, n: Any, u: Any, random: Any) -> Any:
    """One draw from an alias table."""
    column = min(np.uint64(u * n), n - _ONE)
    return column if draw(random) < chance[column] else np.uint64(other[column])


# ---------------------------------------------------------------------- small things


@inline
def dot(pull: Any, eta: Any, k: Any) -> Any:
    """Σ_l pull_l η_lk; four sums side by side, in a fixed order."""
    n = np.uint64(pull.shape[0])
    if n < _FOUR:
        total = 0.0
        for i in range(n):
            total += pull[i] * eta[k, i]
        return total
    sum0 = sum1 = sum2 = sum3 = 0.0
    j = _ZERO
    while j < n:
        sum0 += pull[j] * eta[k, j]
        sum1 += pull[j + _ONE] * eta[k, j + _ONE]
        sum2 += pull[j + _TWO] * eta[k, j + _TWO]
        sum3 += pull[j + _THREE] * eta[k, j + _THREE]
        j += _FOUR
    return (sum0 + sum1) + (sum2 + sum3)


@inline
def weighted_square(quadratic: Any, eta: Any, k: Any) -> Any:
    """Σ_l Q_l η_lk²; in order as :func:`dot`."""
    n = np.uint64(quadratic.shape[0])
    if n < _FOUR:
        total = 0.0
        for i in range(n):
            total += quadratic[i] * eta[k, i] * eta[k, i]
        return total
    sum0 = sum1 = sum2 = sum3 = 0.0
    j = _ZERO
    while j < n:
        sum0 += quadratic[j] * eta[k, j] * eta[k, j]
        sum1 += quadratic[j + _ONE] * eta[k, j + _ONE] * eta[k, j + _ONE]
        sum2 += quadratic[j + _TWO] * eta[k, j + _TWO] * eta[k, j + _TWO]
        sum3 += quadratic[j + _THREE] * eta[k, j + _THREE] * eta[k, j + _THREE]
        j += _FOUR
    return (sum0 + sum1) + (sum2 + sum3)


@inline
def find(sums: Any, n: Any, u: Any) -> Any:
    """The first place whose running sum is above u."""
    j = _ZERO
    while j + _ONE < n and sums[j] <= u:
        j += _ONE
    return j


@inline
def forget(touched: Touched) -> None:
    """No topic is named any more."""
    for j in range(touched.size[0]):
        k = touched.topics[j]
        touched.ratio[k] = 1.0
        touched.is_in[k] = 0
    touched.size[0] = _ZERO


@inline
def prefetch_count(state: State, w: Any, k: Any) -> None:
    """Ask for a count before it is needed."""
    prefetch(state.words, w * np.uint64(state.words.shape[1]) + k)


def make_alias(weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
    """An alias table of its own for some weights."""
    chance, other = weights.astype(np.float64), np.zeros(len(weights), np.uint32)
    _make_alias(chance, other, np.zeros(len(weights), np.uint32), float(weights.sum()), np.uint64(len(weights)))
    return chance, other


@hot_kernel
def _make_alias(chance: Any, other: Any, stack: Any, total: Any, n: Any) -> None:
    make_alias_table(chance, other, stack, total, n)
