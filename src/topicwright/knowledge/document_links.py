"""Links between documents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.count_rows import entry_at, row_bounds
from .._utils.signatures import suggest_keywords
from ..corpus import Corpus
from ..errors import InputError
from .base import Knowledge, KnowledgePart, TopicNumbers, register_knowledge
from .evaluation import EvaluationContext, evaluate_document_links
from .factors import register_factor, scale_topic
from .io.nodes import Node, parse_document, plain_value
from .links import both_directions, check_strength, share_ratio, strength_from_dict, strength_to_dict
from .lookup import check_iterable, find_document, materialize, rows_of_ids, size_of
from .priors import share_counts
from .report import ReportRow

_ONE = np.uint64(1)


class Neighbors(NamedTuple):
    """Factor of linked documents: the neighbors of each document, and the count λ from which each has an effect."""

    start: NDArray[np.uint64]
    neighbors: NDArray[np.uint32]
    floor: NDArray[np.float64]  # λ


def apply_document_links(factor: Any, context: Any, counts: Any, multipliers: Any) -> None:
    """g(k) = Π_e max(λ_e, n_ek) / λ_e over the neighbors e: eq. 7 with counts of documents."""
    for link in range(factor.start[context.doc], factor.start[context.doc + _ONE]):
        floor = factor.floor[link]
        j, end = row_bounds(counts.docs, factor.neighbors[link])
        while j < end:
            topic, count = entry_at(counts.docs, j)
            if count > floor:
                scale_topic(multipliers, topic, count / floor)
            j += _ONE


register_factor(Neighbors, apply_document_links)


@register_knowledge("document-links")
class DocumentLinks(Knowledge):
    """Documents that belong together, such as a paper and those that it cites: each draws the other to its topics.

    Parameters
    ----------
    edges : iterable of pairs, optional
        Pairs of documents, each an id or a row. By default the links of the corpus.
    strength : float
        λ, as for :class:`MustLinks`, with the topic counts of the linked document.
    firmness : float or None
        As for :class:`MustLinks`. SC-LDA's own potential (None) is harsh: several neighbors drive a document into one
        topic.

    Examples
    --------
    >>> import topicwright as tw
    >>> texts = ["ship sails", "boat drifts", "bread bakes", "loaf rises"] * 10
    >>> lda = tw.LDA(n_topics=2, knowledge=[tw.DocumentLinks([(0, 1), (2, 3)])], n_sweeps=20).fit(texts)
    """

    @suggest_keywords()
    def __init__(self, edges: Any = None, strength: float = 1.0, *, firmness: float | None = 0.5) -> None:
        self.edges = materialize(edges)
        self.strength = strength
        self.firmness = firmness

    def __repr__(self) -> str:
        return f"DocumentLinks({'of the corpus' if self.edges is None else size_of(self.edges)})"

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """Shared counts of linked documents, or the factor of SC-LDA."""
        strength = check_strength(self.strength, self.firmness)
        pairs = self.pairs(corpus)
        if not len(pairs) or self.firmness == 0:
            return KnowledgePart()
        if self.firmness is not None:
            ratios = np.full(len(pairs), share_ratio(strength, self.firmness))
            shared = share_counts(pairs, ratios, corpus.doc_lengths())
            return KnowledgePart(shared_document_counts=shared, reads="documents")
        floors = np.full(pairs.shape, strength)
        return KnowledgePart(factor=Neighbors(*both_directions(pairs, floors, corpus.n_docs)), reads="documents")

    def pairs(self, corpus: Corpus) -> NDArray[np.int64]:
        """Distinct pairs of rows, without links of a document to itself."""
        if self.edges is None:
            if corpus.links is None:
                raise InputError(
                    "DocumentLinks() needs links: list them, or use a corpus that has links", parameter="edges"
                )
            rows = corpus.links
        else:
            row_of_id = rows_of_ids(corpus)
            edges = check_iterable("edges", self.edges, "a list of pairs of documents")
            rows = np.array([_find_edge(corpus, edge, row_of_id) for edge in edges], dtype=np.int64).reshape(-1, 2)
        rows = np.unique(np.sort(rows, axis=1), axis=0)
        return np.asarray(rows[rows[:, 0] != rows[:, 1]])

    def for_new_documents(self, corpus: Corpus) -> DocumentLinks | None:
        """The links of the corpus, if the new one has links too."""
        return self if self.edges is None and corpus.links is not None else None

    def evaluate(self, context: EvaluationContext) -> Iterator[ReportRow]:
        """Overlap of the topics of each pair."""
        return evaluate_document_links(str(self.key), self.pairs(context.corpus), self.firmness, context)

    def to_dict(self) -> dict[str, Any]:
        """Strength, firmness and links; ``True`` for the links of the corpus."""
        links = True if self.edges is None else [list(map(plain_value, edge)) for edge in self.edges]
        return {**strength_to_dict(self.strength, self.firmness), "links": links}

    @classmethod
    def from_dict(cls, node: Node) -> DocumentLinks | None:
        """Links from a boolean, a list of pairs, or a mapping with links, strength and firmness."""
        if node.boolean_or_none() is not None:
            return cls() if node.boolean() else None
        if node.is_empty:
            node.fail_expected("true, a list of pairs of documents, or a mapping with links, strength and firmness")
        fields = node.fields(("links", "strength", "firmness")) if node.is_mapping else {"links": node}
        links = fields.pop("links", None)
        edges = None if links is None or links.boolean_or_none() else _edges_from_dict(links)
        return cls(edges, **strength_from_dict(fields))


def _find_edge(corpus: Corpus, edge: Any, row_of_id: dict[str, int]) -> tuple[int, int]:
    try:
        one, other = edge
    except (TypeError, ValueError):
        raise InputError(f"a link must be a pair of documents: got {edge!r}", parameter="edges", got=edge) from None
    return find_document(corpus, one, row_of_id), find_document(corpus, other, row_of_id)


def _edges_from_dict(node: Node) -> list[tuple[str | int, ...]]:
    edges = []
    for edge in node.entries("true, or a list of pairs of documents"):
        ends = edge.entries() if edge.is_list else []
        if len(ends) != 2:
            edge.fail_expected("a pair of documents, such as [d1, d2]")
        edges.append(tuple(map(parse_document, ends)))
    return edges
