"""The particle filter compared with enumeration: single particles and weighted ensembles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from topicwright._sampling.particle_filter import StreamEngine

from ..enumeration import p_value
from .test_oracle import TINY, WIDE, batch

DOCS = batch(TINY.docs)
POSTERIOR = TINY.joint() / TINY.joint().sum()
N_STATES = len(TINY.states)
RUNS = pytest.mark.parametrize("n_runs", [2000, pytest.param(4000, marks=pytest.mark.slow)])


def frequencies(engine: StreamEngine) -> np.ndarray:
    """The weight of all particles that are in a state, by state."""
    return np.bincount(TINY.number(engine), engine.weights, N_STATES)


def furthest(estimates: np.ndarray, exact: np.ndarray) -> float:
    """Of independent estimates, how many standard errors their mean is off, in the worst state."""
    error = estimates.std(axis=0, ddof=1) / np.sqrt(len(estimates))
    return float((np.abs(estimates.mean(axis=0) - exact) / error).max())


@pytest.mark.draws
@RUNS
def test_one_particle_follows_the_sequential_posterior(n_runs: int) -> None:
    seen = np.zeros(N_STATES, np.int64)
    for seed in range(n_runs):
        engine = TINY.engine(1, seed=seed)
        engine.add(*DOCS)
        seen[TINY.number(engine)] += 1
    assert p_value(seen, TINY.sequential()) > 0.001
    assert p_value(seen, POSTERIOR) < 1e-6


@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_particles_without_resampling_are_independent(dtype: Any) -> None:
    engine = TINY.engine(50_000, seed=1, threshold=0, dtype=dtype)
    engine.add(*DOCS)
    assert p_value(np.bincount(TINY.number(engine), minlength=N_STATES), TINY.sequential()) > 0.001


@pytest.mark.parametrize("weighting", ["marginal", "drawn"])
def test_weights_without_resampling(weighting: Any) -> None:
    """Weights as in the paper do not give the posterior; weights summed over labels do."""
    target, other = (
        (POSTERIOR, TINY.by_drawn_weights()) if weighting == "marginal" else (TINY.by_drawn_weights(), POSTERIOR)
    )
    estimates = []
    for seed in range(60):
        engine = TINY.engine(4000, seed=seed, threshold=0, weighting=weighting)
        engine.add(*DOCS)
        assert engine.n_resamplings == 0
        estimates.append(frequencies(engine))
    assert furthest(np.array(estimates), target) < 4.5
    assert furthest(np.array(estimates), other) > 10
    assert furthest(np.array(estimates), TINY.sequential()) > 10


@pytest.mark.parametrize("resampling", ["systematic", "multinomial"])
@pytest.mark.parametrize("weighting", ["marginal", "drawn"])
def test_resampling_with_many_particles(weighting: Any, resampling: Any) -> None:
    """Resampled after every token but where weights are equal; nothing is rejuvenated."""
    target, other = (
        (POSTERIOR, TINY.by_drawn_weights()) if weighting == "marginal" else (TINY.by_drawn_weights(), POSTERIOR)
    )
    estimates = []
    for seed in range(40):
        engine = TINY.engine(
            4000, seed=seed, threshold=3999, weighting=weighting, resampling=resampling, rejuvenate_at_resampling=0
        )
        engine.add(*DOCS)
        assert engine.n_resamplings >= 4
        estimates.append(frequencies(engine))
    assert furthest(np.array(estimates), target) < 4.5
    assert furthest(np.array(estimates), other) > 10


@pytest.mark.parametrize(
    "parameters",
    [
        {"threshold": 0},
        {"resampling": "systematic"},
        {"resampling": "multinomial"},
        {"resampling": "multinomial", "threshold": 3.999, "rejuvenate_at_resampling": 7},
        {"rejuvenate_per_label": 1.7},
        {"rejuvenate_per_label": 0.5, "rejuvenation_order": "random"},
    ],
    ids=str,
)
@pytest.mark.draws
@RUNS
def test_few_particles_are_unbiased(parameters: dict[str, Any], n_runs: int) -> None:
    """p̂(w) · Σ ω [z = state] has the mean p(w, z) for any number of particles, resampling or rejuvenation."""
    parameters = {"threshold": 3.5, "rejuvenate_at_resampling": 0, **parameters}
    estimates, resampled = [], 0
    for seed in range(n_runs):
        engine = TINY.engine(4, seed=seed, **parameters)
        log_p = engine.add(*DOCS)
        estimates.append(np.exp(log_p.sum()) * frequencies(engine))
        resampled += engine.n_resamplings
    assert (resampled > n_runs / 4) == (parameters["threshold"] > 0)
    assert furthest(np.array(estimates), TINY.joint()) < 4.5
    wrong = TINY.sequential() * TINY.joint().sum()
    assert furthest(np.array(estimates), wrong) > 10


@pytest.mark.parametrize("order", ["cycle", "random"])
def test_rejuvenated_tokens_follow_the_posterior(order: Any) -> None:
    """Each lane is a chain of its own here; all start from the sequential posterior."""
    engine = TINY.engine(20_000, seed=3, threshold=0)
    engine.add(*DOCS)
    assert p_value(np.bincount(TINY.number(engine), minlength=N_STATES), POSTERIOR) < 1e-6
    engine.rejuvenate(40 * len(TINY.free), order)
    seen = np.bincount(TINY.number(engine), minlength=N_STATES)
    assert p_value(seen, POSTERIOR) > 0.001
    assert p_value(seen, TINY.sequential()) < 1e-6


def test_long_rejuvenation_follows_the_posterior() -> None:
    engine = TINY.engine(1, seed=4)
    engine.add(*DOCS)
    seen = np.zeros(N_STATES, np.int64)
    for _ in range(8000):
        engine.rejuvenate(5 * len(TINY.free))
        seen[TINY.number(engine)] += 1
    assert p_value(seen, POSTERIOR) > 0.001
    assert p_value(seen, TINY.sequential()) < 1e-6


def test_rejuvenation_during_the_stream_follows_the_posterior() -> None:
    """One particle draws 30 old tokens for each new one: at the end it is where a batch sampler is."""
    engine = TINY.engine(20_000, seed=5, threshold=0, rejuvenate_per_label=30)
    engine.add(*DOCS)
    assert p_value(np.bincount(TINY.number(engine), minlength=N_STATES), POSTERIOR) > 0.001


@pytest.mark.draws
@RUNS
def test_documents_with_more_labels_are_rejuvenated_more(n_runs: int) -> None:
    """Documents of one, two and three labels: each rejuvenates another number of tokens, of all that are there."""
    posterior = WIDE.joint() / WIDE.joint().sum()
    assert np.abs(posterior - WIDE.sequential()).sum() > 0.1
    estimates = []
    for seed in range(n_runs):
        engine = WIDE.engine(4, seed=seed, threshold=3.5, rejuvenate_at_resampling=0, rejuvenate_per_label=0.8)
        log_p = engine.add(*batch(WIDE.docs))
        assert engine.n_rejuvenated == 5  # (2 · 2 + 3 · 1) · 0.8, of which the fraction is left
        states = np.bincount(WIDE.number(engine), engine.weights, len(WIDE.states))
        estimates.append(np.exp(log_p.sum()) * states)
    assert furthest(np.array(estimates), WIDE.joint()) < 4.5
    assert furthest(np.array(estimates), WIDE.sequential() * WIDE.joint().sum()) > 10
    engine = WIDE.engine(20_000, seed=8, threshold=0, rejuvenate_per_label=20)
    engine.add(*batch(WIDE.docs))
    assert p_value(np.bincount(WIDE.number(engine), minlength=len(WIDE.states)), posterior) > 0.001


def test_running_probability_equals_the_evidence() -> None:
    engine = TINY.engine(50_000, seed=6, threshold=0)
    log_p = engine.add(*DOCS)
    assert abs(log_p.sum() - np.log(TINY.joint().sum())) < 0.01


def test_initial_counts_act_as_a_prior() -> None:
    """One more b of word 2 under label 0, by the oracle's own arithmetic: the draw of a single token."""
    engine = StreamEngine(50_000, seed=7, alpha=0.5, beta=0.4, n_words=3, threshold=0, dtype=np.float64)
    engine.add_counts([0], [2], [1.5])
    engine.add([2], [0, 1], [0, 1], [0, 2])
    chance = np.array([1.9 / 2.7, 0.4 / 1.2])
    seen = np.bincount(engine.state()["reservoir.choices"][0], minlength=2)
    assert p_value(seen, chance / chance.sum()) > 0.001
