"""Arrays of the particle filter: state of particles, settings, validated batches and scratch memory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InputError
from ..random import streams
from .ancestry import MOST_PARTICLES, Ancestry, aligned_zeros, lane_count, new_ancestry
from .count_table import CountTable, new_count_table
from .reservoir import MOST_LABELS, Reservoir, new_reservoir

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


ORDERS = ("cycle", "random")
_MOST_IDS = 2**31  # of words and of labels


def check_that(holds: bool, name: str, expected: str, got: Any) -> None:
    """Raise an error about a parameter unless a condition holds."""
    if not holds:
        raise InputError(parameter=name, expected=expected, got=got)


def make_settings(
    n_particles: int,
    *,
    beta: float = 0.1,
    n_words: int | None = None,
    seed: int = 0,
    threshold: float | None = None,
    weighting: str = "marginal",
    resampling: str = "systematic",
    rejuvenate_at_resampling: int = 30,
    rejuvenate_per_label: float = 0.0,
    rejuvenation_order: str = "cycle",
    reservoir_tokens: int = 100_000,
    tempering: float | str = 1.0,
    decay: float = 1.0,
) -> FilterSettings:
    """Parameters of an engine in the form that the kernel takes.

    Parameters
    ----------
    n_particles : int
    beta : float
        Dirichlet prior of the words of a label.
    n_words : int, optional
        Vocabulary size V. By default the number of distinct words so far, those of the current document included.
    seed : int
    threshold : float, optional
        Effective number of particles at which they are resampled. By default half of them; 0 never resamples.
    weighting : {"marginal", "drawn"}
        Whether a weight is multiplied by the probability of the word summed over the labels, or under the label
        drawn. Only the first makes particles follow the posterior.
    resampling : {"systematic", "multinomial"}
    rejuvenate_at_resampling : int
        Tokens of the reservoir to resample after each resampling of particles, chosen at random.
    rejuvenate_per_label : float
        Tokens of the reservoir to resample for each token of a new document, times the labels of that document beyond
        the first (at most 20).
    rejuvenation_order : {"cycle", "random"}
        Whether these tokens are taken in turn or chosen at random.
    reservoir_tokens : int
        Capacity of the reservoir, in tokens and in labels of documents.
    tempering : float or "document"
        Exponent of the factors of the weights; below 1, weights degenerate more slowly. "document" is one over the
        length of the document: a document then weighs as much as one token.
    decay : float
        Factor by which counts shrink with each document; 1 keeps them.
    """
    check_that(1 <= n_particles <= MOST_PARTICLES, "n_particles", f"from 1 to {MOST_PARTICLES}", n_particles)
    check_that(beta > 0, "beta", "positive", beta)
    check_that(n_words is None or n_words > 0, "n_words", "positive", n_words)
    check_that(threshold is None or threshold >= 0, "threshold", "a number of at least 0", threshold)
    check_that(weighting in ("marginal", "drawn"), "weighting", "'marginal' or 'drawn'", weighting)
    check_that(resampling in ("systematic", "multinomial"), "resampling", "'systematic' or 'multinomial'", resampling)
    check_that(
        rejuvenate_at_resampling >= 0, "rejuvenate_at_resampling", "a number of at least 0", rejuvenate_at_resampling
    )
    check_that(rejuvenate_per_label >= 0, "rejuvenate_per_label", "a number of at least 0", rejuvenate_per_label)
    check_that(rejuvenation_order in ORDERS, "rejuvenation_order", "'cycle' or 'random'", rejuvenation_order)
    check_that(reservoir_tokens >= 0, "reservoir_tokens", "a number of at least 0", reservoir_tokens)
    power = 0.0 if tempering == "document" else float(tempering)
    check_that(
        tempering == "document" or 0 < power <= 1, "tempering", "above 0 and at most 1, or 'document'", tempering
    )
    check_that(0.01 <= decay <= 1, "decay", "from 0.01 to 1", decay)
    return FilterSettings(
        key=streams(seed, 1)[0, 0],
        n_particles=np.uint64(n_particles),
        beta=float(beta),
        n_words=float(n_words or 0),
        threshold=float(n_particles / 2 if threshold is None else threshold),
        n_at_resampling=np.uint64(rejuvenate_at_resampling),
        per_label=float(rejuvenate_per_label),
        is_cyclic=rejuvenation_order == "cycle",
        is_marginal=weighting == "marginal",
        is_systematic=resampling == "systematic",
        tempering=power,
        growth=1.0 / decay,
        reservoir_tokens=np.uint64(reservoir_tokens),
        rows_ahead=np.uint64(0),
    )


def check_documents(
    tokens: ArrayLike, offsets: ArrayLike, labels: ArrayLike, label_offsets: ArrayLike
) -> DocumentBatch:
    """A batch of documents in the form that the kernel takes, or an error."""
    starts, label_starts = (
        _check_offsets(offsets, "offsets", tokens),
        _check_offsets(label_offsets, "label_offsets", labels),
    )
    if len(starts) != len(label_starts):
        raise InputError(
            f"`label_offsets` has {len(label_starts) - 1} documents but `offsets` has {len(starts) - 1}",
            parameter="label_offsets",
        )
    documents = DocumentBatch(
        _check_ids(tokens, "tokens"), starts.view(np.uint64), _check_ids(labels, "labels"), label_starts.view(np.uint64)
    )
    widths = np.diff(label_starts)
    without = np.flatnonzero((widths == 0) & (np.diff(starts) > 0))
    if len(without):
        raise InputError(f"document {without[0]} of the batch has words but no label", parameter="labels")
    if widths.max(initial=0) > MOST_LABELS:
        raise InputError(parameter="labels", expected=f"at most {MOST_LABELS} a document", got=int(widths.max()))
    _check_distinct(documents.labels, widths)
    return documents


def _check_offsets(offsets: ArrayLike, name: str, values: ArrayLike) -> NDArray[np.int64]:
    result = np.ascontiguousarray(offsets, np.int64)
    n = np.asarray(values).shape[0]
    if result.ndim != 1 or len(result) == 0 or result[0] != 0 or result[-1] != n or (np.diff(result) < 0).any():
        expected = f"non-decreasing, from 0 to the number of entries, {n}"
        raise InputError(parameter=name, expected=expected, got=np.asarray(offsets))
    return result


def _check_ids(values: ArrayLike, name: str) -> NDArray[np.uint32]:
    array: NDArray[Any] = np.asarray(values)
    if array.size == 0:
        return np.zeros(0, np.uint32)
    if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer):
        raise InputError(
            f"`{name}` must be a list of integers: got {array.dtype} of shape {array.shape}", parameter=name
        )
    if array.min() < 0 or array.max() >= _MOST_IDS:
        bad = array.min() if array.min() < 0 else array.max()
        raise InputError(parameter=name, expected=f"from 0 to {_MOST_IDS - 1}", got=int(bad))
    return np.ascontiguousarray(array, np.uint32)


def _check_distinct(labels: NDArray[np.uint32], widths: NDArray[np.int64]) -> None:
    docs = np.repeat(np.arange(len(widths)), widths)
    pairs = np.sort(docs << 32 | labels.astype(np.int64))
    twice = np.flatnonzero(pairs[1:] == pairs[:-1])
    if len(twice):
        doc, label = divmod(int(pairs[twice[0]]), 2**32)
        raise InputError(f"document {doc} of the batch has the label {label} twice", parameter="labels", got=label)
