"""Reservoir of documents for rejuvenation: a uniform sample of the documents so far.

Every document draws a number between 0 and 1, and is kept while that is below a bound. When documents exceed the
capacity, the bound is lowered by a tenth and documents above it are dropped. So each document is in the reservoir with
the same probability, whatever its length and age. The counts of a dropped document stay.

Documents with one label are never kept: there is nothing to draw. The current document is stored after the others, kept
or not, so that its tokens can be resampled too.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._utils.numba import jit_inline
from .ancestry import NOW, Ancestry, aligned_zeros

_ZERO, _ONE, _TWO = (np.uint64(n) for n in range(3))
NONE = np.uint16(2**16 - 1)  # a token has no label yet
MOST_LABELS = 2**16 - 1  # of a document
N_TOKENS, N_LABELS, N_DOCS, CYCLE_POSITION = (np.uint64(n) for n in range(4))
BOUND = np.uint64(0)
_BOUND_STEP = 0.9


class Reservoir(NamedTuple):
    """Documents with labels and counts; document n begins at ``first_token[n]`` and ``first_label[n]``."""

    words: NDArray[np.uint32]
    doc_of: NDArray[np.uint32]
    choices: NDArray[np.uint16]  # index of the label of a token among those of its document, by lane
    choice_stamps: NDArray[np.uint32]
    labels: NDArray[np.uint32]
    in_doc: NDArray[np.int32]  # n_dk, by lane
    in_doc_stamps: NDArray[np.uint32]
    first_token: NDArray[np.uint64]
    first_label: NDArray[np.uint64]
    keys: NDArray[np.float64]  # random numbers of the documents
    increments: NDArray[np.float64]  # count of a token of the document
    size: NDArray[np.uint64]  # numbers of tokens, labels and documents, and the next token in turn
    bound: NDArray[np.float64]


def new_reservoir(width: int, n_tokens: int = 256, n_labels: int = 256, n_docs: int = 64) -> Reservoir:
    """Empty reservoir with some capacity."""
    return Reservoir(
        np.zeros(n_tokens, np.uint32),
        np.zeros(n_tokens, np.uint32),
        aligned_zeros((n_tokens, width), np.uint16),
        np.zeros(n_tokens, np.uint32),
        np.zeros(n_labels, np.uint32),
        aligned_zeros((n_labels, width), np.int32),
        np.zeros(n_labels, np.uint32),
        np.zeros(n_docs + 1, np.uint64),
        np.zeros(n_docs + 1, np.uint64),
        np.zeros(n_docs, np.float64),
        np.zeros(n_docs, np.float64),
        np.zeros(4, np.uint64),
        np.ones(1, np.float64),
    )


def reserve_document(reservoir: Reservoir, n_tokens: int, n_labels: int) -> Reservoir:
    """The reservoir, or a larger copy with room for one more document of some tokens and labels."""
    tokens, labels, docs = (int(n) for n in reservoir.size[:3])
    room = (len(reservoir.words), len(reservoir.labels), len(reservoir.keys))
    larger = [_doubled(n, need) for n, need in zip(room, (tokens + n_tokens, labels + n_labels, docs + 1))]
    if larger == list(room):
        return reservoir
    result = new_reservoir(reservoir.choices.shape[1], *larger)
    old: Any
    new: Any
    for old, new in zip(reservoir, result):
        new[: len(old)] = old
    return result


def _doubled(n: int, need: int) -> int:
    while n < need:
        n *= 2
    return n


@jit_inline
def has_room(reservoir: Reservoir, documents: Any, d: Any) -> Any:
    """Whether there is room for document d of a batch."""
    size, offsets, label_offsets = reservoir.size, documents.offsets, documents.label_offsets
    return (
        size[N_TOKENS] + offsets[d + _ONE] - offsets[d] <= np.uint64(reservoir.words.shape[0])
        and size[N_LABELS] + label_offsets[d + _ONE] - label_offsets[d] <= np.uint64(reservoir.labels.shape[0])
        and size[N_DOCS] < np.uint64(reservoir.keys.shape[0])
    )


@jit_inline
def label_count(reservoir: Reservoir, doc: Any) -> Any:
    """Number of labels of a document."""
    return reservoir.first_label[doc + _ONE] - reservoir.first_label[doc]


@jit_inline
def append_document(reservoir: Reservoir, ancestry: Ancestry, documents: Any, d: Any, increment: Any, key: Any) -> None:
    """Store a document after the others, without accepting it yet."""
    n, t0, l0 = reservoir.size[N_DOCS], reservoir.size[N_TOKENS], reservoir.size[N_LABELS]
    i0, j0 = documents.offsets[d], documents.label_offsets[d]
    n_tokens, n_labels = documents.offsets[d + _ONE] - i0, documents.label_offsets[d + _ONE] - j0
    for i in range(n_tokens):
        reservoir.words[t0 + i] = documents.tokens[i0 + i]
        reservoir.doc_of[t0 + i] = n
    for j in range(n_labels):
        reservoir.labels[l0 + j] = documents.labels[j0 + j]
        reservoir.in_doc_stamps[l0 + j] = ancestry.epochs[NOW]
        for p in range(np.uint64(reservoir.in_doc.shape[1])):
            reservoir.in_doc[l0 + j, p] = 0
    reservoir.first_token[n], reservoir.first_token[n + _ONE] = t0, t0 + n_tokens
    reservoir.first_label[n], reservoir.first_label[n + _ONE] = l0, l0 + n_labels
    reservoir.increments[n], reservoir.keys[n] = increment, key


@jit_inline
def reservoir_accept(reservoir: Reservoir, room: Any) -> None:
    """Accept the current document if its number is below the bound, and drop documents that exceed the capacity."""
    size, n = reservoir.size, reservoir.size[N_DOCS]
    t0, l0, t1, l1 = (
        reservoir.first_token[n],
        reservoir.first_label[n],
        reservoir.first_token[n + _ONE],
        reservoir.first_label[n + _ONE],
    )
    fits = t1 - t0 <= room and l1 - l0 <= room
    if fits and l1 - l0 > _ONE and t1 > t0 and reservoir.keys[n] < reservoir.bound[BOUND]:
        size[N_DOCS], size[N_TOKENS], size[N_LABELS] = n + _ONE, t1, l1
        while size[N_TOKENS] > room or size[N_LABELS] > room:
            reservoir.bound[BOUND] *= _BOUND_STEP
            drop_documents(reservoir)
    if size[CYCLE_POSITION] >= size[N_TOKENS]:
        size[CYCLE_POSITION] = _ZERO


@jit_inline
def drop_documents(reservoir: Reservoir) -> None:
    """Drop the documents above the bound, and compact the others."""
    t, k, n, position = _ZERO, _ZERO, _ZERO, _ZERO
    width = np.uint64(reservoir.choices.shape[1])
    for old in range(reservoir.size[N_DOCS]):
        t0, t1 = reservoir.first_token[old], reservoir.first_token[old + _ONE]
        l0, l1 = reservoir.first_label[old], reservoir.first_label[old + _ONE]
        if reservoir.keys[old] >= reservoir.bound[BOUND]:
            continue
        reservoir.keys[n], reservoir.increments[n] = reservoir.keys[old], reservoir.increments[old]
        reservoir.first_token[n], reservoir.first_label[n] = t, k
        for i in range(t0, t1):
            if i < reservoir.size[CYCLE_POSITION]:
                position = t + _ONE
            reservoir.words[t], reservoir.doc_of[t] = reservoir.words[i], n
            reservoir.choice_stamps[t] = reservoir.choice_stamps[i]
            for p in range(width):
                reservoir.choices[t, p] = reservoir.choices[i, p]
            t += _ONE
        for j in range(l0, l1):
            reservoir.labels[k], reservoir.in_doc_stamps[k] = reservoir.labels[j], reservoir.in_doc_stamps[j]
            for p in range(width):
                reservoir.in_doc[k, p] = reservoir.in_doc[j, p]
            k += _ONE
        n += _ONE
    reservoir.first_token[n], reservoir.first_label[n] = t, k
    reservoir.size[N_TOKENS], reservoir.size[N_LABELS], reservoir.size[N_DOCS] = t, k, n
    reservoir.size[CYCLE_POSITION] = position
