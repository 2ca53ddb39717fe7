"""What a watch reads of the model: how labels expect words, and what the labels of documents are owed.

Words of a label are expected as p(w | k) = (n_kw + c p(w)) / (n_k + c): a label begins as the background, and is
itself when it has many more words than c.
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
_TINY = 1e-200  # of a product whose logarithm is wanted


class ModelStatistics(NamedTuple):
    """The counts of a model, as they lie in memory."""

    pairs: CountTable
    ancestry: Ancestry
    totals: Floats
    total_stamps: NDArray[np.uint32]
    particles: NDArray[np.uint64]  # that the model is made of
    numbers: Floats


class MonitoredDocument(NamedTuple):
    """A document that is kept: its name, its different words, how often it has each, and its labels."""

    name: Any
    words: Numbers
    times: Numbers
    labels: Numbers


class MonitoredDocuments(NamedTuple):
    """Some documents side by side."""

    words: Numbers
    times: Numbers
    offsets: NDArray[np.int64]
    labels: Numbers
    label_offsets: NDArray[np.int64]


class CountBuffers(NamedTuple):
    """Where kernels work on one document."""

    entries: NDArray[np.uint64]  # of the pairs of one label, by word
    expected: Floats  # p(w | k), by label and word
    rows: NDArray[np.int64]  # 0, 1, 2, ...
    shares: Floats  # by label


def statistics_of(stream: StreamState) -> ModelStatistics:
    """What the stream has learned so far; to be asked for again when it has learned more."""
    model = stream.engine.particles
    particles = np.array(stream.particle_ids(), np.uint64)
    return ModelStatistics(
        model.count_table, model.ancestry, model.totals, model.total_stamps, particles, model.numbers
    )


def side_by_side(documents: Collection[MonitoredDocument]) -> MonitoredDocuments:
    """As the kernels take them."""
    none: Numbers = np.zeros(0, np.uint32)
    return MonitoredDocuments(
        np.concatenate([none, *(document.words for document in documents)]),
        np.concatenate([none, *(document.times for document in documents)]),
        np.cumsum([0, *(len(document.words) for document in documents)], dtype=np.int64),
        np.concatenate([none, *(document.labels for document in documents)]),
        np.cumsum([0, *(len(document.labels) for document in documents)], dtype=np.int64),
    )


def room_for(documents: MonitoredDocuments) -> CountBuffers:
    """For the longest of them, and for that with most labels."""
    n_labels = int(np.diff(documents.label_offsets).max(initial=0))
    n_words = int(np.diff(documents.offsets).max(initial=0))
    return CountBuffers(
        np.zeros(n_words, np.uint64), np.zeros((n_labels, n_words)), np.arange(n_labels), np.zeros(n_labels)
    )


@jit_noalloc
def count(words: Any, counts: Any, step: Any) -> None:
    """Add to the counts of words."""
    for w in range(np.uint64(words.shape[0])):
        counts[np.uint64(words[w])] += step


@jit_noalloc
def add_times(words: Any, times: Any, tokens: Any) -> Any:
    """Add to the tokens of words; how many of these are new."""
    n: Any = 0
    for w in range(np.uint64(words.shape[0])):
        word = np.uint64(words[w])
        n += np.int64(tokens[word] == 0.0)
        tokens[word] += np.float64(times[w])
    return n


@jit_noalloc
def find_places(words: Any, places: Any, different: Any, found: Any) -> Any:
    """The place of each word among those that are different; how many these are.

    ``places``, by number, are negative before and after.
    """
    n = _ZERO
    for w in range(np.uint64(words.shape[0])):
        word = np.uint64(words[w])
        if places[word] < 0:
            places[word], different[n] = np.int64(n), np.int64(word)
            n += _ONE
        found[w] = places[word]
    for m in range(n):
        places[np.uint64(different[m])] = -1
    return np.int64(n)


@jit_inline
def total_of(known: ModelStatistics, label: Any) -> Any:
    """n_k, in the mean of the particles."""
    row, total = np.uint64(label), 0.0
    stamp = np.uint64(known.total_stamps[row])
    for n in range(np.uint64(known.particles.shape[0])):
        total += known.totals[row, lane_of(known.ancestry, stamp, known.particles[n])]
    return max(total, 0.0) / (known.numbers[INCREMENT] * np.float64(known.particles.shape[0]))


@jit_inline
def read_counts(known: ModelStatistics, label: Any, words: Any, entries: Any, counts: Any) -> None:
    """n_kw of some words, in the mean of the particles; what they need is asked for ahead."""
    pairs, ancestry, particles = known.pairs, known.ancestry, known.particles
    n_words, n_particles = np.uint64(words.shape[0]), np.uint64(particles.shape[0])
    unit = known.numbers[INCREMENT] * np.float64(n_particles)
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
def read_table(known: ModelStatistics, labels: Any, words: Any, entries: Any, counts: Any, totals: Any) -> None:
    """n_kw of some labels and words, and n_k."""
    for k in range(np.uint64(labels.shape[0])):
        totals[k] = total_of(known, labels[k])
        read_counts(known, labels[k], words, entries, counts[k])


@jit_inline
def log_evidence(expected: Any, rows: Any, n_rows: Any, times: Any, alpha: Any, shares: Any) -> Any:
    """log p of words under some labels, their shares unknown: word after word, each by the shares of those before.

    What the labels are owed, α included, is left in ``shares``.
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
def weigh_labels(
    known: ModelStatistics,
    documents: MonitoredDocuments,
    d: Any,
    background: Any,
    prior: Any,
    alpha: Any,
    room: CountBuffers,
) -> Any:
    """How the labels of a document expect its words, and what they are owed, in ``room``; how many they are."""
    first, l0 = np.uint64(documents.offsets[d]), np.uint64(documents.label_offsets[d])
    end, n_labels = np.uint64(documents.offsets[d + _ONE]), np.uint64(documents.label_offsets[d + _ONE]) - l0
    words = documents.words[first:end]
    for k in range(n_labels):
        label, expected = documents.labels[l0 + k], room.expected[k]
        read_counts(known, label, words, room.entries, expected)
        total = total_of(known, label) + prior
        for w in range(end - first):
            expected[w] = (expected[w] + prior * background[first + w]) / total
    log_evidence(room.expected, room.rows, n_labels, documents.times[first:end], alpha, room.shares)
    return n_labels


@jit_noalloc
def give_credit(
    known: ModelStatistics,
    documents: MonitoredDocuments,
    label: Any,
    background: Any,
    prior: Any,
    alpha: Any,
    room: CountBuffers,
    credit: Any,
) -> None:
    """The share that a label has in each word of documents that all have it; ``background`` is p(w) by place."""
    for d in range(np.uint64(documents.offsets.shape[0]) - _ONE):
        first, l0 = np.uint64(documents.offsets[d]), np.uint64(documents.label_offsets[d])
        n_words = np.uint64(documents.offsets[d + _ONE]) - first
        if documents.label_offsets[d + _ONE] - documents.label_offsets[d] == 1:
            for w in range(n_words):
                credit[first + w] = 1.0
            continue
        n_labels = weigh_labels(known, documents, d, background, prior, alpha, room)
        for w in range(n_words):
            own, total = 0.0, 0.0
            for k in range(n_labels):
                share = room.shares[k] * room.expected[k, w]
                total += share
                if documents.labels[l0 + k] == label:
                    own = share
            credit[first + w] = own / total


@jit_noalloc
def count_credit(
    known: ModelStatistics,
    documents: MonitoredDocuments,
    background: Any,
    prior: Any,
    alpha: Any,
    room: CountBuffers,
    label_places: Any,
    word_places: Any,
    counts: Any,
    totals: Any,
) -> None:
    """What labels are owed in documents: of some words, and in all.

    Places are those of labels and words in ``counts``; that of a word that is not asked for is negative.
    """
    for d in range(np.uint64(documents.offsets.shape[0]) - _ONE):
        first, l0 = np.uint64(documents.offsets[d]), np.uint64(documents.label_offsets[d])
        n_labels = weigh_labels(known, documents, d, background, prior, alpha, room)
        for k in range(n_labels):
            totals[np.uint64(label_places[np.uint64(documents.labels[l0 + k])])] += room.shares[k] - alpha
        for w in range(np.uint64(documents.offsets[d + _ONE]) - first):
            place = word_places[np.uint64(documents.words[first + w])]
            if place < 0:
                continue
            total = 0.0
            for k in range(n_labels):
                total += room.shares[k] * room.expected[k, w]
            for k in range(n_labels):
                row = np.uint64(label_places[np.uint64(documents.labels[l0 + k])])
                share = room.shares[k] * room.expected[k, w] / total
                counts[row, np.uint64(place)] += np.float64(documents.times[first + w]) * share
