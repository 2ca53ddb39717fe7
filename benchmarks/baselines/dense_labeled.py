"""Labeled LDA by ordinary dense Gibbs: the baseline of SC-LDA's Table 3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._common import Baseline, choose, count, kernel, open_document, uniform, weigh


class DenseLabeledLDA(Baseline):
    """Labeled LDA (Ramage, Hall, Nallapati & Manning 2009): a labeled document has only the topics of its labels.

    p(z = k | rest) ∝ (n_dk + α)(n_kw + β)/(n_k + B) over the labels, or over all topics where a document has none.
    Every weight is computed for every token: no use is made of zero counts. Within that bound it is written for speed:
    counts of a word lie side by side, 1/(n_k + B) is kept in a factor that changes for two topics a draw, and
    products and sums vectorize. About twice as fast as the textbook's loop with a division and a running sum.
    """

    def __init__(self, *stream: Any, doc_labels: Sequence[ArrayLike], **prior: Any) -> None:
        _, offsets, _, n_topics = stream
        labels = [np.unique(np.asarray(own, np.int64)) for own in doc_labels]
        if len(labels) != len(np.asarray(offsets)) - 1:
            raise ValueError(f"doc_labels must have one entry a document: got {len(labels)}")
        self._label_starts = np.concatenate([[0], np.cumsum([len(own) for own in labels])]).astype(np.int64)
        self._labels = np.concatenate([np.empty(0, np.int64), *labels])
        if self._labels.size and not 0 <= self._labels.min() <= self._labels.max() < n_topics:
            raise ValueError(
                f"labels must be topics below {n_topics}: got {self._labels.min()} to {self._labels.max()}"
            )
        super().__init__(*stream, **prior)

    def _start(self, random: np.random.Generator) -> NDArray[Any]:
        z = super()._start(random)
        first, n = self._label_starts[self.doc_of], np.diff(self._label_starts)[self.doc_of]
        known = n > 0
        z[known] = self._labels[first[known] + random.integers(0, n[known])]
        return z

    def _sweep(self, offsets: NDArray[np.int64]) -> None:
        labels = (self._label_starts, self._labels)
        counts = (self._word_topic, self._sizes)
        _sweep(self.tokens, offsets, self._z, *counts, *labels, self.alpha, self.beta, self._random, *self._scratch)


@kernel
def _sweep(
    tokens, offsets, z, word_topic, sizes, label_starts, labels, alpha, beta, random, doc, factor, weights, lanes
):  # fmt: skip
    n_topics, beta_sum = sizes.shape[0], beta * word_topic.shape[0]
    for d in range(offsets.shape[0] - 1):
        allowed = labels[label_starts[d] : label_starts[d + 1]]
        if allowed.shape[0] == 1:
            continue  # nothing to draw
        open_document(z[offsets[d] : offsets[d + 1]], sizes, alpha, beta_sum, doc, factor)
        for i in range(offsets[d], offsets[d + 1]):
            row = word_topic[tokens[i]]
            count(z[i], -1, row, sizes, doc, factor, beta_sum)
            if allowed.shape[0] == 0:
                weigh(factor, row, beta, weights)
                k = choose(weights, n_topics, lanes, random)
            else:
                k = _choose_among(allowed, factor, row, beta, weights, random)
            count(k, 1, row, sizes, doc, factor, beta_sum)
            z[i] = k


@kernel
def _choose_among(allowed, factor, row, beta, sums, random):
    """A topic of the allowed ones, by a running sum."""
    total = 0.0
    for j in range(allowed.shape[0]):
        total += factor[allowed[j]] * (row[allowed[j]] + beta)
        sums[j] = total
    u, j = uniform(random) * total, 0
    while j < allowed.shape[0] - 1 and u >= sums[j]:
        j += 1
    return allowed[j]
