"""What was said, as the library's kinds of knowledge; how firmly, by experiment on 20 Newsgroups (docs/steering.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..knowledge import (
    CannotLinks,
    DocumentTopics,
    ForbiddenWords,
    KnownTopics,
    MustLinks,
    SeedWords,
    TopicNames,
)
from ..models import LDA
from .said import Pairs, Said

TOGETHER = 0.75  # firmness
IN_TOPIC = 1.5  # weight
ABOUT = 100.0
PINNED = 10.0

Pins = Mapping[int, Mapping[str, int]]  # how often pinned topics had their words when they were pinned


def knowledge_of(said: Said, pins: Pins, base: LDA) -> list[Any]:
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


def names_of(said: Said, base: LDA) -> list[TopicNames]:
    """The names that topics were given, but for those of which the model's own knowledge speaks by another name."""
    own = own_names(base)
    names = {topic: name for topic, name in said.names.items() if topic not in own}
    return [TopicNames(names)] if names else []


def own_knowledge(base: LDA) -> list[Any]:
    """What the base model knows, but for mere names, which can be changed."""
    return [item for item in base._known if not isinstance(item, TopicNames)]


def own_names(base: LDA) -> dict[int, str]:
    """Names of topics that are part of what the base model knows, such as labels."""
    numbers = base._compiled.topics.numbers
    spoken_of = [topic for item in own_knowledge(base) for topic in item.topics(base.corpus_)]
    return {numbers[topic]: topic for topic in spoken_of if isinstance(topic, str)}


def given_names(base: LDA) -> dict[int, str]:
    """Names that the base model's topics were given, and that can be changed."""
    return {n: name for item in base._known if isinstance(item, TopicNames) for n, name in item.names.items()}


def _by_topic(pairs: Pairs) -> dict[str | int, list[str]]:
    words: dict[str | int, list[str]] = {}
    for word, topic in pairs:
        words.setdefault(topic, []).append(word)
    return words
