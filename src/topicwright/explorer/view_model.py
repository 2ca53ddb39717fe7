"""Immutable view of a model for the page; the model itself may be trained further meanwhile."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np

from .._utils.formatting import percent, truncate
from ..views.format import NAME_LENGTH, WORD_LENGTH, has_documents, topic_name
from ..views.report.data import DEFAULT_LAMBDA, Bars, topic_bars
from ..views.search import Search
from ..views.topic_map import TopicLayout, circle_layout, map_of_topics, nearest_topics, place_labels
from ..views.words import RankedWords, topic_sizes

TOPICS = 300  # on the map, the largest
_LEADING = 6  # words that stand for a topic
_NEIGHBORS = 4
_MAP_SIZES = {"wide": (560, 430), "narrow": (358, 340)}
_MAP_FONT_SIZE, _MAP_NAME_LENGTH = 12.0, 22  # pixels, characters
_CIRCLE_SCALE = 0.8  # circles are drawn smaller than computed, which leaves space for names


class ModelView:
    """A model at one moment: the layout of its topics, their names, sizes and words.

    Training gives a model new arrays and leaves the old ones as they are, so a shallow copy does not change.

    Parameters
    ----------
    model : fitted model
    names : mapping from int to str, optional
        Names that the user gave to topics.
    like : ModelView, optional
        Earlier view whose map the new one is aligned with.
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
        """The same view with other names."""
        other = copy(self)
        other._names = dict(names)
        return other

    def leading(self, topic: int) -> list[str]:
        """Words that stand for a topic."""
        if topic not in self._leading:
            words = self.words.relevant(topic, DEFAULT_LAMBDA, _LEADING)
            self._leading[topic] = [truncate(word.word, WORD_LENGTH) for word in words]
        return self._leading[topic]

    def has_topic(self, topic: int) -> bool:
        """Whether the topic exists and has words."""
        return 0 <= topic < self.n_topics and bool(self.sizes[topic] > 0)

    @property
    def n_topics(self) -> int:
        """Number of topics of the model."""
        return len(self.model.alpha_)

    @property
    def largest(self) -> int:
        """The largest topic."""
        return int(np.argmax(self.sizes))

    @property
    def by_size(self) -> list[int]:
        """Topics of the map, the largest first."""
        return [int(self.map.topics[n]) for n in np.argsort(-self.map.sizes, kind="stable")]

    @property
    def has_documents(self) -> bool:
        """Whether the model has its training documents."""
        return has_documents(self.model)

    def has_document(self, row: int) -> bool:
        """Whether the model has a training document of this number."""
        return self.has_documents and 0 <= row < self.model.corpus_.n_docs

    @cached_property
    def bars(self) -> Bars | None:
        """Weights of topics, or the labels of their documents."""
        return topic_bars(self.model, self.map.topics.tolist())

    @cached_property
    def word_index(self) -> dict[str, int]:
        """Column of each word."""
        return {str(word): number for number, word in enumerate(self.model.vocabulary_)}

    @cached_property
    def search(self) -> Search:
        """Search index of words and documents."""
        return Search(self.model)

    def share_of_word(self, topic: int, word: str) -> float:
        """Share of a topic's tokens that are a word."""
        counts = self.model.topic_word_counts_
        start, end = counts.indptr[topic : topic + 2]
        own = counts.data[start:end][counts.indices[start:end] == self.word_index[word]]
        return float(own.sum() / max(counts.data[start:end].sum(), 1))

    def name(self, topic: int) -> str | None:
        """Name of a topic, or None if it has only a number."""
        given = self._names.get(topic)
        return truncate(given, NAME_LENGTH) if given else topic_name(self.model, topic)

    def title(self, topic: int) -> str:
        """Name of a topic or, without one, its first words."""
        return self.name(topic) or ", ".join(self.leading(topic)[:2]) or f"Topic {topic}"

    def neighbors(self, topic: int) -> list[tuple[int, float]]:
        """Topics with similar words, and their similarities."""
        [index] = np.flatnonzero(self.map.topics == topic).tolist() or [-1]
        if index < 0:
            return []
        pairs = nearest_topics(self.map.distances, index, _NEIGHBORS)
        return [(int(self.map.topics[other]), similarity) for other, similarity in pairs]


# ---------------------------------------------------------------------- topic map


def map_data(view: ModelView, hidden: Collection[int]) -> dict[str, Any]:
    """Circles and names of the topic map, for a wide and for a narrow screen.

    Placing the names is slow: call this in a worker thread.
    """
    layout = _without(view.map, hidden)
    return {kind: _map_of_size(view, layout, *size) for kind, size in _MAP_SIZES.items()}


def _map_of_size(view: ModelView, layout: TopicLayout, width: int, height: int) -> dict[str, Any]:
    topics = layout.topics.tolist()
    centers, radii = circle_layout(layout, width, height)
    radii = _CIRCLE_SCALE * radii
    names = [truncate(view.name(topic) or view.leading(topic)[0], _MAP_NAME_LENGTH) for topic in topics]
    placed = place_labels(centers, radii, names, _MAP_FONT_SIZE, width, height)
    name_positions = {circle: (round(x, 1), round(y, 1)) for circle, x, y in placed}
    shown = [
        {
            "topic": topic,
            "x": round(x, 1),
            "y": round(y, 1),
            "r": round(radius, 1),
            "number": str(topic) if len(str(topic)) * _MAP_FONT_SIZE * 0.6 < 2 * radius - 2 else "",
            "name": names[n],
            "name_position": name_positions.get(n),
            "title": _circle_title(view, topic),
        }
        for n, (topic, (x, y), radius) in enumerate(zip(topics, centers.tolist(), radii.tolist()))
    ]
    return {"width": width, "height": height, "circles": shown}


def _circle_title(view: ModelView, topic: int) -> str:
    name, words = view.name(topic), " ".join(view.leading(topic))
    title = f"Topic {topic}" if name is None else f"Topic {topic}, {name}"
    return f"{title}: {words} ({percent(float(view.sizes[topic]))} of all words)"


def _without(layout: TopicLayout, hidden: Collection[int]) -> TopicLayout:
    shown = [n for n, topic in enumerate(layout.topics.tolist()) if topic not in hidden]
    return TopicLayout(
        layout.topics[shown], layout.positions[shown], layout.sizes[shown], layout.distances[shown][:, shown]
    )
