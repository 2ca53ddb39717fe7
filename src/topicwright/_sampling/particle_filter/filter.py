"""Kernel of the particle filter of Online Labeled LDA.

For a token of word w in a document with the labels L_d, each particle draws

    p(z = k)  ∝  (n_dk + a_k) (n_kw + b) / (n_k + V b),    k in L_d

from its own counts; links of words multiply that (``word_links.py``). Its weight is multiplied by the predictive
probability of the word: the sum of the above over the labels, divided by Σ_k (n_dk + a_k) (Canini, Shi & Griffiths
2009), or the second factor for the label that was drawn, as in the paper of Online Labeled LDA. When the effective
number of particles 1 / Σ ω² falls to a threshold, particles are resampled, and tokens of the reservoir are rejuvenated.
More tokens can be rejuvenated after every document.

The kernel allocates nothing. When it needs memory it returns, and continues from the same token in the next call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._utils.numba import jit_inline, jit_noalloc
from ..random import draw, mix64
from .ancestry import has_free_epoch
from .resampling import predictive, predictive_of_drawn, resample, reweight
from .reservoir import N_DOCS, append_document, has_room, label_count, reservoir_accept
from .state import (
    DOC,
    DOCUMENTS,
    INCREMENT,
    IS_OPEN,
    IS_READ,
    N_IN_DOC,
    N_WORDS,
    REJUVENATION_DEBT,
    TO_REJUVENATE,
    TOKEN,
    TOKENS,
    DocumentBatch,
    FilterScratch,
    FilterSettings,
    ParticleState,
)
from .token_updates import (
    compute_label_weights,
    draw_labels,
    find_count_rows,
    list_new_tokens,
    list_tokens_to_rejuvenate,
    move_token,
)
from .word_links import apply_links, count_word

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_CALLS = np.uint64(1 << 63)  # marks random streams of calls, as opposed to documents
DONE, NEEDS_ROOM, NEEDS_REORDER, NEEDS_RESCALE = range(4)  # why a kernel returns
MAX_INCREMENT = 2.0**60  # beyond, counts are rescaled
MAX_EXTRA_LABELS = (
    20.0  # further labels that add to the rejuvenation, so that the cost of a token stays proportional to its labels
)


@jit_noalloc
def add_documents(
    documents: DocumentBatch, particles: ParticleState, settings: FilterSettings, scratch: FilterScratch, log_p: Any
) -> Any:
    """Process a batch, or continue it, until it is done or an array has to grow.

    ``log_p[d]`` is set to the log predictive probability of document d. Tokens that are due for rejuvenation
    (``scratch.position``) come first; with an empty batch, only these.
    """
    at, reservoir = scratch.position, particles.reservoir
    n_docs = np.uint64(documents.offsets.shape[0]) - _ONE
    while True:
        d = at[DOC]
        if at[TO_REJUVENATE] == _ZERO:
            if at[IS_OPEN] == _ZERO:
                if d == n_docs:
                    return DONE
                if particles.numbers[INCREMENT] > MAX_INCREMENT:
                    return NEEDS_RESCALE
                if not has_room(reservoir, documents, d):
                    return NEEDS_ROOM
                open_document(documents, particles, settings, scratch)
            if at[TOKEN] == at[N_IN_DOC]:
                if at[IS_READ] == _ONE:
                    close_document(particles, settings, scratch)
                else:
                    add_rejuvenation_debt(particles, settings, at)
                continue
        if particles.count_table.used[0] + settings.rows_ahead > np.uint64(particles.count_table.lanes.shape[0]):
            return NEEDS_ROOM
        if not has_free_epoch(particles.ancestry):
            return NEEDS_REORDER
        is_new = at[TO_REJUVENATE] == _ZERO
        n = list_new_tokens(particles, scratch) if is_new else list_tokens_to_rejuvenate(particles, settings, scratch)
        find_count_rows(particles, scratch, n)
        entry = _ZERO
        for m in range(n):
            t = scratch.token_positions[m]
            n_labels = compute_label_weights(particles, settings, scratch, entry, t)
            if is_new:
                log_p[d] += predictive(particles, settings, scratch, t, n_labels)
            apply_links(particles.links, particles, settings, scratch, t, n_labels)
            draw_labels(scratch, n_labels)
            if is_new and not settings.is_marginal:
                predictive_of_drawn(particles, settings, scratch)
            move_token(particles, scratch, entry, t)
            entry += n_labels
            if is_new:
                at[TOKEN] += _ONE
                if reweight(particles, settings, scratch) <= settings.threshold:
                    resample(particles, settings, scratch)
                    at[TO_REJUVENATE] += settings.n_at_resampling
                    break


# ---------------------------------------------------------------------- documents


@jit_inline
def open_document(
    documents: DocumentBatch, particles: ParticleState, settings: FilterSettings, scratch: FilterScratch
) -> None:
    """Begin a document: seed its random stream, count its words, append it behind the reservoir."""
    at = scratch.position
    d = at[DOC]
    seed_stream(scratch.random, settings.key, particles.counters[DOCUMENTS])
    for i in range(documents.offsets[d], documents.offsets[d + _ONE]):
        w = np.uint64(documents.tokens[i])
        particles.numbers[N_WORDS] += 1.0 - np.float64(particles.seen[w])
        particles.seen[w] = 1
        count_word(particles.links, w, particles.numbers[INCREMENT])
    key = draw(scratch.random)
    append_document(particles.reservoir, particles.ancestry, documents, d, particles.numbers[INCREMENT], key)
    at[TOKEN], at[IS_OPEN], at[IS_READ] = _ZERO, _ONE, _ZERO
    at[N_IN_DOC] = documents.offsets[d + _ONE] - documents.offsets[d]


@jit_inline
def add_rejuvenation_debt(particles: ParticleState, settings: FilterSettings, at: Any) -> None:
    """Add the tokens to rejuvenate after a document; fractions are kept for the next one.

    The more labels a document has, the longer its tokens take to settle.
    """
    at[IS_READ] = _ONE
    further = np.float64(label_count(particles.reservoir, particles.reservoir.size[N_DOCS])) - 1.0
    particles.numbers[REJUVENATION_DEBT] += (
        settings.per_label * min(further, MAX_EXTRA_LABELS) * np.float64(at[N_IN_DOC])
    )
    at[TO_REJUVENATE] = np.uint64(particles.numbers[REJUVENATION_DEBT])
    particles.numbers[REJUVENATION_DEBT] -= np.float64(at[TO_REJUVENATE])


@jit_inline
def close_document(particles: ParticleState, settings: FilterSettings, scratch: FilterScratch) -> None:
    """End a document: accept it into the reservoir or not, and increase the increment where counts decay."""
    reservoir_accept(particles.reservoir, settings.reservoir_tokens)
    particles.counters[DOCUMENTS] += _ONE
    particles.counters[TOKENS] += scratch.position[N_IN_DOC]
    particles.numbers[INCREMENT] *= settings.growth
    scratch.position[DOC] += _ONE
    scratch.position[IS_OPEN] = _ZERO


@jit_inline
def seed_stream(random: Any, key: Any, number: Any) -> None:
    """Seed the random stream of a document or call, by its number alone."""
    random[0] = mix64(mix64(key + _ONE) ^ mix64(number + _ONE))
    random[1] = mix64(random[0]) | _ONE


@jit_noalloc
def seed_call_stream(random: Any, key: Any, number: Any) -> None:
    """Seed the random stream of a call."""
    seed_stream(random, key, number | _CALLS)
