"""MedLDARegressor: predictions, training and explanations."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import r2_score

import topicwright as tw
from topicwright.errors import InputError, UnknownWordsWarning
from topicwright.losses import EpsilonInsensitive

from ...conftest import THEMES
from .reference_lda import expected_shares


def rated_texts(n: int, seed: int = 0) -> tuple[list[str], np.ndarray]:
    """Texts of any length about the sea and the kitchen; the rating is 50 and 10 more for each tenth of sea."""
    rng = np.random.default_rng(seed)
    sea, kitchen = THEMES["sea"].split(), THEMES["kitchen"].split()
    shares = rng.integers(0, 11, n) / 10
    sizes = rng.integers(2, 6, n) * 10
    texts = [
        " ".join([*rng.choice(sea, int(size * share)), *rng.choice(kitchen, size - int(size * share))])
        for size, share in zip(sizes, shares)
    ]
    return texts, 50 + 100 * shares + rng.normal(0, 3, n)


TEXTS, RATINGS = rated_texts(150)
NEW, NEW_RATINGS = rated_texts(100, seed=1)


@pytest.fixture(scope="module")
def model() -> tw.MedLDARegressor:
    return tw.MedLDARegressor(n_topics=6, n_sweeps=40).fit(TEXTS, RATINGS)


@pytest.fixture(scope="module")
def topics_only() -> tw.MedLDARegressor:
    return tw.MedLDARegressor(n_topics=6, n_sweeps=40, word_weights=False).fit(TEXTS, RATINGS)


def test_predicts_ratings_in_original_units(model: tw.MedLDARegressor) -> None:
    assert model.score(NEW, NEW_RATINGS) > 0.8
    assert model.predict(NEW).shape == (100,)
    with pytest.warns(UnknownWordsWarning):
        assert model.predict(["xyzzy"])[0] == pytest.approx(RATINGS.mean())


def test_intercept_is_the_mean_without_word_weights(topics_only: tw.MedLDARegressor) -> None:
    assert topics_only.intercept_ == pytest.approx(RATINGS.mean())


def test_prediction_is_intercept_plus_topic_shares_times_weights(topics_only: tw.MedLDARegressor) -> None:
    assert topics_only.coef_.shape == (6,)
    np.testing.assert_allclose(
        topics_only.predict(NEW), topics_only.intercept_ + expected_shares(topics_only, NEW) @ topics_only.coef_
    )


@pytest.mark.parametrize("sampler", ["dense", "compositional"])
def test_both_samplers_predict_ratings(sampler: str) -> None:
    model = tw.MedLDARegressor(n_topics=6, sampler=sampler, n_sweeps=40).fit(TEXTS, RATINGS)
    assert model.score(NEW, NEW_RATINGS) > 0.8


def test_predictions_are_equivariant_to_units(model: tw.MedLDARegressor) -> None:
    other = tw.MedLDARegressor(n_topics=6, n_sweeps=40).fit(TEXTS, 1024.0 * RATINGS)
    np.testing.assert_allclose(other.predict(NEW), 1024.0 * model.predict(NEW))


def test_several_targets_share_the_topics() -> None:
    y = np.column_stack([RATINGS, 7.0 - RATINGS / 100])
    model = tw.MedLDARegressor(n_topics=6, n_sweeps=40).fit(TEXTS, y)
    assert model.coef_.shape == (2, 6)
    assert model.intercept_.shape == (2,)
    predicted = model.predict(NEW)
    assert predicted.shape == (100, 2)
    assert model.score(NEW, np.column_stack([NEW_RATINGS, 7.0 - NEW_RATINGS / 100])) > 0.8


def test_documents_without_target_are_used_in_training() -> None:
    y = np.where(np.arange(150) % 3 == 0, RATINGS, np.nan)
    model = tw.MedLDARegressor(n_topics=6, n_sweeps=40, word_weights=False).fit(TEXTS, y)
    assert model.score(NEW, NEW_RATINGS) > 0.5
    assert model.doc_topic_.shape == (150, 6)
    assert model.intercept_ == pytest.approx(np.nanmean(y))


def test_unknown_targets_are_ignored_in_score(model: tw.MedLDARegressor) -> None:
    y, weights = np.where(np.arange(100) < 70, NEW_RATINGS, np.nan), np.arange(1.0, 101.0)
    assert model.score(NEW, y, weights) == pytest.approx(model.score(NEW[:70], y[:70], weights[:70]))
    assert model.score(NEW, [None if np.isnan(value) else value for value in y]) == model.score(NEW[:70], y[:70])
    with pytest.raises(InputError, match="got NaN everywhere"):
        model.score(NEW, np.full(100, np.nan))
    with pytest.raises(InputError, match=r"of shape \(100, 1\): got \(70, 1\)"):
        model.score(NEW, y[:70])
    with pytest.raises(InputError, match="score needs y"):
        model.score(NEW)


def test_each_target_is_scored_on_its_known_values() -> None:
    y = np.column_stack([RATINGS, 7.0 - RATINGS / 100])
    model = tw.MedLDARegressor(n_topics=6, n_sweeps=10).fit(TEXTS, y)
    assert model.score(TEXTS, y) == pytest.approx(r2_score(y, model.predict(TEXTS)))
    partly = np.where(np.arange(300).reshape(150, 2) < 200, y, np.nan)
    partly[0, 1] = np.nan
    predicted = model.predict(TEXTS)
    one, other = r2_score(y[:100, 0], predicted[:100, 0]), r2_score(y[1:100, 1], predicted[1:100, 1])
    assert model.score(TEXTS, partly) == pytest.approx((one + other) / 2)


def test_targets_are_taken_from_the_corpus(model: tw.MedLDARegressor) -> None:
    corpus = tw.Corpus.from_texts(TEXTS, targets=RATINGS)
    own = tw.MedLDARegressor(n_topics=6, n_sweeps=40).fit(corpus)
    np.testing.assert_array_equal(own.coef_, model.coef_)


def test_constant_target_is_predicted() -> None:
    model = tw.MedLDARegressor(n_topics=3, n_sweeps=5).fit(TEXTS[:20], np.full(20, 4.0))
    np.testing.assert_allclose(model.predict(NEW), 4.0, atol=0.5)


def test_empty_document_gets_the_mean(model: tw.MedLDARegressor) -> None:
    assert model.predict([""]).tolist() == [pytest.approx(RATINGS.mean())]


def test_loss_may_be_an_object(model: tw.MedLDARegressor) -> None:
    same = tw.MedLDARegressor(n_topics=6, loss=EpsilonInsensitive(16.0, 1e-3), n_sweeps=40).fit(TEXTS, RATINGS)
    np.testing.assert_array_equal(same.coef_, model.coef_)


def test_result_does_not_depend_on_threads(model: tw.MedLDARegressor) -> None:
    other = tw.MedLDARegressor(n_topics=6, n_sweeps=40, n_jobs=2).fit(TEXTS, RATINGS)
    assert other.predict(NEW).tobytes() == model.predict(NEW).tobytes()


@pytest.mark.parametrize("first", [3, 25])
def test_resumed_training_equals_uninterrupted_training(model: tw.MedLDARegressor, first: int) -> None:
    parts = tw.MedLDARegressor(n_topics=6, n_sweeps=first).fit(TEXTS, RATINGS).resume(40 - first)
    assert parts.predict(NEW).tobytes() == model.predict(NEW).tobytes()


def test_explanation_sums_to_the_score(topics_only: tw.MedLDARegressor) -> None:
    (reasons,) = topics_only.explain(NEW[0], top=100).reasons
    assert reasons.score == pytest.approx(topics_only.predict(NEW[:1])[0])
    assert reasons.intercept + sum(topic.contribution for topic in reasons.topics) == pytest.approx(reasons.score)
    (sea,) = topics_only.explain("ship wave ship tide").reasons
    assert sea.words[0].word == "ship"
    assert sea.words[0].contribution > 0
    assert str(topics_only.explain("ship wave")).startswith("y: ")


def test_topics_are_described_by_their_effect(model: tw.MedLDARegressor) -> None:
    description = model.describe(n_words=3)
    assert list(description.topics) == ["higher y", "lower y"]
    assert set(description.topics["higher y"][0].words) <= set(THEMES["sea"].split())
    assert set(description.topics["lower y"][0].words) <= set(THEMES["kitchen"].split())
    assert all(topic.weight < 0 for topic in description.topics["lower y"])
    json.dumps(description.to_dict())


def test_the_report_compares_with_the_same_regressor_without_knowledge() -> None:
    links = tw.MustLinks([("ship", "wave")])
    model = tw.MedLDARegressor(n_topics=6, knowledge=[links], n_sweeps=20).fit(TEXTS, RATINGS)
    (row,) = model.knowledge_report().rows
    assert row.before is not None
    assert row.now > 0.5


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed"),
        (np.zeros(19), "19 entries but X has 20"),
        (np.full(20, np.nan), "at least one document: got NaN"),
        (np.column_stack([np.zeros(20), np.full(20, np.nan)]), "got NaN everywhere in column 1"),
        (np.full(20, 1e300), r"to 1e\+100: got 1e\+300"),
        (np.full(20, np.inf), "finite numbers"),
        (["high"] * 20, "y must be numbers"),
        ([[1, 2]] * 19 + [[3]], "y must have as many numbers for each document: got 2 and 1"),
        (np.zeros((20, 2, 2)), r"one row of numbers per document: got \(20, 2, 2\)"),
    ],
)
def test_rejects_invalid_targets(y: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        tw.MedLDARegressor(n_topics=3, n_sweeps=5).fit(TEXTS[:20], y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": "hinge"}, "loss must be one of 'epsilon_insensitive', 'squared'"),
        ({"epsilon": -1.0}, "epsilon must be a positive number: got -1.0"),
        ({"C": "much"}, "C must be a positive number: got 'much'"),
    ],
)
def test_rejects_invalid_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        tw.MedLDARegressor(**{"n_topics": 3, "n_sweeps": 5, **parameters}).fit(TEXTS[:20], RATINGS[:20])
