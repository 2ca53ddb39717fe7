"""Documents that belong together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.count_rows import entry_at, row_bounds
from .._utils.signatures import suggest_keywords
from ..corpus import Corpus
from ..errors import InputError
from .base import (
    both_ways,
    check_strength,
    find_document,
    materialize,
    require_iterable,
    rows_of_ids,
    share_ratio,
    size_of,
)
from .compiler import KnowledgePart, TopicName, TopicNumbers
from .evaluation import EvaluationContext, evaluate_document_links
from .factors import register_factor, scale_topic
from .priors import share_counts
from .report import Row

_ONE = np.uint64(1)


class Neighbors(NamedTuple):
    """For each document those that it is linked to, and the count from which each of them pulls."""

    start: NDArray[np.uint64]
    neighbors: NDArray[np.uint32]
    floor: NDArray[np.float64]  # λ


def apply_document_links(factor: Any, place: Any, counts: Any, touched: Any) -> None:
    """g(k) = Π_e max(λ_e, n_ek) / λ_e over the neighbours e: eq. 7 with counts of documents."""
    for link in range(factor.start[place.doc], factor.start[place.doc + _ONE]):
        floor = factor.floor[link]
        j, end = row_bounds(counts.docs, factor.neighbors[link])
        while j < end:
            topic, count = entry_at(counts.docs, j)
            if count > floor:
                scale_topic(touched, topic, count / floor)
            j += _ONE


register_factor(Neighbors, apply_document_links)


class DocumentLinks:
    """Documents that belong together, such as a paper and those that it cites: each draws the other to its topics.

    Parameters
    ----------
    edges
        Pairs of documents, each an id or a row. None: the corpus's own links.
    strength, firmness
        As for :class:`MustLinks`, with the counts of topics in the linked document. SC-LDA's own potential (None) is
        harsh: several neighbours drive a document into one topic.

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

    def topics(self, corpus: Corpus) -> Iterable[TopicName]:
        """Links speak of no topic."""
        return ()

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """Loans from document to document, or the paper's potential."""
        strength = check_strength(self.strength, self.firmness)
        pairs = self.pairs(corpus)
        if not len(pairs) or self.firmness == 0:
            return KnowledgePart()
        if self.firmness is not None:
            ratios = np.full(len(pairs), share_ratio(strength, self.firmness))
            return KnowledgePart(
                shared_document_counts=share_counts(pairs, ratios, corpus.doc_lengths()), reads="documents"
            )
        floors = np.full(pairs.shape, strength)
        return KnowledgePart(factor=Neighbors(*both_ways(pairs, floors, corpus.n_docs)), reads="documents")

    def judge(self, case: EvaluationContext) -> Iterator[Row]:
        """Of each pair how much the topics of its documents overlap."""
        return evaluate_document_links(self.pairs(case.corpus), case)

    def pairs(self, corpus: Corpus) -> NDArray[np.int64]:
        """The pairs as rows, each once; a document that is linked to itself is left out."""
        if self.edges is None:
            if corpus.links is None:
                raise InputError("DocumentLinks() needs links: give them here, or with the corpus")
            rows = corpus.links
        else:
            by_id = rows_of_ids(corpus)
            edges = require_iterable(self.edges, "links must be a list of pairs of documents")
            rows = np.array([_edge(corpus, edge, by_id) for edge in edges], dtype=np.int64).reshape(-1, 2)
        rows = np.unique(np.sort(rows, axis=1), axis=0)
        return np.asarray(rows[rows[:, 0] != rows[:, 1]])


def _edge(corpus: Corpus, edge: Any, by_id: dict[str, int]) -> tuple[int, int]:
    try:
        one, other = edge
    except (TypeError, ValueError):
        raise InputError(f"a link must be a pair of documents: got {edge!r}") from None
    return find_document(corpus, one, by_id), find_document(corpus, other, by_id)
