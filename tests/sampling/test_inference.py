"""Inference and held-out likelihood with φ frozen, against enumeration of one document's topics."""

from __future__ import annotations

from itertools import product
from math import lgamma

import numpy as np
import pytest
from scipy.sparse import csr_array

from topicwright._sampling.inference import (
    DocumentKnowledge,
    TokenBatch,
    TopicSnapshot,
    heldout_log_probabilities,
    infer,
    left_to_right,
    log_probability,
)
from topicwright._sampling.priors import prior_sum, with_linked_counts, with_word_priors
from topicwright._utils.count_rows import rows_from_csr
from topicwright.knowledge.allowed_topics import AllowedTopics
from topicwright.knowledge.document_topics import DocumentPull
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


def test_inferred_topics_are_the_mode_of_the_posterior() -> None:
    """θ is the mode of Π_w (θ φ)_w · Π θ^α, found here by going over a fine grid."""
    theta = infer(FROZEN, DOCS, n_steps=500)[0]
    assert theta.sum() == pytest.approx(1.0, rel=1e-12)
    shares = infer(FROZEN, DOCS, n_steps=500, is_smoothed=False)[0]
    np.testing.assert_allclose((shares * len(WORDS) + ALPHA) / (len(WORDS) + ALPHA.sum()), theta, rtol=1e-12)

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
        np.testing.assert_allclose(
            infer(frozen, DOCS, n_steps=3, is_smoothed=False)[0], in_doc / len(WORDS), rtol=1e-12
        )


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
    scores = heldout_log_probabilities(FROZEN, DOCS, "completion")
    seen = TokenBatch(np.array([0, 0, 1], np.int32), np.array([0, 3]))
    theta = infer(FROZEN, seen)
    np.testing.assert_allclose(scores, [np.log(theta[0] @ PHI[:, w]) for w in (1, 2)], rtol=1e-12)


def test_fold_in_scores_the_inference_words() -> None:
    theta = infer(FROZEN, DOCS)
    expected = [np.log(theta[0] @ PHI[:, w]) for w in WORDS]
    np.testing.assert_allclose(heldout_log_probabilities(FROZEN, DOCS, "fold-in"), expected, rtol=1e-12)


def test_inference_does_not_depend_on_batches_order_or_threads() -> None:
    rng = np.random.default_rng(0)
    lengths = rng.integers(0, 9, 700)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    docs = TokenBatch(rng.integers(0, 3, lengths.sum()).astype(np.int32), offsets)
    all_at_once = infer(FROZEN, docs)
    np.testing.assert_array_equal(infer(FROZEN, docs, n_jobs=3), all_at_once)
    for d in (0, 3, 699):
        alone = TokenBatch(docs.tokens[offsets[d] : offsets[d + 1]], np.array([0, lengths[d]]))
        np.testing.assert_array_equal(infer(FROZEN, alone)[0], all_at_once[d])


def test_empty_document_has_the_prior() -> None:
    nothing = TokenBatch(np.empty(0, np.int32), np.array([0, 0]))
    np.testing.assert_allclose(infer(FROZEN, nothing)[0], ALPHA / ALPHA.sum())
    np.testing.assert_array_equal(infer(FROZEN, nothing, is_smoothed=False), np.zeros((1, 3)))
    assert left_to_right(FROZEN, nothing, seed=0, n_particles=3).size == 0


def plain_fixed_point(words: list[int], prior: np.ndarray, ratios: np.ndarray, n_steps: int) -> np.ndarray:
    """θ by the definition: p_ik ∝ (N_k + a_k) φ_kw g_ik, where g is zero for topics that are not allowed."""
    prior = prior * (ratios.sum(axis=0) > 0)
    in_doc = len(words) * prior / prior.sum()
    for _ in range(n_steps):
        p = (in_doc + prior) * PHI[:, words].T * ratios
        in_doc = (p / p.sum(axis=1, keepdims=True)).sum(axis=0)
    return np.asarray((in_doc + prior) / (len(words) + prior.sum()))


def test_inference_honors_knowledge_about_documents() -> None:
    """Allowed topics, a factor and linked documents, each alone and all together, against the definition."""
    docs = TokenBatch(np.array([0, 1, 2, 1, 0, 2], np.int32), np.array([0, 3, 3, 6]))
    counts = np.array([[2, 1, 0], [0, 0, 0], [0, 1, 2]])  # topics of the documents
    sets = np.array([1, 2, 1, 2, 0, 0], np.uint32)  # {0, 1} and {1}; the last two tokens are free
    allowed = AllowedTopics(sets, np.array([0, 0, 2, 3], np.uint64), np.array([0, 1, 1], np.uint32), np.zeros(4))
    pull = DocumentPull(np.array([0, 1, 1, 2], np.uint64), np.array([1, 2], np.uint32), 3.0)
    shared = gather_shared_counts([SharedCount(0, 2, 0.5), SharedCount(2, 0, 1.5)], 3)
    is_allowed = np.array([[1, 1, 1], [1, 1, 0], [0, 1, 0]])[sets]
    pulled = np.repeat([[1.0, 3.0, 1.0], [1.0, 1.0, 3.0]], 3, axis=0)
    more = np.array([0.5 * counts[2], np.zeros(3), 1.5 * counts[0]])
    rows = rows_from_csr(csr_array(counts))
    for has_sets, has_pull, has_shared in product((False, True), repeat=3):
        knowledge = DocumentKnowledge(
            rows, (pull,) if has_pull else (), allowed if has_sets else None, shared if has_shared else None
        )
        theta = infer(FROZEN, docs, knowledge=knowledge, n_steps=7)
        ratios = np.where(has_sets, is_allowed, 1) * np.where(has_pull, pulled, 1.0)
        for d, tokens in ((0, slice(0, 3)), (2, slice(3, 6))):
            prior = ALPHA + has_shared * more[d]
            expected = plain_fixed_point(docs.tokens[tokens].tolist(), prior, ratios[tokens], 7)
            np.testing.assert_allclose(theta[d], expected, rtol=1e-12)
        np.testing.assert_array_equal(
            infer(FROZEN, docs, rows=np.array([2]), knowledge=knowledge, n_steps=7)[0], theta[2]
        )
