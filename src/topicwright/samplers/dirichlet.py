"""Learning the Dirichlet priors from counts by Minka's fixed point, with histograms as in MALLET (Wallach 2008)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_STEPS = 20
_SHAPE, _SCALE = 1.001, 1.0  # a weak Gamma prior on each α: a topic that holds nothing keeps a little
_SMALLEST = 1e-8


def learn_alpha(alpha: NDArray[np.float64], doc_topics: Any, doc_lengths: NDArray[np.int64]) -> NDArray[np.float64]:
    """A better α for each topic, given the counts of topics in documents (a CSR matrix, documents × topics)."""
    from scipy.special import digamma

    longest = int(doc_lengths.max(initial=0)) + 1
    keys, times = np.unique(doc_topics.indices.astype(np.int64) * longest + doc_topics.data, return_counts=True)
    topics, counts = keys // longest, keys % longest
    lengths, n_docs = np.unique(doc_lengths[doc_lengths > 0], return_counts=True)
    for _ in range(_STEPS):
        own = alpha[topics]
        gains = np.bincount(topics, times * (digamma(counts + own) - digamma(own)), len(alpha))
        total = alpha.sum()
        loss = np.sum(n_docs * (digamma(lengths + total) - digamma(total)))
        alpha = np.maximum((_SHAPE - 1 + alpha * gains) / (loss + 1 / _SCALE), _SMALLEST)
    return alpha


def learn_beta(beta: float, topic_words: Any, sizes: NDArray[np.int64]) -> float:
    """A better β, one for all words, given the counts of words in topics (a CSR matrix, topics × words)."""
    from scipy.special import digamma

    n_words = topic_words.shape[1]
    counts, times = np.unique(topic_words.data, return_counts=True)
    for _ in range(_STEPS):
        gain = np.sum(times * (digamma(counts + beta) - digamma(beta)))
        loss = n_words * np.sum(digamma(sizes + n_words * beta) - digamma(n_words * beta))
        if loss <= 0:
            break
        beta = max(float(beta * gain / loss), _SMALLEST)
    return beta
