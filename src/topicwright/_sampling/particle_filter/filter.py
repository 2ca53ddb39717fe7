"""The particle filter of Online Labeled LDA, document by document.

For a token of word w in a document with the labels L_d, each particle draws

    p(z = k)  ∝  (n_dk + a_k) (n_kw + b) / (n_k + V b),    k in L_d

from its own counts; links of words multiply that (links.py). Its weight is multiplied by how well it foresaw the word:
by the sum of the above over the labels, divided by Σ_k (n_dk + a_k) (Canini, Shi & Griffiths 2009), or by the second
factor for the label that was drawn, as the paper of Online Labeled LDA has it. Where the effective number of particles
1 / Σ ω² falls to a threshold, they are resampled, and tokens of the reservoir are drawn anew. More of those can be
drawn anew after every document.

The kernel allocates nothing. Where it needs room it returns, and goes on from the same token when called again.
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
_CALLS = np.uint64(1 << 63)  # numbers of the streams of calls, as against those of documents
DONE, NEEDS_ROOM, NEEDS_REORDER, NEEDS_RESCALE = range(4)  # why a kernel returns
MAX_INCREMENT = 2.0**60  # an increment; counts are then scaled down
MAX_EXTRA_LABELS = (
    20.0  # labels that add to what is drawn anew: the cost of a token is to stay in proportion to its labels
)


@jit_noalloc
def add_documents(
    documents: DocumentBatch, model: ParticleState, settings: FilterSettings, scratch: FilterScratch, log_p: Any
) -> Any:
    """Go through a batch, or on with it, until it is done or something has to be made larger first.

    ``log_p[d]`` becomes the logarithm of the probability that the particles gave to document d before they had it.
    Tokens to be drawn anew, in ``scratch.position``, come first: with no documents at all, only those.
    """
    at, reservoir = scratch.position, model.reservoir
    n_docs = np.uint64(documents.offsets.shape[0]) - _ONE
    while True:
        d = at[DOC]
        if at[TO_REJUVENATE] == _ZERO:
            if at[IS_OPEN] == _ZERO:
                if d == n_docs:
                    return DONE
                if model.numbers[INCREMENT] > MAX_INCREMENT:
                    return NEEDS_RESCALE
                if not has_room(reservoir, documents, d):
                    return NEEDS_ROOM
                open_document(documents, model, settings, scratch)
            if at[TOKEN] == at[N_IN_DOC]:
                if at[IS_READ] == _ONE:
                    close_document(model, settings, scratch)
                else:
                    add_rejuvenation_debt(model, settings, at)
                continue
        if model.pairs.used[0] + settings.pairs_ahead > np.uint64(model.pairs.lanes.shape[0]):
            return NEEDS_ROOM
        if not has_free_epoch(model.ancestry):
            return NEEDS_REORDER
        is_new = at[TO_REJUVENATE] == _ZERO
        n = list_new_tokens(model, scratch) if is_new else list_tokens_to_rejuvenate(model, settings, scratch)
        find_count_rows(model, scratch, n)
        entry = _ZERO
        for m in range(n):
            t = scratch.places[m]
            n_labels = compute_label_weights(model, settings, scratch, entry, t)
            if is_new:
                log_p[d] += predictive(model, settings, scratch, t, n_labels)
            apply_links(model.links, model, settings, scratch, t, n_labels)
            draw_labels(scratch, n_labels)
            if is_new and not settings.by_margin:
                predictive_of_drawn(model, settings, scratch)
            move_token(model, scratch, entry, t)
            entry += n_labels
            if is_new:
                at[TOKEN] += _ONE
                if reweight(model, settings, scratch) <= settings.threshold:
                    resample(model, settings, scratch)
                    at[TO_REJUVENATE] += settings.at_resampling
                    break


# ---------------------------------------------------------------------- documents


@jit_inline
def open_document(
    documents: DocumentBatch, model: ParticleState, settings: FilterSettings, scratch: FilterScratch
) -> None:
    """A document begins: its stream of random numbers, its words, its place behind the reservoir."""
    at = scratch.position
    d = at[DOC]
    seed_stream(scratch.random, settings.key, model.counters[DOCUMENTS])
    for i in range(documents.offsets[d], documents.offsets[d + _ONE]):
        w = np.uint64(documents.tokens[i])
        model.numbers[N_WORDS] += 1.0 - np.float64(model.seen[w])
        model.seen[w] = 1
        count_word(model.links, w, model.numbers[INCREMENT])
    key = draw(scratch.random)
    append_document(model.reservoir, model.ancestry, documents, d, model.numbers[INCREMENT], key)
    at[TOKEN], at[IS_OPEN], at[IS_READ] = _ZERO, _ONE, _ZERO
    at[N_IN_DOC] = documents.offsets[d + _ONE] - documents.offsets[d]


@jit_inline
def add_rejuvenation_debt(model: ParticleState, settings: FilterSettings, at: Any) -> None:
    """A document has been read: so many tokens are to be drawn anew for it; fractions are kept for the next.

    The more labels there are to choose from, the longer it takes until tokens have found theirs.
    """
    at[IS_READ] = _ONE
    further = np.float64(label_count(model.reservoir, model.reservoir.size[N_DOCS])) - 1.0
    model.numbers[REJUVENATION_DEBT] += settings.per_label * min(further, MAX_EXTRA_LABELS) * np.float64(at[N_IN_DOC])
    at[TO_REJUVENATE] = np.uint64(model.numbers[REJUVENATION_DEBT])
    model.numbers[REJUVENATION_DEBT] -= np.float64(at[TO_REJUVENATE])


@jit_inline
def close_document(model: ParticleState, settings: FilterSettings, scratch: FilterScratch) -> None:
    """A document ends: into the reservoir or not, and what comes later counts for more where counts decay."""
    reservoir_accept(model.reservoir, settings.reservoir_room)
    model.counters[DOCUMENTS] += _ONE
    model.counters[TOKENS] += scratch.position[N_IN_DOC]
    model.numbers[INCREMENT] *= settings.growth
    scratch.position[DOC] += _ONE
    scratch.position[IS_OPEN] = _ZERO


@jit_inline
def seed_stream(random: Any, key: Any, number: Any) -> None:
    """The stream of a document, or of a call, that depends on nothing else."""
    random[0] = mix64(mix64(key + _ONE) ^ mix64(number + _ONE))
    random[1] = mix64(random[0]) | _ONE


@jit_noalloc
def seed_call_stream(random: Any, key: Any, number: Any) -> None:
    """The stream of a call from outside."""
    seed_stream(random, key, number | _CALLS)
