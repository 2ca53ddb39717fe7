"""LDA with one topic per document, and its use as the start of the chain."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import topicwright as tw
from topicwright.errors import InputError, TopicwrightWarning


def fit(texts: list[str], n_topics: int = 3, **options: object) -> tw.LDA:
    return tw.LDA(n_topics, **{"one_topic_per_document": True, "beta": 0.1, "n_sweeps": 30, **options}).fit(texts)


def test_all_words_of_a_document_have_one_topic(texts: list[str]) -> None:
    model = fit(texts)
    assert (np.diff(model.doc_topic_counts_.indptr) == 1).all()
    groups = [model.doc_topic_counts_.indices[np.arange(len(texts)) % 3 == theme] for theme in range(3)]
    assert all(len(set(topics)) == 1 for topics in groups)


def test_topics_of_documents_are_the_posterior_given_the_topics(texts: list[str]) -> None:
    model = fit(texts)
    new = ["ship bread sail", "jury law"]
    columns = [[list(model.vocabulary_).index(word) for word in text.split()] for text in new]
    prior = np.asarray(model.topic_word_counts_.sum(axis=1)).ravel() + model.alpha_
    expected = np.array([prior * model.topic_word_[:, words].prod(axis=1) for words in columns])
    np.testing.assert_allclose(model.transform(new), expected / expected.sum(axis=1, keepdims=True), rtol=1e-10)
    np.testing.assert_array_equal(model.doc_topic_, model.transform(model.corpus_))
    np.testing.assert_allclose(model.transform([""]), [prior / prior.sum()])


def test_document_knowledge_counts_for_training_documents(texts: list[str]) -> None:
    model = fit(texts, 4, knowledge=[tw.DocumentLabels([["a"], ["a", "b"]] + [None] * (len(texts) - 2))])
    np.testing.assert_array_equal(model.doc_topic_[0], [1, 0, 0, 0])
    assert model.doc_topic_[1, :2].sum() == pytest.approx(1)


def test_likelihood_is_that_of_the_mixture(texts: list[str]) -> None:
    from math import lgamma

    model = fit(texts, n_sweeps=5)
    in_topic = np.bincount(model.doc_topic_counts_.indices, minlength=3)
    total = lgamma(0.3) - lgamma(len(texts) + 0.3) + sum(lgamma(m + 0.1) - lgamma(0.1) for m in in_topic)
    n_words = len(model.vocabulary_)
    for counts in model.topic_word_counts_.toarray():
        total += lgamma(0.1 * n_words) - lgamma(counts.sum() + 0.1 * n_words)
        total += sum(lgamma(c + 0.1) - lgamma(0.1) for c in counts)
    assert model.log_likelihood_[-1][1] == pytest.approx(total / model.corpus_.n_tokens, rel=1e-10)


def test_saved_model_is_the_same_and_resumes(texts: list[str], tmp_path: Path) -> None:
    model = fit(texts, n_sweeps=4)
    model.save(tmp_path / "all.tw")
    model.save(tmp_path / "small.tw", include_corpus=False)
    whole, small = tw.load(tmp_path / "all.tw"), tw.load(tmp_path / "small.tw")
    assert whole.one_topic_per_document is True
    np.testing.assert_array_equal(small.transform(texts), model.transform(texts))
    np.testing.assert_array_equal(whole.resume(3).assignments_, fit(texts, n_sweeps=7).assignments_)


def test_same_answer_on_any_number_of_threads(texts: list[str]) -> None:
    one, three = fit(texts, n_jobs=1), fit(texts, n_jobs=3)
    np.testing.assert_array_equal(one.assignments_, three.assignments_)
    np.testing.assert_array_equal(one.doc_topic_, three.doc_topic_)


def test_priors_can_be_learned(texts: list[str]) -> None:
    model = fit(texts, alpha="learn", beta="learn", n_sweeps=40)
    assert np.isfinite(model.alpha_).all()
    assert (model.alpha_ > 0).all()
    assert 0.01 < float(np.mean(model.beta_)) < 10


def test_wrong_use_is_explained(texts: list[str], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="one_topic_per_document"):
        tw.LDA(2, one_topic_per_document="yes").fit(texts)
    with pytest.raises(InputError, match="trains in memory"):
        tw.LDA(2, one_topic_per_document=True).fit(texts, backend=tw.DiskBackend(tmp_path / "run"))
    with pytest.raises(InputError, match="completion"):
        fit(texts).perplexity(texts, method="left-to-right")


def test_a_chain_starts_from_clusters_of_documents(texts: list[str]) -> None:
    """After one sweep most documents have most of their tokens in one topic; without the start they have several."""
    first = tw.LDA(3, n_sweeps=1).fit(texts).doc_topic_counts_.toarray()
    assert (first.max(axis=1) >= 0.9 * first.sum(axis=1)).mean() > 0.9


def test_short_documents_are_warned_about() -> None:
    short = ["ship sails sea", "bread oven flour", "court judge law"] * 200
    with pytest.warns(TopicwrightWarning, match="one_topic_per_document with a beta"):
        tw.LDA(3, n_sweeps=1).fit(short)
