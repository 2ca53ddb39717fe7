"""State of the MedLDA sampler: loss terms, assignments and counts, and their updates."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._utils.numba import jit_inline
from ..intrinsics import apply_move, prefetch

_ONE = np.uint64(1)
CHUNK = 16  # tokens whose proposals are made together


class LossTerms(NamedTuple):
    """A, Q and scores of all documents; rows of tasks, padded with zeros to a multiple of the vector width."""

    linear: NDArray[np.float64]  # A, by document
    quadratic: NDArray[np.float64]  # Q
    center: NDArray[np.float64]  # the constant in place of m in the table of proposals
    scores: NDArray[np.float64]  # m
    eta: NDArray[np.float64]  # weights by topic, and a last row of zeros for no topic


class TokensByWord(NamedTuple):
    """Assignments by word: those of word w are ``topics[start[w] : start[w + 1]]``."""

    start: NDArray[np.uint64]
    topics: NDArray[Any]
    place: NDArray[np.uint32]  # index of each token among them


class MedLDAScratch(NamedTuple):
    """Workspace of the current document."""

    in_doc: NDArray[np.float64]  # n_dk
    alpha: NDArray[np.float64]  # α plus shares of the counts of linked documents
    gradient: NDArray[np.float64]  # A − Q m, by task
    quadratic: NDArray[np.float64]  # Q of the document, by task
    proposal_gradient: NDArray[np.float64]  # A − Q centre
    log_q: NDArray[np.float64]  # log of the table of proposals, by topic
    probability: NDArray[np.float64]  # alias table of the proposals
    alias: NDArray[np.uint32]
    weight: NDArray[np.float64]  # running sums of an exact draw
    stack: NDArray[np.uint32]
    kind: NDArray[np.uint64]  # of proposal, by step
    proposed: NDArray[np.uint64]  # by step and token of a chunk


class MedLDAState(NamedTuple):
    """Assignments and counts, by token, word and topic."""

    tokens: NDArray[np.uint32]
    offsets: NDArray[np.uint64]
    assignments: NDArray[np.uint32]
    by_word: TokensByWord
    words: NDArray[Any]  # n_kw, a row for each word
    total: NDArray[np.float64]  # n_k + B_k
    alpha: NDArray[np.float64]
    alpha_probability: NDArray[np.float64]  # α as an alias table
    alpha_alias: NDArray[np.uint32]


def new_scratch(alpha: NDArray[np.float64], width: int, steps: int, has_pseudo_counts: bool = False) -> MedLDAScratch:
    """Workspace for rows of tasks of a width, and a number of Metropolis steps a token."""
    n_topics = len(alpha)
    return MedLDAScratch(
        in_doc=np.zeros(n_topics),
        alpha=alpha.copy() if has_pseudo_counts else alpha,
        gradient=np.zeros(width),
        quadratic=np.zeros(width),
        proposal_gradient=np.zeros(width),
        log_q=np.zeros(n_topics),
        probability=np.zeros(n_topics),
        alias=np.zeros(n_topics, np.uint32),
        weight=np.zeros(n_topics),
        stack=np.zeros(n_topics, np.uint32),
        kind=np.zeros(max(1, steps), np.uint64),
        proposed=np.zeros(max(1, steps) * CHUNK, np.uint64),
    )


# ---------------------------------------------------------------------- documents


@jit_inline
def enter_document(state: MedLDAState, scratch: MedLDAScratch, terms: LossTerms, d: Any, first: Any, last: Any) -> None:
    """Count the topics of a document, and set the gradient A − Q m of its loss."""
    for i in range(first, last):
        scratch.in_doc[state.assignments[i]] += 1.0
    for j in range(np.uint64(scratch.gradient.shape[0])):
        scratch.quadratic[j] = terms.quadratic[d, j]
        scratch.gradient[j] = terms.linear[d, j] - terms.quadratic[d, j] * terms.scores[d, j]


@jit_inline
def add_pseudo_counts(state: MedLDAState, scratch: MedLDAScratch, pseudo: Any, d: Any) -> None:
    """Set α of a document, plus shares of the counts of linked documents and the priors of seeds."""
    shared, priors = pseudo
    for k in range(np.uint64(state.alpha.shape[0])):
        scratch.alpha[k] = state.alpha[k]
    for link in range(shared.start[d], shared.start[d + _ONE]):
        source = np.uint64(shared.sources[link])
        for i in range(state.offsets[source], state.offsets[source + _ONE]):
            scratch.alpha[state.assignments[i]] += shared.share[link]
    for j in range(priors.start[d], priors.start[d + _ONE]):
        scratch.alpha[priors.topics[j]] += priors.extra[j]


@jit_inline
def leave_document(scratch: MedLDAScratch, terms: LossTerms, d: Any, n_topics: Any) -> None:
    """Leave a document; its scores are computed from its counts, so that rounding errors do not accumulate."""
    width = np.uint64(scratch.gradient.shape[0])
    for j in range(width):
        terms.scores[d, j] = 0.0
    for k in range(n_topics):
        count = scratch.in_doc[k]
        if count > 0.0:
            scratch.in_doc[k] = 0.0
            for j in range(width):
                terms.scores[d, j] += count * terms.eta[k, j]


# ---------------------------------------------------------------------- tokens


@jit_inline
def remove_token(state: MedLDAState, scratch: MedLDAScratch, terms: LossTerms, w: Any, k: Any) -> None:
    """Remove a token from all counts and from the gradient."""
    scratch.in_doc[k] -= 1.0
    state.words[w, k] -= 1
    state.total[k] -= 1.0
    apply_move(scratch.gradient, scratch.quadratic, terms.eta, k, np.uint64(state.alpha.shape[0]))


@jit_inline
def insert_token(state: MedLDAState, scratch: MedLDAScratch, terms: LossTerms, i: Any, w: Any, k: Any) -> None:
    """Add a token to all counts and to the gradient."""
    scratch.in_doc[k] += 1.0
    state.words[w, k] += 1
    state.total[k] += 1.0
    apply_move(scratch.gradient, scratch.quadratic, terms.eta, np.uint64(state.alpha.shape[0]), k)
    set_topic(state, i, k)


@jit_inline
def move_token(state: MedLDAState, scratch: MedLDAScratch, terms: LossTerms, i: Any, w: Any, s: Any, t: Any) -> None:
    """Move a token from one topic to another."""
    scratch.in_doc[s] -= 1.0
    scratch.in_doc[t] += 1.0
    state.words[w, s] -= 1
    state.words[w, t] += 1
    state.total[s] -= 1.0
    state.total[t] += 1.0
    apply_move(scratch.gradient, scratch.quadratic, terms.eta, s, t)
    set_topic(state, i, t)


@jit_inline
def set_topic(state: MedLDAState, i: Any, k: Any) -> None:
    """Store the topic of a token, by document and by word."""
    state.assignments[i] = k
    state.by_word.topics[state.by_word.place[i]] = k


@jit_inline
def prefetch_count(state: MedLDAState, w: Any, k: Any) -> None:
    """Prefetch a count."""
    prefetch(state.words, w * np.uint64(state.words.shape[1]) + k)
