"""What the driver and the shards tell each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .._sampling.medlda.refit import TaskWeights


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
    eta: tuple[TaskWeights, TaskWeights] | None = None  # before this sweep and in it, where topics predict something


class Reply(NamedTuple):
    """What the driver is told of a step."""

    n_moved: int
    seconds: float  # that the shard took


class CountsLostError(Exception):
    """A table or changes that somebody was to be given are gone, with the node where they lay."""


class CountRef(NamedTuple):
    """Counts of a block of words: references to a table, and to changes since it was made."""

    table: Any
    changes: tuple[Any, ...] = ()


class Workers(Protocol):
    """Those who have the shards, and between steps the counts: the driver has references to these alone."""

    def call(self, shards: Sequence[int], method: str, *arguments: Sequence[Any]) -> list[Any]:
        """What a method of some shards returns, in their order; each argument has one entry for each of them.

        A shard may be called twice if a worker was lost.
        """

    def ask(self, shards: Sequence[int], method: str, given: Sequence[Sequence[Any]], n_results: int) -> list[Any]:
        """For each of some shards a reference to what a method returns, which nobody waits for.

        With more than one ``n_results`` there are references to each of the so many things that it returns. ``given``
        are the arguments of each shard; where one is a reference, the method sees what it stands for. If that can't be
        had, nor can what the method would return: whoever fetches it finds out.
        """

    def keep(self, value: Any) -> Any:
        """A reference to something."""

    def fetch(self, references: Sequence[Any]) -> list[Any]:
        """What references stand for; a ``CountsLostError`` where one of these is gone, or never came to be."""

    def close(self) -> None:
        """Let them go."""
