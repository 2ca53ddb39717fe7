"""What a person says to a model, one step at a time: plain data, each a sentence.

A step is a frozen dataclass. ``step.to_dict()`` is what JSON can hold, ``step_from_dict`` the way back, and
``step.sentence(names)`` says it in plain words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from ..errors import InputError

Names = Mapping[int, str]
_SHOWN = 6


@dataclass(frozen=True)
class Step:
    """Base of all steps."""

    kind: ClassVar[str]

    def sentence(self, names: Names | None = None) -> str:
        """The step in one plain sentence; ``names`` are those of topics that have one."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """The step as what JSON can hold; what is as it is by default is left out."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        said = {field.name for field in fields(self) if values[field.name] != field.default}
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
        return {"step": self.kind, **{name: value for name, value in plain.items() if name in said}}


@dataclass(frozen=True)
class Together(Step):
    """Words that belong together: each draws the others into its topics."""

    kind = "together"
    words: tuple[str, ...]

    def sentence(self, names: Names | None = None) -> str:
        """Words belong together."""
        return f"{_listed(self.words)} belong together"


@dataclass(frozen=True)
class Apart(Step):
    """Words that belong apart: each drives the others out of its topics."""

    kind = "apart"
    words: tuple[str, ...]

    def sentence(self, names: Names | None = None) -> str:
        """Words are kept apart."""
        return f"{_listed(self.words)} are kept apart"


@dataclass(frozen=True)
class InTopic(Step):
    """Words that belong to a topic."""

    kind = "in-topic"
    words: tuple[str, ...]
    topic: int

    def sentence(self, names: Names | None = None) -> str:
        """Words belong to a topic."""
        return f"{_listed(self.words)} {_verb(self.words, 'belongs', 'belong')} to {called(self.topic, names)}"


@dataclass(frozen=True)
class NeverIn(Step):
    """Words that may not be in a topic."""

    kind = "never-in"
    words: tuple[str, ...]
    topic: int

    def sentence(self, names: Names | None = None) -> str:
        """Words are never in a topic."""
        return f"{_listed(self.words)} {_verb(self.words, 'is', 'are')} never in {called(self.topic, names)}"


@dataclass(frozen=True)
class Forget(Step):
    """What was said of words no longer holds: whether they belong together, apart, to a topic or never there."""

    kind = "forget"
    words: tuple[str, ...]

    def sentence(self, names: Names | None = None) -> str:
        """What was said of words is taken back."""
        return f"what was said of {_listed(self.words)} is taken back"


@dataclass(frozen=True)
class MergeTopics(Step):
    """Topics that become part of another, at once; their numbers stay empty until a split takes them."""

    kind = "merge"
    into: int
    others: tuple[int, ...]

    def sentence(self, names: Names | None = None) -> str:
        """Topics become part of another."""
        others = _listed([called(topic, names) for topic in self.others])
        return f"{others} {_verb(self.others, 'becomes', 'become')} part of {called(self.into, names)}"


@dataclass(frozen=True)
class SplitTopic(Step):
    """A topic that is cut in two, at once: around some of its words, or where the sampler finds its seam.

    ``new`` is the number of the second half; leave it out, and ``Steering.add`` fills it in.
    """

    kind = "split"
    topic: int
    words: tuple[str, ...] = ()
    new: int | None = None

    def sentence(self, names: Names | None = None) -> str:
        """A topic is cut in two."""
        by = f" around {_listed(self.words)}" if self.words else ""
        into = "" if self.new is None else f": the second half is topic {self.new}"
        return f"{called(self.topic, names)} is split in two{by}{into}"


@dataclass(frozen=True)
class Rename(Step):
    """A name for a topic; an empty one takes its name away."""

    kind = "rename"
    topic: int
    name: str

    def sentence(self, names: Names | None = None) -> str:
        """A topic gets a name."""
        return f"topic {self.topic} is called {self.name}" if self.name else f"topic {self.topic} has no name"


@dataclass(frozen=True)
class Pin(Step):
    """A topic whose words are to stay as they are now."""

    kind = "pin"
    topic: int

    def sentence(self, names: Names | None = None) -> str:
        """A topic is pinned."""
        return f"{called(self.topic, names)} stays as it is"


@dataclass(frozen=True)
class Unpin(Step):
    """A topic that may change again."""

    kind = "unpin"
    topic: int

    def sentence(self, names: Names | None = None) -> str:
        """A topic is no longer pinned."""
        return f"{called(self.topic, names)} may change again"


@dataclass(frozen=True)
class Hide(Step):
    """A topic that is not to be shown; the model does not change."""

    kind = "hide"
    topic: int

    def sentence(self, names: Names | None = None) -> str:
        """A topic is hidden."""
        return f"{called(self.topic, names)} is hidden"


@dataclass(frozen=True)
class Show(Step):
    """A topic that is shown again."""

    kind = "show"
    topic: int

    def sentence(self, names: Names | None = None) -> str:
        """A topic is shown again."""
        return f"{called(self.topic, names)} is shown"


@dataclass(frozen=True)
class LabelDocument(Step):
    """A document that is about a topic, which may be given by its name."""

    kind = "label-document"
    document: int | str
    topic: int | str

    def sentence(self, names: Names | None = None) -> str:
        """A document is about a topic."""
        about = self.topic if isinstance(self.topic, str) else called(self.topic, names)
        return f"document {self.document} is about {about}"


@dataclass(frozen=True)
class Update(Step):
    """Sweeps with all that was said before. ``Steering.update`` makes these; they can't be added."""

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
    """The step that ``to_dict`` made; an ``InputError`` says what else it is.

    >>> from topicwright.steering import InTopic, step_from_dict
    >>> step = InTopic(("puck", "goalie"), 7)
    >>> step_from_dict(step.to_dict()) == step
    True
    >>> step.sentence({7: "hockey"})
    'puck and goalie belong to hockey'
    """
    if not isinstance(data, dict) or not isinstance(data.get("step"), str) or data["step"] not in KINDS:
        raise InputError(f"a step must be a mapping with a key step, one of {', '.join(KINDS)}: got {data!r}")
    kind = KINDS[data["step"]]
    given = {name: value for name, value in data.items() if name != "step"}
    known = {field.name: field for field in fields(kind)}
    if not given.keys() <= known.keys():
        extra = ", ".join(map(str, given.keys() - known.keys()))
        raise InputError(f"a step {data['step']!r} has the keys {', '.join(known)}: got {extra}")
    try:
        return kind(**{name: _checked(name, value, known[name].type) for name, value in given.items()})
    except TypeError:
        raise InputError(f"a step {data['step']!r} needs the keys {', '.join(known)}: got {data!r}") from None


def called(topic: int, names: Names | None) -> str:
    """What to call a topic in a sentence."""
    name = None if names is None else names.get(topic)
    return f"topic {topic}" if name is None else name


def _checked(name: str, value: Any, kind: Any) -> Any:
    """A value of the type that the field has."""
    fits = {
        "tuple[str, ...]": isinstance(value, (list, tuple)) and all(type(one) is str for one in value),
        "tuple[int, ...]": isinstance(value, (list, tuple)) and all(type(one) is int for one in value),
        "int": type(value) is int,
        "int | None": type(value) is int or value is None,
        "str": type(value) is str,
        "int | str": type(value) in (int, str),
    }
    if not fits[str(kind)]:
        raise InputError(f"{name} of a step must be {kind}: got {value!r}")
    return tuple(value) if isinstance(value, list) else value


def _listed(words: Any) -> str:
    """Words as a list to read, not longer than it should be."""
    shown = list(words) if len(words) <= _SHOWN else [*words[: _SHOWN - 1], f"{len(words) - _SHOWN + 1} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _verb(subjects: Any, one: str, several: str) -> str:
    return one if len(subjects) == 1 else several
