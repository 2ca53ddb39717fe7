from __future__ import annotations

from math import exp, lgamma, log

import numpy as np
import pytest

from benchmarks.common.metrics import Completion, joint_log_likelihood, topic_word_of
from topicwright.corpus.corpus import Corpus


def joint_by_hand(corpus: Corpus, z: np.ndarray, K: int, alpha: float, beta: float) -> float:
    """Every count, zero or not, through its own log gamma."""
    n_dk, n_kw = np.zeros((corpus.n_docs, K)), np.zeros((K, corpus.n_words))
    doc = np.repeat(np.arange(corpus.n_docs), corpus.doc_lengths())
    np.add.at(n_dk, (doc, z), 1)
    np.add.at(n_kw, (z, corpus.tokens), 1)
    total = 0.0
    for counts, prior in ((n_dk, alpha), (n_kw, beta)):
        for row in counts:
            total += lgamma(len(row) * prior) - lgamma(len(row) * prior + row.sum())
            total += sum(lgamma(prior + n) - lgamma(prior) for n in row)
    return total / corpus.n_tokens


@pytest.mark.parametrize("K", [1, 3, 50])
def test_joint_likelihood_is_the_sum_of_log_gammas(corpus: Corpus, K: int) -> None:
    z = np.random.default_rng(K).integers(0, K, size=corpus.n_tokens).astype(np.uint32)
    ours = joint_log_likelihood(corpus, z, K, alpha=0.1, beta=0.01)
    assert ours == pytest.approx(joint_by_hand(corpus, z, K, 0.1, 0.01), rel=1e-12)


def test_joint_likelihood_is_the_product_of_predictive_probabilities() -> None:
    """p(w, z) by the chain rule, token after token, as two Pólya urns would draw them."""
    corpus = Corpus(np.array([0, 1, 0, 1]), np.array([0, 3, 4]), np.array(["a", "b"], dtype=object))
    alpha, beta = 0.5, 0.2
    by_urns = 0.0
    for p_topic, p_word in [
        (alpha / (2 * alpha), beta / (2 * beta)),  # topic 0, "a"
        ((1 + alpha) / (1 + 2 * alpha), beta / (1 + 2 * beta)),  # topic 0 again, "b"
        (alpha / (2 + 2 * alpha), beta / (2 * beta)),  # topic 1, "a"
        (alpha / (2 * alpha), (1 + beta) / (2 + 2 * beta)),  # a new document: topic 0, "b"
    ]:
        by_urns += log(p_topic) + log(p_word)
    assert joint_log_likelihood(corpus, np.array([0, 0, 1, 0]), 2, alpha, beta) == pytest.approx(by_urns / 4)


def test_topic_word_is_smoothed_counts() -> None:
    corpus = Corpus(np.array([0, 1, 0]), np.array([0, 3]), np.array(["a", "b"], dtype=object))
    topics = topic_word_of(corpus, np.array([0, 0, 1], dtype=np.uint32), n_topics=2, beta=0.5)
    np.testing.assert_allclose(topics, [[1.5 / 3, 1.5 / 3], [1.5 / 2, 0.5 / 2]])


def test_perplexity_of_uniform_topics_is_the_vocabulary(corpus: Corpus) -> None:
    uniform = np.full((4, corpus.n_words), 1 / corpus.n_words)
    assert Completion(corpus, alpha=0.1).perplexity(uniform) == pytest.approx(corpus.n_words)


def test_perplexity_of_one_topic_is_its_cross_entropy() -> None:
    held_out = Corpus(np.array([0, 1, 0, 0]), np.array([0, 4]), np.array(["a", "b"], dtype=object))
    topic = np.array([[0.75, 0.25]])
    hidden = [1, 0]  # every second token
    expected = exp(-sum(log(topic[0, w]) for w in hidden) / 2)
    assert Completion(held_out, alpha=0.1).perplexity(topic) == pytest.approx(expected)


def test_perplexity_sees_which_topic_the_document_is_about(corpus: Corpus) -> None:
    """With alpha near 0 and topics that share no word, a document is of one topic: four equal words."""
    topics = np.zeros((2, corpus.n_words))
    topics[0, :4], topics[1, 4:8] = 0.25, 0.25
    assert Completion(corpus, alpha=1e-9).perplexity(topics) == pytest.approx(4.0)
