"""New documents, each with the topics that it may have: labels that are known, or candidates, and the background.

A topic whose α is zero is never drawn, so a document is limited to a set of topics by an α of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._sampling.inference import TokenBatch, TopicSnapshot, heldout_log_probabilities, infer
from ..._sampling.priors import base_prior, prior_sum
from ...corpus.vocabulary import take_documents
from .._targets import Floats
from .targets import DocumentLabelSet, Numbers

_LARGEST_SUM = 30.0  # of α of untagged documents; with more, the documents' own words count for too little
_MOST_SHARES, _MOST_DOCUMENTS, _FEWEST_DOCUMENTS = 4_000_000, 2000, 50  # that a threshold is learned from


def frequency_prior(alpha: Floats, label_counts: NDArray[np.int64], n_docs: int) -> Floats:
    """α of untagged documents: the same sum, spread by how many documents have a label; the background is in all.

    On Delicious (983 tags, 19 a document) the average precision of the ranking was 0.23 with it, and 0.07 with α as in
    training; on Reuters (115 topics) and arXiv (151 categories) both were the same within 0.01. Sums of 10 to 30 were
    best on all three; with 100 it was worse on the last two than with α as in training.
    """
    n_labels = len(label_counts)
    total = min(float(alpha[:n_labels].sum()), _LARGEST_SUM)
    counts = np.append(np.maximum(label_counts, 0.5), np.full(len(alpha) - n_labels, max(1, n_docs)))
    return np.asarray(total * counts / counts[:n_labels].sum())


class AllowedLabels(NamedTuple):
    """What a document may be about: numbers of topics, or None for all."""

    numbers: Numbers | None = None
    are_known: bool = False  # or else candidates
    n_unseen: int = 0  # labels that the model has never seen


class LabelInference(NamedTuple):
    """A trained model that looks at documents."""

    frozen: TopicSnapshot
    untagged: Floats  # α of documents whose labels are not known
    n_labels: int
    inference: dict[str, int]

    def among(self, candidates: Numbers | None) -> AllowedLabels:
        """The topics of a document that has some of these labels, or of all labels."""
        return AllowedLabels() if candidates is None else AllowedLabels((*candidates, *self._background()))

    def known(self, labels: DocumentLabelSet | None) -> AllowedLabels:
        """The topics of a document whose labels are known; without any, it has the background or else all topics."""
        background = self._background()
        if labels is None or not (labels.labels or labels.n_unseen or background):
            return AllowedLabels()
        return AllowedLabels((*labels.labels, *background), True, labels.n_unseen)

    def infer(self, docs: TokenBatch, topics: Sequence[AllowedLabels]) -> Floats:
        """θ of each document, zero outside the topics that it may have."""
        theta = np.zeros((len(topics), len(self.frozen.alpha)))
        for rows, own, part in self._groups(docs, topics):
            theta[rows] = infer(own, part, **self.inference)
            theta[np.ix_(rows, own.alpha == 0.0)] = 0.0  # a rounding error of the sampler may have gone there
        return np.asarray(theta / theta.sum(axis=1, keepdims=True))

    def log_probabilities(
        self, docs: TokenBatch, topics: Sequence[AllowedLabels], method: str, n_particles: int
    ) -> Floats:
        """log p of each word that is scored, in an order that the documents and their topics alone decide."""
        groups = self._with_unseen()._groups(docs, topics)
        scores = [
            heldout_log_probabilities(own, part, method, n_particles=n_particles, **self.inference)
            for _, own, part in groups
        ]
        return np.concatenate([np.zeros(0), *scores])

    def _background(self) -> Numbers:
        return tuple(range(self.n_labels, len(self.untagged)))

    def _with_unseen(self) -> LabelInference:
        """With one topic more, whose words follow the prior alone: it stands for all labels never seen."""
        frozen, n_words = self.frozen, len(self.frozen.words.start)
        beta_sum = frozen.beta_sum
        if np.ndim(beta_sum):  # with seeds each topic has its own
            beta_sum = np.append(beta_sum, prior_sum(base_prior(frozen.beta), n_words, 1))
        alpha = np.append(frozen.alpha, frozen.alpha[: self.n_labels].mean())
        wide = frozen._replace(sizes=np.append(frozen.sizes, 0), alpha=alpha, beta_sum=beta_sum)
        return self._replace(frozen=wide, untagged=np.append(self.untagged, 0.0))

    def _groups(
        self, docs: TokenBatch, topics: Sequence[AllowedLabels]
    ) -> Iterator[tuple[NDArray[np.int64], TopicSnapshot, TokenBatch]]:
        """Documents with the same topics: their rows, the model as they see it, and the documents."""
        rows_of: dict[AllowedLabels, list[int]] = {}
        for row, own in enumerate(topics):
            rows_of.setdefault(own, []).append(row)
        for own, rows in rows_of.items():
            chosen = np.array(rows, dtype=np.int64)
            part = docs if len(rows) == len(topics) else TokenBatch(*take_documents(docs.tokens, docs.offsets, chosen))
            yield chosen, self.frozen._replace(alpha=self.alpha_of(own)), part

    def alpha_of(self, topics: AllowedLabels) -> Floats:
        """α of a document, zero for topics that it may not have."""
        source = self.frozen.alpha if topics.are_known else self.untagged
        if topics.numbers is None:
            return source
        alpha = np.zeros(len(source))
        alpha[list(topics.numbers)] = source[list(topics.numbers)]
        if topics.n_unseen:
            alpha[-1] = topics.n_unseen * source[-1]
        return alpha


# ---------------------------------------------------------------------- how many labels


def best_threshold(probabilities: Floats, is_label: NDArray[np.bool_]) -> float:
    """The share from which labels are taken so that F1 over all documents and labels is best.

    A document's best label is taken in any case, as in predictions.

    >>> import numpy as np
    >>> shares, is_label = np.array([[0.6, 0.4, 0.0], [0.7, 0.2, 0.1]]), np.array([[1, 1, 0], [1, 0, 0]], dtype=bool)
    >>> round(best_threshold(shares, is_label), 3)
    0.3
    """
    if not len(probabilities):  # no document with labels has words: nothing tells
        return 0.5
    shares = probabilities.copy()
    shares[np.arange(len(shares)), shares.argmax(axis=1)] = np.inf
    order = np.argsort(-shares, axis=None, kind="stable")
    ranked = shares.ravel()[order]
    scores = 2 * np.cumsum(is_label.ravel()[order]) / (np.arange(1, len(ranked) + 1) + is_label.sum())
    ends = np.flatnonzero(np.append(ranked[1:] < ranked[:-1], True))  # labels with equal shares go together
    best = int(ends[scores[ends].argmax()])
    above = ranked[best] if np.isfinite(ranked[best]) else 1.0
    below = ranked[best + 1] if best + 1 < len(ranked) else 0.0
    return float((above + below) / 2)


def documents_to_learn_from(lengths: NDArray[np.int64], are_labelled: NDArray[np.bool_], n_labels: int) -> Any:
    """Rows of documents with words and labels, spread over all: not more than fit in memory with their shares."""
    usable = np.flatnonzero(are_labelled & (lengths > 0))
    most = int(np.clip(_MOST_SHARES // n_labels, _FEWEST_DOCUMENTS, _MOST_DOCUMENTS))
    return usable[np.linspace(0, len(usable) - 1, most).astype(np.int64)] if len(usable) > most else usable
