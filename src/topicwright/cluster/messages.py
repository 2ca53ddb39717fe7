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
    """What all shards are given for a sweep, beside counts."""

    alpha: NDArray[np.float64]
    beta: float | NDArray[np.float64]
    eta: tuple[Weights, Weights] | None = None  # before this sweep and in it, where topics predict something


class Reply(NamedTuple):
    """What the driver is told of a step."""

    n_moved: int
    seconds: float  # that the shard took
