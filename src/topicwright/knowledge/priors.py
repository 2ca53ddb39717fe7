"""Additions to the priors of words in topics and of topics in documents.

They are pseudo-counts: of known topics, of seed words, and those that linked words or documents share.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# Most pseudo-tokens that seeds add to the prior of a document: per token of the document, and at least
MOST_PULL, LEAST_BOUND = 0.5, 20.0


class WordPrior(NamedTuple):
    """Addition ``extra`` to the prior of a word in a topic."""

    word: int
    topic: int
    extra: float


class WordPriors(NamedTuple):
    """Additions to the prior by word: those of word w are at ``start[w]`` up to ``start[w + 1]``."""

    start: NDArray[np.uint64]
    topics: NDArray[np.uint32]
    extra: NDArray[np.float64]


class SeedTopic(NamedTuple):
    """Topic that a word is a seed of, with the weight of the seed and its pull on documents."""

    word: int
    topic: int
    weight: float
    pull: float


class SeedTopics(NamedTuple):
    """Topics of seed words: those of word w are at ``start[w]`` up to ``start[w + 1]``."""

    start: NDArray[np.uint64]
    topics: NDArray[np.uint32]
    weight: NDArray[np.float64]


class DocumentPriors(NamedTuple):
    """Additions to the prior of topics by document: those of document d are at ``start[d]`` up to ``start[d + 1]``."""

    start: NDArray[np.uint64]
    topics: NDArray[np.uint32]
    extra: NDArray[np.float64]


class SharedCount(NamedTuple):
    """Counts that a word shares with a linked word, or a document with a linked document.

    Every token of ``source`` in a topic counts as ``share`` tokens of ``target`` there.
    """

    target: int
    source: int
    share: float


class SharedCounts(NamedTuple):
    """Shared counts by target: those of word w are at ``start[w]`` up to ``start[w + 1]``."""

    start: NDArray[np.uint64]
    sources: NDArray[np.uint32]
    share: NDArray[np.float64]


def gather_shared_counts(shared: Sequence[SharedCount], n_targets: int) -> SharedCounts | None:
    """Shared counts sorted by target; None if there are none."""
    if not shared:
        return None
    targets, sources, share = (np.array(column) for column in zip(*sorted(shared)))
    start = np.searchsorted(targets, np.arange(n_targets + 1)).astype(np.uint64)
    return SharedCounts(start, sources.astype(np.uint32), share.astype(np.float64))


def share_counts(pairs: NDArray[np.int64], ratios: Any, sizes: NDArray[np.int64]) -> list[SharedCount]:
    """Counts shared both ways between the two of each pair: ratio × the target's size, in the source's proportions.

    ``ratios`` has one entry for each pair, or one for each of the two as a target.
    """
    counts = np.maximum(sizes, 1).astype(np.float64)
    both = np.broadcast_to(ratios if np.ndim(ratios) == 2 else np.reshape(ratios, (-1, 1)), (len(pairs), 2))
    return [
        SharedCount(target, source, float(ratio * counts[target] / counts[source]))
        for (a, b), (to_a, to_b) in zip(pairs.tolist(), both.tolist())
        for target, source, ratio in ((a, b, to_a), (b, a, to_b))
    ]


def gather_word_priors(priors: Sequence[WordPrior], n_words: int) -> WordPriors | None:
    """Additions sorted by word, with the sum of those for the same word and topic; None if there are none."""
    return WordPriors(*_sum_by_word(priors, n_words)) if priors else None


def gather_seeds(seeds: Sequence[tuple[int, int, float]], n_words: int) -> SeedTopics | None:
    """Seeds sorted by word, with the sum of the weights for the same word and topic; None if there are none."""
    return SeedTopics(*_sum_by_word(seeds, n_words)) if seeds else None


def _sum_by_word(
    entries: Sequence[tuple[int, int, float]], n_words: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.float64]]:
    total: dict[tuple[int, int], float] = {}
    for word, topic, value in entries:
        total[word, topic] = total.get((word, topic), 0.0) + value
    pairs = sorted(total)
    words = np.array([word for word, _ in pairs], dtype=np.int64)
    start = np.searchsorted(words, np.arange(n_words + 1)).astype(np.uint64)
    topics = np.array([topic for _, topic in pairs], dtype=np.uint32)
    return start, topics, np.array([total[pair] for pair in pairs])


def document_priors(
    pulls: SeedTopics, tokens: NDArray[Any], offsets: NDArray[np.int64], n_topics: int
) -> DocumentPriors:
    """Prior of the seeded topics in each document: the sum of the pulls of its seed words, scaled to a bounded total.

    Without the bound, seeds of a large weight would decide documents in which they are used in passing.
    """
    from scipy.sparse import coo_array

    counts = np.diff(pulls.start.astype(np.int64))
    positions = np.flatnonzero(counts[tokens])
    words = tokens[positions]
    docs = np.repeat(np.searchsorted(offsets, positions, side="right") - 1, counts[words])
    first = np.repeat(pulls.start.astype(np.int64)[words], counts[words])
    nth = np.arange(len(first)) - np.repeat(np.cumsum(counts[words]) - counts[words], counts[words])
    topics, pull = pulls.topics[first + nth].astype(np.int64), pulls.weight[first + nth]
    most = np.maximum(MOST_PULL * np.diff(offsets), LEAST_BOUND)
    total = np.bincount(docs, weights=pull, minlength=len(most))
    pull = pull * np.minimum(1.0, most[docs] / np.maximum(total[docs], most[docs]))
    matrix = coo_array((pull, (docs, topics)), shape=(len(most), n_topics)).tocsr()
    return DocumentPriors(matrix.indptr.astype(np.uint64), matrix.indices.astype(np.uint32), matrix.data)


def add_document_priors(priors: DocumentPriors | None, added: Any) -> DocumentPriors:
    """Priors of topics in documents, and those in a scipy CSR array of shape (n_docs, n_topics)."""
    from scipy.sparse import csr_array

    total = added
    if priors is not None:
        entries = (priors.extra, priors.topics.astype(np.int64), priors.start.astype(np.int64))
        total = added + csr_array(entries, shape=added.shape)
    total.sort_indices()
    return DocumentPriors(total.indptr.astype(np.uint64), total.indices.astype(np.uint32), total.data)


def word_priors_to_csr(priors: WordPriors, n_topics: int) -> Any:
    """Additions to the prior as a scipy CSR array of shape (n_topics, n_words)."""
    from scipy.sparse import csr_array

    start = priors.start.astype(np.int64)
    by_word = csr_array((priors.extra, priors.topics.astype(np.int64), start), shape=(len(start) - 1, n_topics))
    return by_word.T.tocsr()
