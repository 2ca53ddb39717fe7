"""The parts of ``benchmark online`` on a tiny stream: what they run, say and write. Nothing here looks at times."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from topicwright import LabeledLDA, OnlineLabeledLDA
from topicwright.benchmarks import their_tomotopy
from topicwright.benchmarks.machine import resident_memory
from topicwright.benchmarks.online import PARTS, Options, Result, paper, plots, report, run
from topicwright.benchmarks.online.batch import OURS, Sweeps
from topicwright.benchmarks.online.batches import Batch
from topicwright.benchmarks.online.labels import ManyLabels, drawn
from topicwright.benchmarks.online.loading import Source, load, mixed, tagged
from topicwright.benchmarks.online.million import Pass, one_pass
from topicwright.benchmarks.online.peers import TomotopyLLDA
from topicwright.benchmarks.online.points import CONVERGED, LONG, Point, ends
from topicwright.benchmarks.online.speed import N_TENTHS, Pace
from topicwright.benchmarks.online.streams import (
    DEFAULTS,
    PAPER,
    SINGLE,
    Follower,
    bytes_in_all,
    bytes_of,
    cut,
)
from topicwright.benchmarks.online.topics import AGAIN, LabelWords, agreement
from topicwright.benchmarks.plotting import write
from topicwright.benchmarks.tables import with_goals
from topicwright.cli._app import app
from topicwright.corpus.core import Corpus
from topicwright.errors import InputError

WORDS = {
    "sport": ["goal", "team", "match", "score", "league", "coach"],
    "money": ["stock", "bond", "price", "market", "bank", "rate"],
    "sea": ["ship", "sail", "storm", "wave", "harbour", "anchor"],
}
NAMES = sorted(WORDS)
PEER = TomotopyLLDA.name
PEERS = [PEER] if find_spec("tomotopy") else []
STREAMS = ["stream", "stream, paper's settings", "stream, one particle"]
SHORT = Options(every=40, held_out=20, sweeps=30, check_every=2, passes=3, rounds=2, warm_up=1, repeats=2)


def documents(n: int, seed: int = 1) -> Corpus:
    """Documents of one label or two, and their words; every thirtieth has no label, and one has no words."""
    random = np.random.default_rng(seed)
    labels = [[] if d % 30 == 29 else [NAMES[d % 3], NAMES[(d + 1) % 3]][: 1 + d % 2] for d in range(n)]
    words = [
        [str(random.choice(WORDS[str(random.choice(own))])) for _ in range(12)] if own else ["goal"] for own in labels
    ]
    words[7] = []
    return Corpus.from_tokens(words, labels=labels)


@pytest.fixture(scope="module")
def stream() -> Corpus:
    return documents(130)


@pytest.fixture(scope="module")
def result(stream: Corpus) -> Result:
    """All parts."""
    return run(SHORT, stream)


def printed(result: Result) -> str:
    console = Console(width=240)
    with console.capture() as capture:
        for view in with_goals(report, result):
            console.print(view)
    return capture.get()


def call(*arguments: Any) -> Any:
    return CliRunner().invoke(app, ["benchmark", "online", *map(str, arguments)])


# ---------------------------------------------------------------------- parts


def test_documents_without_words_or_labels_are_left_out(stream: Corpus, result: Result) -> None:
    assert tagged(stream).n_docs == 125
    assert result.corpora["stream"] == {"n_docs": 125, "n_tokens": 1500, "n_words": 18, "n_labels": 3, "n_tags": 185}
    assert "documents without words or labels, which are left out: 5" in result.notes


def test_topics_have_the_words_of_all_methods(result: Result) -> None:
    methods = [*STREAMS[:2], CONVERGED, AGAIN, *PEERS]
    assert [(row.seed, row.label) for row in result.topics if row.seed == 0] == [(0, label) for label in _shown(result)]
    assert len(result.topics) == 6  # two runs of three labels
    for row in result.topics:
        assert list(row.words) == methods
        assert set(row.words[CONVERGED][:4]) <= set(WORDS[row.label])
        assert list(row.overlap) == [name for name in methods if name != CONVERGED]
        assert all(0.5 <= share <= 1.0 for share in row.overlap.values())


def _shown(result: Result) -> list[str]:
    return list(dict.fromkeys(row.label for row in result.topics))


def test_a_label_to_show_is_shown_first(stream: Corpus) -> None:
    found = run(replace(SHORT, parts=("topics",), label=("sea",), peers=(), repeats=1), stream).topics
    assert [(row.label, bool(row.words)) for row in found] == [("sea", True), ("money", False), ("sport", False)]
    with pytest.raises(InputError, match="label must be one that documents have: got war"):
        run(Options(parts=("topics",), label=("war",), peers=()), stream)


def test_points_have_every_method_at_every_point(result: Result) -> None:
    methods = [*STREAMS, CONVERGED, *PEERS, LONG]
    expected = [(seed, end, method) for seed in (0, 1) for end in (40, 80) for method in methods]
    assert [(point.seed, point.n_docs, point.method) for point in result.points] == expected
    assert result.ends() == [40, 80]
    for point in result.points:
        assert point.n_tokens == 12 * point.n_docs
        assert point.method == LONG or set(point.perplexity) == {"fold-in", "completion"}
        assert all(1 < value < 18 for value in point.perplexity.values())  # 18 words: better than knowing nothing
        assert (point.n_sweeps is None) == (point.method in STREAMS)


def test_streams_go_on_and_batches_begin_anew(result: Result) -> None:
    first, second = (result.at("stream", end)[0] for end in (40, 80))
    assert second.seconds > first.seconds > 0
    batch, long = result.at(CONVERGED, 80)[0], result.at(LONG, 80)[0]
    assert batch.n_sweeps == batch.n_measured == long.n_measured
    assert long.n_sweeps == SHORT.sweeps
    assert long.seconds > batch.seconds
    assert all(point.n_sweeps == batch.n_sweeps for point in result.at(PEER, 80)[:1])  # as many as ours


def test_all_sweeps_are_run_if_asked_for(stream: Corpus) -> None:
    options = replace(SHORT, parts=("time",), full=True, peers=(), repeats=1)
    full = run(options, stream)
    for point in full.points:
        if point.method == LONG:
            assert point.n_measured == point.n_sweeps == SHORT.sweeps
            assert set(point.perplexity) == {"fold-in", "completion"}
    assert "reckoned" not in printed(full)
    assert not full.has("perplexity")


def test_a_batch_that_has_not_converged_is_noted(stream: Corpus) -> None:
    found = run(replace(SHORT, parts=("time",), sweeps=3, tol=1e-9, peers=(), repeats=1), stream)
    assert "a batch of 40 documents had not converged after 3 sweeps" in found.notes
    assert {point.n_sweeps for point in found.points if point.method in (CONVERGED, LONG)} == {3}


def test_perplexity_is_that_of_the_models_themselves(stream: Corpus, result: Result) -> None:
    corpus = tagged(stream)
    seen, held_out = corpus.select(np.arange(80)), corpus.select(np.arange(80, 100))
    ours = OnlineLabeledLDA(random_state=0, vocabulary=corpus.vocabulary).fit(seen)
    assert result.at("stream", 80)[0].perplexity["fold-in"] == pytest.approx(ours.perplexity(held_out))
    batch = result.at(CONVERGED, 80)[0]
    model = LabeledLDA(n_sweeps=batch.n_sweeps or 0, random_state=0).fit(seen)
    assert batch.perplexity["completion"] == pytest.approx(model.perplexity(held_out, method="completion"))


def test_a_batch_stops_where_its_model_would(stream: Corpus) -> None:
    corpus = tagged(stream)
    batch = Batch(corpus, 3, most=200, tol=0.01, check_every=5, alpha=0.1, beta=0.1)
    while not batch.is_done:
        batch.sweep()
        batch.look()
    model = LabeledLDA(n_sweeps=200, tol=0.01, evaluate_every=5, random_state=3).fit(corpus)
    assert model.converged_
    assert batch.engine.sweep_number == model.sweeps_
    assert np.array_equal(batch.settle().assignments_, model.assignments_)


def test_speed_has_every_tenth_and_a_young_stream_beside_the_last(result: Result) -> None:
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


def test_the_long_stream_grows(stream: Corpus, result: Result) -> None:
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


def test_a_pass_has_new_names_but_the_first(stream: Corpus) -> None:
    corpus = tagged(stream)
    first, second = (list(one_pass(corpus, number, seed=4)) for number in (0, 1))
    assert [words for part in first for words in part.words] == [corpus.words(d) for d in range(corpus.n_docs)]
    known = set(corpus.vocabulary)
    new = {word for part in second for words in part.words for word in words} - known
    assert new
    assert all(word.removesuffix(" 1") in known for word in new)
    assert second == list(one_pass(corpus, 1, seed=4))


def test_many_labels_take_memory_by_pairs(result: Result) -> None:
    assert [row.n_labels for row in result.labels] == [1_000, 10_000, 100_000] * 2
    for row in result.labels:
        assert len(row.n_pairs) == len(row.pair_bytes) == len(row.seconds) == N_TENTHS
        assert row.n_pairs == sorted(row.n_pairs)
        assert row.n_used > 125  # one in turn for each document, and some by chance
        assert row.n_pairs[-1] <= 3 * 1500
        assert row.bytes_of_a_pair * row.n_pairs[-1] == pytest.approx(row.pair_bytes[-1])
        assert row.full_bytes == row.n_used * 18 * row.n_particles * row.count_bytes


def test_all_labels_come_up_where_documents_are_enough() -> None:
    labels = drawn(300, 200, seed=2)
    assert {label for own in labels for label in own} == {f"label {n}" for n in range(200)}
    assert all(len(set(own)) == len(own) for own in labels)


def test_batch_has_the_sweeps_that_count(result: Result) -> None:
    assert [row.program for row in result.batch] == [OURS, *PEERS]
    assert all([len(run) for run in row.seconds] == [2, 2] for row in result.batch)
    assert {(row.n_tokens, row.n_labels) for row in result.batch} == {(1500, 3)}


# ---------------------------------------------------------------------- streams and peers


def test_variants_are_the_defaults_the_papers_and_one_particle() -> None:
    assert DEFAULTS.build(3).get_params() == OnlineLabeledLDA(random_state=3).get_params()
    assert PAPER.build(3).get_params() == OnlineLabeledLDA.paper(random_state=3).get_params()
    assert SINGLE.build(3).get_params() == OnlineLabeledLDA(n_particles=1, random_state=3).get_params()


def test_a_stream_reads_slice_by_slice_what_it_would_read_at_once(stream: Corpus) -> None:
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
    model = follower.engine._model
    parts = [bytes_of(part) for part in model]
    assert bytes_in_all(follower.engine) == sum(parts)
    assert parts[0] == model.pairs.table.nbytes + model.pairs.lanes.nbytes + model.pairs.used.nbytes


def test_tomotopys_counts_come_back_under_their_labels(stream: Corpus) -> None:
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


def test_without_tomotopy_ours_runs_alone_and_says_so(stream: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(their_tomotopy, "find_spec", lambda name: None)
    alone = run(replace(SHORT, parts=("topics", "time", "batch"), repeats=1), stream)
    assert alone.notes.count("tomotopy is not installed: its LLDA is left out") == 1
    assert [row.program for row in alone.batch] == [OURS]
    assert PEER not in alone.methods()
    assert alone.goals()[-1].met is None
    assert "Figure 3" in printed(alone)


def test_tomotopy_can_not_have_too_many_labels() -> None:
    pytest.importorskip("tomotopy")
    labels = [[f"{d} {n}" for n in range(400)] for d in range(100)]
    assert "40,000 labels" in (TomotopyLLDA.why_not(Corpus.from_texts(["red"] * 100, labels=labels)) or "")


# ---------------------------------------------------------------------- figures drawn from rows


def points(seconds: dict[str, list[float]], scores: dict[str, float]) -> Result:
    rows = [
        Point(method, 0, 1000 * (n + 1), 9, second, {"fold-in": scores[method]}, None if method == "stream" else 1)
        for method, own in seconds.items()
        for n, second in enumerate(own)
    ]
    parameters = {"parts": ["perplexity", "time"], "seed": 0, "repeats": 1, "sweeps": 7}
    return Result({"stream": {"n_docs": 2000}}, parameters, {}, points=rows)


def test_goals_of_points_are_about_the_last_one() -> None:
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
    many = [ManyLabels(n, 0, n_used=n, n_pairs=[10], pair_bytes=[size]) for n, size in ((1_000, 100), (100_000, 150))]
    batch = [Sweeps(OURS, 10, 983, [[1.0, 2.0]]), Sweeps(PEER, 10, 983, [[6.0, 10.0]])]
    parameters = {"parts": ["speed", "labels", "batch"]}
    corpora = {"stream": {"n_docs": 100_000}}
    found = Result(corpora, parameters, {}, speed=[pace], labels=many, batch=batch)
    rate, growth, pairs, sweeps = found.goals()
    assert rate.value == pytest.approx(1e7)
    assert growth.value == pytest.approx(1.0)
    assert pairs.value == pytest.approx(1.5)
    assert sweeps.value == pytest.approx(5.5)
    assert all(goal.met for goal in found.goals())
    assert Result({"stream": {"n_docs": 9}}, parameters, {}, speed=[pace]).goals()[0].value is None


def test_a_small_run_measures_no_goal(result: Result) -> None:
    assert len(result.goals()) == 11
    assert {goal.met for goal in result.goals()} == {None}


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


# ---------------------------------------------------------------------- reports and files


def test_tables_say_what_the_paper_says(result: Result) -> None:
    text = " ".join(printed(result).split())
    for title in ("Tables 2 and 3", "Figure 2", "Figure 3", "Speed of the stream", "Many labels", "A sweep of batch"):
        assert title in text
    assert "A stream of 375 documents that grows" in text
    assert "batch, 30 sweeps" in text
    assert "recommender systems" in text
    assert paper.PERPLEXITY.split(";")[0] in text
    assert "The time of 30 sweeps is reckoned" in text
    assert "not measured" in text


def test_only_what_was_asked_for_is_shown(stream: Corpus) -> None:
    text = printed(run(replace(SHORT, parts=("perplexity",), peers=(), repeats=1), stream))
    assert "Figure 2" in text
    assert "Figure 3" not in text
    assert "times as fast" not in text


def test_labels_with_brackets_are_shown_as_they_are() -> None:
    words = {"stream": ["[red]"], CONVERGED: ["[/x]"]}
    rows = [LabelWords("[bold]", 0, 3, {"stream": 0.0}, words)]
    sizes = {"n_docs": 3, "n_tokens": 3, "n_labels": 1}
    text = printed(Result({"stream": sizes}, {"parts": ["topics"], "seed": 0, "repeats": 1}, {}, topics=rows))
    assert all(name in text for name in ("[bold]", "[red]", "[/x]"))


def test_json_comes_back_as_it_was(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path / "out.json")
    written = json.loads((tmp_path / "out.json").read_text())
    again = Result.from_dict(written)
    assert again.to_dict() == written
    assert printed(again) == printed(result)


def test_plots_are_images(result: Result, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    written = write(plots.figures(result), tmp_path / "new")
    assert [path.name for path in written] == [f"{part}.png" for part in PARTS if part not in ("topics", "batch")]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in written)


# ---------------------------------------------------------------------- corpora, options and the command


def jsonl(corpus: Corpus, path: Path) -> Path:
    lines = [{"text": " ".join(corpus.words(d)), "labels": own} for d, own in enumerate(corpus.labels or ())]
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def test_the_first_documents_are_read_in_order(stream: Corpus, tmp_path: Path) -> None:
    source = str(jsonl(stream, tmp_path / "tags.jsonl"))
    corpus = load(Source(source, documents=40, min_df=3, stop_words="none"))
    assert corpus.n_docs == 40
    assert corpus.words(0) == [word for word in stream.words(0) if word in corpus.vocabulary]
    assert corpus.labels == (stream.labels or ())[:40]
    assert set(corpus.word_counts() >= 3) == {True}
    mixed_up = load(Source(source, documents=40, shuffle=True, min_df=1, stop_words="goal, team"))
    assert mixed_up.n_docs == 40
    assert mixed_up.labels != corpus.labels
    assert not {"goal", "team"} & set(mixed_up.vocabulary)


def test_counts_are_taken_as_they_are_in_an_order_by_chance(tmp_path: Path) -> None:
    (tmp_path / "x.docword.txt").write_text("2\n3\n3\n1 1 30\n1 2 30\n2 3 1\n")
    (tmp_path / "x.vocab.txt").write_text("the\nship\nlrb\n")
    (tmp_path / "x.docs.jsonl").write_text('{"labels": ["sea", "rare"]}\n{"labels": ["sea"]}\n')
    source = str(tmp_path / "x.docword.txt")
    corpus = load(Source(source, label_min_df=2))
    assert corpus.vocabulary.tolist() == ["the", "ship", "lrb"]
    assert corpus.labels == (("sea",), ("sea",))
    assert corpus.words(0) != sorted(corpus.words(0), reverse=True)
    assert sorted(corpus.words(0)) == ["ship"] * 30 + ["the"] * 30
    assert np.array_equal(corpus.tokens, load(Source(source)).tokens)
    assert not np.array_equal(mixed(corpus, 1).tokens, mixed(corpus, 2).tokens)
    assert load(Source(source, stop_words="lrb")).vocabulary.tolist() == ["the", "ship"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"parts": ("table9",)}, "part must be one of topics, perplexity"),
        ({"every": 0}, "every must be at least 1: got 0"),
        ({"passes": 1}, "passes must be at least 2: got 1"),
        ({"tol": 0.0}, "tol must be a positive number"),
        ({"warm_up": -1}, "warm_up must not be negative"),
        ({"peers": ("gensim",)}, "peers must be some of tomotopy, or none: got gensim"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Options(**options)


def test_a_stream_must_be_long_enough(stream: Corpus) -> None:
    with pytest.raises(InputError, match="documents with words and labels: got none"):
        run(SHORT, replace(stream, labels=None))
    with pytest.raises(InputError, match="125 documents are too few for a point every 100, with 50 held out"):
        run(replace(SHORT, parts=("time",), every=100, held_out=50), stream)
    with pytest.raises(InputError, match="need 10 documents or more: got 9"):
        run(replace(SHORT, parts=("speed",)), tagged(stream).select(np.arange(9)))


def test_the_command(stream: Corpus, tmp_path: Path) -> None:
    source, output = jsonl(stream, tmp_path / "tags.jsonl"), tmp_path / "out.json"
    options = ["--stop-words", "none", "--every", 40, "--held-out", 20, "--sweeps", 20, "--peers", "none"]
    done = call("--part", "time", "--part", "batch", "--corpus", source, *options, "--json", output)
    assert done.exit_code == 0, done.output
    assert "Figure 3" in done.stdout
    assert "which are left out: 5" in done.stdout
    assert json.loads(output.read_text())["parameters"]["parts"] == ["time", "batch"]


def test_wrong_use_is_exit_code_2(tmp_path: Path) -> None:
    assert call("--part", "table9").exit_code == 2
    assert call("--corpus", tmp_path / "nowhere.jsonl").exit_code == 2
    assert call("--documents", 0).exit_code == 2
    assert call("--peers", "gensim").exit_code == 2


def test_help_has_an_example_and_names_the_parts() -> None:
    done = call("--help")
    assert done.exit_code == 0
    assert "Example" in done.stdout
    assert all(part in done.stdout for part in PARTS)
