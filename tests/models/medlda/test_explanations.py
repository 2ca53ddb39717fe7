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


def test_explanation_sums_to_the_score(topics_only: tw.MedLDAClassifier) -> None:
    explanation = topics_only.explain(NEW[0], top=100, n_labels=3)
    scores = topics_only.decision_function(NEW[:1])[0]
    assert {reasons.what for reasons in explanation.reasons} == set(NAMES)
    for reasons, score in zip(explanation.reasons, sorted(scores, reverse=True)):
        assert reasons.score == pytest.approx(score)
        assert reasons.intercept + sum(topic.contribution for topic in reasons.topics) == pytest.approx(score)
        assert sum(word.contribution for word in reasons.words) == pytest.approx(score, abs=0.25 * abs(scores).max())
        assert sum(word.times for word in reasons.words) == 12
    best = explanation.reasons[0]
    assert best.what == "sea"
    assert all(word.contribution > 0 and word.word in THEMES["sea"] for word in best.words)
    assert best.topics[0].words[0] in THEMES["sea"]


def test_explanation_can_be_printed_and_serialized(classifier: tw.MedLDAClassifier) -> None:
    explanation = classifier.explain("ship ship wave", top=2)
    assert str(explanation).startswith("sea: ")
    assert "ship" in str(explanation)
    assert "<table>" in explanation._repr_html_()
    assert json.loads(json.dumps(explanation.to_dict()))["reasons"][0]["what"] == "sea"
    assert all(len(reasons.words) == 2 for reasons in explanation.reasons)


def test_explanation_leads_with_the_predicted_class_and_its_rival(classifier: tw.MedLDAClassifier) -> None:
    text = "ship wave sail judge"
    scores = classifier.decision_function([text])[0]
    ranked = classifier.classes_[np.argsort(-scores)].tolist()
    assert [reasons.what for reasons in classifier.explain(text).reasons] == ranked[:2]
    assert [reasons.what for reasons in classifier.explain(text, n_labels=1).reasons] == classifier.predict([text])
    best = classifier.explain(text, top=2).reasons[0]
    assert [word.word for word in best.words_against] == ["judge"]
    assert len(best.words_for) == 2  # of three
    assert [word.contribution for word in best.words_for] == sorted(
        (word.contribution for word in best.words_for), reverse=True
    )
    assert best.words == best.words_for + best.words_against
    assert "word against it\n" in str(classifier.explain(text))
    with raises_input("n_labels"):
        classifier.explain(text, n_labels=0)


def test_labels_are_explained_with_their_rival(texts: list[str]) -> None:
    model = tw.MedLDAClassifier(n_topics=6, n_sweeps=20).fit(texts, [[name, "all"] for name in themes_of(60)])
    (predicted,) = model.predict(NEW[:1])
    reasons = model.explain(NEW[0]).reasons
    assert {one.what for one in reasons[:-1]} == set(predicted) == {"sea", "all"}
    assert reasons[-1].score <= 0


@pytest.mark.filterwarnings("ignore::topicwright.errors.UnknownWordsWarning")
def test_document_without_a_known_word_has_no_class(classifier: tw.MedLDAClassifier, texts: list[str]) -> None:
    new = ["robot zzz", "ship wave robot", ""]
    assert classifier.count_unknown(new).tolist() == [2, 1, 0]
    values, given = classifier.decide(new)
    assert np.isnan(values).all(axis=1).tolist() == [True, False, True]
    assert given.any(axis=1).tolist() == [False, True, False]
    assert (classifier.decision_function(new)[[0, 2]] == 0).all()
    assert set(classifier.predict(new)) <= set(NAMES)  # scikit-learn needs a class
    assert classifier.explain("robot").reasons == []
    assert str(classifier.explain("robot")) == "no word that the model knows"
    labels = tw.MedLDAClassifier(n_topics=6, n_sweeps=5).fit(texts, [[name] for name in themes_of(60)])
    assert [len(own) for own in labels.predict(new)][::2] == [0, 0]


def test_share_of_words_has_no_prior(classifier: tw.MedLDAClassifier) -> None:
    """θ of transform is (N · share + α) / (N + Σα), with the share of words of the explanation."""
    alpha, n = classifier.alpha_, 3
    shares = np.zeros(len(alpha))
    for topic in classifier.explain("ship wave sail", top=100).reasons[0].topics:
        shares[topic.topic] = topic.share
    theta = classifier.transform(["ship wave sail"])[0]
    np.testing.assert_allclose(theta, (n * shares + alpha) / (n + alpha.sum()), atol=0.03)
    assert abs(theta - shares).max() > 0.1


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
    best, rival = model.explain(NEW[0]).reasons
    assert (best.what, rival.what) == (True, False)
    assert rival._replace(probability=None) == best.negated(False)
    assert best.probability + rival.probability == pytest.approx(1)
    assert best.probability == pytest.approx(model.predict_proba(NEW[:1])[0, 1])
    assert best.probability > 0.5
    assert rival.score == -best.score
    assert model.predict(NEW[:1]).tolist() == [True]


# ---------------------------------------------------------------------- words with weights of their own


@pytest.fixture(scope="module")
def both(texts: list[str]) -> tw.MedLDAClassifier:
    return tw.MedLDAClassifier(n_topics=6, n_sweeps=20, word_weights=True).fit(texts, themes_of(60))


def test_word_weights_beside_topics(both: tw.MedLDAClassifier, topics_only: tw.MedLDAClassifier) -> None:
    assert topics_only.word_coef_ is None
    assert both.word_coef_.shape == (len(both.classes_), len(both.vocabulary_))
    sea = both.classes_.tolist().index("sea")
    heaviest = np.argsort(-both.word_coef_[sea])[:5]
    assert set(both.vocabulary_[heaviest]) <= set(THEMES["sea"].split())
    assert both.predict(NEW).tolist() == topics_only.predict(NEW).tolist()


def test_topic_and_word_contributions_sum_to_the_score(both: tw.MedLDAClassifier) -> None:
    scores = both.decision_function([NEW[0]])[0]
    for score, reasons in zip(sorted(scores, reverse=True), both.explain(NEW[0], top=100, n_labels=3).reasons):
        added = reasons.intercept + sum(topic.contribution for topic in reasons.topics) + reasons.from_words
        assert score == pytest.approx(added) == pytest.approx(reasons.score)
        assert reasons.from_words == pytest.approx(sum(word.by_itself for word in reasons.words)) != 0


def test_stronger_prior_shrinks_word_weights(texts: list[str]) -> None:
    def largest(word_weights: Any) -> float:
        model = tw.MedLDAClassifier(n_topics=6, n_sweeps=20, word_weights=word_weights, calibrate=False)
        return float(np.abs(model.fit(texts, themes_of(60)).word_coef_).max())

    assert largest(1e6) < 0.1 < largest(True)


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
