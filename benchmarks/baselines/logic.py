"""Logic-LDA for word links: all tokens of two linked words like to share their topic."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._common import Baseline, choose, count, kernel, open_document, partners_of, tilt, weigh


class LogicLDA(Baseline):
    """Logic-LDA (Andrzejewski, Zhu, Craven & Recht 2011) with one must-link rule for each link.

    The rule for words u, v says Z(i, t) ⇔ Z(j, t) for all topics t and all tokens i of u, j of v in the corpus. A
    pair of tokens (i, j) counts as satisfied if z_i = z_j, and is worth λ (``weight``), so that the joint is
        p(w, z) · exp(λ Σ_{links (u, v)} Σ_k n_ku n_kv).
    The authors look for its mode by stochastic gradients, one sampled pair at a time, as pairs are many; in their
    program a rule has a rate of sampling (1.0 in SC-LDA's paper) and of steps (10.0), whose product weighs a pair. Here
    the joint itself is sampled by exact Gibbs, and pairs are never visited, since counts say all of them at once:
        p(z_i = k | rest) ∝ (n_dk + α)(n_ku + β)/(n_k + B) · exp(λ Σ_{v linked to u} n_kv).
    That is the most favorable reading for speed. Already for λ = 1 the rule is all but hard for frequent words.
    Draws cost all K topics, and for linked words K more for each link.
    """

    def __init__(self, *stream: Any, must_links: ArrayLike, weight: float = 1.0, **prior: Any) -> None:
        if weight < 0:
            raise ValueError(f"weight must not be negative: got {weight}")
        super().__init__(*stream, **prior)
        self.weight = float(weight)
        self._agree = np.zeros(self.n_topics, np.int64)
        self._starts, self._partners = partners_of(must_links, self.n_words)

    def _sweep(self, offsets: NDArray[np.int64]) -> None:
        counts, links = (self._word_topic, self._sizes), (self._starts, self._partners)
        prior = (self.alpha, self.beta, self.weight)
        _sweep(self.tokens, offsets, self._z, *counts, *links, *prior, self._random, *self._scratch, self._agree)


@kernel
def _sweep(
    tokens, offsets, z, word_topic, sizes, starts, partners, alpha, beta, weight, random,
    doc, factor, weights, lanes, agree,
):  # fmt: skip
    n_topics, beta_sum = sizes.shape[0], beta * word_topic.shape[0]
    for d in range(offsets.shape[0] - 1):
        open_document(z[offsets[d] : offsets[d + 1]], sizes, alpha, beta_sum, doc, factor)
        for i in range(offsets[d], offsets[d + 1]):
            w = tokens[i]
            row = word_topic[w]
            count(z[i], -1, row, sizes, doc, factor, beta_sum)
            weigh(factor, row, beta, weights)
            if starts[w] < starts[w + 1]:
                for v in partners[starts[w] : starts[w + 1]]:
                    for k in range(n_topics):
                        agree[k] += word_topic[v, k]
                tilt(weights, agree, weight)
            k = choose(weights, n_topics, lanes, random)
            count(k, 1, row, sizes, doc, factor, beta_sum)
            z[i] = k
