"""Ours as a stream: the settings that are compared, and a model that reads slice by slice."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from topicwright._sampling.particle_filter import StreamEngine
from topicwright._sampling.particle_filter.reservoir import N_TOKENS
from topicwright.corpus.corpus import Corpus
from topicwright.models.online.model import OnlineLabeledLDA


@dataclass(frozen=True)
class StreamVariant:
    """A way to set up the stream."""

    name: str
    is_paper: bool = False
    n_particles: int | None = None  # None for as many as it has by itself

    def build(self, seed: int, **parameters: Any) -> OnlineLabeledLDA:
        """A new stream."""
        if self.n_particles is not None:
            parameters["n_particles"] = self.n_particles
        make = OnlineLabeledLDA.paper if self.is_paper else OnlineLabeledLDA
        return make(random_state=seed, **parameters)


STREAM = "stream"
DEFAULTS = StreamVariant(STREAM)
PAPER = StreamVariant("stream, paper's settings", is_paper=True)
SINGLE = StreamVariant("stream, one particle", n_particles=1)
VARIANTS = (DEFAULTS, PAPER, SINGLE)


class Slice(NamedTuple):
    """Some documents, ready to be read."""

    words: list[list[str]]
    labels: list[list[str]]

    @property
    def n_tokens(self) -> int:
        """How many words there are."""
        return sum(map(len, self.words))

    @property
    def n_choices(self) -> int:
        """Labels that words may have, over all words: a document's words times its labels."""
        return sum(len(words) * len(labels) for words, labels in zip(self.words, self.labels))


def bounds(first: int, last: int, n: int) -> list[tuple[int, int]]:
    """Documents first to last in n slices, or fewer where there would be empty ones.

    >>> bounds(0, 5, 2), bounds(0, 2, 9)
    ([(0, 2), (2, 5)], [(0, 1), (1, 2)])
    """
    return list(pairwise(np.unique(np.linspace(first, last, n + 1).astype(int)).tolist()))


def take(corpus: Corpus, first: int, last: int) -> Slice:
    """Some documents as lists of words."""
    labels = corpus.labels or ()
    return Slice([corpus.words(d) for d in range(first, last)], [list(own) for own in labels[first:last]])


def cut(corpus: Corpus, first: int, last: int, n: int) -> list[Slice]:
    """Documents first to last in slices."""
    return [take(corpus, *ends) for ends in bounds(first, last, n)]


class Follower:
    """A stream that reads one slice in each sweep, from lists of words."""

    def __init__(self, variant: StreamVariant, seed: int, slices: Iterable[Slice] = (), **parameters: Any) -> None:
        self._again = partial(variant.build, seed, **parameters)
        self.model = self._again()
        self._slices = deque(slices)

    def prepare(self) -> None:
        """Compile, by another model that reads enough to grow and to rejuvenate."""
        words = [[f"{n % 50}", f"{n % 7}", "both"] for n in range(100)]
        self._again().set_params(vocabulary=None).partial_fit(words, [["one", "other"]] * 100)

    def sweep(self) -> None:
        """Read the next slice."""
        self.model.partial_fit(*self._slices.popleft())

    def go_on(self, slices: Iterable[Slice]) -> None:
        """More to read."""
        self._slices.extend(slices)

    def look(self) -> None:
        """There is nothing to see between slices."""

    @property
    def is_done(self) -> bool:
        """Whether all slices have been read."""
        return not self._slices

    def settle(self) -> OnlineLabeledLDA:
        """The model as it stands."""
        return self.model

    @property
    def engine(self) -> StreamEngine:
        """What does the work."""
        return self.model.stream_.engine


# ---------------------------------------------------------------------- memory


def bytes_of(arrays: Any) -> int:
    """Of arrays in tuples of any depth.

    >>> bytes_of((np.zeros(3), (np.zeros(2, np.uint8),)))
    26
    """
    if isinstance(arrays, tuple):
        return sum(map(bytes_of, arrays))
    return int(arrays.nbytes) if isinstance(arrays, np.ndarray) else 0


def bytes_of_pairs(engine: StreamEngine) -> int:
    """Of the counts of pairs, with the table that finds them."""
    return bytes_of(engine.particles.count_table)


def bytes_in_all(engine: StreamEngine) -> int:
    """Of all that particles know, the reservoir included."""
    return bytes_of(engine.particles)


def tokens_in_reservoir(engine: StreamEngine) -> int:
    """Number of tokens in the reservoir, which can be rejuvenated."""
    return int(engine.particles.reservoir.size[N_TOKENS])
