"""Search for words and documents, against the definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import topicwright as tw
from topicwright.errors import InputError
from topicwright.views import Search

from ..assertions import raises_input
from .conftest import without_documents

DOCUMENTS = ["ship ship sea", "ship storm", "bread oven", "bread sea oven flour butter salt", "", "Shipping news"]


@pytest.fixture(scope="module")
def model():
    corpus = tw.Corpus.from_texts(
        DOCUMENTS,
        ids=["a1", "a2", "Sea notes", "b1", "b2", "b3"],
        labels=[["news"], [], ["Kitchen"], ["Kitchen", "kitchen"], [], []],
        dates=[2019, None, None, None, None, None],
    )
    return tw.LDA(n_topics=3, n_sweeps=5).fit(corpus)


@pytest.fixture(scope="module")
def search(model):
    return Search(model)


def test_exact_prefix_and_substring_matches(search):
    assert [found.word for found in search.words("ship")] == ["ship", "shipping"]
    assert [found.word for found in search.words("S")] == ["ship", "sea", "salt", "shipping", "storm", "news"]
    assert [found.word for found in search.words(" EA ")] == ["bread", "sea"]
    assert search.words("s", n=2) == search.words("s")[:2]
    assert search.words("zzz") == search.words("  ") == []


def test_a_word_has_its_topics(search, model):
    [ship] = search.words("ship", n=1)
    column = model.topic_word_counts_.toarray()[:, model.vocabulary_.tolist().index("ship")]
    assert ship.times == column.sum() == 3
    assert {one.topic: one.times for one in ship.topics} == {k: n for k, n in enumerate(column.tolist()) if n}
    assert sum(one.share for one in ship.topics) == pytest.approx(1)
    assert [one.times for one in ship.topics] == sorted((one.times for one in ship.topics), reverse=True)


def bm25(documents, words):
    """BM25, from its definition."""
    mean = np.mean([len(document) for document in documents])
    scores = np.zeros(len(documents))
    for word in words:
        n = sum(word in document for document in documents)
        for row, document in enumerate(documents):
            times = document.count(word)
            damped = times + 1.2 * (1 - 0.75 + 0.75 * len(document) / mean)
            scores[row] += math.log(1 + (len(documents) - n + 0.5) / (n + 0.5)) * times * 2.2 / damped
    return scores


def test_documents_by_words(search):
    found = search.documents("the ship at sea")
    scores = bm25([text.lower().split() for text in DOCUMENTS], ["ship", "sea"])
    assert [one.row for one in found] == np.argsort(-scores, kind="stable")[:3].tolist()
    assert [one.score for one in found] == pytest.approx(np.sort(scores)[::-1][:3])
    assert found[0] == (0, "a1", ("news",), "2019-01-01T00:00:00", "words", found[0].score, ("ship", "sea"))
    assert found[1].date is None


def test_unknown_word_matches_as_prefix(search):
    assert [(one.row, one.words) for one in search.documents("butt")] == [(3, ("butter",))]
    assert [one.row for one in search.documents("shippi")] == [5]
    assert search.documents("zzz") == search.documents("!") == search.documents("") == []


def test_documents_by_name_and_label(search):
    assert [(one.row, one.by) for one in search.documents("b")] == [(3, "name"), (4, "name"), (5, "name")]
    assert [one.row for one in search.documents("A2")] == [1]
    assert [(one.row, one.by) for one in search.documents("kitchen")] == [(2, "label"), (3, "label")]
    assert [(one.row, one.by) for one in search.documents("news")] == [(0, "label"), (5, "words")]


def test_names_and_words_share_the_results(search):
    assert [(one.row, one.by) for one in search.documents("sea")] == [(2, "name"), (0, "words"), (3, "words")]
    assert [(one.row, one.by) for one in search.documents("sea", n=2)] == [(2, "name"), (0, "words")]
    assert [one.row for one in search.documents("sea", n=1)] == [2]


def test_documents_without_names_are_found_by_row(model):
    search = Search(tw.LDA(n_topics=2, n_sweeps=2).fit(DOCUMENTS))
    assert [(one.row, one.by, one.name) for one in search.documents("row 4")] == [(4, "name", None)]
    assert [one.row for one in search.documents("3")] == [3]
    assert search.documents("99") == search.documents("٣") == []


def test_count_models_are_searched_by_column_name():
    search = Search(tw.LDA(n_topics=2, n_sweeps=2).fit([[1, 0, 2], [0, 3, 0]]))
    assert [one.row for one in search.documents("x1")] == [1]
    assert len(search.documents("x")) == 2


@given(st.text(max_size=20), st.integers(1, 6))
def test_any_query_returns_a_result(search, q, n):
    documents = search.documents(q, n)
    assert len(documents) <= n
    assert len({one.row for one in documents}) == len(documents)
    assert len(search.words(q, n)) <= n


def test_rejects_invalid_queries(search, lda, models, tmp_path):
    with raises_input("q", got=int):
        search.words(3)
    with raises_input("n", got=0):
        search.documents("sea", 0)
    for model in (without_documents(lda, tmp_path), models("stream")):
        assert Search(model).words("ship", 1)[0].word == "ship"
        with pytest.raises(InputError, match="documents needs the training documents"):
            Search(model).documents("ship")
