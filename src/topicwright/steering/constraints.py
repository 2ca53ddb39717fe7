"""What steps come to: the words that belong together now, the names that topics have now, and so on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

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


@dataclass(frozen=True)
class Constraints:
    """What holds after some steps; it does not depend on what the sampler drew."""

    n_topics: int
    together: Groups = ()
    apart: Groups = ()
    in_topic: Pairs = ()
    never_in: Pairs = ()
    about: dict[int | str, int] = field(default_factory=dict)  # the topic of documents
    names: dict[int, str] = field(default_factory=dict)
    hidden: frozenset[int] = frozenset()
    pinned: frozenset[int] = frozenset()
    free: frozenset[int] = frozenset()  # topics that were merged away

    def after(self, step: Step) -> Constraints:
        """What holds after one more step."""
        change = _AFTER.get(type(step))
        return self if change is None else change(self, step)

    def next_number(self) -> int:
        """The number that the next new topic gets."""
        return min(self.free, default=self.n_topics)


def constraints_after(start: Constraints, steps: Iterable[Step]) -> Constraints:
    """What holds after steps."""
    for step in steps:
        start = start.after(step)
    return start


def _forget(said: Constraints, step: Forget) -> Constraints:
    gone = set(step.words)

    def rest(groups: Groups) -> Groups:
        left = (tuple(word for word in group if word not in gone) for group in groups)
        return tuple(group for group in left if len(group) > 1)

    return replace(
        said,
        together=rest(said.together),
        apart=rest(said.apart),
        in_topic=tuple(pair for pair in said.in_topic if pair[0] not in gone),
        never_in=tuple(pair for pair in said.never_in if pair[0] not in gone),
    )


def _merge(said: Constraints, step: MergeTopics) -> Constraints:
    """What was said of the others is now said of the topic that they are part of, but for what they may not hold."""
    gone = set(step.others)
    never_in = tuple(pair for pair in said.never_in if pair[1] not in gone)
    moved = ((word, step.into if topic in gone else topic) for word, topic in said.in_topic)
    return replace(
        said,
        in_topic=tuple(pair for pair in dict.fromkeys(moved) if pair not in never_in),
        never_in=never_in,
        about={document: step.into if topic in gone else topic for document, topic in said.about.items()},
        names={topic: name for topic, name in said.names.items() if topic not in gone},
        hidden=said.hidden - gone,
        pinned=said.pinned - gone,
        free=said.free | gone,
    )


def _split(said: Constraints, step: SplitTopic) -> Constraints:
    new = said.next_number() if step.new is None else step.new
    return replace(said, n_topics=max(said.n_topics, new + 1), free=said.free - {new})


def _rename(said: Constraints, step: Rename) -> Constraints:
    names = {topic: name for topic, name in said.names.items() if topic != step.topic}
    return replace(said, names={**names, step.topic: step.name} if step.name else names)


def _with_pairs(pairs: Pairs, words: tuple[str, ...], topic: int) -> Pairs:
    return tuple(dict.fromkeys([*pairs, *((word, topic) for word in words)]))


_AFTER: dict[type[Step], Callable[[Constraints, Any], Constraints]] = {
    Together: lambda said, step: replace(said, together=(*said.together, step.words)),
    Apart: lambda said, step: replace(said, apart=(*said.apart, step.words)),
    InTopic: lambda said, step: replace(said, in_topic=_with_pairs(said.in_topic, step.words, step.topic)),
    NeverIn: lambda said, step: replace(said, never_in=_with_pairs(said.never_in, step.words, step.topic)),
    Forget: _forget,
    MergeTopics: _merge,
    SplitTopic: _split,
    Rename: _rename,
    Pin: lambda said, step: replace(said, pinned=said.pinned | {step.topic}),
    Unpin: lambda said, step: replace(said, pinned=said.pinned - {step.topic}),
    Hide: lambda said, step: replace(said, hidden=said.hidden | {step.topic}),
    Show: lambda said, step: replace(said, hidden=said.hidden - {step.topic}),
    LabelDocument: lambda said, step: replace(said, about={**said.about, step.document: step.topic}),
}


TOGETHER = 0.75  # firmness
IN_TOPIC = 1.5  # weight
ABOUT = 100.0
PINNED = 10.0

Pins = Mapping[int, Mapping[str, int]]  # how often pinned topics had their words when they were pinned


def knowledge_of(said: Constraints, pins: Pins, base: LDA) -> list[Any]:
    """All that is known: the base model's own knowledge, and what was said."""
    said_now = [
        said.together and MustLinks(said.together, firmness=TOGETHER),
        said.apart and CannotLinks(said.apart),
        said.in_topic and SeedWords(_by_topic(said.in_topic), IN_TOPIC),
        said.never_in and ForbiddenWords(_by_topic(said.never_in)),
        said.about and DocumentTopics(said.about, ABOUT),
        pins and KnownTopics(pins, PINNED),
        *names_of(said, base),
    ]
    return [*own_knowledge(base), *filter(None, said_now)]


def names_of(said: Constraints, base: LDA) -> list[TopicNames]:
    """The names that topics were given, but for those of which the model's own knowledge speaks by another name."""
    own = own_names(base)
    names = {topic: name for topic, name in said.names.items() if topic not in own}
    return [TopicNames(names)] if names else []


def own_knowledge(base: LDA) -> list[Any]:
    """What the base model knows, but for mere names, which can be changed."""
    return [item for item in base.fit_state_.knowledge if not isinstance(item, TopicNames)]


def own_names(base: LDA) -> dict[int, str]:
    """Names of topics that are part of what the base model knows, such as labels."""
    numbers = base.fit_state_.compiled.topics.numbers
    spoken_of = [topic for item in own_knowledge(base) for topic in item.topics(base.corpus_)]
    return {numbers[topic]: topic for topic in spoken_of if isinstance(topic, str)}


def given_names(base: LDA) -> dict[int, str]:
    """Names that the base model's topics were given, and that can be changed."""
    return {
        n: name for item in base.fit_state_.knowledge if isinstance(item, TopicNames) for n, name in item.names.items()
    }


def _by_topic(pairs: Pairs) -> dict[str | int, list[str]]:
    words: dict[str | int, list[str]] = {}
    for word, topic in pairs:
        words.setdefault(topic, []).append(word)
    return words
