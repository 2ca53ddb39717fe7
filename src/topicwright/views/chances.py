"""Which topics a word of a document may be of, and how probable each is."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..models.labeled_words import chances_of_words

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_WEIGHTS = 4_000_000  # numbers in memory at a time, where topics are many


class Chance(NamedTuple):
    """A topic that a word may be of: p(topic | word, document) ∝ φ_kw θ_dk."""

    topic: int
    probability: float


class Judged(NamedTuple):
    """A word's topic, how probable it is, and the most probable ones, the best first."""

    topic: int
    probability: float
    chances: tuple[Chance, ...]


class Allowed:
    """The topics that labels and hard seeds leave to each word of a training document; without one, all."""

    def __init__(self, model: Any, row: int | None) -> None:
        self.n_topics = len(model.alpha_)
        self._limits = None if row is None else model._compiled.limits
        self._span = slice(0) if row is None else slice(*model.corpus_.offsets[row : row + 2].tolist())

    def sets(self, n_tokens: int) -> Ints:
        """The number of each token's set; 0 is that of all topics."""
        if self._limits is None:
            return np.zeros(n_tokens, np.int64)
        return np.asarray(self._limits.sets[self._span].astype(np.int64))

    def mask(self, number: int) -> NDArray[np.bool_]:
        """Which topics are in a set."""
        if self._limits is None or number == 0:
            return np.ones(self.n_topics, dtype=bool)
        start, end = self._limits.start[number : number + 2].tolist()
        mask = np.zeros(self.n_topics, dtype=bool)
        mask[self._limits.topics[int(start) : int(end)]] = True
        return mask


def theta_of_row(model: Any, row: int) -> Floats:
    """θ of a training document; zero for topics that none of its words may have."""
    allowed = Allowed(model, row)
    weights = model.doc_topic_counts_[[row], :].toarray()[0] + model.alpha_
    numbers = np.unique(allowed.sets(0)).tolist()
    if numbers and 0 not in numbers:
        weights = weights * np.any([allowed.mask(number) for number in numbers], axis=0)
    return np.asarray(weights / weights.sum())


def judge(model: Any, theta: Floats, tokens: Any, topics: Ints | None, allowed: Allowed, n: int) -> list[Judged]:
    """Each token with its own topic, or else its most probable one, and the ``n`` most probable topics."""
    kinds, kind_of, counts = np.unique(
        np.stack([tokens.astype(np.int64), allowed.sets(len(tokens))]), axis=1, return_inverse=True, return_counts=True
    )
    members = np.split(np.argsort(kind_of.ravel(), kind="stable"), np.cumsum(counts)[:-1])
    step, found = max(1, _WEIGHTS // len(theta)), [Judged(0, 0.0, ())] * len(tokens)
    for start in range(0, kinds.shape[1], step):
        words, sets = kinds[:, start : start + step]
        rows = chances_of_words(model, theta, words, np.arange(len(theta)))
        for row, number, own in zip(rows, sets.tolist(), members[start : start + step]):
            row = row * allowed.mask(number) if number else row
            row = row / row.sum()
            best = tuple(Chance(k, float(row[k])) for k in _largest(row, n) if row[k] > 0)
            for place in own.tolist():
                topic = best[0].topic if topics is None else int(topics[place])
                found[place] = Judged(topic, float(row[topic]), best)
    return found


def _largest(row: Floats, n: int) -> list[int]:
    """The places of the ``n`` largest numbers; of equals the first."""
    least = np.partition(row, -n)[-n] if n < len(row) else -np.inf
    places = np.flatnonzero(row >= least)
    order: list[int] = places[np.argsort(-row[places], kind="stable")][:n].tolist()
    return order
