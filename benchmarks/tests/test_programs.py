from __future__ import annotations

import shutil
from collections.abc import Iterator

import numpy as np
import pytest

from benchmarks.common.metrics import Completion, joint_log_likelihood
from benchmarks.lda import PROGRAMS
from benchmarks.lda._cpp import Cpp
from benchmarks.lda._programs import Program, Task, Tomotopy
from topicwright._sampling.engine import SamplingProblem
from topicwright._sampling.random import streams
from topicwright._sampling.sparse_lda.engine import SparseEngine
from topicwright.corpus.corpus import Corpus
from topicwright.knowledge import CompiledKnowledge, TopicNumbers

K, ALPHA, BETA = 5, 0.1, 0.01
SAMPLERS = [name for name, program in PROGRAMS.items() if not program.variational]


@pytest.fixture
def program(request: pytest.FixtureRequest, corpus: Corpus) -> Iterator[Program]:
    """Program of this name, prepared for the corpus."""
    kind = PROGRAMS[request.param]
    if reason := kind.missing():
        pytest.skip(f"{request.param}: {reason}")
    program = kind()
    program.setup(Task(corpus, K, ALPHA, BETA, seed=1))
    yield program
    program.close()


@pytest.mark.parametrize("program", SAMPLERS, indirect=True)
def test_likelihood_of_a_sampler_rises(program: Program, corpus: Corpus) -> None:
    random = np.random.default_rng(0).integers(0, K, size=corpus.n_tokens)
    program.advance(3)
    early = program.assignments()
    program.advance(30)
    late = program.assignments()
    before, then, now = (joint_log_likelihood(corpus, z, K, ALPHA, BETA) for z in (random, early, late))
    assert before < now
    assert then - 0.05 < now  # it may have been there already; never far below
    assert np.isfinite(now)


@pytest.mark.parametrize("program", SAMPLERS, indirect=True)
def test_a_sampler_finds_sport_and_money(program: Program, corpus: Corpus) -> None:
    """Documents share no word across the two, so hardly any topic holds words of both."""
    program.advance(40)
    z = program.assignments()
    sport = np.bincount(z[corpus.tokens < 4], minlength=K)
    money = np.bincount(z[corpus.tokens >= 4], minlength=K)
    assert np.minimum(sport, money).sum() < 0.05 * corpus.n_tokens


@pytest.mark.parametrize("program", list(PROGRAMS), indirect=True)
def test_topics_of_every_program_predict_better_than_none(program: Program, corpus: Corpus) -> None:
    program.advance(5)
    topics = program.topic_word()
    assert topics.shape == (K, corpus.n_words)
    np.testing.assert_allclose(topics.sum(axis=1), 1.0, rtol=1e-5)
    frequencies = (corpus.word_counts() + BETA)[None, :]
    evaluator = Completion(corpus, ALPHA)
    assert evaluator.perplexity(topics) < evaluator.perplexity(frequencies / frequencies.sum())


@pytest.mark.parametrize("program", list(PROGRAMS), indirect=True)
def test_sweeps_take_time_on_the_programs_own_clock(program: Program) -> None:
    start = program.cpu_seconds()
    program.advance(3)
    assert program.cpu_seconds() > start


@pytest.mark.parametrize("program", list(PROGRAMS), indirect=True)
def test_new_documents(program: Program, corpus: Corpus) -> None:
    program.advance(3)
    transform = program.transformer()
    assert (transform is None) == isinstance(program, Cpp)
    if transform is not None:
        transform(corpus.select([0, 10, 1]))  # one of them is empty


@pytest.mark.parametrize("program", ["tomotopy"], indirect=True)
def test_tomotopy_assignments_align_with_tokens(program: Tomotopy, corpus: Corpus) -> None:
    """Its own counts of words in topics are those of the assignments that were read back."""
    program.advance(4)
    z = program.assignments()
    ours = np.zeros((corpus.n_words, K))
    np.add.at(ours, (corpus.tokens, z), 1)
    theirs = np.array([program.theirs.model.get_topic_word_dist(k, normalize=False) for k in range(K)]).T - BETA
    rows = [list(corpus.vocabulary).index(word) for word in program.theirs.model.used_vocabs]
    np.testing.assert_allclose(ours[rows], theirs, atol=1e-4)
    doc_of = np.flatnonzero(corpus.doc_lengths())
    for doc, d in zip(program.theirs.model.docs, doc_of):
        start, end = corpus.offsets[d], corpus.offsets[d + 1]
        assert sorted(doc.topics) == sorted(z[start:end])


def test_missing_compiler_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert Cpp.missing() in ("no compiler (g++)", "needs the source tree")


@pytest.mark.parametrize("program", ["cpp"], indirect=True)
def test_same_seed_same_topics_in_cpp(program: Cpp, corpus: Corpus) -> None:
    other = Cpp()
    other.setup(program.task)
    program.advance(3)
    other.advance(1)
    other.advance(2)
    np.testing.assert_array_equal(program.assignments(), other.assignments())
    other.close()


@pytest.mark.parametrize("n_topics", [K, 600])  # the latter draws from blocks of topics
def test_cpp_is_the_same_sampler_as_ours(corpus: Corpus, n_topics: int) -> None:
    """Given the same random numbers it draws the same topics."""
    if reason := Cpp.missing():
        pytest.skip(reason)
    alpha = np.full(n_topics, ALPHA)
    nothing = CompiledKnowledge(TopicNumbers(n_topics))
    job = SamplingProblem(corpus.tokens, corpus.offsets, corpus.n_words, n_topics, alpha, BETA, 4, nothing)
    ours = SparseEngine(job, n_blocks=1)
    theirs = Cpp()
    theirs.flags = ("-ffp-contract=off",)  # the same arithmetic, to the last bit
    theirs.setup(Task(corpus, n_topics, ALPHA, BETA, seed=4))
    for sweep in range(6):
        state, step = streams(4, 1, sweep)[0, :2].tolist()
        theirs.use_stream(state, step)
        theirs.advance(1)
        ours.sweep()
        np.testing.assert_array_equal(theirs.assignments(), ours.assignments)
    theirs.close()


def test_our_program_equals_fit(corpus: Corpus) -> None:
    """The adapter calls the engine directly; the result must equal that of the estimator."""
    import topicwright as tw

    program = PROGRAMS["topicwright"]()
    program.setup(Task(corpus, K, ALPHA, BETA, seed=3))
    program.advance(2)
    program.advance(5)
    lda = tw.LDA(n_topics=K, alpha=ALPHA, beta=BETA, n_sweeps=7, random_state=3).fit(corpus)
    np.testing.assert_array_equal(program.assignments(), lda.assignments_)
