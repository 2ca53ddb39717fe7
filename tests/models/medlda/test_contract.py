"""Supervised models: scikit-learn's estimator checks, pipelines and searches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsOneClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import topicwright as tw

from ..test_sklearn_contract import rounded


class Rounding:
    """scikit-learn's checks pass random fractions; topics are of whole counts, so here they are rounded first."""

    def fit(self, X: Any, y: Any = None, **options: Any) -> Any:
        return super().fit(rounded(X), y, **options)  # type: ignore[misc]

    def transform(self, X: Any) -> Any:
        return super().transform(rounded(X))  # type: ignore[misc]

    def _documents(self, X: Any) -> Any:
        return super()._documents(rounded(X))  # type: ignore[misc]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        for kind in filter(None, (tags.classifier_tags, tags.regressor_tags)):
            kind.poor_score = True  # standardised blobs are counts of 0 to 3 when they are rounded: most is lost
        return tags


class RoundingClassifier(Rounding, tw.MedLDAClassifier):
    pass


class RoundingRegressor(Rounding, tw.MedLDARegressor):
    pass


def expected_failures(estimator: Any) -> dict[str, str]:
    checks = ["check_class_weight_classifiers"]
    if hasattr(estimator, "predict_proba"):
        checks.append("check_decision_proba_consistency")
    return dict.fromkeys(checks, "it passes negative numbers, which are no counts")


@pytest.mark.filterwarnings("ignore::topicwright.errors.TopicwrightWarning")
@parametrize_with_checks(
    [
        RoundingClassifier(n_topics=3, n_sweeps=10),
        RoundingClassifier(n_topics=3, n_sweeps=10, loss="logistic", sampler="compositional"),
        RoundingRegressor(n_topics=3, n_sweeps=10),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.fixture(scope="module")
def classes(texts: list[str]) -> np.ndarray:
    return np.array(["sea", "kitchen", "court"])[np.arange(len(texts)) % 3]


def test_a_search_over_topics_with_texts(texts: list[str], classes: np.ndarray) -> None:
    search = GridSearchCV(tw.MedLDAClassifier(n_sweeps=10, word_weights=False), {"n_topics": [1, 6]}, cv=2)
    search.fit(np.array(texts, dtype=object), classes)
    assert search.best_params_ == {"n_topics": 6}  # with one topic, all documents are alike
    assert search.best_score_ == 1.0


def test_works_in_one_vs_one(classes: np.ndarray, texts: list[str]) -> None:
    counts = CountVectorizer().fit_transform(texts)
    pairs = OneVsOneClassifier(tw.MedLDAClassifier(n_topics=4, n_sweeps=10)).fit(counts, classes)
    assert (pairs.predict(counts) == classes).mean() > 0.95


def test_calibration_gives_the_hinge_loss_probabilities(texts: list[str], classes: np.ndarray) -> None:
    calibrated = CalibratedClassifierCV(tw.MedLDAClassifier(n_topics=6, n_sweeps=10), cv=2)
    chances = calibrated.fit(np.array(texts, dtype=object), classes).predict_proba(texts)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert (calibrated.classes_[chances.argmax(axis=1)] == classes).all()


def test_works_as_last_step_of_a_pipeline(texts: list[str], classes: np.ndarray) -> None:
    pipeline = make_pipeline(CountVectorizer(), tw.MedLDAClassifier(n_topics=6, n_sweeps=10))
    assert cross_val_score(pipeline, texts, classes, cv=3).mean() > 0.95


def test_feature_names_are_the_topics(texts: list[str], classes: np.ndarray) -> None:
    model = tw.MedLDAClassifier(n_topics=4, n_sweeps=5)
    assert model.fit_transform(texts, classes).shape == (60, 4)
    assert model.get_feature_names_out().tolist() == [f"medldaclassifier{k}" for k in range(4)]


@pytest.mark.parametrize("model", [tw.MedLDAClassifier(3, loss="logistic", C=9.0), tw.MedLDARegressor(3, C=9.0)])
def test_clone_has_the_same_parameters(model: Any) -> None:
    assert clone(model).get_params() == model.get_params()
