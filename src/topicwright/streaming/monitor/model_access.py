"""Counts of the model as the monitor reads them, and attribution of words to the labels of documents.

The expected frequency of a word is p(w | k) = (n_kw + c p(w)) / (n_k + c): a label starts as the background, and
becomes itself once it has many more words than c.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._sampling.particle_filter.ancestry import Ancestry, lane_of
from ..._sampling.particle_filter.count_table import (
    CountTable,
    find_entry,
    hash_slot,
    prefetch_entry,
    prefetch_row,
    row_at,
)
from ..._sampling.particle_filter.state import INCREMENT
from ..._utils.numba import jit_inline, jit_noalloc

if TYPE_CHECKING:
    from ...models.online.state import StreamState

Floats = NDArray[np.float64]
Numbers = NDArray[np.uint32]
_ZERO, _ONE, _THREE, _FOUR = (np.uint64(n) for n in (0, 1, 3, 4))
_TINY = 1e-200  # products below this are replaced by their logarithm


class ModelStatistics(NamedTuple):
    """Counts of a model, in its own memory layout."""

    pairs: CountTable
    ancestry: Ancestry
    totals: Floats
    total_stamps: NDArray[np.uint32]
    particles: NDArray[np.uint64]  # ids of the particles
    numbers: Floats


class MonitoredDocument(NamedTuple):
    """A stored document: its name, distinct words, their counts, and its labels."""

    name: Any
    words: Numbers
    times: Numbers
    labels: Numbers


class MonitoredDocuments(NamedTuple):
    """Documents in concatenated arrays."""

    words: Numbers
    times: Numbers
    offsets: NDArray[np.int64]
    labels: Numbers
    label_offsets: NDArray[np.int64]


class CountBuffers(NamedTuple):
    """Buffers of kernels for one document."""

    entries: NDArray[np.uint64]  # of the pairs of one label, by word
    expected: Floats  # p(w | k), by label and word
    rows: NDArray[np.int64]  # 0, 1, 2, ...
    shares: Floats  # by label


def statistics_of(stream: StreamState) -> ModelStatistics:
    """Counts of a stream; call this again after it has learned more."""
    model = stream.engine.particles
    particles = np.array(stream.particle_ids(), np.uint64)
    return ModelStatistics(
        model.count_table, model.ancestry, model.totals, model.total_stamps, particles, model.numbers
    )


def concatenate_documents(documents: Collection[MonitoredDocument]) -> MonitoredDocuments:
    """Documents in concatenated arrays, as kernels need them."""
    none: Numbers = np.zeros(0, np.uint32)
    return MonitoredDocuments(
        np.concatenate([none, *(document.words for document in documents)]),
        np.concatenate([none, *(document.times for document in documents)]),
        np.cumsum([0, *(len(document.words) for document in documents)], dtype=np.int64),
        np.concatenate([none, *(document.labels for document in documents)]),
        np.cumsum([0, *(len(document.labels) for document in documents)], dtype=np.int64),
    )


def new_buffers(documents: MonitoredDocuments) -> CountBuffers:
    """Buffers for the longest document and for the most labels."""
    n_labels = int(np.diff(documents.label_offsets).max(initial=0))
    n_words = int(np.diff(documents.offsets).max(initial=0))
    return CountBuffers(
        np.zeros(n_words, np.uint64), np.zeros((n_labels, n_words)), np.arange(n_labels), np.zeros(n_labels)
    )


@jit_noalloc
def add_to_counts(words: Any, counts: Any, step: Any) -> None:
    """Add to the counts of words."""
    for w in range(np.uint64(words.shape[0])):
        counts[np.uint64(words[w])] += step


@jit_noalloc
def add_times(words: Any, times: Any, tokens: Any) -> Any:
    """Add to the token counts of words; returns the number of new words."""
    n: Any = 0
    for w in range(np.uint64(words.shape[0])):
        word = np.uint64(words[w])
        n += np.int64(tokens[word] == 0.0)
        tokens[word] += np.float64(times[w])
    return n


@jit_noalloc
def find_positions(words: Any, positions: Any, different: Any, found: Any) -> Any:
    """Index of each word among the distinct ones; returns their number.

    ``positions``, by word number, are negative before and after.
    """
    n = _ZERO
    for w in range(np.uint64(words.shape[0])):
        word = np.uint64(words[w])
        if positions[word] < 0:
            positions[word], different[n] = np.int64(n), np.int64(word)
            n += _ONE
        found[w] = positions[word]
    for m in range(n):
        positions[np.uint64(different[m])] = -1
    return np.int64(n)


@jit_inline
def total_of(model: ModelStatistics, label: Any) -> Any:
    """n_k, as the mean over particles."""
    row, total = np.uint64(label), 0.0
    stamp = np.uint64(model.total_stamps[row])
    for n in range(np.uint64(model.particles.shape[0])):
        total += model.totals[row, lane_of(model.ancestry, stamp, model.particles[n])]
    return max(total, 0.0) / (model.numbers[INCREMENT] * np.float64(model.particles.shape[0]))


@jit_inline
def read_counts(model: ModelStatistics, label: Any, words: Any, entries: Any, counts: Any) -> None:
    """n_kw of some words, as the mean over particles, with prefetching."""
    pairs, ancestry, particles = model.pairs, model.ancestry, model.particles
    n_words, n_particles = np.uint64(words.shape[0]), np.uint64(particles.shape[0])
    unit = model.numbers[INCREMENT] * np.float64(n_particles)
    for w in range(n_words):
        entries[w] = hash_slot(pairs, label, words[w])
        prefetch_entry(pairs, entries[w])
    for w in range(n_words):
        entries[w] = find_entry(pairs, entries[w], label, words[w])
        prefetch_row(pairs.lanes, row_at(pairs, entries[w]))
    for w in range(n_words):
        row, total = row_at(pairs, entries[w]), 0.0
        stamp = np.uint64(pairs.entries[entries[w] * _FOUR + _THREE])
        if row > _ZERO:
            for n in range(n_particles):
                total += np.float64(pairs.lanes[row, lane_of(ancestry, stamp, particles[n])])
        counts[w] = max(total, 0.0) / unit


@jit_noalloc
def read_table(model: ModelStatistics, labels: Any, words: Any, entries: Any, counts: Any, totals: Any) -> None:
    """n_kw of some labels and words, and n_k."""
    for k in range(np.uint64(labels.shape[0])):
        totals[k] = total_of(model, labels[k])
        read_counts(model, labels[k], words, entries, counts[k])


@jit_inline
def log_evidence(expected: Any, rows: Any, n_rows: Any, times: Any, alpha: Any, shares: Any) -> Any:
    """log p of words under labels of unknown shares: word by word, with the shares estimated from the words before.

    The counts attributed to the labels, including α, are left in ``shares``.
    """
    log_p, product, seen = 0.0, 1.0, alpha * np.float64(n_rows)
    for k in range(n_rows):
        shares[k] = alpha
    for w in range(np.uint64(times.shape[0])):
        total, n = 0.0, np.float64(times[w])
        for k in range(n_rows):
            total += shares[k] * expected[np.uint64(rows[k]), w]
        for k in range(n_rows):
            shares[k] += n * shares[k] * expected[np.uint64(rows[k]), w] / total
        if n == 1.0:
            product *= total / seen
        else:
            log_p += n * np.log(total / seen)
        seen += n
        if product < _TINY:
            log_p += np.log(product)
            product = 1.0
    return log_p + np.log(product)


@jit_inline
def label_weights(
    model: ModelStatistics,
    documents: MonitoredDocuments,
    d: Any,
    background: Any,
    prior: Any,
    alpha: Any,
    buffers: CountBuffers,
) -> Any:
    """Fill ``buffers`` with p(w | k) and the shares of a document's labels; returns the number of labels."""
    first, l0 = np.uint64(documents.offsets[d]), np.uint64(documents.label_offsets[d])
    end, n_labels = np.uint64(documents.offsets[d + _ONE]), np.uint64(documents.label_offsets[d + _ONE]) - l0
    words = documents.words[first:end]
    for k in range(n_labels):
        label, expected = documents.labels[l0 + k], buffers.expected[k]
        read_counts(model, label, words, buffers.entries, expected)
        total = total_of(model, label) + prior
        for w in range(end - first):
            expected[w] = (expected[w] + prior * background[first + w]) / total
    log_evidence(buffers.expected, buffers.rows, n_labels, documents.times[first:end], alpha, buffers.shares)
    return n_labels


@jit_noalloc
def attribute_words(
    model: ModelStatistics,
    documents: MonitoredDocuments,
    label: Any,
    background: Any,
    prior: Any,
    alpha: Any,
    buffers: CountBuffers,
    credit: Any,
) -> None:
    """Share of a label in each word of documents that have it; ``background`` is p(w) of each word."""
    for d in range(np.uint64(documents.offsets.shape[0]) - _ONE):
        first, l0 = np.uint64(documents.offsets[d]), np.uint64(documents.label_offsets[d])
        n_words = np.uint64(documents.offsets[d + _ONE]) - first
        if documents.label_offsets[d + _ONE] - documents.label_offsets[d] == 1:
            for w in range(n_words):
                credit[first + w] = 1.0
            continue
        n_labels = label_weights(model, documents, d, background, prior, alpha, buffers)
        for w in range(n_words):
            own, total = 0.0, 0.0
            for k in range(n_labels):
                share = buffers.shares[k] * buffers.expected[k, w]
                total += share
                if documents.labels[l0 + k] == label:
                    own = share
            credit[first + w] = own / total


@jit_noalloc
def count_attributions(
    model: ModelStatistics,
    documents: MonitoredDocuments,
    background: Any,
    prior: Any,
    alpha: Any,
    buffers: CountBuffers,
    label_positions: Any,
    word_positions: Any,
    counts: Any,
    totals: Any,
) -> None:
    """Counts attributed to labels in documents: of some words, and in total.

    Positions are rows and columns of ``counts``; they are negative for words that are not counted.
    """
    for d in range(np.uint64(documents.offsets.shape[0]) - _ONE):
        first, l0 = np.uint64(documents.offsets[d]), np.uint64(documents.label_offsets[d])
        n_labels = label_weights(model, documents, d, background, prior, alpha, buffers)
        for k in range(n_labels):
            totals[np.uint64(label_positions[np.uint64(documents.labels[l0 + k])])] += buffers.shares[k] - alpha
        for w in range(np.uint64(documents.offsets[d + _ONE]) - first):
            position = word_positions[np.uint64(documents.words[first + w])]
            if position < 0:
                continue
            total = 0.0
            for k in range(n_labels):
                total += buffers.shares[k] * buffers.expected[k, w]
            for k in range(n_labels):
                row = np.uint64(label_positions[np.uint64(documents.labels[l0 + k])])
                share = buffers.shares[k] * buffers.expected[k, w] / total
                counts[row, np.uint64(position)] += np.float64(documents.times[first + w]) * share
