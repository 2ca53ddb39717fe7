"""Messages between the driver and the shards, the interface of workers, and user code that is sent to them."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .._sampling.medlda.weights import TaskWeights
from ..errors import ClusterError, InputError
from ..knowledge.document_links import Neighbors
from ..knowledge.document_topics import DocumentPull
from ..knowledge.factors import SeedFactor, is_builtin, register_factor, registered
from ..knowledge.word_links import SeparatedWords, WordLinks
from ..losses.epsilon_insensitive import EpsilonInsensitive


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


_BUILTIN_FACTORS: dict[str, type] = {  # as written in run folders, which keep their names
    "topicwright.knowledge.words.WordLinks": WordLinks,
    "topicwright.knowledge.word_links.SeparatedWords": SeparatedWords,
    "topicwright.knowledge.about.DocumentPull": DocumentPull,
    "topicwright.knowledge.factors.SeedFactor": SeedFactor,
    "topicwright.knowledge.documents.Neighbours": Neighbors,
}
_WRITTEN_NAMES: dict[type, str] = {
    **{kind: name for name, kind in _BUILTIN_FACTORS.items()},
    EpsilonInsensitive: "topicwright.losses.insensitive.EpsilonInsensitive",
}


def qualified_name(kind: type) -> str:
    """Name of the class of a factor or loss in run folders."""
    return _WRITTEN_NAMES.get(kind, f"{kind.__module__}.{kind.__qualname__}")


class UserCode(NamedTuple):
    """Classes of custom factors with their functions, and the loss of a supervised model."""

    factors: tuple[tuple[type, Callable[..., None]], ...] = ()
    loss: Any = None

    def factor_classes(self) -> dict[str, type]:
        """Classes of all factors by name, registered with the sampler."""
        for kind, apply in self.factors:
            if registered(kind) is None:  # in a process that has not imported its module
                register_factor(kind, apply)
        return {**_BUILTIN_FACTORS, **{qualified_name(kind): kind for kind, _ in self.factors}}

    def pickled(self, dumps: Callable[[Any], bytes]) -> bytes:
        """The code as bytes for other processes, or an error if it cannot be pickled."""
        try:
            return dumps(self)
        except Exception as error:  # user classes can raise anything
            raise InputError(
                f"{self._class_names()} cannot be pickled, which is needed to send it to workers: {error}"
            ) from error

    def _class_names(self) -> str:
        classes = [*(kind for kind, _ in self.factors), *([] if self.loss is None else [type(self.loss)])]
        return ", ".join(map(qualified_name, classes))


NO_CODE = UserCode()


def collect_user_code(factors: Sequence[Any], loss: Any) -> UserCode:
    """Code of the custom factors among some factors, and of a loss."""
    classes = dict.fromkeys(type(factor) for factor in factors if not is_builtin(type(factor)))
    found = []
    for kind in classes:
        functions = registered(kind)
        assert functions is not None  # or it could not have been compiled
        if functions.on_move is not None:
            raise InputError(
                f"{kind.__name__} is registered with on_move, and its state would be lost with a worker: "
                "with a `backend`, register the factor without on_move"
            )
        found.append((kind, functions.apply))
    return UserCode(tuple(found), loss)


def unpickle_code(pickled: bytes) -> UserCode:
    """The code that was sent to a worker."""
    try:
        code: UserCode = pickle.loads(pickled)
    except Exception as error:
        raise ClusterError(
            f"a worker cannot load a custom loss or factor: {error}; install its module on all nodes"
        ) from error
    return code
