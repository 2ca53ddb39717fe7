"""The engine compared with a plain filter that copies everything; memory, checkpoints, reservoir, forgetting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from topicwright._sampling.particle_filter import StreamEngine
from topicwright._sampling.particle_filter.ancestry import new_ancestry

from ...assertions import raises_input
from .test_oracle import Docs, PlainFilter, batch, random_docs

PLAIN = {
    "alpha": 0.2,
    "beta": 0.1,
    "n_words": None,
    "seed": 3,
    "threshold": 3.5,
    "weighting": "marginal",
    "resampling": "systematic",
    "rejuvenate_at_resampling": 5,
    "rejuvenate_per_label": 0.4,
    "rejuvenation_order": "cycle",
    "reservoir_tokens": 1000,
    "tempering": 1.0,
    "decay": 1.0,
}


def counts_of(engine: StreamEngine, p: int) -> dict[tuple[int, int], float]:
    matrix = engine.counts(p).tocoo()
    return {(k, w): n for k, w, n in zip(matrix.row.tolist(), matrix.col.tolist(), matrix.data.tolist())}


def assert_same_state(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    assert one.keys() == other.keys()
    for name in one:
        assert one[name].dtype == other[name].dtype
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"weighting": "drawn", "rejuvenate_per_label": 0.0},
        {"threshold": 4.9, "rejuvenate_at_resampling": 40},
        {"threshold": 4.9, "reservoir_tokens": 40, "rejuvenate_per_label": 2.3},
        {"reservoir_tokens": 60, "rejuvenate_per_label": 1.0, "rejuvenation_order": "random"},
        {"n_words": 50, "tempering": 0.5, "threshold": 4.0},
        {"tempering": "document", "threshold": 4.9},
        {"decay": 0.9, "rejuvenate_per_label": 1.0},
    ],
    ids=str,
)
@pytest.mark.parametrize("horizon", [None, 4])
def test_lazy_rows_equal_copies_of_everything(parameters: dict[str, Any], horizon: int | None) -> None:
    """Each particle of the plain filter has its own counts, which a resampling copies; the engine's must be the same.

    With a horizon of 4 epochs rows have to be put in order in bulk again and again, in the middle of documents.
    """
    docs = random_docs(60, 20, 7, seed=1)
    given = {**PLAIN, **parameters}
    plain, engine = PlainFilter(5, **given), StreamEngine(5, **given)
    if horizon is not None:
        engine.particles = engine.particles._replace(ancestry=new_ancestry(5, n_epochs=6, horizon=horizon))
    expected = plain.add(docs)
    np.testing.assert_allclose(engine.add(*batch(docs)), expected, rtol=1e-9)
    assert engine.n_resamplings == plain.n_resamplings > 20
    np.testing.assert_allclose(engine.weights, plain.weights, rtol=1e-9)
    last = plain.increment
    for p in range(5):
        kept = {pair: n / last for pair, n in plain.pairs[p].items() if abs(n) > 1e-9}
        found = {pair: n for pair, n in counts_of(engine, p).items() if abs(n) > 1e-9}
        assert found.keys() == kept.keys()
        np.testing.assert_allclose([found[pair] for pair in kept], list(kept.values()), rtol=1e-9)
        totals = [plain.totals[p].get(k, 0.0) / last for k in range(engine.n_labels)]
        np.testing.assert_allclose(engine.totals(p), totals, rtol=1e-9, atol=1e-9)
    state = engine.state()
    tokens = [(d, i) for d in plain.kept for i in range(len(docs[d][0]))]
    choices = [[plain.choices[p][token] for p in range(5)] for token in tokens]
    np.testing.assert_array_equal(state["reservoir.choices"], np.array(choices).reshape(-1, 5))


def test_particles_differ() -> None:
    """Without this, the test above could not fail."""
    engine = StreamEngine(5, **{**PLAIN, "threshold": 2.0})
    engine.add(*batch(random_docs(60, 20, 7, seed=1)))
    assert len({tuple(sorted(counts_of(engine, p).items())) for p in range(5)}) > 1
    assert (engine.state()["reservoir.choices"] != engine.state()["reservoir.choices"][:, :1]).any()


# ---------------------------------------------------------------------- cut, saved, taken up again


VARIANTS: list[dict[str, Any]] = [
    {},
    {"rejuvenate_per_label": 1.3, "reservoir_tokens": 100},
    {"weighting": "drawn", "resampling": "multinomial", "decay": 0.8, "n_particles": 3},
    {"n_particles": 1, "rejuvenate_per_label": 3, "rejuvenation_order": "random"},
    {"tempering": 0.3, "n_particles": 300},
]


@pytest.mark.parametrize("parameters", VARIANTS, ids=str)
def test_stream_in_batches_equals_stream_at_once(parameters: dict[str, Any]) -> None:
    docs = random_docs(80, 40, 9, seed=2)
    parameters = {"seed": 5, **parameters}
    whole = StreamEngine(**parameters)
    log_p = whole.add(*batch(docs))
    again = StreamEngine(**parameters)
    np.testing.assert_array_equal(again.add(*batch(docs)), log_p)
    assert_same_state(again.state(), whole.state())
    parts, found = StreamEngine(**parameters), []
    for first, last in ((0, 1), (1, 30), (30, 30), (30, 80)):
        found.append(parts.add(*batch(docs[first:last])))
        parts.counts()  # to look changes nothing
    np.testing.assert_array_equal(np.concatenate(found), log_p)
    assert_same_state(parts.state(), whole.state())


@pytest.mark.parametrize("cut", [0, 1, 37])
@pytest.mark.parametrize("parameters", VARIANTS, ids=str)
def test_checkpoint_does_not_change_the_run(parameters: dict[str, Any], cut: int) -> None:
    docs = random_docs(80, 40, 9, seed=2)
    parameters = {"seed": 5, **parameters}
    whole = StreamEngine(**parameters)
    whole.set_alpha([2], [0.7])
    log_p = whole.add(*batch(docs))
    whole.rejuvenate(20)
    half = StreamEngine(**parameters)
    half.set_alpha([2], [0.7])
    start = half.add(*batch(docs[:cut]))
    state = half.state()
    half.add(*batch(docs[cut:]))  # a state is a copy: what comes later does not touch it
    rest = StreamEngine.from_state(state, **{k: v for k, v in parameters.items() if k != "n_particles"})
    np.testing.assert_array_equal(np.append(start, rest.add(*batch(docs[cut:]))), log_p)
    rest.rejuvenate(20)
    assert_same_state(rest.state(), whole.state())


def test_different_seeds_give_different_runs() -> None:
    docs = batch(random_docs(30, 20, 5))
    first, second = StreamEngine(seed=1), StreamEngine(seed=2)
    assert (first.add(*docs) != second.add(*docs)).any()


def test_result_does_not_depend_on_integer_type() -> None:
    docs = batch(random_docs(60, 30, 6, seed=3))
    whole, real = StreamEngine(seed=1), StreamEngine(seed=1, dtype=np.float64)
    np.testing.assert_array_equal(whole.add(*docs), real.add(*docs))
    np.testing.assert_array_equal(whole.counts().toarray(), real.counts().toarray())


# ---------------------------------------------------------------------- counts and room


def rebuilt(docs: Docs, engine: StreamEngine, p: int) -> dict[tuple[int, int], float]:
    """Counts from the assignments; documents with one label have no choice."""
    choices = iter(engine.state()["reservoir.choices"][:, p].tolist())
    counts: dict[tuple[int, int], float] = {}
    for words, labels in docs:
        for w in words:
            k = labels[next(choices)] if len(labels) > 1 else labels[0]
            counts[k, w] = counts.get((k, w), 0) + 1
    return counts


@pytest.mark.parametrize("n_particles", [1, 6, 16])
def test_counts_are_those_of_the_assignments(n_particles: int) -> None:
    docs = random_docs(100, 30, 12, seed=4)
    engine = StreamEngine(n_particles, seed=1, rejuvenate_per_label=1)
    engine.add(*batch(docs))
    engine.rejuvenate(500)
    for p in range(n_particles):
        assert counts_of(engine, p) == rebuilt(docs, engine, p)
        np.testing.assert_array_equal(engine.totals(p), np.asarray(engine.counts(p).sum(axis=1)).ravel())
    state = engine.state()
    first_token, first_label = state["reservoir.first_token"].astype(int), state["reservoir.first_label"].astype(int)
    for d in range(len(first_token) - 1):
        choices = state["reservoir.choices"][first_token[d] : first_token[d + 1]]
        in_doc = state["reservoir.in_doc"][first_label[d] : first_label[d + 1]]
        for j, row in enumerate(in_doc):
            np.testing.assert_array_equal(row, (choices == j).sum(axis=0))


def test_labels_and_words_may_appear_late() -> None:
    """Thousands of pairs, labels and words with large numbers, documents of very different widths."""
    rng = np.random.default_rng(0)
    docs = random_docs(50, 30, 5, seed=5)
    docs += random_docs(200, 3000, 700, seed=6, most=30, longest=40)
    docs.append(([100_000, 3, 100_000], [50_000, 2, 7]))
    docs.append((rng.integers(0, 3000, 500).tolist(), list(range(400))))
    engine = StreamEngine(6, seed=2, rejuvenate_per_label=0.5)
    engine.add(*batch(docs))
    assert engine.n_count_rows > 4000
    assert engine.n_labels == 50_001
    assert engine.n_words == len({w for words, _ in docs for w in words})
    assert engine.counts().shape == (50_001, 100_001)
    for p in (0, 5):
        assert counts_of(engine, p) == rebuilt(docs, engine, p)


def test_memory_grows_with_pairs_that_were_drawn() -> None:
    """A document with a thousand candidates makes rows only for those that some particle chose."""
    engine = StreamEngine(4, seed=1)
    engine.add(*batch([([0, 1, 2], list(range(1000)))]))
    assert engine.n_count_rows <= 12
    assert len(engine.particles.count_table.lanes) <= 256


def test_reservoir_is_a_uniform_sample() -> None:
    """Over many seeds each document is kept equally often, early or late, long or short; never too many tokens."""
    docs = [([d % 7] * (1 + d % 3), [0, 1]) for d in range(60)]
    kept = np.zeros(60)
    for seed in range(600):
        engine = StreamEngine(1, seed=seed, reservoir_tokens=40)
        engine.add(*batch([([8], [1]), *docs]))
        state = engine.state()
        assert 20 < state["reservoir.size"][0] == len(state["reservoir.words"]) <= 40
        keys = {key: n for n, key in enumerate(engine_keys(seed))}
        kept[[keys[key] for key in state["reservoir.keys"].tolist()]] += 1
    share = kept / 600
    error = np.sqrt(share.mean() * (1 - share.mean()) / 600)
    assert (np.abs(share - share.mean()) < 4 * error).all()


def engine_keys(seed: int) -> list[float]:
    """What documents 1 to 60 drew."""
    plain = PlainFilter(1, **{**PLAIN, "seed": seed, "rejuvenate_per_label": 0.0})
    plain.add([([], [0])] * 61)
    return plain.keys[1:]


def test_evicted_documents_stay_in_the_counts() -> None:
    docs = random_docs(100, 30, 6, seed=7)
    engine = StreamEngine(4, seed=1, reservoir_tokens=30, rejuvenate_per_label=2)
    engine.add(*batch(docs))
    words = np.bincount([w for words, _ in docs for w in words], minlength=30)
    np.testing.assert_array_equal(np.asarray(engine.counts().sum(axis=0)).ravel(), words)
    assert engine.n_tokens == words.sum()


def test_rejuvenation_is_proportional_to_the_labels() -> None:
    """None for a word whose document has one label, and no more for 40 than for 21; fractions are kept."""
    engine, drawn = StreamEngine(2, seed=1, rejuvenate_per_label=0.4), []
    for n_labels in (2, 1, 2, 3, 21, 40):
        before = engine.n_rejuvenated
        engine.add(*batch([([0, 1, 2], list(range(n_labels)))]))
        drawn.append(engine.n_rejuvenated - before)
    assert drawn == [1, 0, 1, 2, 24, 24]
    engine.add([], [0, 0], [], [0, 0])
    assert engine.n_rejuvenated == sum(drawn)


# ---------------------------------------------------------------------- forgetting


@pytest.mark.parametrize("decay", [0.99, 0.7])
def test_forgetting_discounts_old_counts(decay: float) -> None:
    """Σ_k n_kw is Σ decay^age over the tokens of w, whichever labels they were moved between; 0.7 needs a new scale."""
    docs = random_docs(300, 10, 5, seed=8)
    engine = StreamEngine(6, seed=1, decay=decay, rejuvenate_per_label=1, reservoir_tokens=200)
    engine.add(*batch(docs))
    expected = np.zeros(10)
    for age, (words, _) in enumerate(reversed(docs)):
        np.add.at(expected, words, decay ** (age + 1))
    np.testing.assert_allclose(np.asarray(engine.counts().sum(axis=0)).ravel(), expected, rtol=1e-9)
    np.testing.assert_allclose(engine.totals().sum(), expected.sum(), rtol=1e-9)
    assert engine.particles.numbers[0] < 2.0**61


def test_decay_follows_a_change() -> None:
    """A label whose words change: with forgetting the new words are predicted better."""
    docs = [([0, 1, 0, 1], [0])] * 60 + [([2, 3, 2, 3], [0])] * 20
    with_decay, without = StreamEngine(2, decay=0.9), StreamEngine(2)
    assert with_decay.add(*batch(docs))[-1] > without.add(*batch(docs))[-1] + 0.5


# ---------------------------------------------------------------------- validation


@pytest.mark.parametrize(
    ("arguments", "parameter", "message"),
    [
        (([0], [0, 1], [], [0, 0]), "labels", "words but no label"),
        (([0], [0, 1], [1, 1], [0, 2]), "labels", "label 1 twice"),
        (([0], [0, 2], [1], [0, 1]), "offsets", "non-decreasing"),
        (([0], [0, 1], [1], [0, 1, 1]), "label_offsets", "has 2 documents"),
        (([-1], [0, 1], [1], [0, 1]), "tokens", "from 0 to"),
        (([0.5], [0, 1], [1], [0, 1]), "tokens", "list of integers"),
    ],
)
def test_rejects_invalid_documents(arguments: Any, parameter: str, message: str) -> None:
    with raises_input(parameter, match=message):
        StreamEngine().add(*arguments)


@pytest.mark.parametrize(
    "parameters",
    [
        {"n_particles": 0},
        {"alpha": 0},
        {"beta": -1},
        {"n_words": 0},
        {"threshold": -1},
        {"weighting": "other"},
        {"resampling": "other"},
        {"rejuvenate_at_resampling": -1},
        {"rejuvenate_per_label": -1},
        {"rejuvenation_order": "other"},
        {"reservoir_tokens": -1},
        {"tempering": 2},
        {"decay": 0},
        {"dtype": np.int64},
        {"dtype": np.int32, "decay": 0.9},
    ],
    ids=str,
)
def test_rejects_invalid_parameters(parameters: dict[str, Any]) -> None:
    with raises_input(next(iter(parameters))):
        StreamEngine(**parameters)


def test_integer_counts_take_integers() -> None:
    with raises_input("counts"):
        StreamEngine().add_counts([0], [0], [0.5])


def test_empty_batch_and_empty_documents() -> None:
    engine = StreamEngine(3)
    assert engine.add([], [0], [], [0]).shape == (0,)
    np.testing.assert_array_equal(engine.add([], [0, 0], [], [0, 0]), [0.0])
    engine.rejuvenate(5)
    assert (engine.n_documents, engine.n_tokens, engine.n_rejuvenated) == (1, 0, 0)
    assert engine.counts().shape == (0, 0)
