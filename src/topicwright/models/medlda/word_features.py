"""TF-IDF features of documents, for models whose words have weights besides those of the topics.

A document is a vector of length 1 with (1 + log n) · idf for a word that occurs n times, as in text classifiers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._sampling.medlda.weights import FeatureColumns
from ...corpus.vocabulary import document_frequencies

Floats = NDArray[np.float64]


def inverse_document_frequency(tokens: NDArray[np.int32], offsets: NDArray[np.int64], n_words: int) -> Floats:
    """Inverse document frequency of each word, 1 + log((1 + D) / (1 + D_w))."""
    return np.asarray(1.0 + np.log(len(offsets) / (1 + document_frequencies(tokens, offsets, n_words))))


def tfidf_features(tokens: NDArray[np.int32], offsets: NDArray[np.int64], idf: Floats) -> Any:
    """TF-IDF features as CSR with one row of length 1 per document; zero for a document without words."""
    from scipy.sparse import csr_array

    shape = (len(offsets) - 1, len(idf))
    rows = csr_array((np.ones(len(tokens)), tokens.copy(), offsets.copy()), shape=shape)  # changed in place below
    rows.sum_duplicates()
    rows.data = (1.0 + np.log(rows.data)) * idf[rows.indices]
    lengths = np.sqrt(np.add.reduceat(np.append(rows.data**2, 0.0), rows.indptr[:-1]))
    rows.data /= np.repeat(lengths, np.diff(rows.indptr))
    return rows


def feature_columns(tokens: NDArray[np.int32], offsets: NDArray[np.int64], idf: Floats) -> FeatureColumns:
    """TF-IDF features by column, times the length of each document: scores of the sampler are sums over tokens."""
    rows = tfidf_features(tokens, offsets, idf)
    rows.data *= np.repeat(np.diff(offsets), np.diff(rows.indptr))
    columns = rows.tocsc()
    return FeatureColumns(columns.indptr.astype(np.int64), columns.indices.astype(np.int32), columns.data)
