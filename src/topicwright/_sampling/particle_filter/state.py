"""Arrays of the particle filter: the state of particles, settings, and scratch memory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .ancestry import Ancestry, aligned_zeros, lane_count, new_ancestry
from .count_table import CountTable, new_count_table
from .reservoir import Reservoir, new_reservoir

BLOCK = 16  # tokens whose counts are looked up together
DOCUMENTS, TOKENS, RESAMPLINGS, REJUVENATED, CALLS = (np.uint64(n) for n in range(5))  # of the counters
INCREMENT, N_WORDS, REJUVENATION_DEBT = (np.uint64(n) for n in range(3))  # of the numbers
DOC, TOKEN, TO_REJUVENATE, IS_OPEN, IS_READ, N_IN_DOC = (np.uint64(n) for n in range(6))  # of the position


class DocumentBatch(NamedTuple):
    """Batch of documents: word ids and label ids, each with the offsets of documents."""

    tokens: NDArray[np.uint32]
    offsets: NDArray[np.uint64]
    labels: NDArray[np.uint32]
    label_offsets: NDArray[np.uint64]


class ParticleState(NamedTuple):
    """State of all particles."""

    count_table: CountTable
    totals: NDArray[np.float64]  # n_k, by label and lane
    total_stamps: NDArray[np.uint32]
    alpha: NDArray[np.float64]  # a_k
    seen: NDArray[np.uint8]  # whether a word has occurred
    reservoir: Reservoir
    ancestry: Ancestry
    weights: NDArray[np.float64]  # of particles; their sum is 1
    counters: NDArray[np.uint64]
    numbers: NDArray[np.float64]
    links: Any = None  # of words; None compiles a kernel without them


class FilterSettings(NamedTuple):
    """Parameters of the filter."""

    key: np.uint64  # of the random streams
    n_particles: np.uint64
    beta: float
    n_words: float  # V; 0 stands for the distinct words so far
    threshold: float
    n_at_resampling: np.uint64  # tokens to resample after a resampling of particles
    per_label: float  # tokens to resample for each new token and each further label of its document
    is_cyclic: bool  # whether these are taken in turn; else at random
    is_marginal: bool  # whether weights use the sum over labels; else the label drawn
    is_systematic: bool
    tempering: float  # exponent of the factors of the weights; 0 stands for 1 / length of the document
    growth: float  # factor of increments from document to document: 1 / decay
    reservoir_tokens: np.uint64
    rows_ahead: np.uint64  # count rows that a block of tokens may need


class FilterScratch(NamedTuple):
    """Scratch memory of the kernel; ``position`` and ``random`` say where it continues after an early return."""

    position: NDArray[np.uint64]
    random: NDArray[np.uint64]
    token_positions: NDArray[np.uint64]  # of the next tokens
    entries: NDArray[np.uint64]  # entries of the count table, by token and label
    rows: NDArray[np.uint64]  # count rows of the current token, by label
    sums: NDArray[np.float64]  # running sums of weights over labels, by lane; the first row is zero
    stream_steps: NDArray[np.uint64]  # step of the random stream that a lane uses
    thresholds: NDArray[np.float64]  # random thresholds of draws, by lane
    choices: NDArray[np.int64]
    change: NDArray[np.float64]
    weight_factors: NDArray[np.float64]  # factors of the weights of particles
    spare_counts: NDArray[Any]
    spare_totals: NDArray[np.float64]
    spare_in_doc: NDArray[np.int32]
    spare_choices: NDArray[np.uint16]


def new_particles(n_particles: int, alpha: float, dtype: Any) -> ParticleState:
    """Empty particles."""
    width = lane_count(n_particles)
    weights = np.zeros(width)
    weights[:n_particles] = 1 / n_particles
    return ParticleState(
        count_table=new_count_table(width, dtype),
        totals=aligned_zeros((16, width), np.float64),
        total_stamps=np.zeros(16, np.uint32),
        alpha=np.full(16, alpha),
        seen=np.zeros(256, np.uint8),
        reservoir=new_reservoir(width),
        ancestry=new_ancestry(n_particles),
        weights=weights,
        counters=np.zeros(5, np.uint64),
        numbers=np.array([1.0, 0.0, 0.0]),
    )


def new_scratch(n_particles: int, dtype: Any, n_labels: int) -> FilterScratch:
    """Scratch memory for documents with up to ``n_labels`` labels."""
    width = lane_count(n_particles)
    lanes = np.arange(width, dtype=np.uint64)
    return FilterScratch(
        position=np.zeros(6, np.uint64),
        random=np.zeros(2, np.uint64),
        entries=np.zeros(BLOCK * n_labels, np.uint64),
        token_positions=np.zeros(BLOCK, np.uint64),
        rows=np.zeros(n_labels, np.uint64),
        sums=aligned_zeros((n_labels + 1, width), np.float64),
        stream_steps=np.where(lanes < n_particles, lanes, 0) + np.uint64(1),
        thresholds=np.zeros(width),
        choices=np.zeros(width, np.int64),
        change=np.zeros(width),
        weight_factors=np.zeros(width),
        spare_counts=np.zeros(width, dtype),
        spare_totals=np.zeros(width),
        spare_in_doc=np.zeros(width, np.int32),
        spare_choices=np.zeros(width, np.uint16),
    )


def grow(array: NDArray[Any], n: int, value: float = 0) -> NDArray[Any]:
    """The array, or a longer copy if it has less than n entries."""
    if n <= len(array):
        return array
    result = aligned_zeros((1 << (n - 1).bit_length(), *array.shape[1:]), array.dtype)
    result[: len(array)] = array
    result[len(array) :] = value
    return result
