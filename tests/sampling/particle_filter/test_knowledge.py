"""Links of words in the stream: every state of tiny streams by enumeration, and longer ones beside a plain filter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from topicwright._sampling.particle_filter import StreamEngine
from topicwright._sampling.particle_filter.ancestry import new_ancestry
from topicwright._sampling.particle_filter.word_links import CANNOT_LINK, MUST_LINK, SHARE_COUNTS

from ...assertions import raises_input
from ..enumeration import p_value
from .linked_corpora import Link, LinkedFilter, LinkedStream, as_list
from .test_engine import PLAIN, assert_same_state, counts_of
from .test_exactness import RUNS, furthest
from .test_oracle import batch, random_docs

SEEDS = {(0, 1): 2.0, (2, 0): 1.5}
LINKS: dict[str, tuple[list[Link], dict[tuple[int, int], float]]] = {
    "must": ([Link(0, 1, MUST_LINK, 0.3)], {}),
    "must, only counts above one": ([Link(0, 1, MUST_LINK, 1.0)], {}),
    "cannot": ([Link(1, 0, CANNOT_LINK, 0.4)], {}),
    "cannot, half firm": ([Link(0, 1, CANNOT_LINK, 0.3, 0.7)], {}),
    "loans": ([Link(0, 1, SHARE_COUNTS, 2.0), Link(1, 2, SHARE_COUNTS, 0.5)], {}),
    "a group": ([Link(0, 1, MUST_LINK, 0.6), Link(1, 2, MUST_LINK, 0.6), Link(0, 2, MUST_LINK, 0.6)], {}),
    "all kinds": ([Link(0, 1, MUST_LINK, 0.5), Link(1, 2, CANNOT_LINK, 0.4), Link(0, 2, SHARE_COUNTS, 1.0)], {}),
    "must, and seeds": ([Link(0, 1, MUST_LINK, 1.2)], SEEDS),
    "cannot and loans, and seeds": ([Link(0, 1, CANNOT_LINK, 0.5, 0.9), Link(1, 2, SHARE_COUNTS, 1.0)], SEEDS),
}
FEW = ["must", "cannot, half firm", "all kinds", "cannot and loans, and seeds"]


def wrong_ones(name: str) -> list[LinkedStream]:
    """Wrong oracles that the tests must reject: without links, and with a count off by one."""
    links, seeds = LINKS[name]
    return [LinkedStream([], seeds), LinkedStream(links, seeds, more=1)]


# ---------------------------------------------------------------------- tokens as they arrive


@pytest.mark.parametrize("name", LINKS)
def test_independent_particles_follow_the_sequential_distribution(name: str) -> None:
    """Each of them draws token by token, with no weight and no resampling."""
    tiny = LinkedStream(*LINKS[name])
    seen = tiny.seen(tiny.drawn(seed=1))
    np.testing.assert_allclose(tiny.sequential().sum(), 1)
    assert p_value(seen, tiny.sequential()) > 0.001
    for wrong in wrong_ones(name):
        assert p_value(seen, wrong.sequential()) < 1e-6


@pytest.mark.draws
@RUNS
def test_one_particle_at_a_time(n_runs: int) -> None:
    tiny = LinkedStream(*LINKS["all kinds"])
    seen = sum(tiny.seen(tiny.drawn(seed, n_particles=1)) for seed in range(n_runs))
    assert p_value(np.asarray(seen), tiny.sequential()) > 0.001
    assert p_value(np.asarray(seen), LinkedStream([]).sequential()) < 1e-6


@pytest.mark.parametrize("name", FEW)
@pytest.mark.parametrize("weighting", ["marginal", "drawn"])
@pytest.mark.parametrize("threshold", [0, 3999])
def test_many_particles_follow_the_filtering_distribution(name: str, weighting: Any, threshold: float) -> None:
    """Weighed alone, and resampled after every token but where weights are equal."""
    tiny = LinkedStream(*LINKS[name])
    estimates = []
    for seed in range(40):
        parameters = {"threshold": threshold, "weighting": weighting, "rejuvenate_at_resampling": 0}
        engine = tiny.engine(4000, seed=seed, **parameters)
        engine.add(*batch(tiny.docs))
        assert engine.n_resamplings >= (4 if threshold else 0)
        estimates.append(tiny.frequencies(engine))
    targets = [tiny.posterior(), tiny.by_drawn_weights()]
    target, other = targets if weighting == "marginal" else targets[::-1]
    assert furthest(np.array(estimates), target) < 4.5
    for wrong in (other, tiny.sequential(), wrong_ones(name)[0].posterior()):
        assert furthest(np.array(estimates), wrong) > 10


@pytest.mark.draws
@pytest.mark.parametrize("name", FEW)
def test_few_particles_are_unbiased(name: str) -> None:
    """p̂(w) · Σ ω [z = state] has the mean p(w, z); so the probability that is reported is one of words."""
    tiny = LinkedStream(*LINKS[name])
    estimates = []
    for seed in range(4000):
        engine = tiny.engine(4, seed=seed, threshold=3.9, rejuvenate_at_resampling=0)
        log_p = engine.add(*batch(tiny.docs))
        estimates.append(np.exp(log_p.sum()) * tiny.frequencies(engine))
    assert furthest(np.array(estimates), tiny.joint()) < 4.5
    assert furthest(np.array(estimates), wrong_ones(name)[0].joint()) > 10


def test_predictive_probability_of_the_next_word() -> None:
    """Given the labels so far links do not matter: over all words that may come next, the sum is 1."""
    tiny = LinkedStream(*LINKS["all kinds"])
    total = 0.0
    for w in range(3):
        engine = tiny.drawn(seed=8, n_particles=1)
        total += np.exp(engine.add([w], [0, 1], [0, 1, 2], [0, 3])[0])
    assert total == pytest.approx(1)


# ---------------------------------------------------------------------- rejuvenation


@pytest.mark.parametrize("name", LINKS)
def test_tokens_in_turn_follow_the_chain(name: str) -> None:
    """After two rounds, and after many rounds, when the start is forgotten; each lane is a chain of its own."""
    tiny = LinkedStream(*LINKS[name])
    scan = np.linalg.multi_dot([tiny.redraw(i) for i in tiny.free])
    engine = tiny.drawn(seed=2)
    engine.rejuvenate(2 * len(tiny.free))
    assert p_value(tiny.seen(engine), tiny.sequential() @ scan @ scan) > 0.001
    engine.rejuvenate(60 * len(tiny.free))
    stationary = np.linalg.matrix_power(scan, 500)[0]
    seen = tiny.seen(engine)
    assert p_value(seen, stationary) > 0.001
    for wrong in wrong_ones(name):
        other = np.linalg.multi_dot([wrong.redraw(i) for i in wrong.free])
        assert p_value(seen, np.linalg.matrix_power(other, 500)[0]) < 1e-6


def test_tokens_at_random_follow_the_chain() -> None:
    tiny = LinkedStream(*LINKS["all kinds"])
    step = np.mean([tiny.redraw(i) for i in tiny.free], axis=0)
    engine = tiny.drawn(seed=3, n_particles=1)  # all lanes would draw the same tokens
    seen = np.zeros(len(tiny.states), np.int64)
    for _ in range(8000):
        engine.rejuvenate(6 * len(tiny.free), "random")
        seen += tiny.seen(engine)
    assert p_value(seen, np.linalg.matrix_power(step, 5000)[0]) > 0.001
    assert p_value(seen, tiny.posterior()) < 1e-6


# ---------------------------------------------------------------------- beside a plain filter


SOME = [
    Link(0, 1, MUST_LINK, 0.7),
    Link(1, 2, MUST_LINK, 2.0),
    Link(3, 4, CANNOT_LINK, 1.0),
    Link(5, 6, CANNOT_LINK, 0.5, 0.8),
]
SOME += [Link(7, 8, SHARE_COUNTS, 0.5), Link(8, 9, SHARE_COUNTS, 2.0), Link(9, 0, CANNOT_LINK, 1.0)]


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"weighting": "drawn", "rejuvenate_per_label": 0.0},
        {"threshold": 4.9, "reservoir_tokens": 40, "rejuvenate_per_label": 2.3},
        {"decay": 0.9, "rejuvenate_per_label": 1.0},
        {"decay": 0.3, "threshold": 4.9},
    ],
    ids=str,
)
@pytest.mark.parametrize("horizon", [None, 4])
def test_lazy_rows_of_partners_equal_copies_of_everything(parameters: dict[str, Any], horizon: int | None) -> None:
    docs = random_docs(60, 20, 7, seed=1)
    given = {**PLAIN, **parameters}
    plain, engine = LinkedFilter(5, SOME, **given), StreamEngine(5, links=as_list(SOME), **given)
    if horizon is not None:
        engine.particles = engine.particles._replace(ancestry=new_ancestry(5, n_epochs=6, horizon=horizon))
    np.testing.assert_allclose(engine.add(*batch(docs)), plain.add(docs), rtol=1e-9)
    assert engine.n_resamplings == plain.n_resamplings > 20
    for p in range(5):
        found, kept = counts_of(engine, p), {pair: n / plain.increment for pair, n in plain.pairs[p].items()}
        for pair in found.keys() | kept.keys():
            assert found.get(pair, 0.0) == pytest.approx(kept.get(pair, 0.0), rel=1e-9, abs=1e-9)
    sizes = plain.sizes[np.flatnonzero(plain.sizes)] / plain.increment
    np.testing.assert_allclose(engine.state()["sizes"] / engine.particles.numbers[0], sizes, rtol=1e-9)


# ---------------------------------------------------------------------- the engine


@pytest.mark.parametrize("decay", [1.0, 0.9])
def test_a_linked_stream_in_parts_and_from_a_checkpoint(decay: float) -> None:
    docs = random_docs(80, 40, 9, seed=2)
    given: dict[str, Any] = {"seed": 5, "decay": decay, "rejuvenate_per_label": 1.0, "links": as_list(SOME)}
    whole, half = StreamEngine(6, **given), StreamEngine(6, **given)
    log_p = whole.add(*batch(docs))
    first = half.add(*batch(docs[:33]))
    rest = StreamEngine.from_state(half.state(), **given)
    np.testing.assert_array_equal(np.append(first, rest.add(*batch(docs[33:]))), log_p)
    assert_same_state(rest.state(), whole.state())


def test_links_may_be_added_when_words_appear() -> None:
    """A link has no effect before its partner occurs."""
    early = [([w % 5 for w in words], labels) for words, labels in random_docs(30, 20, 5, seed=3)]
    late = [([5 + w % 5 for w in words], labels) for words, labels in random_docs(30, 20, 5, seed=4)]
    links = [Link(a, b, kind, 0.5) for a, b, kind in ((0, 6, MUST_LINK), (1, 7, CANNOT_LINK), (2, 8, SHARE_COUNTS))]
    whole, later = StreamEngine(4, links=as_list(links)), StreamEngine(4, links=as_list([]))
    later.add(*batch(early))
    later.set_links(as_list(links))
    later.add(*batch(late))
    whole.add(*batch(early))
    assert_same_state(StreamEngine.from_state(whole.state()).state() | {"sizes": whole.state()["sizes"]}, whole.state())
    whole.add(*batch(late))
    assert_same_state(later.state(), whole.state())


def test_products_of_many_counts_stay_finite() -> None:
    """Two hundred partners, each of which pulls or pushes ten thousand times."""
    for kind in (MUST_LINK, CANNOT_LINK):
        engine = StreamEngine(3, links=as_list([Link(0, u, kind, 1e-4) for u in range(1, 201)]))
        engine.add(*batch([(list(range(1, 201)), [1])] * 3))
        engine.add(*batch([([0] * 50, [0, 1])] * 20))
        counts = engine.counts().toarray()
        assert counts[:, 0].tolist() == ([0, 1000] if kind == MUST_LINK else [1000, 0])


def test_links_are_given_when_the_engine_is_created() -> None:
    engine = StreamEngine(2)
    with raises_input("links"):
        engine.set_links(as_list(SOME))
    with raises_input(match="no word frequencies"):
        StreamEngine.from_state(engine.state(), links=as_list(SOME))
