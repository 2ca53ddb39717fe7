"""Text exports: topics and documents as CSV and JSON, and the text files of MALLET."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...corpus.corpus import Corpus
from ...errors import InputError
from .base import (
    FittedModel,
    Target,
    document_ids,
    open_text,
    require_corpus,
    top_word_ids,
    topic_names,
    topic_rows,
    topic_weights,
)


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


def mallet_topic_keys(model: FittedModel, target: Target, *, n_words: int = 20) -> None:
    """Write topic, alpha and most frequent words, as ``--output-topic-keys`` does."""
    words = _without_blanks(model.vocabulary_)
    counts = model.topic_word_counts_.tocsr()
    with open_text(target) as file:
        for topic, alpha in enumerate(np.asarray(model.alpha_).tolist()):
            start, end = counts.indptr[topic], counts.indptr[topic + 1]
            top = _most_frequent(counts.indices[start:end], counts.data[start:end])[:n_words]
            file.write(f"{topic}\t{_short(alpha)}\t{''.join(words[word] + ' ' for word, _ in top)}\n")


def mallet_doc_topics(model: FittedModel, target: Target) -> None:
    """Write row number, name and share of each topic, separated by tabs, as ``--output-doc-topics`` does."""
    ids = document_ids(model)
    names = None if ids is None else _without_blanks(ids)
    with open_text(target) as file:
        for row, shares in enumerate(model.doc_topic_):
            name = "no-name" if names is None else names[row]
            file.write("\t".join([str(row), name, *map(repr, shares.tolist())]) + "\n")


def mallet_word_topic_counts(model: FittedModel, target: Target) -> None:
    """Write word id, word and ``topic:count``, the highest count first, as ``--word-topic-counts-file`` does."""
    counts = model.topic_word_counts_.tocsc()
    with open_text(target) as file:
        for word, text in enumerate(_without_blanks(model.vocabulary_)):
            start, end = counts.indptr[word], counts.indptr[word + 1]
            topics = _most_frequent(counts.indices[start:end], counts.data[start:end])
            file.write(" ".join([str(word), text, *(f"{topic}:{count}" for topic, count in topics)]) + "\n")


def mallet_state(model: FittedModel, target: Target) -> None:
    """Write the topic of every token, with alpha and beta at the top, as ``--output-state`` does, compressed by gzip.

    MALLET has one beta for all words: if the model has one for each, their mean is written. A text file object gets the
    same text uncompressed.
    """
    corpus = require_corpus(model, "MALLET's state")
    topics = np.asarray(model.assignments_)
    if len(topics) != corpus.n_tokens:
        message = f"assignments must have one topic per token: got {len(topics)}, expected {corpus.n_tokens}"
        raise InputError(message, parameter="model", got=len(topics))
    with open_text(target, gzipped=True) as file:
        file.write("#doc source pos typeindex type topic\n")
        file.write(f"#alpha : {''.join(f'{alpha!r} ' for alpha in np.asarray(model.alpha_).tolist())}\n")
        file.write(f"#beta : {float(np.mean(model.beta_))!r}\n")
        file.writelines(_state_lines(corpus, topics))


def _state_lines(corpus: Corpus, topics: np.ndarray) -> Iterator[str]:
    words = _without_blanks(corpus.vocabulary)
    sources = None if corpus.ids is None else _without_blanks(corpus.ids)
    offsets = corpus.offsets.tolist()
    for doc, start in enumerate(offsets[:-1]):
        source = "NA" if sources is None else sources[doc]
        tokens = corpus.tokens[start : offsets[doc + 1]].tolist()
        for position, (word, topic) in enumerate(zip(tokens, topics[start : offsets[doc + 1]].tolist())):
            yield f"{doc} {source} {position} {word} {words[word]} {topic}\n"


def _most_frequent(ids: np.ndarray, counts: np.ndarray) -> list[tuple[int, int]]:
    """Pairs of id and count, the highest count first, without zeros; ties by the higher id, as in MALLET."""
    order = np.lexsort((ids, counts))[::-1]
    return [(i, count) for i, count in zip(ids[order].tolist(), counts[order].tolist()) if count > 0]


def _without_blanks(texts: object) -> list[str]:
    return [re.sub(r"\s+", "_", str(text)) or "_" for text in texts]  # type: ignore[attr-defined]


def _short(number: float) -> str:
    """Number with at most five digits after the point, as MALLET writes alpha."""
    return f"{number:.5f}".rstrip("0").rstrip(".")
