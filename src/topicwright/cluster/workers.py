"""What the driver asks of those who have the shards, wherever they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol


class CountsLostError(Exception):
    """A table or changes that somebody was to be given are gone, with the node where they lay."""


class Held(NamedTuple):
    """Counts of a block of words: references to a table, and to changes since it was made."""

    table: Any
    changes: tuple[Any, ...] = ()


class Workers(Protocol):
    """Those who have the shards, and between steps the counts: the driver has references to these alone.

    A method that is given a reference sees what it stands for, or the call ends in a ``CountsLostError``.
    """

    def call(
        self,
        shards: Sequence[int],
        method: str,
        *arguments: Sequence[Any],
        held: Sequence[Sequence[Any]] | None = None,
        n_kept: int = 0,
    ) -> list[Any]:
        """What a method of some shards returns, in their order.

        Each argument has one entry for each of these shards; ``held`` has references for each, which come last. A shard
        may be called twice if a worker was lost. With ``n_kept`` a method returns a tuple, of which the last so many
        stay where they are, and references to them are returned.
        """

    def add(self, shards: Sequence[int], blocks: Sequence[Held]) -> list[Any]:
        """References to tables of blocks with their changes, each made by a shard's worker. Nobody waits for it."""

    def keep(self, value: Any) -> Any:
        """A reference to something."""

    def fetch(self, references: Sequence[Any]) -> list[Any]:
        """What references stand for."""

    def close(self) -> None:
        """Let them go."""
