"""Measures of quality, one for all programs: log p(w, z) of a state, perplexity of held-out documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

if TYPE_CHECKING:
    from topicwright.corpus.corpus import Corpus

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def joint_log_likelihood(
    corpus: Corpus, assignments: NDArray[np.integer], n_topics: int, alpha: float, beta: float
) -> float:
    """Log p(w, z | alpha, beta) per token, for symmetric priors and one topic per token of the corpus.

    >>> import topicwright as tw
    >>> corpus = tw.Corpus([0, 1], [0, 2], ["red", "green"])
    >>> round(joint_log_likelihood(corpus, [0, 0], n_topics=2, alpha=1.0, beta=1.0), 4)  # log(1/3 · 1/6) / 2
    -1.4452
    """
    z = np.asarray(assignments, dtype=np.int64)
    topics_of_docs = _log_rising_factorials(_pair_counts(_doc_of_token(corpus), z, n_topics), alpha)
    words_of_topics = _log_rising_factorials(_pair_counts(z, corpus.tokens, corpus.n_words), beta)
    lengths, sizes = corpus.doc_lengths(), np.bincount(z, minlength=n_topics)
    normalisers = _log_rising_factorials(lengths, n_topics * alpha) + _log_rising_factorials(
        sizes, corpus.n_words * beta
    )
    return (topics_of_docs + words_of_topics - normalisers) / corpus.n_tokens


def topic_word_of(corpus: Corpus, assignments: NDArray[np.integer], n_topics: int, beta: float) -> Floats:
    """A sampler's topics as probabilities of words, (n_topics, n_words): smoothed counts of its state."""
    cells = np.asarray(assignments, dtype=np.int64) * corpus.n_words + corpus.tokens
    counts = np.bincount(cells, minlength=n_topics * corpus.n_words).reshape(n_topics, -1) + beta
    topics: Floats = counts / counts.sum(axis=1, keepdims=True)
    return topics


class Completion:
    """Held-out perplexity by document completion: every second token is shown, the others are predicted.

    The topics of a document are estimated from its shown tokens by the same fixed-point iteration for every
    program, so that a difference in perplexity is a difference in topics.
    """

    def __init__(self, held_out: Corpus, alpha: float, iterations: int = 50) -> None:
        self.alpha, self.iterations = alpha, iterations
        self.documents = [_bag(doc[0::2]) + _bag(doc[1::2]) for doc in held_out if len(doc) > 1]

    def perplexity(self, topic_word: Floats) -> float:
        """Perplexity of the hidden tokens; topic_word is (n_topics, n_words), its rows sum to 1."""
        word_topic = np.ascontiguousarray(topic_word.T, dtype=np.float64)
        log_likelihood, n_hidden = 0.0, 0
        for shown, counts, hidden, hidden_counts in self.documents:
            theta = self._mixture(word_topic[shown], counts)
            log_likelihood += float(hidden_counts @ np.log(word_topic[hidden] @ theta))
            n_hidden += int(hidden_counts.sum())
        return float(np.exp(-log_likelihood / n_hidden)) if n_hidden else float("nan")

    def _mixture(self, phi: Floats, counts: Ints) -> Floats:
        theta = np.full(phi.shape[1], 1.0 / phi.shape[1])
        for _ in range(self.iterations):
            theta = self.alpha + theta * ((counts / (phi @ theta)) @ phi)
            theta /= theta.sum()
        return theta


def _bag(words: NDArray[np.int32]) -> tuple[Ints, Ints]:
    types, counts = np.unique(words, return_counts=True)
    return types.astype(np.int64), counts.astype(np.int64)


def _doc_of_token(corpus: Corpus) -> Ints:
    return np.repeat(np.arange(corpus.n_docs), corpus.doc_lengths())


def _pair_counts(rows: NDArray[np.integer], columns: NDArray[np.integer], n_columns: int) -> Ints:
    """How often each (row, column) that occurs does."""
    return np.unique(rows.astype(np.int64) * n_columns + columns, return_counts=True)[1].astype(np.int64)


def _log_rising_factorials(counts: Ints, prior: float) -> float:
    """Σ log Γ(prior + n) − log Γ(prior) over all counts n."""
    values, times = np.unique(counts, return_counts=True)
    return float(times @ (gammaln(prior + values) - gammaln(prior)))
