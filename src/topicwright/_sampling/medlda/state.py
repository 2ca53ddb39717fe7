"""State of the MedLDA sampler: loss terms, assignments and counts, and their updates."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._utils.numba import jit_inline, jit_noalloc
from ..intrinsics import apply_move, prefetch

_ONE = np.uint64(1)
CHUNK = 16  # tokens whose proposals are made together


class LossTerms(NamedTuple):
    """Loss of each document as a function of its topics; rows of tasks, padded with zeros to the vector width.

    In single precision: twice as many tasks fit into a cache line, and log-probabilities are off by about 1e-6.
    """

    gradient: NDArray[np.float32]  # A − Q m, by document, with the present score m
    center_gradient: NDArray[np.float32]  # A − Q center, with the constant in place of m in the table of proposals
    quadratic: NDArray[np.float32]  # Q
    eta: NDArray[np.float32]  # weights by topic, and a last row of zeros for no topic


class TokensByWord(NamedTuple):
    """Assignments by word: those of word w are ``topics[start[w] : start[w + 1]]``."""

    start: NDArray[np.uint64]
    topics: NDArray[Any]
    place: NDArray[np.uint32]  # index of each token among them


class MedLDAScratch(NamedTuple):
    """Workspace of the current document."""

    in_doc: NDArray[np.float64]  # n_dk
    alpha: NDArray[np.float64]  # α plus shares of the counts of linked documents
    gradient: NDArray[np.float32]  # A − Q m, by task
    quadratic: NDArray[np.float32]  # Q of the document, by task
    center_gradient: NDArray[np.float32]  # A − Q center
    weight: NDArray[np.float64]  # running sums of an exact draw
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
        gradient=np.zeros(width, np.float32),
        quadratic=np.zeros(width, np.float32),
        center_gradient=np.zeros(width, np.float32),
        weight=np.zeros(n_topics),
        proposed=np.zeros(max(1, steps) * CHUNK, np.uint64),
    )


# ---------------------------------------------------------------------- documents


@jit_inline
def enter_document(state: MedLDAState, scratch: MedLDAScratch, terms: LossTerms, d: Any, first: Any, last: Any) -> None:
    """Count the topics of a document, and load the terms of its loss."""
    for i in range(first, last):
        scratch.in_doc[state.assignments[i]] += 1.0
    for j in range(np.uint64(scratch.gradient.shape[0])):
        scratch.gradient[j] = terms.gradient[d, j]
        scratch.center_gradient[j] = terms.center_gradient[d, j]
        scratch.quadratic[j] = terms.quadratic[d, j]


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
def leave_document(state: MedLDAState, scratch: MedLDAScratch, terms: LossTerms, d: Any, first: Any, last: Any) -> None:
    """Leave a document: store its gradient, and clear its counts."""
    for j in range(np.uint64(scratch.gradient.shape[0])):
        terms.gradient[d, j] = scratch.gradient[j]
    for i in range(first, last):
        scratch.in_doc[state.assignments[i]] = 0.0


@jit_noalloc
def topic_scores(assignments: Any, offsets: Any, eta: Any, in_doc: Any, first: Any, scores: Any) -> None:
    """Set ``scores`` to m = Σ_k η_k n_dk of documents from ``first`` on; ``in_doc`` is zero before and after."""
    width = np.uint64(eta.shape[1])
    for row in range(np.uint64(scores.shape[0])):
        for j in range(width):
            scores[row, j] = 0.0
        for i in range(offsets[first + row], offsets[first + row + _ONE]):
            in_doc[assignments[i]] += 1.0
        for k in range(np.uint64(in_doc.shape[0])):
            count = in_doc[k]
            if count > 0.0:
                in_doc[k] = 0.0
                for j in range(width):
                    scores[row, j] += count * eta[k, j]


# ---------------------------------------------------------------------- tokens


@jit_inline
def token_at(order: Any, j: Any) -> Any:
    """Position in the corpus of a token of a cell; the same if there is a single cell, which has no order."""
    return j if order is None else np.uint64(order[j])


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
