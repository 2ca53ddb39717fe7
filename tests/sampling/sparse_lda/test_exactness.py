"""The sparse sampler draws from the posterior: frequencies against enumeration (every state, exact probability)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from topicwright._utils.count_rows import entry_at, row_bounds
from topicwright.knowledge.factors import register_factor, scale_topic

from ..enumeration import Tiny, p_value

TWO_DOCS = [[0, 1, 0], [1, 2]]
CASES = {
    "symmetric priors": Tiny(TWO_DOCS, 3, 0.5, 0.3),
    "one prior a topic": Tiny(TWO_DOCS, 3, [0.2, 1.0, 0.5], 0.3),
    "one prior a word": Tiny(TWO_DOCS, 3, 0.5, np.array([0.1, 0.5, 0.9])),
    "two topics, six tokens": Tiny([[0, 0, 1], [1, 2, 2]], 2, 0.3, 0.2),
    "an empty document": Tiny([[0, 1], [], [1, 2, 0]], 2, 0.7, 0.4),
    "weak priors": Tiny(TWO_DOCS, 3, 0.05, 0.02),
    "strong priors, so that draws are drawn again": Tiny([[0, 1, 0], [0, 0, 2]], 3, 2.0, np.array([4.0, 2.0, 3.0])),
}


@pytest.mark.parametrize("name", CASES)
def test_visits_follow_the_posterior(name: str) -> None:
    tiny = CASES[name]
    thin = 20 if name == "weak priors" else 5  # the chain moves slowly there
    assert p_value(tiny.visits(thin=thin), tiny.posterior()) > 0.001


def test_wrong_distribution_is_detected() -> None:
    visits = Tiny(TWO_DOCS, 3, 0.5, 0.3).visits()
    assert p_value(visits, Tiny(TWO_DOCS, 3, 0.55, 0.3).posterior()) < 1e-6
    assert p_value(visits, Tiny(TWO_DOCS, 3, 0.5, 0.33).posterior()) < 1e-6


def test_conditionals_of_the_oracle_agree_with_its_joint() -> None:
    tiny = CASES["one prior a topic"]
    np.testing.assert_allclose(tiny.stationary(lambda i, k, rest: 1.0), tiny.posterior(), rtol=1e-9)


class Preference(NamedTuple):
    """A fixed potential: some words prefer or avoid some topics."""

    words: Any
    topics: Any
    ratios: Any


def _scale_preferences(factor: Any, place: Any, counts: Any, multipliers: Any) -> None:
    for j in range(factor.words.shape[0]):
        if factor.words[j] == place.word:
            scale_topic(multipliers, factor.topics[j], factor.ratios[j])


class Attraction(NamedTuple):
    """A potential that moves with the counts: max(1, n_ku) for words u linked to the token's word (SC-LDA eq. 7)."""

    partner: Any  # of each word


def _scale_attraction(factor: Any, place: Any, counts: Any, multipliers: Any) -> None:
    u = factor.partner[place.word]
    if u == place.word:
        return
    first, end = row_bounds(counts.words, u)
    for j in range(first, end):
        topic, count = entry_at(counts.words, j)
        scale_topic(multipliers, topic, count)


class Listener(NamedTuple):
    """Leaves topics unchanged, and keeps counts from the moves it observes."""

    counts: Any


def _scale_nothing(factor: Any, place: Any, counts: Any, multipliers: Any) -> None:
    pass


def _count_moves(factor: Any, place: Any, topic: Any) -> None:
    factor.counts[place.word, place.topic] -= 1
    factor.counts[place.word, topic] += 1


register_factor(Preference, _scale_preferences)
register_factor(Attraction, _scale_attraction)
register_factor(Listener, _scale_nothing, _count_moves)

PREFERENCE = Preference(np.array([0, 0, 2], np.uint64), np.array([0, 1, 2], np.uint32), np.array([4.0, 0.0, 2.5]))
ATTRACTION = Attraction(np.array([1, 0, 2], np.uint64))


def preference(word: int, topic: int) -> float:
    ratios = {(0, 0): 4.0, (0, 1): 0.0, (2, 2): 2.5}
    return ratios.get((word, topic), 1.0)


def attraction(tiny: Tiny, i: int, k: int, rest: list[tuple[int, int, int]]) -> float:
    partner = {0: 1, 1: 0}.get(int(tiny.tokens[i]))
    return max(1.0, sum(1.0 for w, _, kk in rest if w == partner and kk == k))


def test_a_fixed_potential_multiplies_the_posterior() -> None:
    tiny = Tiny(TWO_DOCS, 3, 0.5, 0.3)
    with np.errstate(divide="ignore"):
        exact = tiny.posterior(
            lambda z: sum(np.log(preference(int(w), k)) for w, k in zip(tiny.tokens, z, strict=True))
        )
    assert p_value(tiny.visits((PREFERENCE,)), exact) > 0.001


def test_count_dependent_potential_follows_its_chain() -> None:
    tiny = Tiny([[0, 1, 0], [1, 2]], 3, 0.5, 0.3)
    exact = tiny.stationary(lambda i, k, rest: attraction(tiny, i, k, rest))
    assert p_value(tiny.visits((ATTRACTION,)), exact) > 0.001
    assert p_value(tiny.visits(), exact) < 1e-6


def test_factors_combine() -> None:
    tiny = Tiny([[0, 1, 0], [1, 2]], 3, 0.5, 0.3)
    heard = Listener(np.zeros((3, 3), np.int64))

    def both(i: int, k: int, rest: list[tuple[int, int, int]]) -> float:
        return attraction(tiny, i, k, rest) * preference(int(tiny.tokens[i]), k)

    assert p_value(tiny.visits((PREFERENCE, ATTRACTION, heard)), tiny.stationary(both)) > 0.001
    assert (heard.counts.sum(axis=1) == 0).all()
    assert np.abs(heard.counts).sum() > 0


def test_many_topics_are_drawn_by_blocks_in_the_same_proportions() -> None:
    """Beyond 512 topics, topics outside the document are found by blocks and rejection: two tokens, all pairs exact."""
    n_topics = 700
    alpha = np.linspace(0.01, 0.05, n_topics)
    tiny = Tiny([[0, 1]], n_topics, alpha, 0.5)
    same_topic = 1.0 / (1 + 3 * 0.5)  # relative weight of a second word in a topic that holds one token
    joint = np.outer(alpha, alpha) * (0.5 / 1.5) ** 2
    joint[np.diag_indices(n_topics)] = alpha * (alpha + 1) * (0.5 / 1.5) * 0.5 * same_topic
    joint /= joint.sum()
    seen = tiny.visits(n=400_000, thin=3).reshape(n_topics, n_topics)
    groups = np.arange(n_topics) // 50
    pool = np.zeros((n_topics, groups.max() + 1))
    pool[np.arange(n_topics), groups] = 1
    off = ~np.eye(n_topics, dtype=bool)
    observed = np.append((pool.T @ (seen * off) @ pool).ravel(), np.diag(seen) @ pool)
    expected = np.append((pool.T @ (joint * off) @ pool).ravel(), np.diag(joint) @ pool)
    assert p_value(observed, expected) > 0.001
