"""DF-LDA with must-links: topics drawn from a Dirichlet tree, sampled sparsely."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._common import Baseline, kernel, trees, uniform


class DirichletForestLDA(Baseline):
    """DF-LDA (Andrzejewski, Zhu & Craven 2009) with must-links, its posterior sampled exactly.

    Words that links join, directly or by way of others, are the m leaves of a tree c: the root's edge to it weighs mβ,
    each of its edges ηβ; other words hang on the root with β. So the root's weights sum to B = Vβ as in LDA, and
        p(z = k | rest) ∝ (n_dk + α)/(n_k + B) · h_k,  h_k = (n_kc + mβ)(n_kw + ηβ)/(n_kc + mηβ),
    or h_k = n_kw + β outside trees. This is the sparse sampler, not the dense one: the sum is split in three, as Hu &
    Boyd-Graber (2012) split it for trees. As h_k = β wherever n_kc = 0, the parts "smoothing" and "document" are plain
    LDA's, the same for all words, and h_k − β (not negative, as η ≥ 1) is zero but for the topics of the word's tree.
    So the bounds that they need on the first two parts of general trees are not needed for must-links.
    """

    def __init__(self, *stream: Any, must_links: ArrayLike, eta: float = 100.0, **prior: Any) -> None:
        if eta < 1:
            raise ValueError(f"eta must be at least 1: got {eta}")
        super().__init__(*stream, **prior)
        self.eta = float(eta)
        self._tree_of = trees(must_links, self.n_words)
        known = self._tree_of >= 0
        self._leaves = np.bincount(self._tree_of[known]).astype(np.int64)
        self._tree_topic = np.zeros((len(self._leaves), self.n_topics), np.int32)
        np.add.at(self._tree_topic, self._tree_of[known], self._word_topic[known, : self.n_topics])
        self._list_topics()

    def _list_topics(self) -> None:
        """Topics of every word outside trees, then of every tree: those where it has tokens, with room for more."""
        rows = np.concatenate([self._word_topic[:, : self.n_topics], self._tree_topic])
        room = np.minimum(rows.sum(axis=1), self.n_topics)
        self._first = np.concatenate([[0], np.cumsum(room)]).astype(np.int64)
        self._length = np.count_nonzero(rows, axis=1).astype(np.int64)
        self._topics = np.zeros(int(room.sum()), np.int32)
        row, topic = np.nonzero(rows)
        within = np.arange(len(row)) - (np.cumsum(self._length) - self._length)[row]
        self._topics[self._first[row] + within] = topic

    def _sweep(self, offsets: NDArray[np.int64]) -> None:
        corpus = (self.tokens, offsets, self._z)
        counts = (self._word_topic, self._tree_topic, self._sizes)
        lists = (self._topics, self._first, self._length)
        prior = (self._tree_of, self._leaves, self.alpha, self.beta, self.eta)
        n = self.n_topics
        scratch = (np.zeros(n, np.int32), np.empty(n, np.int32), np.empty(n), np.empty(n), np.empty(n), np.zeros(2))
        _sweep(*corpus, *counts, *lists, *prior, self._random, *scratch)

    def topic_word(self) -> NDArray[np.float64]:
        """φ of the state: the product of the edges' estimates on the way to each word."""
        words = self._word_topic[:, : self.n_topics] + self.beta
        known = self._tree_of >= 0
        tree = self._tree_of[known]
        own, all_own = self._tree_topic[tree], self._leaves[tree][:, None] * self.beta
        leaf = self._word_topic[known, : self.n_topics] + self.eta * self.beta
        words[known] = (own + all_own) * leaf / (own + self.eta * all_own)
        return words.T / (self._sizes + self.n_words * self.beta)[:, None]


@kernel
def _sweep(
    tokens, offsets, z, word_topic, tree_topic, sizes, topics, first, length, tree_of, leaves, alpha, beta, eta, random,
    doc, doc_topics, x, factor, sums, mass,
):  # fmt: skip
    """x is 1/(n_k + B), factor (n_dk + α) x; mass has the sums of αβx (smoothing) and n_dk βx (document)."""
    n_words, n_topics = word_topic.shape[0], sizes.shape[0]
    beta_sum = beta * n_words
    for k in range(n_topics):
        x[k] = 1.0 / (sizes[k] + beta_sum)
        factor[k] = alpha * x[k]
        mass[0] += alpha * beta * x[k]
    for d in range(offsets.shape[0] - 1):
        n_own, mass[1] = 0, 0.0
        for i in range(offsets[d], offsets[d + 1]):
            n_own = _count(1, z[i], doc, doc_topics, n_own)
        for k in doc_topics[:n_own]:
            mass[1] += doc[k] * beta * x[k]
            factor[k] = (doc[k] + alpha) * x[k]
        for i in range(offsets[d], offsets[d + 1]):
            w, k = tokens[i], z[i]
            tree = tree_of[w]
            row = w if tree < 0 else n_words + tree
            held = word_topic[w] if tree < 0 else tree_topic[tree]  # n_kc: counts whose topics are listed
            own = topics[first[row] : first[row + 1]]

            n_own = _move(-1, k, doc, doc_topics, n_own, sizes, alpha, beta, beta_sum, x, factor, mass)
            length[row] = _count(-1, k, held, own, length[row])
            if tree >= 0:
                word_topic[w, k] -= 1

            listed = own[: length[row]]
            if tree < 0:
                of_word = _weigh_word(listed, factor, held, sums)
            else:
                of_word = _weigh_leaf(listed, factor, held, word_topic[w], leaves[tree] * beta, beta, eta, sums)
            u = uniform(random) * (of_word + mass[1] + mass[0])
            if u < of_word:
                j = 0
                while j < listed.shape[0] - 1 and u >= sums[j]:
                    j += 1
                k = listed[j]
            elif u < of_word + mass[1] and n_own > 0:
                k = _in_document((u - of_word) / beta, doc_topics[:n_own], doc, x)
            else:
                u = (u - of_word - mass[1]) / (alpha * beta)
                k = 0
                while k < n_topics - 1 and u >= x[k]:
                    u -= x[k]
                    k += 1

            n_own = _move(1, k, doc, doc_topics, n_own, sizes, alpha, beta, beta_sum, x, factor, mass)
            length[row] = _count(1, k, held, own, length[row])
            if tree >= 0:
                word_topic[w, k] += 1
            z[i] = k
        for k in doc_topics[:n_own]:
            doc[k] = 0
            factor[k] = alpha * x[k]


@kernel
def _move(step, k, doc, doc_topics, n_own, sizes, alpha, beta, beta_sum, x, factor, mass):
    """A token more (step 1) or less (−1) in topic k of the document, and what depends on it."""
    mass[0] -= alpha * beta * x[k]
    mass[1] -= doc[k] * beta * x[k]
    sizes[k] += step
    n_own = _count(step, k, doc, doc_topics, n_own)
    x[k] = 1.0 / (sizes[k] + beta_sum)
    factor[k] = (doc[k] + alpha) * x[k]
    mass[0] += alpha * beta * x[k]
    mass[1] += doc[k] * beta * x[k]
    return n_own


@kernel
def _count(step, k, counts, listed, n):
    """A token more or less in topic k, which enters or leaves the list of topics with tokens; the list's new length."""
    counts[k] += step
    if step > 0 and counts[k] == 1:
        listed[n] = k
        return n + 1
    if counts[k] == 0:
        j = 0
        while listed[j] != k:
            j += 1
        listed[j] = listed[n - 1]  # the last takes its place
        return n - 1
    return n


@kernel
def _weigh_word(listed, factor, held, sums):
    """Σ (n_dk + α) n_kw/(n_k + B), running."""
    total = 0.0
    for j in range(listed.shape[0]):
        total += factor[listed[j]] * held[listed[j]]
        sums[j] = total
    return total


@kernel
def _weigh_leaf(listed, factor, held, word_row, m_beta, beta, eta, sums):
    """Σ (n_dk + α)(h_k − β)/(n_k + B), running; h_k − β = (n_kw (n_kc + mβ) + (η − 1) β n_kc)/(n_kc + mηβ)."""
    total = 0.0
    for j in range(listed.shape[0]):
        k = listed[j]
        above = word_row[k] * (held[k] + m_beta) + (eta - 1.0) * beta * held[k]
        total += factor[k] * above / (held[k] + eta * m_beta)
        sums[j] = total
    return total


@kernel
def _in_document(u, listed, doc, x):
    """A topic of the document in proportion to n_dk x."""
    for k in listed[:-1]:
        u -= doc[k] * x[k]
        if u < 0.0:
            return k
    return listed[-1]
