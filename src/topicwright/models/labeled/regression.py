"""Multinomial logistic regression of the labels of a document on its words.

The labels that it expects are the prior of a document without known labels, as in Dirichlet-multinomial regression
(Mimno & McCallum 2008), where features of a document determine the prior of its topics: here, its words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._sampling.inference import TokenBatch
from ..._utils.numba import jit, jit_inline
from ...corpus.vocabulary import document_frequencies, take_documents
from ...io.fields import ModelFields
from .._inputs import Floats
from ..medlda.base import tfidf_features

LARGEST = 1e6  # weight in a model file
_MOST_WEIGHTS = 2**24  # only the words in most documents have weights if there were more than this
_MOST_TOKENS = 20_000_000  # of training documents, evenly spaced
_PASSES, _FEWEST_STEPS, _MOST_PASSES = 5, 10_000, 50
RATE = 5.0  # first learning rate; it falls to zero
_NODES = 64  # of the quadrature
_INTERCEPT = 0.2  # value of the feature that all documents share


class LabelRegression(NamedTuple):
    """Fitted regression: p(label | document) is the softmax of intercept + weights · TF-IDF features."""

    idf: Floats  # of all words; 0 for words without weights
    words: NDArray[np.int32]  # that have weights, ascending
    weights: NDArray[np.float32]  # (words, labels)
    intercepts: Floats

    def features(self, docs: TokenBatch) -> Any:
        """TF-IDF features of the words that have weights, as CSR with rows of length 1."""
        has_weights = self.idf[docs.tokens] > 0
        before = np.concatenate([[0], np.cumsum(has_weights)]).astype(np.int64)
        return tfidf_features(docs.tokens[has_weights], before[docs.offsets], self.idf)[:, self.words]

    def scores(self, docs: TokenBatch) -> Floats:
        """Logarithms of the probabilities of the labels, up to a constant for each document."""
        return np.asarray(self.features(docs) @ self.weights + self.intercepts)

    def contributions(self, docs: TokenBatch, labels: Sequence[int], allowed: NDArray[np.int64]) -> tuple[Any, Any]:
        """Probabilities of some labels without words, and what each word of one document adds to them.

        Integrated gradients (Sundararajan, Taly & Yan 2017): the gradient of the probability, averaged on the way from
        no words to all of them. They add up to the difference exactly, whatever the order of the words.

        Returns
        -------
        without : array of shape (n_labels,)
            Probabilities among the ``allowed`` labels for a document without words.
        added : array of shape (n_labels, n_words)
            Zero for words that are not in the document.
        """
        row = self.features(docs)[[0]]
        effects = row.data[:, None] * self.weights[row.indices][:, allowed]  # of each word on each score
        at = np.searchsorted(allowed, labels)
        added = np.zeros((len(at), len(row.data)))
        nodes, masses = np.polynomial.legendre.leggauss(_NODES)
        for node, mass in zip((nodes + 1) / 2, masses / 2):
            p = _softmax(self.intercepts[allowed] + node * effects.sum(axis=0))
            added += mass * (p[at] * (effects[:, at] - (effects @ p)[:, None])).T
        result = np.zeros((len(at), len(self.idf)))
        result[:, self.words[row.indices]] = added
        return _softmax(self.intercepts[allowed])[at], result


def _softmax(scores: Floats) -> Floats:
    weights = np.exp(scores - scores.max())
    return np.asarray(weights / weights.sum())


def fit_label_regression(
    docs: TokenBatch, labels: Sequence[Sequence[int]], n_words: int, n_labels: int
) -> LabelRegression:
    """Regression fitted to documents and the numbers of their labels; documents without labels are left out.

    It maximizes Σ_d 1 / |L_d| Σ_{l ∈ L_d} log p(l | d) by a few passes of stochastic gradient ascent. The passes end
    before the weights fit single documents, so that there is no penalty to choose.
    """
    documents, own = _documents_to_learn_from(docs, labels)
    regression = _initial_regression(documents, labels, n_words, n_labels)
    n_passes = int(np.clip(math.ceil(_FEWEST_STEPS / max(1, len(own))), _PASSES, _MOST_PASSES))
    return _trained(regression, documents, own, n_passes)


def continue_label_regression(
    regression: LabelRegression, docs: TokenBatch, labels: Sequence[Sequence[int]], n_words: int, counts: Any
) -> LabelRegression:
    """The regression after one more pass, over other documents. New words and labels follow the others.

    Parameters
    ----------
    regression : LabelRegression
        Regression so far.
    docs : TokenBatch
        New documents.
    labels : sequence of sequences of int
        Numbers of the labels of each document.
    n_words : int
        Size of the vocabulary.
    counts : array of shape (n_labels,)
        Number of documents with each label so far, of which a new label takes its intercept.
    """
    documents, own = _documents_to_learn_from(docs, labels)
    n_known, n_labels = len(regression.idf), len(counts)
    frequencies = document_frequencies(documents.tokens, documents.offsets, n_words)
    room = max(0, _MOST_WEIGHTS // n_labels - len(regression.words))
    new_words = (n_known + np.flatnonzero(frequencies[n_known:]))[:room].astype(np.int32)
    idf = np.append(regression.idf, np.zeros(n_words - n_known))
    idf[new_words] = 1.0 + np.log(len(documents.offsets) / (1 + frequencies[new_words]))
    intercepts = np.log(np.asarray(counts) + 0.5)
    intercepts[: len(regression.intercepts)] = regression.intercepts
    weights = np.zeros((len(regression.words) + len(new_words), n_labels), np.float32)
    weights[: len(regression.words), : len(regression.intercepts)] = regression.weights
    words = np.append(regression.words, new_words)
    return _trained(LabelRegression(idf, words, weights, intercepts), documents, own, 1)


def _documents_to_learn_from(
    docs: TokenBatch, labels: Sequence[Sequence[int]]
) -> tuple[TokenBatch, list[Sequence[int]]]:
    """Labeled documents and their labels."""
    rows = _rows_to_learn_from(docs.offsets, labels)
    return TokenBatch(*take_documents(docs.tokens, docs.offsets, rows)), [labels[row] for row in rows.tolist()]


def _trained(
    regression: LabelRegression, docs: TokenBatch, labels: Sequence[Sequence[int]], n_passes: int
) -> LabelRegression:
    """The regression after some passes over labeled documents; its weights are changed in place."""
    first_label = np.concatenate([[0], np.cumsum([len(own) for own in labels])]).astype(np.int64)
    label = np.array([k for own in labels for k in own], dtype=np.int32)
    rows = regression.features(docs)
    matrix = (rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data.astype(np.float32))
    rng = np.random.default_rng(0)
    orders = np.array([rng.permutation(len(labels)) for _ in range(n_passes)]).reshape(n_passes, -1)
    intercepts = regression.intercepts.astype(np.float32)
    ascend_gradient(matrix, (first_label, label), regression.weights, intercepts, orders, np.float32(RATE))
    return regression._replace(intercepts=intercepts.astype(np.float64))


def _rows_to_learn_from(offsets: NDArray[np.int64], labels: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Rows of documents with words and labels; evenly spaced ones if they have too many tokens."""
    lengths = np.diff(offsets)
    rows = np.flatnonzero(np.array([bool(own) for own in labels], dtype=bool) & (lengths > 0))
    share = _MOST_TOKENS / max(1, int(lengths[rows].sum()))
    if share >= 1:
        return rows
    return rows[np.linspace(0, len(rows) - 1, max(1, int(share * len(rows)))).astype(np.int64)]


def _initial_regression(
    docs: TokenBatch, labels: Sequence[Sequence[int]], n_words: int, n_labels: int
) -> LabelRegression:
    """Regression without effects of words: the probability of a label is its share of all labels."""
    frequencies = document_frequencies(docs.tokens, docs.offsets, n_words)
    most_frequent = np.argsort(-frequencies, kind="stable")[: max(1, _MOST_WEIGHTS // n_labels)]
    words = np.sort(most_frequent[frequencies[most_frequent] > 0]).astype(np.int32)
    idf = np.zeros(n_words)
    idf[words] = 1.0 + np.log(len(docs.offsets) / (1 + frequencies[words]))
    counts = np.bincount([k for own in labels for k in own], minlength=n_labels)
    return LabelRegression(idf, words, np.zeros((len(words), n_labels), np.float32), np.log(counts + 0.5))


def regression_to_arrays(regression: LabelRegression) -> dict[str, NDArray[Any]]:
    """Arrays in a model file."""
    return {f"regression.{name}": part for name, part in regression._asdict().items()}


def regression_from_fields(fields: ModelFields, n_words: int, n_labels: int) -> LabelRegression:
    """Read what :func:`regression_to_arrays` wrote; a ModelFileError if it is damaged."""
    words = fields.array("regression.words", np.int32, ndim=1, minimum=0, maximum=n_words - 1)
    if (np.diff(words) <= 0).any():
        fields.fail("regression.words", "must rise")
    return LabelRegression(
        fields.array("regression.idf", np.float64, shape=(n_words,), minimum=0, maximum=LARGEST),
        words,
        fields.array("regression.weights", np.float32, shape=(len(words), n_labels), minimum=-LARGEST, maximum=LARGEST),
        fields.array("regression.intercepts", np.float64, shape=(n_labels,), minimum=-LARGEST, maximum=LARGEST),
    )


# ---------------------------------------------------------------------- kernels


@jit
def ascend_gradient(matrix: Any, labels: Any, weights: Any, intercepts: Any, orders: Any, rate: Any) -> None:
    """Stochastic gradient ascent in place, with a rate that falls to zero."""
    start, columns, values = matrix
    first_label, label = labels
    step = np.zeros(weights.shape[1], np.float32)
    n_steps, taken = np.float32(orders.size), np.float32(0.0)
    for n in range(orders.shape[0]):
        for position in range(orders.shape[1]):
            d = orders[n, position]
            eta = rate * (np.float32(1.0) - taken / n_steps)
            taken += np.float32(1.0)
            own = slice(start[d], start[d + 1])
            take_step(
                columns[own], values[own], label[first_label[d] : first_label[d + 1]], weights, intercepts, step, eta
            )


@jit_inline
def take_step(columns: Any, values: Any, labels: Any, weights: Any, intercepts: Any, step: Any, eta: Any) -> None:
    """w_l ← w_l + η (q_l − p_l) x for one document; q has 1 / |L| for its labels, and p are the present probabilities.

    ``step`` is a workspace, with one entry for each label that has appeared.
    """
    n_labels = step.shape[0]
    for k in range(n_labels):
        step[k] = intercepts[k]
    for j in range(columns.shape[0]):
        row, value = weights[columns[j]], values[j]
        for k in range(n_labels):
            step[k] += row[k] * value
    largest = step[0]
    for k in range(n_labels):
        largest = max(largest, step[k])
    total = np.float32(0.0)
    for k in range(n_labels):
        step[k] = math.exp(step[k] - largest)
        total += step[k]
    factor = -eta / total
    for k in range(n_labels):
        step[k] *= factor
    gain = eta / np.float32(labels.shape[0])
    for j in range(labels.shape[0]):
        step[labels[j]] += gain
    for j in range(columns.shape[0]):
        row, value = weights[columns[j]], values[j]
        for k in range(n_labels):
            row[k] += step[k] * value
    shared = np.float32(_INTERCEPT * _INTERCEPT)
    for k in range(n_labels):
        intercepts[k] += step[k] * shared
