"""Compiler: all knowledge of a model, in the form that the sampler reads.

Topics that knowledge refers to by name get numbers, words get ids, and contradictions are found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.deprecation import deprecation_warning
from .._utils.warnings import warn
from ..corpus import Corpus
from ..errors import ContradictionWarning, InputError
from .allowed_topics import AllowedTopics, combine_constraints
from .base import Knowledge, KnowledgePart, TopicName, TopicNumbers
from .factors import SeedFactor, is_of_words
from .priors import (
    DocumentPriors,
    SeedTopics,
    SharedCounts,
    WordPriors,
    add_document_priors,
    document_priors,
    gather_seeds,
    gather_shared_counts,
    gather_word_priors,
)

_MAX_LISTED = 5  # pairs of words in an error message


class CompiledKnowledge(NamedTuple):
    """All knowledge of a model, compiled for its corpus.

    Attributes
    ----------
    topics : TopicNumbers
        Numbers of the named topics.
    factors : tuple of NamedTuple
        Factors of the conditional (see :mod:`topicwright.knowledge.factors`).
    allowed_topics : AllowedTopics or None
        Topics that tokens may be assigned to.
    word_priors : WordPriors or None
        Additions to the prior of words in topics.
    seeds : SeedTopics or None
        Topics that words are soft seeds of. They are among the factors and the document priors too.
    document_priors : DocumentPriors or None
        Additions to the prior of topics in documents.
    shared_word_counts, shared_document_counts : SharedCounts or None
        Pseudo-counts that linked words or documents share.
    linked : array of shape (n, 2)
        Pairs of words of which one's counts are read when the other is drawn.
    reads : frozenset of str
        Counts that are read besides those of linked words: "words", "documents", "any".
    contradictions : tuple of str
        Messages about knowledge that cannot all hold.
    """

    topics: TopicNumbers
    factors: tuple[Any, ...] = ()
    allowed_topics: AllowedTopics | None = None
    word_priors: WordPriors | None = None
    seeds: SeedTopics | None = None
    document_priors: DocumentPriors | None = None
    shared_word_counts: SharedCounts | None = None
    shared_document_counts: SharedCounts | None = None
    linked: NDArray[np.int64] = np.empty((0, 2), np.int64)
    reads: frozenset[str] = frozenset()
    contradictions: tuple[str, ...] = ()

    @property
    def needs_one_block(self) -> bool:
        """Whether the sampler reads counts that another thread might be changing."""
        return bool(self.reads)

    @property
    def document_factors(self) -> tuple[Any, ...]:
        """Factors that apply to the documents of the corpus, and not to words wherever they occur."""
        return tuple(factor for factor in self.factors if not is_of_words(type(factor)))

    @property
    def all_linked(self) -> NDArray[np.int64]:
        """Linked pairs of words, those that share counts included."""
        shared = self.shared_word_counts
        if shared is None:
            return self.linked
        start = shared.start.astype(np.int64)
        targets = np.repeat(np.arange(len(start) - 1), start[1:] - start[:-1])
        return np.concatenate([self.linked, np.column_stack([targets, shared.sources.astype(np.int64)])])

    @property
    def document_pseudo_counts(self) -> tuple[SharedCounts, DocumentPriors] | None:
        """Pseudo-counts of documents: from linked documents, seeds and predicted labels; None if there are none."""
        shared, priors = self.shared_document_counts, self.document_priors
        given = shared if priors is None else priors
        if given is None:
            return None
        empty = (np.zeros_like(given.start), np.empty(0, np.uint32), np.empty(0, np.float64))
        return shared or SharedCounts(*empty), priors or DocumentPriors(*empty)

    def warn(self) -> None:
        """Warn about contradictions."""
        for message in self.contradictions:
            warn(message, ContradictionWarning)


def compile_knowledge(
    items: Iterable[Knowledge], corpus: Corpus, n_topics: int, numbered: Mapping[str, int] | None = None
) -> CompiledKnowledge:
    """Compile knowledge for a corpus.

    Parameters
    ----------
    items : iterable of Knowledge
        Knowledge of the model.
    corpus : Corpus
        Training corpus.
    n_topics : int
        Number of topics.
    numbered : mapping, optional
        Names of topics that have a number already, which they keep.
    """
    items = list(items)
    _check_items(items)
    numbered = dict(numbered or {})
    for item in items:
        numbered.update(getattr(item, "topic_numbers", {}))
    topics = TopicNumbers(n_topics, [topic for item in items for topic in topics_mentioned(item, corpus)], numbered)
    parts = [item.compile(corpus, topics) for item in items]
    constraints = [part.constraint for part in parts if part.constraint is not None]
    allowed_topics, conflicts = combine_constraints(constraints, n_topics)
    must_links = np.concatenate([KnowledgePart().must_links, *(part.must_links for part in parts)])
    cannot_links = np.concatenate([KnowledgePart().cannot_links, *(part.cannot_links for part in parts)])
    words = [shared for part in parts for shared in part.shared_word_counts]
    documents = [shared for part in parts for shared in part.shared_document_counts]
    given = [seed for part in parts for seed in part.seeds]
    seeds = gather_seeds([(seed.word, seed.topic, seed.weight) for seed in given], corpus.n_words)
    pulls = gather_seeds([(seed.word, seed.topic, seed.pull) for seed in given], corpus.n_words)
    priors = pulls and document_priors(pulls, corpus.tokens, corpus.offsets, n_topics)
    for part in parts:
        if part.document_priors is not None:
            priors = add_document_priors(priors, part.document_priors)
    factors = tuple(part.factor for part in parts if part.factor is not None)
    return CompiledKnowledge(
        topics=topics,
        factors=(*factors, SeedFactor(seeds.start, seeds.topics, 1.0 + seeds.weight)) if seeds else factors,
        allowed_topics=allowed_topics,
        word_priors=gather_word_priors([prior for part in parts for prior in part.word_priors], corpus.n_words),
        seeds=seeds,
        document_priors=priors,
        shared_word_counts=gather_shared_counts(words, corpus.n_words),
        shared_document_counts=gather_shared_counts(documents, corpus.n_docs),
        linked=np.concatenate([KnowledgePart().must_links, *(part.linked for part in parts)]),
        reads=frozenset(part.reads for part in parts) - {"own"},
        contradictions=(*conflicts, *_find_contradicting_links(must_links, cannot_links, corpus)),
    )


def topics_mentioned(item: Any, corpus: Corpus) -> list[TopicName]:
    """Topics that a knowledge item refers to; up to version 0.1 the method was called ``topics``."""
    if isinstance(item, type):
        return []  # a class instead of an object: compile_knowledge raises an error
    if callable(getattr(item, "topic_names", None)):
        return list(item.topic_names(corpus))
    if callable(getattr(item, "topics", None)):
        deprecation_warning(f"the method {type(item).__name__}.topics", "topic_names")
        return list(item.topics(corpus))
    return []


def _check_items(items: list[Any]) -> None:
    for item in items:
        if isinstance(item, type):
            raise InputError(
                parameter="knowledge",
                expected="a list of knowledge objects",
                got=item,
                hint=f"write {item.__name__}(…) instead of the class",
            )
        if not callable(getattr(item, "compile", None)):
            raise InputError(parameter="knowledge", expected="a list of MustLinks, SeedWords and so on", got=item)


def _find_contradicting_links(must: NDArray[np.int64], cannot: NDArray[np.int64], corpus: Corpus) -> list[str]:
    """Messages about cannot-links whose words must-links connect; an error if a pair is linked both ways."""
    if not len(must) or not len(cannot):
        return []
    words = corpus.vocabulary
    both = {tuple(sorted(pair)) for pair in must.tolist()} & {tuple(sorted(pair)) for pair in cannot.tolist()}
    if both:
        pairs = ", ".join(f"{words[a]} – {words[b]}" for a, b in sorted(both)[:_MAX_LISTED])
        raise InputError(f"a pair of words can't be both a must-link and a cannot-link: {pairs}")
    component = components(must, corpus.n_words)
    return [
        f"{words[a]} and {words[b]} are kept apart by a cannot-link, and joined by a chain of must-links"
        for a, b in cannot.tolist()
        if component[a] == component[b]
    ]


def components(pairs: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Connected component of each of n nodes that pairs connect."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(pairs), np.int8), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)
