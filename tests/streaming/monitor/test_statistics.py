"""Statistics of a monitor, compared with plain calculations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, chi2_contingency

import topicwright as tw
from topicwright.models.online.state import counts_of
from topicwright.streaming.monitor.drift import permutation_score, standardized
from topicwright.streaming.monitor.emerging_labels import signed_root
from topicwright.streaming.monitor.mislabeled import MislabelDetector
from topicwright.streaming.monitor.model_access import (
    MonitoredDocument,
    attribute_words,
    concatenate_documents,
    count_attributions,
    new_buffers,
    read_table,
    statistics_of,
)
from topicwright.streaming.monitor.monitor import StreamMonitor
from topicwright.streaming.monitor.window_statistics import NO_LABEL, WindowStatistics

from .test_monitor import SETTINGS, Themes

MODELS: dict[str, dict[str, Any]] = {
    "mean": {},
    "resampled": {"n_particles": 5, "resample_below": 0.6, "rejuvenate": 3},
    "best": {"n_particles": 5, "resample_below": 0.6, "combine": "best"},
    "forgetting": {"forgetting": 0.99},
}


def monitored(kind: str = "mean", n: int = 400, **settings: Any) -> StreamMonitor:
    monitor = StreamMonitor(tw.OnlineLabeledLDA(**MODELS[kind]), **settings)
    monitor.learn(*Themes(6, 2).stream(n))
    return monitor


def table_of(monitor: StreamMonitor) -> tuple[Any, Any]:
    """n_kw and n_k of all labels and words, from the engine."""
    stream = monitor.model.stream_
    particles = stream.particle_ids()
    labels, words = (np.arange(len(names), dtype=np.uint32) for names in (stream.label_ids, stream.vocabulary.ids))
    totals = np.mean([stream.engine.totals(p) for p in particles], axis=0)
    return counts_of(stream.engine, particles, labels, words), totals


# ---------------------------------------------------------------------- reading


@pytest.mark.parametrize("kind", MODELS)
def test_counts_equal_those_of_the_model(kind: str) -> None:
    monitor = monitored(kind)
    expected, expected_totals = table_of(monitor)
    labels, words = np.array([4, 0, 2], np.uint32), np.array([7, 0, 99, 31], np.uint32)
    counts, totals = np.zeros((3, 4)), np.zeros(3)
    read_table(statistics_of(monitor.model.stream_), labels, words, np.zeros(4, np.uint64), counts, totals)
    assert counts == pytest.approx(expected[labels][:, words])
    assert totals == pytest.approx(expected_totals[labels])


@pytest.mark.parametrize("kind", MODELS)
def test_word_evidence_equals_that_of_the_model(kind: str) -> None:
    """Where no word has more labels than are remembered; of words and labels of the last documents."""
    monitor = monitored(kind)
    expected, totals = table_of(monitor)
    evidence = monitor._stats.evidence
    last = list(monitor._stats.window)[-1]
    for word in last.words.tolist():
        remembered = dict(zip(evidence.labels[word].tolist(), evidence.counts[word].tolist()))
        for label in last.labels.tolist():
            assert remembered.get(label, 0.0) == pytest.approx(expected[label, word], rel=1e-6)
    assert evidence.totals[last.labels] == pytest.approx(totals[last.labels])


def test_statistics_can_be_built_from_a_fitted_model() -> None:
    monitor = monitored(window=500)
    expected, totals = table_of(monitor)
    stats = WindowStatistics(500)
    stats.synchronize(monitor.model.stream_)
    n_labels, n_words = expected.shape
    assert stats.evidence.tokens[:n_words] == pytest.approx(monitor._stats.evidence.tokens[:n_words])
    assert stats.evidence.totals[:n_labels] == pytest.approx(totals)
    assert (stats.n_docs, stats.n_tokens, stats.n_words) == (400, monitor._stats.n_tokens, monitor._stats.n_words)
    for word in range(n_words):
        labels, counts = stats.evidence.labels[word], stats.evidence.counts[word]
        assert (labels >= 0).sum() == (expected[:, word] > 0).sum()
        assert counts[labels >= 0] == pytest.approx(expected[labels[labels >= 0], word])
        assert (np.diff((labels == NO_LABEL).astype(int)) >= 0).all()


def _credit(monitor: StreamMonitor, document: MonitoredDocument) -> Any:
    """Shares of a document's labels in its words, and their expected counts, by plain loops."""
    stats, alpha = monitor._stats, monitor.model.alpha
    counts, totals = table_of(monitor)
    background, prior = stats.background(document.words), stats.prior
    expected = (counts[document.labels][:, document.words] + prior * background) / (totals[document.labels] + prior)[
        :, None
    ]
    shares = np.full(len(document.labels), alpha)
    for w, n in enumerate(document.times.tolist()):
        shares += n * shares * expected[:, w] / (shares @ expected[:, w])
    joint = shares[:, None] * expected
    return joint / joint.sum(axis=0), shares - alpha


def test_attribution_follows_the_conditional() -> None:
    monitor = monitored()
    stats, stream = monitor._stats, monitor.model.stream_
    label = 2
    kept = [document for document in stats.window if label in document.labels][:20]
    documents = concatenate_documents(kept)
    background = stats.background(documents.words)
    credit = np.zeros(len(documents.words))
    arguments = background, stats.prior, monitor.model.alpha, new_buffers(documents)
    attribute_words(statistics_of(stream), documents, np.uint32(label), *arguments, credit)
    plain = [_credit(monitor, document) for document in kept]
    own = [shares[list(document.labels).index(label)] for document, (shares, _) in zip(kept, plain)]
    assert credit == pytest.approx(np.concatenate(own))
    places = np.full(len(stats.recent), -1)
    places[[5, 9]] = 0, 1
    counts, totals = np.zeros((6, 2)), np.zeros(6)
    count_attributions(statistics_of(stream), documents, *arguments, np.arange(6), places, counts, totals)
    expected, expected_totals = np.zeros((6, 2)), np.zeros(6)
    for document, (shares, owed) in zip(kept, plain):
        expected_totals[document.labels] += owed
        for column, word in enumerate((5, 9)):
            is_it = document.words == word
            expected[document.labels, column] += (shares * document.times * is_it).sum(axis=1)
    assert counts == pytest.approx(expected)
    assert totals == pytest.approx(expected_totals)


# ---------------------------------------------------------------------- judging


def _log_p(expected: Any, times: Any, alpha: float) -> float:
    """Σ log p(w | words before), with the shares that these give to labels."""
    shares, log_p = np.full(len(expected), alpha), 0.0
    for w, n in enumerate(times.tolist()):
        p = shares @ expected[:, w]
        log_p += n * np.log(p / shares.sum())
        shares = shares + n * shares * expected[:, w] / p
    return float(log_p)


def _expected(stats: WindowStatistics, words: Any) -> Any:
    """p(w | k) of all labels, from the word evidence."""
    evidence = stats.evidence
    n_labels = stats.n_numbers[1]
    totals, prior = evidence.totals[:n_labels], stats.prior
    counts = np.zeros((n_labels, len(words)))
    for column, word in enumerate(words.tolist()):
        labels = evidence.labels[word][evidence.labels[word] >= 0]
        counts[:, column] = evidence.rest[word] * totals
        counts[labels, column] = evidence.counts[word][: len(labels)]
    return (counts + prior * stats.background(words)) / (totals + prior)[:, None]


def test_mislabel_score_is_a_likelihood_ratio() -> None:
    monitor = monitored()
    stats, alpha, scores = monitor._stats, monitor.model.alpha, MislabelDetector(0.01, 100)
    for row, document in enumerate(list(stats.window)[-40:]):
        right = document.labels.tolist()
        wrong = [k for k in range(6) if k not in right][row % 3 :][: 1 + row % 2]
        expected = _expected(stats, document.words)
        others = [k for k in range(6) if k not in wrong]
        best = max((_log_p(expected[[k]], document.times, alpha), k) for k in others)
        if len(wrong) == 2:
            pairs = ((_log_p(expected[[best[1], k]], document.times, alpha), k) for k in others if k != best[1])
            best = max(best, max(pairs))
        own = _log_p(expected[wrong], document.times, alpha)
        scores.score(stats, alpha, document._replace(labels=np.array(wrong, np.uint32)), ())
        assert scores.scores[-1] == pytest.approx((best[0] - own) / np.sqrt(document.times.sum())), row


# ---------------------------------------------------------------------- tests of change


def test_signed_roots_equal_the_g_test() -> None:
    now, before = np.array([30.0, 3.0, 10.0, 0.0, 100.0]), np.array([100.0, 100.0, 100.0, 40.0, 0.0])
    roots = signed_root(now, 100, before, 1000)
    for root, a, b in zip(roots, now, before):
        table = [[a, 100 - a], [b, 1000 - b]]
        result = chi2_contingency(table, correction=False, lambda_="log-likelihood")
        assert root**2 == pytest.approx(result.statistic, abs=1e-9)
    assert np.sign(roots).tolist() == [1, -1, 0, -1, 1]


def clumped(rng: np.random.Generator, n: int) -> Any:
    """Documents of a label with clustered words, and their residuals."""
    topics = rng.dirichlet(np.full(30, 0.1), 5)
    rows = [rng.multinomial(rng.integers(10, 60), topics[rng.integers(5)]) > 0 for _ in range(n)]
    return np.array(rows, dtype=np.float64)


def test_test_level_is_exact_for_clustered_documents() -> None:
    rng, found, n_looks = np.random.default_rng(1), 0, 300
    for _ in range(n_looks):
        table = clumped(rng, 50)
        found += permutation_score(standardized(table, 15), 15, 200, rng) is not None
    low, high = binom.ppf([0.001, 0.999], n_looks, 200 / 2001)
    assert low <= found <= high


def test_standardized_sums_have_unit_variance() -> None:
    rng = np.random.default_rng(2)
    z = standardized(clumped(rng, 60), 20)
    deals = np.array([z[rng.permutation(60)[:20]].sum(axis=0) for _ in range(4000)])
    varies = z.std(axis=0) > 0
    assert deals[:, varies].std(axis=0) == pytest.approx(1.0, abs=0.06)
    assert np.abs(z.sum(axis=0)).max() < 1e-9


def test_drift_tests_stay_within_their_budget() -> None:
    monitor = StreamMonitor(tw.OnlineLabeledLDA(), **{**SETTINGS, "drift": 0.0002})
    texts, labels = Themes(6, 2).stream(1000)
    for start in range(0, 1000, 50):
        monitor.learn(texts[start : start + 50], labels[start : start + 50])
        assert 0 <= monitor._drift.budget <= 0.0002 * (start + 50) + 1e-12
    assert monitor._drift.budget < 0.02


def test_words_remember_their_strongest_labels() -> None:
    """Sixty labels share a word, more than are remembered; those without have the mean of what is left."""
    rng = np.random.default_rng(4)
    rows = [(row % 60, rng.binomial(20, 0.1 + 0.8 * (row % 60) / 60)) for row in range(1200)]
    texts = [" ".join(["shared"] * n + [f"own{chr(97 + k % 26)}{chr(97 + k // 26)}"] * (20 - n)) for k, n in rows]
    monitor = StreamMonitor(tw.OnlineLabeledLDA())
    monitor.learn(texts, [[f"label{k}"] for k, _ in rows])
    evidence, word = monitor._stats.evidence, monitor.model.stream_.vocabulary.ids["shared"]
    expected, totals = table_of(monitor)
    rates = expected[:, word] / totals
    remembered = evidence.labels[word]
    assert len(set(remembered.tolist())) == len(remembered)
    assert (remembered >= 0).all()
    assert evidence.counts[word] == pytest.approx(expected[remembered, word])
    left_out = np.setdiff1d(np.arange(60), remembered)
    assert rates[left_out].max() <= rates[remembered].min() + 0.02
    assert evidence.rest[word] == pytest.approx(expected[left_out, word].sum() / totals[left_out].sum())
