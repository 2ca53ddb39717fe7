"""Every engine satisfies the SamplingEngine protocol."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import topicwright as tw
from topicwright._sampling.engine import EngineGroup, SamplingEngine, SamplingProblem, Supervision
from topicwright._sampling.labeled.engine import LabeledEngine
from topicwright._sampling.medlda.engine import MedLDAEngine
from topicwright._sampling.sparse_lda.engine import SparseEngine
from topicwright.distributed.driver import MedLDAShardedEngine, ShardedEngine
from topicwright.knowledge import DocumentLabels
from topicwright.knowledge.compiler import compile_knowledge
from topicwright.losses import Hinge

N_TOPICS = 2
CORPUS = tw.Corpus.from_texts(["ship sea ship", "bread oven", "sea storm"], labels=[["a"], ["b"], ["a"]])


def problem(*, labels: bool = False, targets: bool = False) -> SamplingProblem:
    supervision = Supervision(np.array([[1.0], [-1.0], [1.0]]), Hinge()) if targets else None
    return SamplingProblem(
        CORPUS.tokens,
        CORPUS.offsets,
        CORPUS.n_words,
        N_TOPICS,
        np.full(N_TOPICS, 0.5),
        0.1,
        seed=0,
        knowledge=compile_knowledge([DocumentLabels()] if labels else [], CORPUS, N_TOPICS),
        supervision=supervision,
    )


def sharded(*problems: SamplingProblem) -> list[SamplingEngine]:
    return list(tw.DiskBackend(n_shards=2).start_all(problems, n_jobs=1))


ENGINES: dict[type, Callable[[], SamplingEngine]] = {
    SparseEngine: lambda: SparseEngine(problem()),
    LabeledEngine: lambda: LabeledEngine(problem(labels=True)),
    MedLDAEngine: lambda: MedLDAEngine(problem(targets=True)),
    ShardedEngine: lambda: sharded(problem())[0],
    MedLDAShardedEngine: lambda: sharded(problem(targets=True))[0],
    EngineGroup: lambda: EngineGroup(sharded(problem(targets=True), problem(targets=True)), n_jobs=1),
}


@pytest.mark.parametrize("kind", ENGINES, ids=lambda kind: kind.__name__)
def test_engines_satisfy_the_protocol(kind: type) -> None:
    engine = ENGINES[kind]()
    assert type(engine) is kind
    assert isinstance(engine, SamplingEngine)
    n_models = 2 if kind is EngineGroup else 1
    try:
        engine.prepare()
        for _ in range(4):  # two of them without the loss, two with
            engine.sweep()
        assert engine.sweep_number == 4
        assert engine.n_tokens == n_models * CORPUS.n_tokens
        assert 0 <= engine.n_moved <= engine.n_tokens
        assert np.isfinite(engine.log_likelihood())
        engine.learn_alpha()
        engine.learn_beta()
        results = engine.results()
    finally:
        engine.close()
    assert len(results) == n_models
    for own in results:
        assert own.sweep_number == 4
        assert own.assignments.max() < N_TOPICS
        assert own.topic_word_counts.sum() == own.topics.sizes.sum() == CORPUS.n_tokens
        assert (own.doc_topic_counts is None) == (kind in (ShardedEngine, MedLDAShardedEngine, EngineGroup))
        assert (own.weights is None) == (kind in (SparseEngine, LabeledEngine, ShardedEngine))
