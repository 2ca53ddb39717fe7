"""The sampler of supervised topics: the conditional of LDA times exp of how well a topic serves the loss.

A loss comes as two numbers for each document and task, a linear A and a quadratic Q (:mod:`topicwright.losses`). For a
token that is out of all counts (LightMedLDA eq. 15)

    p(z = k | rest)  ∝  (n_dk + a_k) (n_kw + b_kw) / (n_k + B_k) · g(k) · exp{ Σ_l (A_l − Q_l m_l) η_lk − Q_l η_lk²/2 }

with m_l = Σ_k η_lk n_dk. That is dense in k. It is drawn from either exactly, in time K · L, or by a few Metropolis
steps with proposals that cost O(1): the topic of a random token of the document, that of a random token of the word, or
one from a table of exp{·} that is made once for a document. The table holds m at a constant that is free of z: with the
document's own m the proposal would depend on the very token that it moves, and the chain would not be exact.

In a Metropolis step from s to t the token stays in all counts: with δ = η_t − η_s the loss gains

    Σ_l δ_l (A_l − Q_l m_l − Q_l δ_l / 2),    m with the token at s,

so a step that is refused costs one pass over the tasks, and nothing has to be put back. What a proposal was drawn in
proportion to cancels against the same term of the conditional, so that a topic proposed by the word needs no look at
the table of counts.
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
from ._vectors import follow_move, gain_of_move
from .prior import extra_at, has_extra, prior_of
from .random import draw

_ZERO, _ONE, _TWO, _THREE = (np.uint64(n) for n in range(4))
DOC, WORD, EXP = _ZERO, _ONE, _TWO  # the three proposals
CHUNK = 16  # tokens whose proposals are made together
_CHUNK = np.uint64(CHUNK)
_KNOWN = np.uint64(1 << 63)  # marks a proposal that is a topic, and not yet the place where one stands


class Margin(NamedTuple):
    """The loss, as the sampler sees it: rows of tasks, filled up with zeros to a width that suits the processor."""

    linear: NDArray[np.float64]  # A, by document
    quadratic: NDArray[np.float64]  # Q
    centre: NDArray[np.float64]  # the constant in place of m in the table of proposals
    scores: NDArray[np.float64]  # m
    eta: NDArray[np.float64]  # the weights, by topic, and a last row of zeros for no topic at all


class ByWord(NamedTuple):
    """The assignments once more, word by word: those of word w are ``topics[start[w] : start[w + 1]]``."""

    start: NDArray[np.uint64]
    topics: NDArray[Any]
    place: NDArray[np.uint32]  # where each token is among them


class Scratch(NamedTuple):
    """What a document needs while the sampler is in it."""

    in_doc: NDArray[np.float64]  # n_dk
    alpha: NDArray[np.float64]  # α, with what other documents lend to this one
    pull: NDArray[np.float64]  # A − Q m, by task
    quadratic: NDArray[np.float64]  # Q of the document, by task
    fixed_pull: NDArray[np.float64]  # A − Q centre
    log_q: NDArray[np.float64]  # the table of proposals, by topic; or the scores of an exact draw
    chance: NDArray[np.float64]  # the same as an alias table
    other: NDArray[np.uint32]
    weight: NDArray[np.float64]  # running sums of an exact draw
    stack: NDArray[np.uint32]
    kind: NDArray[np.uint64]  # of proposal, by step
    proposed: NDArray[np.uint64]  # by step and token of a chunk


class State(NamedTuple):
    """Assignments and counts, by token, word and topic."""

    tokens: NDArray[np.uint32]
    offsets: NDArray[np.uint64]
    assignments: NDArray[np.uint32]
    by_word: ByWord
    words: NDArray[Any]  # n_kw, a row for each word
    total: NDArray[np.float64]  # n_k + B_k
    alpha: NDArray[np.float64]
    alpha_chance: NDArray[np.float64]  # α as an alias table
    alpha_other: NDArray[np.uint32]


@hot_kernel
def sweep_supervised(
    state: State,
    beta: Any,
    margin: Margin,
    factors: Any,
    counts: Any,
    touched: Touched,
    limits: Any,
    lent: Any,
    scratch: Scratch,
    steps: Any,
    kinds: Any,
    random: Any,
) -> Any:
    """Draw the topic of every token once, by so many Metropolis steps, or exactly where there are none.

    Proposals go round the ``kinds``; without any, the kind of a step is drawn, for some tokens at a time. ``counts``
    are the sparse rows that factors read, kept in step with the rest where there are factors; ``lent`` is what
    documents lend each other, or None. The state may have documents beyond those of the margin, which only lend.
    """
    n_topics = np.uint64(state.alpha.shape[0])
    n_moved = 0
    for d in range(np.uint64(margin.scores.shape[0])):
        first, last = state.offsets[d], state.offsets[d + _ONE]
        if first == last:
            continue
        enter(state, scratch, margin, d, first, last)
        if lent is not None:
            borrow(state, scratch, lent, d)
        if steps > _ZERO:
            tabulate(scratch, margin, d, n_topics)
        for i in range(first, last):
            nth = (i - first) % _CHUNK
            if steps > _ZERO and nth == _ZERO:
                propose(state, scratch, beta, d, i, min(i + _CHUNK, last), steps, kinds, random)
            w, old = np.uint64(state.tokens[i]), np.uint64(state.assignments[i])
            place = Place(i, d, w, old)
            if len(factors) > 0:
                touch_all(factors, place, counts, touched)
            if limits is not None and limits.sets[i] != EVERY_TOPIC:
                leave(state, scratch, margin, w, old)
                new = draw_in_set(state, scratch, margin, beta, touched, w, limits, np.uint64(limits.sets[i]), random)
                join(state, scratch, margin, i, w, new)
            elif steps > _ZERO:
                new = walk(state, scratch, margin, beta, factors, lent, touched, i, nth, w, old, steps, random)
            else:
                leave(state, scratch, margin, w, old)
                new = draw_of_all(state, scratch, margin, beta, touched, w, n_topics, random)
                join(state, scratch, margin, i, w, new)
            if len(factors) > 0:
                forget(touched)
            if new != old:
                n_moved += 1
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


@inline
def borrow(state: State, scratch: Scratch, lent: Any, d: Any) -> None:
    """α of a document, with shares of the counts of documents that lend to it."""
    for k in range(np.uint64(state.alpha.shape[0])):
        scratch.alpha[k] = state.alpha[k]
    for loan in range(lent.start[d], lent.start[d + _ONE]):
        lender = np.uint64(lent.lenders[loan])
        for i in range(state.offsets[lender], state.offsets[lender + _ONE]):
            scratch.alpha[state.assignments[i]] += lent.share[loan]


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
        scratch.log_q[k] = gain_of_move(scratch.fixed_pull, scratch.quadratic, margin.eta, n_topics, k)
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
def leave(state: State, scratch: Scratch, margin: Margin, w: Any, k: Any) -> None:
    """Take a token out of all counts and out of the scores."""
    scratch.in_doc[k] -= 1.0
    state.words[w, k] -= 1
    state.total[k] -= 1.0
    follow_move(scratch.pull, scratch.quadratic, margin.eta, k, np.uint64(state.alpha.shape[0]))


@inline
def join(state: State, scratch: Scratch, margin: Margin, i: Any, w: Any, k: Any) -> None:
    """Put a token in."""
    scratch.in_doc[k] += 1.0
    state.words[w, k] += 1
    state.total[k] += 1.0
    follow_move(scratch.pull, scratch.quadratic, margin.eta, np.uint64(state.alpha.shape[0]), k)
    write(state, i, k)


@inline
def move(state: State, scratch: Scratch, margin: Margin, i: Any, w: Any, s: Any, t: Any) -> None:
    """A token goes from one topic to another."""
    scratch.in_doc[s] -= 1.0
    scratch.in_doc[t] += 1.0
    state.words[w, s] -= 1
    state.words[w, t] += 1
    state.total[s] -= 1.0
    state.total[t] += 1.0
    follow_move(scratch.pull, scratch.quadratic, margin.eta, s, t)
    write(state, i, t)


@inline
def write(state: State, i: Any, k: Any) -> None:
    """Note the topic of a token, in both orders."""
    state.assignments[i] = k
    state.by_word.topics[state.by_word.place[i]] = k


@inline
def plain_weight(state: State, scratch: Scratch, beta: Any, touched: Touched, w: Any, k: Any) -> Any:
    """LDA's weight of a topic, with knowledge but without the loss."""
    in_topic = np.float64(state.words[w, k]) + prior_of(beta, w) + extra_at(beta, state.words, w, k)
    return (scratch.in_doc[k] + scratch.alpha[k]) * in_topic / state.total[k] * touched.ratio[k]


@inline
def score(scratch: Scratch, margin: Margin, k: Any) -> Any:
    """How well a topic serves the loss, as a logarithm."""
    return gain_of_move(scratch.pull, scratch.quadratic, margin.eta, np.uint64(margin.eta.shape[0]) - _ONE, k)


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
        k = np.uint64(limits.topics[first + j])
        scratch.log_q[j] = score(scratch, margin, k)
        largest = max(largest, scratch.log_q[j])
    total = 0.0
    for j in range(n):
        k = np.uint64(limits.topics[first + j])
        weight = plain_weight(state, scratch, beta, touched, w, k)
        total += weight * math.exp(scratch.log_q[j] - largest)
        scratch.weight[j] = total
    return np.uint64(limits.topics[first + find(scratch.weight, n, draw(random) * total)])


# ---------------------------------------------------------------------- Metropolis steps


@inline
def propose(
    state: State,
    scratch: Scratch,
    beta: Any,
    d: Any,
    first: Any,
    last: Any,
    steps: Any,
    kinds: Any,
    random: Any,
) -> None:
    """Make the proposals of some tokens ahead, and ask for the memory that they will look at.

    What is drawn ahead does not depend on any topic: either a place, whose topic is read when its turn comes, or a
    topic from a table that stays as it is. A token's own place stands for staying where it is.
    """
    n_kinds = np.uint64(kinds.shape[0])
    for j in range(steps):
        kind = kinds[j % n_kinds] if n_kinds > _ZERO else np.uint64(draw(random) * 3.0)
        scratch.kind[j] = kind
        for i in range(first, last):
            to = j * _CHUNK + (i - first)
            if kind == DOC:
                scratch.proposed[to] = place_in_doc(state, d, random)
            elif kind == WORD:
                at = place_of_word(state, beta, np.uint64(state.tokens[i]), random)
                scratch.proposed[to] = at
                if at < _KNOWN:
                    prefetch(state.by_word.topics, at)
            else:
                n_topics = np.uint64(state.alpha.shape[0])
                scratch.proposed[to] = _KNOWN + alias_draw(scratch.chance, scratch.other, n_topics, random)
    for i in range(first, last):
        w = np.uint64(state.tokens[i])
        prefetch_count(state, w, np.uint64(state.assignments[i]))
        for j in range(steps):
            prefetch_count(state, w, topic_at(state, scratch.kind[j], scratch.proposed[j * _CHUNK + (i - first)]))


@inline
def place_in_doc(state: State, d: Any, random: Any) -> Any:
    """A random token of a document, or a topic in proportion to α."""
    first = state.offsets[d]
    n = np.float64(state.offsets[d + _ONE] - first)
    n_topics = np.uint64(state.alpha.shape[0])
    place = draw(random) * (n + state.alpha_chance[n_topics])  # the sum of α stands behind its table
    if place >= n:
        return _KNOWN + alias_draw(state.alpha_chance, state.alpha_other, n_topics, random)
    return first + np.uint64(place)


@inline
def place_of_word(state: State, beta: Any, w: Any, random: Any) -> Any:
    """A random token of a word, or any topic."""
    first = state.by_word.start[w]
    n = np.float64(state.by_word.start[w + _ONE] - first)
    n_topics = np.uint64(state.alpha.shape[0])
    place = draw(random) * (n + prior_of(beta, w) * np.float64(n_topics))
    if place >= n:
        return _KNOWN + min(np.uint64(draw(random) * n_topics), n_topics - _ONE)
    return first + np.uint64(place)


@inline
def topic_at(state: State, kind: Any, proposed: Any) -> Any:
    """The topic that a proposal comes to."""
    if proposed >= _KNOWN:
        return proposed - _KNOWN
    return np.uint64(state.assignments[proposed]) if kind == DOC else np.uint64(state.by_word.topics[proposed])


@inline
def walk(
    state: State,
    scratch: Scratch,
    margin: Margin,
    beta: Any,
    factors: Any,
    lent: Any,
    touched: Touched,
    i: Any,
    nth: Any,
    w: Any,
    old: Any,
    steps: Any,
    random: Any,
) -> Any:
    """A topic by Metropolis steps from the old one, along what was proposed; counts follow."""
    b_w = prior_of(beta, w)
    s = old
    for j in range(steps):
        kind = scratch.kind[j]
        t = topic_at(state, kind, scratch.proposed[j * _CHUNK + nth])
        if t == s:
            continue
        to_t, to_s = state.total[s] - 1.0, state.total[t]  # what speaks for t and for s, the proposal divided out
        gain = gain_of_move(scratch.pull, scratch.quadratic, margin.eta, s, t)
        if kind != DOC or lent is not None:
            to_t *= scratch.in_doc[t] + scratch.alpha[t]
            to_s *= scratch.in_doc[s] - 1.0 + scratch.alpha[s]
            if kind == DOC:
                to_t *= scratch.in_doc[s] - 1.0 + state.alpha[s]
                to_s *= scratch.in_doc[t] + state.alpha[t]
        if kind != WORD or has_extra(beta):
            in_t, in_s = np.float64(state.words[w, t]) + b_w, np.float64(state.words[w, s]) - 1.0 + b_w
            to_t *= in_t + extra_at(beta, state.words, w, t)
            to_s *= in_s + extra_at(beta, state.words, w, s)
            if kind == WORD:
                to_t *= in_s
                to_s *= in_t
        if kind == EXP:
            gain += scratch.log_q[s] - scratch.log_q[t]
        if len(factors) > 0:
            to_t *= touched.ratio[t]
            to_s *= touched.ratio[s]
        if draw(random) * to_s < to_t * math.exp(gain):
            move(state, scratch, margin, i, w, s, t)
            s = t
    return s


@inline
def alias_draw(chance: Any, other: Any, n: Any, random: Any) -> Any:
    """One draw from an alias table."""
    u = draw(random) * n
    column = min(np.uint64(u), n - _ONE)
    return column if u - np.float64(column) < chance[column] else np.uint64(other[column])


# ---------------------------------------------------------------------- small things


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
