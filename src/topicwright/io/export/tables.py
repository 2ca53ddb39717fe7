"""Tables of topics and documents as CSV and JSON."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from typing import Any

from .base import FittedModel, Target, document_ids, open_text, top_word_ids, topic_names, topic_rows, topic_weights


def topics_to_csv(model: FittedModel, target: Target, *, n_words: int | None = 20) -> None:
    """Write one row for each of the most probable words of each topic: topic, (name,) weight, rank, word, probability.

    ``weight`` is the share of the topic of all tokens; ``n_words=None`` writes all words. There is a column ``name`` if
    the model names its topics.
    """
    named = topic_names(model) is not None
    with open_text(target) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["topic", *(["name"] if named else []), "weight", "rank", "word", "probability"])
        for topic in topic_entries(model, n_words):
            start = [topic["topic"], *([topic["name"]] if named else []), topic["weight"]]
            for rank, entry in enumerate(topic["words"], start=1):
                writer.writerow([*start, rank, entry["word"], entry["probability"]])


def topics_to_json(model: FittedModel, target: Target, *, n_words: int | None = 20) -> None:
    """Write a list of topics: ``{"topic": 0, "weight": 0.2, "words": [{"word": "red", "probability": 0.1}]}``."""
    with open_text(target) as file:
        for index, topic in enumerate(topic_entries(model, n_words)):
            file.write("[\n" if index == 0 else ",\n")
            file.write(json.dumps(topic, ensure_ascii=False))
        file.write("\n]\n")


def doc_topics_to_csv(model: FittedModel, target: Target) -> None:
    """Write one row for each document: its id or row number, and the share of each topic."""
    ids, doc_topics = document_ids(model), model.doc_topic_
    columns = topic_names(model) or [f"topic_{topic}" for topic in range(model.n_topics)]
    with open_text(target) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["document", *columns])
        for row, shares in enumerate(doc_topics):
            writer.writerow([row if ids is None else ids[row], *shares.tolist()])


def topic_entries(
    model: FittedModel, n_words: int | None, topics: Sequence[int] | None = None
) -> Iterator[dict[str, Any]]:
    """Topics, or some of them, with their most probable words, as JSON values."""
    vocabulary, names, weights = model.vocabulary_, topic_names(model), topic_weights(model)
    numbers = range(len(weights)) if topics is None else topics
    for topic, probabilities in zip(numbers, topic_rows(model, numbers)):
        words = top_word_ids(probabilities, n_words)
        yield {
            "topic": topic,
            **({} if names is None else {"name": names[topic]}),
            "weight": weights[topic],
            "words": [{"word": str(vocabulary[word]), "probability": float(probabilities[word])} for word in words],
        }
