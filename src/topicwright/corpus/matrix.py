"""Corpora from matrices of counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .core import Corpus
from .frames import column_names, is_frame
from .vocabulary import as_word_index

MAX_COUNT = 2**31 - 1


def from_matrix(X: Any, vocabulary: Any = None, **known: Any) -> Corpus:
    """See ``Corpus.from_matrix``."""
    names = column_names(X) if vocabulary is None and is_frame(X) else vocabulary
    counts = checked_counts(X)
    if names is None:
        names = default_words(counts.shape[1])
    index = as_word_index(names)
    if len(index.words) != counts.shape[1]:
        raise InputError(
            f"vocabulary must have one word per column: got {len(index.words)}, expected {counts.shape[1]}"
        )
    tokens, offsets = expand(counts.data, counts.indices, counts.indptr)
    return Corpus(tokens, offsets, index.words, **known)


def default_words(n_words: int) -> list[str]:
    """Names for words that have none, as scikit-learn names features."""
    return [f"x{i}" for i in range(n_words)]


def expand(
    counts: NDArray[Any], words: NDArray[Any], starts: NDArray[Any]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Token stream and offsets from the counts of words, document after document."""
    repeats = counts.astype(np.int64)
    n_tokens = int(repeats.sum(dtype=np.float64))  # in whole numbers the sum could overflow
    if n_tokens > MAX_COUNT:
        raise InputError(f"counts must add up to at most {MAX_COUNT:,} words: got {n_tokens:,}")
    try:
        tokens = np.repeat(words.astype(np.int32), repeats)
    except MemoryError:
        raise InputError(f"there is no memory for as many words as the counts add up to: got {n_tokens:,}") from None
    ends = np.concatenate([[0], np.cumsum(repeats)])
    return tokens, ends[starts].astype(np.int64)


def checked_counts(X: Any) -> Any:
    """The matrix as CSR with sorted indices, one entry a cell, and whole numbers that are not negative."""
    from scipy.sparse import csr_array

    if _is_sparse(X) and X.dtype.kind in "biu":
        X = X.astype(np.int64)  # sums of duplicates must not overflow a narrow type
    X = _checked_array(X)
    matrix = csr_array(X)
    if not matrix.has_canonical_format:
        if _is_sparse(X):
            matrix = matrix.copy()  # the caller's own arrays must stay as they are
        matrix.sum_duplicates()
    _check_cells(matrix)
    return matrix


def _checked_array(X: Any) -> Any:
    """scikit-learn's own checks, so that its messages are the ones that users of its estimators know."""
    from sklearn.utils import check_array

    try:
        return check_array(X, accept_sparse="csr", dtype="numeric", input_name="X")
    except ValueError as error:
        place = _place_of_infinity(X) if "Input X contains" in str(error) else ""
        raise InputError(f"{error}{place}") from None


def _place_of_infinity(X: Any) -> str:
    """Where the first NaN or infinity stands, if that can be told."""
    from scipy.sparse import coo_array

    try:
        cells = coo_array(X) if _is_sparse(X) else coo_array(np.asarray(X, dtype=np.float64))
        wrong = np.flatnonzero(~np.isfinite(cells.data))
        row, column = min(zip(cells.row[wrong].tolist(), cells.col[wrong].tolist()))
    except (TypeError, ValueError, AttributeError):
        return ""
    return f"\nThe first is in row {row}, column {column}."


def _is_sparse(X: Any) -> bool:
    return hasattr(X, "tocsr")


def _check_cells(matrix: Any) -> None:
    values = matrix.data
    checks = [
        (values < 0, "Negative values in data: counts must be 0 or more"),
        (values % 1 != 0, "counts must be whole numbers (not weights such as tf-idf)"),
        (values > MAX_COUNT, f"counts must be at most {MAX_COUNT}"),
    ]
    for wrong, message in checks:
        if wrong.any():
            first = int(np.argmax(wrong))
            row = int(np.searchsorted(matrix.indptr, first, side="right")) - 1
            raise InputError(f"{message}: got {values[first]} in row {row}, column {matrix.indices[first]}")
