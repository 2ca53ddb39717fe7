"""LDA: scikit-learn's estimator checks, pipelines and searches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import topicwright as tw
from topicwright.models import TopicModel


class RoundingLDA(tw.LDA):
    """scikit-learn's checks pass random fractions; topics are of whole counts, so here they are rounded first."""

    def fit(self, X: Any, y: Any = None, **options: Any) -> tw.LDA:
        return super().fit(rounded(X), y, **options)

    def transform(self, X: Any) -> np.ndarray:
        return super().transform(rounded(X))

    def score(self, X: Any, y: Any = None) -> float:
        return super().score(rounded(X), y)


def rounded(X: Any) -> Any:
    if sparse.issparse(X):
        whole = X.tocsr(copy=True)
        whole.data = np.rint(whole.data)
        return whole.asformat(X.format)
    if hasattr(X, "columns"):
        return X.round()
    values = np.asarray(X)
    if values.dtype == object and values.ndim == 2:
        values = values.astype(float) if all(isinstance(v, (int, float)) for v in values.ravel()) else values
    return np.rint(values) if values.dtype.kind == "f" else X


EXPECTED_FAILURES: dict[str, str] = {}


@pytest.mark.filterwarnings("ignore::topicwright.errors.TopicwrightWarning")
@parametrize_with_checks(
    [RoundingLDA(n_topics=3, n_sweeps=5)], expected_failed_checks=lambda estimator: EXPECTED_FAILURES
)
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_texts_in_pipeline_and_grid_search(texts: list[str]) -> None:
    y = np.arange(len(texts)) % 3
    pipeline = make_pipeline(tw.LDA(n_sweeps=30), LogisticRegression())
    search = GridSearchCV(pipeline, {"lda__n_topics": [2, 4]}, cv=2).fit(np.array(texts, dtype=object), y)
    assert search.best_params_ == {"lda__n_topics": 4}
    assert search.score(texts, y) > 0.9


def test_counts_of_a_vectorizer_give_named_topics(texts: list[str]) -> None:
    pipeline = make_pipeline(CountVectorizer(), tw.LDA(n_topics=3, n_sweeps=20))
    theta = pipeline.fit_transform(texts)
    assert theta.shape == (60, 3)
    assert list(pipeline.get_feature_names_out()) == ["lda0", "lda1", "lda2"]


def test_output_can_be_a_frame(texts: list[str]) -> None:
    pd = pytest.importorskip("pandas")
    frame = tw.LDA(n_topics=3, n_sweeps=5).set_output(transform="pandas").fit_transform(texts)
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == ["lda0", "lda1", "lda2"]


def test_parameters_are_stored_unchanged() -> None:
    alpha = [0.1, 0.2]
    lda = tw.LDA(2, alpha=alpha, knowledge=[])
    assert lda.get_params()["alpha"] is alpha
    assert clone(lda).get_params()["alpha"] == alpha


def test_models_do_not_inherit_from_each_other() -> None:
    batch = [tw.LDA, tw.LabeledLDA, tw.MedLDAClassifier, tw.MedLDARegressor]
    for model in [*batch, tw.OnlineLabeledLDA]:
        assert issubclass(model, TopicModel)
        assert not any(issubclass(model, other) for other in [*batch, tw.OnlineLabeledLDA] if other is not model)
    assert all(hasattr(model, "resume") for model in batch)
    for training in ("resume", "knowledge_report"):
        assert not hasattr(tw.OnlineLabeledLDA, training)


def test_labels_equal_classes() -> None:
    model = tw.LabeledLDA(n_sweeps=2).fit(["ship sea", "bread oven"], [["sea"], ["kitchen"]])
    assert model.labels_.tolist() == model.classes_.tolist() == ["kitchen", "sea"]
    with pytest.warns(DeprecationWarning, match="decide"):
        assert model.judge(["ship"]).best_first() == model.decide(["ship"]).best_first()
