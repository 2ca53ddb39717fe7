"""What a page says of each topic, as data that its script reads."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._utils.formatting import truncate
from ...models.labeled.prediction import LabelPredictionMixin
from ..documents import TopicDocument, documents_of, pieces_of
from ..format import NAME, WORD_LENGTH, name_of, name_of_document
from ..over_time import TopicsOverTime
from ..topic_map import TopicLayout, nearest
from ..topic_metrics import labels_of, weights_of_topics
from ..validation import has_documents
from ..words import RankedWords
from .svg import curve_as_data

WORDS = 20  # of a topic, for any λ
MIDDLE = 0.6  # the λ to begin with: where readers told topics best (Sievert and Shirley 2014)
_DOCUMENTS, _PASSAGE = 5, 40
_NEAR, _BARS, _LEAST = 4, 8, 3


class Bars(NamedTuple):
    """Figures of a topic that are shown as bars: what they are, and for each topic names with values."""

    head: str
    unit: str  # "share" or "weight"
    full: float  # the value of a bar that is full
    of_topic: dict[int, list[tuple[str, float]]]


def topics_as_data(
    model: Any, places: TopicLayout, coherence: Any, times: TopicsOverTime | None = None, *, documents: bool
) -> list[dict[str, Any]]:
    """All of a topic's words, neighbours, documents and weights, in the order of the map."""
    words, bars = RankedWords(model), bars_of(model, places.topics.tolist())
    counts = label_counts(model)
    topics = []
    for place, topic in enumerate(places.topics.tolist()):
        own = words.candidates(topic, WORDS)
        entry: dict[str, Any] = {
            "topic": topic,
            "name": name_of(model, topic),
            "share": float(f"{places.sizes[place]:.4g}"),
            "words": [
                [
                    truncate(w.word, WORD_LENGTH),
                    round(w.log_probability, 3),
                    round(w.log_lift, 3),
                    round(w.times),
                    round(w.times_in_all),
                ]
                for w in own
            ],
            "near": [
                [int(places.topics[other]), round(likeness, 3)]
                for other, likeness in nearest(places.distances, place, _NEAR)
            ],
        }
        if coherence is not None and not np.isnan(coherence[topic]):
            entry["coherence"] = round(float(coherence[topic]), 3)
        if counts is not None and topic < len(counts):
            entry["documents"] = counts[topic]
        if bars is not None:
            entry["bars"] = [[truncate(name, NAME), float(f"{value:.4g}")] for name, value in bars.of_topic[topic]]
        if times is not None:
            entry["time"] = curve_as_data(times, topic)
        if documents and has_documents(model):
            entry["examples"] = [_example(one) for one in documents_of(model, topic, _DOCUMENTS, _PASSAGE)]
        topics.append(entry)
    return topics


def _example(document: TopicDocument) -> dict[str, Any]:
    return {
        "name": name_of_document(document.row, document.name),
        "share": round(document.share, 3),
        "labels": [truncate(label, NAME) for label in document.labels[:_BARS]],
        "pieces": pieces_of(document),
    }


def label_counts(model: Any) -> list[int] | None:
    """How many documents have each label, where topics are labels."""
    if not isinstance(model, LabelPredictionMixin):
        return None
    counts: list[int] = np.asarray(model.label_counts_).tolist()
    return counts


def bars_of(model: Any, topics: list[int]) -> Bars | None:
    """Weights of topics in what is predicted; else the labels of their documents, where these tell something new."""
    weights = weights_of_topics(model)
    if weights:
        names, matrix = list(weights), np.array(list(weights.values()))
        full = float(np.abs(matrix).max()) or 1.0
        return Bars("Weight in what is predicted", "weight", full, {k: _largest(names, matrix[:, k]) for k in topics})
    if isinstance(model, LabelPredictionMixin) or not has_documents(model) or model.corpus_.labels is None:
        return None
    names, shares = labels_of(model)
    rows = {k: _largest(names, shares[[k], :].toarray()[0]) for k in topics}
    return Bars("Labels that its words come from", "share", 1.0, rows)


def _largest(names: list[str], values: Any) -> list[tuple[str, float]]:
    """The largest first; of many, a few of the smallest as well."""
    order = [i for i in np.argsort(-values, kind="stable").tolist() if values[i] != 0]
    if len(order) > _BARS:
        order = [*order[: _BARS - _LEAST], *order[-_LEAST:]] if values[order[-1]] < 0 else order[:_BARS]
    return [(names[i], float(values[i])) for i in order]
