"""``python -m benchmarks medlda`` on tiny corpora: what its parts run, report and write. Times are not checked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.medlda import MedLDAOptions, MedLDAResult, Problem, paper, plots, report, run
from benchmarks.medlda.curves import AccuracyCurve
from benchmarks.medlda.fits import Fit
from benchmarks.medlda.model_selection import all_points, at, flags
from benchmarks.medlda.options import FIGURES
from benchmarks.medlda.parameters import Parameters
from benchmarks.medlda.speed import SamplerSweeps
from topicwright._sampling.medlda.engine import PROPOSALS

from .helpers import check_comes_back, images, printed
from .tiny_problems import documents, tiny_problems

SHORT = MedLDAOptions(
    parts=("all",), topics=(3,), sweeps=4, seconds=0.05, rounds=1, warm_up=0, repeats=1, grid=(("beta", (0.01, 0.1)),)
)
WITH_TOPICS = ["LightMedLDA", "GibbsMedLDA", "LDA + SVC", "tomotopy sLDA"]


@pytest.fixture(scope="module")
def problems() -> dict[str, Problem]:
    return tiny_problems()


@pytest.fixture(scope="module")
def result(problems: dict[str, Problem]) -> MedLDAResult:
    """All parts."""
    return run(SHORT, problems)


# ---------------------------------------------------------------------- parts


def test_figures_have_all_methods(result: MedLDAResult) -> None:
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


def test_memory_is_measured_for_ours(result: MedLDAResult) -> None:
    known = {fit.method: fit.memory for fit in result.figure3}
    assert known["TF-IDF + SVC"] is None
    assert all((known[name] or 0) > 10_000_000 for name in ("LightMedLDA", "GibbsMedLDA"))


def test_curves_evaluate_every_few_sweeps(result: MedLDAResult) -> None:
    assert [(curve.method, curve.n_topics) for curve in result.curves] == [("LightMedLDA", 3), ("GibbsMedLDA", 3)]
    for curve in result.curves:
        assert curve.n_sweeps == list(range(4, 2 * len(curve.n_sweeps) + 3, 2))  # two sweeps have no weights yet
        assert curve.seconds == sorted(curve.seconds)
        assert curve.seconds[-1] >= SHORT.seconds
        assert all(0 <= score <= 1 for score in curve.scores)


def test_speed_counts_sweeps_with_the_loss_alone(result: MedLDAResult) -> None:
    assert [(row.method, row.n_topics) for row in result.speed] == [("LightMedLDA", 3), ("GibbsMedLDA", 3)]
    assert all([len(run) for run in row.seconds] == [1] for row in result.speed)


def test_dense_sampler_is_skipped_for_many_topics(problems: dict[str, Problem]) -> None:
    options = replace(SHORT, parts=("figure1", "curves", "speed"), topics=(2, 3), dense_topics=2, peers=("tomotopy",))
    some = run(options, problems)
    for part in ("figure1", "curves", "speed"):
        assert {row.n_topics for row in some.rows(part) if row.method != "LightMedLDA"} == {2}
        assert {row.n_topics for row in some.rows(part) if row.method == "LightMedLDA"} == {2, 3}


def test_choose_never_sees_the_test_documents(result: MedLDAResult, problems: dict[str, Problem]) -> None:
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


def test_default_parts_depend_on_the_problem() -> None:
    assert MedLDAOptions().wanted(["targets"]) == ["figure5", "curves", "speed"]
    assert MedLDAOptions(parts=("speed", "figure1")).wanted(["classes"]) == ["figure1", "speed"]
    assert MedLDAOptions(parts=("all",)).wanted(["labels"]) == [
        "figure3",
        "words",
        "ranking",
        "curves",
        "speed",
        "choose",
    ]


def test_labels_of_a_trained_model_are_ranked_better_than_by_chance(result: MedLDAResult) -> None:
    for fit in result.ranking:
        assert fit.scores["lrap"] > 0.6


# ---------------------------------------------------------------------- goals, reports and files


def test_goals_are_about_their_own_corpora(result: MedLDAResult) -> None:
    assert {goal.value for goal in result.goals()} == {None}
    news = {"n_docs": 11_314, "n_test_docs": 7_532}
    fits = [
        Fit("LightMedLDA and words", 40, 0, 0.0, [1.0], {"accuracy": 0.84}),
        Fit("TF-IDF + SVC", None, 0, 0, [1.0], {"accuracy": 0.85}),
    ]
    curves = [
        AccuracyCurve("LightMedLDA", 40, 0, 0.0, [4, 8], [5.0, 40.0], [0.81, 0.83]),
        AccuracyCurve("LightMedLDA", 200, 0, 0.0, [4, 8], [5.0, 20.0], [0.7, 0.75]),
    ]
    speed = [SamplerSweeps("LightMedLDA", k, 1, [[1.0]]) for k in (40, 200, 400)] + [
        SamplerSweeps("GibbsMedLDA", 200, 1, [[12.0]])
    ]
    found = MedLDAResult({"classes": news}, {}, {}, words=fits, curves=curves, speed=speed).goals()
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
    found = MedLDAResult(sizes, {"repeats": 1}, {}, figure3=[fit])
    assert [goal.met for goal in found.goals()] == [True]
    assert "3.00 GiB" in printed(report, found)


def test_tables_show_figures_of_the_paper(result: MedLDAResult) -> None:
    text = printed(report, result)
    assert "F1 about 0.55" in text
    assert "far worse than the mixture" in text
    assert "below 1 s" not in text  # that is of 20 Newsgroups
    corpora = {"classes": {"n_docs": 11_314, "n_test_docs": 7_532, "n_tokens": 1, "n_tasks": 20}}
    fit = Fit("LightMedLDA", 40, 0, 0.0, [1.0], {"accuracy": 0.8})
    curve = AccuracyCurve("LightMedLDA", 200, 0, 0.0, [4], [5.0], [0.79])
    parameters = {"repeats": 1, "kind": "classes", "seconds": 60.0, "every": 2}
    text = printed(report, MedLDAResult(corpora, parameters, {}, figure1=[fit], figure2=[fit], curves=[curve]))
    assert "about 80 %, below 1 s" in text
    assert "80.9 % in 38 s" in text
    assert "78.5 % in 59 s" in text


def test_json_round_trip(result: MedLDAResult, tmp_path: Path) -> None:
    check_comes_back(result, report, tmp_path / "out.json")


def test_plots_are_images(result: MedLDAResult, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert images(plots, result, tmp_path / "new") == [*FIGURES, "curves", "speed"]
