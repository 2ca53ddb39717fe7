"""Custom factors and losses."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import topicwright as tw
from topicwright.knowledge import entry_at, register_factor, row_bounds, scale_topic

_ONE = np.uint64(1)


class Opening(NamedTuple):
    """Factor that draws the first words of a document to a topic."""

    topic: int
    starts: NDArray[np.uint64]
    length: int


def scale_opening(factor: Any, place: Any, counts: Any, multipliers: Any) -> None:
    if place.token - factor.starts[place.doc] < factor.length:
        scale_topic(multipliers, factor.topic, 1e9)


register_factor(Opening, scale_opening)


def opening(reads: str = "own") -> tw.Custom:
    def compiled(corpus: tw.Corpus, topics: Any) -> Opening:
        return Opening(topics.number("headline"), corpus.offsets.astype(np.uint64), 3)

    return tw.CustomFactor(compiled, topics=["headline"], reads=reads)


class Follows(NamedTuple):
    """Factor that draws all words to the topics of one word."""

    word: int


def scale_followers(factor: Any, place: Any, counts: Any, multipliers: Any) -> None:
    if place.word != factor.word:
        j, end = row_bounds(counts.words, np.uint64(factor.word))
        while j < end:
            topic, count = entry_at(counts.words, j)
            scale_topic(multipliers, topic, 1e6 * count)
            j += _ONE


register_factor(Follows, scale_followers)


class Squared:
    """The squared error, as docs/losses.md has it."""

    def __init__(self, cost: float = 1.0) -> None:
        self.cost = cost

    def linearize(self, scores: Any, targets: Any, lengths: Any, weights: Any, rng: Any) -> Any:
        known = ~np.isnan(targets) & (lengths > 0)[:, None]
        c = np.where(known, self.cost if weights is None else self.cost * weights, 0.0)
        n = np.maximum(lengths, 1)[:, None]
        return 2 * c * np.nan_to_num(targets) / n, 2 * c / n**2

    def center(self, targets: Any, lengths: Any) -> Any:
        return np.nan_to_num(targets) * lengths[:, None]

    def pseudo_loss(self, shares_scores: Any, targets: Any) -> Any:
        return np.nan_to_num((targets - shares_scores) ** 2)
