import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from topicwright import Corpus, InputError

COUNTS = np.array([[2, 0, 1], [0, 0, 0], [0, 3, 0]])


@given(arrays(np.int64, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.integers(0, 5)))
def test_matrix_round_trip(counts):
    corpus = Corpus.from_matrix(counts)
    np.testing.assert_array_equal(corpus.to_matrix().toarray(), counts)
    assert corpus.vocabulary.tolist() == [f"x{i}" for i in range(counts.shape[1])]
    assert all(np.all(np.diff(document) >= 0) for document in corpus)


@pytest.mark.parametrize(
    "kind",
    [
        np.asarray,
        np.ndarray.tolist,
        lambda X: X.astype(np.float32),
        lambda X: X.astype(object),
        sp.csr_matrix,
        sp.csr_array,
        sp.csc_array,
        sp.coo_matrix,
        sp.lil_array,
        sp.dok_array,
        sp.bsr_array,
        sp.dia_array,
        lambda X: sp.csr_array(X.astype(np.float64)),
        pd.DataFrame,
        lambda X: pl.DataFrame(X, orient="row"),
        lambda X: pd.DataFrame(X).astype(pd.SparseDtype("int", 0)),
        lambda X: pd.DataFrame(X).astype("Int64"),
    ],
)
def test_every_kind_of_matrix(kind):
    np.testing.assert_array_equal(Corpus.from_matrix(kind(COUNTS)).to_matrix().toarray(), COUNTS)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_columns_are_words(frame):
    table = frame({"apple": [1, 0], "pear": [2, 1]})
    assert Corpus.from_matrix(table).words(0) == ["apple", "pear", "pear"]
    assert Corpus.from_matrix(table, ["a", "b"]).words(1) == ["b"]


def test_metadata_is_kept():
    corpus = Corpus.from_matrix(COUNTS, labels=["a", "b", "c"], targets=[1, 2, 3], ids=["x", "y", "z"])
    assert corpus.labels == (("a",), ("b",), ("c",))
    assert corpus.ids == ("x", "y", "z")


def test_duplicates_are_summed_without_overflow_and_the_input_stays():
    X = sp.coo_matrix((np.array([200, 200], dtype=np.uint8), ([0, 0], [1, 1])), shape=(1, 2))
    assert Corpus.from_matrix(X).n_tokens == 400
    unsorted = sp.csr_matrix((np.array([1.0, 2.0]), np.array([1, 0]), np.array([0, 2])), shape=(1, 2))
    assert Corpus.from_matrix(unsorted).tokens.tolist() == [0, 0, 1]
    assert unsorted.indices.tolist() == [1, 0]


def test_booleans_are_counts():
    assert Corpus.from_matrix(np.array([[True, False, True]])).tokens.tolist() == [0, 2]


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[0, 1], [2, -3]], "^Negative values in data: .* got -3 in row 1, column 1"),
        (sp.csr_array([[0, 1], [0, -3.0]]), "^Negative values in data: .* got -3.0 in row 1, column 1"),
        ([[0, 1], [0, 0.5]], r"counts must be whole numbers \(.*\): got 0.5 in row 1, column 1"),
        ([[0, 2**31]], "counts must be at most 2147483647: got 2147483648 in row 0, column 1"),
        ([[0, np.nan]], r"Input X contains NaN.(.|\n)*in row 0, column 1"),
        (sp.csr_array([[0, 0], [np.inf, 0]]), r"Input X contains infinity(.|\n)*in row 1, column 0"),
        (pl.DataFrame({"a": [1, None]}), r"Input X contains NaN.(.|\n)*in row 1, column 0"),
        ([1, 2, 3], r"Expected 2D array, got 1D array instead(.|\n)*Reshape your data"),
        (np.array(3), "Expected 2D array, got scalar array instead"),
        (np.zeros((2, 2, 2)), "Found array with dim 3"),
        (np.zeros((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is required."),
        (np.zeros((0, 3)), r"0 sample\(s\)"),
        (np.array([[1 + 1j]]), "Complex data not supported"),
        (np.array([["a", "b"]]), "could not convert|not compatible"),
        ([["a", "b"]], "could not convert|not compatible"),
        ([[1, 2], [3]], "inhomogeneous|sequence"),
    ],
)
def test_rejects_invalid_matrices(X, message):
    with pytest.raises(InputError, match=message):
        Corpus.from_matrix(X)


def test_rejects_invalid_vocabularies():
    with pytest.raises(InputError, match="vocabulary must have one word per column: got 2, expected 3"):
        Corpus.from_matrix(COUNTS, ["a", "b"])
    with pytest.raises(InputError, match="vocabulary must not repeat words: got 'a' twice"):
        Corpus.from_matrix(COUNTS, ["a", "b", "a"])
    with pytest.raises(InputError, match="vocabulary must be a list of words"):
        Corpus.from_matrix(COUNTS, "abc")


def test_wide_sparse_input_is_not_made_dense():
    X = sp.csr_array((np.array([1.0]), (np.array([0]), np.array([999_999]))), shape=(100_000, 1_000_000))
    tokens = Corpus.from_matrix(X)
    assert tokens.n_docs == 100_000
    assert tokens.tokens.tolist() == [999_999]


def test_rejects_too_many_tokens_before_allocating():
    huge = np.full((2, 2), 2**30)
    with pytest.raises(InputError, match="counts must add up to at most 2,147,483,647 words: got 4,294,967,296"):
        Corpus.from_matrix(huge)
