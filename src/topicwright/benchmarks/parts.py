"""A benchmark of several parts: which of them to run, what they found as plain values, and goals."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import InputError

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(frozen=True)
class Goal:
    """A figure that we want to reach, and the one that was measured."""

    part: str
    what: str
    aim: float
    at_most: bool
    value: float | None  # None where it was not measured

    @property
    def met(self) -> bool | None:
        """Whether it is reached."""
        if self.value is None:
            return None
        return self.value <= self.aim if self.at_most else self.value >= self.aim


@dataclass
class PartsResult:
    """A whole run. Subclasses add a list of rows for each part; those of parts that did not run are empty."""

    corpora: dict[str, dict[str, int]]
    parameters: dict[str, Any]
    machine: dict[str, Any]
    notes: list[str] = field(default_factory=list)

    ROWS: ClassVar[Mapping[str, type[Any]]] = {}  # the class of each part's rows

    def goals(self) -> list[Goal]:
        """The goals of the parts that ran."""
        return []

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, with the goals."""
        return {**asdict(self), "goals": [{**asdict(goal), "met": goal.met} for goal in self.goals()]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of ``to_dict``."""
        rows = {part: [kind(**row) for row in data.get(part, ())] for part, kind in cls.ROWS.items()}
        return cls(data["corpora"], data["parameters"], data["machine"], data["notes"], **rows)

    def save(self, path: str | Path) -> None:
        """Write everything as JSON."""
        Path(path).write_text(json.dumps(self.to_dict(), indent=1) + "\n", encoding="utf8")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read what ``save`` wrote."""
        return cls.from_dict(json.loads(Path(path).read_text(encoding="utf8")))


# ---------------------------------------------------------------------- options


def check_parts(parts: Sequence[str], known: Sequence[str]) -> None:
    """At least one part, and none that is not known."""
    unknown = [part for part in parts if part not in known]
    if unknown or not parts:
        raise InputError(f"part must be one of {', '.join(known)}: got {', '.join(unknown) or 'none'}")


def check_numbers(options: Any, names: Iterable[str], least: int) -> None:
    """Whole numbers of at least 0 or 1; None stands for a default."""
    for name in names:
        value = getattr(options, name)
        if value is not None and value < least:
            limit = f"be at least {least}" if least else "not be negative"
            raise InputError(f"{name} must {limit}: got {value}")


def check_positive(options: Any, names: Iterable[str]) -> None:
    """Finite numbers above zero; None stands for a default."""
    for name in names:
        value = getattr(options, name)
        if value is not None and not 0 < value < float("inf"):
            raise InputError(f"{name} must be a positive number: got {value}")
