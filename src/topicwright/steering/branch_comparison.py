"""Two branches side by side, and what one can take of the other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from ..errors import InputError
from ..io.export.base import topic_weights
from .constraints import Constraints
from .state_cache import Snapshot
from .steps import LabelDocument, SplitTopic, Step, Update
from .topic_changes import distances_between
from .validation import StepValidator

_WORDS = 12
_OF_TOPICS = ("topic", "into", "others")


@dataclass(frozen=True)
class TopicDifference:
    """How one topic differs between two branches."""

    topic: int
    distance: float
    """Between the words, as in :class:`TopicChange`."""
    words: tuple[str, ...]
    """Of this branch."""
    other_words: tuple[str, ...]
    share: float
    other_share: float


@dataclass(frozen=True)
class Comparison:
    """What two branches have in common, and what not."""

    common: tuple[Step, ...]
    """The steps before they parted."""
    own: tuple[Step, ...]
    other: tuple[Step, ...]
    contradictions: tuple[str, ...]
    """Steps of the other that could not be taken here, and why."""
    topics: tuple[TopicDifference, ...]
    """One of each topic that either has, the most different first."""


def compare(one: Snapshot, other: Snapshot, door: StepValidator) -> Comparison:
    """What two branches have in common, and what not."""
    n = n_common(one.steps, other.steps)
    _, problems = takeable(other.steps[n:], one.said, door)
    return Comparison(one.steps[:n], one.steps[n:], other.steps[n:], tuple(problems), _differences(one, other))


def n_common(one: tuple[Step, ...], other: tuple[Step, ...]) -> int:
    """How many steps two branches have in common, from the first one on."""
    return next((n for n, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))


def takeable(steps: Iterable[Step], said: Constraints, door: StepValidator) -> tuple[list[Step], list[str]]:
    """The steps of another branch that can be taken here, without updates, and why others can't.

    Topics that splits have made there have other numbers here.
    """
    taken: list[Step] = []
    problems: list[str] = []
    numbers: dict[int, int | None] = {}
    for step in steps:
        if isinstance(step, Update):
            continue
        try:
            here, _ = door.admit(_renumbered(step, numbers), said)
        except InputError as error:
            problems.append(f"{step.sentence(door.names(said))}: {error}")
            here = None
        if isinstance(step, SplitTopic) and step.new is not None:
            numbers[step.new] = here.new if isinstance(here, SplitTopic) else None
        if here is not None:
            taken.append(here)
            said = said.after(here)
    return taken, problems


def _renumbered(step: Step, numbers: dict[int, int | None]) -> Step:
    def here(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(here, value))
        number = numbers.get(value, value)
        if number is None:
            raise InputError(f"topic {value} of the other branch is not there")
        return number

    if isinstance(step, LabelDocument) and isinstance(step.topic, str):
        return step
    if isinstance(step, SplitTopic):
        step = replace(step, new=None)
    return replace(step, **{name: here(getattr(step, name)) for name in _OF_TOPICS if hasattr(step, name)})


def _differences(one: Snapshot, other: Snapshot) -> tuple[TopicDifference, ...]:
    models = [moment.state.model for moment in (one, other)]
    distances = distances_between(models[0], models[1])
    none = [()] * len(distances)
    words: list[Any] = [[*map(tuple, model.top_words(_WORDS)), *none] for model in models]
    shares = [[*topic_weights(model), *[0.0] * len(distances)] for model in models]
    differences = [
        TopicDifference(k, distance, words[0][k], words[1][k], shares[0][k], shares[1][k])
        for k, distance in enumerate(distances)
        if shares[0][k] or shares[1][k]
    ]
    return tuple(sorted(differences, key=lambda difference: (-difference.distance, difference.topic)))
