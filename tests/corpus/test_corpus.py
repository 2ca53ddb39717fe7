import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

from topicwright import Corpus, InputError


@pytest.fixture
def corpus():
    return Corpus.from_texts(
        ["red apple", "green pear", "red pear"],
        labels=["a", "b", ["a", "b"]],
        targets=[1, 2, 3],
        ids=["x", "y", "z"],
        links=[(0, 1), (1, 2)],
    )


def test_summary_properties(corpus):
    assert repr(corpus) == "<Corpus: 3 documents, 6 tokens, 4 words, 2 labels, targets, 2 links>"
    assert len(corpus) == 3
    assert [document.tolist() for document in corpus] == [[3, 0], [1, 2], [3, 2]]
    assert corpus.word_counts().tolist() == [1, 1, 2, 2]
    assert corpus.label_names() == ["a", "b"]


def test_selection_keeps_metadata(corpus):
    part = corpus.select([2, 1])
    assert part.words(0) == ["red", "pear"]
    assert part.labels == (("a", "b"), ("b",))
    assert part.ids == ("z", "y")
    assert part.targets.tolist() == [3, 2]
    assert part.links.tolist() == [[1, 0]]
    assert corpus.select(np.array([False, True, False])).words(0) == ["green", "pear"]
    assert corpus.select([]).n_docs == 0


def test_documents_count_from_the_end_too(corpus):
    assert corpus.words(-1) == corpus.words(2) == ["red", "pear"]
    assert corpus.words(-3) == corpus.words(0)
    assert corpus.doc(np.int64(-2)).tolist() == corpus.doc(1).tolist()
    for row in (3, -4):
        with pytest.raises(IndexError):
            corpus.doc(row)


def test_vocabulary_is_read_only_and_shared(corpus):
    with pytest.raises(ValueError, match="read-only"):
        corpus.vocabulary[0] = "other"
    assert corpus.select([0]).vocabulary is corpus.vocabulary


def test_the_matrix_is_a_copy():
    corpus = Corpus.from_texts(["red apple red", "pear apple pear"])
    before = corpus.tokens.copy(), corpus.offsets.copy()
    assert corpus.to_matrix().toarray().tolist() == [[1, 0, 2], [1, 2, 0]]
    np.testing.assert_array_equal(corpus.tokens, before[0])
    np.testing.assert_array_equal(corpus.offsets, before[1])


def test_pickles(corpus):
    again = pickle.loads(pickle.dumps(corpus))
    assert again.vocabulary.tolist() == corpus.vocabulary.tolist()
    assert again.labels == corpus.labels
    assert again.tokenizer == corpus.tokenizer


@pytest.mark.parametrize(
    ("tokens", "offsets", "message"),
    [
        ([0, 1], [0, 1], "offsets must rise from 0 to the number of tokens"),
        ([0, 1], [1, 2], "offsets must rise"),
        ([0, 1], [0, 2, 1, 2], "offsets must rise"),
        ([0, 2], [0, 2], "word ids must be from 0 to 1: got 0 to 2"),
        ([-1, 0], [0, 2], "word ids must be"),
        ([[0]], [0, 1], "must be one-dimensional"),
        ([], [], "offsets not empty"),
        ([0.7, 1.2], [0, 2], "tokens must be whole numbers: got float64"),
        ([0, 1], [0.0, 2.0], "offsets must be whole numbers: got float64"),
        ([0, 2**32], [0, 2], "word ids must be from 0 to 1: got 0 to 4294967296"),
    ],
)
def test_arrays_are_checked(tokens, offsets, message):
    with pytest.raises(InputError, match=message):
        Corpus(np.array(tokens), np.array(offsets), ["a", "b"])


@pytest.mark.parametrize("column", [pd.Series, pl.Series])
def test_labels_and_targets_may_be_a_column_of_lists(column):
    assert Corpus.from_texts(["red", "green"], labels=column([["a"], ["b", "c"]])).labels == (("a",), ("b", "c"))
    corpus = Corpus.from_texts(["red", "green"], targets=column([[1.0, 2.0], [3.0, 4.0]]))
    assert corpus.targets.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("missing", [None, float("nan"), np.float32("nan")])
def test_missing_labels_are_no_labels(missing):
    assert Corpus.from_texts(["red"], labels=[missing]).labels == ((),)
    assert Corpus.from_texts(["red"], labels=[3]).labels == (("3",),)
    assert Corpus.from_texts(["red"], labels=[{"b"}]).labels == (("b",),)
    assert Corpus.from_texts(["red"], labels=[["a", missing, "b"]]).labels == (("a", "b"),)


def test_a_notebook_shows_counts_and_first_documents():
    corpus = Corpus.from_texts(
        ["<b>ship</b> & sea"] * 7,
        ids=[f"<i>{row}" for row in range(7)],
        labels=[["<script>"]] * 7,
        targets=[0.5] * 7,
        dates=["2019-05-03", "2019-05-03T10:00", None, *["2019"] * 4],
        keep_texts=True,
    )
    page = corpus._repr_html_()
    assert "7 documents, 14 tokens" in page
    assert page.count("<tr") == 1 + 5
    assert "… and 2 more" in page
    for part in ("&lt;i&gt;4", "&lt;script&gt;", "0.5", "2019-05-03<", "2019-05-03 10:00:00", "–", "&lt;b&gt;ship"):
        assert part in page
    assert "<script" not in page


def test_a_notebook_shows_words_where_texts_were_not_kept():
    page = Corpus.from_texts(["ship sea", "", " ".join(["sea"] * 40)])._repr_html_()
    assert "ship sea" in page
    assert page.count("sea") == 1 + 30
    assert "<tbody></tbody>" in Corpus([], [0], [])._repr_html_()


def test_missing_dates_are_counted():
    assert "dates (1 missing)" in repr(Corpus.from_texts(["red", "green"], dates=["2019", None]))
    assert repr(Corpus.from_texts(["red"], dates=["2019"])).endswith("dates>")
