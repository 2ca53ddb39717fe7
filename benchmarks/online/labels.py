"""Many labels: what the stream's memory follows, with a thousand labels and with a hundred thousand."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ..common.schedule import Contestant, take_turns
from ..sclda.labels import PER_DOCUMENT, draw_labels
from .context import OnlineContext
from .speed import N_TENTHS, cost_of_token
from .streams import DEFAULTS, Follower, Slice, bounds, bytes_in_all, bytes_of_pairs, cut

SIZES = (1_000, 10_000, 100_000)


@dataclass
class LabelMemory:
    """Memory and cost of a stream with this number of labels."""

    n_labels: int
    seed: int
    n_particles: int = 0
    n_used: int = 0  # labels seen
    n_words: int = 0
    count_bytes: int = 0  # of one count
    n_pairs: list[int] = field(default_factory=list)  # seen label-word pairs, after each tenth
    pair_bytes: list[int] = field(default_factory=list)  # of these
    state_bytes: list[int] = field(default_factory=list)  # of everything, the reservoir included
    n_tokens: list[int] = field(default_factory=list)  # tenth by tenth
    seconds: list[float] = field(default_factory=list)  # CPU

    @property
    def bytes_of_a_pair(self) -> float:
        """At the end."""
        return self.pair_bytes[-1] / max(self.n_pairs[-1], 1)

    @property
    def full_bytes(self) -> int:
        """What counts of all labels and words would take."""
        return self.n_used * self.n_words * self.n_particles * self.count_bytes

    @property
    def cost(self) -> float:
        """CPU seconds of a token, the median over tenths."""
        return cost_of_token(self.seconds, self.n_tokens)


class _Watched(Follower):
    """A stream that notes its size after each slice."""

    def __init__(self, row: LabelMemory, slices: list[Slice], **prior: float) -> None:
        super().__init__(DEFAULTS, row.seed, slices, **prior)
        self.row = row
        row.n_tokens = [part.n_tokens for part in slices]

    def sweep(self) -> None:
        super().sweep()
        engine = self.engine  # sums of a few sizes: nothing beside what was just read
        self.row.n_pairs.append(engine.n_count_rows)
        self.row.pair_bytes.append(bytes_of_pairs(engine))
        self.row.state_bytes.append(bytes_in_all(engine))


def run(context: OnlineContext) -> list[LabelMemory]:
    """All numbers of labels in turn, over the same words."""
    rows = []
    for seed in context.seeds():
        context.progress("drawing labels")
        found = [LabelMemory(n, seed) for n in SIZES]
        contestants = [
            Contestant(str(row.n_labels), partial(_Watched, row, _slices(context, row), **context.prior))
            for row in found
        ]
        for row, one, seconds in zip(found, contestants, take_turns(contestants, N_TENTHS, context.progress)):
            engine = one.model.engine
            row.seconds = seconds
            row.n_particles, row.n_used, row.n_words = engine.n_particles, engine.n_labels, engine.n_words
            row.count_bytes = engine.particles.count_table.lanes.dtype.itemsize
        rows += found
    return rows


def _slices(context: OnlineContext, row: LabelMemory) -> list[Slice]:
    """The documents with other labels, tenth by tenth."""
    n_docs = context.corpus.n_docs
    labels = drawn(n_docs, row.n_labels, row.seed)
    parts = cut(context.corpus, 0, n_docs, N_TENTHS)
    return [Slice(part.words, labels[a:b]) for part, (a, b) in zip(parts, bounds(0, n_docs, N_TENTHS))]


def drawn(n_docs: int, n_labels: int, seed: int) -> list[list[str]]:
    """Three labels per document: one in turn, so that all of them occur, and two at random, some of them often.

    >>> drawn(3, 3, seed=0) == drawn(3, 3, seed=0), len({own[0] for own in drawn(3, 3, seed=0)})
    (True, 3)
    """
    order = np.random.default_rng(seed).permutation(n_labels).tolist()
    others = draw_labels(n_docs, n_labels, seed, PER_DOCUMENT - 1)
    return [list(dict.fromkeys([f"label {order[d % n_labels]}", *own])) for d, own in enumerate(others)]
