"""Tables of topics and documents, and how results are displayed."""

from __future__ import annotations

import re

import numpy as np
import pytest

import topicwright as tw
from topicwright.views import documents_of, frex_words, read_document, read_text, relevant_words, topics_over_time

from ..assertions import raises_input
from ..conftest import themed_texts
from .conftest import KINDS, without_documents


@pytest.fixture(scope="module")
def dated():
    corpus = tw.Corpus.from_texts(
        [f"The {text}!" for text in themed_texts(60)],
        stop_words="english",
        keep_texts=True,
        ids=[f"d{i}" for i in range(60)],
        dates=[2000 + i // 6 for i in range(60)],
        labels=[["odd"] if i % 2 else [] for i in range(60)],
        metadata={"party": ["left", None] * 30, "share": range(60)},
    )
    return tw.LDA(n_topics=3, n_sweeps=20).fit(corpus)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("has_documents", [True, False])
def test_topic_info_of_every_kind(models, kind, has_documents, tmp_path):
    model = models(kind) if has_documents else without_documents(models(kind), tmp_path)
    table = model.topic_info(5)
    assert [row.topic for row in table] == list(range(len(model.alpha_)))
    assert [list(row.words) for row in table] == model.top_words(5)
    assert sum(row.share for row in table) == pytest.approx(1)
    np.testing.assert_allclose([row.n_tokens for row in table], model.topic_word_counts_.sum(axis=1), atol=0.5)
    counts = [row.n_docs for row in table]
    if kind in ("labeled", "stream"):
        assert counts[:3] == model.label_counts_.tolist()
        assert [row.name for row in table][:3] == [str(label) for label in model.classes_]
    elif has_documents:
        dense = model.doc_topic_counts_.toarray()
        assert counts == np.bincount(dense.argmax(axis=1), minlength=len(counts)).tolist()
        assert sum(counts) == 60
    else:
        assert counts == [None] * len(model.alpha_)
    assert table.to_frame().shape == (len(table), 7)
    assert "n_docs" in repr(table) or not has_documents


def test_document_info(dated):
    table = dated.document_info()
    theta = dated.doc_topic_
    assert [row.topic for row in table] == theta.argmax(axis=1).tolist()
    np.testing.assert_allclose([row.share for row in table], theta.max(axis=1))
    assert table[3].name == "d3"
    assert table[3].labels == ("odd",)
    assert table[3].date == "2000-01-01T00:00:00"
    assert table[3].text == dated.corpus_.texts[3]
    frame = table.to_frame()
    assert frame["party"].isna().sum() == 30
    assert frame["metadata_share"].tolist() == list(range(60))  # the table has a share of its own
    assert list(frame.columns[-3:]) == ["party", "metadata_share", "text"]
    some = dated.document_info([5, 2])
    assert [row.row for row in some] == [5, 2]
    assert some == [table[5], table[2]]
    assert [row.metadata["share"] for row in some] == [5, 2]
    assert "d5" in repr(some)
    assert "left" in some._repr_html_()


def test_document_info_in_blocks(dated, monkeypatch):
    whole = dated.document_info()
    monkeypatch.setattr("topicwright.views.info._ROWS", 7)
    assert dated.document_info() == whole


def test_document_info_needs_documents(models, tmp_path):
    with raises_input(match="document_info needs the training documents"):
        without_documents(models("lda"), tmp_path).document_info()
    with raises_input(match="document_info needs the training documents"):
        models("stream").document_info()
    assert models("regressor").document_info([4])[0].target is None or isinstance(
        models("regressor").document_info([4])[0].target, float
    )


def test_results_are_short_to_read(dated):
    shown = {
        "topics": dated.topic_info(),
        "documents": dated.document_info(),
        "time": topics_over_time(dated),
        "of": documents_of(dated, 1),
        "read": read_document(dated, 3),
        "text": read_text(dated, "A ship, a SHIP?"),
        "words": relevant_words(dated, 1),
    }
    for result in shown.values():
        lines = repr(result).splitlines()
        assert 2 <= len(lines) <= 25
        assert max(map(len, lines)) < 250
        assert "(" not in lines[1]  # no tuples
        assert result._repr_html_().startswith("<div")
        assert len(result.to_frame())
    assert "ship[" in repr(shown["text"])
    assert repr(shown["read"]).startswith("document d3: 12 words; odd; 2000-01-01\n")
    assert "<script>" not in read_text(dated, "<script>ship</script>")._repr_html_()
    topics = {row.topic for row in shown["text"].words()}
    assert set(shown["text"].to_frame()["topic"]) == topics


def test_topics_over_time_as_a_frame(dated):
    found = topics_over_time(dated, [2, 0])
    frame = found.to_frame()
    assert len(frame) == len(found.periods) * 2
    wide = frame.pivot(index="start", columns="topic", values="share")
    np.testing.assert_array_equal(wide[[2, 0]].to_numpy(), found.shares)
    means = (found.shares * [[period.n_tokens] for period in found.periods]).sum(axis=0) / dated.corpus_.n_tokens
    shares = [float(line.split()[1]) for line in repr(found).splitlines()[2:]]
    np.testing.assert_allclose(shares, 100 * means, atol=0.5)


def test_empty_periods_have_no_share():
    corpus = tw.Corpus.from_texts(["ship sea", "bread oven"] * 5, dates=[2000, 2003] * 5)
    found = topics_over_time(tw.LDA(n_topics=2, n_sweeps=5).fit(corpus))
    assert found.to_frame()["share"].isna().sum() == 4
    assert re.search("2000|2003", repr(found))


# ---------------------------------------------------------------------- FREX


def slow_frex(phi, weight):
    """FREX from its definition, with ranks by pairwise comparison."""

    def ranks(values):
        below = (values[:, None] > values[None, :]).sum(axis=1)
        equal = (values[:, None] == values[None, :]).sum(axis=1)
        return (below + (equal + 1) / 2) / len(values)

    exclusivity = phi / phi.sum(axis=0)
    return np.array([1 / (weight / ranks(own) + (1 - weight) / ranks(row)) for row, own in zip(phi, exclusivity)])


@pytest.mark.parametrize("weight", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("knowledge", [[], [tw.KnownTopics({0: {"ship": 5, "law": 2}}, weight=1)]])
def test_frex_is_its_definition(weight, knowledge):
    texts = [f"the a of {text}" for text in themed_texts(40, seed=3)]
    model = tw.LDA(n_topics=4, n_sweeps=10, beta=0.1, knowledge=knowledge).fit(texts)
    scores = slow_frex(model.topic_word_, weight)
    for topic in range(4):
        words = [word.word for word in frex_words(model, topic, weight=weight, n=6)]
        got = scores[topic, [model.vocabulary_.tolist().index(word) for word in words]]
        present = model.topic_word_counts_[[topic], :].toarray()[0] > 0
        best = np.sort(scores[topic, present])[::-1][: len(got)]
        np.testing.assert_allclose(got, best, rtol=1e-6)


def test_frex_prefers_words_of_the_topic():
    texts = [f"the the the {text}" for text in themed_texts(40)]
    model = tw.LDA(n_topics=3, n_sweeps=50, random_state=1).fit(texts)
    for topic in range(3):
        assert "the" not in [word.word for word in frex_words(model, topic, weight=0.9, n=5)]
