"""Parameters and documents at the door: each is checked once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InputError
from ..random import streams
from .ancestry import MOST_PARTICLES
from .reservoir import MOST_LABELS
from .state import DocumentBatch, FilterSettings

ORDERS = ("cycle", "random")
_MOST_NUMBERS = 2**31  # of words and of labels


def check_that(holds: bool, name: str, rule: str, got: Any) -> None:
    """Say what is wrong with a parameter."""
    if not holds:
        raise InputError(f"{name} must {rule}: got {got!r}")


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
    """The parameters of an engine, as the kernel takes them.

    Parameters
    ----------
    n_particles : int
    beta : float
        The prior of words in labels.
    n_words : int, optional
        V in the formula; otherwise the number of words that have occurred so far, with those of the document in work.
    seed : int
    threshold : float, optional
        Particles are resampled when their effective number is at most this: half of them unless told, never with 0.
    weighting : {"marginal", "drawn"}
        What a weight is multiplied with: the word's probability summed over the labels, or under the label drawn.
        Only the first makes particles follow the posterior.
    resampling : {"systematic", "multinomial"}
    rejuvenate_at_resampling : int
        Tokens of the reservoir to draw anew after each resampling, chosen at random.
    rejuvenate_per_label : float
        The same for each token that arrives, when its document has been read, and for each label that the document has
        beyond its first, of which 20 count at most.
    rejuvenation_order : {"cycle", "random"}
        Whether those take turns or are chosen at random.
    reservoir_tokens : int
        How many tokens, and how many labels of documents, the reservoir may hold.
    tempering : float or "document"
        A power for what weights are multiplied with, below 1 for weights that fall apart more slowly. "document" is one
        over the document's length: a document then weighs as much as one token.
    decay : float
        What counts shrink by with each document; 1 for never.
    """
    check_that(1 <= n_particles <= MOST_PARTICLES, "n_particles", f"be from 1 to {MOST_PARTICLES}", n_particles)
    check_that(beta > 0, "beta", "be positive", beta)
    check_that(n_words is None or n_words > 0, "n_words", "be positive", n_words)
    check_that(threshold is None or threshold >= 0, "threshold", "not be negative", threshold)
    check_that(weighting in ("marginal", "drawn"), "weighting", "be 'marginal' or 'drawn'", weighting)
    check_that(
        resampling in ("systematic", "multinomial"), "resampling", "be 'systematic' or 'multinomial'", resampling
    )
    check_that(rejuvenate_at_resampling >= 0, "rejuvenate_at_resampling", "not be negative", rejuvenate_at_resampling)
    check_that(rejuvenate_per_label >= 0, "rejuvenate_per_label", "not be negative", rejuvenate_per_label)
    check_that(rejuvenation_order in ORDERS, "rejuvenation_order", "be 'cycle' or 'random'", rejuvenation_order)
    check_that(reservoir_tokens >= 0, "reservoir_tokens", "not be negative", reservoir_tokens)
    power = 0.0 if tempering == "document" else float(tempering)
    check_that(
        tempering == "document" or 0 < power <= 1, "tempering", "be above 0 and at most 1, or 'document'", tempering
    )
    check_that(0.01 <= decay <= 1, "decay", "be from 0.01 to 1", decay)
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
    """A batch as the kernel takes it."""
    starts, label_starts = (
        _check_offsets(offsets, "offsets", tokens),
        _check_offsets(label_offsets, "label_offsets", labels),
    )
    if len(starts) != len(label_starts):
        raise InputError(
            f"every document needs labels: got those of {len(label_starts) - 1}, expected {len(starts) - 1}"
        )
    documents = DocumentBatch(
        _check_ids(tokens, "tokens"), starts.view(np.uint64), _check_ids(labels, "labels"), label_starts.view(np.uint64)
    )
    widths = np.diff(label_starts)
    without = np.flatnonzero((widths == 0) & (np.diff(starts) > 0))
    if len(without):
        raise InputError(f"a document with words needs at least one label: document {without[0]} of the batch has none")
    if widths.max(initial=0) > MOST_LABELS:
        raise InputError(f"a document can have at most {MOST_LABELS} labels: got {widths.max()}")
    _check_distinct(documents.labels, widths)
    return documents


def _check_offsets(offsets: ArrayLike, name: str, values: ArrayLike) -> NDArray[np.int64]:
    result = np.ascontiguousarray(offsets, np.int64)
    n = np.asarray(values).shape[0]
    if result.ndim != 1 or len(result) == 0 or result[0] != 0 or result[-1] != n or (np.diff(result) < 0).any():
        raise InputError(f"{name} must rise from 0 to {n}, the number of entries: got {np.asarray(offsets)!r}")
    return result


def _check_ids(values: ArrayLike, name: str) -> NDArray[np.uint32]:
    array: NDArray[Any] = np.asarray(values)
    if array.size == 0:
        return np.zeros(0, np.uint32)
    if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer):
        raise InputError(f"{name} must be a list of whole numbers: got {array.dtype} of shape {array.shape}")
    if array.min() < 0 or array.max() >= _MOST_NUMBERS:
        raise InputError(f"{name} must be from 0 to {_MOST_NUMBERS - 1}: got {array.min()} to {array.max()}")
    return np.ascontiguousarray(array, np.uint32)


def _check_distinct(labels: NDArray[np.uint32], widths: NDArray[np.int64]) -> None:
    docs = np.repeat(np.arange(len(widths)), widths)
    pairs = np.sort(docs << 32 | labels.astype(np.int64))
    twice = np.flatnonzero(pairs[1:] == pairs[:-1])
    if len(twice):
        doc, label = divmod(int(pairs[twice[0]]), 2**32)
        raise InputError(f"the labels of a document must differ: document {doc} of the batch has {label} twice")
