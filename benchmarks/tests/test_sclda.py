"""``python -m benchmarks sclda`` on a tiny corpus: what its parts run, report and write. Times are not checked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.assertions import raises_input

from benchmarks.common.base import Goal
from benchmarks.sclda import PARTS, SCLDAOptions, SCLDAResult, paper, plots, report, run
from benchmarks.sclda.corpora import find_links, load_corpora, read_links
from benchmarks.sclda.figure2 import LikelihoodCurve
from benchmarks.sclda.figure3 import Coherences, gain
from benchmarks.sclda.labels import draw_labels
from benchmarks.sclda.table2 import LinkedSweeps
from benchmarks.sclda.table3 import LabeledSweeps
from topicwright._sampling.labeled.engine import LabeledEngine
from topicwright.corpus.corpus import Corpus
from topicwright.errors import InputError
from topicwright.knowledge.links import DEFAULT_FIRMNESS

from .helpers import call, check_comes_back, images, printed

SPORT = ["goal", "team", "match", "score", "league", "coach", "player", "season", "win", "pitch", "ball", "keeper"]
MONEY = ["stock", "bond", "price", "market", "bank", "rate", "trade", "fund", "share", "yield", "loan", "profit"]
LINKS = [("goal", "score"), ("stock", "bond"), ("price", "market")]
SOFT = f"SC-LDA, firmness {DEFAULT_FIRMNESS:g}"
SHORT = SCLDAOptions(n_topics=3, many_topics=2, sweeps=4, rounds=2, warm_up=1, seconds=0.02, repeats=2)


@pytest.fixture(scope="module")
def news() -> Corpus:
    """Sixty documents about sport or money, each with its label."""
    random = np.random.default_rng(3)
    tokens = np.concatenate([random.integers(0, 12, size=30) + 12 * (d % 2) for d in range(60)])
    labels = tuple(("sport", "money")[d % 2 : d % 2 + 1] for d in range(60))
    return Corpus(tokens, np.arange(0, 1801, 30), np.array(SPORT + MONEY, dtype=object), labels=labels)


@pytest.fixture(scope="module")
def result(news: Corpus) -> SCLDAResult:
    """All parts, with baselines."""
    return run(SHORT, links_corpus=news, labels_corpus=news, links=LINKS)


# ---------------------------------------------------------------------- parts


def test_table2_has_every_sweep_of_every_engine(result: SCLDAResult) -> None:
    assert [(row.n_links, row.firmness) for row in result.table2] == [(0, None), (3, None), (3, DEFAULT_FIRMNESS)]
    assert {len(seconds) for row in result.table2 for seconds in row.seconds} == {4}
    assert {len(row.seconds) for row in result.table2} == {2}  # repeats


def test_table3_has_the_papers_cases_and_a_small_alpha(result: SCLDAResult) -> None:
    cases = [(row.n_topics, row.asked, row.alpha) for row in result.table3]
    by_topics = [(k, 1000, 1.0) for k in (50, 100, 200, 500)]
    assert cases == [*by_topics, *((100, n, 1.0) for n in (500, 2000, 5000)), (500, 1000, 0.1)]
    assert {row.n_labeled for row in result.table3} == {60}
    for row in result.table3:
        assert [len(run) for run in row.ours] == [len(run) for run in row.dense] == [2, 2]


def test_figure2_gives_every_method_the_same_time(result: SCLDAResult) -> None:
    methods = ["SC-LDA", SOFT, "DF-LDA", "MRF-LDA", "Logic-LDA"]
    assert [curve.method for curve in result.figure2] == methods * 2
    for curve in result.figure2:
        assert curve.seconds == sorted(curve.seconds)
        assert curve.seconds[-1] >= SHORT.seconds
        assert len(curve.seconds) == len(curve.n_sweeps) == len(curve.log_likelihood)
        assert -10 < curve.log_likelihood[-1] < 0


def test_figure3_scores_topics_of_every_method(result: SCLDAResult) -> None:
    assert [row.method for row in result.figure3][:2] == ["LDA", "SC-LDA"]
    assert len(result.figure3) == 6
    for row in result.figure3:
        assert all(0 <= n <= SHORT.many_topics for n in row.n_topics)
        known = [(mean, best) for mean, best in zip(row.average, row.best) if mean is not None]
        assert known  # one of two topics has at least half of the words
        assert all(best == pytest.approx(mean) for mean, best in known)  # there are no more than 20 topics


def test_labels_use_the_labeled_engine(result: SCLDAResult) -> None:
    assert [row.n_labels for row in result.labels] == [100, 1_000, 10_000, 100_000]
    assert {row.engine for row in result.labels} == {LabeledEngine.__name__}
    assert [row.ratio(row) for row in result.labels] == [1.0] * 4


def test_labels_are_different_in_a_document_and_frequent_ones_come_first() -> None:
    labels = draw_labels(2_000, 50, seed=1)
    assert all(len(set(own)) == 3 for own in labels)
    assert labels == draw_labels(2_000, 50, seed=1) != draw_labels(2_000, 50, seed=2)
    counts = [sum(f"label {n}" in own for own in labels) for n in (0, 5, 40)]
    assert counts == sorted(counts, reverse=True)


# ---------------------------------------------------------------------- figures drawn from sweeps


def test_points_are_local_medians_except_the_first() -> None:
    row = LinkedSweeps(0, None, [[9.0, *(1.0,) * 48, 5.0, *(1.0,) * 10]])
    assert row.at(1) == 9.0
    assert row.at(50) == 1.0  # the one slow sweep there is noise
    assert row.at(100) is None


def test_overhead_compares_late_sweeps_of_one_round() -> None:
    base = LinkedSweeps(0, None, [[1.0, 1.0, 1.0, 10.0]])
    linked = LinkedSweeps(100, 1.0, [[7.0, 7.0, 1.1, 11.0]])
    assert linked.overhead(base) == pytest.approx(0.1)


def test_a_ratio_to_dense_needs_the_baseline() -> None:
    assert LabeledSweeps(50, 500, 60, 1.0, [[1.0, 2.0]], [[3.0, 6.0]]).ratio == 3.0
    assert LabeledSweeps(50, 500, 60, 1.0, [[1.0, 2.0]]).ratio is None


def test_time_at_which_a_curve_reaches_a_value() -> None:
    curve = LikelihoodCurve("SC-LDA", 0, 0.0, [1, 2, 3], [1.0, 2.0, 4.0], [-9.0, -8.0, -7.0])
    assert curve.at(3.0) == -7.5
    assert curve.at(0.5) is None
    assert curve.reaches(-8.5) == 2.0
    assert curve.reaches(-1.0) is None


def test_gains_are_paired_by_seed() -> None:
    one, other = Coherences("a", best=[-1.0, -10.0]), Coherences("b", best=[-3.0, -12.0])
    assert gain(one, other) == (2.0, 0.0)


def test_goals(result: SCLDAResult) -> None:
    overhead, speedup, labels = result.goals()
    assert overhead.value is speedup.value is None  # 3 links, 60 labeled documents: not what the goals are about
    assert overhead.met is None
    assert labels.value is not None
    assert Goal("labels", "", 1.0, at_most=True, value=0.9).met
    assert not Goal("table3", "", 30.0, at_most=False, value=29.0).met


# ---------------------------------------------------------------------- reports and files


def test_tables_show_figures_of_the_paper(result: SCLDAResult) -> None:
    text = printed(report, result)
    assert "16.7 %" in text
    for seconds in (*paper.LINKS.values(), *paper.BY_TOPICS.values()):
        assert all(f"{value:.2f}" in text for value in seconds)
    assert "-39.1" in text
    assert "-36.6" in text
    assert "not measured" in text


def test_json_round_trip(result: SCLDAResult, tmp_path: Path) -> None:
    check_comes_back(result, report, tmp_path / "out.json")


def test_plots_are_images(result: SCLDAResult, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert images(plots, result, tmp_path / "new") == ["figure1", "figure2", "figure3"]


# ---------------------------------------------------------------------- corpora, links and options


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pairs.json", '[["goal", "score"], ["stock", "bond"], ["score", "goal"]]'),
        ("known.json", '{"must-links": [["goal", "score"], ["stock", "bond"]]}'),
        ("known.yaml", "must-links:\n  - [goal, score]\n  - [stock, bond]\n"),
    ],
)
def test_links_come_from_a_file(news: Corpus, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    found = read_links(tmp_path / name, news)
    assert [set(link) for link in found] == [{"goal", "score"}, {"stock", "bond"}]


def test_a_file_without_links_is_an_error(news: Corpus, tmp_path: Path) -> None:
    (tmp_path / "empty.json").write_text("[]")
    with pytest.raises(InputError, match="got none"):
        read_links(tmp_path / "empty.json", news)


def test_corpus_links_join_related_words(news: Corpus) -> None:
    found = find_links(news, 5)
    assert found
    assert all((a in SPORT) == (b in SPORT) for a, b in found)


def test_counts_are_read_unchanged(tmp_path: Path) -> None:
    (tmp_path / "docword.tiny.txt").write_text("2\n2\n2\n1 1 3\n2 2 1\n")
    (tmp_path / "vocab.tiny.txt").write_text("the\nship\n")
    source = str(tmp_path / "docword.tiny.txt")
    first, second = load_corpora(source, source, min_df=5, stop_words="english")
    assert first is second
    assert first is not None
    assert first.vocabulary.tolist() == ["the", "ship"]


@pytest.mark.parametrize(
    ("options", "parameter", "got"),
    [
        ({"parts": ("table9",)}, "part", "table9"),
        ({"parts": ()}, "part", None),
        ({"rounds": 0}, "rounds", 0),
        ({"alpha": 0.0}, "alpha", 0.0),
        ({"warm_up": -1}, "warm_up", -1),
    ],
)
def test_options_are_checked(options: dict[str, Any], parameter: str, got: Any) -> None:
    with raises_input(parameter, got=got):
        SCLDAOptions(**options)


def test_rejects_part_without_its_inputs(news: Corpus) -> None:
    with pytest.raises(InputError, match="the corpus for links must have words"):
        run(SCLDAOptions(parts=("table2",)))
    with pytest.raises(InputError, match="documents with labels"):
        run(SCLDAOptions(parts=("table3",)), labels_corpus=replace(news, labels=None))
    with pytest.raises(InputError, match="give links"):
        run(SCLDAOptions(parts=("figure2",)), links_corpus=news)


def test_the_command(news: Corpus, tmp_path: Path) -> None:
    source, links, output = tmp_path / "news.txt", tmp_path / "links.json", tmp_path / "out.json"
    source.write_text("\n".join(" ".join(news.words(d)) for d in range(news.n_docs)))
    links.write_text(json.dumps(LINKS))
    corpora = ["--links-corpus", source, "--labels-corpus", source, "--links", links]
    done = call(
        "sclda", "--part", "table2", "--part", "labels", *corpora, "--sweeps", 2, "--rounds", 1, "--json", output
    )
    assert done.exit_code == 0, done.output
    assert "Table 2" in done.stdout
    assert "3 must-links are here, not 1,000" in done.stdout
    assert json.loads(output.read_text())["parameters"]["parts"] == ["table2", "labels"]


def test_invalid_use_exits_with_2(tmp_path: Path) -> None:
    assert call("sclda", "--part", "table9").exit_code == 2
    assert call("sclda", "--part", "table2", "--sweeps", "0").exit_code == 2
    assert call("sclda", "--links", tmp_path / "nowhere.json").exit_code == 2
    assert call("sclda", "--part", "labels", "--labels-corpus", tmp_path / "nowhere.jsonl").exit_code == 2


def test_help_has_an_example_and_names_the_parts() -> None:
    done = call("sclda", "--help")
    assert done.exit_code == 0
    assert "Example" in done.stdout
    assert all(part in done.stdout for part in PARTS)
