"""The baselines of the benchmarks sample their own models: visits against every state of a tiny corpus, enumerated."""

from __future__ import annotations

from itertools import combinations
from math import lgamma
from operator import contains
from typing import Any

import numpy as np
import pytest
from tests.sampling.enumeration import Tiny, p_value

from benchmarks.baselines import DenseLabeledLDA, DirichletForestLDA, LogicLDA, MarkovFieldLDA

MODELS: dict[str, tuple[Any, dict[str, Any]]] = {
    "dense": (DenseLabeledLDA, {"doc_labels": [[], [0, 2]]}),
    "forest": (DirichletForestLDA, {"must_links": [[0, 1]], "eta": 5.0}),
    "field": (MarkovFieldLDA, {"must_links": [[0, 1]], "strength": 0.7}),
    "logic": (LogicLDA, {"must_links": [[0, 1]], "weight": 0.4}),
}
TINY = Tiny([[0, 1, 0], [1, 2]], 3, 0.5, 0.3)
FOUR_WORDS = Tiny([[0, 1, 2], [2, 0, 3]], 2, 0.6, 0.4, n_words=4)
CHAIN = [[0, 1], [1, 2]]  # 0 and 2 are linked by way of 1


def build(name: str, tiny: Tiny, seed: int = 0, **known: Any) -> Any:
    model, usual = MODELS[name]
    offsets = np.cumsum([0, *map(len, tiny.docs)])
    prior = {"alpha": float(tiny.alpha[0]), "beta": tiny.beta, "seed": seed}
    return model(tiny.tokens, offsets, tiny.n_words, tiny.n_topics, **prior, **(known or usual))


def visits(model: Any, n: int = 60_000, thin: int = 5) -> np.ndarray:
    """Number of visits of each state, counted every ``thin`` sweeps."""
    model.prepare()
    states = [sweep_and_see(model, thin) for _ in range(n)]
    return np.bincount(states, minlength=model.n_topics ** len(model.tokens))


def sweep_and_see(model: Any, n: int = 1) -> int:
    """The number of the state after n sweeps."""
    for _ in range(n):
        model.sweep()
    return sum(z * model.n_topics**i for i, z in enumerate(reversed(model.assignments.tolist())))


def labeled(tiny: Tiny, doc_labels: list[list[int]]) -> np.ndarray:
    """States outside the labels have no weight; inside, θ of fewer topics only changes constants."""
    allowed = [doc_labels[d] or range(tiny.n_topics) for d in tiny.doc_of]
    return tiny.posterior(lambda z: 0.0 if all(map(contains, allowed, z)) else -np.inf)


def forest(tiny: Tiny, trees: list[list[int]], eta: float) -> np.ndarray:
    """In each topic, one Dirichlet-multinomial at the root and one in each tree, in the place of LDA's."""
    loose = [w for w in range(tiny.n_words) if not any(w in tree for tree in trees)]
    weights = np.array([1.0] * len(loose) + [len(tree) for tree in trees]) * tiny.beta
    plain = np.full(tiny.n_words, tiny.beta)

    def in_place_of_lda(z: tuple[int, ...]) -> float:
        total = 0.0
        for k in range(tiny.n_topics):
            n = np.bincount(tiny.tokens[np.array(z) == k], minlength=tiny.n_words)
            total += urn([*n[loose], *(n[tree].sum() for tree in trees)], weights) - urn(n, plain)
            total += sum(urn(n[tree], np.full(len(tree), eta * tiny.beta)) for tree in trees)
        return total

    return tiny.posterior(in_place_of_lda)


def urn(counts: Any, prior: np.ndarray) -> float:
    rows = lgamma(prior.sum()) - lgamma(prior.sum() + sum(counts))
    return rows + sum(lgamma(n + a) - lgamma(a) for n, a in zip(counts, prior, strict=True))


def agreeing(tiny: Tiny, z: tuple[int, ...], links: list[list[int]], within: bool) -> np.ndarray:
    """Pairs of tokens with linked words, by document of the first: how many agree, and how many there are."""
    result = np.zeros((len(tiny.docs), 2))
    for i, j in combinations(range(len(z)), 2):
        linked = sorted((tiny.tokens[i], tiny.tokens[j])) in links
        if linked and (tiny.doc_of[i] == tiny.doc_of[j] or not within):
            result[tiny.doc_of[i]] += (z[i] == z[j], 1)
    return result


def with_pairs(tiny: Tiny, links: list[list[int]], strength: float, within: bool, per_edge: bool = False) -> np.ndarray:
    def potential(z: tuple[int, ...]) -> float:
        agree, pairs = agreeing(tiny, z, links, within).T
        return strength * float(np.sum(agree / np.maximum(pairs, 1) if per_edge else agree))

    return tiny.posterior(potential)


@pytest.mark.parametrize("doc_labels", [[[], []], [[], [0, 2]], [[1, 2], [0]]])
def test_dense_labels(doc_labels: list[list[int]]) -> None:
    assert p_value(visits(build("dense", TINY, doc_labels=doc_labels)), labeled(TINY, doc_labels)) > 0.001


def test_dense_draws_every_topic_in_proportion() -> None:
    """Forty topics are three blocks of lanes; one token has the prior's uniform distribution."""
    seen = visits(build("dense", Tiny([[0]], 40, 0.5, 0.3), doc_labels=[[]]), thin=1)
    assert p_value(seen, np.full(40, 1 / 40)) > 0.001


@pytest.mark.parametrize("eta", [1.0, 5.0, 100.0])
def test_forest_of_one_pair(eta: float) -> None:
    seen = visits(build("forest", TINY, must_links=[[0, 1]], eta=eta))
    assert p_value(seen, forest(TINY, [[0, 1]], eta)) > 0.001


def test_forest_links_words_transitively() -> None:
    seen = visits(build("forest", FOUR_WORDS, must_links=CHAIN, eta=20.0))
    assert p_value(seen, forest(FOUR_WORDS, [[0, 1, 2]], 20.0)) > 0.001
    assert p_value(seen, forest(FOUR_WORDS, [[0, 1]], 20.0)) < 1e-6


def test_forest_without_trees_equals_lda() -> None:
    seen = visits(build("forest", TINY, must_links=np.empty((0, 2)), eta=100.0))
    assert p_value(seen, TINY.posterior()) > 0.001


@pytest.mark.parametrize("per_edge", [False, True])
def test_field(per_edge: bool) -> None:
    seen = visits(build("field", TINY, must_links=CHAIN, strength=0.7, per_edge=per_edge))
    assert p_value(seen, with_pairs(TINY, CHAIN, 0.7, within=True, per_edge=per_edge)) > 0.001


def test_logic() -> None:
    seen = visits(build("logic", TINY, must_links=CHAIN, weight=0.4))
    assert p_value(seen, with_pairs(TINY, CHAIN, 0.4, within=False)) > 0.001
    assert p_value(seen, with_pairs(TINY, CHAIN, 0.4, within=True)) < 1e-6  # the field's pairs are fewer


def test_wrong_sampler_is_detected() -> None:
    seen = {name: visits(build(name, TINY)) for name in MODELS}
    other = Tiny(TINY.docs, 3, 0.56, 0.3)
    assert p_value(seen["dense"], labeled(other, [[], [0, 2]])) < 1e-6
    assert p_value(seen["forest"], forest(TINY, [[0, 1]], 2.5)) < 1e-6
    assert p_value(seen["field"], with_pairs(TINY, [[0, 1]], 0.85, within=True)) < 1e-6
    assert p_value(seen["logic"], with_pairs(TINY, [[0, 1]], 0.5, within=False)) < 1e-6


@pytest.mark.parametrize("name", MODELS)
def test_counts_are_those_of_the_assignments(name: str) -> None:
    model = build(name, TINY)
    sweep_and_see(model, 50)
    again = np.zeros_like(model._word_topic)
    np.add.at(again, (model.tokens, model.assignments), 1)
    np.testing.assert_array_equal(model._word_topic, again)
    assert model.log_likelihood() == pytest.approx(TINY.log_joint(tuple(model.assignments.tolist())) / 5)
    np.testing.assert_allclose(model.topic_word().sum(axis=1), 1.0)


def test_topics_of_a_forest_share_the_weight_of_a_tree() -> None:
    model = build("forest", TINY, must_links=[[0, 1]], eta=5.0)
    n = np.array([np.bincount(model.tokens[model.assignments == k], minlength=3) for k in range(3)])
    own = n[:, :2].sum(axis=1, keepdims=True)
    pair = (own + 0.6) / (n.sum(axis=1, keepdims=True) + 0.9) * (n[:, :2] + 1.5) / (own + 3.0)
    np.testing.assert_allclose(model.topic_word()[:, :2], pair)


@pytest.mark.parametrize("name", MODELS)
def test_same_seed_same_result(name: str) -> None:
    def ends(seed: int) -> list[int]:
        model = build(name, TINY, seed)
        return [sweep_and_see(model) for _ in range(20)]

    assert ends(1) == ends(1) != ends(2)


@pytest.mark.parametrize(("name", "strength"), [("field", "strength"), ("logic", "weight")])
def test_strong_links_do_not_overflow(name: str, strength: str) -> None:
    model = build(name, TINY, must_links=[[0, 1]], **{strength: 1e6})
    sweep_and_see(model, 20)
    assert len(set(model.assignments[:3].tolist())) == 1  # words 0, 1, 0 of the first document


@pytest.mark.parametrize(
    ("name", "known", "message"),
    [
        ("dense", {"doc_labels": [[]]}, "one entry a document: got 1"),
        ("dense", {"doc_labels": [[], [3]]}, "topics below 3: got 3 to 3"),
        ("forest", {"must_links": [[0, 1]], "eta": 0.5}, "eta must be at least 1"),
        ("logic", {"must_links": [[1, 1]]}, "two different word ids"),
        ("field", {"must_links": [[0, 3]]}, "below 3"),
    ],
)
def test_rejects_invalid_knowledge(name: str, known: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build(name, TINY, **known)
