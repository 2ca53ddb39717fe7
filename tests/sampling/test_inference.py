"""Inference and held-out likelihood with φ frozen, against enumeration of one document's topics."""

from __future__ import annotations

from itertools import product
from math import lgamma

import numpy as np
import pytest
from scipy.sparse import csr_array

from topicwright._sampling.inference import (
    TokenBatch,
    TopicSnapshot,
    expected_shares,
    heldout_log_probabilities,
    infer,
    left_to_right,
    log_probability,
)
from topicwright._sampling.priors import prior_sum, with_linked_counts, with_word_priors
from topicwright._utils.count_rows import rows_from_csr
from topicwright.knowledge.priors import SharedCount, WordPriors, gather_shared_counts

COUNTS = np.array([[5, 0, 1], [0, 7, 2], [3, 3, 0]])  # topics × words
ALPHA = np.array([0.3, 0.6, 0.2])
BETA = 0.4
PHI = (COUNTS + BETA) / (COUNTS + BETA).sum(axis=1, keepdims=True)
FROZEN = TopicSnapshot(rows_from_csr(csr_array(COUNTS.T)), COUNTS.sum(axis=1), ALPHA, BETA, 3 * BETA)
WORDS = [0, 1, 0, 2, 1]
DOCS = TokenBatch(np.array(WORDS, np.int32), np.array([0, len(WORDS)]))


def enumerate_document(words: list[int]) -> tuple[np.ndarray, float]:
    """E[θ | w, φ, α] and log p(w | φ, α)."""
    total, mean = 0.0, np.zeros(3)
    for z in product(range(3), repeat=len(words)):
        n = np.bincount(z, minlength=3)
        log_p = lgamma(ALPHA.sum()) - lgamma(ALPHA.sum() + len(words))
        log_p += sum(lgamma(n[k] + ALPHA[k]) - lgamma(ALPHA[k]) for k in range(3))
        p = np.exp(log_p) * np.prod([PHI[k, w] for k, w in zip(z, words)])
        total += p
        mean += p * (n + ALPHA) / (len(words) + ALPHA.sum())
    return mean / total, float(np.log(total))


def test_inferred_topics_are_the_posterior_mean() -> None:
    n = 200_000
    theta = infer(FROZEN, DOCS, seed=1, burn_in=20, n_samples=n)[0]
    exact, _ = enumerate_document(WORDS)
    # n_k is at most 5, so θ_k varies by less than 1/2 around its mean; 10 sweeps bound the chain's memory
    np.testing.assert_allclose(theta, exact, atol=4 * 0.5 * np.sqrt(10 / n))
    assert np.abs(theta - exact).max() < 0.01


def test_expected_shares_lead_to_the_most_probable_theta() -> None:
    """θ from them is the mode of Π_w (θ φ)_w · Π θ^α, found here by going over a fine grid."""
    shares = expected_shares(FROZEN, DOCS, n_steps=500)[0]
    assert shares.sum() == pytest.approx(1.0, rel=1e-12)
    theta = (shares * len(WORDS) + ALPHA) / (len(WORDS) + ALPHA.sum())

    def log_posterior(theta: np.ndarray) -> np.ndarray:
        return np.log(theta @ PHI[:, WORDS]).sum(axis=-1) + (ALPHA * np.log(theta)).sum(axis=-1)

    first, second = np.meshgrid(np.linspace(0, 1, 401)[1:-1], np.linspace(0, 1, 401)[1:-1])
    grid = np.stack([first, second, 1 - first - second], axis=-1)
    grid = grid[grid[..., 2] > 1e-9]
    best = grid[np.argmax(log_posterior(grid))]
    np.testing.assert_allclose(theta, best, atol=0.005)
    assert log_posterior(theta) >= log_posterior(best)


def test_expected_shares_include_seeds_and_linked_counts() -> None:
    """Some steps, compared with a plain version."""
    base = np.array([0.4, 0.3, 0.7])
    seeds = WordPriors(np.array([0, 1, 1, 2], np.uint64), np.array([2, 1], np.uint32), np.array([1.5, 0.8]))
    loans = gather_shared_counts([SharedCount(0, 2, 0.5), SharedCount(1, 0, 0.25)], 3)
    for beta, extra in (
        (base, np.zeros((3, 3))),
        (with_word_priors(base, seeds), np.array([[0, 0, 0], [0, 0, 0.8], [1.5, 0, 0]])),
        (
            with_linked_counts(base, loans, FROZEN.words, 3),
            np.stack([0.5 * COUNTS[:, 2], 0.25 * COUNTS[:, 0], np.zeros(3)], axis=1),
        ),
    ):
        beta_sum = prior_sum(beta, 3, 3)
        frozen = FROZEN._replace(beta=beta, beta_sum=beta_sum)
        phi = (COUNTS + base + extra) / (COUNTS.sum(axis=1) + beta_sum)[:, None]
        in_doc = len(WORDS) * ALPHA / ALPHA.sum()
        for _ in range(3):
            chances = (in_doc + ALPHA)[:, None] * phi[:, WORDS]
            in_doc = (chances / chances.sum(axis=0)).sum(axis=1)
        np.testing.assert_allclose(expected_shares(frozen, DOCS, n_steps=3)[0], in_doc / len(WORDS), rtol=1e-12)


def test_left_to_right_estimates_the_document_probability() -> None:
    _, exact = enumerate_document(WORDS)
    assert left_to_right(FROZEN, DOCS, seed=2, n_particles=100_000).sum() == pytest.approx(exact, abs=0.005)


def test_left_to_right_is_exact_where_nothing_is_random() -> None:
    one_word = TokenBatch(np.array([1], np.int32), np.array([0, 1]))
    expected = np.log(PHI[:, 1] @ (ALPHA / ALPHA.sum()))
    assert left_to_right(FROZEN, one_word, seed=0, n_particles=1)[0] == pytest.approx(expected, rel=1e-12)


def test_word_scores_are_logs_of_mixtures() -> None:
    theta = np.array([[0.2, 0.5, 0.3]])
    expected = [np.log(theta[0] @ PHI[:, w]) for w in WORDS]
    np.testing.assert_allclose(log_probability(FROZEN, DOCS, theta), expected, rtol=1e-12)


def test_completion_scores_every_second_word_given_the_others() -> None:
    options = {"seed": 0, "burn_in": 5, "n_samples": 5, "n_jobs": 1}
    scores = heldout_log_probabilities(FROZEN, DOCS, "completion", **options)
    seen = TokenBatch(np.array([0, 0, 1], np.int32), np.array([0, 3]))
    theta = infer(FROZEN, seen, **options)
    np.testing.assert_allclose(scores, [np.log(theta[0] @ PHI[:, w]) for w in (1, 2)], rtol=1e-12)


def test_fold_in_scores_the_inference_words() -> None:
    options = {"seed": 0, "burn_in": 5, "n_samples": 5, "n_jobs": 1}
    theta = infer(FROZEN, DOCS, **options)
    expected = [np.log(theta[0] @ PHI[:, w]) for w in WORDS]
    np.testing.assert_allclose(heldout_log_probabilities(FROZEN, DOCS, "fold-in", **options), expected, rtol=1e-12)


def test_inference_does_not_depend_on_batches_order_or_threads() -> None:
    rng = np.random.default_rng(0)
    lengths = rng.integers(0, 9, 700)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    docs = TokenBatch(rng.integers(0, 3, lengths.sum()).astype(np.int32), offsets)
    options = {"seed": 4, "burn_in": 3, "n_samples": 4}
    all_at_once = infer(FROZEN, docs, **options)
    np.testing.assert_array_equal(infer(FROZEN, docs, **options, n_jobs=3), all_at_once)
    for d in (0, 3, 699):
        alone = TokenBatch(docs.tokens[offsets[d] : offsets[d + 1]], np.array([0, lengths[d]]))
        np.testing.assert_array_equal(infer(FROZEN, alone, **options)[0], all_at_once[d])
        np.testing.assert_array_equal(
            expected_shares(FROZEN, alone, n_steps=3)[0], expected_shares(FROZEN, docs, n_steps=3, n_jobs=3)[d]
        )


def test_empty_document_has_the_prior() -> None:
    nothing = TokenBatch(np.empty(0, np.int32), np.array([0, 0]))
    np.testing.assert_allclose(infer(FROZEN, nothing, seed=0, burn_in=2, n_samples=2)[0], ALPHA / ALPHA.sum())
    np.testing.assert_array_equal(expected_shares(FROZEN, nothing, n_steps=2), np.zeros((1, 3)))
    assert left_to_right(FROZEN, nothing, seed=0, n_particles=3).size == 0
