"""Additions to the priors: pseudo-counts of seed words, and pseudo-counts that linked words or documents share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class SeedPrior(NamedTuple):
    """Addition ``extra`` to the prior of a word in a topic."""

    word: int
    topic: int
    extra: float


class SeedPriors(NamedTuple):
    """Additions to the prior by word: those of word w are at ``start[w]`` up to ``start[w + 1]``."""

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
    """Counts shared both ways between the two of each pair: ratio × the target's size, in the source's proportions."""
    counts = np.maximum(sizes, 1).astype(np.float64)
    return [
        SharedCount(target, source, float(ratio * counts[target] / counts[source]))
        for (a, b), ratio in zip(pairs.tolist(), ratios)
        for target, source in ((a, b), (b, a))
    ]


def gather_seeds(seeds: Sequence[SeedPrior], n_words: int) -> SeedPriors | None:
    """Seeds sorted by word, with the sum of those for the same word and topic; None if there are none."""
    if not seeds:
        return None
    total: dict[tuple[int, int], float] = {}
    for word, topic, extra in seeds:
        total[word, topic] = total.get((word, topic), 0.0) + extra
    pairs = sorted(total)
    words = np.array([word for word, _ in pairs], dtype=np.int64)
    start = np.searchsorted(words, np.arange(n_words + 1)).astype(np.uint64)
    topics = np.array([topic for _, topic in pairs], dtype=np.uint32)
    return SeedPriors(start, topics, np.array([total[pair] for pair in pairs]))


def seeds_to_csr(seeds: SeedPriors, n_topics: int) -> Any:
    """Additions to the prior as a scipy CSR array of shape (n_topics, n_words)."""
    from scipy.sparse import csr_array

    start = seeds.start.astype(np.int64)
    by_word = csr_array((seeds.extra, seeds.topics.astype(np.int64), start), shape=(len(start) - 1, n_topics))
    return by_word.T.tocsr()
