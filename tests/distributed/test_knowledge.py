"""Document knowledge and custom knowledge on shards, compared with plain training."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import topicwright as tw
from topicwright import ClusterError, InputError
from topicwright._sampling.engine import SamplingProblem
from topicwright.distributed.protocol import UserCode, unpickle_code
from topicwright.distributed.shard import Shard
from topicwright.distributed.shard_knowledge import restrict_to_shard
from topicwright.distributed.sharding import shard_corpus
from topicwright.knowledge import compile_knowledge, register_factor

from .custom_knowledge import Follows, Squared, opening
from .runs import LINKS_BETWEEN, assert_same, driver_lost_before, lda

PAPER = [tw.DocumentLinks([(d, 91 - d) for d in range(0, 46, 2)], strength=3.0, firmness=None)]
ABOUT = [tw.DocumentTopics({3: "sea", 5: ["sea", "law"], 80: "law"})]
OTHERS = [tw.ForbiddenWords({0: ["ship"]}), tw.KnownTopics({"sea": {"wave": 9.0}}), tw.TopicNames({1: "one"})]
MIXED = [*LINKS_BETWEEN, *PAPER, *ABOUT, tw.SeedWords({"law": ["judge"]}, hard=True), opening()]


def follows(reads: str = "words") -> tw.Custom:
    return tw.CustomFactor(lambda corpus, topics: Follows(corpus.vocabulary.tolist().index("wave")), reads=reads)


@pytest.mark.parametrize(
    "knowledge",
    [LINKS_BETWEEN, PAPER, ABOUT, OTHERS, [opening()], [opening("any")], [follows()], MIXED],
    ids=["links", "the paper's links", "about", "others", "own", "any", "words", "mixed"],
)
def test_one_shard_equals_plain_training(news: tw.Corpus, knowledge: Any) -> None:
    plain = lda(knowledge=knowledge, n_sweeps=8).fit(news)
    assert_same(lda(knowledge=knowledge, n_sweeps=8).fit(news, backend=tw.DiskBackend(1)), plain)


@pytest.mark.parametrize("knowledge", [MIXED, [follows(), *LINKS_BETWEEN]], ids=["mixed", "words"])
def test_result_does_not_depend_on_threads_or_memory(news: tw.Corpus, knowledge: Any) -> None:
    usual = lda(knowledge=knowledge, n_sweeps=6).fit(news, backend=tw.DiskBackend(3))
    other = lda(knowledge=knowledge, n_sweeps=6, n_jobs=3).fit(news, backend=tw.DiskBackend(3, in_memory=0))
    assert_same(other, usual)


# ---------------------------------------------------------------------- it acts as it does without shards

N_DOCS, LENGTH = 80, 12
PAIRS = [(d, d + N_DOCS // 2) for d in range(N_DOCS // 2)]


@pytest.fixture(scope="module")
def noise() -> tw.Corpus:
    """Documents of random words, whose topics are determined by links only."""
    rng = np.random.default_rng(0)
    tokens = rng.integers(0, 30, N_DOCS * LENGTH).astype(np.int32)
    return tw.Corpus(tokens, np.arange(0, len(tokens) + 1, LENGTH), [f"w{n}" for n in range(30)])


def closeness(corpus: tw.Corpus, links: list[Any], backend: Any) -> float:
    """Overlap of the topics of linked documents, all on different shards."""
    model = tw.LDA(8, alpha=0.3, knowledge=links, n_sweeps=40, random_state=0).fit(corpus, backend=backend)
    shares = model.doc_topic_counts_.toarray() / LENGTH
    return float(np.mean([np.minimum(shares[a], shares[b]).sum() for a, b in PAIRS]))


def test_links_across_shards_are_as_effective_as_within_one(noise: tw.Corpus) -> None:
    links = [tw.DocumentLinks(PAIRS)]
    plain, none = closeness(noise, links, None), closeness(noise, [], None)
    assert plain > none + 0.2
    for n_shards in (2, 4):
        sharded = closeness(noise, links, tw.DiskBackend(n_shards))
        assert abs(sharded - plain) < 0.3 * (plain - none)


def test_documents_of_every_shard_go_to_their_topics(news: tw.Corpus) -> None:
    about = dict.fromkeys(range(1, news.n_docs, 9), "mine")
    model = lda(knowledge=[tw.DocumentTopics(about, 1e6)], n_sweeps=5).fit(news, backend=tw.DiskBackend(4))
    counts = model.doc_topic_counts_.toarray()[:, model.topic_names_.index("mine")]
    own = np.isin(np.arange(news.n_docs), list(about))
    np.testing.assert_array_equal(counts[own], news.doc_lengths()[own])
    assert counts[~own].sum() < 0.8 * news.doc_lengths()[~own].sum()


@pytest.mark.parametrize("reads", ["own", "words"])
def test_custom_factor_uses_corpus_token_indices(news: tw.Corpus, reads: str) -> None:
    model = lda(knowledge=[opening(reads)], n_sweeps=5).fit(news, backend=tw.DiskBackend(3))
    place = np.arange(news.n_tokens) - np.repeat(news.offsets[:-1], news.doc_lengths())
    headline = model.assignments_ == model.topic_names_.index("headline")
    assert headline[place < 3].all()
    assert not headline[place >= 3].all()


def test_custom_factor_reads_counts_of_other_words(news: tw.Corpus) -> None:
    """All words follow one word, in every shard."""
    model = lda(knowledge=[follows()]).fit(news, backend=tw.DiskBackend(3))
    wave = news.tokens == news.vocabulary.tolist().index("wave")
    model_folder = np.bincount(model.assignments_[wave]).argmax()
    assert (model.assignments_ == model_folder).mean() > 0.9


# ---------------------------------------------------------------------- runs that are cut off


@pytest.mark.parametrize("call", [2, 5, 9, 20, 21])
def test_driver_killed_with_linked_documents(news: tw.Corpus, tmp_path: Path, call: int) -> None:
    """Before and after counts of linked documents were sent, in the first sweep and later."""
    backend, options = tw.DiskBackend(3, checkpoint_dir=tmp_path / "run"), {"knowledge": MIXED, "n_sweeps": 4}
    with driver_lost_before(call):
        lda(**options).fit(news, backend=backend)
    resumed = lda(**options).fit(news, backend=backend, resume=True)
    assert_same(resumed, lda(**options).fit(news, backend=tw.DiskBackend(3)))
    with pytest.raises(InputError, match="knowledge differs"):
        lda(n_sweeps=4, knowledge=MIXED[:-1]).fit(news, backend=backend, resume=True)


# ---------------------------------------------------------------------- what shards are given


def test_remote_documents_are_numbered_after_local_ones(news: tw.Corpus) -> None:
    links = tw.DocumentLinks([(10, 11), (10, 2), (12, 40), (30, 40)], firmness=None)
    known, others = restrict_to_shard(compile_knowledge([links, *ABOUT], news, 4), news.offsets, 10, 20)
    neighbors, about = known.factors
    assert others.tolist() == [2, 40]
    assert neighbors.start.tolist() == [0, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4]
    assert neighbors.neighbors.tolist() == [1, 10, 0, 11]
    assert about.start.tolist() == [0] * 11


def test_only_linked_documents_are_sent(problem: SamplingProblem, news: tw.Corpus, tmp_path: Path) -> None:
    edges = shard_corpus(problem, 3, 1, tmp_path / "none").arrays["edges"].tolist()
    links = [(0, edges[1] + 3), (edges[1] + 3, edges[2] + 1), (edges[1], edges[1] + 1)]
    known = compile_knowledge([tw.DocumentLinks(links)], news, problem.n_topics)
    topics = np.arange(news.n_tokens, dtype=np.uint32) % problem.n_topics
    started = problem._replace(knowledge=known, assignments=topics, sweep_number=1)
    run = shard_corpus(started, 3, 1, tmp_path / "linked")
    assert [run.remote_documents(number).tolist() for number in range(3)] == [
        [edges[1] + 3],
        [0, edges[2] + 1],
        [edges[1] + 3],
    ]
    remote_counts = Shard(run.folder, 1).linked_document_counts(1)
    first, last = news.offsets[edges[1] + 3 : edges[1] + 5]
    assert remote_counts.toarray().tolist() == [np.bincount(topics[first:last], minlength=problem.n_topics).tolist()]


def test_code_missing_on_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "of_the_driver", sys.modules[Squared.__module__])
        patch.setattr(Squared, "__module__", "of_the_driver")
        sent = UserCode((), Squared()).pickled(pickle.dumps)
    with pytest.raises(ClusterError, match="No module named 'of_the_driver'; install its module on all nodes"):
        unpickle_code(sent)


def test_rejects_knowledge_unsupported_by_shards(news: tw.Corpus, tmp_path: Path) -> None:
    """Errors come before anything is written."""
    backend = tw.DiskBackend(2, checkpoint_dir=tmp_path / "run")
    with pytest.raises(InputError, match=r"needs n_shards=1: got 2"):
        lda(knowledge=[opening("any")]).fit(news, backend=backend)

    class Observed(NamedTuple):
        word: int

    class Nested(NamedTuple):
        inside: tuple[int, int]

    def no_effect(factor: Any, place: Any, counts: Any, multipliers: Any) -> None:
        pass

    register_factor(Observed, no_effect, lambda factor, place, topic: None)
    register_factor(Nested, no_effect)
    with pytest.raises(InputError, match="Observed is registered with on_move"):
        lda(knowledge=[tw.CustomFactor(Observed(1), reads="own")]).fit(news, backend=backend)
    with pytest.raises(InputError, match=r"must be numbers and arrays of them: got \(1, 2\) in inside of Nested"):
        lda(knowledge=[tw.CustomFactor(Nested((1, 2)), reads="own")]).fit(news, backend=backend)
    assert not (tmp_path / "run").exists()
    with pytest.raises(InputError, match="reads must be one of 'own', 'words', 'any'"):
        lda(knowledge=[opening("all")]).fit(news)
