"""Updates of a token in all particles at once: label weights, a draw in each lane, and counts.

New and resampled tokens use the same code: a new one has no label to remove first. Loops run over adjacent lanes, so
that they become vector instructions. The counts of a block of tokens are looked up and prefetched ahead.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._utils.numba import jit_inline
from ..intrinsics import prefetch
from ..random import draw, mix64
from .ancestry import NOW, reorder_lanes
from .count_table import find_entry, hash_slot, insert_row, prefetch_entry, prefetch_row, reorder_entry, row_at
from .reservoir import CYCLE_POSITION, N_DOCS, N_TOKENS, NONE, label_count
from .state import (
    BLOCK,
    INCREMENT,
    IS_OPEN,
    IS_READ,
    N_IN_DOC,
    N_WORDS,
    REJUVENATED,
    TO_REJUVENATE,
    TOKEN,
    FilterScratch,
    FilterSettings,
    ParticleState,
)

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
