"""LabeledLDA: scikit-learn's estimator checks, pipelines and searches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.utils.estimator_checks import parametrize_with_checks

import topicwright as tw

from ..medlda.test_contract import Rounding


class RoundingLabeled(Rounding, tw.LabeledLDA):
    pass


EXPECTED_FAILURES = {"check_decision_proba_consistency": "it passes negative numbers, which are no counts"}


@pytest.mark.filterwarnings("ignore::topicwright.errors.TopicwrightWarning")
@parametrize_with_checks(
    [RoundingLabeled(n_sweeps=5), RoundingLabeled(n_sweeps=5, n_background_topics=1)],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.fixture(scope="module")
def classes(texts: list[str]) -> np.ndarray:
    return np.array(["sea", "kitchen", "court"])[np.arange(len(texts)) % 3]


def test_works_as_last_step_of_a_pipeline(texts: list[str], classes: np.ndarray) -> None:
    pipeline = make_pipeline(CountVectorizer(), tw.LabeledLDA(n_sweeps=5))
    assert cross_val_score(pipeline, texts, classes, cv=3).mean() > 0.95


def test_grid_search_with_labels(texts: list[str], classes: np.ndarray) -> None:
    y = MultiLabelBinarizer().fit_transform([[name] for name in classes])
    search = GridSearchCV(tw.LabeledLDA(n_sweeps=5), {"threshold": [0.001, 0.4]}, cv=2, scoring="f1_micro")
    search.fit(np.array(texts, dtype=object), y)
    assert search.best_params_ == {"threshold": 0.4}
    assert search.best_score_ > 0.95


def test_works_in_one_vs_rest(texts: list[str], classes: np.ndarray) -> None:
    counts = CountVectorizer().fit_transform(texts)
    ones = OneVsRestClassifier(tw.LabeledLDA(n_sweeps=5)).fit(counts, classes)
    assert (ones.predict(counts) == classes).mean() > 0.95


def test_feature_names_are_the_labels(texts: list[str], classes: np.ndarray) -> None:
    pd = pytest.importorskip("pandas")
    model = tw.LabeledLDA(n_sweeps=5, n_background_topics=1).set_output(transform="pandas")
    frame = model.fit_transform(texts, classes)
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == ["court", "kitchen", "sea", "background 1"]


def test_clone_has_the_same_parameters() -> None:
    model = tw.LabeledLDA(alpha=0.3, n_background_topics=2, threshold=0.2, label_prior="flat", tol=0.1)
    assert clone(model).get_params() == model.get_params()
