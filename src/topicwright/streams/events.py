"""What a running stream has to tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Union

from ..models.online_places import Place
from .source import Turn
from .status import Status

if TYPE_CHECKING:
    from .watch import Alert


class Begun(NamedTuple):
    """The source is open."""

    place: Place
    """Where reading begins: behind the lines that were learned from before."""
    n_documents: int
    """That the model has learned from before."""


class BadLine(NamedTuple):
    """A line that was skipped."""

    number: int
    reason: str
    """With the name of the source and the number of the line."""
    data: bytes
    """The line; of one that is too long the beginning."""
    is_left: bool = False
    """The last line has no end yet: it is neither counted nor passed by, and will be read when there is more."""


class Saved(NamedTuple):
    """A checkpoint."""

    place: Place
    seconds: float
    """How long it took."""


class NotSaved(NamedTuple):
    """A checkpoint that could not be written; the last one is as it was."""

    error: OSError
    last: Place | None
    """Where that one stands; None if there is none."""


Event = Union[Begun, Status, BadLine, Saved, NotSaved, Turn, "Alert"]
OnEvent = Callable[[Event], object]
