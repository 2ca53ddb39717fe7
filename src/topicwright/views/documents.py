"""The documents of a topic, and the passage of each that has most of it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..corpus import Corpus
from ..errors import InputError
from ..models.parameters import whole_number
from .checks import checked_topic, has_documents


class MarkedWord(NamedTuple):
    """A word of a document, and whether its token is one of the topic's."""

    word: str
    is_of_topic: bool


class TopicDocument(NamedTuple):
    """A document of a topic: its row, what it is called, the topic's share of it, its labels, and a passage.

    The passage has the words that the corpus keeps, in the order in which it keeps them.
    """

    row: int
    name: str | None
    share: float
    labels: tuple[str, ...]
    passage: tuple[MarkedWord, ...]
    starts: bool  # whether the passage is the document's beginning
    ends: bool  # and whether it reaches its end


def documents_of(model: Any, topic: int | str, n: int = 5, length: int = 40) -> list[TopicDocument]:
    """The documents with the largest share θ_dk of a topic, and of each the ``length`` words in a row with most of it.

    >>> import topicwright as tw
    >>> labels = [["sea"], ["kitchen"], ["sea", "kitchen"]] * 5
    >>> model = tw.LabeledLDA(n_sweeps=20).fit(["ship sea", "bread oven", "ship sea bread oven"] * 5, labels)
    >>> [word.word for word in documents_of(model, 1, n=1)[0].passage]
    ['ship', 'sea']
    """
    topic = checked_topic(model, topic)
    whole_number("n", n, 1)
    whole_number("length", length, 1)
    if not has_documents(model):
        raise InputError("documents_of needs the training documents, and this model does not keep them")
    rows, shares = _largest_shares(model, topic, n)
    return [_document(model, topic, row, share, length) for row, share in zip(rows, shares)]


def _largest_shares(model: Any, topic: int, n: int) -> tuple[list[int], list[float]]:
    column = model.doc_topic_counts_[:, [topic]].tocoo()
    rows, counts = column.row[column.data > 0], column.data[column.data > 0]
    lengths = np.diff(model.corpus_.offsets)[rows]
    shares = (counts + model.alpha_[topic]) / (lengths + np.sum(model.alpha_))
    best = np.lexsort((rows, -shares))[:n]
    return rows[best].tolist(), shares[best].tolist()


def _document(model: Any, topic: int, row: int, share: float, length: int) -> TopicDocument:
    corpus = model.corpus_
    first, last = int(corpus.offsets[row]), int(corpus.offsets[row + 1])
    is_own = model.assignments_[first:last] == topic
    start = _densest(is_own, length)
    words = corpus.vocabulary[corpus.tokens[first:last][start : start + length]]
    passage = tuple(MarkedWord(str(word), bool(own)) for word, own in zip(words, is_own[start:]))
    name, labels, _ = known_of(corpus, row)
    return TopicDocument(row, name, share, labels, passage, start == 0, start + length >= last - first)


def known_of(corpus: Corpus, row: int) -> tuple[str | None, tuple[str, ...], str | None]:
    """The name, the labels and the date of a document, as far as it has them."""
    name = None if corpus.ids is None else corpus.ids[row]
    date = None if corpus.dates is None or np.isnat(corpus.dates[row]) else str(corpus.dates[row])
    return name, () if corpus.labels is None else corpus.labels[row], date


def _densest(is_own: NDArray[np.bool_], length: int) -> int:
    """Where the window begins that has most words of the topic; the first of such."""
    if len(is_own) <= length:
        return 0
    before = np.concatenate([[0], np.cumsum(is_own)])
    return int(np.argmax(before[length:] - before[:-length]))
