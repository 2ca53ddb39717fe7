"""Inference on documents that are restricted to some labels: known labels or candidates, and the background.

A topic with α = 0 is never drawn, so a document with its own α is restricted to a set of topics. A document without
known labels has the α that a regression on its words predicts, or one α for all such documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._sampling.inference import TokenBatch, TopicSnapshot, heldout_log_probabilities, infer
from ..._sampling.priors import base_prior, prior_sum
from ...corpus.vocabulary import take_documents
from .._inputs import Floats
from .regression import LabelRegression
from .targets import DocumentLabelSet, Numbers

_LARGEST_SUM, _LARGEST_PRIOR = 30.0, 1.0  # of α for unlabeled documents: in all, and of one label
_MOST_SHARES, _MOST_DOCUMENTS, _FEWEST_DOCUMENTS = (
    4_000_000,
    2000,
    50,
)  # limits of the data that a threshold is found on


def frequency_prior(alpha: Floats, label_counts: NDArray[np.int64], n_docs: int) -> Floats:
    """α for unlabeled documents, in proportion to how many documents have each label.

    The sum is that of ``alpha``, or less: at most 30, and such that the most frequent label counts as one word.
    A few clear words then outweigh a frequent label. The background counts as a label of every document.

    On Delicious (983 labels, 19 per document) the average precision of the ranking was 0.26 with this prior and 0.18
    with the α of training, and on Reuters (115 labels) and arXiv (170 labels) both were the same within 0.01, on
    documents held out of the training set. The limit of one word changes Reuters alone, where one label has 30 % of
    all: 0.880 without it, 0.887 with it, and 0.64 and 0.76 on the first four words of the documents. Limits of half a
    word and of two words were worse on those.
    """
    n_labels = len(label_counts)
    counts = np.append(np.maximum(label_counts, 0.5), np.full(len(alpha) - n_labels, max(1, n_docs)))
    prior = min(float(alpha[:n_labels].sum()), _LARGEST_SUM) * counts / counts[:n_labels].sum()
    return np.asarray(prior / max(1.0, prior[:n_labels].max(initial=0.0) / _LARGEST_PRIOR))


class AllowedLabels(NamedTuple):
    """Topics that a document may use; None for all."""

    numbers: Numbers | None = None
    are_known: bool = False  # known labels, as opposed to candidates
    n_unseen: int = 0  # number of known labels that the model has not seen


class PredictedPrior(NamedTuple):
    """Prior of the labels of a document, predicted from its words: α_d = s N_d π_d.

    The probabilities π_d of the labels are those of the regression. The background gets the share that it has of the
    training tokens. ``strength`` is s, the mean number of labels of a document: the fewer words there are for each
    label, the more the prior counts.

    Average precision of the ranking on held-out training documents, with s = 0.3, 1, 3 and by π alone:
    20 Newsgroups .936, .938, .935, .932; Reuters .950, .960, .960, .960; arXiv .618, .638, .639, .637;
    Delicious (19 labels per document) .310, .337, .360, .370.
    """

    regression: LabelRegression
    strength: float
    background: Floats  # share of each background topic

    def alpha(self, docs: TokenBatch, labels: NDArray[np.int64] | None) -> Floats:
        """α of each document over these labels (None for all) and the background."""
        scores = self.regression.scores(docs)
        if labels is not None:
            kept = np.full(scores.shape, -np.inf)
            kept[:, labels] = scores[:, labels]
            scores = kept
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares = scores * ((1.0 - self.background.sum()) / scores.sum(axis=1, keepdims=True))
        counts = self.strength * np.maximum(1, np.diff(docs.offsets))
        return np.hstack([shares, np.tile(self.background, (len(shares), 1))]) * counts[:, None]


class LabelInference(NamedTuple):
    """Fitted model as it infers the labels of documents."""

    topics: TopicSnapshot
    unlabeled_alpha: Floats  # for documents whose labels are unknown
    n_labels: int
    seed: int
    n_jobs: int
    predicted: PredictedPrior | None = None  # takes the place of unlabeled_alpha, except in scores of words

    def with_candidates(self, candidates: Numbers | None) -> AllowedLabels:
        """Topics of a document that may have these labels; None for all labels."""
        return AllowedLabels() if candidates is None else AllowedLabels((*candidates, *self._background()))

    def with_labels(self, labels: DocumentLabelSet | None) -> AllowedLabels:
        """Topics of a document with known labels; without labels, the background, or all topics if there is none."""
        background = self._background()
        if labels is None or not (labels.labels or labels.n_unseen or background):
            return AllowedLabels()
        return AllowedLabels((*labels.labels, *background), True, labels.n_unseen)

    def infer(self, docs: TokenBatch, allowed: Sequence[AllowedLabels]) -> Floats:
        """θ of each document; zero for topics that are not allowed."""
        theta = np.zeros((len(allowed), len(self.topics.alpha)))
        for rows, own, part in self._groups(docs, allowed):
            topics, priors = self.topics._replace(alpha=self.alpha_of(own)), self.predicted_alpha(part, own)
            theta[rows] = infer(topics, part, priors=priors, n_jobs=self.n_jobs)
        return theta

    def predicted_alpha(self, docs: TokenBatch, allowed: AllowedLabels) -> Floats | None:
        """α that the words of each document predict; None if its labels are known or the prior is not predicted."""
        if self.predicted is None or allowed.are_known:
            return None
        if allowed.numbers is None:
            return self.predicted.alpha(docs, None)
        return self.predicted.alpha(docs, np.array([k for k in allowed.numbers if k < self.n_labels]))

    def log_probabilities(
        self, docs: TokenBatch, allowed: Sequence[AllowedLabels], method: str, n_particles: int
    ) -> Floats:
        """log p of each scored word, in an order that depends on the documents and their topics only.

        A prior that is predicted from the words themselves has no part in it.
        """
        model = self._with_unseen()
        options: Any = {"seed": self.seed, "n_particles": n_particles, "n_jobs": self.n_jobs}
        scores = [
            heldout_log_probabilities(model.topics._replace(alpha=model.alpha_of(own)), part, method, **options)
            for _, own, part in model._groups(docs, allowed)
        ]
        return np.concatenate([np.zeros(0), *scores])

    def _background(self) -> Numbers:
        return tuple(range(self.n_labels, len(self.unlabeled_alpha)))

    def _with_unseen(self) -> LabelInference:
        """The same with one more topic, whose words follow the prior: it stands for all unseen labels."""
        topics, n_words = self.topics, len(self.topics.words.start)
        beta_sum = topics.beta_sum
        if np.ndim(beta_sum):  # with seeds each topic has its own
            beta_sum = np.append(beta_sum, prior_sum(base_prior(topics.beta), n_words, 1))
        alpha = np.append(topics.alpha, topics.alpha[: self.n_labels].mean())
        wide = topics._replace(sizes=np.append(topics.sizes, 0), alpha=alpha, beta_sum=beta_sum)
        return self._replace(topics=wide, unlabeled_alpha=np.append(self.unlabeled_alpha, 0.0))

    def _groups(
        self, docs: TokenBatch, allowed: Sequence[AllowedLabels]
    ) -> Iterator[tuple[NDArray[np.int64], AllowedLabels, TokenBatch]]:
        """Documents with the same allowed topics: their rows, these topics, and the documents."""
        rows_of: dict[AllowedLabels, list[int]] = {}
        for row, own in enumerate(allowed):
            rows_of.setdefault(own, []).append(row)
        for own, rows in rows_of.items():
            chosen = np.array(rows, dtype=np.int64)
            part = docs if len(rows) == len(allowed) else TokenBatch(*take_documents(docs.tokens, docs.offsets, chosen))
            yield chosen, own, part

    def alpha_of(self, allowed: AllowedLabels) -> Floats:
        """α of a document; zero for topics that are not allowed."""
        source = self.topics.alpha if allowed.are_known else self.unlabeled_alpha
        if allowed.numbers is None:
            return source
        alpha = np.zeros(len(source))
        alpha[list(allowed.numbers)] = source[list(allowed.numbers)]
        if allowed.n_unseen:
            alpha[-1] = allowed.n_unseen * source[-1]
        return alpha


# ---------------------------------------------------------------------- threshold


def best_threshold(probabilities: Floats, is_label: NDArray[np.bool_]) -> float:
    """Threshold on the shares of labels with the best F1 over all documents and labels.

    The best label of a document always counts as predicted.

    >>> import numpy as np
    >>> shares, is_label = np.array([[0.6, 0.4, 0.0], [0.7, 0.2, 0.1]]), np.array([[1, 1, 0], [1, 0, 0]], dtype=bool)
    >>> round(best_threshold(shares, is_label), 3)
    0.3
    """
    if not len(probabilities):  # no labeled document has words
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


def documents_to_learn_from(lengths: NDArray[np.int64], are_labeled: NDArray[np.bool_], n_labels: int) -> Any:
    """Rows of documents with words and labels, evenly spaced, as many as fit in memory with their shares."""
    usable = np.flatnonzero(are_labeled & (lengths > 0))
    most = int(np.clip(_MOST_SHARES // n_labels, _FEWEST_DOCUMENTS, _MOST_DOCUMENTS))
    return usable[np.linspace(0, len(usable) - 1, most).astype(np.int64)] if len(usable) > most else usable
