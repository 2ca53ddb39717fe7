"""Dirichlet priors learned from counts (Minka's fixed point with histograms, Wallach 2008), and log p(w, z)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..knowledge.priors import WordPriors, word_priors_to_csr
from .priors import Beta, InformedBeta, prior_sum

_STEPS = 20
_SHAPE, _SCALE = 1.001, 1.0  # weak Gamma prior of each α, so that an empty topic keeps a positive α
_SMALLEST = 1e-8


class CountHistogram(NamedTuple):
    """Numbers of documents by tokens of each topic and by length, from which α is learned.

    Histograms of parts of a corpus merge into that of the whole, in the same order and so to the same bits.
    """

    topics: NDArray[np.int64]
    counts: NDArray[np.int64]
    times: NDArray[np.int64]
    lengths: NDArray[np.int64]
    n_docs: NDArray[np.int64]


def count_histogram(doc_topics: Any, doc_lengths: NDArray[np.int64]) -> CountHistogram:
    """Histogram of document–topic counts (CSR, documents × topics)."""
    once = np.ones(len(doc_topics.data), np.int64)
    filled = doc_lengths[doc_lengths > 0]
    return _make_histogram(doc_topics.indices, doc_topics.data, once, filled, np.ones(len(filled), np.int64))


def merge_histograms(parts: Sequence[CountHistogram]) -> CountHistogram:
    """Histogram of all documents from those of parts."""
    return _make_histogram(*(np.concatenate(columns) for columns in zip(*parts)))


def _make_histogram(topics: Any, counts: Any, times: Any, lengths: Any, n_docs: Any) -> CountHistogram:
    longest = int(lengths.max(initial=0)) + 1
    keys, where = np.unique(topics.astype(np.int64) * longest + counts, return_inverse=True)
    found, whose = np.unique(lengths, return_inverse=True)
    return CountHistogram(
        keys // longest,
        keys % longest,
        np.bincount(where, times, len(keys)).astype(np.int64),
        found,
        np.bincount(whose, n_docs, len(found)).astype(np.int64),
    )


def learn_alpha(alpha: NDArray[np.float64], histogram: CountHistogram) -> NDArray[np.float64]:
    """α of each topic after 20 fixed-point steps, given a histogram of document–topic counts."""
    from scipy.special import digamma

    topics, counts, times, lengths, n_docs = histogram
    for _ in range(_STEPS):
        own = alpha[topics]
        gains = np.bincount(topics, times * (digamma(counts + own) - digamma(own)), len(alpha))
        total = alpha.sum()
        loss = np.sum(n_docs * (digamma(lengths + total) - digamma(total)))
        alpha = np.maximum((_SHAPE - 1 + alpha * gains) / (loss + 1 / _SCALE), _SMALLEST)
    return alpha


def learn_beta(beta: float, topic_words: Any, sizes: NDArray[np.int64]) -> float:
    """Symmetric β after 20 fixed-point steps, given topic–word counts (CSR, topics × words)."""
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


def joint_log_likelihood(doc_topics: Any, topic_words: Any, alpha: NDArray[np.float64], beta: Beta) -> float:
    """log p(w, z | α, β) from counts: documents × topics and topics × words, both CSR."""
    return documents_log_likelihood(doc_topics, alpha) + topics_log_likelihood(topic_words, beta)


def documents_log_likelihood(doc_topics: Any, alpha: NDArray[np.float64]) -> float:
    """log p(z | α), a sum over documents."""
    return _dirichlet_multinomial(doc_topics, alpha[doc_topics.indices], float(np.sum(alpha)))


def topics_log_likelihood(topic_words: Any, beta: Beta) -> float:
    """log p(w | z, β), a sum over topics."""
    n_topics, n_words = topic_words.shape
    return _dirichlet_multinomial(topic_words, _entry_priors(topic_words, beta), prior_sum(beta, n_words, n_topics))


def _entry_priors(topic_words: Any, beta: Beta) -> Any:
    """b_kw of each non-zero count."""
    if isinstance(beta, InformedBeta):
        assert isinstance(beta.priors, WordPriors)
        priors = word_priors_to_csr(beta.priors, topic_words.shape[0])
        extra = np.asarray((topic_words + priors.multiply(topic_words > 0)).data - topic_words.data)
        return _entry_priors(topic_words, beta.base) + extra
    return np.asarray(beta)[topic_words.indices] if np.ndim(beta) else np.float64(beta)  # type: ignore[arg-type]


def _dirichlet_multinomial(counts: Any, prior: Any, totals: Any) -> float:
    """Σ over rows of log Γ(A)/Γ(N + A) plus Σ over non-zero entries of log Γ(n + a)/Γ(a)."""
    from scipy.special import gammaln

    sizes = np.add.reduceat(np.append(counts.data, 0), counts.indptr[:-1]) * (np.diff(counts.indptr) > 0)
    entries = np.sum(gammaln(counts.data + prior) - gammaln(prior))
    rows = np.sum(gammaln(totals) - gammaln(sizes + totals))
    return float(entries + rows)
