"""Numbers of windows in which two words occur together, counted exactly and only for the given pairs.

Windows are numbered through the corpus, and the windows that hold a word form runs of consecutive numbers:
an occurrence at position p of a document is in the windows that start from p - size + 1 to p, and the runs
of neighboring occurrences are merged. A word's count is the length of its runs, a pair's count the
overlap of two sorted lists of runs. The windows themselves are never listed, so a large window costs no
more than a small one.

The corpus is read in blocks of whole documents: memory holds the runs of one block and one count
per pair, however long the corpus is.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.numba import jit
from ..corpus.corpus import Corpus

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
