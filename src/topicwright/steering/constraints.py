"""Constraints that result from the steps of a branch, and their translation into knowledge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..knowledge import CannotLinks, DocumentTopics, ForbiddenWords, KnownTopics, MustLinks, SeedWords, TopicNames
from ..models import LDA
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
)

Pairs = tuple[tuple[str, int], ...]  # of words and topics
Groups = tuple[tuple[str, ...], ...]
Pins = Mapping[int, Mapping[str, int]]  # word counts of pinned topics when they were pinned

LINK_FIRMNESS = 0.9
SEED_WEIGHT = 10.0
SEED_PULL = 0.25  # most tokens that the words of a topic add to its prior in all documents, in average topics
DOCUMENT_WEIGHT = 100.0
PIN_WEIGHT = 10.0


@dataclass(frozen=True)
class Constraints:
    """Constraints after some steps; they do not depend on the random draws of the sampler.

    ``free`` are the numbers of topics that were merged into others.
    """

    n_topics: int
    together: Groups = ()
    apart: Groups = ()
    in_topic: Pairs = ()
    never_in: Pairs = ()
    document_topics: dict[int | str, int] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    hidden: frozenset[int] = frozenset()
    pinned: frozenset[int] = frozenset()
    free: frozenset[int] = frozenset()

    def after(self, step: Step) -> Constraints:
        """Constraints after one more step."""
        transition = _TRANSITIONS.get(type(step))
        return self if transition is None else transition(self, step)

    def next_number(self) -> int:
        """Number of the next new topic."""
        return min(self.free, default=self.n_topics)


def constraints_after(start: Constraints, steps: Iterable[Step]) -> Constraints:
    """Constraints after several steps."""
    for step in steps:
        start = start.after(step)
    return start


def _forget(constraints: Constraints, step: Forget) -> Constraints:
    forgotten = set(step.words)

    def without(groups: Groups) -> Groups:
        left = (tuple(word for word in group if word not in forgotten) for group in groups)
        return tuple(group for group in left if len(group) > 1)

    return replace(
        constraints,
        together=without(constraints.together),
        apart=without(constraints.apart),
        in_topic=tuple(pair for pair in constraints.in_topic if pair[0] not in forgotten),
        never_in=tuple(pair for pair in constraints.never_in if pair[0] not in forgotten),
    )


def _merge(constraints: Constraints, step: MergeTopics) -> Constraints:
    """Move constraints of the merged topics to the topic they become part of, unless it forbids the word."""
    merged = set(step.others)
    never_in = tuple(pair for pair in constraints.never_in if pair[1] not in merged)
    moved = ((word, step.into if topic in merged else topic) for word, topic in constraints.in_topic)
    return replace(
        constraints,
        in_topic=tuple(pair for pair in dict.fromkeys(moved) if pair not in never_in),
        never_in=never_in,
        document_topics={
            document: step.into if topic in merged else topic for document, topic in constraints.document_topics.items()
        },
        names={topic: name for topic, name in constraints.names.items() if topic not in merged},
        hidden=constraints.hidden - merged,
        pinned=constraints.pinned - merged,
        free=constraints.free | merged,
    )


def _split(constraints: Constraints, step: SplitTopic) -> Constraints:
    new = constraints.next_number() if step.new is None else step.new
    return replace(constraints, n_topics=max(constraints.n_topics, new + 1), free=constraints.free - {new})


def _rename(constraints: Constraints, step: Rename) -> Constraints:
    names = {topic: name for topic, name in constraints.names.items() if topic != step.topic}
    return replace(constraints, names={**names, step.topic: step.name} if step.name else names)


def _with_pairs(pairs: Pairs, words: tuple[str, ...], topic: int) -> Pairs:
    return tuple(dict.fromkeys([*pairs, *((word, topic) for word in words)]))


_TRANSITIONS: dict[type[Step], Callable[[Constraints, Any], Constraints]] = {
    Together: lambda constraints, step: replace(constraints, together=(*constraints.together, step.words)),
    Apart: lambda constraints, step: replace(constraints, apart=(*constraints.apart, step.words)),
    InTopic: lambda constraints, step: replace(
        constraints, in_topic=_with_pairs(constraints.in_topic, step.words, step.topic)
    ),
    NeverIn: lambda constraints, step: replace(
        constraints, never_in=_with_pairs(constraints.never_in, step.words, step.topic)
    ),
    Forget: _forget,
    MergeTopics: _merge,
    SplitTopic: _split,
    Rename: _rename,
    Pin: lambda constraints, step: replace(constraints, pinned=constraints.pinned | {step.topic}),
    Unpin: lambda constraints, step: replace(constraints, pinned=constraints.pinned - {step.topic}),
    Hide: lambda constraints, step: replace(constraints, hidden=constraints.hidden | {step.topic}),
    Show: lambda constraints, step: replace(constraints, hidden=constraints.hidden - {step.topic}),
    LabelDocument: lambda constraints, step: replace(
        constraints, document_topics={**constraints.document_topics, step.document: step.topic}
    ),
}


# ---------------------------------------------------------------------- knowledge


def knowledge_of(constraints: Constraints, pins: Pins, base: LDA) -> list[Any]:
    """Knowledge of the base model, and the constraints as knowledge."""
    together, followers = _split_links(constraints, pins, base)
    items = [
        together and MustLinks(together, firmness=LINK_FIRMNESS),
        constraints.apart and CannotLinks(constraints.apart),
        *_seeds(tuple(dict.fromkeys([*constraints.in_topic, *followers])), constraints, base),
        constraints.never_in and ForbiddenWords(_by_topic(constraints.never_in)),
        constraints.document_topics and DocumentTopics(constraints.document_topics, DOCUMENT_WEIGHT),
        pins and KnownTopics(pins, PIN_WEIGHT),
        *topic_names(constraints, base),
    ]
    return [*base_knowledge(base), *filter(None, items)]


def _split_links(constraints: Constraints, pins: Pins, base: LDA) -> tuple[Groups, Pairs]:
    """Groups of linked words without words of pinned topics, and the pinned topics that their partners follow into.

    A link draws both words to each other's topics. A word that is mostly in a pinned topic stays there instead.
    """
    if not pins or not constraints.together:
        return constraints.together, ()
    total = _word_counts(base)
    topic_of = {word: topic for topic, own in pins.items() for word, n in own.items() if 2 * n > total[word]}
    groups = [tuple(word for word in group if word not in topic_of) for group in constraints.together]
    followers = [
        (word, topic)
        for group, free in zip(constraints.together, groups)
        for topic in sorted({topic_of[word] for word in group if word in topic_of})
        for word in free
    ]
    allowed = tuple(pair for pair in followers if pair not in constraints.never_in)
    return tuple(group for group in groups if len(group) > 1), allowed


def _seeds(pairs: Pairs, constraints: Constraints, base: LDA) -> list[SeedWords]:
    """Seeds of each topic. Their pull on documents is weaker if they are frequent, so that the topic stays specific."""
    by_topic = _by_topic(pairs)
    if not by_topic:
        return []
    total = _word_counts(base)
    most = SEED_PULL * sum(total.values()) / (constraints.n_topics - len(constraints.free))
    n_tokens = {topic: max(1, sum(total[word] for word in words)) for topic, words in by_topic.items()}
    return [
        SeedWords({topic: words}, SEED_WEIGHT, pull=min(SEED_WEIGHT, most / n_tokens[topic]))
        for topic, words in by_topic.items()
    ]


def _word_counts(base: LDA) -> dict[str, int]:
    """Number of tokens of each word."""
    return dict(zip(base.vocabulary_.tolist(), np.asarray(base.topic_word_counts_.sum(axis=0)).ravel().tolist()))


def topic_names(constraints: Constraints, base: LDA) -> list[TopicNames]:
    """Names given to topics, except for topics that the knowledge of the model refers to by another name."""
    own = knowledge_names(base)
    names = {topic: name for topic, name in constraints.names.items() if topic not in own}
    return [TopicNames(names)] if names else []


def base_knowledge(base: LDA) -> list[Any]:
    """Knowledge of the base model without mere names, which can be changed."""
    return [item for item in base.fit_state_.knowledge if not isinstance(item, TopicNames)]


def knowledge_names(base: LDA) -> dict[int, str]:
    """Names that the knowledge of the base model refers to topics by, such as labels."""
    numbers = base.fit_state_.compiled.topics.numbers
    mentioned = [topic for item in base_knowledge(base) for topic in item.topic_names(base.corpus_)]
    return {numbers[topic]: topic for topic in mentioned if isinstance(topic, str)}


def initial_names(base: LDA) -> dict[int, str]:
    """Names of the base model's topics that can be changed."""
    return {
        n: name for item in base.fit_state_.knowledge if isinstance(item, TopicNames) for n, name in item.names.items()
    }


def _by_topic(pairs: Pairs) -> dict[str | int, list[str]]:
    words: dict[str | int, list[str]] = {}
    for word, topic in pairs:
        words.setdefault(topic, []).append(word)
    return words
