"""Draws of weights: from their conditional Gaussian, and jointly with all other variables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from topicwright._sampling.engine import SamplingProblem, Supervision
from topicwright._sampling.medlda.engine import MedLDAEngine
from topicwright._sampling.medlda.weights import (
    FeatureColumns,
    WeightPosterior,
    count_by_topic,
    draw_blocked,
    draw_by_coordinates,
)
from topicwright.knowledge import CompiledKnowledge, TopicNumbers


@pytest.mark.parametrize("at_once", [False, True])
def test_weights_follow_their_gaussian(at_once: bool) -> None:
    """Drawn often with all else fixed, weights have the mean and covariance of the normal equations."""
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 4, (6, 3))
    A, Q = rng.normal(size=(1, 6)), rng.gamma(2.0, 0.2, size=(1, 6))
    eta, gradient = np.zeros((1, 3)), A.copy()
    topics = np.concatenate([np.repeat(np.arange(3, dtype=np.uint32), row) for row in counts])
    columns = count_by_topic(topics, np.concatenate([[0], np.cumsum(counts.sum(axis=1))]), 3)
    draws = []
    for _ in range(3_000 if at_once else 20_000):
        posterior = WeightPosterior(gradient, Q, columns, 0.7)
        calls = draw_blocked(eta, posterior, rng) if at_once else draw_by_coordinates(eta, posterior, 2, rng)
        for call in calls:
            call()
        draws.append(eta[0].copy())
        np.testing.assert_allclose(gradient[0], A[0] - Q[0] * (counts @ eta[0]), atol=1e-8)
    precision = 0.7 * np.eye(3) + counts.T @ (Q[0][:, None] * counts)
    covariance = np.linalg.inv(precision)
    mean = covariance @ counts.T @ A[0]
    error = np.sqrt(np.diag(covariance) / (len(draws) / 10))  # draws by coordinates are not independent
    assert (np.abs(np.mean(draws, axis=0) - mean) < 4 * error).all()
    np.testing.assert_allclose(np.cov(np.transpose(draws)), covariance, rtol=0.2, atol=0.03)


@pytest.mark.draws
@pytest.mark.parametrize("n_rounds", [4000, pytest.param(12_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("n_features", [0, 2])
def test_geweke(n_features: int, n_rounds: int) -> None:
    """Words, topics, weights and targets drawn in turn are distributed as drawn from the prior (Geweke 2004).

    Squared loss, whose targets can be drawn: y is normal around m / N, and with features what these add.
    """
    rng = np.random.default_rng(0)
    traits = np.array([[0.8, 0.6], [0.0, -1.0]])[:, :n_features]
    feature_nu = 1.5
    n_topics, n_words, lengths, precision = 2, 3, np.array([3, 2]), 2.0
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    docs = np.repeat([0, 1], lengths)
    alpha, beta = np.full(n_topics, 0.7), 0.5

    class Squared:
        def linearize(self, scores: Any, targets: Any, lengths: Any, weights: Any, rng: Any) -> Any:
            n = lengths[:, None].astype(float)
            return precision * targets / n, np.full(targets.shape, precision) / n**2

        def center(self, targets: Any, lengths: Any) -> Any:
            return targets * lengths[:, None]

    def from_prior() -> Any:
        phi, theta = rng.dirichlet(np.full(n_words, beta), n_topics), rng.dirichlet(alpha, 2)
        z = np.array([rng.choice(n_topics, p=theta[d]) for d in docs], dtype=np.uint32)
        w = np.array([rng.choice(n_words, p=phi[k]) for k in z], dtype=np.int32)
        return w, z, rng.normal(size=(1, n_topics)), rng.normal(size=(1, n_features)) / np.sqrt(feature_nu)

    def targets_given(z: Any, eta: Any, omega: Any) -> Any:
        zbar = np.array([np.bincount(z[docs == d], minlength=n_topics) / lengths[d] for d in range(2)])
        return zbar @ eta.T + traits @ omega.T + rng.normal(size=(2, 1)) / np.sqrt(precision)

    def features() -> Any:
        """By columns, times the documents' lengths."""
        values = traits * lengths[:, None]
        if n_features == 0:
            return None
        return FeatureColumns(np.array([0, 2, 4]), np.array([0, 1, 0, 1], np.int32), values.T.ravel().copy())

    def words_given(z: Any) -> Any:
        """New words given topics, with φ summed out: one after the other, as from an urn."""
        counts = np.full((n_topics, n_words), beta)
        words = np.empty(len(z), np.int32)
        for i, k in enumerate(z):
            words[i] = rng.choice(n_words, p=counts[k] / counts[k].sum())
            counts[k, words[i]] += 1
        return words

    def figures(w: Any, z: Any, eta: Any, omega: Any, y: Any) -> list[float]:
        together = [z.mean(), eta[0, 0], eta[0, 0] ** 2, y[0, 0] * eta[0, z[0]], w[0] == w[1], y[0, 0] ** 2]
        if n_features:
            together += [omega[0, 0] ** 2, omega[0, 1], omega[0, 0] * y[0, 0], omega[0, 1] * eta[0, z[3]]]
        return [float(figure) for figure in together]

    forward = []
    for _ in range(n_rounds // 2):
        w, *drawn = from_prior()
        forward.append(figures(w, *drawn, targets_given(*drawn)))
    chain = []
    w, z, eta, omega = from_prior()
    y = targets_given(z, eta, omega)
    for n in range(n_rounds):
        how = Supervision(y, Squared(), eta=eta, features=features(), feature_nu=feature_nu, feature_eta=omega)
        nothing = CompiledKnowledge(TopicNumbers(n_topics))
        problem = SamplingProblem(
            w, offsets, n_words, n_topics, alpha, beta, n, nothing, z, sweep_number=1, supervision=how
        )
        engine = MedLDAEngine(problem, n_warmup_sweeps=0)
        engine.sweep()
        z, eta, omega = engine.assignments, engine.eta.copy(), engine.feature_eta.copy()
        w, y = words_given(z), targets_given(z, eta, omega)
        if n >= 100:
            chain.append(figures(w, z, eta, omega, y))
    before, after = np.array(forward), np.array(chain)
    batches = np.array([part.mean(axis=0) for part in np.array_split(after, 40)])
    error = np.sqrt(before.var(axis=0) / len(before) + batches.var(axis=0, ddof=1) / len(batches))
    assert (np.abs(before.mean(axis=0) - after.mean(axis=0)) < 4.5 * error).all()
