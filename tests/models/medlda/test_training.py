"""MedLDAClassifier: threads, resuming, stopping, knowledge and samplers."""

from __future__ import annotations

import importlib
import os
import signal
from typing import Any

import numpy as np
import pytest

import topicwright as tw
from topicwright.errors import InputError, StoppedWarning
from topicwright.models import Sweep

from .themes import NEW, NEW_THEMES, themes_of

# ---------------------------------------------------------------------- the same answer


@pytest.mark.parametrize("strategy", ["shared", "one-vs-rest"])
@pytest.mark.parametrize("sampler", ["dense", "compositional"])
def test_result_does_not_depend_on_threads(texts: list[str], strategy: str, sampler: str) -> None:
    models = [
        tw.MedLDAClassifier(n_topics=8, strategy=strategy, sampler=sampler, n_sweeps=15, n_jobs=n).fit(
            texts, themes_of(60)
        )
        for n in (1, 2)
    ]
    assert len({model.decision_function(NEW).tobytes() for model in models}) == 1
    assert models[0].log_likelihood_ == models[1].log_likelihood_


@pytest.mark.parametrize("word_weights", ["auto", False])
def test_a_grid_of_cells_does_not_depend_on_threads_or_on_an_interruption(
    texts: list[str], word_weights: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A larger corpus is sampled in cells, and its auxiliary variables are drawn in blocks of documents."""
    monkeypatch.setattr("topicwright._sampling.grid.TOKENS_PER_BLOCK", 50)
    monkeypatch.setattr("topicwright._sampling.medlda.engine._ENTRIES_PER_BLOCK", 32)
    monkeypatch.setattr("topicwright.models.medlda.linear._BLOCK", 2)
    options = {"n_topics": 30, "n_sweeps": 12, "word_weights": word_weights}
    themes = [[theme] for theme in themes_of(60)]
    models = [tw.MedLDAClassifier(**options, n_jobs=n).fit(texts, themes) for n in (1, 2, 3)]
    models.append(tw.MedLDAClassifier(**options).fit(texts, themes, on_sweep=lambda sweep: sweep.number < 5))
    models[-1].resume(7)
    assert len({model.assignments_.tobytes() for model in models}) == 1
    assert len({model.coef_.tobytes() for model in models}) == 1
    assert len({model.decision_function(NEW).tobytes() for model in models}) == 1
    monkeypatch.undo()
    one_cell = tw.MedLDAClassifier(**options).fit(texts, themes)
    assert one_cell.assignments_.tobytes() != models[0].assignments_.tobytes()


@pytest.mark.parametrize("strategy", ["shared", "one-vs-rest"])
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
@pytest.mark.parametrize("sampler", ["dense", "compositional"])
@pytest.mark.parametrize("first", [2, 3, 12])
def test_resumed_training_equals_uninterrupted_training(
    texts: list[str], strategy: str, loss: str, sampler: str, first: int
) -> None:
    def new() -> tw.MedLDAClassifier:
        return tw.MedLDAClassifier(n_topics=8, strategy=strategy, loss=loss, sampler=sampler, n_sweeps=20)

    whole = new().fit(texts, themes_of(60))
    parts = new().fit(texts, themes_of(60), on_sweep=lambda sweep: sweep.number < first)
    parts.resume(20 - first)
    assert parts.sweeps_ == whole.sweeps_ == 20
    assert parts.decision_function(NEW).tobytes() == whole.decision_function(NEW).tobytes()


def test_different_seeds_give_different_topics(texts: list[str]) -> None:
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


def test_one_vs_rest_points_to_the_models_of_classes(texts: list[str]) -> None:
    model = tw.MedLDAClassifier(n_topics=3, strategy="one-vs-rest", n_sweeps=10).fit(texts, themes_of(60))
    assert len(model.estimators_) == 3
    assert all(one.topic_word_.shape == (3, 24) for one in model.estimators_)
    assert len({one.assignments_.tobytes() for one in model.estimators_}) == 3
    for needs_topics in (lambda: model.topic_word_, lambda: model.coef_, lambda: model.transform(NEW)):
        with pytest.raises(AttributeError, match="its own topics: see estimators_"):
            needs_topics()


# ---------------------------------------------------------------------- the callback, and stopping


@pytest.mark.parametrize("strategy", ["shared", "one-vs-rest"])
def test_on_sweep_is_called_each_sweep_and_can_stop(texts: list[str], strategy: str) -> None:
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
    from topicwright._sampling.dirichlet import joint_log_likelihood

    each = [
        joint_log_likelihood(one.doc_topic_counts_, one.topic_word_counts_, one.alpha_, one.fit_state_.snapshot.beta)
        / 720
        for one in model.estimators_
    ]
    assert model.log_likelihood_[-1][1] == pytest.approx(np.mean(each))
    for before in (True, False):
        with pytest.raises(InputError, match="all classes share"):
            model.knowledge_report(before=before)
    assert model.estimators_[0].knowledge_report(before=False).rows


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
@pytest.mark.parametrize("y", ["classes", "two", "labels"])
@pytest.mark.parametrize("calibrate", [True, False])
def test_predictions_are_consistent_with_scores(texts: list[str], loss: str, y: str, calibrate: bool) -> None:
    themes = themes_of(60)
    told = {"classes": themes, "two": [theme == "sea" for theme in themes], "labels": [[theme] for theme in themes]}[y]
    model = tw.MedLDAClassifier(n_topics=3, n_sweeps=10, loss=loss, calibrate=calibrate).fit(texts, told)
    verdicts, scores = model.decide(NEW), model.decision_function(NEW)
    if calibrate or loss == "logistic":
        np.testing.assert_array_equal(verdicts.values, model.predict_proba(NEW))
    else:
        np.testing.assert_array_equal(verdicts.values[:, -1], scores if y == "two" else scores[:, -1])
    names = [[model.classes_.tolist()[k] for k in best] for best in verdicts.best_first()]
    assert names == [list(said) if y == "labels" else [said] for said in model.predict(NEW)]


def test_ctrl_c_keeps_the_fitted_state(texts: list[str]) -> None:
    def press_ctrl_c(sweep: Sweep) -> None:
        if sweep.number == 8:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.warns(StoppedWarning, match="8 of 5,000"):
        model = tw.MedLDAClassifier(n_topics=6, n_sweeps=5000).fit(texts, themes_of(60), on_sweep=press_ctrl_c)
    assert model.interrupted_
    assert model.sweeps_ == 8
    assert model.score(NEW, NEW_THEMES) > 0.9


# ---------------------------------------------------------------------- knowledge


def test_knowledge_with_classes(texts: list[str]) -> None:
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
    """Classes are independent of themes, so only the link joins words of two themes."""
    knowledge = [tw.MustLinks([("ship", "bread")])]
    model = tw.MedLDAClassifier(n_topics=4, C=0.01, knowledge=knowledge, n_sweeps=30).fit(texts, np.arange(60) % 2)
    (row,) = model.knowledge_report().rows
    assert row.before is not None
    assert row.before < 0.2 < row.now


def test_interrupted_baseline_is_noted_in_the_report(texts: list[str]) -> None:
    def press_ctrl_c(sweep: Sweep) -> None:
        if sweep.number == 4:
            os.kill(os.getpid(), signal.SIGINT)

    knowledge = [tw.MustLinks([("ship", "bread")])]
    model = tw.MedLDAClassifier(n_topics=4, knowledge=knowledge, n_sweeps=6).fit(texts, np.arange(60) % 2)
    report = model.knowledge_report(on_sweep=press_ctrl_c)  # a warning would be an error here
    assert report.notes == ("the model without knowledge was stopped after 4 of 6 sweeps",)


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
                8,
                n_sweeps=40,
                margin=8.0,
                nu=nu,
                sampler=sampler,
                word_weights=False,
                calibrate=False,  # it would change the scale of the weights
                random_state=seed,
                evaluate_every=10,
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


def test_features_and_knowledge_are_prepared_once(texts: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    for module, name in (
        ("topicwright.models.medlda.base", "tfidf_features"),
        ("topicwright.models.medlda.base", "inverse_document_frequency"),
        ("topicwright.models._knowledge", "compile_knowledge"),
    ):
        function = getattr(importlib.import_module(module), name)
        monkeypatch.setattr(
            f"{module}.{name}", lambda *a, _f=function, _n=name, **k: (calls.append(_n), _f(*a, **k))[1]
        )
    options = {"n_topics": 3, "n_sweeps": 5, "word_weights": True, "knowledge": [tw.MustLinks([("ship", "wave")])]}
    for strategy in ("shared", "one-vs-rest"):
        calls.clear()
        tw.MedLDAClassifier(strategy=strategy, **options).fit(texts, themes_of(60))
        assert sorted(calls) == ["compile_knowledge", "inverse_document_frequency", "tfidf_features"]
