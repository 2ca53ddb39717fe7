"""Joint likelihood and the learning of priors, against the definitions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from scipy.sparse import csr_array

from topicwright._sampling.dirichlet import count_histogram, joint_log_likelihood, learn_alpha, learn_beta

from .enumeration import Tiny


@pytest.mark.parametrize("beta", [0.3, np.array([0.1, 0.5, 0.9])])
def test_joint_likelihood_is_the_definition(beta: float | np.ndarray) -> None:
    tiny = Tiny([[0, 1, 0], [], [1, 2]], 3, [0.2, 1.0, 0.5], beta)
    for z in tiny.states()[::7]:
        docs, words = np.zeros((3, 3), np.int64), np.zeros((3, 3), np.int64)
        np.add.at(docs, (tiny.doc_of, list(z)), 1)
        np.add.at(words, (list(z), tiny.tokens), 1)
        computed = joint_log_likelihood(csr_array(docs), csr_array(words), tiny.alpha, beta)
        assert computed == pytest.approx(tiny.log_joint(z), rel=1e-12)


def documents_from(alpha: np.ndarray, n_docs: int = 3000) -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.array([rng.multinomial(rng.integers(5, 60), rng.dirichlet(alpha)) for _ in range(n_docs)])


def test_learned_alpha_is_where_the_likelihood_is_highest() -> None:
    true = np.array([0.1, 0.5, 2.0])
    counts = documents_from(true)
    learned = np.full(3, 1.0)
    for _ in range(20):
        learned = learn_alpha(learned, count_histogram(csr_array(counts), counts.sum(axis=1)))
    no_words = csr_array((1, 1), dtype=np.int64)

    def loss(log_alpha: np.ndarray) -> float:
        return -joint_log_likelihood(csr_array(counts), no_words, np.exp(log_alpha), 1.0)

    best = np.exp(minimize(loss, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-5, "fatol": 1e-4}).x)
    np.testing.assert_allclose(learned, best, rtol=0.01)
    np.testing.assert_allclose(learned, true, rtol=0.15)


def test_empty_topic_keeps_a_positive_alpha() -> None:
    counts = documents_from(np.array([0.5, 0.5]), 200)
    counts = np.column_stack([counts, np.zeros(len(counts), np.int64)])
    alpha = learn_alpha(np.full(3, 0.5), count_histogram(csr_array(counts), counts.sum(axis=1)))
    assert 0 < alpha[2] < 0.01 * alpha[0]


def test_learned_beta_is_where_the_likelihood_is_highest() -> None:
    rng = np.random.default_rng(0)
    counts = np.array([rng.multinomial(4000, rng.dirichlet(np.full(200, 0.05))) for _ in range(20)])
    learned = 0.5
    for _ in range(20):
        learned = learn_beta(learned, csr_array(counts), counts.sum(axis=1))
    no_docs = csr_array((1, 1), dtype=np.int64)

    def loss(beta: float) -> float:
        return -joint_log_likelihood(no_docs, csr_array(counts), np.ones(1), float(beta))

    best = minimize_scalar(loss, bounds=(1e-3, 1), method="bounded").x
    assert learned == pytest.approx(best, rel=0.01)
