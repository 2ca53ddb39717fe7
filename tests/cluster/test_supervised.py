"""Topics that predict something, on shards: weights from sums over documents are the weights of plain training."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import topicwright as tw
from topicwright import InputError
from topicwright.samplers.refitting import columns_of
from topicwright.samplers.weights import Posterior, draw_by_coordinates, draw_from_statistics, statistics_of

from ..conftest import themed_texts
from .runs import assert_same

TEXTS = themed_texts(60)
CLASSES = ["sea", "kitchen", "court"] * 20
LINKS = [tw.MustLinks([("ship", "wave")]), tw.CannotLinks([("bread", "judge")]), tw.SeedWords({"sea": ["tide"]})]


def classifier(**options: Any) -> tw.MedLDAClassifier:
    return tw.MedLDAClassifier(**{"n_topics": 5, "n_sweeps": 12, "random_state": 2, "evaluate_every": 4, **options})


def test_weights_from_sums_are_those_from_documents() -> None:
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.8, (40, 6))
    linear, quadratic = rng.normal(size=(40, 3)), rng.gamma(1.0, size=(40, 3))
    eta = rng.normal(size=(3, 6))
    parts = [
        statistics_of(csr_array(counts[own]), linear[own], quadratic[own]) for own in (slice(0, 15), slice(15, 40))
    ]
    total = type(parts[0])(*(one + other for one, other in zip(*parts)))
    drawn = draw_from_statistics(eta, total, 0.7, 2, np.random.default_rng(9))
    expected = eta.copy()
    scores = np.ascontiguousarray((counts @ eta.T).T)
    by_task = (np.ascontiguousarray(linear.T), np.ascontiguousarray(quadratic.T), scores)
    posterior = Posterior(*by_task, columns_of(counts.astype(float)), 0.7)
    for call in draw_by_coordinates(expected, posterior, 2, np.random.default_rng(9)):
        call()
    np.testing.assert_allclose(drawn, expected, rtol=1e-9)


@pytest.mark.parametrize(
    "options",
    [{"sampler": "dense"}, {"sampler": "compositional"}, {"loss": "logistic", "C": 20}, {"knowledge": LINKS}],
    ids=["dense", "compositional", "logistic", "knowledge"],
)
def test_one_shard_is_plain_training(options: dict[str, Any]) -> None:
    """Sums are rounded otherwise, so weights agree to some digits; no topic of so few tokens falls between."""
    plain = classifier(**options).fit(TEXTS, CLASSES)
    sharded = classifier(**options).fit(TEXTS, CLASSES, backend=tw.DiskBackend(1))
    np.testing.assert_array_equal(sharded.assignments_, plain.assignments_)
    np.testing.assert_allclose(sharded.coef_, plain.coef_, rtol=1e-6)
    np.testing.assert_allclose(sharded._average, plain._average, rtol=1e-6)


@pytest.mark.parametrize("sampler", ["dense", "compositional"])
def test_several_shards_learn_to_predict(sampler: str) -> None:
    model = classifier(sampler=sampler, n_sweeps=20).fit(TEXTS, CLASSES, backend=tw.DiskBackend(4))
    assert model.score(themed_texts(30, seed=1), CLASSES[:30]) == 1.0
    other = classifier(sampler=sampler, n_sweeps=20, n_jobs=2).fit(
        TEXTS, CLASSES, backend=tw.DiskBackend(4, in_memory=0)
    )
    assert_same(other, model)
    np.testing.assert_array_equal(other.coef_, model.coef_)


def test_numbers_some_of_them_unknown() -> None:
    numbers = [[1.0, 5.0, np.nan][i % 3] for i in range(60)]
    model = tw.MedLDARegressor(n_topics=5, n_sweeps=20).fit(TEXTS, numbers, backend=tw.DiskBackend(3))
    sea, kitchen = model.predict(["ship wave sail harbour tide anchor", "bread oven flour butter salt pan"])
    assert sea < 2.5
    assert kitchen > 3.5


class CutOffError(Exception):
    pass


@pytest.mark.parametrize("sweep", [2, 3, 7])
def test_a_run_that_was_cut_off_ends_as_if_it_had_not_been(tmp_path: Path, sweep: int) -> None:
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


def test_what_will_not_do() -> None:
    backend = tw.DiskBackend(2)
    with pytest.raises(InputError, match="word_weights can't be learned on shards"):
        classifier(word_weights=True).fit(TEXTS, CLASSES, backend=backend)
    with pytest.raises(InputError, match="'one-vs-rest' can't be trained on shards"):
        classifier(strategy="one-vs-rest").fit(TEXTS, CLASSES, backend=backend)

    class Own(tw.losses.Hinge):  # type: ignore[misc]
        pass

    with pytest.raises(InputError, match="a loss must be one of EpsilonInsensitive, Hinge, Logistic"):
        classifier(loss=Own(1.0, 8.0)).fit(TEXTS, CLASSES, backend=backend)
