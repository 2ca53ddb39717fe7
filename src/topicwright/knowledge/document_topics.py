"""Topics of documents: a soft preference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.signatures import suggest_keywords
from ..corpus import Corpus
from ..errors import InputError
from .advice import document_topic_advice, find_better_topics
from .base import Knowledge, KnowledgePart, TopicName, TopicNumbers, register_knowledge
from .evaluation import EvaluationContext
from .factors import register_factor, scale_topic
from .io.nodes import Node, parse_document, parse_topic, parse_weight, plain_number, plain_value
from .lookup import HEAVIEST, check_weight, find_document, rows_of_ids, size_of
from .report import TOGETHER, ReportRow

_ONE = np.uint64(1)


class DocumentPull(NamedTuple):
    """Factor of documents with topics: the topics of each document, and their multiplier."""

    start: NDArray[np.uint64]
    topics: NDArray[np.uint32]
    weight: float


def apply_document_topics(factor: Any, context: Any, counts: Any, multipliers: Any) -> None:
    """g(k) is the weight for the document's topics, and 1 otherwise."""
    for j in range(factor.start[context.doc], factor.start[context.doc + _ONE]):
        scale_topic(multipliers, factor.topics[j], factor.weight)


register_factor(DocumentPull, apply_document_topics)


@register_knowledge("document-topics")
class DocumentTopics(Knowledge):
    """Documents that are about a topic: their words prefer it, and may still have others.

    This is softer than :class:`DocumentLabels`, which allows a labeled document no other topic: common words can stay
    in their own topics.

    Parameters
    ----------
    topics : mapping
        Topic of each document, or a list of topics: ``{"d1": "hockey", 7: [3, 4]}``. Documents are ids or rows, topics
        names or numbers.
    weight : float
        Factor by which these topics are more likely, for every word of the document.

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
        self.topics = topics
        self.weight = weight

    def __repr__(self) -> str:
        return f"DocumentTopics({size_of(self.topics)})"

    def pairs(self) -> list[tuple[Any, TopicName]]:
        """Documents and topics, as they were given."""
        if not isinstance(self.topics, Mapping):
            raise InputError(parameter="topics", expected="a mapping of documents to topics", got=type(self.topics))
        return [
            (document, topic)
            for document, own in self.topics.items()
            for topic in (own if isinstance(own, (list, tuple)) else [own])
        ]

    def topic_names(self, corpus: Corpus) -> Iterable[TopicName]:
        """Topics of the documents."""
        return [topic for _, topic in self.pairs()]

    def numbered_pairs(self, corpus: Corpus, topics: TopicNumbers) -> list[tuple[int, int]]:
        """Distinct pairs of a row and a topic number, sorted."""
        rows = rows_of_ids(corpus)
        return sorted(
            {(find_document(corpus, document, rows), topics.number(topic)) for document, topic in self.pairs()}
        )

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """Factor that multiplies the document's topics by the weight."""
        weight = check_weight(self.weight)
        pairs = np.array(self.numbered_pairs(corpus, topics), dtype=np.int64).reshape(-1, 2)
        if not len(pairs):
            return KnowledgePart()
        start = np.searchsorted(pairs[:, 0], np.arange(corpus.n_docs + 1)).astype(np.uint64)
        return KnowledgePart(factor=DocumentPull(start, pairs[:, 1].astype(np.uint32), weight))

    def evaluate(self, context: EvaluationContext) -> Iterator[ReportRow]:
        """Share of each document's tokens in its topics; a document holds from 0.5 on."""
        topics_of_row: dict[int, list[int]] = {}
        for row, topic in self.numbered_pairs(context.corpus, context.knowledge.topics):
            topics_of_row.setdefault(row, []).append(topic)
        better = find_better_topics(topics_of_row, (), context)
        titles, names = context.corpus.ids or range(context.corpus.n_docs), context.knowledge.topics.names()
        for row, own in topics_of_row.items():
            counts = context.counts.doc_topics[[row], :].toarray().ravel()
            total = int(counts.sum())
            share = float(counts[own].sum() / total) if total else float("nan")
            what = f"{titles[row]} → {', '.join(names[topic] for topic in own)}"
            top_topics = context.top_topics(np.arange(len(counts)), counts / max(total, 1))
            advice = document_topic_advice(share, better.get(row), names)
            yield ReportRow(str(self.key), what, None, share, share >= TOGETHER if total else None, top_topics, advice)

    def to_dict(self) -> dict[str, Any]:
        """Weight and pairs of a document and a topic."""
        rows = [{"document": plain_value(document), "topic": plain_value(topic)} for document, topic in self.pairs()]
        return {"weight": plain_number(self.weight), "topics": rows}

    @classmethod
    def from_dict(cls, node: Node) -> DocumentTopics:
        """Topics of documents from a mapping with topics and weight."""
        fields = node.fields(("topics", "weight"), ("topics",))
        options = {"weight": parse_weight(fields["weight"], HEAVIEST)} if "weight" in fields else {}
        topics: dict[str | int, list[str | int]] = {}
        for document, topic in _document_pairs(fields["topics"]):
            topics.setdefault(parse_document(document), []).append(parse_topic(topic, is_key=False))
        return cls({document: own[0] if len(own) == 1 else own for document, own in topics.items()}, **options)


def _document_pairs(node: Node) -> list[tuple[Node, Node]]:
    if not node.is_list:
        return node.items("a mapping of documents to topics")
    rows = [row.fields(("document", "topic"), ("document", "topic")) for row in node.entries()]
    return [(row["document"], row["topic"]) for row in rows]
