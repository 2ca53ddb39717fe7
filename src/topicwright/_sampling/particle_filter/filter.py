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
from ..intrinsics import prefetch
from ..random import draw, mix64
from .ancestry import NOW, has_free_epoch, reorder_lanes
from .count_table import find_entry, hash_slot, insert_row, prefetch_entry, prefetch_row, reorder_entry, row_at
from .resampling import predictive, predictive_of_drawn, resample, reweight
from .reservoir import CYCLE_POSITION, N_DOCS, N_TOKENS, NONE, append_document, has_room, label_count, reservoir_accept
from .state import (
    BLOCK,
    DOC,
    DOCUMENTS,
    INCREMENT,
    IS_OPEN,
    IS_READ,
    N_IN_DOC,
    N_WORDS,
    REJUVENATED,
    REJUVENATION_DEBT,
    TO_REJUVENATE,
    TOKEN,
    TOKENS,
    DocumentBatch,
    FilterScratch,
    FilterSettings,
    ParticleState,
)
from .word_links import apply_links, count_word

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_BLOCK = np.uint64(BLOCK)
_S11 = np.uint64(11)
_UNIT = 2.0**-53


@jit_inline
def list_new_tokens(particles: ParticleState, scratch: FilterScratch) -> Any:
    """List the next tokens of the current document, which have no label yet; returns their number."""
    reservoir, at = particles.reservoir, scratch.position
    first = reservoir.first_token[reservoir.size[N_DOCS]] + at[TOKEN]
    n = min(at[N_IN_DOC] - at[TOKEN], _BLOCK)
    for m in range(n):
        scratch.token_positions[m] = first + m
        reservoir.choice_stamps[first + m] = particles.ancestry.epochs[NOW]
        for p in range(np.uint64(reservoir.choices.shape[1])):
            reservoir.choices[first + m, p] = NONE
    return n


@jit_inline
def list_tokens_to_rejuvenate(particles: ParticleState, settings: FilterSettings, scratch: FilterScratch) -> Any:
    """List tokens to rejuvenate, of the reservoir and of the current document; returns their number."""
    reservoir, at = particles.reservoir, scratch.position
    n_available = reservoir.size[N_TOKENS]
    if at[IS_OPEN] == _ONE and label_count(reservoir, reservoir.size[N_DOCS]) > _ONE:
        n_available += at[TOKEN]
    n = min(at[TO_REJUVENATE], _BLOCK)
    at[TO_REJUVENATE] -= n
    if n_available == _ZERO:
        return _ZERO
    is_cyclic = settings.is_cyclic and (at[IS_READ] == _ONE)
    for m in range(n):
        if is_cyclic:
            position = reservoir.size[CYCLE_POSITION]
            position = position if position < n_available else _ZERO
            reservoir.size[CYCLE_POSITION] = position + _ONE
        else:
            position = min(np.uint64(draw(scratch.random) * np.float64(n_available)), n_available - _ONE)
        scratch.token_positions[m] = position
        prefetch(reservoir.words, position)
        prefetch(reservoir.doc_of, position)
        prefetch(reservoir.choice_stamps, position)
        prefetch_row(reservoir.choices, position)
    particles.counters[REJUVENATED] += n
    return n


@jit_inline
def find_count_rows(particles: ParticleState, scratch: FilterScratch, n: Any) -> None:
    """Find the count rows of the listed tokens, and prefetch them."""
    reservoir, count_table, entries = particles.reservoir, particles.count_table, scratch.entries
    e = _ZERO
    for m in range(n):
        t = scratch.token_positions[m]
        doc = np.uint64(reservoir.doc_of[t])
        for label in range(reservoir.first_label[doc], reservoir.first_label[doc + _ONE]):
            entries[e] = hash_slot(count_table, reservoir.labels[label], reservoir.words[t])
            prefetch_entry(count_table, entries[e])
            prefetch_row(reservoir.in_doc, label)
            e += _ONE
    e = _ZERO
    for m in range(n):
        t = scratch.token_positions[m]
        doc = np.uint64(reservoir.doc_of[t])
        for label in range(reservoir.first_label[doc], reservoir.first_label[doc + _ONE]):
            entries[e] = find_entry(count_table, entries[e], reservoir.labels[label], reservoir.words[t])
            prefetch_row(count_table.lanes, row_at(count_table, entries[e]))
            e += _ONE


@jit_inline
def compute_label_weights(
    particles: ParticleState, settings: FilterSettings, scratch: FilterScratch, entry: Any, t: Any
) -> Any:
    """Running sums of the label weights of a token in all lanes, without the token itself.

    Returns the number of labels. ``entry`` is the index of the first table entry of the token.
    """
    reservoir, count_table, ancestry, sums = (
        particles.reservoir,
        particles.count_table,
        particles.ancestry,
        scratch.sums,
    )
    entries = scratch.entries
    doc, w = np.uint64(reservoir.doc_of[t]), reservoir.words[t]
    l0, l1 = reservoir.first_label[doc], reservoir.first_label[doc + _ONE]
    beta = settings.beta * particles.numbers[INCREMENT]
    beta_sum = beta * (settings.n_words if settings.n_words > 0.0 else particles.numbers[N_WORDS])
    own = reservoir.increments[doc]
    choices, in_doc, totals, lanes = reservoir.choices, reservoir.in_doc, particles.totals, count_table.lanes
    reorder_lanes(choices, t, reservoir.choice_stamps, t, ancestry, scratch.spare_choices)
    for label in range(l0, l1):
        j, k = label - l0, np.uint64(reservoir.labels[label])
        at = find_entry(count_table, entries[entry + j], reservoir.labels[label], w)  # it may have a row by now
        entries[entry + j] = at
        row = row_at(count_table, at)
        scratch.rows[j] = row
        if row > _ZERO:
            reorder_entry(count_table, at, ancestry, scratch.spare_counts)
        reorder_lanes(in_doc, label, reservoir.in_doc_stamps, label, ancestry, scratch.spare_in_doc)
        reorder_lanes(totals, k, particles.total_stamps, k, ancestry, scratch.spare_totals)
        alpha = particles.alpha[k]
        for p in range(np.uint64(sums.shape[1])):
            here = np.float64(np.uint64(choices[t, p]) == j)
            in_label = (np.float64(lanes[row, p]) - here * own + beta) / (totals[k, p] - here * own + beta_sum)
            sums[j + _ONE, p] = sums[j, p] + (np.float64(in_doc[label, p]) - here + alpha) * in_label
    return l1 - l0


@jit_inline
def draw_labels(scratch: FilterScratch, n_labels: Any) -> None:
    """Draw a label of the document in each lane. Padding lanes use the number of the first lane."""
    sums, thresholds, choices, random = scratch.sums, scratch.thresholds, scratch.choices, scratch.random
    width = np.uint64(sums.shape[1])
    for p in range(width):
        choices[p] = 0
    if n_labels == _ONE:
        return
    state, step = random[0], random[1]
    for p in range(width):  # equals consecutive draws
        thresholds[p] = np.float64(mix64(state + step * scratch.stream_steps[p]) >> _S11) * _UNIT * sums[n_labels, p]
    random[0] = state + step * width
    for j in range(_ONE, n_labels):
        for p in range(width):
            choices[p] += np.int64(sums[j, p] <= thresholds[p])


@jit_inline
def move_token(particles: ParticleState, scratch: FilterScratch, entry: Any, t: Any) -> None:
    """Move a token, in each lane, from its label to the one that was drawn."""
    reservoir, count_table, change = particles.reservoir, particles.count_table, scratch.change
    doc = np.uint64(reservoir.doc_of[t])
    l0, l1 = reservoir.first_label[doc], reservoir.first_label[doc + _ONE]
    width = np.uint64(change.shape[0])
    increment = reservoir.increments[doc]
    moved = np.int64(0)
    for p in range(width):
        moved |= np.int64(reservoir.choices[t, p]) ^ scratch.choices[p]
    if moved == 0:
        return
    for label in range(l0, l1):
        j, k = np.int64(label - l0), np.uint64(reservoir.labels[label])
        concerned = np.int64(0)
        for p in range(width):
            now, before = np.int64(scratch.choices[p] == j), np.int64(np.int64(reservoir.choices[t, p]) == j)
            concerned |= now ^ before
            change[p] = np.float64(now - before)
        if concerned == 0:
            continue
        row = scratch.rows[np.uint64(j)]
        if row == _ZERO:
            at = find_entry(
                count_table, scratch.entries[entry + np.uint64(j)], reservoir.labels[label], reservoir.words[t]
            )
            row = insert_row(count_table, at, reservoir.labels[label], reservoir.words[t], particles.ancestry)
        for p in range(width):
            count_table.lanes[row, p] += change[p] * increment
        for p in range(width):
            particles.totals[k, p] += change[p] * increment
        for p in range(width):
            reservoir.in_doc[label, p] += np.int32(change[p])
    for p in range(width):
        reservoir.choices[t, p] = scratch.choices[p]


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
