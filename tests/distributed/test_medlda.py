"""Supervised topics on shards: weights from sums over documents equal those of plain training."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import topicwright as tw
from topicwright import InputError
from topicwright._sampling.medlda.weights import (
    WeightPosterior,
    draw_by_coordinates,
    draw_from_statistics,
    to_columns,
    weight_statistics,
)

from ..conftest import themed_texts
from .custom_knowledge import Squared, opening
from .runs import CutOffError, assert_same, driver_lost_before

TEXTS = themed_texts(60)
CLASSES = ["sea", "kitchen", "court"] * 20
BETWEEN = [(d, 59 - d) for d in range(0, 30, 2)]
OF_DOCUMENTS = [tw.DocumentLinks(BETWEEN), tw.DocumentTopics({3: 1}), opening()]
PAPER = [tw.DocumentLinks(BETWEEN, strength=3.0, firmness=None)]
LINKS = [tw.MustLinks([("ship", "wave")]), tw.CannotLinks([("bread", "judge")]), tw.SeedWords({"sea": ["tide"]})]


def classifier(**options: Any) -> tw.MedLDAClassifier:
    return tw.MedLDAClassifier(**{"n_topics": 5, "n_sweeps": 12, "random_state": 2, "evaluate_every": 4, **options})


def test_weights_from_sums_equal_weights_from_documents() -> None:
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.8, (40, 6))
    linear, quadratic = rng.normal(size=(40, 3)), rng.gamma(1.0, size=(40, 3))
    eta = rng.normal(size=(3, 6))
    parts = [
        weight_statistics(csr_array(counts[own]), linear[own], quadratic[own]) for own in (slice(0, 15), slice(15, 40))
    ]
    total = type(parts[0])(*(one + other for one, other in zip(*parts)))
    drawn = draw_from_statistics(eta, total, 0.7, 2, np.random.default_rng(9))
    expected = eta.copy()
    gradient = np.ascontiguousarray((linear - quadratic * (counts @ eta.T)).T)
    posterior = WeightPosterior(gradient, np.ascontiguousarray(quadratic.T), to_columns(counts.astype(float)), 0.7)
    for call in draw_by_coordinates(expected, posterior, 2, np.random.default_rng(9)):
        call()
    np.testing.assert_allclose(drawn, expected, rtol=1e-9)


@pytest.mark.parametrize(
    "options",
    [
        {"sampler": "dense"},
        {"sampler": "compositional"},
        {"loss": "logistic", "C": 20},
        {"knowledge": LINKS},
        {"knowledge": OF_DOCUMENTS, "sampler": "dense"},
        {"knowledge": OF_DOCUMENTS, "sampler": "compositional"},
        {"knowledge": PAPER},
        {"loss": Squared(2.0)},
        {"word_weights": True},
        {"strategy": "one-vs-rest"},
        {"strategy": "one-vs-rest", "word_weights": 3.0, "knowledge": OF_DOCUMENTS},
    ],
    ids=[
        *("dense", "compositional", "logistic", "links", "documents", "documents, compositional", "the paper's links"),
        *("own loss", "word weights", "one-vs-rest", "one-vs-rest, word weights, documents"),
    ],
)
def test_one_shard_equals_plain_training(options: dict[str, Any]) -> None:
    """Sums are rounded otherwise, so weights agree to some digits; no topic of so few tokens falls between."""
    plain = classifier(**options).fit(TEXTS, CLASSES)
    sharded = classifier(**options).fit(TEXTS, CLASSES, backend=tw.DiskBackend(1))
    assert sharded.log_likelihood_ == plain.log_likelihood_
    for one, other in zip(models_of(sharded), models_of(plain)):
        np.testing.assert_array_equal(one.assignments_, other.assignments_)
        np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-6)
        np.testing.assert_allclose(one._average, other._average, rtol=1e-6)
        np.testing.assert_allclose(one._word_average, other._word_average, rtol=1e-6)


def models_of(model: Any) -> list[Any]:
    return list(model.estimators_) if model.strategy == "one-vs-rest" else [model]


@pytest.mark.parametrize(
    "options",
    [
        {"sampler": "dense"},
        {"sampler": "compositional"},
        {"knowledge": OF_DOCUMENTS, "loss": Squared(50.0)},
        {"knowledge": PAPER, "word_weights": True},
        {"strategy": "one-vs-rest", "word_weights": True, "knowledge": OF_DOCUMENTS},
    ],
    ids=["dense", "compositional", "own", "the paper's links, word weights", "one-vs-rest"],
)
def test_several_shards_learn_to_predict(options: dict[str, Any]) -> None:
    options = {**options, "n_sweeps": 20}
    model = classifier(**options).fit(TEXTS, CLASSES, backend=tw.DiskBackend(4))
    assert model.score(themed_texts(30, seed=1), CLASSES[:30]) == 1.0
    other = classifier(**options, n_jobs=2).fit(TEXTS, CLASSES, backend=tw.DiskBackend(4, in_memory=0))
    same(other, model)


def same(one: Any, other: Any) -> None:
    assert one.log_likelihood_ == other.log_likelihood_
    for a, b in zip(models_of(one), models_of(other)):
        assert_same(a, b)
        np.testing.assert_array_equal(a.coef_, b.coef_)
        np.testing.assert_array_equal(a._word_average, b._word_average)


def test_regression_with_missing_targets() -> None:
    numbers = [[1.0, 5.0, np.nan][i % 3] for i in range(60)]
    model = tw.MedLDARegressor(n_topics=5, n_sweeps=20).fit(TEXTS, numbers, backend=tw.DiskBackend(3))
    sea, kitchen = model.predict(["ship wave sail harbour tide anchor", "bread oven flour butter salt pan"])
    assert sea < 2.5
    assert kitchen > 3.5


@pytest.mark.parametrize("call", [1, 5, 12, 23, 26, 33, 38])
def test_driver_killed_between_models(tmp_path: Path, call: int) -> None:
    """Two sweeps place the words of three models, in groups of shards; then weights of topics and words are drawn."""
    options: dict[str, Any] = {"strategy": "one-vs-rest", "word_weights": True, "n_sweeps": 5, "evaluate_every": 1}
    backend = tw.DiskBackend(3, checkpoint_dir=tmp_path / "run")
    with driver_lost_before(call):
        classifier(**options).fit(TEXTS, CLASSES, backend=backend)
    resumed = classifier(**options).fit(TEXTS, CLASSES, backend=backend, resume=True)
    same(resumed, classifier(**options).fit(TEXTS, CLASSES, backend=tw.DiskBackend(3)))


@pytest.mark.parametrize("sweep", [2, 3, 7])
def test_resumed_run_equals_uninterrupted_run(tmp_path: Path, sweep: int) -> None:
    def cut_off(report: Any) -> None:
        if report.number == sweep:
            raise CutOffError

    options: dict[str, Any] = {"class_weight": "balanced", "sampler": "compositional"}
    backend = tw.DiskBackend(3, checkpoint_dir=tmp_path / "run")
    with pytest.raises(CutOffError):
        classifier(**options).fit(TEXTS, CLASSES, backend=backend, on_sweep=cut_off)
    resumed = classifier(**options).fit(TEXTS, CLASSES, backend=backend, resume=True)
    undisturbed = classifier(**options).fit(TEXTS, CLASSES, backend=tw.DiskBackend(3))
    assert_same(resumed, undisturbed)
    np.testing.assert_array_equal(resumed.coef_, undisturbed.coef_)
    with pytest.raises(InputError, match="targets differs"):
        classifier(**options).fit(TEXTS, CLASSES[::-1], backend=backend, resume=True)


def test_rejects_runs_that_cannot_be_resumed(tmp_path: Path) -> None:
    backend = tw.DiskBackend(2, checkpoint_dir=tmp_path)
    classifier(loss=Squared(2.0), n_sweeps=3).fit(TEXTS, CLASSES, backend=backend)
    for other in ({"loss": Squared(3.0)}, {"loss": Squared(2.0), "nu": 7.0}):
        with pytest.raises(InputError, match="supervision differs"):
            classifier(**other, n_sweeps=3).fit(TEXTS, CLASSES, backend=backend, resume=True)
    with pytest.raises(InputError, match="has a run of one model, not of 3"):
        classifier(strategy="one-vs-rest", n_sweeps=3).fit(TEXTS, CLASSES, backend=backend, resume=True)
    several = tw.DiskBackend(2, checkpoint_dir=tmp_path / "several")
    classifier(strategy="one-vs-rest", n_sweeps=3).fit(TEXTS, CLASSES, backend=several)
    with pytest.raises(InputError, match="has a run of several models, not of one"):
        classifier(n_sweeps=3).fit(TEXTS, CLASSES, backend=several)
