"""Gibbs kernel of fully labeled corpora: the cost of a token is proportional to the labels of its document.

Only label–word pairs that occur in some document can have a count. Each such pair has a slot, and each token lists the
slots of its word under the labels of its document. So a draw reads as many counts as the document has labels. Slots
of a label are adjacent, so that the words of a document are close in memory.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._utils.numba import jit, jit_inline, jit_noalloc
from ..intrinsics import prefetch
from ..priors import word_prior
from ..random import draw

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_LINE = np.uint64(16)  # counts in a cache line


class LabeledState(NamedTuple):
    """Labels, slots and counts; document d has the labels ``labels[start[d] : start[d + 1]]``."""

    start: NDArray[np.uint64]
    labels: NDArray[np.uint32]
    in_doc: NDArray[np.int64]  # n_dk, parallel to the labels
    slots: NDArray[np.uint32]  # of each token, one for each label of its document
    counts: NDArray[np.int32]  # n_kw of each slot
    choices: NDArray[
        np.uint32
    ]  # index of the label of each token among those of its document; their number where it has none yet


@jit
def find_slots(tokens: Any, starts: Any, doc_start: Any, by_label: Any, n_words: Any) -> Any:
    """Slots of all tokens, and the label and word of each slot.

    ``starts`` is (first token, last token, first slot), each by block of words and document; ``by_label`` is (start,
    documents, places): the documents of each label, and the index of the label among theirs.
    """
    label_start, label_docs, label_places = by_label
    first_token, last_token, first_slot = starts
    n_blocks, n_docs = first_token.shape
    n_slots = 0
    total = 0
    for d in range(n_docs):
        for b in range(n_blocks):
            total += (doc_start[d + 1] - doc_start[d]) * (last_token[b, d] - first_token[b, d])
    slots = np.empty(total, np.uint32)
    seen = np.full(n_words, -1, np.int64)
    slot_of_word = np.zeros(n_words, np.uint32)
    labels_of_slots = np.empty(total, np.uint32)
    words_of_slots = np.empty(total, np.uint32)
    n_labels = label_start.shape[0] - 1
    for b in range(n_blocks):
        for k in range(n_labels):
            mark = b * n_labels + k
            for n in range(label_start[k], label_start[k + 1]):
                d = label_docs[n]
                width = doc_start[d + 1] - doc_start[d]
                at = first_slot[b, d] + label_places[n]
                for i in range(first_token[b, d], last_token[b, d]):
                    w = tokens[i]
                    if seen[w] != mark:
                        seen[w] = mark
                        slot_of_word[w] = n_slots
                        labels_of_slots[n_slots] = k
                        words_of_slots[n_slots] = w
                        n_slots += 1
                    slots[at] = slot_of_word[w]
                    at += width
    return slots, labels_of_slots[:n_slots].copy(), words_of_slots[:n_slots].copy()


@jit_inline
def prefetch_document(corpus: LabeledState, sizes: Any, at: Any, d: Any) -> None:
    """Prefetch the counts of the first token of the next document; with many labels they are far apart."""
    l0, l1 = corpus.start[d], corpus.start[d + _ONE]
    for j in range(l0, l1):
        prefetch(sizes, np.uint64(corpus.labels[j]))
        slot = np.uint64(corpus.slots[at + j - l0])
        prefetch(corpus.counts, slot)
        prefetch(corpus.counts, slot + _LINE)  # slots of a rare label in one document are adjacent
        prefetch(corpus.counts, slot + _LINE + _LINE)


@jit_noalloc
def sweep_labeled(
    tokens: Any,
    starts: Any,
    first_slot: Any,
    corpus: LabeledState,
    sizes: Any,
    alpha: Any,
    beta: Any,
    beta_sum: Any,
    scratch: Any,
    random: Any,
    first: Any,
    last: Any,
) -> Any:
    """Draw the labels of the tokens of documents from ``first`` up to ``last``; returns the number of moved tokens.

    ``alpha`` is parallel to the labels of the documents, as ``corpus.in_doc`` is.
    """
    n_moved = 0
    for d in range(first, last):
        l0 = corpus.start[d]
        width = corpus.start[d + _ONE] - l0
        at = first_slot[d - first]
        if d + _ONE < last:
            prefetch_document(corpus, sizes, first_slot[d - first + _ONE], d + _ONE)
        for i in range(starts[d - first], starts[d - first + _ONE]):
            old = np.uint64(corpus.choices[i])
            if width == _ONE and old == _ZERO:
                at += _ONE
                continue
            for j in range(width):
                prefetch(corpus.counts, np.uint64(corpus.slots[at + width + j]))
            b_w = word_prior(beta, np.uint64(tokens[i]))
            if old < width:
                corpus.counts[corpus.slots[at + old]] -= 1
                corpus.in_doc[l0 + old] -= 1
                sizes[corpus.labels[l0 + old]] -= 1
            total = 0.0
            for j in range(width):
                k = corpus.labels[l0 + j]
                in_label = (np.float64(corpus.counts[corpus.slots[at + j]]) + b_w) / (np.float64(sizes[k]) + beta_sum)
                total += (np.float64(corpus.in_doc[l0 + j]) + alpha[l0 + j]) * in_label
                scratch[j] = total
            u = draw(random) * total
            new = _ZERO
            for j in range(width - _ONE):  # without a branch, which could not be predicted
                new += np.uint64(scratch[j] <= u)
            corpus.counts[corpus.slots[at + new]] += 1
            corpus.in_doc[l0 + new] += 1
            sizes[corpus.labels[l0 + new]] += 1
            corpus.choices[i] = new
            n_moved += int(new != old)
            at += width
    return n_moved
