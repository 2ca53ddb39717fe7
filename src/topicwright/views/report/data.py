"""Data of each topic for the script of the report: words, similar topics, documents and weights."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._utils.formatting import truncate
from ..documents import TopicDocument, documents_of, passage_pieces
from ..format import NAME_LENGTH, WORD_LENGTH, document_name, topic_name
from ..over_time import TopicsOverTime
from ..topic_map import TopicLayout, nearest_topics
from ..topic_metrics import labels_of, weights_of_topics
from ..validation import has_documents, is_labeled
from ..words import RankedWords, RelevantWord
from .svg import time_curve_data

WORDS = 20  # of a topic, for any λ
DEFAULT_LAMBDA = 0.6  # for which readers identified topics best (Sievert and Shirley 2014)
_DOCUMENTS, _PASSAGE = 5, 40
_SIMILAR_TOPICS, _BARS, _SMALLEST_BARS = 4, 8, 3


class Bars(NamedTuple):
    """Numbers of topics that are shown as bars: weights in predictions, or shares of labels."""

    head: str
    unit: str
    """"share" or "weight"."""
    full: float
    """Value of the longest possible bar."""
    of_topic: dict[int, list[tuple[str, float]]]
    """Names and values of each topic."""


def topic_data(
    model: Any, layout: TopicLayout, coherence: Any, times: TopicsOverTime | None = None, *, documents: bool
) -> list[dict[str, Any]]:
    """Words, similar topics, documents and weights of each topic, in the order of the map."""
    words, bars = RankedWords(model), topic_bars(model, layout.topics.tolist())
    counts = label_counts(model)
    topics = []
    for row, topic in enumerate(layout.topics.tolist()):
        entry: dict[str, Any] = {
            "topic": topic,
            "name": topic_name(model, topic),
            "share": float(f"{layout.sizes[row]:.4g}"),
            "words": [_word_data(word) for word in words.candidates(topic, WORDS)],
            "near": [
                [int(layout.topics[other]), round(similarity, 3)]
                for other, similarity in nearest_topics(layout.distances, row, _SIMILAR_TOPICS)
            ],
        }
        if coherence is not None and not np.isnan(coherence[topic]):
            entry["coherence"] = round(float(coherence[topic]), 3)
        if counts is not None and topic < len(counts):
            entry["documents"] = counts[topic]
        if bars is not None:
            entry["bars"] = [
                [truncate(name, NAME_LENGTH), float(f"{value:.4g}")] for name, value in bars.of_topic[topic]
            ]
        if times is not None:
            entry["time"] = time_curve_data(times, topic)
        if documents and has_documents(model):
            entry["examples"] = [_example(one) for one in documents_of(model, topic, _DOCUMENTS, _PASSAGE)]
        topics.append(entry)
    return topics


def _word_data(word: RelevantWord) -> list[Any]:
    logs = [round(word.log_probability, 3), round(word.log_lift, 3)]
    return [truncate(word.word, WORD_LENGTH), *logs, round(word.times), round(word.times_in_all)]


def _example(document: TopicDocument) -> dict[str, Any]:
    return {
        "name": document_name(document.row, document.name),
        "share": round(document.share, 3),
        "labels": [truncate(label, NAME_LENGTH) for label in document.labels[:_BARS]],
        "pieces": passage_pieces(document),
    }


def label_counts(model: Any) -> list[int] | None:
    """Number of documents of each label, if topics are labels."""
    if not is_labeled(model):
        return None
    counts: list[int] = np.asarray(model.label_counts_).tolist()
    return counts


def topic_bars(model: Any, topics: list[int]) -> Bars | None:
    """Weights of topics in predictions; otherwise labels of their documents, unless topics are labels."""
    weights = weights_of_topics(model)
    if weights:
        names, matrix = list(weights), np.array(list(weights.values()))
        full = float(np.abs(matrix).max()) or 1.0
        return Bars("Weight in what is predicted", "weight", full, {k: _largest(names, matrix[:, k]) for k in topics})
    if is_labeled(model) or not has_documents(model) or model.corpus_.labels is None:
        return None
    names, shares = labels_of(model)
    rows = {k: _largest(names, shares[[k], :].toarray()[0]) for k in topics}
    return Bars("Labels that its words come from", "share", 1.0, rows)


def _largest(names: list[str], values: Any) -> list[tuple[str, float]]:
    """The largest values first; if there are many, a few of the smallest as well."""
    order = [i for i in np.argsort(-values, kind="stable").tolist() if values[i] != 0]
    if len(order) > _BARS and values[order[-1]] < 0:
        order = [*order[: _BARS - _SMALLEST_BARS], *order[-_SMALLEST_BARS:]]
    return [(names[i], float(values[i])) for i in order[:_BARS]]
