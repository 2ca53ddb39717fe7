"""MedLDAClassifier: classes and labels."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import topicwright as tw
from topicwright.errors import InputError, TopicwrightWarning, UnknownWordsWarning
from topicwright.losses import Hinge, Logistic

from ...assertions import raises_input
from ...conftest import THEMES, themed_texts
from .reference_lda import expected_shares
from .themes import NAMES, NEW, NEW_THEMES, mixed_texts, themes_of

# ---------------------------------------------------------------------- classes


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
@pytest.mark.parametrize("strategy", ["shared", "one-vs-rest"])
@pytest.mark.parametrize("sampler", ["dense", "compositional"])
def test_classifies_themes(texts: list[str], loss: str, strategy: str, sampler: str) -> None:
    model = tw.MedLDAClassifier(n_topics=6, loss=loss, strategy=strategy, sampler=sampler, n_sweeps=25)
    assert model.fit(texts, themes_of(60)).score(NEW, NEW_THEMES) > 0.95
    assert model.classes_.tolist() == sorted(NAMES)
    assert not model.multilabel_
    assert model.decision_function(NEW).shape == (60, 3)


@pytest.mark.parametrize("strategy", ["shared", "one-vs-rest"])
def test_binary_problem_is_one_task_with_second_class_positive(texts: list[str], strategy: str) -> None:
    y = [name == "sea" for name in themes_of(60)]
    model = tw.MedLDAClassifier(n_topics=6, n_sweeps=20, strategy=strategy).fit(texts, y)
    scores = model.decision_function(NEW)
    assert scores.shape == (60,)
    np.testing.assert_array_equal(model.predict(NEW), scores > 0)
    assert model.predict(NEW).dtype == bool
    assert model.score(NEW, [name == "sea" for name in NEW_THEMES]) > 0.95


def test_supervision_finds_rare_predictive_words() -> None:
    """Every text has many words of an uninformative theme, and two predictive ones."""
    rng = np.random.default_rng(0)
    loud, telling = [words.split() for words in THEMES.values()], [["yes", "indeed", "sure"], ["no", "never", "nay"]]
    texts = [" ".join([*rng.choice(loud[rng.integers(3)], 20), *rng.choice(telling[i % 2], 2)]) for i in range(300)]
    y = np.arange(300) % 2

    def accuracy(model: Any) -> float:
        return float(model.fit(texts[:200], y[:200]).score(texts[200:], y[200:]))

    seeds, size = range(4), {"n_topics": 4, "alpha": 1.6, "n_sweeps": 60}
    supervised = [accuracy(tw.MedLDAClassifier(**size, margin=2.0, random_state=seed)) for seed in seeds]
    in_two_steps = [accuracy(make_pipeline(tw.LDA(**size, random_state=seed), LogisticRegression())) for seed in seeds]
    assert np.mean(supervised) > 0.85
    assert np.mean(supervised) > np.mean(in_two_steps) + 0.1


def test_scores_are_topic_shares_times_weights(topics_only: tw.MedLDAClassifier) -> None:
    assert topics_only.coef_.shape == (3, 6)
    np.testing.assert_allclose(
        topics_only.decision_function(NEW),
        topics_only.intercept_ + expected_shares(topics_only, NEW) @ topics_only.coef_.T,
        atol=1e-9,
    )


def test_a_document_of_unknown_words_has_no_score(classifier: tw.MedLDAClassifier) -> None:
    with pytest.warns(UnknownWordsWarning):
        assert classifier.decision_function(["zebra lion"]).tolist() == [[0.0, 0.0, 0.0]]


def test_empty_documents_are_accepted(texts: list[str]) -> None:
    model = tw.MedLDAClassifier(n_topics=6, n_sweeps=20).fit(["", *texts, "  "], ["sea", *themes_of(60), None])
    assert model.score(NEW, NEW_THEMES) > 0.95


@pytest.mark.parametrize("unknown", [None, float("nan"), np.nan])
def test_unlabeled_documents_are_used_in_training(unknown: Any) -> None:
    y = [theme if i < 12 else unknown for i, theme in enumerate(themes_of(120))]
    model = tw.MedLDAClassifier(n_topics=6, n_sweeps=30).fit(themed_texts(120), y)
    assert model.doc_topic_.shape == (120, 6)
    assert model.score(NEW, NEW_THEMES) > 0.95


def test_numeric_classes_with_nan(texts: list[str]) -> None:
    y = np.where(np.arange(60) < 40, np.arange(60) % 3, np.nan)
    model = tw.MedLDAClassifier(n_topics=6, n_sweeps=20).fit(texts, y)
    assert model.classes_.tolist() == [0, 1, 2]
    assert (model.predict(NEW) == np.arange(60) % 3).mean() > 0.95


class Color(Enum):
    RED = 1
    BLUE = 2


@pytest.mark.parametrize(
    "classes", [[3, 1, 2], ["b", "a", "c"], [True, False], [Color.RED, Color.BLUE], ["a", 1], [2.0, 1.0]]
)
def test_classes_may_be_any_hashable(classes: list[Any]) -> None:
    y = [classes[i % len(classes)] for i in range(60)]
    n_themes = len(classes)
    texts = [text for i, text in enumerate(themed_texts(120)) if i % 3 < n_themes][:60]
    model = tw.MedLDAClassifier(n_topics=4, n_sweeps=20).fit(texts, y)
    assert set(model.classes_.tolist()) == set(classes)
    assert set(model.predict(texts).tolist()) == set(classes)


def test_labels_are_taken_from_the_corpus(texts: list[str], classifier: tw.MedLDAClassifier) -> None:
    corpus = tw.Corpus.from_texts(texts, labels=themes_of(60))
    own = tw.MedLDAClassifier(n_topics=6, n_sweeps=20).fit(corpus)
    np.testing.assert_array_equal(own.coef_, classifier.coef_)
    partly = tw.Corpus.from_texts(texts, labels=[*themes_of(30), *[None] * 30])
    assert tw.MedLDAClassifier(n_topics=6, n_sweeps=20).fit(partly).score(NEW, NEW_THEMES) > 0.95


def test_probabilities_need_calibration_or_the_logistic_loss(texts: list[str]) -> None:
    plain = {"n_topics": 6, "n_sweeps": 20, "calibrate": False}
    classifier = tw.MedLDAClassifier(**plain).fit(texts, themes_of(60))
    assert not classifier.calibrated_
    assert not hasattr(classifier, "predict_proba")
    with pytest.raises(AttributeError, match="which loss='hinge' does not have by itself: train with calibrate=True"):
        classifier.predict_proba(NEW)
    for loss in ("logistic", Logistic(30.0)):
        logistic = tw.MedLDAClassifier(**plain, loss=loss).fit(texts, themes_of(60))
        chances = logistic.predict_proba(NEW)
        np.testing.assert_allclose(chances.sum(axis=1), 1)
        np.testing.assert_array_equal(logistic.classes_[chances.argmax(axis=1)], logistic.predict(NEW))
    binary = tw.MedLDAClassifier(**plain, loss="logistic").fit(texts, np.arange(60) % 3 == 0)
    np.testing.assert_allclose(binary.predict_proba(NEW)[:, 1], 1 / (1 + np.exp(-binary.decision_function(NEW))))


@pytest.mark.parametrize(
    ("n", "options", "expected"),
    [
        (6, {}, 10 * 4.8 / 2),
        (60, {}, 10 * 4.8 / 20),
        (600, {}, 1.6),
        (6, {"margin": 64.0}, 50.0),
        (60, {"loss": "logistic"}, 50.0),
        (60, {"C": 3}, 3.0),
    ],
)
def test_rare_classes_have_a_higher_cost(n: int, options: dict[str, Any], expected: float) -> None:
    model = tw.MedLDAClassifier(n_topics=4, n_sweeps=3, **options).fit(themed_texts(n), themes_of(n))
    assert pytest.approx(expected) == model.C_
    assert model._loss_object().cost == model.C_


def test_binary_class_weights_use_labeled_documents() -> None:
    y = [None, "sea", "land", "sea"] * 5
    model = tw.MedLDAClassifier(n_topics=4, n_sweeps=3).fit(themed_texts(20), y)
    assert pytest.approx(10 * model.margin_ / 7.5) == model.C_


def test_classifies_many_classes_with_few_documents() -> None:
    """Ten long documents of each of ten classes; a tenth of the words is predictive."""
    rng = np.random.default_rng(0)
    letters = "abcdefghij"
    common = [f"common{a}{b}{c}" for a in "abc" for b in letters for c in letters]
    own = [[f"own{k}{a}" for a in letters] for k in letters]
    texts = [" ".join([*rng.choice(common, 180), *rng.choice(own[i % 10], 20)]) for i in range(200)]
    y = np.arange(200) % 10
    model = tw.MedLDAClassifier(n_topics=20, n_sweeps=30).fit(texts[:100], y[:100])
    assert model.score(texts[100:], y[100:]) > 0.9


def test_loss_may_be_an_object(texts: list[str], classifier: tw.MedLDAClassifier) -> None:
    same = tw.MedLDAClassifier(n_topics=6, loss=Hinge(classifier.C_, classifier.margin_), n_sweeps=20).fit(
        texts, themes_of(60)
    )
    np.testing.assert_array_equal(same.coef_, classifier.coef_)


def test_class_weights_raise_the_recall_of_a_rare_class() -> None:
    """Few words predict the rare class, so unweighted training ignores it; means of several seeds."""
    rng = np.random.default_rng(0)
    sea, court = THEMES["sea"].split(), THEMES["court"].split()
    y = np.arange(300) % 10 == 0
    texts = [" ".join([*rng.choice(sea, 9), *rng.choice(court if rare else sea, 2), rng.choice(court)]) for rare in y]

    def recall(class_weight: Any) -> float:
        models = (
            tw.MedLDAClassifier(
                n_topics=4,
                C=0.05,
                n_sweeps=30,
                class_weight=class_weight,
                word_weights=False,
                random_state=seed,
            )
            for seed in range(5)
        )
        return float(np.mean([model.fit(texts, y).predict(texts)[y].mean() for model in models]))

    plain = recall(None)
    assert recall("balanced") > plain + 0.1
    assert recall({True: 10.0}) > plain + 0.1


# ---------------------------------------------------------------------- several labels


def test_lists_and_indicators_of_labels_agree() -> None:
    texts, labels = mixed_texts(150)
    columns = sorted(NAMES)
    indicator = np.array([[int(name in some) for name in columns] for some in labels])
    by_lists = tw.MedLDAClassifier(n_topics=6, margin=2.0, n_sweeps=30).fit(texts[:100], labels[:100])
    assert by_lists.multilabel_
    assert by_lists.classes_.tolist() == columns
    for y in (indicator[:100], indicator[:100].tolist(), csr_array(indicator[:100])):
        by_matrix = tw.MedLDAClassifier(n_topics=6, margin=2.0, n_sweeps=30).fit(texts[:100], y)
        np.testing.assert_array_equal(by_matrix.coef_, by_lists.coef_)
        chosen = by_matrix.predict(texts[100:])
        told = [tuple(np.array(columns)[row == 1]) for row in chosen]
        assert told == by_lists.predict(texts[100:])
        assert by_matrix.score(texts[100:], indicator[100:]) == by_lists.score(texts[100:], labels[100:]) > 0.9


def test_label_sets_may_be_any_collection() -> None:
    texts, labels = mixed_texts(40)
    models = [
        tw.MedLDAClassifier(n_topics=4, n_sweeps=5).fit(texts, y)
        for y in (labels, [set(some) for some in labels], [tuple(some) for some in labels])
    ]
    assert len({model.coef_.tobytes() for model in models}) == 1


def test_empty_labels_differ_from_unknown_labels() -> None:
    texts, labels = mixed_texts(60)
    neither = ["violin cello flute drum opera " * 4] * 20
    model = tw.MedLDAClassifier(n_topics=6, margin=2.0, n_sweeps=30).fit([*texts, *neither], [*labels, *[[]] * 20])
    assert (model.decision_function(neither[:1]) < 0).all()
    assert len(model.predict(neither[:1])[0]) == 1  # none is above zero, so the best one
    partly = tw.MedLDAClassifier(n_topics=6, margin=2.0, n_sweeps=30).fit([*texts, *neither], [*labels, *[None] * 20])
    assert partly.score(texts, labels) > 0.9


def test_unknown_targets_are_ignored_in_score() -> None:
    pd = pytest.importorskip("pandas")
    texts, labels = mixed_texts(40)
    y = [*[own[0] for own in labels[:30]], *[None] * 10]
    model = tw.MedLDAClassifier(n_topics=6, n_sweeps=10).fit(texts, y)
    weights = np.arange(1.0, 41.0)
    expected = model.score(texts[:30], y[:30], weights[:30])
    for same in (y, pd.Series(y), np.array(y, dtype=object), iter(y)):
        assert model.score(texts, same, weights) == expected
    assert model.score(texts, y) == model.score(texts[:30], y[:30])
    with pytest.raises(InputError, match="at least one document: got NaN"):
        model.score(texts, [None] * 40)


def test_unknown_label_sets_are_ignored_in_score() -> None:
    texts, labels = mixed_texts(40)
    partly = [*labels[:30], *[None] * 10]
    by_lists = tw.MedLDAClassifier(n_topics=6, margin=2.0, n_sweeps=10).fit(texts, partly)
    assert by_lists.score(texts, partly) == by_lists.score(texts[:30], labels[:30])
    indicator = np.array([[float(name in own) for name in NAMES] for own in labels])
    indicator[30:, 1] = np.nan
    by_matrix = tw.MedLDAClassifier(n_topics=6, margin=2.0, n_sweeps=10).fit(texts, indicator)
    assert by_matrix.score(texts, indicator) == by_matrix.score(texts[:30], indicator[:30])


def test_the_columns_of_a_frame_name_the_labels() -> None:
    pd = pytest.importorskip("pandas")
    texts, labels = mixed_texts(60)
    frame = pd.DataFrame({name: [int(name in some) for some in labels] for name in NAMES})
    model = tw.MedLDAClassifier(n_topics=6, margin=2.0, n_sweeps=20).fit(texts, frame)
    assert model.classes_.tolist() == NAMES
    assert model.score(texts, frame.to_numpy()) > 0.9


def test_labels_have_independent_probabilities() -> None:
    texts, labels = mixed_texts(60)
    model = tw.MedLDAClassifier(n_topics=6, loss="logistic", C=20.0, n_sweeps=20).fit(texts, labels)
    chances = model.predict_proba(texts)
    assert chances.shape == (60, 3)
    assert chances.sum(axis=1).max() > 1.5  # two labels at once


# ---------------------------------------------------------------------- wrong input


@pytest.mark.parametrize(
    ("parameter", "value", "got"),
    [
        ("loss", "squared", "squared"),
        ("loss", 7, 7),
        ("strategy", "ovr", "ovr"),
        ("sampler", "sparse", "sparse"),
        ("C", 0, 0),
        ("margin", -1.0, -1.0),
        ("nu", float("inf"), float("inf")),
        ("alpha", "learn", "learn"),
        ("beta", "learn", "learn"),
        ("alpha", [0.1, 0.2], (2,)),
        ("n_sweeps", 0, 0),
        ("mh_steps", 0, 0),
        ("weight_sweeps", 2**31, 2**31),
        ("refit", "no", "no"),
        ("class_weight", {"lake": 2}, "lake"),
        ("class_weight", {"sea": -1}, -1),
        ("class_weight", "even", "even"),
    ],
)
def test_rejects_invalid_parameters(texts: list[str], parameter: str, value: Any, got: Any) -> None:
    with raises_input(parameter, got=got):
        tw.MedLDAClassifier(**{"n_topics": 3, "n_sweeps": 5, parameter: value}).fit(texts, themes_of(60))


def test_more_topics_than_tokens_gives_a_warning() -> None:
    with pytest.warns(TopicwrightWarning, match="n_topics is 40, but there are only 4 tokens"):
        tw.MedLDAClassifier(n_sweeps=3).fit(["ship wave", "bread oven"], [0, 1])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed"),
        (["sea"] * 59, "59 entries but X has 60"),
        (["sea"] * 60, "got one class only, 'sea'"),
        ([None] * 60, "two or more classes: got NaN"),
        (np.full(60, np.nan), "two or more classes: got NaN"),
        (np.linspace(0, 1, 60), "not continuous numbers: got 0.*MedLDARegressor"),
        ("sea" * 20, "one entry per document: got str"),
        (7, "one entry per document: got int"),
        ([[]] * 60, "at least one label: no document"),
        ([["sea", None]] * 60, "without None or NaN"),
        (np.full((60, 2), 3), r"shape \(60, 2\): got 3"),
        (np.full((60, 2), np.nan), "at least one label: got NaN"),
        (np.zeros((59, 2)), "59 entries but X has 60"),
    ],
)
def test_rejects_invalid_classes(texts: list[str], y: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        tw.MedLDAClassifier(n_topics=3, n_sweeps=5).fit(texts, y)
