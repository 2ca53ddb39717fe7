"""The parts of ``benchmark medlda`` on tiny corpora: what they run, say and write. Nothing here looks at times."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from topicwright import MedLDAClassifier
from topicwright.benchmarks import plotting, their_tomotopy
from topicwright.benchmarks.medlda import (
    PARTS,
    Options,
    Problem,
    Result,
    paper,
    plots,
    problem_of,
    report,
    run,
)
from topicwright.benchmarks.medlda.choose import all_points, at, flags
from topicwright.benchmarks.medlda.curves import Curve
from topicwright.benchmarks.medlda.fits import Fit, Variant, dense
from topicwright.benchmarks.medlda.loading import load
from topicwright.benchmarks.medlda.options import FIGURES, parse_grid, parse_numbers, parse_settings
from topicwright.benchmarks.medlda.parameters import Parameters
from topicwright.benchmarks.medlda.peers import LdaSVC, TfidfSVC, TomotopySLDA
from topicwright.benchmarks.medlda.ranking import scores_of
from topicwright.benchmarks.medlda.speed import Sweeps
from topicwright.benchmarks.reading import Source
from topicwright.benchmarks.tables import with_goals
from topicwright.cli._app import app
from topicwright.corpus.core import Corpus
from topicwright.errors import InputError
from topicwright.samplers.supervised_engine import PROPOSALS

WORDS = {
    "sport": ["goal", "team", "match", "score", "league", "coach"],
    "money": ["stock", "bond", "price", "market", "bank", "rate"],
    "sea": ["ship", "sail", "storm", "wave", "harbour", "anchor"],
}
NAMES = sorted(WORDS)
SHORT = Options(
    parts=("all",), topics=(3,), sweeps=4, seconds=0.05, rounds=1, warm_up=0, repeats=1, grid=(("beta", (0.01, 0.1)),)
)
WITH_TOPICS = ["LightMedLDA", "GibbsMedLDA", "LDA + SVC", "tomotopy sLDA"]


def documents(n: int, seed: int) -> Corpus:
    """Documents of one class each, with a number; one has no words."""
    random = np.random.default_rng(seed)
    kinds = [NAMES[d % 3] for d in range(n)]
    words = [list(random.choice(WORDS[kind], size=0 if d == 4 else 12)) for d, kind in enumerate(kinds)]
    targets = [float(NAMES.index(kind)) for kind in kinds]
    vocabulary = sorted(word for own in WORDS.values() for word in own)
    return Corpus.from_tokens(words, labels=kinds, targets=targets, vocabulary=vocabulary)


def with_second_label(corpus: Corpus) -> Corpus:
    labels = tuple((*own, "dry") if own != ("sea",) else own for own in corpus.labels or ())
    return replace(corpus, labels=labels)


def without_test(problem: Problem) -> Problem:
    return problem.select(np.arange(problem.train.n_docs), np.empty(0, np.int64))


@pytest.fixture(scope="module")
def problems() -> dict[str, Problem]:
    train, test = documents(60, 1), documents(21, 2)
    found = [
        problem_of(train, test),
        problem_of(with_second_label(train), with_second_label(test)),
        problem_of(train, test, targets=True),
    ]
    return {problem.kind: problem for problem in found}


@pytest.fixture(scope="module")
def result(problems: dict[str, Problem]) -> Result:
    """All parts."""
    return run(SHORT, problems)


def printed(result: Result) -> str:
    console = Console(width=240)
    with console.capture() as capture:
        for view in with_goals(report, result):
            console.print(view)
    return capture.get()


def call(*arguments: Any) -> Any:
    return CliRunner().invoke(app, ["benchmark", "medlda", *map(str, arguments)])


# ---------------------------------------------------------------------- problems


def test_kinds_of_problems(problems: dict[str, Problem]) -> None:
    classes, labels, targets = (problems[kind] for kind in ("classes", "labels", "targets"))
    assert classes.names == ("money", "sea", "sport")
    assert [classes.names[number] for number in classes.y_train[:3]] == NAMES
    assert labels.names == ("dry", "money", "sea", "sport")
    assert labels.y_train[:2].tolist() == [[1, 1, 0, 0], [0, 0, 1, 0]]
    assert targets.y_train[:3].tolist() == [0.0, 1.0, 2.0]
    assert [problem.n_tasks for problem in (classes, labels, targets)] == [3, 4, 1]


def test_scores(problems: dict[str, Problem]) -> None:
    classes, labels, targets = (problems[kind] for kind in ("classes", "labels", "targets"))
    assert classes.score(np.zeros(21)) == {"accuracy": pytest.approx(1 / 3)}
    assert labels.score(labels.y_test) == {"micro_f1": 1.0, "macro_f1": 1.0}
    assert targets.score(np.full(21, targets.y_test.mean())) == {"r2": pytest.approx(0.0)}


def test_a_class_that_training_does_not_have_is_never_right() -> None:
    train, test = documents(30, 1), documents(9, 2)
    problem = problem_of(train.select([d for d in range(30) if d % 3]), test)
    assert problem.y_test.tolist() == [-1, 0, 1] * 3


def test_two_classes_of_many(problems: dict[str, Problem]) -> None:
    pair = problems["classes"].of_pair("sea", "sport")
    assert pair.train.n_docs == 40
    assert pair.n_tasks == 1
    assert set(pair.y_train.tolist()) == set(pair.y_test.tolist()) == {0, 1}
    assert all(label == ("sport",) for label, y in zip(pair.train.labels or (), pair.y_train) if y)
    with pytest.raises(InputError, match="classes must be two of money, sea, sport: got sea, land"):
        problems["classes"].of_pair("sea", "land")


def test_documents_held_out_are_training_documents(problems: dict[str, Problem]) -> None:
    problem = without_test(problems["classes"])
    inner = problem.held_out(seed=3)
    assert (inner.train.n_docs, inner.test.n_docs) == (48, 12)
    assert {*map(tuple, map(inner.test.words, range(12)))} <= {*map(tuple, map(problem.train.words, range(60)))}
    assert inner.test.labels != problem.held_out(seed=4).test.labels


def test_a_tiny_problem_has_as_many_tasks(problems: dict[str, Problem]) -> None:
    for problem in problems.values():
        assert problem.tiny().n_tasks == problem.n_tasks
        assert problem.tiny().train.n_docs < 10
    assert set(problems["classes"].tiny().y_train.tolist()) == {0, 1, 2}


def test_documents_of_which_nothing_is_known_are_left_out() -> None:
    corpus = documents(9, 1)
    some = replace(corpus, labels=(None, *(corpus.labels or ())[1:]))
    assert problem_of(some, corpus).train.n_docs == 8
    with pytest.raises(InputError, match="must have labels"):
        problem_of(replace(corpus, labels=None), corpus)
    with pytest.raises(InputError, match="one target each"):
        problem_of(replace(corpus, targets=None), corpus, targets=True)


# ---------------------------------------------------------------------- ours and peers


def test_what_is_held_is_what_fit_trains(problems: dict[str, Problem]) -> None:
    problem = problems["classes"]
    held = Variant("", Parameters(alpha_sum=6.0), 5).build(problem, 3, seed=7)
    for _ in range(5):
        held.sweep()
    known = {"sampler": "compositional", "alpha": 2.0, "beta": 0.01, "margin": 64.0, "mh_steps": 6}
    whole = MedLDAClassifier(3, n_sweeps=5, random_state=7, **known).fit(problem.train, problem.y_train)
    assert np.array_equal(held.predict(problem.test), whole.predict(problem.test))
    assert np.array_equal(held.model.coef_, whole.coef_)


def test_engine_options_change_the_chain_and_nothing_else(problems: dict[str, Problem]) -> None:
    problem, parameters = problems["classes"], Parameters()
    usual = Variant("", parameters, 4).build(problem, 4, 0)
    same = Variant("", parameters, 4, engine={"proposals": "mixture"}).build(problem, 4, 0)
    other = Variant("", parameters, 4, engine={"proposals": "cycle"}).build(problem, 4, 0)
    for _ in range(4):
        for one in (usual, same, other):
            one.sweep()
    assert np.array_equal(usual.engine.assignments, same.engine.assignments)
    assert not np.array_equal(usual.engine.assignments, other.engine.assignments)


def test_predictions_wait_for_weights(problems: dict[str, Problem]) -> None:
    one = Variant("", Parameters(), 3).build(problems["classes"], 3, 0)
    ready = []
    for _ in range(3):
        one.sweep()
        ready.append(one.can_predict)
    assert ready == [False, False, True]


@pytest.mark.parametrize("kind", ["classes", "labels", "targets"])
def test_every_method_learns_what_is_easy(problems: dict[str, Problem], kind: str) -> None:
    pytest.importorskip("tomotopy")
    problem = problems[kind]
    base = {"classes": paper.USUAL, "labels": paper.MULTILABEL, "targets": paper.REGRESSION}[kind]
    methods = [
        (Variant("", base, 20).build(problem, 6, 0), 20),
        (dense("", base, 20).build(problem, 6, 0), 20),
        (TfidfSVC(problem), 1),
        (LdaSVC(problem, base, 6, 20, 0), 20),
        (TomotopySLDA(problem, base, 6, 1), 60),
    ]
    for method, n_sweeps in methods:
        for _ in range(n_sweeps):
            method.sweep()
        assert min(problem.score(method.predict(problem.test)).values()) > 0.6, type(method)


def test_two_classes_have_one_response_for_tomotopy(problems: dict[str, Problem]) -> None:
    pytest.importorskip("tomotopy")
    problem = problems["classes"].of_pair("sea", "sport")
    method = TomotopySLDA(problem, Parameters(), 2, 0)
    method.sweep()
    assert method.n_responses == 1
    assert set(method.predict(problem.test).tolist()) <= {0, 1}


def test_a_missing_peer_is_told_of(problems: dict[str, Problem], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(their_tomotopy, "find_spec", lambda name: None)
    alone = run(replace(SHORT, parts=("figure1",), peers=("tomotopy",)), problems)
    assert [fit.method for fit in alone.figure1] == ["LightMedLDA", "GibbsMedLDA"]
    assert "tomotopy is not installed: its sLDA is left out" in alone.notes


def test_further_parameters_reach_the_estimator(problems: dict[str, Problem]) -> None:
    parameters = Parameters(more=(("class_weight", "balanced"),))
    assert Variant("", parameters, 3).build(problems["labels"], 3, 0).model.class_weight == "balanced"
    assert dense("", parameters, 3).build(problems["labels"], 3, 0).model.class_weight == "balanced"
    with pytest.raises(InputError, match="MedLDARegressor has no parameter class_weight"):
        Variant("", replace(paper.REGRESSION, more=parameters.more), 3).build(problems["targets"], 3, 0)


# ---------------------------------------------------------------------- parts


def test_figures_have_all_methods(result: Result) -> None:
    pytest.importorskip("tomotopy")
    peers = [*WITH_TOPICS, "TF-IDF + SVC"]
    assert [fit.method for fit in result.figure1] == peers
    rest = [f"{name}, one-vs-rest" for name in WITH_TOPICS[:2]]
    assert [fit.method for fit in result.figure2] == [*peers[:2], *rest, *peers[2:]]
    assert [fit.method for fit in result.figure3] == [fit.method for fit in result.figure5] == peers
    assert [fit.method for fit in result.figure4] == ["Light-sLDA", "Gibbs-sLDA", "LightMedLDA"]
    assert [fit.method for fit in result.figure6] == list(PROPOSALS)
    assert [fit.method for fit in result.figure7] == ["1 step", "2 steps", "4 steps", "6 steps", "10 steps"]
    assert [fit.method for fit in result.figure8] == ["1 sweep", "2 sweeps", "4 sweeps", "8 sweeps"]
    assert [fit.method for fit in result.ranking] == ["LabeledLDA", "tomotopy LLDA", "tomotopy PLDA", "TF-IDF + SVC"]
    for part in FIGURES:
        for fit in result.rows(part):
            assert len(fit.sweep_seconds) == (1 if fit.n_topics is None else 4)
            assert set(fit.scores) == {"figure3": {"micro_f1", "macro_f1"}, "figure5": {"r2"}}.get(part, {"accuracy"})


def test_memory_is_measured_for_ours(result: Result) -> None:
    known = {fit.method: fit.memory for fit in result.figure3}
    assert known["TF-IDF + SVC"] is None
    assert all((known[name] or 0) > 10_000_000 for name in ("LightMedLDA", "GibbsMedLDA"))


def test_curves_look_at_the_test_documents_every_few_sweeps(result: Result) -> None:
    assert [(curve.method, curve.n_topics) for curve in result.curves] == [("LightMedLDA", 3), ("GibbsMedLDA", 3)]
    for curve in result.curves:
        assert curve.n_sweeps == list(range(4, 2 * len(curve.n_sweeps) + 3, 2))  # two sweeps have no weights yet
        assert curve.seconds == sorted(curve.seconds)
        assert curve.seconds[-1] >= SHORT.seconds
        assert all(0 <= score <= 1 for score in curve.scores)


def test_speed_counts_sweeps_with_the_loss_alone(result: Result) -> None:
    assert [(row.method, row.n_topics) for row in result.speed] == [("LightMedLDA", 3), ("GibbsMedLDA", 3)]
    assert all([len(run) for run in row.seconds] == [1] for row in result.speed)


def test_too_many_topics_are_too_many_for_dense_draws(problems: dict[str, Problem]) -> None:
    options = replace(SHORT, parts=("figure1", "curves", "speed"), topics=(2, 3), dense_topics=2, peers=("tomotopy",))
    some = run(options, problems)
    for part in ("figure1", "curves", "speed"):
        assert {row.n_topics for row in some.rows(part) if row.method != "LightMedLDA"} == {2}
        assert {row.n_topics for row in some.rows(part) if row.method == "LightMedLDA"} == {2, 3}


def test_choose_never_sees_the_test_documents(result: Result, problems: dict[str, Problem]) -> None:
    classes = problems["classes"]
    spoilt = replace(classes, test=documents(6, 9), y_test=np.full(6, -1))
    again = run(replace(SHORT, parts=("choose",)), {"classes": spoilt})
    assert [trial.point for trial in again.choose] == [{"beta": 0.01}, {"beta": 0.1}]
    assert [trial.score for trial in again.choose] == [trial.score for trial in result.choose]


def test_without_a_grid_each_parameter_is_varied_alone() -> None:
    points = all_points((), Parameters())
    assert points[0] == {}
    assert all(len(point) == 1 for point in points[1:])
    assert {name for point in points for name in point} == {"beta", "alpha_sum", "margin", "cost", "nu", "mh_steps"}
    assert not any("margin" in point for point in all_points((), paper.REGRESSION))
    assert {"cost": 51.2} in all_points((), paper.LOGISTIC)


def test_points_as_parameters_and_as_options() -> None:
    point = {"mh_steps": 2.0, "beta": 0.1, "word_cost": 3.0}
    there = at(Parameters(more=(("class_weight", "balanced"),)), point)
    assert (there.mh_steps, there.beta) == (2, 0.1)
    assert isinstance(there.mh_steps, int)
    assert there.more == (("class_weight", "balanced"), ("word_cost", 3.0))
    assert flags(point) == "--mh-steps 2 --beta 0.1 --set word_cost=3"


def test_parts_that_suit_the_documents() -> None:
    assert Options().wanted(["targets"]) == ["figure5", "curves", "speed"]
    assert Options(parts=("speed", "figure1")).wanted(["classes"]) == ["figure1", "speed"]
    assert Options(parts=("all",)).wanted(["labels"]) == ["figure3", "words", "ranking", "curves", "speed", "choose"]


# ---------------------------------------------------------------------- goals, reports and files


def test_goals_are_about_their_own_corpora(result: Result) -> None:
    assert {goal.value for goal in result.goals()} == {None}
    news = {"n_docs": 11_314, "n_test_docs": 7_532}
    fits = [
        Fit("LightMedLDA and words", 40, 0, 0.0, [1.0], {"accuracy": 0.84}),
        Fit("TF-IDF + SVC", None, 0, 0, [1.0], {"accuracy": 0.85}),
    ]
    curves = [
        Curve("LightMedLDA", 40, 0, 0.0, [4, 8], [5.0, 40.0], [0.81, 0.83]),
        Curve("LightMedLDA", 200, 0, 0.0, [4, 8], [5.0, 20.0], [0.7, 0.75]),
    ]
    speed = [Sweeps("LightMedLDA", k, 1, [[1.0]]) for k in (40, 200, 400)] + [Sweeps("GibbsMedLDA", 200, 1, [[12.0]])]
    found = Result({"classes": news}, {}, {}, words=fits, curves=curves, speed=speed).goals()
    assert [(goal.value, goal.met) for goal in found] == [
        (pytest.approx(-0.01), False),
        (5.0, True),
        (pytest.approx(0.81 + 0.02 * 33 / 35), True),
        (20.0, False),  # not reached, and the run was long enough to say so
        (None, None),  # too short to say
        (12.0, True),
        (1.0, True),
    ]


def test_memory_has_a_goal_on_arxiv() -> None:
    sizes = {"labels": {"n_docs": 80_000, "n_test_docs": 20_000, "n_tokens": 1, "n_tasks": 175}}
    fit = Fit("LightMedLDA", 200, 0, 0.0, [1.0], {"micro_f1": 0.5, "macro_f1": 0.3}, memory=3 * 2**30)
    found = Result(sizes, {"repeats": 1}, {}, figure3=[fit])
    assert [goal.met for goal in found.goals()] == [True]
    assert "3.00 GiB" in printed(found)


def test_tables_have_what_the_paper_says(result: Result) -> None:
    text = printed(result)
    assert "F1 about 0.55" in text
    assert "far worse than the mixture" in text
    assert "below 1 s" not in text  # that is of 20 Newsgroups
    corpora = {"classes": {"n_docs": 11_314, "n_test_docs": 7_532, "n_tokens": 1, "n_tasks": 20}}
    fit = Fit("LightMedLDA", 40, 0, 0.0, [1.0], {"accuracy": 0.8})
    curve = Curve("LightMedLDA", 200, 0, 0.0, [4], [5.0], [0.79])
    parameters = {"repeats": 1, "kind": "classes", "seconds": 60.0, "every": 2}
    text = printed(Result(corpora, parameters, {}, figure1=[fit], figure2=[fit], curves=[curve]))
    assert "about 80 %, below 1 s" in text
    assert "80.9 % in 38 s" in text
    assert "78.5 % in 59 s" in text


def test_json_comes_back_as_it_was(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path / "out.json")
    written = json.loads((tmp_path / "out.json").read_text())
    again = Result.from_dict(written)
    assert again.to_dict() == written
    assert printed(again) == printed(result)


def test_plots_are_images(result: Result, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    written = plotting.write(plots.figures(result), tmp_path / "new")
    assert [path.stem for path in written] == [*FIGURES, "curves", "speed"]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in written)


# ---------------------------------------------------------------------- files and options


def write(corpus: Corpus, path: Path, parts: list[str] | None = None) -> Path:
    with path.open("w") as lines:
        for d in range(corpus.n_docs):
            record = {"text": " ".join(corpus.words(d)), "labels": (corpus.labels or ())[d], "rating": d % 3}
            if parts is not None:
                record["part"] = parts[d % len(parts)]
            lines.write(json.dumps(record) + "\n")
    return path


def test_documents_have_a_split_of_their_own_or_by_chance(tmp_path: Path) -> None:
    path = write(documents(30, 1), tmp_path / "all.jsonl", ["train", "train", "train", "test", "none"])
    by_field = load(Source(str(path), split="part", min_df=1))["classes"]
    assert (by_field.train.n_docs, by_field.test.n_docs) == (18, 6)
    by_chance = load(Source(str(path), min_df=1, seed=3))["classes"]
    assert (by_chance.train.n_docs, by_chance.test.n_docs) == (24, 6)
    with pytest.raises(InputError, match="no document has 'train' in its field 'labels'"):
        load(Source(str(path), split="labels", min_df=1))


def test_test_documents_are_in_the_words_of_training(tmp_path: Path) -> None:
    train, test = tmp_path / "train.jsonl", tmp_path / "test.jsonl"
    train.write_text(
        "".join(
            json.dumps({"text": text, "labels": label}) + "\n"
            for text, label in [
                ("red red apple", "a"),
                ("red the pear", "b"),
            ]
        )
    )
    test.write_text(json.dumps({"text": "apple red plum", "labels": "a"}) + "\n")
    problem = load(Source(str(train), test=str(test), min_df=2))["classes"]
    assert problem.train.vocabulary.tolist() == ["red"]
    assert problem.test.words(0) == ["red"]
    assert problem.train.n_docs == 2


def test_a_target_makes_it_a_regression(tmp_path: Path) -> None:
    path = write(documents(20, 1), tmp_path / "all.jsonl")
    (problem,) = load(Source(str(path), target="rating", min_df=1)).values()
    assert problem.kind == "targets"
    assert set(problem.y_train.tolist()) == {0.0, 1.0, 2.0}


def test_the_docstrings_pose_one_problem_of_each_kind() -> None:
    found = load(Source())
    assert found["classes"].names == ("numpy", "scipy", "sklearn")
    assert found["labels"].n_tasks > 50
    assert found["targets"].y_train.std() > 0.1
    assert len({problem.train.n_docs for problem in found.values()}) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"parts": ("figure9",)}, "part must be one of figure1, figure2"),
        ({"topics": ()}, "topics must be whole numbers of at least 1"),
        ({"topics": (0,)}, "topics must be whole numbers of at least 1: got 0"),
        ({"sweeps": 2}, "sweeps must be at least 3: got 2"),
        ({"beta": 0.0}, "beta must be a positive number"),
        ({"peers": ("gensim",)}, "peers must be some of svc, lda, tomotopy, or none: got gensim"),
        ({"classes": ("a",)}, "classes must be two: got 1"),
        ({"loss": "squared"}, "loss must be one of hinge, logistic: got squared"),
        ({"warm_up": -1}, "warm_up must not be negative"),
        ({"grid": (("gamma", (1.0,)),)}, "grid must name some of alpha_sum, beta"),
        ({"grid": (("beta", (-1.0,)),)}, "grid must have positive numbers for beta: got -1.0"),
        ({"grid": (("mh_steps", (1.5,)),)}, "grid must have whole numbers for mh_steps"),
        ({"more": (("n_topics", 3),)}, "set must name some of class_weight"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Options(**options)


def test_what_stands_on_the_command_line() -> None:
    assert parse_numbers("topics", "20, 40,") == (20, 40)
    assert parse_grid(["alpha-sum=1,2"]) == (("alpha_sum", (1.0, 2.0)),)
    assert parse_settings(["a=1", "b=x"]) == (("a", 1), ("b", "x"))
    for parse, text in ((parse_grid, "beta"), (parse_settings, "class_weight")):
        with pytest.raises(InputError, match="must be like"):
            parse([text])
    with pytest.raises(InputError, match="topics must be whole numbers between commas: got 'many'"):
        parse_numbers("topics", "many")


def test_what_a_part_needs_must_be_there(problems: dict[str, Problem]) -> None:
    with pytest.raises(InputError, match="figure3 needs documents with several labels a document: got classes"):
        run(Options(parts=("figure3",)), {"classes": problems["classes"]})
    empty = without_test(problems["classes"])
    with pytest.raises(InputError, match="documents to test on"):
        run(Options(parts=("figure2",)), {"classes": empty})


def test_the_command(tmp_path: Path) -> None:
    path, output = write(documents(40, 1), tmp_path / "news.jsonl"), tmp_path / "out.json"
    short = ["--topics", "3", "--sweeps", 3, "--min-df", 1, "--peers", "none", "--seconds", 0.01, "--rounds", 1]
    done = call("--corpus", path, *short, "--set", "class_weight=balanced", "--json", output)
    assert done.exit_code == 0, done.output
    assert all(title in done.stdout for title in ("Figure 1", "Figure 2", "Curves", "Speed", "Goals"))
    written = json.loads(output.read_text())["parameters"]
    assert written["parts"] == ["figure1", "figure2", "curves", "speed"]
    assert written["more"] == [["class_weight", "balanced"]]


def test_the_command_chooses(tmp_path: Path) -> None:
    path = write(documents(40, 1), tmp_path / "news.jsonl")
    grid = ["--grid", "beta=0.01,0.1", "--grid", "margin=8"]
    done = call(
        "--corpus", path, "--target", "rating", "--part", "choose", "--topics", 2, "--sweeps", 3, "--min-df", 1, *grid
    )
    assert done.exit_code == 0, done.output
    assert "--beta 0.1 --margin 8" in done.stdout
    assert "Test documents had no part in this" in done.stdout


def test_wrong_use_is_exit_code_2(tmp_path: Path) -> None:
    assert call("--part", "figure9").exit_code == 2
    assert call("--topics", "many").exit_code == 2
    assert call("--corpus", tmp_path / "nowhere.jsonl").exit_code == 2
    assert call("--target", "rating").exit_code == 2
    assert call("--corpus", "x.jsonl", "--test", "y.jsonl", "--split", "split").exit_code == 2


def test_help_has_an_example_and_names_the_parts() -> None:
    done = call("--help")
    assert done.exit_code == 0
    assert "Example" in done.stdout
    assert all(part in done.stdout for part in PARTS if not part.startswith("figure"))


# ---------------------------------------------------------------------- ranking


def test_a_ranking_is_scored_by_its_first_labels_and_its_order(problems: dict[str, Problem]) -> None:
    """Of three documents with two labels each: all right, the second half wrong, and one that has no known label."""
    problem = replace(
        problems["labels"], y_test=np.array([[1, 1, 0], [1, 0, 1], [0, 0, 0]], dtype=np.int8), names=("a", "b", "c")
    )
    scores = scores_of(problem, lambda corpus: np.array([[3.0, 2.0, 1.0], [3.0, 2.0, 1.0], [1.0, 2.0, 3.0]]))
    assert scores["best_1"] == 1.0
    assert scores["lrap"] == pytest.approx((1.0 + (1.0 + 2 / 3) / 2) / 2)


def test_labels_of_a_trained_model_are_ranked_better_than_by_chance(result: Result) -> None:
    for fit in result.ranking:
        assert fit.scores["lrap"] > 0.6
