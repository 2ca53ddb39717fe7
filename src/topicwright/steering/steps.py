"""Steps of steering: one correction of a model each, as plain data.

A step is a frozen dataclass. ``step.to_dict()`` returns JSON data, :func:`step_from_dict` reads it, and
``step.sentence(names)`` describes the step in a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from ..errors import InputError

Names = Mapping[int, str]
_MAX_LISTED = 6


@dataclass(frozen=True)
class Step:
    """Base class of all steps."""

    kind: ClassVar[str]

    def sentence(self, names: Names | None = None) -> str:
        """The step in a sentence; ``names`` are names of topics, by number."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """The step as JSON data, without default values."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        changed = {field.name for field in fields(self) if values[field.name] != field.default}
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
        return {"step": self.kind, **{name: value for name, value in plain.items() if name in changed}}


@dataclass(frozen=True)
class Together(Step):
    """Words that belong to the same topics (a must-link)."""

    kind = "together"
    words: tuple[str, ...]

    def sentence(self, names: Names | None = None) -> str:
        """Words belong together."""
        return f"{_join_words(self.words)} belong together"


@dataclass(frozen=True)
class Apart(Step):
    """Words that belong to different topics (a cannot-link)."""

    kind = "apart"
    words: tuple[str, ...]

    def sentence(self, names: Names | None = None) -> str:
        """Words are kept apart."""
        return f"{_join_words(self.words)} are kept apart"


@dataclass(frozen=True)
class InTopic(Step):
    """Words that belong to a topic."""

    kind = "in-topic"
    words: tuple[str, ...]
    topic: int

    def sentence(self, names: Names | None = None) -> str:
        """Words belong to a topic."""
        return f"{_join_words(self.words)} {_verb(self.words, 'belongs', 'belong')} to {topic_name(self.topic, names)}"


@dataclass(frozen=True)
class NeverIn(Step):
    """Words that may not be in a topic."""

    kind = "never-in"
    words: tuple[str, ...]
    topic: int

    def sentence(self, names: Names | None = None) -> str:
        """Words are never in a topic."""
        return f"{_join_words(self.words)} {_verb(self.words, 'is', 'are')} never in {topic_name(self.topic, names)}"


@dataclass(frozen=True)
class Forget(Step):
    """Remove all constraints on some words."""

    kind = "forget"
    words: tuple[str, ...]

    def sentence(self, names: Names | None = None) -> str:
        """Constraints on words are removed."""
        return f"constraints on {_join_words(self.words)} are removed"


@dataclass(frozen=True)
class MergeTopics(Step):
    """Merge topics into another one, immediately; their numbers stay empty until a split uses them."""

    kind = "merge"
    into: int
    others: tuple[int, ...]

    def sentence(self, names: Names | None = None) -> str:
        """Topics are merged into another."""
        others = _join_words([topic_name(topic, names) for topic in self.others])
        return f"{others} {_verb(self.others, 'is', 'are')} merged into {topic_name(self.into, names)}"


@dataclass(frozen=True)
class SplitTopic(Step):
    """Split a topic in two, immediately: around some of its words, or as a sampler with two topics divides it.

    ``new`` is the number of the second half; :meth:`Steering.add` sets it if it is None.
    """

    kind = "split"
    topic: int
    words: tuple[str, ...] = ()
    new: int | None = None

    def sentence(self, names: Names | None = None) -> str:
        """A topic is cut in two."""
        by = f" around {_join_words(self.words)}" if self.words else ""
        into = "" if self.new is None else f": the second half is topic {self.new}"
        return f"{topic_name(self.topic, names)} is split in two{by}{into}"


@dataclass(frozen=True)
class Rename(Step):
    """Rename a topic; an empty name removes its name."""

    kind = "rename"
    topic: int
    name: str

    def sentence(self, names: Names | None = None) -> str:
        """A topic gets a name."""
        return f"topic {self.topic} is renamed to {self.name}" if self.name else f"topic {self.topic} has no name"


@dataclass(frozen=True)
class Pin(Step):
    """Pin a topic: its words stay as they are now."""

    kind = "pin"
    topic: int

    def sentence(self, names: Names | None = None) -> str:
        """A topic is pinned."""
        return f"{topic_name(self.topic, names)} is pinned"


@dataclass(frozen=True)
class Unpin(Step):
    """Unpin a topic."""

    kind = "unpin"
    topic: int

    def sentence(self, names: Names | None = None) -> str:
        """A topic is no longer pinned."""
        return f"{topic_name(self.topic, names)} is unpinned"


@dataclass(frozen=True)
class Hide(Step):
    """Hide a topic; the model does not change."""

    kind = "hide"
    topic: int

    def sentence(self, names: Names | None = None) -> str:
        """A topic is hidden."""
        return f"{topic_name(self.topic, names)} is hidden"


@dataclass(frozen=True)
class Show(Step):
    """Show a hidden topic again."""

    kind = "show"
    topic: int

    def sentence(self, names: Names | None = None) -> str:
        """A topic is shown again."""
        return f"{topic_name(self.topic, names)} is shown"


@dataclass(frozen=True)
class LabelDocument(Step):
    """Assign a document to a topic, by number or name."""

    kind = "label-document"
    document: int | str
    topic: int | str

    def sentence(self, names: Names | None = None) -> str:
        """A document is about a topic."""
        about = self.topic if isinstance(self.topic, str) else topic_name(self.topic, names)
        return f"document {self.document} is about {about}"


@dataclass(frozen=True)
class Update(Step):
    """Sweeps under all constraints. Created by :meth:`Steering.update`; it cannot be added."""

    kind = "update"
    n_sweeps: int

    def sentence(self, names: Names | None = None) -> str:
        """The model was updated."""
        return f"the model was updated with {self.n_sweeps} sweep{'s' * (self.n_sweeps != 1)}"


KINDS: dict[str, type[Step]] = {
    step.kind: step
    for step in (
        Together,
        Apart,
        InTopic,
        NeverIn,
        Forget,
        MergeTopics,
        SplitTopic,
        Rename,
        Pin,
        Unpin,
        Hide,
        Show,
        LabelDocument,
        Update,
    )
}


def step_from_dict(data: Any) -> Step:
    """Step from the data of :meth:`Step.to_dict`.

    >>> from topicwright.steering import InTopic, step_from_dict
    >>> step = InTopic(("puck", "goalie"), 7)
    >>> step_from_dict(step.to_dict()) == step
    True
    >>> step.sentence({7: "hockey"})
    'puck and goalie belong to hockey'
    """
    if not isinstance(data, dict) or not isinstance(data.get("step"), str) or data["step"] not in KINDS:
        raise InputError(parameter="step", expected=f"a mapping with a key step, one of {', '.join(KINDS)}", got=data)
    kind = KINDS[data["step"]]
    values = {name: value for name, value in data.items() if name != "step"}
    allowed = {field.name: field for field in fields(kind)}
    if not values.keys() <= allowed.keys():
        extra = ", ".join(map(str, values.keys() - allowed.keys()))
        raise InputError(f"a step {data['step']!r} has the keys {', '.join(allowed)}: got {extra}")
    try:
        return kind(**{name: _check_field(name, value, allowed[name].type) for name, value in values.items()})
    except TypeError:
        raise InputError(f"a step {data['step']!r} needs the keys {', '.join(allowed)}: got {data!r}") from None


def topic_name(topic: int, names: Names | None) -> str:
    """Name of a topic in a sentence."""
    name = None if names is None else names.get(topic)
    return f"topic {topic}" if name is None else name


def _check_field(name: str, value: Any, kind: Any) -> Any:
    """The value, if it has the type of the field."""
    fits = {
        "tuple[str, ...]": isinstance(value, (list, tuple)) and all(type(one) is str for one in value),
        "tuple[int, ...]": isinstance(value, (list, tuple)) and all(type(one) is int for one in value),
        "int": type(value) is int,
        "int | None": type(value) is int or value is None,
        "str": type(value) is str,
        "int | str": type(value) in (int, str),
    }
    if not fits[str(kind)]:
        raise InputError(parameter=name, expected=f"a value of the type {kind}", got=value)
    return tuple(value) if isinstance(value, list) else value


def _join_words(words: Any) -> str:
    """Words as an enumeration, shortened if there are many."""
    shown = (
        list(words)
        if len(words) <= _MAX_LISTED
        else [*words[: _MAX_LISTED - 1], f"{len(words) - _MAX_LISTED + 1} more"]
    )
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _verb(subjects: Any, one: str, several: str) -> str:
    return one if len(subjects) == 1 else several
