"""Documents that are about a topic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.signatures import suggest_keywords
from ..corpus import Corpus
from ..errors import InputError
from .base import check_weight, find_document, rows_of_ids, size_of
from .compiler import KnowledgePart, TopicName, TopicNumbers
from .evaluation import EvaluationContext
from .factors import register_factor, scale_topic
from .report import TOGETHER, Row

_ONE = np.uint64(1)


class DocumentPull(NamedTuple):
    """For each document the topics that its words are drawn to, and how much."""

    start: NDArray[np.uint64]
    topics: NDArray[np.uint32]
    weight: float


def apply_document_topics(factor: Any, place: Any, counts: Any, touched: Any) -> None:
    """g(k) is the weight on the document's topics, and 1 elsewhere."""
    for j in range(factor.start[place.doc], factor.start[place.doc + _ONE]):
        scale_topic(touched, factor.topics[j], factor.weight)


register_factor(DocumentPull, apply_document_topics)


class DocumentTopics:
    """Documents that are about a topic: their words are drawn to it, and may still be of others.

    That is softer than :class:`DocumentLabels`, where a labelled document has no other topic: words that every
    document has stay where they are, and do not spoil the topic.

    Parameters
    ----------
    topics
        The topic of some documents, or a list of topics: ``{"d1": "hockey", 7: [3, 4]}``. Documents are ids or rows,
        topics names or numbers.
    weight
        How many times more likely those topics are, for every word of the document.

    Examples
    --------
    >>> import topicwright as tw
    >>> texts = ["ship sails", "boat sails", "bread bakes", "loaf bakes"] * 10
    >>> lda = tw.LDA(n_topics=2, knowledge=[tw.DocumentTopics({0: "sea"})], n_sweeps=20).fit(texts)
    >>> lda.topic_names_
    ['sea', '1']
    """

    @suggest_keywords()
    def __init__(self, topics: Mapping[Any, Any], weight: float = 20.0) -> None:
        self.about = topics
        self.weight = weight

    def __repr__(self) -> str:
        return f"DocumentTopics({size_of(self.about)})"

    def pairs(self) -> list[tuple[Any, TopicName]]:
        """Documents and topics, as they were given."""
        if not isinstance(self.about, Mapping):
            raise InputError(f"topics must be a mapping of documents to topics: got {type(self.about).__name__}")
        return [
            (document, topic)
            for document, own in self.about.items()
            for topic in (own if isinstance(own, (list, tuple)) else [own])
        ]

    def topics(self, corpus: Corpus) -> Iterable[TopicName]:
        """The topics that documents are about."""
        return [topic for _, topic in self.pairs()]

    def of(self, corpus: Corpus, topics: TopicNumbers) -> list[tuple[int, int]]:
        """Rows of documents and numbers of topics, each pair once, by row."""
        rows = rows_of_ids(corpus)
        return sorted(
            {(find_document(corpus, document, rows), topics.number(topic)) for document, topic in self.pairs()}
        )

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """A factor that is the weight on the document's topics."""
        weight = check_weight(self.weight)
        pairs = np.array(self.of(corpus, topics), dtype=np.int64).reshape(-1, 2)
        if not len(pairs):
            return KnowledgePart()
        start = np.searchsorted(pairs[:, 0], np.arange(corpus.n_docs + 1)).astype(np.uint64)
        return KnowledgePart(factor=DocumentPull(start, pairs[:, 1].astype(np.uint32), weight))

    def judge(self, case: EvaluationContext) -> Iterator[Row]:
        """Of each document the share of its tokens in its topics; it holds from 0.5 on."""
        topics_of: dict[int, list[int]] = {}
        for row, topic in self.of(case.corpus, case.known.topics):
            topics_of.setdefault(row, []).append(topic)
        titles, names = case.corpus.ids or range(case.corpus.n_docs), case.known.topics.names()
        for row, own in topics_of.items():
            counts = case.now.doc_topics[[row], :].toarray().ravel()
            total = int(counts.sum())
            share = float(counts[own].sum() / total) if total else float("nan")
            what = f"{titles[row]} → {', '.join(names[topic] for topic in own)}"
            carriers = case.carriers(np.arange(len(counts)), counts / max(total, 1))
            yield Row("document-topics", what, None, share, share >= TOGETHER if total else None, carriers)
