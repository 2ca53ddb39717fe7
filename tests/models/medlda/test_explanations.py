"""MedLDAClassifier: explanations by topics and by word weights."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import topicwright as tw
from topicwright.errors import InputError

from ...assertions import raises_input
from ...conftest import THEMES
from .themes import NAMES, NEW, themes_of

# ---------------------------------------------------------------------- explanations


def test_explanation_sums_to_the_score(classifier: tw.MedLDAClassifier) -> None:
    explanation = classifier.explain(NEW[0], top=100)
    scores = classifier.decision_function(NEW[:1])[0]
    assert [reasons.what for reasons in explanation.reasons] == sorted(NAMES)
    for reasons, score in zip(explanation.reasons, scores):
        assert reasons.score == pytest.approx(score)
        assert sum(topic.contribution for topic in reasons.topics) == pytest.approx(score)
        assert sum(word.contribution for word in reasons.words) == pytest.approx(score, abs=0.25 * abs(scores).max())
        assert sum(word.times for word in reasons.words) == 12
    best = max(explanation.reasons, key=lambda reasons: reasons.score)
    assert best.what == "sea"
    assert all(word.contribution > 0 and word.word in THEMES["sea"] for word in best.words)
    assert best.topics[0].words[0] in THEMES["sea"]


def test_explanation_can_be_printed_and_serialized(classifier: tw.MedLDAClassifier) -> None:
    explanation = classifier.explain("ship ship wave", top=2)
    assert str(explanation).startswith("court: -")
    assert "ship" in str(explanation)
    assert "<table>" in explanation._repr_html_()
    assert json.loads(json.dumps(explanation.to_dict()))["reasons"][2]["what"] == "sea"
    assert all(len(reasons.words) == 2 for reasons in explanation.reasons)


def test_document_may_be_text_words_or_counts(classifier: tw.MedLDAClassifier) -> None:
    counts = np.zeros(24, int)
    counts[[list(classifier.vocabulary_).index(word) for word in ("ship", "wave")]] = 1
    forms = ["ship wave", ["ship", "wave"], tw.Corpus.from_texts(["ship wave"]), counts, csr_array(counts[None, :])]
    scores = [classifier.explain(form).reasons[0].score for form in forms]
    assert scores == pytest.approx([scores[0]] * 5, rel=0.2)
    with pytest.raises(InputError, match="one document: got 2"):
        classifier.explain(tw.Corpus.from_texts(["ship", "wave"]))


@pytest.mark.parametrize("strategy", ["shared", "one-vs-rest"])
def test_topics_of_classes_are_described(texts: list[str], strategy: str) -> None:
    model = tw.MedLDAClassifier(n_topics=6, strategy=strategy, n_sweeps=20).fit(texts, themes_of(60))
    description = model.describe(n_words=4, n_topics=2)
    assert list(description.topics) == sorted(NAMES)
    for name, topics in description.topics.items():
        assert set(topics[0].words) <= set(THEMES[name].split())
        assert topics[0].weight > 0
    assert str(description).startswith("court\n")
    assert "<table>" in description._repr_html_()
    assert list(json.loads(json.dumps(description.to_dict()))) == sorted(NAMES)
    best = max(model.explain(NEW[0]).reasons, key=lambda reasons: reasons.score)
    assert best.what == "sea"


def test_binary_classes_are_both_described(texts: list[str]) -> None:
    model = tw.MedLDAClassifier(n_topics=6, n_sweeps=20).fit(texts, np.arange(60) % 3 == 0)
    description = model.describe()
    assert list(description.topics) == [False, True]
    assert set(description.topics[True][0].words) <= set(THEMES["sea"].split())
    assert [reasons.what for reasons in model.explain(NEW[0]).reasons] == [True]


# ---------------------------------------------------------------------- words with weights of their own


@pytest.fixture(scope="module")
def both(texts: list[str]) -> tw.MedLDAClassifier:
    return tw.MedLDAClassifier(n_topics=6, n_sweeps=20, word_weights=True).fit(texts, themes_of(60))


def test_word_weights_beside_topics(both: tw.MedLDAClassifier, classifier: tw.MedLDAClassifier) -> None:
    assert classifier.word_coef_ is None
    assert both.word_coef_.shape == (len(both.classes_), len(both.vocabulary_))
    sea = both.classes_.tolist().index("sea")
    heaviest = np.argsort(-both.word_coef_[sea])[:5]
    assert set(both.vocabulary_[heaviest]) <= set(THEMES["sea"].split())
    assert both.predict(NEW).tolist() == classifier.predict(NEW).tolist()


def test_topic_and_word_contributions_sum_to_the_score(both: tw.MedLDAClassifier) -> None:
    scores = both.decision_function([NEW[0]])[0]
    for score, reasons in zip(scores, both.explain(NEW[0], top=100).reasons):
        added = sum(topic.contribution for topic in reasons.topics) + reasons.from_words
        assert score == pytest.approx(added) == pytest.approx(reasons.score)
        assert reasons.from_words == pytest.approx(sum(word.by_itself for word in reasons.words)) != 0


def test_stronger_prior_shrinks_word_weights(texts: list[str], both: tw.MedLDAClassifier) -> None:
    firm = tw.MedLDAClassifier(n_topics=6, n_sweeps=20, word_weights=1e6).fit(texts, themes_of(60))
    assert np.abs(firm.word_coef_).max() < 0.1 < np.abs(both.word_coef_).max()


def test_resume_with_word_weights(texts: list[str], both: tw.MedLDAClassifier) -> None:
    parts = tw.MedLDAClassifier(n_topics=6, n_sweeps=12, word_weights=True).fit(texts, themes_of(60)).resume(8)
    np.testing.assert_array_equal(parts.word_coef_, both.word_coef_)
    np.testing.assert_array_equal(parts.assignments_, both.assignments_)


def test_margin_depends_on_document_length(texts: list[str], classifier: tw.MedLDAClassifier) -> None:
    length = classifier.corpus_.n_tokens / classifier.corpus_.n_docs
    assert classifier.margin_ == pytest.approx(0.4 * length)
    assert classifier.alpha_.sum() == pytest.approx(0.4 * length)
    long = tw.MedLDAClassifier(n_topics=6, n_sweeps=3).fit([" ".join([text] * 60) for text in texts], themes_of(60))
    assert long.margin_ == 64.0
    assert long.alpha_.sum() == pytest.approx(32.0)
    labels = tw.MedLDAClassifier(n_topics=6, n_sweeps=3).fit([" ".join([text] * 60) for text in texts], [["a"]] * 60)
    assert labels.margin_ == 8.0


@pytest.mark.parametrize("wrong", [-1.0, 0, "yes", None])
def test_rejects_invalid_word_weights(texts: list[str], wrong: Any) -> None:
    with raises_input("word_weights"):
        tw.MedLDAClassifier(word_weights=wrong).fit(texts, themes_of(60))


def test_rejects_list_of_texts_as_one_document(classifier: tw.MedLDAClassifier) -> None:
    with pytest.raises(InputError, match="got a list of texts"):
        classifier.explain(NEW[:2])


def test_class_without_topics_is_reported(classifier: tw.MedLDAClassifier) -> None:
    description = classifier.describe()
    described = replace(description, topics={**description.topics, "nothing": []})
    assert str(described).endswith("nothing\n  weight  topic  words\n                 no topic with a positive weight")
