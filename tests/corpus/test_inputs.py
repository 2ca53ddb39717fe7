import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from topicwright import Corpus, InputError
from topicwright.corpus import as_corpus

TEXTS = ["red apple", "green pear"]
WORDS = [["red", "apple"], ["green", "pear"]]


@pytest.mark.parametrize(
    "X",
    [
        TEXTS,
        tuple(TEXTS),
        iter(TEXTS),
        np.array(TEXTS),
        np.array(TEXTS, dtype=object),
        pd.Series(TEXTS),
        pd.Series(TEXTS, dtype=object),
        pl.Series(TEXTS),
        WORDS,
        iter(WORDS),
        pd.Series(WORDS),
        pl.Series(WORDS),
        [np.array(words) for words in WORDS],
        [iter(words) for words in WORDS],
        (iter(words) for words in WORDS),
        Corpus.from_texts(TEXTS),
    ],
)
def test_texts_and_words(X):
    corpus = as_corpus(X)
    assert [corpus.words(d) for d in range(2)] == WORDS


@pytest.mark.parametrize(
    "X",
    [
        [[1, 0], [0, 2]],
        iter([[1, 0], [0, 2]]),
        [np.array([1, 0]), np.array([0, 2])],
        np.array([[1, 0], [0, 2]]),
        np.array([[1, 0], [0, 2]], dtype=object),
        sp.csr_matrix([[1, 0], [0, 2]]),
        sp.coo_array([[1, 0], [0, 2]]),
        pd.DataFrame({"a": [1, 0], "b": [0, 2]}),
        pl.DataFrame({"a": [1, 0], "b": [0, 2]}),
    ],
)
def test_counts(X):
    assert as_corpus(X).to_matrix().toarray().tolist() == [[1, 0], [0, 2]]


def test_a_corpus_is_passed_through():
    corpus = Corpus.from_texts(TEXTS)
    assert as_corpus(corpus, min_df=5) is corpus


def test_leading_empty_entries_are_skipped_in_detection():
    assert as_corpus([[], ["red"]]).doc_lengths().tolist() == [0, 1]
    assert as_corpus(["", "red"]).doc_lengths().tolist() == [0, 1]


def test_irrelevant_options_are_ignored():
    options = {"stop_words": ["red"], "lowercase": True, "labels": ["a", "b"]}
    assert as_corpus(TEXTS, **options).n_words == 3
    assert as_corpus(WORDS, **options).n_words == 3
    assert as_corpus([[1], [2]], **options).labels == (("a",), ("b",))


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ("red apple", "X must be a list of texts: got a single str"),
        (__file__, "got a single str; for a file, use Corpus.from_jsonl, from_csv and so on"),
        (pd.DataFrame({"n": [1], "body": ["red"]}), r"a frame with texts.*: pass X\['body'\], or Corpus.from_frame"),
        (pl.DataFrame({"body": ["red"], "note": ["x"]}), r"pass X\['body'\]"),
        ({"a": 1}, "X must be texts or a matrix of counts: got dict"),
        ([], "at least one document"),
        ([1, 2, 3], "texts, lists of words or rows of counts: got 1; texts must be strings"),
        (np.array([1, 2, 3]), "Expected 2D array, got 1D array"),
        (pd.Series([1, 2]), "rows of counts: got 1; texts must be strings"),
        (None, "Expected 2D array, got scalar array"),
        ([[], []], r"0 feature\(s\)"),
        (["red", None], "texts must be strings: got None at position 1"),
        ([None, "red"], "texts must be strings: got None at position 0"),
        ([float("nan"), "red"], "texts must be strings: got nan at position 0"),
        ([b"red"], "texts must be strings: got bytes at position 0"),
        ([{"text": "red"}], "texts must be strings: got dict at position 0"),
        ([object()], "texts must be strings: got object at position 0"),
        ([["red", 3]], "words must be strings: got 3 in document 0"),
    ],
)
def test_rejects_other_types(X, message):
    with pytest.raises(InputError, match=message):
        as_corpus(X)
