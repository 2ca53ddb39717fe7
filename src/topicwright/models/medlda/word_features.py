"""Words that have weights of their own beside topics: what a document's words are as features.

A document is a vector of length 1, with (1 + log n) · idf for a word that it has n times, as in text classifiers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._sampling.medlda.weights import FeatureColumns
from ...corpus.vocabulary import document_frequencies

Floats = NDArray[np.float64]


def inverse_document_frequency(tokens: NDArray[np.int32], offsets: NDArray[np.int64], n_words: int) -> Floats:
    """1 + log((1 + D) / (1 + D_w)): words of few documents count more."""
    return np.asarray(1.0 + np.log(len(offsets) / (1 + document_frequencies(tokens, offsets, n_words))))


def tfidf_features(tokens: NDArray[np.int32], offsets: NDArray[np.int64], idf: Floats) -> Any:
    """Documents as rows of length 1, sparse; one without words is zero."""
    from scipy.sparse import csr_array

    shape = (len(offsets) - 1, len(idf))
    rows = csr_array((np.ones(len(tokens)), tokens.copy(), offsets.copy()), shape=shape)  # it is changed in place
    rows.sum_duplicates()
    rows.data = (1.0 + np.log(rows.data)) * idf[rows.indices]
    lengths = np.sqrt(np.add.reduceat(np.append(rows.data**2, 0.0), rows.indptr[:-1]))
    rows.data /= np.repeat(lengths, np.diff(rows.indptr))
    return rows


def weighed_columns(tokens: NDArray[np.int32], offsets: NDArray[np.int64], idf: Floats) -> FeatureColumns:
    """Features by columns, times the documents' lengths: a sampler's scores are sums over tokens, not means."""
    rows = tfidf_features(tokens, offsets, idf)
    rows.data *= np.repeat(np.diff(offsets), np.diff(rows.indptr))
    columns = rows.tocsc()
    return FeatureColumns(columns.indptr.astype(np.int64), columns.indices.astype(np.int32), columns.data)
