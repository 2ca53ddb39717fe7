"""MRF-LDA: tokens of linked words in one document like to share their topic."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._common import Baseline, choose, count, csr, kernel, open_document, partners_of, tilt, weigh


class MarkovFieldLDA(Baseline):
    """MRF-LDA (Xie, Yang & Xing 2015), with its field on the collapsed joint.

    Two tokens of one document whose words are linked form an edge; E_d are the edges of document d. The model has
        p(z_d | θ_d) = Π_i θ_{z_i} · exp(λ Σ_{(i, j) ∈ E_d} 1[z_i = z_j]) / A(θ_d, λ)
    and the authors fit it by variational EM with a bound on log A. Here A is left out, so that the field multiplies
    LDA's joint after θ and φ are integrated out. Of p(w, z) exp(λ Σ_d Σ_{E_d} 1[z_i = z_j]) this is exact Gibbs:
        p(z_i = k | rest) ∝ (n_dk + α)(n_kw + β)/(n_k + B) · exp(λ · |{j ∈ d linked to i : z_j = k}|).
    ``per_edge`` divides λ by |E_d|, as the potential is also written: much weaker in long documents.
    Draws cost all K topics, as an update of the authors' does, and for linked tokens those that they are linked to.
    """

    def __init__(
        self, *stream: Any, must_links: ArrayLike, strength: float = 1.0, per_edge: bool = False, **prior: Any
    ) -> None:
        if strength < 0:
            raise ValueError(f"strength must not be negative: got {strength}")
        super().__init__(*stream, **prior)
        self._agree = np.zeros(self.n_topics, np.int64)
        n_edges = self._find_edges(*partners_of(must_links, self.n_words))
        self._strengths = strength / np.maximum(n_edges, 1.0) if per_edge else np.full(len(n_edges), float(strength))

    def _find_edges(self, starts: NDArray[np.int64], partners: NDArray[np.int64]) -> NDArray[np.float64]:
        """Groups of tokens (one linked word in one document), the groups linked to each, and edges by document."""
        degree = np.diff(starts)
        linked = np.flatnonzero(degree[self.tokens])
        keys, own = np.unique(self.doc_of[linked] * self.n_words + self.tokens[linked], return_inverse=True)
        self._member_starts, self._members = csr(own, linked, len(keys))
        self._group_of = np.full(len(self.tokens), -1, np.int64)
        self._group_of[linked] = own

        docs, words = np.divmod(keys, self.n_words)
        group = np.repeat(np.arange(len(keys)), degree[words])
        within = np.arange(len(group)) - np.repeat(np.cumsum(degree[words]) - degree[words], degree[words])
        wanted = docs[group] * self.n_words + partners[starts[words[group]] + within]
        other = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        there = keys[other] == wanted
        group, other = group[there], other[there]
        self._neighbour_starts, self._neighbors = csr(group, other, len(keys))
        sizes = np.diff(self._member_starts)
        twice = np.bincount(docs[group], sizes[group] * sizes[other], minlength=len(self.offsets) - 1)
        return twice / 2

    def _sweep(self, offsets: NDArray[np.int64]) -> None:
        counts = (self._word_topic, self._sizes)
        groups = (self._group_of, self._member_starts, self._members, self._neighbour_starts, self._neighbors)
        prior = (self.alpha, self.beta, self._strengths)
        _sweep(self.tokens, offsets, self._z, *counts, *groups, *prior, self._random, *self._scratch, self._agree)


@kernel
def _sweep(
    tokens, offsets, z, word_topic, sizes, group_of, member_starts, members, neighbour_starts, neighbors,
    alpha, beta, strengths, random, doc, factor, weights, lanes, agree,
):  # fmt: skip
    n_topics, beta_sum = sizes.shape[0], beta * word_topic.shape[0]
    for d in range(offsets.shape[0] - 1):
        open_document(z[offsets[d] : offsets[d + 1]], sizes, alpha, beta_sum, doc, factor)
        for i in range(offsets[d], offsets[d + 1]):
            row = word_topic[tokens[i]]
            count(z[i], -1, row, sizes, doc, factor, beta_sum)
            weigh(factor, row, beta, weights)
            group = group_of[i]
            if group >= 0 and neighbour_starts[group] < neighbour_starts[group + 1]:
                for g in neighbors[neighbour_starts[group] : neighbour_starts[group + 1]]:
                    _look_at(members[member_starts[g] : member_starts[g + 1]], z, agree)
                tilt(weights, agree, strengths[d])
            k = choose(weights, n_topics, lanes, random)
            count(k, 1, row, sizes, doc, factor, beta_sum)
            z[i] = k


@kernel
def _look_at(tokens, z, agree):
    for j in tokens:
        agree[z[j]] += 1
