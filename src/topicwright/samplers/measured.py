"""What is computed from an engine's counts: how likely they are, and better priors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..counts import Rows, rows_from_csr
from .dirichlet import histogram_of, learn_alpha, learn_beta
from .likelihood import joint_log_likelihood
from .prior import Beta, BetaSum, base_of, sum_of_prior


class Measured:
    """What every engine that holds all counts can tell of them."""

    alpha: NDArray[np.float64]
    beta: Beta
    n_words: int
    n_topics: int
    doc_lengths: NDArray[np.int64]
    doc_topics: Any
    topic_words: Any
    sizes: Any
    curve: Sequence[tuple[int, float]] = ()  # what was measured before, where a run goes on that was cut off

    @property
    def beta_sum(self) -> BetaSum:
        """Σ_w b_w over the vocabulary; with seeds one of each topic."""
        return sum_of_prior(self.beta, self.n_words, self.n_topics)

    @property
    def word_rows(self) -> Rows:
        """Counts of topics of words, for inference."""
        return rows_from_csr(self.topic_words().T.tocsr())

    def log_likelihood(self) -> float:
        """log p(w, z) of the corpus."""
        return joint_log_likelihood(self.doc_topics(), self.topic_words(), self.alpha, self.beta)

    def learn_alpha(self) -> None:
        """Fit α to the documents."""
        self.alpha = learn_alpha(self.alpha, histogram_of(self.doc_topics(), self.doc_lengths))

    def learn_beta(self) -> None:
        """Fit β to the topics."""
        self.beta = learn_beta(float(base_of(self.beta)), self.topic_words(), self.sizes)
