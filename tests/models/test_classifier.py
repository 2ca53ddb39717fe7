"""MedLDAClassifier as its users meet it."""

from __future__ import annotations

import json
import os
import signal
from enum import Enum
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import topicwright as tw
from topicwright.errors import InputError, StoppedWarning, TopicwrightWarning, UnknownWordsWarning
from topicwright.losses import Hinge, Logistic
from topicwright.models import Sweep

from ..conftest import THEMES, themed_texts
from .plainly import expected_shares

NAMES = list(THEMES)


def themes_of(n: int) -> list[str]:
    return [NAMES[i % 3] for i in range(n)]


def mixed_texts(n: int, seed: int = 0) -> tuple[list[str], list[list[str]]]:
    """Texts with words about nothing and words about one theme or two, and which."""
    rng = np.random.default_rng(seed)
    labels = [sorted(rng.choice(NAMES, rng.integers(1, 3), replace=False).tolist()) for _ in range(n)]
    common = ["day", "time", "way", "year", "thing", "week", "part", "place"]
    themed = [[word for name in names for word in rng.choice(THEMES[name].split(), 10)] for names in labels]
    return [" ".join([*rng.choice(common, 10), *words]) for words in themed], labels


NEW, NEW_THEMES = themed_texts(60, seed=1), themes_of(60)


@pytest.fixture(scope="module")
def model(texts: list[str]) -> tw.MedLDAClassifier:
    return tw.MedLDAClassifier(n_topics=6, n_sweeps=20).fit(texts, themes_of(60))


# ---------------------------------------------------------------------- classes


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
@pytest.mark.parametrize("strategy", ["shared", "one-vs-rest"])
@pytest.mark.parametrize("sampler", ["dense", "compositional"])
def test_themes_are_told_apart(texts: list[str], loss: str, strategy: str, sampler: str) -> None:
    model = tw.MedLDAClassifier(n_topics=6, loss=loss, strategy=strategy, sampler=sampler, n_sweeps=25)
    assert model.fit(texts, themes_of(60)).score(NEW, NEW_THEMES) > 0.95
    assert model.classes_.tolist() == sorted(NAMES)
    assert not model.multilabel_
    assert model.decision_function(NEW).shape == (60, 3)


@pytest.mark.parametrize("strategy", ["shared", "one-vs-rest"])
def test_two_classes_are_one_task_whose_positive_side_is_the_second(texts: list[str], strategy: str) -> None:
    y = [name == "sea" for name in themes_of(60)]
    model = tw.MedLDAClassifier(n_topics=6, n_sweeps=20, strategy=strategy).fit(texts, y)
    scores = model.decision_function(NEW)
    assert scores.shape == (60,)
    np.testing.assert_array_equal(model.predict(NEW), scores > 0)
    assert model.predict(NEW).dtype == bool
    assert model.score(NEW, [name == "sea" for name in NEW_THEMES]) > 0.95


def test_supervision_finds_what_words_alone_would_not() -> None:
    """Every text has many words of a loud theme, which says nothing, and two that tell."""
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


def test_scores_are_the_shares_of_topics_times_weights(model: tw.MedLDAClassifier) -> None:
    assert model.coef_.shape == (3, 6)
    np.testing.assert_allclose(model.decision_function(NEW), expected_shares(model, NEW) @ model.coef_.T, atol=1e-9)


def test_a_document_of_unknown_words_has_no_score(model: tw.MedLDAClassifier) -> None:
    with pytest.warns(UnknownWordsWarning):
        assert model.decision_function(["zebra lion"]).tolist() == [[0.0, 0.0, 0.0]]


def test_documents_without_words_do_no_harm(texts: list[str]) -> None:
    model = tw.MedLDAClassifier(n_topics=6, n_sweeps=20).fit(["", *texts, "  "], ["sea", *themes_of(60), None])
    assert model.score(NEW, NEW_THEMES) > 0.95


@pytest.mark.parametrize("unknown", [None, float("nan"), np.nan])
def test_documents_without_a_class_take_part(unknown: Any) -> None:
    y = [theme if i < 12 else unknown for i, theme in enumerate(themes_of(120))]
    model = tw.MedLDAClassifier(n_topics=6, n_sweeps=30).fit(themed_texts(120), y)
    assert model.doc_topic_.shape == (120, 6)
    assert model.score(NEW, NEW_THEMES) > 0.95


def test_numbers_with_nan_are_classes_too(texts: list[str]) -> None:
    y = np.where(np.arange(60) < 40, np.arange(60) % 3, np.nan)
    model = tw.MedLDAClassifier(n_topics=6, n_sweeps=20).fit(texts, y)
    assert model.classes_.tolist() == [0, 1, 2]
    assert (model.predict(NEW) == np.arange(60) % 3).mean() > 0.95


class Colour(Enum):
    RED = 1
    BLUE = 2


@pytest.mark.parametrize(
    "classes", [[3, 1, 2], ["b", "a", "c"], [True, False], [Colour.RED, Colour.BLUE], ["a", 1], [2.0, 1.0]]
)
def test_classes_may_be_anything_that_is_hashable(classes: list[Any]) -> None:
    y = [classes[i % len(classes)] for i in range(60)]
    n_themes = len(classes)
    texts = [text for i, text in enumerate(themed_texts(120)) if i % 3 < n_themes][:60]
    model = tw.MedLDAClassifier(n_topics=4, n_sweeps=20).fit(texts, y)
    assert set(model.classes_.tolist()) == set(classes)
    assert set(model.predict(texts).tolist()) == set(classes)


def test_a_corpus_brings_its_own_labels(texts: list[str], model: tw.MedLDAClassifier) -> None:
    corpus = tw.Corpus.from_texts(texts, labels=themes_of(60))
    own = tw.MedLDAClassifier(n_topics=6, n_sweeps=20).fit(corpus)
    np.testing.assert_array_equal(own.coef_, model.coef_)
    partly = tw.Corpus.from_texts(texts, labels=[*themes_of(30), *[None] * 30])
    assert tw.MedLDAClassifier(n_topics=6, n_sweeps=20).fit(partly).score(NEW, NEW_THEMES) > 0.95


def test_probabilities_are_for_the_logistic_loss_alone(texts: list[str], model: tw.MedLDAClassifier) -> None:
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="which loss='hinge' does not have: train with loss=\"logistic\""):
        model.predict_proba(NEW)
    for loss in ("logistic", Logistic(30.0)):
        logistic = tw.MedLDAClassifier(n_topics=6, loss=loss, n_sweeps=20).fit(texts, themes_of(60))
        chances = logistic.predict_proba(NEW)
        np.testing.assert_allclose(chances.sum(axis=1), 1)
        np.testing.assert_array_equal(logistic.classes_[chances.argmax(axis=1)], logistic.predict(NEW))
    binary = tw.MedLDAClassifier(n_topics=6, loss="logistic", n_sweeps=20).fit(texts, np.arange(60) % 3 == 0)
    np.testing.assert_allclose(binary.predict_proba(NEW)[:, 1], 1 / (1 + np.exp(-binary.decision_function(NEW))))


def test_a_loss_may_be_given_as_it_is(texts: list[str], model: tw.MedLDAClassifier) -> None:
    same = tw.MedLDAClassifier(n_topics=6, loss=Hinge(1.6, model.margin_), n_sweeps=20).fit(texts, themes_of(60))
    np.testing.assert_array_equal(same.coef_, model.coef_)


def test_class_weights_raise_the_recall_of_a_rare_class() -> None:
    """Few words tell the rare class, so that plain training gives it up; the mean of several seeds counts."""
    rng = np.random.default_rng(0)
    sea, court = THEMES["sea"].split(), THEMES["court"].split()
    y = np.arange(300) % 10 == 0
    texts = [" ".join([*rng.choice(sea, 9), *rng.choice(court if rare else sea, 2), rng.choice(court)]) for rare in y]

    def recall(class_weight: Any) -> float:
        models = (
            tw.MedLDAClassifier(n_topics=4, C=0.05, n_sweeps=30, class_weight=class_weight, random_state=seed)
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


def test_other_collections_of_labels_are_lists_too() -> None:
    texts, labels = mixed_texts(40)
    models = [
        tw.MedLDAClassifier(n_topics=4, n_sweeps=5).fit(texts, y)
        for y in (labels, [set(some) for some in labels], [tuple(some) for some in labels])
    ]
    assert len({model.coef_.tobytes() for model in models}) == 1


def test_no_label_and_unknown_labels_are_not_the_same() -> None:
    texts, labels = mixed_texts(60)
    neither = ["violin cello flute drum opera " * 4] * 20
    model = tw.MedLDAClassifier(n_topics=6, margin=2.0, n_sweeps=30).fit([*texts, *neither], [*labels, *[[]] * 20])
    assert (model.decision_function(neither[:1]) < 0).all()
    assert len(model.predict(neither[:1])[0]) == 1  # none is above zero, so the best one
    partly = tw.MedLDAClassifier(n_topics=6, margin=2.0, n_sweeps=30).fit([*texts, *neither], [*labels, *[None] * 20])
    assert partly.score(texts, labels) > 0.9


def test_what_is_not_known_does_not_count_in_a_score() -> None:
    pd = pytest.importorskip("pandas")
    texts, labels = mixed_texts(40)
    y = [*[own[0] for own in labels[:30]], *[None] * 10]
    model = tw.MedLDAClassifier(n_topics=6, n_sweeps=10).fit(texts, y)
    weights = np.arange(1.0, 41.0)
    expected = model.score(texts[:30], y[:30], weights[:30])
    for same in (y, pd.Series(y), np.array(y, dtype=object), iter(y)):
        assert model.score(texts, same, weights) == expected
    assert model.score(texts, y) == model.score(texts[:30], y[:30])
    with pytest.raises(InputError, match="y must be known for one document or more: got NaN or None everywhere"):
        model.score(texts, [None] * 40)


def test_sets_of_labels_that_are_not_known_do_not_count_in_a_score() -> None:
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


def test_each_label_has_a_probability_of_its_own() -> None:
    texts, labels = mixed_texts(60)
    model = tw.MedLDAClassifier(n_topics=6, loss="logistic", C=20.0, n_sweeps=20).fit(texts, labels)
    chances = model.predict_proba(texts)
    assert chances.shape == (60, 3)
    assert chances.sum(axis=1).max() > 1.5  # two labels at once


# ---------------------------------------------------------------------- the same answer


@pytest.mark.parametrize("strategy", ["shared", "one-vs-rest"])
@pytest.mark.parametrize("sampler", ["dense", "compositional"])
def test_threads_change_nothing(texts: list[str], strategy: str, sampler: str) -> None:
    models = [
        tw.MedLDAClassifier(n_topics=8, strategy=strategy, sampler=sampler, n_sweeps=15, n_jobs=n).fit(
            texts, themes_of(60)
        )
        for n in (1, 2)
    ]
    assert len({model.decision_function(NEW).tobytes() for model in models}) == 1
    assert models[0].log_likelihood_ == models[1].log_likelihood_


@pytest.mark.parametrize("strategy", ["shared", "one-vs-rest"])
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
@pytest.mark.parametrize("sampler", ["dense", "compositional"])
@pytest.mark.parametrize("first", [2, 3, 12])
def test_resume_is_as_if_training_had_never_stopped(
    texts: list[str], strategy: str, loss: str, sampler: str, first: int
) -> None:
    def new() -> tw.MedLDAClassifier:
        return tw.MedLDAClassifier(n_topics=8, strategy=strategy, loss=loss, sampler=sampler, n_sweeps=20)

    whole = new().fit(texts, themes_of(60))
    parts = new().fit(texts, themes_of(60), on_sweep=lambda sweep: sweep.number < first)
    parts.resume(20 - first)
    assert parts.sweeps_ == whole.sweeps_ == 20
    assert parts.decision_function(NEW).tobytes() == whole.decision_function(NEW).tobytes()


def test_other_seeds_give_other_topics(texts: list[str]) -> None:
    first, second = (tw.MedLDAClassifier(6, n_sweeps=5, random_state=s).fit(texts, themes_of(60)) for s in (0, 1))
    assert first.coef_.tobytes() != second.coef_.tobytes()


def test_a_model_can_be_fitted_again_with_another_strategy(texts: list[str]) -> None:
    model = tw.MedLDAClassifier(n_topics=6, n_sweeps=5).fit(texts, themes_of(60))
    before = model.coef_
    model.set_params(strategy="one-vs-rest").fit(texts, themes_of(60))
    assert not hasattr(model, "coef_")
    assert not hasattr(model, "topic_word_")
    model.set_params(strategy="shared").fit(texts, themes_of(60))
    np.testing.assert_array_equal(model.coef_, before)
    assert not hasattr(model, "estimators_")


def test_a_model_for_each_class_says_where_the_topics_are(texts: list[str]) -> None:
    model = tw.MedLDAClassifier(n_topics=3, strategy="one-vs-rest", n_sweeps=10).fit(texts, themes_of(60))
    assert len(model.estimators_) == 3
    assert all(one.topic_word_.shape == (3, 24) for one in model.estimators_)
    assert len({one.assignments_.tobytes() for one in model.estimators_}) == 3
    for needs_topics in (lambda: model.topic_word_, lambda: model.coef_, lambda: model.transform(NEW)):
        with pytest.raises(AttributeError, match="each class has topics of its own: see estimators_"):
            needs_topics()


# ---------------------------------------------------------------------- the callback, and stopping


@pytest.mark.parametrize("strategy", ["shared", "one-vs-rest"])
def test_on_sweep_hears_of_every_sweep_and_can_stop(texts: list[str], strategy: str) -> None:
    heard: list[Sweep] = []

    def stop_at_seven(sweep: Sweep) -> bool:
        heard.append(sweep)
        return sweep.number < 7

    model = tw.MedLDAClassifier(n_topics=4, strategy=strategy, n_sweeps=20, evaluate_every=5)
    model.fit(texts, themes_of(60), on_sweep=stop_at_seven)
    assert [sweep.number for sweep in heard] == [1, 2, 3, 4, 5, 6, 7]
    assert [sweep for sweep, _ in model.log_likelihood_] == [5]
    assert all(0 <= sweep.moved <= 1 for sweep in heard)
    assert model.interrupted_
    assert model.sweeps_ == 7
    assert not model.resume(3).interrupted_


def test_the_likelihood_of_several_models_is_their_mean(texts: list[str]) -> None:
    """Soft seeds included, which give each model's topics another prior."""
    seeds = tw.SeedWords({0: ["ship", "wave"]})
    model = tw.MedLDAClassifier(n_topics=3, strategy="one-vs-rest", n_sweeps=10, knowledge=[seeds])
    model.fit(texts, themes_of(60))
    from topicwright.samplers.likelihood import joint_log_likelihood

    each = [
        joint_log_likelihood(one.doc_topic_counts_, one.topic_word_counts_, one.alpha_, one._frozen.beta) / 720
        for one in model.estimators_
    ]
    assert model.log_likelihood_[-1][1] == pytest.approx(np.mean(each))
    for before in (True, False):
        with pytest.raises(InputError, match="a report is of topics that all classes share"):
            model.knowledge_report(before=before)
    assert model.estimators_[0].knowledge_report(before=False).rows


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
@pytest.mark.parametrize("y", ["classes", "two", "labels"])
def test_verdicts_are_values_and_what_follows_from_them(texts: list[str], loss: str, y: str) -> None:
    themes = themes_of(60)
    told = {"classes": themes, "two": [theme == "sea" for theme in themes], "labels": [[theme] for theme in themes]}[y]
    model = tw.MedLDAClassifier(n_topics=3, n_sweeps=10, loss=loss).fit(texts, told)
    verdicts, scores = model.judge(NEW), model.decision_function(NEW)
    if loss == "logistic":
        np.testing.assert_array_equal(verdicts.values, model.predict_proba(NEW))
    else:
        np.testing.assert_array_equal(verdicts.values[:, -1], scores if y == "two" else scores[:, -1])
    names = [[model.classes_.tolist()[k] for k in best] for best in verdicts.best_first()]
    assert names == [list(said) if y == "labels" else [said] for said in model.predict(NEW)]


def test_ctrl_c_keeps_what_was_learned(texts: list[str]) -> None:
    def press_ctrl_c(sweep: Sweep) -> None:
        if sweep.number == 8:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.warns(StoppedWarning, match="8 of 5,000"):
        model = tw.MedLDAClassifier(n_topics=6, n_sweeps=5000).fit(texts, themes_of(60), on_sweep=press_ctrl_c)
    assert model.interrupted_
    assert model.sweeps_ == 8
    assert model.score(NEW, NEW_THEMES) > 0.9


# ---------------------------------------------------------------------- knowledge


def test_knowledge_and_classes_go_together(texts: list[str]) -> None:
    knowledge = [tw.SeedWords({"boats": ["ship", "sail"]}, hard=True)]
    for strategy in ("shared", "one-vs-rest"):
        model = tw.MedLDAClassifier(n_topics=6, knowledge=knowledge, strategy=strategy, n_sweeps=20)
        model.fit(texts, themes_of(60))
        assert model.score(NEW, NEW_THEMES) > 0.95
        for one in getattr(model, "estimators_", [model]):
            assert one.topic_names_ is not None
            assert "boats" in one.topic_names_
            ship = list(one.vocabulary_).index("ship")
            assert np.flatnonzero(one.topic_word_counts_.toarray()[:, ship]).tolist() == [0]


def test_the_report_compares_with_the_same_classifier_without_knowledge(texts: list[str]) -> None:
    """The classes say nothing about themes, so that only the link can bring the words of two together."""
    knowledge = [tw.MustLinks([("ship", "bread")])]
    model = tw.MedLDAClassifier(n_topics=4, C=0.01, knowledge=knowledge, n_sweeps=30).fit(texts, np.arange(60) % 2)
    (row,) = model.knowledge_report().rows
    assert row.before is not None
    assert row.before < 0.2 < row.now


def test_ctrl_c_while_the_other_classifier_is_trained_is_told_in_the_report(texts: list[str]) -> None:
    def press_ctrl_c(sweep: Sweep) -> None:
        if sweep.number == 4:
            os.kill(os.getpid(), signal.SIGINT)

    knowledge = [tw.MustLinks([("ship", "bread")])]
    model = tw.MedLDAClassifier(n_topics=4, knowledge=knowledge, n_sweeps=6).fit(texts, np.arange(60) % 2)
    report = model.knowledge_report(on_sweep=press_ctrl_c)  # a warning would be an error here
    assert report.notes == ("the model without knowledge was stopped after 4 of 6 sweeps",)


# ---------------------------------------------------------------------- explanations


def test_an_explanation_adds_up(model: tw.MedLDAClassifier) -> None:
    explanation = model.explain(NEW[0], top=100)
    scores = model.decision_function(NEW[:1])[0]
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


def test_an_explanation_can_be_read_and_stored(model: tw.MedLDAClassifier) -> None:
    explanation = model.explain("ship ship wave", top=2)
    assert str(explanation).startswith("court: -")
    assert "ship" in str(explanation)
    assert "<table>" in explanation._repr_html_()
    assert json.loads(json.dumps(explanation.to_dict()))["reasons"][2]["what"] == "sea"
    assert all(len(reasons.words) == 2 for reasons in explanation.reasons)


def test_one_document_comes_in_any_form(model: tw.MedLDAClassifier) -> None:
    counts = np.zeros(24, int)
    counts[[list(model.vocabulary_).index(word) for word in ("ship", "wave")]] = 1
    forms = ["ship wave", ["ship", "wave"], tw.Corpus.from_texts(["ship wave"]), counts, csr_array(counts[None, :])]
    scores = [model.explain(form).reasons[0].score for form in forms]
    assert scores == pytest.approx([scores[0]] * 5, rel=0.2)
    with pytest.raises(InputError, match="explain takes one document: got 2"):
        model.explain(tw.Corpus.from_texts(["ship", "wave"]))


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


def test_both_of_two_classes_are_described(texts: list[str]) -> None:
    model = tw.MedLDAClassifier(n_topics=6, n_sweeps=20).fit(texts, np.arange(60) % 3 == 0)
    description = model.describe()
    assert list(description.topics) == [False, True]
    assert set(description.topics[True][0].words) <= set(THEMES["sea"].split())
    assert [reasons.what for reasons in model.explain(NEW[0]).reasons] == [True]


# ---------------------------------------------------------------------- wrong input


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": "squared"}, "loss must be one of 'hinge', 'logistic', or an object with linearise and centre"),
        ({"loss": 7}, "loss must be one of 'hinge', 'logistic', or an object .*: got 7"),
        ({"strategy": "ovr"}, "strategy must be one of 'shared', 'one-vs-rest': got 'ovr'"),
        ({"sampler": "sparse"}, "sampler must be one of 'auto', 'compositional', 'dense': got 'sparse'"),
        ({"C": 0}, "C must be a positive number: got 0"),
        ({"margin": -1.0}, "margin must be a positive number: got -1.0"),
        ({"nu": float("nan")}, "nu must be a positive number: got nan"),
        ({"alpha": "learn"}, "alpha can't be learned beside a loss: give numbers, got 'learn'"),
        ({"beta": "learn"}, "beta can't be learned beside a loss"),
        ({"alpha": [0.1, 0.2]}, "alpha must have one entry per topic"),
        ({"n_sweeps": 2}, "n_sweeps must be at least 3: got 2"),
        ({"mh_steps": 0}, "mh_steps must be from 1 to 10,000: got 0"),
        ({"weight_sweeps": 2**31}, "weight_sweeps must be from 1 to 10,000: got 2147483648"),
        ({"weight_sweeps": 1.5}, "weight_sweeps must be a whole number: got 1.5"),
        ({"class_weight": {"lake": 2}}, "class_weight names a class that y does not have: 'lake'; it has 'court', 'ki"),
        ({"class_weight": {"sea": -1}}, "class_weight must have positive numbers: got -1 for 'sea'"),
        ({"class_weight": "even"}, "class_weight must be None, 'balanced' or a dict of weights: got 'even'"),
    ],
)
def test_wrong_parameters_are_named(texts: list[str], parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        tw.MedLDAClassifier(**{"n_topics": 3, "n_sweeps": 5, **parameters}).fit(texts, themes_of(60))


def test_more_topics_than_tokens_is_worth_a_warning() -> None:
    with pytest.warns(TopicwrightWarning, match="n_topics is 40, but there are only 4 tokens"):
        tw.MedLDAClassifier(n_sweeps=3).fit(["ship wave", "bread oven"], [0, 1])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed, but the target y is None, and X has no labels of its own"),
        (["sea"] * 59, "y must have one entry per document: got 59, expected 60"),
        (["sea"] * 60, "y must have two classes or more: got one class only, 'sea'"),
        ([None] * 60, "y must have two classes or more: got NaN or None everywhere"),
        (np.full(60, np.nan), "y must have two classes or more: got NaN or None everywhere"),
        (np.linspace(0, 1, 60), "y must be classes, not continuous numbers: got 0.*MedLDARegressor"),
        ("sea" * 20, "y must have one entry per document: got str"),
        (7, "y must have one entry per document: got int"),
        ([[]] * 60, "y must have one label or more: got none in all documents"),
        ([["sea", None]] * 60, "a list of labels must have no None or NaN in it"),
        (np.full((60, 2), 3), r"y of shape \(60, 2\) must be 0 or 1, or NaN where unknown: got 3"),
        (np.full((60, 2), np.nan), "y must have one label or more: got NaN everywhere"),
        (np.zeros((59, 2)), "y must have one entry per document: got 59, expected 60"),
    ],
)
def test_wrong_classes_are_met_at_the_door(texts: list[str], y: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        tw.MedLDAClassifier(n_topics=3, n_sweeps=5).fit(texts, y)


# ---------------------------------------------------------------------- words with weights of their own


@pytest.fixture(scope="module")
def both(texts: list[str]) -> tw.MedLDAClassifier:
    return tw.MedLDAClassifier(n_topics=6, n_sweeps=20, word_weights=True).fit(texts, themes_of(60))


def test_words_may_have_weights_beside_topics(both: tw.MedLDAClassifier, model: tw.MedLDAClassifier) -> None:
    assert model.word_coef_ is None
    assert both.word_coef_.shape == (len(both.classes_), len(both.vocabulary_))
    sea = both.classes_.tolist().index("sea")
    heaviest = np.argsort(-both.word_coef_[sea])[:5]
    assert set(both.vocabulary_[heaviest]) <= set(THEMES["sea"].split())
    assert both.predict(NEW).tolist() == model.predict(NEW).tolist()


def test_what_topics_and_words_add_makes_the_score(both: tw.MedLDAClassifier) -> None:
    scores = both.decision_function([NEW[0]])[0]
    for score, reasons in zip(scores, both.explain(NEW[0], top=100).reasons):
        added = sum(topic.contribution for topic in reasons.topics) + reasons.from_words
        assert score == pytest.approx(added) == pytest.approx(reasons.score)
        assert reasons.from_words == pytest.approx(sum(word.by_itself for word in reasons.words)) != 0


def test_a_stronger_prior_keeps_weights_of_words_small(texts: list[str], both: tw.MedLDAClassifier) -> None:
    firm = tw.MedLDAClassifier(n_topics=6, n_sweeps=20, word_weights=1e6).fit(texts, themes_of(60))
    assert np.abs(firm.word_coef_).max() < 0.1 < np.abs(both.word_coef_).max()


def test_resume_with_weights_of_words(texts: list[str], both: tw.MedLDAClassifier) -> None:
    parts = tw.MedLDAClassifier(n_topics=6, n_sweeps=12, word_weights=True).fit(texts, themes_of(60)).resume(8)
    np.testing.assert_array_equal(parts.word_coef_, both.word_coef_)
    np.testing.assert_array_equal(parts.assignments_, both.assignments_)


def test_the_margin_follows_the_length_of_documents(texts: list[str], model: tw.MedLDAClassifier) -> None:
    length = model.corpus_.n_tokens / model.corpus_.n_docs
    assert model.margin_ == pytest.approx(0.4 * length)
    assert model.alpha_.sum() == pytest.approx(0.4 * length)
    long = tw.MedLDAClassifier(n_topics=6, n_sweeps=3).fit([" ".join([text] * 60) for text in texts], themes_of(60))
    assert long.margin_ == 64.0
    assert long.alpha_.sum() == pytest.approx(32.0)
    labels = tw.MedLDAClassifier(n_topics=6, n_sweeps=3).fit([" ".join([text] * 60) for text in texts], [["a"]] * 60)
    assert labels.margin_ == 8.0


@pytest.mark.parametrize("wrong", [-1.0, 0, "yes", None])
def test_wrong_weights_of_words(texts: list[str], wrong: Any) -> None:
    with pytest.raises(InputError, match="word_weights must be a positive number"):
        tw.MedLDAClassifier(word_weights=wrong).fit(texts, themes_of(60))


# ---------------------------------------------------------------------- two samplers of one model


def test_dense_and_compositional_agree_on_real_text() -> None:
    """Likelihood, weights and accuracy of several seeds have the same mean, within their own spread."""
    corpus = tw.datasets.load_docstrings()
    corpus = corpus.select(range(0, corpus.n_docs, 8))
    classes = np.array([labels[0] for labels in corpus.labels or ()])

    def figures(sampler: str, nu: float = 1.0) -> Any:
        rows = []
        for seed in range(4):
            model = tw.MedLDAClassifier(
                8, n_sweeps=40, margin=8.0, nu=nu, sampler=sampler, random_state=seed, evaluate_every=10
            ).fit(corpus, classes)
            likelihood = np.mean([value for _, value in model.log_likelihood_[-2:]])
            rows.append((likelihood, model.coef_.std(), (model.predict(corpus) == classes).mean()))
        return np.array(rows)

    def distance(some: Any, others: Any) -> Any:
        error = np.sqrt((some.var(axis=0, ddof=1) + others.var(axis=0, ddof=1)) / len(some))
        return np.abs(some.mean(axis=0) - others.mean(axis=0)) / error

    dense = figures("dense")
    assert (distance(dense, figures("compositional")) < 4).all()
    assert (distance(dense, figures("compositional", nu=10.0)) > 4).any()
