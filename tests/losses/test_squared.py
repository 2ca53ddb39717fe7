"""The squared loss is exact: against its definition, and by enumeration of a sampler that uses it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import topicwright as tw
from topicwright.losses.squared import SquaredLoss

from ..sampling.enumeration import Tiny, p_value
from ..sampling.medlda.test_exactness import DOCS, Setting, tiny, visits

TARGETS = np.array([[0.8, -1.2], [-0.4, np.nan]])
LENGTHS = np.array([len(doc) for doc in DOCS])


class SquaredSetting(Setting):
    """Weights, and A, Q and the center of a squared loss."""

    def __init__(self, cost: float, seed: int = 0) -> None:
        super().__init__(TARGETS.shape[1], seed)
        self.loss = SquaredLoss(cost)
        self.A, self.Q = self.loss.linearize(
            np.zeros(TARGETS.shape), TARGETS, LENGTHS, None, np.random.default_rng(seed)
        )
        self.center = self.loss.center(TARGETS, LENGTHS)

    def log_potential(self, tiny: Tiny) -> Any:
        """−c times the loss of all documents and tasks, from its definition."""

        def log_potential(z: tuple[int, ...]) -> float:
            counts = np.zeros((len(DOCS), 3))
            np.add.at(counts, (np.asarray(tiny.doc_of), np.asarray(z)), 1)
            predictions = counts @ self.eta.T / LENGTHS[:, None]
            return float(-self.loss.cost * self.loss.pseudo_loss(predictions, TARGETS).sum())

        return log_potential


def test_linear_and_quadratic_terms_are_those_of_the_loss() -> None:
    loss, rng = SquaredLoss(cost=1.7), np.random.default_rng(0)
    scores, weights = rng.normal(size=(2, *TARGETS.shape)), rng.uniform(0.5, 2.0, TARGETS.shape)
    A, Q = loss.linearize(scores[0], TARGETS, LENGTHS, weights, rng)
    exact = [-1.7 * weights * loss.pseudo_loss(m / LENGTHS[:, None], TARGETS) for m in scores]
    gaussian = [A * m - Q / 2 * m**2 for m in scores]
    np.testing.assert_allclose(gaussian[1] - gaussian[0], exact[1] - exact[0], atol=1e-12)


def test_loss_values() -> None:
    np.testing.assert_array_equal(
        SquaredLoss().pseudo_loss(np.array([[1.0, 5.0]]), np.array([[4.0, np.nan]])), [[4.5, 0.0]]
    )


def test_center_is_the_target() -> None:
    np.testing.assert_allclose(SquaredLoss().center(TARGETS, np.array([3, 0])), [[2.4, -3.6], [0.0, 0.0]])


@pytest.mark.parametrize("steps", [0, 3])
def test_visits_follow_the_posterior(steps: int) -> None:
    setting = SquaredSetting(cost=3.0)
    seen = visits(tiny(), setting, steps)
    assert p_value(seen, tiny().posterior(setting.log_potential(tiny()))) > 0.001
    assert p_value(seen, tiny().posterior(SquaredSetting(cost=4.5).log_potential(tiny()))) < 1e-6


def test_a_regressor_with_the_squared_loss(tmp_path: Any) -> None:
    texts = ["ship sails sea", "boat sea storm", "bread oven flour", "flour butter bread"] * 10
    model = tw.MedLDARegressor(n_topics=4, loss="squared", C=16, n_sweeps=20).fit(texts, [1.0, 1.0, 5.0, 5.0] * 10)
    low, high = model.predict(["storm ship", "butter oven"])
    assert low < 3 < high
    model.set_params(loss=SquaredLoss(cost=16)).save(tmp_path / "numbers.tw")
    loaded = tw.load(tmp_path / "numbers.tw")
    assert loaded.loss == SquaredLoss(cost=16)
    np.testing.assert_array_equal(loaded.predict(texts), model.predict(texts))
    assert loaded.resume(2).sweeps_ == 22
