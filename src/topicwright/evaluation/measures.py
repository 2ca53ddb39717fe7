"""Registry of coherence measures: UMass, UCI, NPMI and C_v.

The measures, and the names of their parts, are those of Röder, Both and Hinneburg, "Exploring the space of topic
coherence measures" (WSDM 2015); UMass is from Mimno et al. (EMNLP 2011), UCI from Newman et al. (NAACL 2010), NPMI from
Bouma (GSCL 2009). To add a measure, write its confirmation function and register it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._utils.numba import jit
from ..corpus.corpus import Corpus

Floats: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True)
class CoherenceMeasure:
    """One coherence measure.

    Parameters
    ----------
    name : str
        Name by which ``coherence`` knows the measure.
    confirm : callable
        ``(joint, n_windows, epsilon) -> values`` that are summed or averaged. ``joint[i, j]`` is the number of windows
        that hold both word i and word j of the topic, and ``joint[i, i]`` those that hold word i.
    window : int
        Default number of words in a window; 0 for whole documents.
    epsilon : float
        Default number that is added to the joint count or the joint probability.
    aggregate : {"sum", "mean"}
        Default aggregation of the values of one topic.
    needs_epsilon : bool
        Whether epsilon must be positive: without it a pair that never occurs together would have the value -inf.
    epsilon_below : float
        Upper bound of epsilon, which is 1 if it is added to a probability.
    """

    name: str
    confirm: Callable[[Floats, int, float], Floats]
    window: int
    epsilon: float
    aggregate: str
    needs_epsilon: bool = False
    epsilon_below: float = 1.0


MEASURES: dict[str, CoherenceMeasure] = {}
"""Registered measures by name."""


def register_measure(measure: CoherenceMeasure) -> None:
    """Add a coherence measure to the registry."""
    if measure.name in MEASURES:
        raise ValueError(f"a coherence measure must have a new name: {measure.name}")
    MEASURES[measure.name] = measure


def _umass(joint: Floats, n_windows: int, epsilon: float) -> Floats:
    before = np.triu_indices(len(joint), 1)  # (l, m) with l < m; the earlier word is the condition
    count = np.diag(joint)[before[0]]
    return np.log(np.where(count > 0, (joint[before] + epsilon) / count, epsilon / n_windows))


def _uci(joint: Floats, n_windows: int, epsilon: float) -> Floats:
    pairs = np.triu_indices(len(joint), 1)
    return np.where(_known_pairs(joint), _pmi(joint / n_windows, epsilon), np.log(epsilon))[pairs]


def _npmi(joint: Floats, n_windows: int, epsilon: float) -> Floats:
    pairs = np.triu_indices(len(joint), 1)
    return np.where(_known_pairs(joint), _normalized_pmi(joint / n_windows, epsilon), -1.0)[pairs]


def _c_v(joint: Floats, n_windows: int, epsilon: float) -> Floats:
    """One-set segmentation with the indirect cosine measure (Röder et al. 2015, section 3.2)."""
    vectors = np.where(_known_pairs(joint), _normalized_pmi(joint / n_windows, epsilon), 0.0)
    whole = vectors.sum(axis=0)
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(whole)
    cosines: Floats = np.divide(vectors @ whole, lengths, out=np.zeros(len(joint)), where=lengths > 0)
    return cosines


def _pmi(p: Floats, epsilon: float) -> Floats:
    alone = np.diag(p)
    return np.asarray(np.log((p + epsilon) / np.outer(alone, alone)), dtype=np.float64)


def _normalized_pmi(p: Floats, epsilon: float) -> Floats:
    value = _pmi(p, epsilon) / -np.log(p + epsilon)
    value = np.where(p + epsilon > 0, value, -1.0)  # the limit as P(a, b) falls to 0
    return np.where(p + epsilon < 1, value, 1.0)  # the limit as both words come to be everywhere


def _known_pairs(joint: Floats) -> NDArray[np.bool_]:
    known = np.diag(joint) > 0
    return np.logical_and.outer(known, known)


register_measure(CoherenceMeasure("umass", _umass, 0, 1.0, "sum", needs_epsilon=True, epsilon_below=np.inf))
register_measure(CoherenceMeasure("uci", _uci, 10, 1e-12, "mean", needs_epsilon=True))
register_measure(CoherenceMeasure("npmi", _npmi, 10, 1e-12, "mean"))
register_measure(CoherenceMeasure("c_v", _c_v, 110, 1e-12, "mean"))


BLOCK_TOKENS = 1 << 18  # the runs of one block stay in the processor's cache while all pairs are counted


class WindowCounts(NamedTuple):
    """Numbers of all windows, of those that hold each word, and of those that hold both words of each pair."""

    n_windows: int
    words: NDArray[np.int64]
    pairs: NDArray[np.int64]


class Runs(NamedTuple):
    """Windows that hold each word w: begin[r] <= window < end[r] for all first[w] <= r < last[w]."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]


def count_windows(
    corpus: Corpus,
    word_of_id: NDArray[np.int32],
    pairs: NDArray[np.int64],
    window: int,
    *,
    n_words: int,
) -> WindowCounts:
    """Count the windows that hold the chosen words, and those that hold both words of the chosen pairs.

    Parameters
    ----------
    corpus : Corpus
        Corpus to count in. A document of at most ``window`` words, even an empty one, is one window.
    word_of_id : int32 array of shape (corpus.n_words,)
        Number of each chosen word, from 0 to ``n_words - 1``; -1 for words that are not counted.
    pairs : int64 array of shape (n_pairs, 2)
        Pairs of such numbers.
    window : int
        Number of words in a window that slides over each document; 0 for whole documents.
    n_words : int
        Number of chosen words; some of them may not be in the corpus.

    Examples
    --------
    >>> import numpy as np
    >>> from topicwright.corpus.corpus import Corpus
    >>> corpus = Corpus(tokens=[0, 1, 2, 0, 1], offsets=[0, 4, 5], vocabulary=["a", "b", "c"])
    >>> word_of_id = np.array([0, 1, -1], dtype=np.int32)
    >>> counts = count_windows(corpus, word_of_id, np.array([[0, 1]]), window=2, n_words=2)
    >>> counts.n_windows, counts.words.tolist(), counts.pairs.tolist()
    (4, [2, 3], [1])
    """
    lengths = corpus.doc_lengths()
    size = window or max(int(lengths.max(initial=1)), 1)
    word_counts = np.zeros(n_words, dtype=np.int64)
    pair_counts = np.zeros(len(pairs), dtype=np.int64)
    pairs = np.ascontiguousarray(pairs, dtype=np.int64).reshape(-1, 2)
    for offsets in _blocks(corpus.offsets):
        runs = find_runs(corpus.tokens, offsets, word_of_id, size, n_words)
        add_run_lengths(runs, word_counts)
        add_overlaps(runs, pairs, pair_counts)
    return WindowCounts(int(np.maximum(lengths - size + 1, 1).sum()), word_counts, pair_counts)


def _blocks(offsets: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Offsets of blocks of documents: about BLOCK_TOKENS tokens, or one document."""
    breaks = np.searchsorted(offsets, np.arange(BLOCK_TOKENS, offsets[-1], BLOCK_TOKENS), side="right") - 1
    edges = np.unique(np.concatenate([[0], breaks, [len(offsets) - 1]]))
    for first, last in pairwise(edges):
        yield offsets[first : last + 1]


@jit
def find_runs(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    word_of_id: NDArray[np.int32],
    size: int,
    n_words: int,
) -> Runs:
    """Runs of windows that hold each word, in the documents between the given offsets."""
    first = np.zeros(n_words + 1, dtype=np.int64)
    for t in range(offsets[0], offsets[-1]):
        word = word_of_id[tokens[t]]
        if word >= 0:
            first[word + 1] += 1  # a word has at most as many runs as occurrences
    first = np.cumsum(first)
    last = first[:-1].copy()
    begin = np.empty(first[-1], dtype=np.int64)
    end = np.empty(first[-1], dtype=np.int64)
    window = 0  # the number of the document's first window
    for d in range(len(offsets) - 1):
        start = offsets[d]
        length = offsets[d + 1] - start
        n_windows = max(length - size + 1, 1)
        for p in range(length):
            word = word_of_id[tokens[start + p]]
            if word < 0:
                continue
            low = window + max(p - size + 1, 0)
            high = window + min(p + 1, n_windows)
            r = last[word]
            if r > first[word] and end[r - 1] >= low:
                end[r - 1] = high
            else:
                begin[r] = low
                end[r] = high
                last[word] = r + 1
        window += n_windows
    return Runs(first, last, begin, end)


@jit
def add_run_lengths(runs: Runs, counts: NDArray[np.int64]) -> None:
    """Add the windows of the runs of each word to its count."""
    for word in range(len(counts)):
        for r in range(runs.first[word], runs.last[word]):
            counts[word] += runs.end[r] - runs.begin[r]


@jit
def add_overlaps(runs: Runs, pairs: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
    """Add the windows that are in the runs of both words of each pair to its count."""
    begin, end = runs.begin, runs.end
    one = np.uint64(1)  # unsigned indices: Numba tests signed ones for wrap-around at each access
    for k in range(len(pairs)):
        i, i_last = np.uint64(runs.first[pairs[k, 0]]), np.uint64(runs.last[pairs[k, 0]])
        j, j_last = np.uint64(runs.first[pairs[k, 1]]), np.uint64(runs.last[pairs[k, 1]])
        while i < i_last and j < j_last:
            if end[i] <= begin[j]:
                i += one
            elif end[j] <= begin[i]:
                j += one
            else:
                counts[k] += min(end[i], end[j]) - max(begin[i], begin[j])
                if end[i] <= end[j]:
                    i += one
                else:
                    j += one
