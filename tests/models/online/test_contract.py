"""OnlineLabeledLDA: scikit-learn's estimator checks, as far as they apply to streams."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

import topicwright as tw

from ..medlda.test_contract import Rounding
from ..test_sklearn_contract import rounded


class CountingOnline(Rounding, tw.OnlineLabeledLDA):
    """Reads the matrices of the checks as word counts; streams know words by name only."""

    def fit(self, X: Any, y: Any = None) -> Any:
        return tw.OnlineLabeledLDA.fit(self, _corpus(X), y)

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None) -> Any:
        return super().partial_fit(_corpus(X), y, classes)

    def transform(self, X: Any) -> Any:
        return super().transform(_corpus(X))

    def _documents(self, X: Any) -> Any:
        return super()._documents(_corpus(X))


def _corpus(X: Any) -> Any:
    return X if isinstance(X, tw.Corpus) else tw.Corpus.from_matrix(rounded(X))


WORDS = "words are known by name, and new ones may come at any time: their number is not fixed"
ORDER = "labels keep the order in which they came, and are not sorted"
MATRIX = "a stream does not know its labels beforehand, so there is no matrix with a column for each"
EXPECTED_FAILURES = {
    "check_n_features_in_after_fitting": WORDS,
    "check_estimators_partial_fit_n_features": WORDS,
    "check_transformer_general": WORDS,
    "check_classifiers_train": f"{WORDS}; {ORDER}",
    "check_classifiers_classes": ORDER,
    "check_classifiers_multilabel_representation_invariance": MATRIX,
    "check_classifiers_multilabel_output_format_predict": MATRIX,
    "check_classifiers_multilabel_output_format_predict_proba": MATRIX,
    "check_classifiers_multilabel_output_format_decision_function": MATRIX,
    "check_supervised_y_2d": MATRIX,
    "check_dict_unchanged": "the mean of the particles is worked out when it is first asked for, and kept",
    "check_decision_proba_consistency": "it passes negative numbers, which are no counts",
}


@pytest.mark.filterwarnings("ignore::topicwright.errors.TopicwrightWarning")
@parametrize_with_checks(
    [
        CountingOnline(n_particles=2),
        CountingOnline(n_particles=3, combine="best", resample_below=0.5, forgetting=0.99),
    ],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.fixture(scope="module")
def classes(texts: list[str]) -> np.ndarray:
    return np.array(["sea", "kitchen", "court"])[np.arange(len(texts)) % 3]


def test_works_as_last_step_of_a_text_pipeline(texts: list[str], classes: np.ndarray) -> None:
    lower = FunctionTransformer(lambda X: [str(text).lower() for text in X])
    pipeline = make_pipeline(lower, tw.OnlineLabeledLDA())
    assert cross_val_score(pipeline, np.array(texts, dtype=object), classes, cv=3).mean() > 0.95


@pytest.mark.filterwarnings("ignore::topicwright.errors.UnknownWordsWarning")
def test_grid_search(texts: list[str], classes: np.ndarray) -> None:
    search = GridSearchCV(tw.OnlineLabeledLDA(), {"vocabulary": [["ship"], None]}, cv=2)
    search.fit(np.array(texts, dtype=object), classes)
    assert search.best_params_ == {"vocabulary": None}
    assert search.best_score_ > 0.95


def test_feature_names_are_the_labels(texts: list[str], classes: np.ndarray) -> None:
    pd = pytest.importorskip("pandas")
    frame = tw.OnlineLabeledLDA().set_output(transform="pandas").fit_transform(texts, classes)
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == ["sea", "kitchen", "court"]


def test_clone_has_the_same_parameters() -> None:
    model = tw.OnlineLabeledLDA(n_particles=3, forgetting=0.9, stop_words="english", window=7)
    assert clone(model).get_params() == model.get_params()


def test_rejects_continuous_targets() -> None:
    with pytest.raises(tw.InputError, match=r"not continuous numbers: got 0\.5"):
        tw.OnlineLabeledLDA().fit(["ship", "law"], [0.5, 2])
    assert tw.OnlineLabeledLDA().fit(["ship", "law"], [1.0, 2.0]).predict(["law"]).tolist() == [2.0]
