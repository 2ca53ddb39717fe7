"""What is to be seen of a model at one moment; the model itself may be trained on meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np

from .._utils.formatting import truncate
from ..views.format import NAME, WORD_LENGTH, name_of
from ..views.report.data import MIDDLE, Bars, bars_of
from ..views.search import Search
from ..views.topic_map import TopicLayout, map_of_topics, nearest
from ..views.topic_metrics import topic_sizes
from ..views.validation import has_documents
from ..views.words import RankedWords

TOPICS = 300  # on the map, the largest
_LEADING = 6  # words that stand for a topic
_NEAR = 4


class ModelView:
    """A model as it stands: where topics lie, what they are called, and their words.

    Training gives a model new arrays and leaves the old ones as they are, so a shallow copy stays as it was.
    """

    def __init__(self, model: Any, names: Mapping[int, str] | None = None, like: ModelView | None = None) -> None:
        self.model = copy(model)
        self.map: TopicLayout = map_of_topics(self.model, TOPICS, like=None if like is None else like.map)
        self.words = RankedWords(self.model)
        self.sizes = topic_sizes(self.model)
        self._leading: dict[int, list[str]] = {}
        for topic in self.map.topics.tolist():
            self.leading(topic)
        self._names = dict(names or {})

    def renamed(self, names: Mapping[int, str]) -> ModelView:
        """The same with other names."""
        other = copy(self)
        other._names = dict(names)
        return other

    def leading(self, topic: int) -> list[str]:
        """The words that stand for a topic."""
        if topic not in self._leading:
            words = self.words.relevant(topic, MIDDLE, _LEADING)
            self._leading[topic] = [truncate(word.word, WORD_LENGTH) for word in words]
        return self._leading[topic]

    def has_topic(self, topic: int) -> bool:
        """Whether there is a topic of this number, and words in it."""
        return 0 <= topic < self.n_topics and bool(self.sizes[topic] > 0)

    @property
    def n_topics(self) -> int:
        """How many topics the model has."""
        return len(self.model.alpha_)

    @property
    def largest(self) -> int:
        """The topic to begin with."""
        return int(np.argmax(self.sizes))

    @property
    def by_size(self) -> list[int]:
        """The topics of the map, the largest first."""
        return [int(self.map.topics[n]) for n in np.argsort(-self.map.sizes, kind="stable")]

    @property
    def has_documents(self) -> bool:
        """Whether the training documents are there."""
        return has_documents(self.model)

    def has_document(self, row: int) -> bool:
        """Whether there is a document of this number."""
        return self.has_documents and 0 <= row < self.model.corpus_.n_docs

    @cached_property
    def bars(self) -> Bars | None:
        """Weights of topics, or the labels of their documents."""
        return bars_of(self.model, self.map.topics.tolist())

    @cached_property
    def number_of_word(self) -> dict[str, int]:
        """The column of each word."""
        return {str(word): number for number, word in enumerate(self.model.vocabulary_)}

    @cached_property
    def search(self) -> Search:
        """What looks for words and documents."""
        return Search(self.model)

    def share_of_word(self, topic: int, word: str) -> float:
        """The share of a topic's tokens that are a word."""
        counts = self.model.topic_word_counts_
        start, end = counts.indptr[topic : topic + 2]
        own = counts.data[start:end][counts.indices[start:end] == self.number_of_word[word]]
        return float(own.sum() / max(counts.data[start:end].sum(), 1))

    def name(self, topic: int) -> str | None:
        """What a topic is called, where it has more than a number."""
        given = self._names.get(topic)
        return truncate(given, NAME) if given else name_of(self.model, topic)

    def title(self, topic: int) -> str:
        """A few words that tell it from others."""
        return self.name(topic) or ", ".join(self.leading(topic)[:2]) or f"Topic {topic}"

    def near(self, topic: int) -> list[tuple[int, float]]:
        """Topics with like words, and how alike they are."""
        [place] = np.flatnonzero(self.map.topics == topic).tolist() or [-1]
        if place < 0:
            return []
        return [(int(self.map.topics[other]), like) for other, like in nearest(self.map.distances, place, _NEAR)]
