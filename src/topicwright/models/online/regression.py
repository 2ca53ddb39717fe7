"""Regression of labels on words for a stream: one gradient step for each labeled document, when it arrives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate, chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._utils.numba import jit
from ...io.fields import ModelFields
from ..labeled.regression import LARGEST, RATE, LabelRegression, take_step

_MOST_WORDS = 2**15  # the first words to appear have weights
_N_DOCS, _N_LABELS = range(2)


class StreamRegression:
    """Weights and document frequencies so far.

    The step is that of :func:`fit_label_regression` with a constant rate, so the weights follow a stream that changes.
    The document frequencies of TF-IDF are those of the documents so far.

    Attributes
    ----------
    weights : float32 array
        Weights by word and label, with room for more of both.
    intercepts : float32 array
        Intercepts of the labels.
    frequencies : int64 array
        Number of documents with each word.
    numbers : int64 array
        Number of documents, and number of labels that have appeared in them.
    """

    def __init__(self) -> None:
        self.weights = np.zeros((0, 0), np.float32)
        self.intercepts = np.zeros(0, np.float32)
        self.frequencies = np.zeros(0, np.int64)
        self.numbers = np.zeros(2, np.int64)

    @property
    def n_documents(self) -> int:
        """Number of documents learned from."""
        return int(self.numbers[_N_DOCS])

    def learn(self, documents: Sequence[Sequence[int]], labels: Sequence[Sequence[int]]) -> None:
        """Learn from the word ids and label ids of documents, in this order."""
        if not documents:
            return
        tokens = np.fromiter(chain.from_iterable(documents), np.int64)
        label = np.fromiter(chain.from_iterable(labels), np.int64)
        self._reserve(int(tokens.max(initial=-1)) + 1, int(label.max(initial=-1)) + 1)
        offsets, first_label = (np.array(list(accumulate(map(len, part), initial=0))) for part in (documents, labels))
        scratch = np.zeros(len(self.frequencies), np.int64)
        learn_documents(
            (tokens, offsets, label, first_label),
            self.weights,
            self.intercepts,
            self.frequencies,
            self.numbers,
            scratch,
        )

    def _reserve(self, n_words: int, n_labels: int) -> None:
        """Make room for words and labels."""
        n_words = min(n_words, _MOST_WORDS)
        rows, columns = self.weights.shape
        if n_words <= rows and n_labels <= columns:
            return
        room = max(rows, 1 << (n_words - 1).bit_length()), max(columns, 1 << (n_labels - 1).bit_length())
        weights, intercepts = np.zeros(room, np.float32), np.zeros(room[1], np.float32)
        weights[:rows, :columns], intercepts[:columns] = self.weights, self.intercepts
        frequencies = np.zeros(room[0], np.int64)
        frequencies[:rows] = self.frequencies
        self.weights, self.intercepts, self.frequencies = weights, intercepts, frequencies

    def renumber(self, words: NDArray[np.bool_], labels: NDArray[np.bool_]) -> None:
        """Keep some of the words and labels, and number them in the same order."""
        self._reserve(len(words), len(labels))
        rows, columns = np.flatnonzero(words[: len(self.weights)]), np.flatnonzero(labels)
        self.weights, self.intercepts = self.weights[np.ix_(rows, columns)], self.intercepts[columns]
        self.frequencies = self.frequencies[rows]
        self.numbers[_N_LABELS] = np.count_nonzero(labels[: self.numbers[_N_LABELS]])

    def fitted(self, n_words: int, n_labels: int) -> LabelRegression:
        """The regression as predictions read it."""
        self._reserve(n_words, n_labels)
        frequencies = np.zeros(n_words, np.int64)
        n_rows = min(n_words, len(self.frequencies))
        frequencies[:n_rows] = self.frequencies[:n_rows]
        words = np.flatnonzero(frequencies)
        idf = np.zeros(n_words)
        idf[words] = 1.0 + np.log((1 + self.n_documents) / (1 + frequencies[words]))
        intercepts = self.intercepts[:n_labels].astype(np.float64)
        return LabelRegression(idf, words.astype(np.int32), self.weights[words, :n_labels], intercepts)

    def to_arrays(self, n_words: int, n_labels: int) -> dict[str, NDArray[Any]]:
        """Arrays in a model file."""
        self._reserve(n_words, n_labels)
        rows = min(n_words, len(self.weights))
        return {
            "regression.weights": self.weights[:rows, :n_labels].copy(),
            "regression.intercepts": self.intercepts[:n_labels],
            "regression.frequencies": self.frequencies[:rows],
            "regression.numbers": self.numbers,
        }

    @classmethod
    def from_fields(cls, fields: ModelFields, n_words: int, n_labels: int) -> StreamRegression:
        """Read what :meth:`to_arrays` wrote; a ModelFileError if it is damaged."""
        result, rows, most = cls(), min(n_words, _MOST_WORDS), 2**62
        bounds: Any = {"minimum": -LARGEST, "maximum": LARGEST}
        weights = fields.array("regression.weights", np.float32, shape=(rows, n_labels), **bounds)
        intercepts = fields.array("regression.intercepts", np.float32, shape=(n_labels,), **bounds)
        numbers = fields.array("regression.numbers", np.int64, shape=(2,), minimum=0, maximum=most)
        if numbers[_N_LABELS] > n_labels:
            fields.fail("regression.numbers", "must count the labels")
        frequencies = fields.array(
            "regression.frequencies", np.int64, shape=(rows,), minimum=0, maximum=numbers[_N_DOCS]
        )
        result.weights, result.intercepts, result.numbers = weights.copy(), intercepts.copy(), numbers.copy()
        result.frequencies = frequencies.copy()
        return result


@jit
def learn_documents(documents: Any, weights: Any, intercepts: Any, frequencies: Any, numbers: Any, times: Any) -> None:
    """Take a step for each document with words and labels. ``times`` is a workspace, zero before and after."""
    tokens, offsets, label, first_label = documents
    n_rows = weights.shape[0]
    longest = 0
    for d in range(offsets.shape[0] - 1):
        longest = max(longest, offsets[d + 1] - offsets[d])
    columns, values = np.zeros(longest, np.int64), np.zeros(longest, np.float32)
    step = np.zeros(weights.shape[1], np.float32)
    for d in range(offsets.shape[0] - 1):
        labels = label[first_label[d] : first_label[d + 1]]
        if labels.shape[0] == 0 or offsets[d] == offsets[d + 1]:
            continue
        numbers[_N_DOCS] += 1
        for j in range(labels.shape[0]):
            numbers[_N_LABELS] = max(numbers[_N_LABELS], labels[j] + 1)
        n = 0
        for i in range(offsets[d], offsets[d + 1]):
            w = tokens[i]
            if w < n_rows:
                if times[w] == 0:
                    columns[n] = w
                    n += 1
                    frequencies[w] += 1
                times[w] += 1
        squares = 0.0
        for j in range(n):
            w = columns[j]
            idf = 1.0 + math.log((1 + numbers[_N_DOCS]) / (1 + frequencies[w]))
            value = (1.0 + math.log(times[w])) * idf
            values[j] = value
            squares += value * value
            times[w] = 0
        scale = 1.0 / math.sqrt(max(squares, 1e-300))
        for j in range(n):
            values[j] *= scale
        eta = np.float32(RATE)
        take_step(columns[:n], values[:n], labels, weights, intercepts, step[: numbers[_N_LABELS]], eta)
