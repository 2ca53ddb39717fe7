"""Base classes of the benchmarks: context, result and goals; validation of options."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from topicwright._utils.atomic import atomic_write
from topicwright.errors import InputError

if TYPE_CHECKING:
    from typing_extensions import Self

    from topicwright.corpus.corpus import Corpus


@dataclass(frozen=True)
class Goal:
    """A target value and the value that was measured."""

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


@dataclass(frozen=True)
class BenchmarkContext:
    """Options, progress callback and notes that the parts of a run share. Subclasses add the data."""

    options: Any
    progress: Callable[[str], object] = field(default=lambda text: None, kw_only=True)
    notes: list[str] = field(default_factory=list, kw_only=True)

    def seeds(self) -> range:
        """One for each repeat."""
        return range(self.options.seed, self.options.seed + self.options.repeats)

    def prefixed(self, about: str) -> Self:
        """The same context, whose progress messages begin with ``about``."""
        return replace(self, progress=lambda text: self.progress(f"{about}: {text}"))

    def note(self, text: str) -> None:
        """Add a note for the end of the report, once."""
        if text not in self.notes:
            self.notes.append(text)


def sizes_of(corpus: Corpus) -> dict[str, int]:
    """Number of documents, tokens and words."""
    return {"n_docs": corpus.n_docs, "n_tokens": corpus.n_tokens, "n_words": corpus.n_words}


@dataclass
class BenchmarkResult:
    """Result of a run. Subclasses add a list of rows for each part, empty for parts that did not run."""

    corpora: dict[str, dict[str, int]]
    parameters: dict[str, Any]
    machine: dict[str, Any]
    notes: list[str] = field(default_factory=list)

    def rows(self, part: str) -> list[Any]:
        """Rows of a part."""
        found: list[Any] = getattr(self, part)
        return found

    def goals(self) -> list[Goal]:
        """The goals of the parts that ran."""
        return []

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, with the goals."""
        return {**asdict(self), "goals": [{**asdict(goal), "met": goal.met} for goal in self.goals()]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of ``to_dict``."""
        kinds, shared = get_type_hints(cls), {own.name for own in fields(BenchmarkResult)}
        rows = {
            part: [get_args(kinds[part])[0](**row) for row in data.get(part, ())]
            for part in (own.name for own in fields(cls))
            if part not in shared
        }
        return cls(data["corpora"], data["parameters"], data["machine"], data["notes"], **rows)

    def save(self, path: str | Path) -> None:
        """Write everything as JSON."""
        write_json(path, self.to_dict())


def write_json(path: str | Path, data: Any) -> None:
    """Write JSON atomically."""
    with atomic_write(path) as file:
        file.write((json.dumps(data, indent=1) + "\n").encode())


# ---------------------------------------------------------------------- options


def check_parts(parts: Sequence[str], known: Sequence[str]) -> None:
    """Require at least one part and no unknown one."""
    unknown = [part for part in parts if part not in known]
    if unknown or not parts:
        raise InputError(parameter="part", expected=f"one of {', '.join(known)}", got=", ".join(unknown) or None)


def check_numbers(options: Any, names: Iterable[str], least: int) -> None:
    """Require integers of at least ``least``; None stands for a default."""
    for name in names:
        value = getattr(options, name)
        if value is not None and value < least:
            raise InputError(parameter=name, expected=f"at least {least}", got=value)


def check_positive(options: Any, names: Iterable[str]) -> None:
    """Require finite positive numbers; None stands for a default."""
    for name in names:
        value = getattr(options, name)
        if value is not None and not 0 < value < float("inf"):
            raise InputError(parameter=name, expected="a positive number", got=value)


def check_peers(peers: Sequence[str], known: Sequence[str]) -> None:
    """Require known names of other programs."""
    unknown = [name for name in peers if name not in known]
    if unknown:
        raise InputError(parameter="peers", expected=f"some of {', '.join(known)}, or none", got=", ".join(unknown))


def split_commas(text: str | None) -> tuple[str, ...]:
    """Names of a comma-separated list; "none" is the empty list.

    >>> split_commas("svc, lda"), split_commas("none")
    (('svc', 'lda'), ())
    """
    names = [name.strip() for name in (text or "").split(",")]
    return tuple(name for name in names if name not in ("", "none"))
