"""Fixed counts of earlier documents: visits of every engine to each state against enumeration.

For the oracle, earlier counts are part of the prior of words: (n + c) + b = n + (b + c). Links read them as counts.
"""

from __future__ import annotations

from math import lgamma
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import topicwright as tw
from topicwright._sampling import new_engine
from topicwright._sampling.dirichlet import joint_log_likelihood
from topicwright._sampling.engine import EarlierCounts, SamplingProblem
from topicwright._sampling.labeled.engine import LabeledEngine
from topicwright._sampling.mixture.engine import MixtureEngine
from topicwright._sampling.sparse_lda.engine import SparseEngine
from topicwright.corpus.corpus import with_earlier_word_counts
from topicwright.knowledge import compile_knowledge

from .enumeration import Tiny, p_value
from .mixture import test_exactness as mixture

A, B, C = 0, 1, 2
EARLIER = np.array([[4, 0, 1], [0, 2, 0], [0, 0, 0]])  # the last topic is new
DOCUMENTS = np.array([3, 1, 0])
ALPHA, BETA = np.array([0.2, 1.0, 0.5]), 0.3


class Updated(Tiny):
    """A tiny corpus, and counts of earlier documents."""

    def __init__(self) -> None:
        super().__init__([[A, B, A], [B, C]], 3, ALPHA, BETA)
        self.betas = self.betas + EARLIER

    def apart(self, one: int, other: int) -> Any:
        """1 / max(1, n) of a cannot-link, where n includes earlier counts."""
        partner = {one: other, other: one}

        def ratio(i: int, k: int, rest: Any) -> float:
            other = partner.get(int(self.tokens[i]))
            if other is None:
                return 1.0
            return 1.0 / max(1, EARLIER[k, other] + sum(w == other and kk == k for w, _, kk in rest))

        return ratio

    def linked(self, shares: dict[tuple[int, int], float]) -> Any:
        """(n_kw + b_kw + Σ_u share n_ku) / (n_kw + b_kw), with all counts at the start of a sweep."""

        def at_start(z: tuple[int, ...]) -> Any:
            counts = EARLIER.astype(float)
            for w, k in zip(self.tokens, z):
                counts[k, w] += 1
            extra = np.zeros_like(counts)
            for (word, source), share in shares.items():
                extra[:, word] += share * counts[:, source]
            extra[extra < 0.05 * extra.sum(axis=0)] = 0.0

            def ratio(i: int, k: int, rest: Any) -> float:
                w = int(self.tokens[i])
                own = self.betas[k, w] + sum(ww == w and kk == k for ww, _, kk in rest)
                return float((own + extra[k, w]) / own)

            return ratio

        return at_start

    def problem(self, knowledge: list[Any], **options: Any) -> SamplingProblem:
        corpus = with_earlier_word_counts(self.corpus(), EARLIER.sum(axis=0))
        known = compile_knowledge(knowledge, corpus, 3)
        earlier = EarlierCounts(csr_array(EARLIER), DOCUMENTS)
        return SamplingProblem(
            corpus.tokens, corpus.offsets, 3, 3, self.alpha, self.beta, 7, known, earlier=earlier, **options
        )


def visits(tiny: Updated, engine: Any, n: int = 20_000, thin: int = 3) -> np.ndarray:
    seen = np.zeros(3 ** len(tiny.tokens), np.int64)
    powers = 3 ** np.arange(len(tiny.tokens))[::-1]
    for _ in range(n):
        for _ in range(thin):
            engine.sweep()
        seen[int(engine.assignments.astype(np.int64) @ powers)] += 1
    return seen


@pytest.mark.parametrize("name", ["none", "soft seeds", "known topics", "cannot-links", "must-links", "labels of some"])
@pytest.mark.draws
def test_visits_with_knowledge(name: str) -> None:
    tiny = Updated()
    # a, b, c occur 2 + 4, 2 + 2 and 1 + 1 times
    knowledge, oracle = {
        "none": ([], lambda: tiny.posterior()),
        "soft seeds": (
            [tw.SeedWords({0: ["a"], 2: ["b"]}, weight=1.5)],
            lambda: tiny.stationary(tiny.with_seeds({0: [A], 2: [B]}, 1.5)),
        ),
        "known topics": ([tw.KnownTopics({2: {"b": 2}}, 1.0)], lambda: tiny.posterior()),
        "cannot-links": ([tw.CannotLinks([("a", "c")])], lambda: tiny.stationary(tiny.apart(A, C))),
        "must-links": (
            [tw.MustLinks([("a", "b")], firmness=0.25)],
            lambda: tiny.stationary(at_start=tiny.linked({(A, B): 6 / 4 / 3, (B, A): 4 / 6 / 3})),
        ),
        "labels of some": (
            [tw.DocumentLabels([["x", "y"], None])],
            lambda: tiny.posterior(lambda z: 0.0 if all(k < 2 for k in z[:3]) else -np.inf),
        ),
    }[name]
    if name == "known topics":
        tiny.betas[2, B] += 2
    engine = new_engine(tiny.problem(knowledge))
    assert type(engine) is SparseEngine
    assert p_value(visits(tiny, engine), oracle()) > 1e-3


@pytest.mark.draws
def test_visits_of_the_labeled_engine() -> None:
    tiny = Updated()
    engine = new_engine(tiny.problem([tw.DocumentLabels([["x", "y"], ["x", "z"]])]))
    assert isinstance(engine, LabeledEngine)
    allowed = [{0, 1}, {0, 2}]
    exact = tiny.posterior(lambda z: 0.0 if all(k in allowed[d] for k, d in zip(z, tiny.doc_of)) else -np.inf)
    assert p_value(visits(tiny, engine), exact) > 1e-3


class EarlierDocuments(mixture.Oracle):
    """The mixture with earlier documents: their words are part of the prior, and they count in their topics."""

    def __init__(self, **options: Any) -> None:
        super().__init__(betas=mixture.BETA + EARLIER, **options)

    def posterior(self) -> np.ndarray:
        logs = np.log(super().posterior())
        for n, z in enumerate(self.states):
            own = np.bincount(z, minlength=3)
            for m, before, a in zip(own, DOCUMENTS, mixture.ALPHA):
                logs[n] += lgamma(before + m + a) - lgamma(before + a) - lgamma(m + a) + lgamma(a)
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum())


@pytest.mark.parametrize("has_seeds", [False, True])
@pytest.mark.draws
def test_visits_of_the_mixture(has_seeds: bool) -> None:
    corpus, seeds = mixture.corpus(mixture.DOCS), mixture.SEEDS
    oracle = (
        EarlierDocuments(log_ratio=mixture.seed_ratio(seeds, 1.5), added=mixture.seed_prior(seeds, 1.5))
        if has_seeds
        else EarlierDocuments()
    )
    knowledge = compile_knowledge([mixture.SOFT] if has_seeds else [], corpus, 3)
    problem = SamplingProblem(
        corpus.tokens, corpus.offsets, 3, 3, mixture.ALPHA, mixture.BETA, 5, knowledge, is_mixture=True
    )
    engine = new_engine(problem._replace(earlier=EarlierCounts(csr_array(EARLIER), DOCUMENTS)))
    assert isinstance(engine, MixtureEngine)
    seen = np.zeros(27, np.int64)
    for sweep in range(24_000):
        engine.sweep()
        if sweep % 3 == 2:
            seen[engine.assignments[corpus.offsets[:-1]].astype(np.int64) @ np.array([9, 3, 1])] += 1
    exact = oracle.posterior()
    assert p_value(seen, exact) > 1e-3
    without = mixture.Oracle().posterior()
    assert p_value(seen, without) < 1e-9


def test_wrong_distribution_is_detected() -> None:
    tiny = Updated()
    seen = visits(tiny, new_engine(tiny.problem([])))
    assert p_value(seen, Tiny([[A, B, A], [B, C]], 3, ALPHA, BETA).posterior()) < 1e-9


LABELS = [tw.DocumentLabels([["x", "y"], ["x", "z"]])]


@pytest.mark.parametrize(("knowledge", "is_mixture"), [([], False), (LABELS, False), ([], True)])
def test_counts_and_likelihood(knowledge: list[Any], is_mixture: bool) -> None:
    """Earlier counts stay, and the likelihood is that of the new documents given them."""
    tiny = Updated()
    engine = new_engine(tiny.problem(knowledge, is_mixture=is_mixture))
    for _ in range(3):
        engine.sweep()
    own = np.zeros((3, 3), np.int64)
    np.add.at(own, (engine.assignments.astype(np.int64), tiny.tokens), 1)
    np.testing.assert_array_equal(engine.topic_words().toarray(), own + EARLIER)
    np.testing.assert_array_equal(engine.sizes, (own + EARLIER).sum(axis=1))
    assert engine.doc_topics().sum() == len(tiny.tokens)
    docs = engine.doc_topics()
    if is_mixture:
        before = csr_array(DOCUMENTS[None, :])
        docs = csr_array((np.asarray(engine.doc_topics().toarray() > 0).sum(axis=0) + DOCUMENTS)[None, :])
        past = joint_log_likelihood(before, csr_array(EARLIER), tiny.alpha, BETA)
    else:
        past = joint_log_likelihood(docs * 0, csr_array(EARLIER), tiny.alpha, BETA)
    total = joint_log_likelihood(docs, engine.topic_words(), tiny.alpha, BETA)
    assert engine.log_likelihood() == pytest.approx(total - past)


def test_a_resumed_engine_equals_one_that_was_not_stopped() -> None:
    tiny = Updated()
    for knowledge in ([], LABELS):
        problem = tiny.problem(knowledge)
        one, other = new_engine(problem), new_engine(problem)
        for _ in range(5):
            one.sweep()
        for _ in range(2):
            other.sweep()
        again = new_engine(problem._replace(assignments=other.assignments, sweep_number=2))
        for _ in range(3):
            again.sweep()
        np.testing.assert_array_equal(one.assignments, again.assignments)
