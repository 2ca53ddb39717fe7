"""Engine of fully labeled corpora: exact, independent of threads, and equal in model to the sparse one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import topicwright as tw
from topicwright._sampling import new_engine
from topicwright._sampling.dirichlet import joint_log_likelihood
from topicwright._sampling.engine import SamplingProblem
from topicwright._sampling.labeled.engine import LabeledEngine
from topicwright._sampling.sparse_lda.engine import SparseEngine
from topicwright.knowledge import compile_knowledge

from ..enumeration import Tiny, p_value


def engine_of(corpus: tw.Corpus, knowledge: list[Any], n_topics: int, kind: Any = new_engine, **options: Any) -> Any:
    how = {name: options.pop(name) for name in ("n_jobs", "n_blocks") if name in options}
    start = {"alpha": np.full(n_topics, 0.5), "beta": 0.3, "seed": 0, **options}
    known = compile_knowledge(knowledge, corpus, n_topics)
    return kind(
        SamplingProblem(corpus.tokens, corpus.offsets, corpus.n_words, n_topics, knowledge=known, **start), **how
    )


def random_corpus(n_docs: int, n_labels: int, seed: int = 0) -> tuple[tw.Corpus, list[list[str]]]:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 30, n_docs)
    labels = [[f"label {k}" for k in rng.choice(n_labels, rng.integers(1, 4), replace=False)] for _ in lengths]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    tokens = rng.integers(0, 50, offsets[-1], dtype=np.int32)
    return tw.Corpus(tokens, offsets, [f"w{n}" for n in range(50)], labels=labels), labels


def assert_counts_are_those_of_the_assignments(engine: Any, corpus: tw.Corpus) -> None:
    z = engine.assignments.astype(np.int64)
    docs = np.repeat(np.arange(corpus.n_docs), corpus.doc_lengths())
    doc_topics = np.zeros((corpus.n_docs, engine.n_topics), np.int64)
    topic_words = np.zeros((engine.n_topics, corpus.n_words), np.int64)
    np.add.at(doc_topics, (docs, z), 1)
    np.add.at(topic_words, (z, corpus.tokens), 1)
    np.testing.assert_array_equal(engine.doc_topics().toarray(), doc_topics)
    np.testing.assert_array_equal(engine.topic_words().toarray(), topic_words)
    np.testing.assert_array_equal(engine.sizes, topic_words.sum(axis=1))


def test_visits_follow_the_posterior() -> None:
    tiny = Tiny([[0, 1, 0], [1, 2]], 3, [0.2, 1.0, 0.5], np.array([0.3, 0.5, 0.9]))
    allowed = [{0, 1}, {0, 2}]
    engine = engine_of(
        tiny.corpus(), [tw.DocumentLabels([["x", "y"], ["x", "z"]])], 3, alpha=tiny.alpha, beta=tiny.beta
    )
    assert isinstance(engine, LabeledEngine)
    seen = np.zeros(3**5, np.int64)
    for n in range(60_000):
        engine.sweep()
        if n % 3 == 2:
            seen[int(engine.assignments @ 3 ** np.arange(4, -1, -1))] += 1
    exact = tiny.posterior(
        lambda z: 0.0 if all(k in allowed[d] for k, d in zip(z, tiny.doc_of, strict=True)) else -np.inf
    )
    assert p_value(seen, exact) > 0.001
    other = Tiny([[0, 1, 0], [1, 2]], 3, [0.3, 1.0, 0.5], np.array([0.3, 0.5, 0.9])).posterior(
        lambda z: 0.0 if all(k in allowed[d] for k, d in zip(z, tiny.doc_of, strict=True)) else -np.inf
    )
    assert p_value(seen, other) < 1e-6


@pytest.mark.parametrize("n_blocks", [1, 3])
def test_labels_hold_and_counts_follow(n_blocks: int) -> None:
    corpus, labels = random_corpus(60, 12)
    engine = engine_of(corpus, [tw.DocumentLabels()], 12, n_blocks=n_blocks)
    names = corpus.label_names()
    for _ in range(4):
        engine.sweep()
        assert_counts_are_those_of_the_assignments(engine, corpus)
        for d in range(corpus.n_docs):
            used = engine.assignments[corpus.offsets[d] : corpus.offsets[d + 1]]
            assert {names[k] for k in used} <= set(labels[d])


def test_result_does_not_depend_on_threads_or_interruption() -> None:
    corpus, _ = random_corpus(200, 12)
    results = []
    for n_jobs in (1, 2, 5):
        engine = engine_of(corpus, [tw.DocumentLabels()], 12, n_blocks=3, n_jobs=n_jobs)
        for _ in range(6):
            engine.sweep()
        engine.close()
        results.append(engine.assignments)
    stopped = engine_of(corpus, [tw.DocumentLabels()], 12, n_blocks=3)
    for _ in range(2):
        stopped.sweep()
    state, done = stopped.assignments, stopped.sweep_number
    again = engine_of(corpus, [tw.DocumentLabels()], 12, n_blocks=3, assignments=state, sweep_number=done)
    for _ in range(4):
        again.sweep()
    results.append(again.assignments)
    for other in results[1:]:
        np.testing.assert_array_equal(results[0], other)


def test_labeled_engine_is_selected_when_applicable() -> None:
    corpus, labels = random_corpus(20, 5)
    every = tw.DocumentLabels(labels)
    some = tw.DocumentLabels([*labels[:-1], None])
    assert isinstance(engine_of(corpus, [every], 6), LabeledEngine)
    for knowledge in ([], [every, tw.MustLinks([("w1", "w2")])], [every, tw.SeedWords({0: ["w1"]})]):
        assert isinstance(engine_of(corpus, knowledge, 6), SparseEngine)
    assert corpus.doc_lengths()[-1] > 0
    assert isinstance(engine_of(corpus, [some], 6), SparseEngine)
    doc = next(d for d, own in enumerate(labels) if len(own) > 1 and corpus.doc_lengths()[d] > 2)
    within = tw.SentenceLabels([(doc, (0, 2), labels[doc][0])])
    assert isinstance(engine_of(corpus, [every, within], 6), SparseEngine)


def test_a_topic_that_is_not_a_label_of_the_document_is_resampled() -> None:
    corpus, labels = random_corpus(20, 5)
    start = np.full(corpus.n_tokens, 4, np.uint32)
    engine = engine_of(corpus, [tw.DocumentLabels()], 5, assignments=start, sweep_number=3)
    engine.sweep()
    assert_counts_are_those_of_the_assignments(engine, corpus)
    names = corpus.label_names()
    for d in range(corpus.n_docs):
        used = engine.assignments[corpus.offsets[d] : corpus.offsets[d + 1]]
        assert {names[k] for k in used} <= set(labels[d])


def test_both_engines_agree_in_likelihood() -> None:
    """Two samplers of one model: log p(w, z) in the long run is the same within noise."""
    corpus, _ = random_corpus(100, 8)
    means, errors = [], []
    for kind in (SparseEngine, LabeledEngine):
        engine = engine_of(corpus, [tw.DocumentLabels()], 8, kind)
        values = []
        for n in range(1500):
            engine.sweep()
            if n >= 100 and n % 5 == 0:
                values.append(joint_log_likelihood(engine.doc_topics(), engine.topic_words(), engine.alpha, 0.3))
        batches = np.array_split(np.array(values), 10)
        means.append(np.mean(values))
        errors.append(np.std([np.mean(batch) for batch in batches]) / np.sqrt(len(batches)))
    assert abs(means[0] - means[1]) < 4 * np.hypot(*errors)
