"""Words, documents and labels of topics, compared with plain definitions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

import topicwright as tw
from topicwright.errors import InputError
from topicwright.views import (
    RankedWords,
    coherence_of_topics,
    documents_of,
    labels_of,
    relevant_words,
    similar_topics,
    topic_distances,
    topic_sizes,
    weights_of_topics,
)
from topicwright.views.documents import passage_pieces

from ..assertions import raises_input
from .conftest import KINDS, without_documents


@pytest.fixture(scope="module")
def seeded():
    texts = ["ship sails sea", "boat sea storm", "bread oven flour", "flour butter bread"] * 10
    return tw.LDA(n_topics=3, n_sweeps=30, knowledge=[tw.SeedWords({"kitchen": ["oven", "ship"]})]).fit(texts)


@pytest.mark.parametrize("lam", [0.0, 0.3, 0.6, 1.0])
@pytest.mark.parametrize("kind", ["lda", "seeded", "stream"])
def test_relevance_equals_ldavis(models, seeded, kind, lam):
    model = seeded if kind == "seeded" else models(kind)
    phi = model.topic_word_
    p_word = topic_sizes(model) @ phi
    for topic in range(len(phi)):
        held = np.flatnonzero(model.topic_word_counts_.toarray()[topic] > 0)
        expected = (lam * np.log(phi[topic]) + (1 - lam) * np.log(phi[topic] / p_word))[held]
        words = relevant_words(model, topic, lam, 1000)
        assert {word.word for word in words} == set(model.vocabulary_[held])
        found = [word.relevance(lam) for word in words]
        np.testing.assert_allclose(found, np.sort(expected)[::-1], rtol=1e-9, atol=1e-12)


def test_the_most_frequent_words_are_top_words(seeded):
    tops = seeded.top_words(4)
    assert [[word.word for word in relevant_words(seeded, topic, 1.0, 4)] for topic in range(3)] == tops


def test_word_counts_equal_those_of_the_model(lda):
    counts = lda.topic_word_counts_.toarray()
    for word in relevant_words(lda, 2, 0.5, 5):
        [column] = np.flatnonzero(lda.vocabulary_ == word.word)
        assert (word.times, word.times_in_all) == (counts[2, column], counts[:, column].sum())


def test_candidates_include_the_best_words_for_every_lambda(lda):
    words = RankedWords(lda)
    candidates = {word.word for word in words.candidates(1, 3)}
    for lam in np.linspace(0, 1, 11):
        assert {word.word for word in words.relevant(1, float(lam), 3)} <= candidates


@pytest.mark.parametrize(
    ("parameter", "value"), [("topic", 5), ("topic", -1), ("topic", "sea"), ("lam", 1.5), ("n", 0)]
)
def test_invalid_parameters(lda, parameter, value):
    with raises_input(parameter, got=value):
        relevant_words(lda, **{"topic": 0, parameter: value})


@pytest.mark.parametrize("kind", ["lda", "classifier", "stream"])
def test_distances_equal_scipy(models, kind):
    counts = models(kind).topic_word_counts_.toarray()
    plain = [[jensenshannon(a, b, base=2) for b in counts] for a in counts]
    np.testing.assert_allclose(topic_distances(models(kind)), plain, atol=1e-7)


def test_similar_topics_are_the_nearest(lda):
    distances = topic_distances(lda)
    found = similar_topics(lda, 3, n=2)
    assert [likeness for _, likeness in found] == sorted((1 - distances[3] ** 2)[[0, 1, 2, 4]])[: -len(found) - 1 : -1]
    assert all(likeness > 0 and other != 3 for other, likeness in found)


def test_documents_have_most_of_the_topic(lda):
    topic = int(np.argmax(topic_sizes(lda)))
    theta = lda.doc_topic_[:, topic]
    found = documents_of(lda, topic, n=4, length=5)
    np.testing.assert_allclose([document.share for document in found], np.sort(theta)[::-1][:4])
    for document in found:
        start = int(lda.corpus_.offsets[document.row])
        own = lda.assignments_[start : start + 12] == topic
        most = max(own[place : place + 5].sum() for place in range(8))
        assert sum(word.is_of_topic for word in document.passage) == most
        assert len(document.passage) == 5
        assert document.name == f"d{document.row}"
        assert " ".join(word.word for word in document.passage) in " ".join(lda.corpus_.words(document.row))
        assert not (document.starts and document.ends)


def test_passages_are_the_text_where_it_was_kept():
    texts = ["It was,\n at SEA, a ship!", "(The)\x1b " + "of the " * 100 + "oven. And bread, in the END."]
    options = {"stop_words": "english", "ngram_range": (1, 2)}
    corpus = tw.Corpus.from_texts(texts * 4, keep_texts=True, **options)
    short, long, *_ = documents_of(tw.LDA(1, n_sweeps=2).fit(corpus), 0, n=2)
    assert [word.text for word in short.passage] == ["SEA", "", "ship"]  # the run of both holds no more than they do
    assert passage_pieces(short) == ["It was, at ", "SEA", ", a ", "ship", "!"]
    before = f"(The)\N{REPLACEMENT CHARACTER} {'of the ' * 7}of t … the {'of the ' * 8}"
    assert passage_pieces(long) == [before, "oven", ". And ", "bread", ", in the ", "END", "."]
    bare = documents_of(tw.LDA(1, n_sweeps=2).fit(tw.Corpus.from_texts(texts * 4, **options)), 0, n=1, length=2)[0]
    assert passage_pieces(bare) == ["", "sea", " ", "sea ship", " …"]


def test_passage_from_the_middle_of_a_text():
    text = "The ship sails. " * 3 + "Bread, bread and bread! " + "A ship sails at sea."
    corpus = tw.Corpus.from_texts([text, "bread bread bread bread"], stop_words="english", keep_texts=True)
    known = tw.SeedWords({0: ["bread"], 1: ["ship", "sails", "sea"]}, hard=True)
    model = tw.LDA(2, n_sweeps=5, knowledge=[known]).fit(corpus)
    document = documents_of(model, 0, n=2, length=3)[1]
    assert passage_pieces(document) == ["… ", "Bread", ", ", "bread", " and ", "bread", " …"]


def test_a_short_document_is_shown_as_a_whole(lda):
    document = documents_of(lda, 0, n=1, length=40)[0]
    assert [word.word for word in document.passage] == lda.corpus_.words(document.row)
    assert document.starts
    assert document.ends


def test_labels_of_topics_by_counting(lda):
    names, shares = labels_of(lda)
    rows = np.repeat(np.arange(60), lda.corpus_.doc_lengths())
    of_token = np.array([lda.corpus_.labels[row][0] for row in rows])
    for topic in range(5):
        own = of_token[lda.assignments_ == topic]
        expected = [np.mean(own == name) if len(own) else 0.0 for name in names]
        np.testing.assert_allclose(shares.toarray()[topic], expected)


def test_coherence_of_each_topic(lda):
    expected = tw.evaluation.coherence(lda, lda.corpus_, "npmi", per_topic=True)
    np.testing.assert_array_equal(coherence_of_topics(lda), expected)


def test_coherence_of_counts_uses_documents(lda):
    model = tw.LDA(n_topics=3, n_sweeps=10).fit(lda.corpus_.to_matrix())
    expected = tw.evaluation.coherence(model, model.corpus_, "npmi", window=0, per_topic=True)
    np.testing.assert_array_equal(coherence_of_topics(model), expected)


def test_an_empty_topic_has_no_coherence():
    model = tw.LDA(n_topics=2, n_sweeps=2, knowledge=[tw.DocumentLabels(["a"] * 9)]).fit(["red blue"] * 9)
    sizes = topic_sizes(model)
    assert sizes.tolist() == [1.0, 0.0]
    assert np.isnan(coherence_of_topics(model)).tolist() == [False, True]


def test_topic_weights(models):
    assert weights_of_topics(models("lda")) == {}
    assert list(weights_of_topics(models("classifier"))) == models("classifier").classes_.tolist()
    assert weights_of_topics(models("regressor")) == {"y": models("regressor").coef_.tolist()}


@pytest.mark.parametrize("kind", KINDS)
def test_without_documents(models, kind, tmp_path):
    model = without_documents(models(kind), tmp_path)
    for view in (lambda: documents_of(model, 0), lambda: coherence_of_topics(model), lambda: labels_of(model)):
        with pytest.raises(InputError, match=r"needs (the )?training documents"):
            view()
    assert relevant_words(model, 0) == relevant_words(models(kind), 0)
