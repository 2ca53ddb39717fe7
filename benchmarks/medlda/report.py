"""A run as tables for the terminal, what the paper says beside ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from ..common.averages import mean_and_error, median_or_none
from ..common.base import Goal
from ..common.tables import DASH, number, percent, view, with_error
from . import paper
from .fits import GIBBS, LIGHT, Fit
from .model_selection import by_point
from .options import FIGURES, KINDS
from .speed import find

if TYPE_CHECKING:
    from .curves import AccuracyCurve
    from .results import MedLDAResult

SCORES = {
    "accuracy": "accuracy",
    "micro_f1": "micro F1",
    "macro_f1": "macro F1",
    "r2": "predictive R²",
    "npmi": "NPMI",
    "best_1": "precision at 1",
    "best_5": "precision at 5",
    "lrap": "average precision",
    "ms": "CPU ms to rank a document",
}
TITLES = {
    "figure1": "two classes",
    "figure2": "all classes, with shared topics and one-vs-rest",
    "figure3": "several labels per document",
    "figure4": "logistic loss",
    "figure5": "numeric targets",
    "figure6": "combinations of proposals",
    "figure7": "Metropolis steps per token",
    "figure8": "draws of the weights per sweep",
    "words": "weights of words in addition to topics",
    "ranking": "ranking of labels of new documents",
}


def tables(result: MedLDAResult) -> list[Table]:
    """A table for each part that ran."""
    views = [_fits(result, part) for part in TITLES if result.rows(part)]
    makers = {"curves": _curves, "speed": _speed, "choose": _choose}
    return views + [make(result) for part, make in makers.items() if result.rows(part)]


def shown(goal: Goal, value: float | None) -> str:
    """A figure of a goal."""
    if "memory" in goal.what:
        return DASH if value is None else f"{value / 2**30:.2f} GiB"
    return percent(value) if "accuracy" in goal.what else number(value)


# ---------------------------------------------------------------------- figures


def _fits(result: MedLDAResult, part: str) -> Table:
    fits: list[Fit] = result.rows(part)
    names = list(fits[0].scores)
    has_memory, in_paper = any(fit.memory for fit in fits), part in FIGURES
    columns = ["topics", "sweeps", *(SCORES[name] for name in names), "CPU s", "per sweep"]
    caption = (
        f"{result.parameters['repeats']} run(s), mean ± standard error. CPU s: training only, on one thread. "
        + ("Memory: total of a process that only trains. " if has_memory else "")
        + ("The paper's values are from other machines, and from other corpora except for 20 Newsgroups." * in_paper)
    ).rstrip()
    size = _size(result, part if part in result.corpora else KINDS.get(part) or result.parameters["kind"])
    title = f"{part.replace('figure', 'figure ').capitalize()}: {TITLES[part]}{size}"
    table = view(title, caption, "method", [*columns, *["memory MB"] * has_memory, *["paper"] * in_paper])
    for runs in _by_case(fits):
        more = [_memory(runs)] * has_memory + [_paper(result, part, runs)] * in_paper
        table.add_row(runs[0].method, *_row(runs, names), *more)
    return table


def _by_case(fits: list[Fit]) -> list[list[Fit]]:
    """Runs grouped by method and number of topics."""
    cases: dict[tuple[str, int | None], list[Fit]] = {}
    for method in dict.fromkeys(fit.method for fit in fits):
        for fit in fits:
            if fit.method == method:
                cases.setdefault((method, fit.n_topics), []).append(fit)
    return list(cases.values())


def _row(runs: list[Fit], names: list[str]) -> list[str]:
    scores = [mean_and_error([run.scores.get(name) for run in runs]) for name in names]
    seconds = mean_and_error([run.seconds for run in runs])
    a_sweep = median_or_none(second for run in runs for second in run.sweep_seconds[1:]) if runs[0].n_topics else None
    return [
        number(runs[0].n_topics, 0),
        str(len(runs[0].sweep_seconds)) if runs[0].n_topics else DASH,
        *(with_error(score, lambda value: number(value, 4)) for score in scores),
        with_error(seconds),
        number(a_sweep, 3),
    ]


def _memory(runs: list[Fit]) -> str:
    most = max((run.memory for run in runs if run.memory), default=None)
    return number(None if most is None else most / 1e6, 0)


def _paper(result: MedLDAResult, part: str, runs: list[Fit]) -> str:
    method, n_topics = runs[0].method, runs[0].n_topics
    if part == "figure1" and not result.is_newsgroups:
        return DASH
    if part == "figure2":
        return (paper.program(n_topics) if method == LIGHT and result.is_newsgroups else None) or DASH
    return paper.reported(part, method, n_topics) or DASH


# ---------------------------------------------------------------------- curves, speed, choose


def _curves(result: MedLDAResult) -> Table:
    kind, budget = result.parameters["kind"], result.parameters["seconds"]
    marks = [budget * share for share in (0.1, 0.25, 0.5)]
    title = f"Curves: score on test documents against CPU time of training{_size(result, kind)}"
    caption = (
        f"{budget:g} CPU seconds for each method, evaluated every {result.parameters['every']} sweeps (not timed); "
        "medians over runs. Last columns: the authors' program on 20 Newsgroups, and when ours reached its final "
        "accuracy."
    )
    columns = ["topics", "sweeps", *(f"{mark:.3g} s" for mark in marks), "end", "best", "paper", "reached after"]
    table = view(title, caption, "method", columns)
    cases: dict[tuple[str, int], list[AccuracyCurve]] = {}
    for curve in result.curves:
        if curve.scores:
            cases.setdefault((curve.method, curve.n_topics), []).append(curve)
    for (method, n_topics), runs in cases.items():
        table.add_row(
            method,
            str(n_topics),
            number(median_or_none(run.n_sweeps[-1] for run in runs), 0),
            *(number(median_or_none(run.at(mark) for run in runs), 4) for mark in marks),
            number(median_or_none(run.scores[-1] for run in runs), 4),
            number(median_or_none(max(run.scores) for run in runs), 4),
            *_reached(result, runs),
        )
    return table


def _reached(result: MedLDAResult, runs: list[AccuracyCurve]) -> tuple[str, str]:
    n_topics = runs[0].n_topics
    if n_topics not in paper.PROGRAM or not result.is_newsgroups:
        return DASH, DASH
    times = [run.reaches(paper.PROGRAM[n_topics][0]) for run in runs]
    return paper.program(n_topics) or DASH, "not yet" if None in times else f"{number(median_or_none(times))} s"


def _speed(result: MedLDAResult) -> Table:
    title = f"Speed: CPU seconds per sweep{_size(result, result.parameters['kind'])}"
    caption = (
        f"Medians over {result.parameters['rounds']} sweeps after {result.parameters['warm_up']} of warm-up and the "
        "sweeps without the loss. GibbsMedLDA: exact draws, weights by Cholesky decomposition. Ratios: medians of "
        "the ratios in the same round. The paper gives no seconds; it reports an order of magnitude."
    )
    columns = ["LightMedLDA", "ns per token", "growth", "GibbsMedLDA", "growth", "times as fast"]
    table = view(title, caption, "topics", columns)
    few = min(result.speed, key=lambda row: row.n_topics).n_topics
    for n_topics in dict.fromkeys(row.n_topics for row in result.speed):
        cells = []
        rows = [find(result.speed, method, n_topics) for method in (LIGHT, GIBBS)]
        for row in rows:
            base = None if row is None else find(result.speed, row.method, few)
            cells.append(number(None if row is None else row.median, 3))
            if row is not None and row.method == LIGHT:
                cells.append(number(1e9 * row.median / max(row.n_tokens, 1), 0))
            cells.append(DASH if row is None or base is None else number(row.ratio(base)))
        light, gibbs = rows
        table.add_row(str(n_topics), *cells, number(gibbs.ratio(light) if light and gibbs else None, 1))
    return table


def _choose(result: MedLDAResult) -> Table:
    n_docs = result.corpora[result.parameters["kind"]]["n_docs"]
    title = f"Choose: one in five of {n_docs:,} training documents held out"
    caption = (
        f"{result.parameters['repeats']} run(s), each with other documents held out; mean ± standard error, best "
        "first. Test documents are not used."
    )
    table = view(title, caption, "parameters", ["topics", "sweeps", "score", "CPU s"])
    rows = []
    for (n_topics, point), trials in by_point(result.choose).items():
        scores = mean_and_error([trial.score for trial in trials])
        seconds = mean_and_error([trial.seconds for trial in trials])
        shown = with_error(scores, lambda value: number(value, 4))
        rows.append((scores[0] or 0.0, (point, str(n_topics), str(trials[0].n_sweeps), shown, with_error(seconds))))
    for _, row in sorted(rows, key=lambda row: -row[0]):
        table.add_row(*row)
    return table


# ---------------------------------------------------------------------- words


def _size(result: MedLDAResult, kind: str) -> str:
    sizes = result.corpora[kind]
    tasks = f", {sizes['n_tasks']:,} {'tasks' if sizes['n_tasks'] > 1 else 'task'}"
    return f" ({sizes['n_docs']:,} + {sizes['n_test_docs']:,} documents, {sizes['n_tokens']:,} tokens{tasks})"
