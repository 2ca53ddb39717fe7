"""Comparison of two branches, and the steps that one can merge from the other."""

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
_TOPIC_FIELDS = ("topic", "into", "others")


@dataclass(frozen=True)
class TopicDifference:
    """Difference of one topic between two branches."""

    topic: int
    distance: float
    """Distance of the words, as in :class:`TopicChange`."""
    words: tuple[str, ...]
    """First words in this branch."""
    other_words: tuple[str, ...]
    share: float
    other_share: float


@dataclass(frozen=True)
class Comparison:
    """Common and different steps and topics of two branches."""

    common: tuple[Step, ...]
    """Steps of both branches, up to the first difference."""
    own: tuple[Step, ...]
    other: tuple[Step, ...]
    contradictions: tuple[str, ...]
    """Steps of the other branch that cannot be merged, and why."""
    topics: tuple[TopicDifference, ...]
    """Differences of all topics, the largest first."""


def compare(one: Snapshot, other: Snapshot, validator: StepValidator) -> Comparison:
    """Compare two branches."""
    n = n_common(one.steps, other.steps)
    _, problems = mergeable_steps(other.steps[n:], one.constraints, validator)
    return Comparison(one.steps[:n], one.steps[n:], other.steps[n:], tuple(problems), _differences(one, other))


def n_common(one: tuple[Step, ...], other: tuple[Step, ...]) -> int:
    """Number of common steps at the start of two branches."""
    return next((n for n, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))


def mergeable_steps(
    steps: Iterable[Step], constraints: Constraints, validator: StepValidator
) -> tuple[list[Step], list[str]]:
    """Steps of another branch that can be added here, without updates, and why others cannot.

    Topics that were created by splits in the other branch get new numbers.
    """
    accepted: list[Step] = []
    problems: list[str] = []
    numbers: dict[int, int | None] = {}
    for step in steps:
        if isinstance(step, Update):
            continue
        try:
            step_here, _ = validator.validate(_renumber_topics(step, numbers), constraints)
        except InputError as error:
            problems.append(f"{step.sentence(validator.names(constraints))}: {error}")
            step_here = None
        if isinstance(step, SplitTopic) and step.new is not None:
            numbers[step.new] = step_here.new if isinstance(step_here, SplitTopic) else None
        if step_here is not None:
            accepted.append(step_here)
            constraints = constraints.after(step_here)
    return accepted, problems


def _renumber_topics(step: Step, numbers: dict[int, int | None]) -> Step:
    def renumber(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(renumber, value))
        number = numbers.get(value, value)
        if number is None:
            raise InputError(f"topic {value} of the other branch does not exist here", parameter="topic", got=value)
        return number

    if isinstance(step, LabelDocument) and isinstance(step.topic, str):
        return step
    if isinstance(step, SplitTopic):
        step = replace(step, new=None)
    return replace(step, **{name: renumber(getattr(step, name)) for name in _TOPIC_FIELDS if hasattr(step, name)})


def _differences(one: Snapshot, other: Snapshot) -> tuple[TopicDifference, ...]:
    models = [snapshot.state.model for snapshot in (one, other)]
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
