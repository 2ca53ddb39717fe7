"""Validation of steps against the model and the constraints of a branch."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import Any

from ..errors import InputError
from ..knowledge.lookup import find_document, rows_of_ids
from ..models import LDA
from .constraints import Constraints, base_knowledge, initial_names, knowledge_names
from .steps import (
    Apart,
    Forget,
    Hide,
    InTopic,
    LabelDocument,
    MergeTopics,
    NeverIn,
    Pin,
    Rename,
    Show,
    SplitTopic,
    Step,
    Together,
    Unpin,
    Update,
    step_from_dict,
    topic_name,
)

_MAX_NAME_LENGTH = 100


class StepValidator:
    """Checks steps against the vocabulary, the documents and the knowledge of the base model.

    ``start`` holds the constraints before any step.
    """

    def __init__(self, base: LDA) -> None:
        self._corpus = base.corpus_
        self._named = knowledge_names(base)
        mentioned = {topic for item in base_knowledge(base) for topic in item.topic_names(base.corpus_)}
        self._mentioned = {*self._named, *mentioned}  # by the knowledge of the model
        self.start = Constraints(len(base.alpha_), names=initial_names(base))

    def names(self, constraints: Constraints) -> dict[int, str]:
        """Names of topics, by number."""
        names = {**self._named, **constraints.names}
        return {topic: names[topic] for topic in sorted(names) if topic not in constraints.free}

    def validate(self, step: Step, constraints: Constraints) -> tuple[Step, list[str]]:
        """The completed step and warnings; raises ``InputError`` if the step is not possible."""
        if not isinstance(step, Step) or type(step) not in _CHECKS:
            raise InputError(parameter="step", expected="a step, such as Together or InTopic", got=step)
        step = step_from_dict(step.to_dict())  # checks types as if it was read from a file
        return _CHECKS[type(step)](self, step, constraints)

    # ------------------------------------------------------------------ words and topics of a step

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(self._corpus.vocabulary.tolist())

    @cached_property
    def _rows(self) -> dict[str, int]:
        return rows_of_ids(self._corpus)

    def _check_words(self, words: tuple[str, ...], at_least: int = 1) -> None:
        for word in words:
            if word not in self._words:
                raise InputError(f"the vocabulary has no word {word!r}", parameter="words", got=word)
        if len(set(words)) < len(words):
            raise InputError(parameter="words", expected="different words", got=list(words))
        if len(words) < at_least:
            raise InputError(parameter="words", expected=f"at least {at_least} words", got=list(words))

    def _check_topic(self, topic: int, constraints: Constraints) -> None:
        if not 0 <= topic < constraints.n_topics:
            expected = f"an integer from 0 to {constraints.n_topics - 1}"
            raise InputError(parameter="topic", expected=expected, got=topic)
        if topic in constraints.free:
            raise InputError(f"topic {topic} was merged into another one and is empty", parameter="topic", got=topic)

    def _name(self, topic: int, constraints: Constraints) -> str:
        return topic_name(topic, self.names(constraints))

    # ------------------------------------------------------------------ words

    def link(self, step: Together | Apart, constraints: Constraints) -> tuple[Step, list[str]]:
        """Check words that belong together or apart."""
        self._check_words(step.words, 2)
        is_apart = isinstance(step, Apart)
        others = constraints.together if is_apart else constraints.apart
        relation = "belong together" if is_apart else "are kept apart"
        both = _pairs([step.words]) & _pairs(others)
        if both:
            one, other = sorted(min(map(sorted, both)))
            raise InputError(
                f"an earlier edit says that {one} and {other} {relation}: "
                "undo it, or remove the edits of one of the words, first",
                parameter="words",
            )
        after = constraints.after(step)
        return step, _indirect_links(after.together, after.apart, step.words)

    def seed(self, step: InTopic, constraints: Constraints) -> tuple[Step, list[str]]:
        """Check words that belong to a topic."""
        self._check_words(step.words)
        self._check_topic(step.topic, constraints)
        self._check_contradiction(step, constraints.never_in, "is never in", constraints)
        warnings = [
            f"an earlier edit puts {word} in {self._name(topic, constraints)}: both topics attract it"
            for word, topic in constraints.in_topic
            if word in step.words and topic != step.topic
        ]
        return step, warnings + self._warn_if_pinned(step.topic, constraints)

    def forbid(self, step: NeverIn, constraints: Constraints) -> tuple[Step, list[str]]:
        """Check words that may not be in a topic."""
        self._check_words(step.words)
        self._check_topic(step.topic, constraints)
        self._check_contradiction(step, constraints.in_topic, "belongs to", constraints)
        forbidden = constraints.after(step).never_in
        for word in step.words:
            if len({topic for other, topic in forbidden if other == word} | constraints.free) >= constraints.n_topics:
                raise InputError(f"{word} would be forbidden in all topics", parameter="words", got=word)
        return step, self._warn_if_pinned(step.topic, constraints)

    def _check_contradiction(
        self, step: InTopic | NeverIn, pairs: Any, relation: str, constraints: Constraints
    ) -> None:
        both = [word for word in step.words if (word, step.topic) in pairs]
        if both:
            topic = self._name(step.topic, constraints)
            raise InputError(
                f"an earlier edit says that {both[0]} {relation} {topic}: "
                f"undo it, or remove the edits of {both[0]}, first",
                parameter="words",
            )

    def _warn_if_pinned(self, topic: int, constraints: Constraints) -> list[str]:
        name = self._name(topic, constraints)
        return [f"{name} is pinned and hardly changes until it is unpinned"] if topic in constraints.pinned else []

    def forget(self, step: Forget, constraints: Constraints) -> tuple[Step, list[str]]:
        """Check words whose constraints are removed."""
        self._check_words(step.words)
        if constraints.after(step) == constraints:
            raise InputError(
                f"there are no constraints on {', '.join(step.words)}", parameter="words", got=list(step.words)
            )
        return step, []

    # ------------------------------------------------------------------ topics

    def merge(self, step: MergeTopics, constraints: Constraints) -> tuple[Step, list[str]]:
        """Check topics that are merged into another."""
        for topic in (step.into, *step.others):
            self._check_topic(topic, constraints)
        if not step.others or len({step.into, *step.others}) <= len(step.others):
            raise InputError(
                parameter="others", expected="different topics other than the target", got=list(step.others)
            )
        for topic in step.others:
            if topic in self._mentioned:
                raise InputError(
                    f"{self._name(topic, constraints)} is part of the model's knowledge and cannot be merged",
                    parameter="others",
                    got=topic,
                )
        lost = [
            word
            for word, topic in constraints.in_topic
            if topic in step.others and (word, step.into) in constraints.never_in
        ]
        return step, [
            f"{word} stays out of {self._name(step.into, constraints)}, because an earlier edit forbids it there"
            for word in lost
        ]

    def split(self, step: SplitTopic, constraints: Constraints) -> tuple[Step, list[str]]:
        """Check a topic that is split in two."""
        self._check_topic(step.topic, constraints)
        self._check_words(step.words, at_least=0)
        if step.new is not None and step.new != constraints.next_number():
            raise InputError(parameter="new", expected=f"{constraints.next_number()} or None", got=step.new)
        return replace(step, new=constraints.next_number()), []

    def rename(self, step: Rename, constraints: Constraints) -> tuple[Step, list[str]]:
        """Check a name for a topic."""
        self._check_topic(step.topic, constraints)
        name = " ".join(step.name.split())
        if len(name) > _MAX_NAME_LENGTH:
            raise InputError(parameter="name", expected=f"at most {_MAX_NAME_LENGTH} characters", got=len(name))
        for topic, other in {**self.names(constraints), **self._named}.items():
            if name and other == name and topic != step.topic:
                raise InputError(f"topic {topic} is called {name!r} already", parameter="name", got=name)
        own = self._named.get(step.topic)
        warning = f"in model files the topic is still called {own}, as in the knowledge of the model"
        return replace(step, name=name), [] if own is None else [warning]

    def topic(self, step: Pin | Unpin | Hide | Show, constraints: Constraints) -> tuple[Step, list[str]]:
        """Check a topic that is pinned or hidden, or no longer."""
        self._check_topic(step.topic, constraints)
        if constraints.after(step) == constraints:
            raise InputError(
                f"this changes nothing: {step.sentence(self.names(constraints))} already", parameter="topic"
            )
        return step, []

    # ------------------------------------------------------------------ documents

    def label(self, step: LabelDocument, constraints: Constraints) -> tuple[Step, list[str]]:
        """Check a document that is assigned to a topic."""
        find_document(self._corpus, step.document, self._rows)
        topic = step.topic
        if isinstance(topic, str):
            numbers = {name: number for number, name in self.names(constraints).items()}
            if topic not in numbers:
                raise InputError(
                    f"no topic is called {topic!r}: rename one, or give a number", parameter="topic", got=topic
                )
            topic = numbers[topic]
        self._check_topic(topic, constraints)
        return replace(step, topic=topic), []

    def update(self, step: Update, constraints: Constraints) -> tuple[Step, list[str]]:
        """Reject updates, which only ``Steering.update`` creates."""
        raise InputError("an Update cannot be added: call Steering.update", parameter="step")


_CHECKS: dict[type[Step], Callable[[StepValidator, Any, Constraints], tuple[Step, list[str]]]] = {
    Together: StepValidator.link,
    Apart: StepValidator.link,
    InTopic: StepValidator.seed,
    NeverIn: StepValidator.forbid,
    Forget: StepValidator.forget,
    MergeTopics: StepValidator.merge,
    SplitTopic: StepValidator.split,
    Rename: StepValidator.rename,
    Pin: StepValidator.topic,
    Unpin: StepValidator.topic,
    Hide: StepValidator.topic,
    Show: StepValidator.topic,
    LabelDocument: StepValidator.label,
    Update: StepValidator.update,
}


def _pairs(groups: Iterable[tuple[str, ...]]) -> set[frozenset[str]]:
    return {frozenset(pair) for group in groups for pair in combinations(group, 2)}


def _indirect_links(
    together: Iterable[tuple[str, ...]], apart: Iterable[tuple[str, ...]], words: tuple[str, ...]
) -> list[str]:
    """Warnings about pairs that are kept apart but linked through other words, if a step affects them."""
    component: dict[str, set[str]] = {}
    for group in together:
        linked = set(group).union(*(component.get(word, ()) for word in group))
        component |= dict.fromkeys(linked, linked)
    return [
        f"{one} and {other} are kept apart, but linked through words that belong together"
        for one, other in sorted(tuple(sorted(pair)) for pair in _pairs(apart))
        if other in component.get(one, ()) and component[one] & set(words)
    ]
