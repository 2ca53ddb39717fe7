"""The supervised sampler draws from LDA's joint times the loss: frequencies against enumeration, auxiliaries fixed."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

import topicwright as tw
from topicwright._sampling.engine import SamplingProblem, Supervision
from topicwright._sampling.medlda.dense import sweep_medlda
from topicwright._sampling.medlda.engine import PROPOSALS, MedLDAEngine
from topicwright._sampling.medlda.metropolis import new_table, plan_proposals
from topicwright._sampling.medlda.state import new_scratch
from topicwright._sampling.random import streams
from topicwright._utils.numba import without_cache
from topicwright.knowledge import CompiledKnowledge, TopicNumbers, compile_knowledge
from topicwright.knowledge.factors import no_multipliers
from topicwright.losses import EpsilonInsensitive, Hinge, Logistic, SquaredLoss

from ..enumeration import Tiny, p_value

DOCS = [[0, 1, 0], [1, 2]]
sweep = without_cache(sweep_medlda)


class Setting:
    """Weights, and a loss with its auxiliary variables fixed: A and Q of each document and task."""

    def __init__(self, n_tasks: int, seed: int = 0, scale: float = 1.0, docs: list[list[int]] = DOCS) -> None:
        rng = np.random.default_rng(seed)
        self.eta = scale * rng.normal(size=(n_tasks, 3))
        self.A = rng.normal(size=(len(docs), n_tasks))
        self.Q = rng.gamma(2.0, 0.3, size=(len(docs), n_tasks))
        self.center = rng.normal(size=(len(docs), n_tasks))

    def log_potential(self, tiny: Tiny) -> Any:
        def log_potential(z: tuple[int, ...]) -> float:
            total = 0.0
            for d in range(len(tiny.docs)):
                counts = np.array([sum(1 for k, e in zip(z, tiny.doc_of) if e == d and k == t) for t in range(3)])
                m = self.eta @ counts
                total += float(self.A[d] @ m - self.Q[d] @ m**2 / 2)
            return total

        return log_potential

    def ratio(self, tiny: Tiny) -> Any:
        """What the loss multiplies the conditional of token i with."""

        def ratio(i: int, k: int, rest: list[tuple[int, int, int]]) -> float:
            d = int(tiny.doc_of[i])
            counts = np.array([sum(1 for _, e, kk in rest if e == d and kk == t) for t in range(3)])
            m, own = self.eta @ counts, self.eta[:, k]
            return float(np.exp(np.sum(self.A[d] * own - self.Q[d] * (own**2 / 2 + m * own))))

        return ratio


def visits(
    tiny: Tiny,
    setting: Setting,
    steps: int,
    knowledge: Any = (),
    proposals: str = "mixture",
    n: int = 60_000,
    thin: int | None = None,
) -> Any:
    """Number of visits of each state, counted every few sweeps."""
    corpus = tiny.corpus()
    problem = SamplingProblem(
        corpus.tokens,
        corpus.offsets,
        3,
        3,
        tiny.alpha,
        tiny.beta,
        seed=0,
        knowledge=compile_knowledge(knowledge, corpus, 3),
        assignments=np.zeros(len(tiny.tokens), np.uint32),
        sweep_number=1,
        supervision=Supervision(np.full(setting.A.shape, np.nan), Hinge(), eta=setting.eta),
    )
    engine = MedLDAEngine(problem, n_warmup_sweeps=0)
    terms, n_tasks = engine._terms, len(setting.eta)
    terms.gradient[:, :n_tasks] = setting.A - setting.Q * (engine.doc_topics() @ setting.eta.T)
    terms.center_gradient[:, :n_tasks] = setting.A - setting.Q * setting.center
    terms.quadratic[:, :n_tasks] = setting.Q
    np.add(engine.sizes, engine.beta_sum, out=engine._state.total)
    known, state = engine._knowledge, engine._state
    plan = np.zeros((len(tiny.tokens), steps), np.uint8)
    planning = (state.offsets, terms, new_table(3), PROPOSALS[proposals], np.uint64(0), np.uint64(len(tiny.docs)), plan)
    arguments = (
        state,
        None,
        state.offsets,
        np.uint64(0),
        np.uint64(len(tiny.docs)),
        engine._sweep_beta(),
        terms,
        known.factors,
        engine._counts,
        no_multipliers(3),
        known.allowed_topics,
        known.document_pseudo_counts,
        new_scratch(tiny.alpha, terms.eta.shape[1], steps, known.document_pseudo_counts is not None),
        plan,
    )
    seen = np.zeros(3 ** len(tiny.tokens), np.int64)
    random, thin = streams(1, 1)[0], thin or (4 if steps else 2)
    if known.shared_word_counts is None:
        tally(n, thin, planning, arguments, random, state.assignments, seen)
    else:  # β changes with every sweep
        for _ in range(n // 6):
            for _ in range(thin):
                plan_proposals(*planning, random)
                sweep_medlda(*arguments[:5], engine._sweep_beta(), *arguments[6:], random)
            seen[np.ravel_multi_index(engine._state.assignments.astype(int), (3,) * len(tiny.tokens))] += 1
    return seen


@numba.njit
def tally(n: int, thin: int, planning: Any, arguments: Any, random: Any, z: Any, seen: Any) -> None:
    for _ in range(n):
        for _ in range(thin):
            plan_proposals(*planning, random)
            sweep(*arguments, random)
        number = 0
        for i in range(z.shape[0]):
            number = number * 3 + z[i]
        seen[number] += 1


def tiny() -> Tiny:
    return Tiny(DOCS, 3, [0.4, 0.9, 0.6], 0.3)


@pytest.mark.parametrize("n_tasks", [1, 5])
@pytest.mark.parametrize("steps", [0, 3])
def test_visits_follow_the_posterior(n_tasks: int, steps: int) -> None:
    setting = Setting(n_tasks, scale=1.0 if n_tasks == 1 else 0.5)
    seen = visits(tiny(), setting, steps)
    assert p_value(seen, tiny().posterior(setting.log_potential(tiny()))) > 0.001
    assert p_value(seen, tiny().posterior()) < 1e-6


@pytest.mark.parametrize(("proposals", "steps"), [("cycle", 3), ("doc", 3), ("word", 3), ("exp", 120)])
def test_other_proposals_are_exact_too(proposals: str, steps: int) -> None:
    """Those of the loss alone take many steps to forget where they came from."""
    setting = Setting(1, seed=3)
    seen = visits(tiny(), setting, steps, proposals=proposals)
    assert p_value(seen, tiny().posterior(setting.log_potential(tiny()))) > 0.001


@pytest.mark.draws
@pytest.mark.parametrize("steps", [0, 4])
@pytest.mark.parametrize("knowledge", [(), (tw.ForbiddenWords({1: ["b"]}),)], ids=["nothing", "forbidden words"])
def test_several_cells_draw_from_the_same_posterior(steps: int, knowledge: Any) -> None:
    """Two blocks of documents and of words. Only topic sizes are old, and with a large β they hardly matter."""
    docs = [[0, 1, 0], [1, 2, 2]]
    corpus, setting = Tiny(docs, 3, [0.4, 0.9, 0.6], 200.0), Setting(2, seed=5, docs=docs)
    texts = corpus.corpus()
    supervision = Supervision(np.full((2, 2), np.nan), Hinge(), eta=setting.eta, mh_steps=max(1, steps))
    problem = SamplingProblem(
        texts.tokens,
        texts.offsets,
        3,
        3,
        corpus.alpha,
        corpus.beta,
        seed=0,
        knowledge=compile_knowledge(knowledge, texts, 3),
        assignments=np.zeros(6, np.uint32),
        sweep_number=1,
        supervision=supervision._replace(sampler="compositional" if steps else "dense"),
    )
    engine = MedLDAEngine(problem, n_warmup_sweeps=0, n_blocks=2)
    assert engine._grid is not None
    assert len(engine._grid.cells) == 2
    engine._terms.center_gradient[:, :2] = setting.A - setting.Q * setting.center
    engine._terms.quadratic[:, :2] = setting.Q
    seen = np.zeros(3**6, np.int64)
    for _ in range(8000):
        for _ in range(3):
            engine._gradient = (setting.A - setting.Q * (engine.doc_topics() @ setting.eta.T)).T
            engine._prepare_documents()
            engine._draw_topics()
            engine.sweep_number += 1
        seen[np.ravel_multi_index(engine.assignments.astype(int), (3,) * 6)] += 1
    of_loss = setting.log_potential(corpus)

    def log_potential(z: tuple[int, ...]) -> float:
        is_forbidden = bool(knowledge) and any(w == 1 and k == 1 for w, k in zip(corpus.tokens, z))
        return -np.inf if is_forbidden else float(of_loss(z))

    assert p_value(seen, corpus.posterior(log_potential)) > 0.001
    assert p_value(seen, corpus.posterior()) < 1e-6


def test_one_prior_a_word() -> None:
    setting, prior = Setting(2, seed=4), np.array([0.1, 0.5, 0.9])
    corpus = Tiny(DOCS, 3, 0.5, prior)
    assert p_value(visits(corpus, setting, 4), corpus.posterior(setting.log_potential(corpus))) > 0.001


def test_wrong_distribution_is_detected() -> None:
    setting = Setting(1, seed=3)
    exact = tiny().posterior(setting.log_potential(tiny()))
    wrong = Setting(1, seed=3)
    wrong.Q = 1.3 * wrong.Q
    assert p_value(visits(tiny(), wrong, 3), exact) < 1e-6


def allowed(corpus: Tiny, topics: dict[int, set[int]]) -> Any:
    return lambda i, k, rest: float(k in topics.get(int(corpus.doc_of[i]), {0, 1, 2}))


@pytest.mark.parametrize("steps", [0, 4])
def test_labels_links_and_seeds_with_a_loss(steps: int) -> None:
    """Four in one: labels limit, a cannot-link holds back, soft seeds pull, and a soft must-link adds to the prior."""
    setting, corpus = Setting(2, seed=5), tiny()
    seeded = corpus.with_seeds({1: [1]}, 0.5)
    knowledge = [
        tw.DocumentLabels([["x", "y"], None]),
        tw.SeedWords({"y": ["b"]}, weight=0.5),
        tw.MustLinks([("a", "b")], firmness=0.5),
        tw.CannotLinks([("b", "c")], 0.7),
    ]
    label, loss = allowed(corpus, {0: {0, 1}}), setting.ratio(corpus)

    def ratio(i: int, k: int, rest: list[tuple[int, int, int]]) -> float:
        w = int(corpus.tokens[i])
        count = {u: sum(1 for ww, _, kk in rest if ww == u and kk == k) for u in range(3)}
        apart = 0.7 / max(0.7, count[3 - w]) if w > 0 else 1.0
        return float(label(i, k, rest) * loss(i, k, rest) * apart * seeded(i, k))

    exact = corpus.stationary(ratio, at_start=corpus.shared_counts({(0, 1): 1.0, (1, 0): 1.0}))
    assert p_value(visits(tiny(), setting, steps, knowledge), exact) > 0.001


@pytest.mark.parametrize("steps", [0, 60])
@pytest.mark.parametrize("firmness", [0.5, None])
def test_linked_documents_with_a_loss(steps: int, firmness: float | None) -> None:
    """Soft links share the counts of documents; firm links are a factor.

    Such conditionals are not those of one joint distribution, so a chain of exact draws and one of few Metropolis
    steps do not end in quite the same place: with many steps they do.
    """
    setting, corpus = Setting(2, seed=6), tiny()
    knowledge = [tw.DocumentLinks([(0, 1)], firmness=firmness)]
    of_links, loss = linked_documents(corpus, firmness), setting.ratio(corpus)
    exact = corpus.stationary(lambda i, k, rest: of_links(i, k, rest) * loss(i, k, rest))
    n = 20_000 if steps else 60_000
    assert p_value(visits(tiny(), setting, steps, knowledge, n=n), exact) > 0.001
    assert p_value(visits(tiny(), setting, steps, n=n), exact) < 1e-6


def linked_documents(corpus: Tiny, firmness: float | None) -> Any:
    """What a link between the two documents multiplies the conditional of a token with."""

    def ratio(i: int, k: int, rest: list[tuple[int, int, int]]) -> float:
        d = int(corpus.doc_of[i])
        own, other = (sum(1 for _, e, kk in rest if e == side and kk == k) for side in (d, 1 - d))
        if firmness is None:
            return max(1.0, float(other))
        share = len(DOCS[d]) / len(DOCS[1 - d]) * firmness / (1 - firmness)
        return float((own + corpus.alpha[k] + share * other) / (own + corpus.alpha[k]))

    return ratio


@pytest.mark.parametrize("n_blocks", [1, 3])
@pytest.mark.parametrize("loss", [Hinge(), Logistic(), EpsilonInsensitive()], ids=str)
def test_counts_follow_the_assignments_also_after_interruption(
    loss: Any, n_blocks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("topicwright._sampling.medlda.engine._ENTRIES_PER_BLOCK", 25)  # several blocks of documents
    rng = np.random.default_rng(0)
    lengths = rng.integers(0, 20, 40)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    tokens = rng.integers(0, 30, offsets[-1], dtype=np.int32)
    targets = np.where(rng.random((40, 3)) < 0.5, 1.0, -1.0)
    targets[3] = np.nan
    nothing = CompiledKnowledge(TopicNumbers(5))
    problem = SamplingProblem(
        tokens, offsets, 30, 5, np.full(5, 0.3), 0.1, 1, nothing, supervision=Supervision(targets, loss)
    )

    def run(n: int, problem: SamplingProblem = problem, n_jobs: int = 1) -> MedLDAEngine:
        engine = MedLDAEngine(problem, n_jobs=n_jobs, n_blocks=n_blocks)
        for _ in range(n):
            engine.sweep()
        engine.close()
        return engine

    whole = run(6)
    np.testing.assert_array_equal(run(6, n_jobs=3).assignments, whole.assignments)
    half = run(3)
    taken_up = Supervision(targets, loss, eta=half.eta)
    again = run(3, problem._replace(assignments=half.assignments, sweep_number=3, supervision=taken_up))
    np.testing.assert_array_equal(again.assignments, whole.assignments)
    np.testing.assert_allclose(again.eta, whole.eta, rtol=1e-9)
    z = whole.assignments
    counts = np.zeros((5, 30), np.int64)
    np.add.at(counts, (z, tokens), 1)
    np.testing.assert_array_equal(whole.topic_words().toarray(), counts)
    np.testing.assert_array_equal(whole.sizes, counts.sum(axis=1))
    terms, scores = whole._terms, whole.doc_topics() @ whole.eta.T
    np.testing.assert_allclose(
        terms.gradient[:, :3],
        terms.center_gradient[:, :3] + terms.quadratic[:, :3] * (whole._center - scores),
        rtol=1e-5,  # single precision
        atol=1e-5,
    )


@pytest.mark.parametrize("loss", [SquaredLoss(3.0), EpsilonInsensitive(3.0)], ids=str)
@pytest.mark.parametrize("sampler", ["dense", "compositional"])
def test_base_scores_shift_the_targets(loss: Any, sampler: str) -> None:
    """Both losses are functions of y − f, so that a known part of f is the same as targets without it."""
    rng = np.random.default_rng(0)
    offsets = np.concatenate([[0], np.cumsum(rng.integers(1, 20, 40))])
    tokens = rng.integers(0, 30, offsets[-1], dtype=np.int32)
    targets, base = rng.standard_normal((2, 40, 3))

    def run(supervision: Supervision) -> MedLDAEngine:
        nothing = CompiledKnowledge(TopicNumbers(5))
        problem = SamplingProblem(
            tokens, offsets, 30, 5, np.full(5, 0.3), 0.1, 1, nothing, supervision=supervision._replace(sampler=sampler)
        )
        engine = MedLDAEngine(problem)
        for _ in range(6):
            engine.sweep()
        engine.close()
        return engine

    shifted, known = run(Supervision(targets - base, loss)), run(Supervision(targets, loss, base_scores=base))
    np.testing.assert_array_equal(known.assignments, shifted.assignments)
    np.testing.assert_allclose(known.eta, shifted.eta, rtol=1e-9)
    assert not np.array_equal(known.assignments, run(Supervision(targets, loss)).assignments)
