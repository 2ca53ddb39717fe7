"""Calibration of the classifier: log-odds, probabilities and thresholds from scores of left-out documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit, softmax
from sklearn.metrics import f1_score, log_loss

import topicwright as tw
from topicwright.io import read_model, write_model
from topicwright.losses import Hinge, SquaredLoss
from topicwright.models._inputs import Tasks
from topicwright.models.medlda.base import without_own_words
from topicwright.models.medlda.calibration import (
    best_expected_f1,
    calibrate,
    f1_thresholds,
    fit_sigmoid,
    fit_sigmoids,
    fit_softmax,
)

from ...conftest import THEMES, themed_texts
from .themes import NAMES, NEW, NEW_THEMES, mixed_texts, themes_of

RNG = np.random.default_rng


class OwnLoss:
    """A loss that the convex solve does not know."""

    linearize, center, pseudo_loss = Hinge(1.6, 4.0).linearize, Hinge(1.6, 4.0).center, Hinge().pseudo_loss


def minimum(objective: Any, start: Any) -> Any:
    options = {"maxiter": 20_000, "maxfev": 20_000, "xatol": 1e-9, "fatol": 1e-13}
    return minimize(objective, start, method="Nelder-Mead", options=options).x


# ---------------------------------------------------------------------- the fits


def test_softmax_maximizes_the_penalized_likelihood() -> None:
    rng = RNG(0)
    scores, weights = 5 * rng.standard_normal((30, 3)), rng.uniform(0.5, 2.0, 30)
    classes = (scores + 6 * rng.standard_normal((30, 3))).argmax(axis=1)
    usual = 1.5 / (scores - scores.mean(axis=1, keepdims=True)).std()
    targets = np.eye(3)[classes] * 31 / 32 + 1 / 32 / 3

    def objective(parameters: Any) -> float:
        log_slope, *offsets = parameters
        p = softmax(np.exp(log_slope) * scores + offsets, axis=1)
        prior = (log_slope - np.log(usual)) ** 2 + np.sum(np.square(offsets))
        return float(prior / 2 - np.sum(weights[:, None] * targets * np.log(p)))

    expected = minimum(objective, np.zeros(4))
    slope, offsets = fit_softmax(scores, classes, weights)
    np.testing.assert_allclose([slope, *offsets], [np.exp(expected[0]), *expected[1:]], rtol=1e-3, atol=1e-3)


def test_sigmoid_maximizes_the_penalized_likelihood() -> None:
    rng = RNG(1)
    scores, weights = 5 * rng.standard_normal((30, 2)), rng.uniform(0.5, 2.0, (30, 2))
    has = scores + 6 * rng.standard_normal((30, 2)) > 3
    weights[3, 0], n_with = 0.0, has.sum() - has[3, 0]
    usual = 1.5 / (scores - scores.mean(axis=0)).std()
    targets = np.where(has, (n_with + 1) / (n_with + 2), 1 / (59 - n_with + 2))

    def objective(parameters: Any) -> float:
        p = expit(np.exp(parameters[0]) * scores + parameters[1])
        loss = -np.sum(weights * (targets * np.log(p) + (1 - targets) * np.log(1 - p)))
        return float(loss + (parameters[0] - np.log(usual)) ** 2 / 2)

    expected = minimum(objective, np.zeros(2))
    np.testing.assert_allclose(fit_sigmoid(scores, has, weights), [np.exp(expected[0]), expected[1]], rtol=1e-3)


def test_sigmoids_of_labels_maximize_the_penalized_likelihood() -> None:
    """The last label has no document: it keeps the slope of all labels, and a lower offset."""
    rng = RNG(2)
    scores, weights = 3 * rng.standard_normal((40, 3)), rng.uniform(0.5, 2.0, (40, 3))
    has = scores + 3 * rng.standard_normal((40, 3)) > [0.0, 3.0, np.inf]
    weights[5, 1] = 0.0
    slopes, offsets = fit_sigmoids(scores, has, weights, 0.6, -1.0)
    for label in range(3):

        def objective(parameters: Any, label: int = label) -> float:
            p = expit(0.6 * parameters[0] * scores[:, label] + parameters[1])
            loss = -np.sum(weights[:, label] * np.log(np.where(has[:, label], p, 1 - p)))
            return float(loss + (parameters[0] - 1) ** 2 / 2 + (parameters[1] + 1.0) ** 2 / 2)

        slope, offset = minimum(objective, np.zeros(2))
        if slope > 0.1:
            np.testing.assert_allclose([slopes[label], offsets[label]], [0.6 * slope, offset], rtol=1e-4)
    assert offsets[2] < -2


def test_scores_that_mislead_do_not_reverse_a_label() -> None:
    scores = RNG(3).standard_normal((500, 1))
    slopes, offsets = fit_sigmoids(scores, scores < 0, np.ones((500, 1)), 2.0, 0.0)
    assert slopes.tolist() == [0.2]
    assert abs(offsets[0]) < 0.5


def test_perfect_scores_do_not_give_certainty() -> None:
    scores = np.where(np.arange(20)[:, None] % 2, 1.0, -1.0)
    found = calibrate(scores, Tasks(scores), multilabel=False)
    assert found is not None
    assert 0.8 < expit(found.slopes + found.offsets).item() < 0.99
    several = np.hstack([scores, -scores, -np.ones((20, 1))])
    found = calibrate(several, Tasks(several), multilabel=False)
    assert found is not None
    assert 0.8 < softmax(found.slopes * several + found.offsets, axis=1).max() < 0.99


@pytest.mark.parametrize("multilabel", [False, True])
def test_unknown_targets_do_not_count(multilabel: bool) -> None:
    rng = RNG(4)
    scores = rng.standard_normal((50, 3))
    targets = np.where(scores + rng.standard_normal((50, 3)) > 0.5, 1.0, -1.0)
    more, unknown = np.vstack([scores, 9 * scores]), np.vstack([targets, np.full((50, 3), np.nan)])
    known, with_unknown = (
        calibrate(values, Tasks(given), multilabel=multilabel) for values, given in ((scores, targets), (more, unknown))
    )
    assert known is not None
    assert with_unknown is not None
    for one, other in zip(known, with_unknown):
        np.testing.assert_array_equal(one, other)
    assert calibrate(scores, Tasks(np.full((50, 3), np.nan)), multilabel=multilabel) is None


def test_weights_of_costs_decide_instead_of_thresholds() -> None:
    rng = RNG(5)
    scores = rng.standard_normal((200, 2))
    targets = np.where(scores + rng.standard_normal((200, 2)) > 1.0, 1.0, -1.0)
    plain = calibrate(scores, Tasks(targets), multilabel=True)
    heavy = calibrate(scores, Tasks(targets, np.where(targets > 0, 4.0, 1.0)), multilabel=True)
    assert plain is not None
    assert heavy is not None
    assert (plain.thresholds < 0).all()
    assert heavy.thresholds.tolist() == [0.0, 0.0]
    assert (heavy.offsets > plain.offsets + 0.5).all()


# ---------------------------------------------------------------------- thresholds


def test_best_expected_f1_over_all_thresholds() -> None:
    p = RNG(6).uniform(size=(30, 4)) ** 2
    for column, found in zip(p.T, best_expected_f1(p)):
        of_thresholds = [2 * column[column >= t].sum() / ((column >= t).sum() + column.sum()) for t in column]
        assert found == pytest.approx(max(of_thresholds))
        best = column[int(np.argmax(of_thresholds))]  # half of the best F1 separates the same documents
        assert sorted(column)[sorted(column).index(best) - 1] < found / 2 <= best


def test_threshold_is_between_those_of_the_label_and_of_all() -> None:
    p = RNG(7).uniform(size=(30, 4)) ** np.array([1, 2, 4, 8])
    of_all, thresholds = best_expected_f1(p.reshape(-1, 1)), expit(f1_thresholds(p))
    for found, of_label in zip(thresholds, best_expected_f1(p)):
        assert found == pytest.approx(np.sqrt(of_label * of_all[0]) / 2)


# ---------------------------------------------------------------------- estimators


def noisy(n: int, seed: int) -> tuple[list[str], list[str]]:
    """Texts of themes, of which three in ten have the name of one of the other themes."""
    order = RNG(seed).permutation(n)
    wrong = np.where(order < 0.3 * n, 1 + order % 2, 0)
    return themed_texts(n, seed=seed), [NAMES[(i + wrong[i]) % 3] for i in range(n)]


@pytest.mark.parametrize("strategy", ["shared", "one-vs-rest"])
@pytest.mark.parametrize("word_weights", ["auto", False])
@pytest.mark.parametrize("loss", ["hinge", "logistic", SquaredLoss(), OwnLoss()], ids=lambda loss: str(loss)[:9])
def test_probabilities_of_noisy_classes(loss: Any, word_weights: Any, strategy: str) -> None:
    """The most probable class has a probability of 0.7, where it is right in seven of ten documents."""
    options: dict[str, Any] = {"loss": loss, "word_weights": word_weights, "strategy": strategy}
    texts, y = noisy(300, 0)
    new, truth = noisy(600, 1)
    model = tw.MedLDAClassifier(n_topics=4, n_sweeps=10, **options).fit(texts, y)
    p = model.predict_proba(new)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert model.classes_[p.argmax(axis=1)].tolist() == model.predict(new).tolist()
    assert abs(p.max(axis=1).mean() - 0.7) < 0.06
    assert log_loss(truth, p, labels=model.classes_) < 0.88  # 0.82 at best, 1.10 without the texts
    two = tw.MedLDAClassifier(n_topics=4, n_sweeps=10, **options).fit(texts, [name == "sea" for name in y])
    np.testing.assert_allclose(two.predict_proba(new)[:, 1], expit(two.decision_function(new)))
    assert (
        log_loss([name == "sea" for name in truth], two.predict_proba(new)) < 0.56
    )  # 0.49 at best, 0.64 without the texts


def test_sampled_word_weights_are_calibrated_too() -> None:
    texts, y = noisy(150, 0)
    new, truth = noisy(300, 1)
    model = tw.MedLDAClassifier(n_topics=4, n_sweeps=6, loss=OwnLoss(), word_weights=True).fit(texts, y)
    assert log_loss(truth, model.predict_proba(new), labels=model.classes_) < 0.95


def test_thresholds_raise_f1_of_rare_labels() -> None:
    """Every label has words of its own, which most documents use without having the label."""
    rng = RNG(0)
    words, rates = [theme.split() for theme in THEMES.values()], np.array([0.5, 0.3, 0.15])

    def draw(n: int) -> tuple[list[str], Any]:
        has = rng.random((n, 3)) < rates
        counts = rng.poisson(np.where(has, 4.0, 2.0))
        texts = [
            " ".join(["day", "way", *(w for own, m in zip(words, row) for w in rng.choice(own, m))]) for row in counts
        ]
        return texts, has.astype(int)

    (texts, y), (new, truth) = draw(400), draw(600)
    f1 = {}
    for chosen in (True, False):
        model = tw.MedLDAClassifier(n_topics=4, n_sweeps=10, calibrate=chosen).fit(texts, y)
        f1[chosen] = [f1_score(truth, model.predict(new), average=average) for average in ("micro", "macro")]
        scores, given = model.decision_function(new), model.decide(new).given
        above = scores > model.thresholds_
        above[np.arange(len(new)), scores.argmax(axis=1)] = True
        np.testing.assert_array_equal(given, above)
    assert f1[True][0] > f1[False][0] - 0.01
    assert f1[True][1] > f1[False][1] + 0.02


def test_explanations_name_the_predicted_labels() -> None:
    texts, labels = mixed_texts(120)
    model = tw.MedLDAClassifier(n_topics=4, n_sweeps=10).fit(texts, labels)
    new, _ = mixed_texts(40, seed=1)
    assert (model.thresholds_ < 0).all()
    for text, predicted in zip(new, model.predict(new)):
        reasons = model.explain(text).reasons
        assert {one.what for one in reasons[: len(predicted)]} == set(predicted)
        assert len(reasons) == min(3, len(predicted) + 1)


def test_left_out_scores_do_not_know_the_class_of_the_document(texts: list[str]) -> None:
    """With topics that stay as they are, another class of one document does not change its own score."""
    model = tw.MedLDAClassifier(n_topics=4, n_sweeps=5).fit(texts, themes_of(60))
    model._word_cost = 1.0
    scores = model._left_out_scores()
    model._tasks.targets[7] = -model._tasks.targets[7]
    other = model._left_out_scores()
    np.testing.assert_array_equal(scores[7], other[7])
    assert not np.array_equal(scores, other)


def test_words_of_no_other_document_are_unknown() -> None:
    rows = csr_array(np.array([[0.6, 0.0, 0.8], [0.6, 0.8, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]))
    expected = np.array([[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(without_own_words(rows).toarray(), expected)
    assert rows.toarray()[0, 2] == 0.8
    alone = without_own_words(csr_array(np.array([[1.0, 0.0], [0.0, 1.0]])))
    assert alone.toarray().tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_scores_are_the_same_but_for_slope_and_offset(texts: list[str]) -> None:
    plain, calibrated = (
        tw.MedLDAClassifier(n_topics=4, n_sweeps=5, calibrate=chosen).fit(texts, themes_of(60))
        for chosen in (False, True)
    )
    before, after = plain.decision_function(NEW), calibrated.decision_function(NEW)
    slope = calibrated.coef_[0, 0] / plain.coef_[0, 0]
    assert slope > 0
    np.testing.assert_allclose(after - after[0], slope * (before - before[0]), atol=1e-9)
    assert calibrated.score(NEW, NEW_THEMES) > 0.95


@pytest.mark.parametrize("strategy", ["shared", "one-vs-rest"])
def test_calibration_is_saved_and_files_without_it_keep_their_scores(strategy: str, tmp_path: Path) -> None:
    texts, labels = mixed_texts(60)
    model = tw.MedLDAClassifier(n_topics=4, n_sweeps=5, strategy=strategy).fit(texts, labels)
    model.save(tmp_path / "model.tw")
    again = tw.load(tmp_path / "model.tw")
    np.testing.assert_array_equal(again.predict_proba(NEW), model.predict_proba(NEW))
    np.testing.assert_array_equal(again.thresholds_, model.thresholds_)
    assert again.calibrate
    np.testing.assert_array_equal(again.resume(2).predict_proba(NEW), model.resume(2).predict_proba(NEW))
    plain = tw.MedLDAClassifier(n_topics=4, n_sweeps=5, strategy=strategy, calibrate=False).fit(texts, labels)
    plain.save(tmp_path / "plain.tw")
    file = read_model(tmp_path / "plain.tw")
    older = {name: value for name, value in file.meta.items() if name not in ("calibrate", "calibrated")}
    write_model(
        tmp_path / "old.tw", file.kind, older, {name: a for name, a in file.arrays.items() if name != "thresholds"}
    )
    old = tw.load(tmp_path / "old.tw")
    np.testing.assert_array_equal(old.decision_function(NEW), plain.decision_function(NEW))
    assert not hasattr(old, "predict_proba")
    np.testing.assert_array_equal(old.resume(2).decision_function(NEW), plain.resume(2).decision_function(NEW))
