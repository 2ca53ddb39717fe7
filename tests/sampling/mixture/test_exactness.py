"""The mixture of one topic per document: visits to each state against enumeration, with every kind of knowledge.

A state has one topic for each document. The oracle is the stationary distribution of one scan over the documents, and
for fixed potentials it is the posterior.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import lgamma, log
from typing import Any

import numpy as np
import pytest

import topicwright as tw
from topicwright._sampling.engine import SamplingProblem
from topicwright._sampling.mixture.engine import MixtureEngine
from topicwright.knowledge import compile_knowledge

from .. import knowledge_kinds
from ..enumeration import Tiny, p_value, predicted_labels
from ..knowledge_kinds import MIXES, knowledge_of, potential, with_priors

A, B, C = 0, 1, 2
DOCS = [[A, B, A], [B, C], [C, C, A]]
N_TOPICS, N_WORDS = 3, 3
ALPHA = np.array([0.5, 0.8, 0.4])
BETA = 0.3
State = tuple[int, ...]
Counts = np.ndarray  # topics × words, without the document
ALL = set(range(N_TOPICS))


class Oracle:
    """The conditional of a document's topic, term by term from its definition."""

    def __init__(
        self,
        log_ratio: Callable[[int, int, Counts], float] = lambda d, k, counts: 0.0,  # log Π_i g_i(k), with the counts
        allowed: dict[int, set[int]] | None = None,  # topics of a document
        betas: Any = BETA,
        added: Callable[[int, int, State], float] = lambda d, k, z: 0.0,  # e_dk
        shares: dict[tuple[int, int], float] | None = None,  # of linked words
    ) -> None:
        self.log_ratio, self.allowed, self.added, self.shares = log_ratio, allowed or {}, added, shares or {}
        self.betas = np.broadcast_to(betas, (N_TOPICS, N_WORDS))
        self.states = list(product(range(N_TOPICS), repeat=len(DOCS)))

    def counts(self, z: State, without: int | None = None) -> Counts:
        counts = np.zeros((N_TOPICS, N_WORDS))
        for d, words in enumerate(DOCS):
            for w in words if d != without else ():
                counts[z[d], w] += 1
        return counts

    def linked(self, z: State) -> Counts:
        """Pseudo-counts of linked words at the start of a scan; topics below a twentieth of the sum are left out."""
        counts, extra = self.counts(z), np.zeros((N_TOPICS, N_WORDS))
        for (word, source), share in self.shares.items():
            extra[:, word] += share * counts[:, source]
        extra[extra < 0.05 * extra.sum(axis=0)] = 0.0
        return extra

    def conditional(self, z: State, d: int, extra: Counts) -> np.ndarray:
        counts, n = self.counts(z, without=d), len(DOCS[d])
        logs = np.full(N_TOPICS, -np.inf)
        for k in self.allowed.get(d, ALL):
            others = sum(z[e] == k for e in range(len(DOCS)) if e != d)
            total = counts[k].sum() + self.betas[k].sum()
            logs[k] = log(others + ALPHA[k]) + log(1 + self.added(d, k, z)) + self.log_ratio(d, k, counts)
            logs[k] += lgamma(total) - lgamma(total + n)
            for w in set(DOCS[d]):
                own = counts[k, w] + self.betas[k, w] + extra[k, w]
                logs[k] += lgamma(own + DOCS[d].count(w)) - lgamma(own)
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum())

    def stationary(self) -> np.ndarray:
        index = {z: n for n, z in enumerate(self.states)}
        scan = np.zeros((len(self.states), len(self.states)))
        for start in self.states:
            paths, extra = {start: 1.0}, self.linked(start)
            for d in range(len(DOCS)):
                longer: dict[State, float] = {}
                for z, probability in paths.items():
                    for k, p in enumerate(self.conditional(z, d, extra)):
                        moved = (*z[:d], k, *z[d + 1 :])
                        longer[moved] = longer.get(moved, 0.0) + probability * p
                paths = longer
            for z, probability in paths.items():
                scan[index[start], index[z]] = probability
        distribution = np.full(len(scan), 1 / len(scan))
        for _ in range(2000):
            distribution = distribution @ scan
        return distribution

    def posterior(self) -> np.ndarray:
        """p(z | w), where the potential depends on no count."""
        logs = np.full(len(self.states), -np.inf)
        for n, z in enumerate(self.states):
            if all(k in self.allowed.get(d, ALL) for d, k in enumerate(z)):
                in_topic = np.bincount(z, minlength=N_TOPICS)
                logs[n] = sum(lgamma(m + a) - lgamma(a) for m, a in zip(in_topic, ALPHA))
                for own, prior in zip(self.counts(z), self.betas):
                    logs[n] += lgamma(prior.sum()) - lgamma(own.sum() + prior.sum())
                    logs[n] += sum(lgamma(c + b) - lgamma(b) for c, b in zip(own, prior))
                for d, k in enumerate(z):
                    logs[n] += self.log_ratio(d, k, np.zeros((N_TOPICS, N_WORDS))) + log(1 + self.added(d, k, z))
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum())


def corpus(docs: list[list[int]]) -> tw.Corpus:
    offsets = np.concatenate([[0], np.cumsum([len(doc) for doc in docs])])
    return tw.Corpus(np.concatenate(docs).astype(np.int32), offsets, ["a", "b", "c"])


def visits(knowledge: list[Any], n: int = 12_000, docs: list[list[int]] = DOCS) -> np.ndarray:
    texts = corpus(docs)
    problem = SamplingProblem(
        texts.tokens, texts.offsets, N_WORDS, N_TOPICS, ALPHA, BETA, 5, compile_knowledge(knowledge, texts, N_TOPICS)
    )
    engine = MixtureEngine(problem._replace(is_mixture=True))
    seen = np.zeros(N_TOPICS ** len(docs), np.int64)
    for sweep in range(3 * n):
        engine.sweep()
        if sweep % 3 == 2:
            topics = engine._assignments[texts.offsets[:-1]].astype(np.int64)
            seen[topics @ N_TOPICS ** np.arange(len(docs))[::-1]] += 1
    return seen


def seed_ratio(seeds: dict[int, set[int]], weight: float) -> Any:
    return lambda d, k, counts: sum(log(1 + weight * (w in seeds.get(k, ()))) for w in DOCS[d])


def seed_prior(seeds: dict[int, set[int]], weight: float) -> Any:
    return lambda d, k, z: weight * sum(w in seeds.get(k, ()) for w in DOCS[d])


def pull(topics: dict[int, int], weight: float) -> Any:
    return lambda d, k, counts: len(DOCS[d]) * log(weight) if topics.get(d) == k else 0.0


def kept_apart(one: int, other: int) -> Any:
    """log Π_i 1 / max(1, n) over the tokens of two words with a cannot-link."""
    partner = {one: other, other: one}
    return lambda d, k, counts: -sum(log(max(1.0, counts[k, partner[w]])) for w in DOCS[d] if w in partner)


def known(topics: dict[int, dict[int, float]]) -> np.ndarray:
    betas = np.full((N_TOPICS, N_WORDS), BETA)
    for k, words in topics.items():
        for w, count in words.items():
            betas[k, w] += count
    return betas


SEEDS = {0: {A}, 2: {B}}
SOFT = tw.SeedWords({0: ["a"], 2: ["b"]}, weight=1.5)
PREDICTED = predicted_labels(DOCS, [{0, 2}, None, {1}], N_TOPICS, N_WORDS)
FIXED = {
    "none": ([], Oracle()),
    "soft seeds": ([SOFT], Oracle(seed_ratio(SEEDS, 1.5), added=seed_prior(SEEDS, 1.5))),
    "hard seeds": ([tw.SeedWords({1: ["b"]}, hard=True)], Oracle(allowed={0: {1}, 1: {1}})),
    "labels": (
        [tw.DocumentLabels([[0, 2], None, [1]], pull=30)],
        Oracle(allowed={0: {0, 2}, 2: {1}}, added=lambda d, k, z: 30 * float(PREDICTED[d, k])),
    ),
    "sets that exclude each other": (  # the topics that most tokens may have
        [tw.SeedWords({0: ["a"], 1: ["b"], 2: ["b"]}, hard=True)],
        Oracle(allowed={0: {0}, 1: {1, 2}, 2: {0}}),
    ),
    "document topics": ([tw.DocumentTopics({0: 2}, weight=1.7)], Oracle(pull({0: 2}, 1.7))),
    "known topics": ([tw.KnownTopics({0: {"a": 2, "c": 1}}, 1.0)], Oracle(betas=known({0: {A: 2, C: 1}}))),
    "several": (
        [
            SOFT,
            tw.DocumentTopics({0: 2}, weight=1.7),
            tw.ForbiddenWords({1: ["c"]}),
            tw.KnownTopics({0: {"a": 2}}, 1.0),
        ],
        Oracle(
            lambda d, k, counts: seed_ratio(SEEDS, 1.5)(d, k, counts) + pull({0: 2}, 1.7)(d, k, counts),
            {1: {0, 2}, 2: {0, 2}},
            known({0: {A: 2}}),
            seed_prior(SEEDS, 1.5),
        ),
    ),
}


@pytest.mark.parametrize("name", FIXED)
@pytest.mark.draws
def test_visits_follow_the_posterior(name: str) -> None:
    knowledge, oracle = FIXED[name]
    exact = oracle.posterior()
    np.testing.assert_allclose(oracle.stationary(), exact, atol=1e-9)
    assert p_value(visits(knowledge), exact) > 1e-3


def pair_posterior(names: tuple[str, ...]) -> np.ndarray:
    """p(z | w) term by term. What a kind adds to the prior of a document multiplies that of the topic by 1 + e."""
    pair, weights = with_priors(Tiny(knowledge_kinds.DOCS, N_TOPICS, 0.0, BETA), names), []
    for z in product(range(N_TOPICS), repeat=2):
        own, total = np.zeros((N_TOPICS, N_WORDS)), log(max(1e-300, potential(pair, names, tuple(np.repeat(z, 3)))))
        for d, k in enumerate(z):
            np.add.at(own[k], pair.docs[d], 1)
            total += log(1 + pair.alphas[d, k])
        total += sum(lgamma(z.count(k) + ALPHA[k]) - lgamma(ALPHA[k]) for k in range(N_TOPICS))
        for counts, prior in zip(own, pair.betas):
            total += lgamma(prior.sum()) - lgamma(prior.sum() + counts.sum())
            total += sum(lgamma(n + b) - lgamma(b) for n, b in zip(counts, prior))
        weights.append(np.exp(total))
    return np.array(weights) / sum(weights)


@pytest.mark.parametrize("names", MIXES, ids=" + ".join)
@pytest.mark.draws
def test_visits_with_every_pair_of_kinds(names: tuple[str, ...]) -> None:
    """A topic of which a token excludes the document has a probability below 1e-200."""
    seen = visits(knowledge_of(names), 2_500, knowledge_kinds.DOCS)
    exact = pair_posterior(names)
    assert seen[exact < 1e-200].sum() == 0
    assert p_value(seen, exact) > 1e-3


# One link of words shares 1/3 of the rarer word's tokens. The words a, b, c have 3, 2, 3 tokens.
def linked_documents(d: int, k: int, z: State) -> float:
    """Shares of the counts of a linked document: a third of the target's tokens, in the source's proportions."""
    partner = {0: 2, 2: 0}.get(d)
    if partner is None or z[partner] != k:
        return 0.0
    return len(DOCS[d]) / len(DOCS[partner]) / 3 * len(DOCS[partner])


MOVING = {
    "cannot-links": ([tw.CannotLinks([("a", "c")])], Oracle(kept_apart(A, C))),
    "must-links": (
        [tw.MustLinks([("a", "b")], firmness=0.25)],
        Oracle(shares={(A, B): 3 / 2 / 3, (B, A): 2 / 3 / 3}),
    ),
    "document links": ([tw.DocumentLinks([(0, 2)], firmness=0.25)], Oracle(added=linked_documents)),
    "links and seeds": (
        [tw.CannotLinks([("a", "c")]), SOFT, tw.MustLinks([("a", "b")], firmness=0.25)],
        Oracle(
            lambda d, k, counts: seed_ratio(SEEDS, 1.5)(d, k, counts) + kept_apart(A, C)(d, k, counts),
            added=seed_prior(SEEDS, 1.5),
            shares={(A, B): 3 / 2 / 3, (B, A): 2 / 3 / 3},
        ),
    ),
}


@pytest.mark.parametrize("name", MOVING)
@pytest.mark.draws
def test_visits_follow_the_chain_of_links(name: str) -> None:
    knowledge, oracle = MOVING[name]
    assert p_value(visits(knowledge), oracle.stationary()) > 1e-3


@pytest.mark.draws
def test_wrong_distribution_is_detected() -> None:
    assert p_value(visits([SOFT]), Oracle().posterior()) < 1e-9
