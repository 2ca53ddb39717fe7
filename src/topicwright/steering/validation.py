"""Whether a step makes sense where it is taken; what it comes to is told in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import Any

from ..errors import InputError
from ..knowledge.base import find_document, rows_of_ids
from ..models import LDA
from .constraints import Constraints, given_names, own_knowledge, own_names
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
    called,
    step_from_dict,
)

_LONGEST_NAME = 100


class StepValidator:
    """Where steps come in: what the model's vocabulary, documents and own knowledge allow."""

    def __init__(self, base: LDA) -> None:
        self._corpus = base.corpus_
        self._named = own_names(base)
        mentioned = {topic for item in own_knowledge(base) for topic in item.topics(base.corpus_)}
        self._spoken_of = {*self._named, *mentioned}  # by the model's own knowledge
        self.start = Constraints(len(base.alpha_), names=given_names(base))  # what holds before any step

    def names(self, said: Constraints) -> dict[int, str]:
        """The names of all topics that have one."""
        names = {**self._named, **said.names}
        return {topic: names[topic] for topic in sorted(names) if topic not in said.free}

    def admit(self, step: Step, said: Constraints) -> tuple[Step, list[str]]:
        """The step with all that it leaves open filled in, and warnings; ``InputError`` where it makes no sense."""
        if not isinstance(step, Step) or type(step) not in _CHECKS:
            raise InputError(f"a step must be one of Together, InTopic and so on: got {step!r}")
        step = step_from_dict(step.to_dict())  # types and keys, as they will be read from a file
        return _CHECKS[type(step)](self, step, said)

    # ------------------------------------------------------------------ parts of steps

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(self._corpus.vocabulary.tolist())

    @cached_property
    def _rows(self) -> dict[str, int]:
        return rows_of_ids(self._corpus)

    def _known(self, words: tuple[str, ...], at_least: int = 1) -> None:
        for word in words:
            if word not in self._words:
                raise InputError(f"the vocabulary has no word {word!r}")
        if len(set(words)) < len(words):
            raise InputError(f"each word must be named once: got {', '.join(words)}")
        if len(words) < at_least:
            raise InputError(f"a step of this kind needs {at_least} words or more: got {len(words)}")

    def _topic(self, topic: int, said: Constraints) -> None:
        if not 0 <= topic < said.n_topics:
            raise InputError(f"a topic must be a number from 0 to {said.n_topics - 1}: got {topic}")
        if topic in said.free:
            raise InputError(f"topic {topic} was merged into another, and is empty")

    def _called(self, topic: int, said: Constraints) -> str:
        return called(topic, self.names(said))

    # ------------------------------------------------------------------ words

    def link(self, step: Together | Apart, said: Constraints) -> tuple[Step, list[str]]:
        """Words that belong together or apart."""
        self._known(step.words, 2)
        is_apart = isinstance(step, Apart)
        others, way = (said.together, "together") if is_apart else (said.apart, "apart")
        both = _pairs([step.words]) & _pairs(others)
        if both:
            one, other = sorted(min(map(sorted, both)))
            raise InputError(f"{one} and {other} were said to belong {way}: undo that, or forget one of them, first")
        after = said.after(step)
        return step, _chains(after.together, after.apart, step.words)

    def seed(self, step: InTopic, said: Constraints) -> tuple[Step, list[str]]:
        """Words that belong to a topic."""
        self._known(step.words)
        self._topic(step.topic, said)
        self._not_both(step, said.never_in, "never to be in", said)
        warned = [
            f"{word} was said to belong to {self._called(topic, said)} too: it is drawn to both"
            for word, topic in said.in_topic
            if word in step.words and topic != step.topic
        ]
        return step, warned + self._if_pinned(step.topic, said)

    def forbid(self, step: NeverIn, said: Constraints) -> tuple[Step, list[str]]:
        """Words that may not be in a topic."""
        self._known(step.words)
        self._topic(step.topic, said)
        self._not_both(step, said.in_topic, "to belong to", said)
        closed = said.after(step).never_in
        for word in step.words:
            if len({topic for other, topic in closed if other == word} | said.free) >= said.n_topics:
                raise InputError(f"{word} is kept out of all other topics already, and must be in one")
        return step, self._if_pinned(step.topic, said)

    def _not_both(self, step: InTopic | NeverIn, pairs: Any, said_so: str, said: Constraints) -> None:
        both = [word for word in step.words if (word, step.topic) in pairs]
        if both:
            topic = self._called(step.topic, said)
            raise InputError(f"{both[0]} was said {said_so} {topic}: undo that, or forget {both[0]}, first")

    def _if_pinned(self, topic: int, said: Constraints) -> list[str]:
        name = self._called(topic, said)
        return [f"{name} is pinned, and hardly changes until that is taken back"] if topic in said.pinned else []

    def forget(self, step: Forget, said: Constraints) -> tuple[Step, list[str]]:
        """Words of which nothing is to hold any more."""
        self._known(step.words)
        if said.after(step) == said:
            raise InputError(f"nothing was said of {', '.join(step.words)}")
        return step, []

    # ------------------------------------------------------------------ topics

    def merge(self, step: MergeTopics, said: Constraints) -> tuple[Step, list[str]]:
        """Topics that become part of another."""
        for topic in (step.into, *step.others):
            self._topic(topic, said)
        if not step.others or len({step.into, *step.others}) <= len(step.others):
            raise InputError(f"a merge needs different topics: got {step.into} and {list(step.others)}")
        for topic in step.others:
            if topic in self._spoken_of:
                raise InputError(
                    f"the model's own knowledge speaks of {self._called(topic, said)}: it can't be merged away"
                )
        lost = [word for word, topic in said.in_topic if topic in step.others and (word, step.into) in said.never_in]
        return step, [f"{word} stays out of {self._called(step.into, said)}, as was said" for word in lost]

    def split(self, step: SplitTopic, said: Constraints) -> tuple[Step, list[str]]:
        """A topic that is cut in two."""
        self._topic(step.topic, said)
        self._known(step.words, at_least=0)
        if step.new is not None and step.new != said.next_number():
            raise InputError(f"the new topic must have the number {said.next_number()}: got {step.new}")
        return replace(step, new=said.next_number()), []

    def rename(self, step: Rename, said: Constraints) -> tuple[Step, list[str]]:
        """A name for a topic."""
        self._topic(step.topic, said)
        name = " ".join(step.name.split())
        if len(name) > _LONGEST_NAME:
            raise InputError(f"a name must have at most {_LONGEST_NAME} characters: got {len(name)}")
        for topic, other in {**self.names(said), **self._named}.items():
            if name and other == name and topic != step.topic:
                raise InputError(f"topic {topic} is called {name!r} already")
        own = self._named.get(step.topic)
        told = f"in model files the topic is still called {own}, as the model's own knowledge has it"
        return replace(step, name=name), [] if own is None else [told]

    def topic(self, step: Pin | Unpin | Hide | Show, said: Constraints) -> tuple[Step, list[str]]:
        """A topic that is pinned or hidden, or no longer."""
        self._topic(step.topic, said)
        if said.after(step) == said:
            raise InputError(f"that changes nothing: {step.sentence(self.names(said))} already")
        return step, []

    # ------------------------------------------------------------------ documents

    def label(self, step: LabelDocument, said: Constraints) -> tuple[Step, list[str]]:
        """A document that is about a topic."""
        find_document(self._corpus, step.document, self._rows)
        topic = step.topic
        if isinstance(topic, str):
            numbers = {name: number for number, name in self.names(said).items()}
            if topic not in numbers:
                raise InputError(f"no topic is called {topic!r}: name one, or give a number")
            topic = numbers[topic]
        self._topic(topic, said)
        return replace(step, topic=topic), []

    def update(self, step: Update, said: Constraints) -> tuple[Step, list[str]]:
        """Sweeps: they come from ``Steering.update`` alone."""
        raise InputError("an update can't be added: call update()")


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


def _chains(together: Iterable[tuple[str, ...]], apart: Iterable[tuple[str, ...]], words: tuple[str, ...]) -> list[str]:
    """Pairs that are kept apart and yet joined over other words, as far as a step has to do with them."""
    home: dict[str, set[str]] = {}
    for group in together:
        joined = set(group).union(*(home.get(word, ()) for word in group))
        home |= dict.fromkeys(joined, joined)
    return [
        f"{one} and {other} are kept apart, and yet joined over words that belong together"
        for one, other in sorted(tuple(sorted(pair)) for pair in _pairs(apart))
        if other in home.get(one, ()) and home[one] & set(words)
    ]
