"""``python -m benchmarks online`` on a tiny stream: what its parts run, report and write. Times are not checked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.assertions import raises_input

from benchmarks.common.machine import resident_memory
from benchmarks.online import PARTS, OnlineOptions, OnlineResult, paper, plots, report, run
from benchmarks.online.batch import OURS
from benchmarks.online.batches import Batch
from benchmarks.online.corpora import tagged
from benchmarks.online.labels import drawn
from benchmarks.online.million import one_pass
from benchmarks.online.points import CONVERGED, LONG
from benchmarks.online.speed import N_TENTHS
from benchmarks.online.topics import AGAIN, LabelWords
from topicwright import LabeledLDA, OnlineLabeledLDA
from topicwright.corpus.corpus import Corpus

from .helpers import WORDS, check_comes_back, images, printed
from .tiny_stream import PEER, PEERS, SHORT, STREAMS, documents


@pytest.fixture(scope="module")
def stream() -> Corpus:
    return documents(130)


@pytest.fixture(scope="module")
def result(stream: Corpus) -> OnlineResult:
    """All parts."""
    return run(SHORT, stream)


# ---------------------------------------------------------------------- parts


def test_documents_without_words_or_labels_are_left_out(stream: Corpus, result: OnlineResult) -> None:
    assert tagged(stream).n_docs == 125
    assert result.corpora["stream"] == {"n_docs": 125, "n_tokens": 1500, "n_words": 18, "n_labels": 3, "n_tags": 185}
    assert "documents without words or labels, which are left out: 5" in result.notes


def test_topics_have_the_words_of_all_methods(result: OnlineResult) -> None:
    methods = [*STREAMS[:2], CONVERGED, AGAIN, *PEERS]
    assert [(row.seed, row.label) for row in result.topics if row.seed == 0] == [(0, label) for label in _shown(result)]
    assert len(result.topics) == 6  # two runs of three labels
    for row in result.topics:
        assert list(row.words) == methods
        assert set(row.words[CONVERGED][:4]) <= set(WORDS[row.label])
        assert list(row.overlap) == [name for name in methods if name != CONVERGED]
        assert all(0.5 <= share <= 1.0 for share in row.overlap.values())


def _shown(result: OnlineResult) -> list[str]:
    return list(dict.fromkeys(row.label for row in result.topics))


def test_requested_label_is_shown_first(stream: Corpus) -> None:
    found = run(replace(SHORT, parts=("topics",), label=("sea",), peers=(), repeats=1), stream).topics
    assert [(row.label, bool(row.words)) for row in found] == [("sea", True), ("money", False), ("sport", False)]
    with raises_input("label", got="war"):
        run(OnlineOptions(parts=("topics",), label=("war",), peers=()), stream)


def test_points_have_every_method_at_every_point(result: OnlineResult) -> None:
    methods = [*STREAMS, CONVERGED, *PEERS, LONG]
    expected = [(seed, end, method) for seed in (0, 1) for end in (40, 80) for method in methods]
    assert [(point.seed, point.n_docs, point.method) for point in result.points] == expected
    assert result.ends() == [40, 80]
    for point in result.points:
        assert point.n_tokens == 12 * point.n_docs
        assert point.method == LONG or set(point.perplexity) == {"fold-in", "completion"}
        assert all(1 < value < 18 for value in point.perplexity.values())  # 18 words: better than knowing nothing
        assert (point.n_sweeps is None) == (point.method in STREAMS)


def test_streams_continue_and_batches_restart(result: OnlineResult) -> None:
    first, second = (result.at("stream", end)[0] for end in (40, 80))
    assert second.seconds > first.seconds > 0
    batch, long = result.at(CONVERGED, 80)[0], result.at(LONG, 80)[0]
    assert batch.n_sweeps == batch.n_measured == long.n_measured
    assert long.n_sweeps == SHORT.sweeps
    assert long.seconds > batch.seconds
    assert all(point.n_sweeps == batch.n_sweeps for point in result.at(PEER, 80)[:1])  # as many as ours


def test_all_sweeps_run_on_request(stream: Corpus) -> None:
    options = replace(SHORT, parts=("time",), full=True, peers=(), repeats=1)
    full = run(options, stream)
    for point in full.points:
        if point.method == LONG:
            assert point.n_measured == point.n_sweeps == SHORT.sweeps
            assert set(point.perplexity) == {"fold-in", "completion"}
    assert "reckoned" not in printed(report, full)
    assert not full.has("perplexity")


def test_a_batch_that_has_not_converged_is_noted(stream: Corpus) -> None:
    found = run(replace(SHORT, parts=("time",), sweeps=3, tol=1e-9, peers=(), repeats=1), stream)
    assert "a batch of 40 documents had not converged after 3 sweeps" in found.notes
    assert {point.n_sweeps for point in found.points if point.method in (CONVERGED, LONG)} == {3}


def test_perplexity_equals_that_of_the_model(stream: Corpus, result: OnlineResult) -> None:
    corpus = tagged(stream)
    seen, held_out = corpus.select(np.arange(80)), corpus.select(np.arange(80, 100))
    ours = OnlineLabeledLDA(random_state=0, vocabulary=corpus.vocabulary).fit(seen)
    assert result.at("stream", 80)[0].perplexity["fold-in"] == pytest.approx(ours.perplexity(held_out))
    batch = result.at(CONVERGED, 80)[0]
    model = LabeledLDA(n_sweeps=batch.n_sweeps or 0, random_state=0).fit(seen)
    assert batch.perplexity["completion"] == pytest.approx(model.perplexity(held_out, method="completion"))


def test_batch_stops_at_the_same_sweep_as_the_model(stream: Corpus) -> None:
    corpus = tagged(stream)
    batch = Batch(corpus, 3, most=200, tol=0.01, check_every=5, alpha=0.1, beta=0.1)
    while not batch.is_done:
        batch.sweep()
        batch.look()
    model = LabeledLDA(n_sweeps=200, tol=0.01, evaluate_every=5, random_state=3).fit(corpus)
    assert model.converged_
    assert batch.engine.sweep_number == model.sweeps_
    assert np.array_equal(batch.settle().assignments_, model.assignments_)


def test_speed_covers_every_tenth_and_a_fresh_stream(result: OnlineResult) -> None:
    assert [(row.variant, row.seed) for row in result.speed] == [
        (name, seed) for seed in (0, 1) for name in STREAMS[:2]
    ]
    for row in result.speed:
        assert row.n_particles == 10
        assert row.total == 1500
        assert 1.0 < row.labels(0) < 2.0
        assert len(row.seconds) == len(row.n_tokens) == N_TENTHS
        assert [len(own) for own in row.seconds] == [len(own) for own in row.n_tokens]
        assert len(row.young_seconds) == len(row.n_tokens[1])
        assert row.growth is not None
        assert row.growth > 0
    assert result.speed[1].n_resamplings > 0  # the paper's settings
    assert result.speed[1].redraws > 0


def test_the_long_stream_grows(stream: Corpus, result: OnlineResult) -> None:
    rows = [row for row in result.million if row.seed == 0]
    assert [row.n_docs for row in rows] == [125, 250, 375]
    for quantity in ("n_words", "n_labels", "n_pairs"):
        sizes = [getattr(row, quantity) for row in rows]
        assert sizes == sorted(sizes)
        assert sizes[-1] > sizes[0]
    assert all(sum(row.n_tokens) == 1500 for row in rows)
    assert [row.growth is not None for row in rows] == [False, False, True]
    assert all(row.state_bytes > row.pair_bytes > 0 for row in rows)
    if resident_memory() is not None:
        assert all(row.memory_growth is not None for row in rows)


def test_later_passes_rename_words(stream: Corpus) -> None:
    corpus = tagged(stream)
    first, second = (list(one_pass(corpus, number, seed=4)) for number in (0, 1))
    assert [words for part in first for words in part.words] == [corpus.words(d) for d in range(corpus.n_docs)]
    known = set(corpus.vocabulary)
    new = {word for part in second for words in part.words for word in words} - known
    assert new
    assert all(word.removesuffix(" 1") in known for word in new)
    assert second == list(one_pass(corpus, 1, seed=4))


def test_memory_grows_with_label_word_pairs(result: OnlineResult) -> None:
    assert [row.n_labels for row in result.labels] == [1_000, 10_000, 100_000] * 2
    for row in result.labels:
        assert len(row.n_pairs) == len(row.pair_bytes) == len(row.seconds) == N_TENTHS
        assert row.n_pairs == sorted(row.n_pairs)
        assert row.n_used > 125  # one in turn for each document, and some by chance
        assert row.n_pairs[-1] <= 3 * 1500
        assert row.bytes_of_a_pair * row.n_pairs[-1] == pytest.approx(row.pair_bytes[-1])
        assert row.full_bytes == row.n_used * 18 * row.n_particles * row.count_bytes


def test_all_labels_occur_given_enough_documents() -> None:
    labels = drawn(300, 200, seed=2)
    assert {label for own in labels for label in own} == {f"label {n}" for n in range(200)}
    assert all(len(set(own)) == len(own) for own in labels)


def test_batch_has_times_of_measured_sweeps(result: OnlineResult) -> None:
    assert [row.program for row in result.batch] == [OURS, *PEERS]
    assert all([len(run) for run in row.seconds] == [2, 2] for row in result.batch)
    assert {(row.n_tokens, row.n_labels) for row in result.batch} == {(1500, 3)}


# ---------------------------------------------------------------------- reports and files


def test_tables_show_figures_of_the_paper(result: OnlineResult) -> None:
    text = " ".join(printed(report, result).split())
    for title in ("Tables 2 and 3", "Figure 2", "Figure 3", "Speed of the stream", "Many labels", "A sweep of batch"):
        assert title in text
    assert "A stream of 375 documents that grows" in text
    assert "batch, 30 sweeps" in text
    assert "recommender systems" in text
    assert paper.PERPLEXITY.split(";")[0] in text
    assert "The time of 30 sweeps is extrapolated" in text
    assert "not measured" in text


def test_only_selected_parts_are_shown(stream: Corpus) -> None:
    text = printed(report, run(replace(SHORT, parts=("perplexity",), peers=(), repeats=1), stream))
    assert "Figure 2" in text
    assert "Figure 3" not in text
    assert "times as fast" not in text


def test_labels_with_brackets_are_escaped() -> None:
    words = {"stream": ["[red]"], CONVERGED: ["[/x]"]}
    rows = [LabelWords("[bold]", 0, 3, {"stream": 0.0}, words)]
    sizes = {"n_docs": 3, "n_tokens": 3, "n_labels": 1}
    text = printed(
        report, OnlineResult({"stream": sizes}, {"parts": ["topics"], "seed": 0, "repeats": 1}, {}, topics=rows)
    )
    assert all(name in text for name in ("[bold]", "[red]", "[/x]"))


def test_json_round_trip(result: OnlineResult, tmp_path: Path) -> None:
    check_comes_back(result, report, tmp_path / "out.json")


def test_plots_are_images(result: OnlineResult, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert images(plots, result, tmp_path / "new") == [part for part in PARTS if part not in ("topics", "batch")]


def test_a_small_run_measures_no_goal(result: OnlineResult) -> None:
    assert len(result.goals()) == 11
    assert {goal.met for goal in result.goals()} == {None}
