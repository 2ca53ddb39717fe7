"""log p(w, z): how well words and topic assignments fit the priors together. Potentials and losses are not in it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..knowledge.priors import seeds_to_csr
from .prior import Beta, SeededBeta, sum_of_prior


def joint_log_likelihood(doc_topics: Any, topic_words: Any, alpha: NDArray[np.float64], beta: Beta) -> float:
    """log p(w, z | α, β) from counts: documents × topics and topics × words, both CSR."""
    return documents_log_likelihood(doc_topics, alpha) + topics_log_likelihood(topic_words, beta)


def documents_log_likelihood(doc_topics: Any, alpha: NDArray[np.float64]) -> float:
    """log p(z | α): the part of the documents, which those of a shard can be added up to."""
    return _dirichlet_multinomial(doc_topics, alpha[doc_topics.indices], float(np.sum(alpha)))


def topics_log_likelihood(topic_words: Any, beta: Beta) -> float:
    """log p(w | z, β): the part of the topics."""
    n_topics, n_words = topic_words.shape
    return _dirichlet_multinomial(
        topic_words, _prior_of_entries(topic_words, beta), sum_of_prior(beta, n_words, n_topics)
    )


def _prior_of_entries(topic_words: Any, beta: Beta) -> Any:
    """b_kw of each count that is not zero."""
    if isinstance(beta, SeededBeta):
        seeds = seeds_to_csr(beta.seeds, topic_words.shape[0])
        extra = np.asarray((topic_words + seeds.multiply(topic_words > 0)).data - topic_words.data)
        return _prior_of_entries(topic_words, beta.base) + extra
    return np.asarray(beta)[topic_words.indices] if np.ndim(beta) else np.float64(beta)  # type: ignore[arg-type]


def _dirichlet_multinomial(counts: Any, prior: Any, totals: Any) -> float:
    """Σ over rows of log Γ(A)/Γ(N + A) + Σ over entries of log Γ(n + a)/Γ(a): only entries that are not zero count."""
    from scipy.special import gammaln

    sizes = np.add.reduceat(np.append(counts.data, 0), counts.indptr[:-1]) * (np.diff(counts.indptr) > 0)
    entries = np.sum(gammaln(counts.data + prior) - gammaln(prior))
    rows = np.sum(gammaln(totals) - gammaln(sizes + totals))
    return float(entries + rows)
