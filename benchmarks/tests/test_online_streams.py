"""The streams and peers of ``python -m benchmarks online``, and figures that are drawn from rows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.common import tomotopy_adapter as their_tomotopy
from benchmarks.online import OnlineResult, report, run
from benchmarks.online.batch import OURS, BatchSweeps
from benchmarks.online.batches import Batch
from benchmarks.online.corpora import tagged
from benchmarks.online.labels import LabelMemory
from benchmarks.online.million import Pass
from benchmarks.online.peers import TomotopyLLDA
from benchmarks.online.points import CONVERGED, LONG, Point, ends
from benchmarks.online.speed import N_TENTHS, Pace
from benchmarks.online.streams import DEFAULTS, PAPER, SINGLE, Follower, bytes_in_all, bytes_of, cut
from benchmarks.online.topics import LabelWords, agreement
from topicwright import OnlineLabeledLDA
from topicwright.corpus.corpus import Corpus

from .helpers import WORDS, printed
from .tiny_stream import PEER, SHORT, documents


@pytest.fixture(scope="module")
def stream() -> Corpus:
    return documents(130)


def test_variants_are_the_defaults_the_papers_and_one_particle() -> None:
    assert DEFAULTS.build(3).get_params() == OnlineLabeledLDA(random_state=3).get_params()
    assert PAPER.build(3).get_params() == OnlineLabeledLDA.paper(random_state=3).get_params()
    assert SINGLE.build(3).get_params() == OnlineLabeledLDA(n_particles=1, random_state=3).get_params()


def test_stream_in_slices_equals_stream_at_once(stream: Corpus) -> None:
    corpus = tagged(stream)
    follower = Follower(DEFAULTS, 5, cut(corpus, 0, 60, 7))
    follower.prepare()
    follower.go_on(cut(corpus, 60, corpus.n_docs, 3))
    while not follower.is_done:
        follower.sweep()
    at_once = OnlineLabeledLDA(random_state=5).fit(corpus)
    assert (follower.settle().topic_word_counts_ != at_once.topic_word_counts_).nnz == 0


def test_bytes_are_those_of_all_arrays(stream: Corpus) -> None:
    follower = Follower(DEFAULTS, 0, cut(tagged(stream), 0, 50, 1))
    follower.sweep()
    model = follower.engine.particles
    parts = [bytes_of(part) for part in model]
    assert bytes_in_all(follower.engine) == sum(parts)
    assert parts[0] == model.count_table.entries.nbytes + model.count_table.lanes.nbytes + model.count_table.used.nbytes


def test_tomotopy_counts_are_mapped_to_labels(stream: Corpus) -> None:
    pytest.importorskip("tomotopy")
    corpus = tagged(stream)
    batch = Batch(corpus, 0, most=20, alpha=0.1, beta=0.1)
    theirs = TomotopyLLDA(corpus, 0, batch, alpha=0.1, beta=0.1)
    while not theirs.is_done:
        if not batch.is_done:
            batch.sweep()
        theirs.sweep()
    model = theirs.settle()
    assert model.topic_word_counts_.sum() == corpus.n_tokens
    for k, name in enumerate(model.topic_names_ or []):
        counts = dict(zip(corpus.vocabulary, model.topic_word_counts_.toarray()[k]))
        own = sum(counts[word] for word in WORDS[name])
        assert own > 0.7 * sum(counts.values())
        assert theirs.model.get_count_by_topics()[_topic_of(theirs, name)] == sum(counts.values())


def _topic_of(theirs: TomotopyLLDA, name: str) -> int:
    names = theirs.model.topic_label_dict
    return next(k for k in range(len(names)) if names[k] == name)


def test_missing_tomotopy_is_reported(stream: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(their_tomotopy, "find_spec", lambda name: None)
    alone = run(replace(SHORT, parts=("topics", "time", "batch"), repeats=1), stream)
    assert alone.notes.count("tomotopy is not installed: its LLDA is left out") == 1
    assert [row.program for row in alone.batch] == [OURS]
    assert PEER not in alone.methods()
    assert alone.goals()[-1].met is None
    assert "Figure 3" in printed(report, alone)


def test_tomotopy_is_skipped_for_many_labels() -> None:
    pytest.importorskip("tomotopy")
    labels = [[f"{d} {n}" for n in range(400)] for d in range(100)]
    assert "40,000 labels" in (TomotopyLLDA.why_not(Corpus.from_texts(["red"] * 100, labels=labels)) or "")


# ---------------------------------------------------------------------- figures drawn from rows


def points(seconds: dict[str, list[float]], scores: dict[str, float]) -> OnlineResult:
    rows = [
        Point(method, 0, 1000 * (n + 1), 9, second, {"fold-in": scores[method]}, None if method == "stream" else 1)
        for method, own in seconds.items()
        for n, second in enumerate(own)
    ]
    parameters = {"parts": ["perplexity", "time"], "seed": 0, "repeats": 1, "sweeps": 7}
    return OnlineResult({"stream": {"n_docs": 2000}}, parameters, {}, points=rows)


def test_goals_use_the_last_point() -> None:
    scores = {"stream": 102.0, CONVERGED: 100.0, LONG: 99.0}
    found = points(
        {"stream": [1.0] * 7 + [2.0], CONVERGED: [1.0] * 6 + [1.5] * 2, LONG: [10.0] * 6 + [20.0] * 2}, scores
    )
    by_fold_in, by_completion, long, converged = found.goals()
    assert (by_fold_in.value, by_fold_in.met) == (1.02, False)
    assert by_completion.value is None
    assert (long.value, long.met) == (50.0, True)  # 6 × 10 + 2 × 20 to 2
    assert (converged.value, converged.met) == (4.5, True)
    assert found.speedup_once(LONG, "stream", 8000) == 10.0
    few = points({"stream": [1.0, 2.0], CONVERGED: [4.0, 5.0], LONG: [40.0, 60.0]}, scores)
    assert [goal.value for goal in few.goals()] == [1.02, None, None, None]  # batches are made at two points only
    assert few.speedup(LONG, "stream", 1000) == 40.0


def test_growth_compares_slices_of_one_turn() -> None:
    tokens = [[1, 1]] * N_TENTHS
    row = Pace("stream", 10, 0, tokens, tokens, [[1.0, 1.0]] * 9 + [[3.0, 30.0]], [2.0, 20.0], 20, 4)
    assert row.growth == 1.5
    assert row.cost(1) == 1.0
    assert row.redraws == 1.0
    sizes = {"n_particles": 8, "n_docs": 1, "n_words": 1, "n_labels": 1, "n_pairs": 1, "reservoir": 0}
    last = Pass(9, 0, **sizes, pair_bytes=0, state_bytes=0, memory_growth=None, n_tokens=[2, 2], seconds=[2.0, 4.0])
    assert last.growth is None
    assert replace(last, young_tokens=[1, 1], young_seconds=[1.0, 2.0]).growth == 1.0


def test_goals_of_speed_and_memory() -> None:
    tokens = [[10] * 10] * N_TENTHS
    pace = Pace("stream", 10, 0, tokens, tokens, [[1e-5] * 10] * N_TENTHS, [1e-5] * 10)
    many = [LabelMemory(n, 0, n_used=n, n_pairs=[10], pair_bytes=[size]) for n, size in ((1_000, 100), (100_000, 150))]
    batch = [BatchSweeps(OURS, 10, 983, [[1.0, 2.0]]), BatchSweeps(PEER, 10, 983, [[6.0, 10.0]])]
    parameters = {"parts": ["speed", "labels", "batch"]}
    corpora = {"stream": {"n_docs": 100_000}}
    found = OnlineResult(corpora, parameters, {}, speed=[pace], labels=many, batch=batch)
    rate, growth, pairs, sweeps = found.goals()
    assert rate.value == pytest.approx(1e7)
    assert growth.value == pytest.approx(1.0)
    assert pairs.value == pytest.approx(1.5)
    assert sweeps.value == pytest.approx(5.5)
    assert all(goal.met for goal in found.goals())
    assert OnlineResult({"stream": {"n_docs": 9}}, parameters, {}, speed=[pace]).goals()[0].value is None


def test_agreement_is_a_mean_over_labels_or_documents() -> None:
    rows = [LabelWords("a", 0, 3, {"stream": 1.0}), LabelWords("b", 0, 1, {"stream": 0.0})]
    assert agreement(rows, "stream", weighted=False) == 0.5
    assert agreement(rows, "stream", weighted=True) == 0.75
    assert agreement(rows, "tomotopy", weighted=True) is None


@pytest.mark.parametrize(
    ("n_docs", "every", "held_out", "expected"),
    [(100, 30, 10, [30, 60, 90]), (100, 30, 11, [30, 60]), (20, None, 10, list(range(1, 11))), (5, None, 5, [])],
)
def test_points(n_docs: int, every: int | None, held_out: int, expected: list[int]) -> None:
    assert ends(n_docs, every, held_out) == expected
