"""Messages between the driver and the shards, and the interface of workers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .._sampling.medlda.weights import TaskWeights


class Round(NamedTuple):
    """Part of a sweep in which a shard samples the tokens of one block of words."""

    sweep: int
    number: int
    block: int


def round_at(step: int, shard: int, n_rounds: int) -> Round:
    """Round of a shard in its nth step: it cycles through the blocks, and its neighbors are at other blocks."""
    sweep, number = divmod(step - 1, n_rounds)
    return Round(sweep, number, (shard + number) % n_rounds)


class SweepMessage(NamedTuple):
    """Parameters of a sweep that all shards need beside counts."""

    alpha: NDArray[np.float64]
    beta: float | NDArray[np.float64]
    eta: tuple[TaskWeights, TaskWeights] | None = None  # before this sweep and in it, where topics predict something


class StepReply(NamedTuple):
    """Reply of a shard to a step."""

    n_moved: int
    seconds: float  # of the shard


class CountsLostError(Exception):
    """Counts were lost with the node that stored them."""


class CountRef(NamedTuple):
    """Counts of a block of words: references to a table and to the changes since it was made."""

    table: Any
    changes: tuple[Any, ...] = ()


class Workers(Protocol):
    """Processes that run the shards and store the counts between steps; the driver has references to these."""

    def call(self, shards: Sequence[int], method: str, *arguments: Sequence[Any]) -> list[Any]:
        """Results of a method of some shards, in their order; each argument has one entry for each shard.

        A shard may be called twice if a worker was lost.
        """

    def submit(self, shards: Sequence[int], method: str, given: Sequence[Sequence[Any]], n_results: int) -> list[Any]:
        """References to the results of a method of some shards, without waiting.

        With ``n_results`` above 1 the method returns a tuple of that length, and there is a reference to each entry.
        ``given`` are the arguments of each shard; references among them are replaced by their values. If a value is
        lost, so are the results, which ``fetch`` reports.
        """

    def put(self, value: Any) -> Any:
        """Store a value and return a reference to it."""

    def fetch(self, references: Sequence[Any]) -> list[Any]:
        """Values of references; raises ``CountsLostError`` if one was lost."""

    def close(self) -> None:
        """Stop the workers."""
