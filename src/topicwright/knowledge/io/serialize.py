"""Kinds of knowledge as plain data, which JSON and YAML can hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from ...corpus.metadata import as_labels
from ...errors import InputError
from ..document_links import DocumentLinks
from ..document_topics import DocumentTopics
from ..forbidden_words import ForbiddenWords
from ..known_topics import KnownTopics, TopicNames
from ..labels import DocumentLabels, SentenceLabels
from ..seeds import SeedWords
from ..word_links import CannotLinks, MustLinks
from .nodes import looks_whole
from .parse import parse_knowledge


def serialize_knowledge(items: Iterable[Any]) -> Any:
    """Knowledge as plain data: a mapping of kinds, or a list of mappings where a kind occurs twice.

    >>> import topicwright as tw
    >>> from topicwright.knowledge import serialize_knowledge
    >>> serialize_knowledge([tw.SeedWords({"kitchen": ["bread"]}, hard=True)])
    {'seeds': {'weight': 1.0, 'hard': True, 'topics': {'kitchen': ['bread']}}}
    """
    sections = [_section(item) for item in items]
    merged: Any = {kind: body for section in sections for kind, body in section.items()}
    data = merged if len(merged) == len(sections) else sections
    parse_knowledge(data)  # what can't be read again is refused here and now
    return data


def _section(item: Any) -> dict[str, Any]:
    if isinstance(item, (MustLinks, CannotLinks)):
        links = [list(map(_plain, link)) for link in item.links]
        return {f"{item.kind}s": {**_dial_of(item), "links": links}}
    if isinstance(item, DocumentLinks):
        edges = True if item.edges is None else [list(map(_plain, edge)) for edge in item.edges]
        return {"document-links": {**_dial_of(item), "links": edges}}
    if isinstance(item, SeedWords):
        return {"seeds": {"weight": _number(item.weight), "hard": bool(item.hard), "topics": _topics_of(item.seeds)}}
    if isinstance(item, DocumentLabels):
        return {"document-labels": {"background": _plain(item.background), "labels": _labels_of(item)}}
    if isinstance(item, SentenceLabels):
        return {"sentence-labels": [_sentence_of(*entry) for entry in item.sentences]}
    return _section_of_topics(item)


def _section_of_topics(item: Any) -> dict[str, Any]:
    if isinstance(item, ForbiddenWords):
        return {"forbidden-words": _topics_of(item.words)}
    if isinstance(item, KnownTopics):
        counts = {topic: {_plain(word): _plain(n) for word, n in own.items()} for topic, own in item.words.items()}
        return {"known-topics": {"weight": _number(item.weight), "topics": _by_topic(counts)}}
    if isinstance(item, DocumentTopics):
        rows = [{"document": _plain(document), "topic": _plain(topic)} for document, topic in item.pairs()]
        return {"document-topics": {"weight": _number(item.weight), "topics": rows}}
    if isinstance(item, TopicNames):
        return {"topic-names": {str(number): _plain(name) for number, name in item.names.items()}}
    raise InputError(f"{type(item).__name__} knowledge can't be written to a file: only links, seeds and labels can")


def _dial_of(item: MustLinks | CannotLinks | DocumentLinks) -> dict[str, Any]:
    return {"strength": _number(item.strength), "firmness": _number(item.firmness)}


def _topics_of(words: Mapping[Any, Any]) -> Any:
    return _by_topic({topic: list(map(_plain, own)) for topic, own in words.items()})


def _by_topic(values: Mapping[Any, Any]) -> Any:
    """A mapping; where the name of a topic looks like a number, a list that has its quotes."""
    topics = {_plain(topic): words for topic, words in values.items()}
    if any(isinstance(topic, str) and looks_whole(topic) for topic in topics):
        return [{"topic": topic, "words": words} for topic, words in topics.items()]
    return {str(topic): words for topic, words in topics.items()}


def _labels_of(item: DocumentLabels) -> Any:
    if item.labels is None:
        return True
    if not isinstance(item.labels, Mapping):
        return [_some_labels(own) for own in item.labels]
    pairs = [(_plain(document), _some_labels(own)) for document, own in item.labels.items()]
    if all(isinstance(document, str) for document, _ in pairs):
        return dict(pairs)
    return [{"document": document, "labels": own} for document, own in pairs]


def _some_labels(own: Any) -> Any:
    labels = as_labels(own)
    return None if not labels else labels[0] if len(labels) == 1 else list(labels)


def _sentence_of(document: Any, sentence: Any, labels: Any) -> dict[str, Any]:
    words = str(sentence) if isinstance(sentence, str) else [int(position) for position in sentence]
    own = [str(labels)] if isinstance(labels, str) else list(map(str, labels))
    return {"document": _plain(document), "sentence": words, "labels": own[0] if len(own) == 1 else own}


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, Real) and not isinstance(value, bool) else value


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return str(value) if isinstance(value, str) else value
