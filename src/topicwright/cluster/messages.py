"""What the driver and the shards tell each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..samplers.refitting import Weights


class Round(NamedTuple):
    """A part of a sweep, in which a shard draws the tokens of one block of words."""

    sweep: int
    number: int
    block: int


def round_of(step: int, shard: int, n_rounds: int) -> Round:
    """What a shard does in its nth step: it goes round the blocks, and its neighbours are at another one meanwhile."""
    sweep, number = divmod(step - 1, n_rounds)
    return Round(sweep, number, (shard + number) % n_rounds)


class Message(NamedTuple):
    """What all shards are given for a step, beside the counts of a block: sizes of topics, and priors."""

    sizes: NDArray[np.int64]
    alpha: NDArray[np.float64]
    beta: float | NDArray[np.float64]
    eta: tuple[Weights, Weights] | None = None  # before this sweep and in it, where topics predict something

    @property
    def nbytes(self) -> int:
        """How much is sent."""
        weights = [part for pair in self.eta or () for part in pair]
        return sum(np.asarray(part).nbytes for part in (*self[:-1], *weights))


class Reply(NamedTuple):
    """What a shard did in a step, beside the changes of counts."""

    gained: NDArray[np.int64]  # by each topic
    n_moved: int
    seconds: float  # that the shard took
