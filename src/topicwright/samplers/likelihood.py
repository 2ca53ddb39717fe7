"""log p(w, z): how well words and topic assignments fit the priors together. Potentials and losses are not in it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def joint_log_likelihood(
    doc_topics: Any,
    topic_words: Any,
    alpha: NDArray[np.float64],
    beta: float | NDArray[np.float64],
) -> float:
    """log p(w, z | α, β) from counts: documents × topics and topics × words, both CSR."""
    return _dirichlet_multinomial(doc_topics, alpha) + _dirichlet_multinomial(topic_words, beta)


def _dirichlet_multinomial(counts: Any, prior: float | NDArray[np.float64]) -> float:
    """Σ over rows of log Γ(A)/Γ(N + A) + Σ over entries of log Γ(n + a)/Γ(a): only entries that are not zero count."""
    from scipy.special import gammaln

    if np.ndim(prior):
        own = np.asarray(prior)[counts.indices]
        total = float(np.sum(prior))
    else:
        own = np.float64(prior)
        total = float(prior) * counts.shape[1]
    sizes = np.add.reduceat(np.append(counts.data, 0), counts.indptr[:-1]) * (np.diff(counts.indptr) > 0)
    entries = np.sum(gammaln(counts.data + own) - gammaln(own))
    rows = np.sum(gammaln(total) - gammaln(sizes + total))
    return float(entries + rows)
