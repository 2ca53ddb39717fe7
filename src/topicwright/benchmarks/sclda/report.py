"""A run as tables for the terminal, the paper's figures beside ours."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median
from typing import TYPE_CHECKING

from rich.table import Table

from . import paper
from .figure3 import gain, mean_and_error
from .options import N_LINKS
from .table3 import mean_seconds

if TYPE_CHECKING:
    from .figure2 import Curve
    from .results import Result

DASH = "–"


def tables(result: Result) -> list[Table]:
    """A table for each part that ran, and the goals."""
    makers = {"table2": _table2, "table3": _table3, "figure2": _figure2, "figure3": _figure3, "labels": _labels}
    views = [make(result) for part, make in makers.items() if getattr(result, part)]
    return [*views, _goals(result)] if result.goals() else views


def _table2(result: Result) -> Table:
    title = f"Table 2: CPU seconds of a sweep, K = {result.parameters['n_topics']}{_size(result, 'links')}"
    caption = (
        "About each mark the median over sweeps, sweep 1 alone. Overhead: the median of ratios to no links in the "
        "same round, over the last half of the run. As in the paper: with its own potential; the other is our default. "
        "The paper's seconds are of another machine: compare the overheads."
    )
    view = _view(title, caption, "", [*(f"sweep {mark}" for mark in paper.MARKS), "overhead"])
    base = result.table2[0]
    for row in result.table2:
        overhead = None if row is base else row.overhead(base)
        view.add_row(row.name, *(_number(row.at(mark), 3) for mark in paper.MARKS), _percent(overhead))
    view.add_section()
    for n, seconds in paper.LINKS.items():
        overhead = paper.overhead(n) if n else None
        view.add_row(f"paper, {n:,} links", *(_number(s) for s in seconds), _percent(overhead), style="dim")
    return view


def _table3(result: Result) -> Table:
    title = f"Table 3: CPU seconds of a sweep with labelled documents{_size(result, 'labels')}"
    caption = (
        f"Averages over {result.parameters['rounds']} sweeps after {result.parameters['warm_up']} of warm-up. Dense: "
        "Labeled LDA that weighs every topic, vectorised. Ratio: the median of ratios in the same round."
    )
    columns = ["labelled", "alpha", "dense", "ours", "ratio", "paper: dense", "SC-LDA", "ratio"]
    view = _view(title, caption, "topics", columns)
    for row in result.table3:
        theirs = row.paper()
        ours = (_number(mean_seconds(row.dense), 3), _number(mean_seconds(row.ours), 3), _number(row.ratio, 1))
        known = (_number(theirs[0]), _number(theirs[1]), _number(theirs[0] / theirs[1], 1)) if theirs else (DASH,) * 3
        labelled = f"{row.n_labelled:,}" + (f" (not {row.asked:,})" if row.n_labelled < row.asked else "")
        view.add_row(str(row.n_topics), labelled, f"{row.alpha:g}", *ours, *known)
    return view


def _figure2(result: Result) -> Table:
    budget = result.parameters["seconds"]
    marks = [budget * share for share in (0.1, 0.25, 0.5)]
    title = (
        f"Figure 2: log p(w, z) of plain LDA per token, K = {result.parameters['n_topics']}, "
        f"{min(N_LINKS, result.parameters['n_links'])} links{_size(result, 'links')}"
    )
    caption = (
        f"{budget:g} CPU seconds for each method; medians over runs. Last column: when SC-LDA (as in the paper) was "
        "where the method ends. In the paper SC-LDA converges before all others. The likelihood does not see the "
        "links: methods that obey them harder may end lower."
    )
    columns = ["sweeps", *(f"{mark:.3g} s" for mark in marks), "end", "SC-LDA was there after"]
    view = _view(title, caption, "method", columns)
    for method in dict.fromkeys(curve.method for curve in result.figure2):
        runs = [curve for curve in result.figure2 if curve.method == method]
        view.add_row(
            method,
            _number(_median(run.n_sweeps[-1] for run in runs), 0),
            *(_number(_median(run.at(mark) for run in runs), 4) for mark in marks),
            _number(_median(run.log_likelihood[-1] for run in runs), 4),
            _was_there(result.figure2, runs),
        )
    return view


def _was_there(curves: list[Curve], runs: list[Curve]) -> str:
    """When SC-LDA of the same seed was as high as these runs end."""
    ours = {curve.seed: curve for curve in curves if curve.method == "SC-LDA"}
    reached = [ours[run.seed].reaches(run.log_likelihood[-1]) for run in runs if run.seed in ours]
    return "not yet" if None in reached else f"{_number(_median(reached))} s"


def _figure3(result: Result) -> Table:
    title = (
        f"Figure 3: UMass coherence, K = {result.parameters['many_topics']}, "
        f"{min(N_LINKS, result.parameters['n_links'])} links{_size(result, 'links')}"
    )
    caption = (
        f"{result.parameters['seconds']:g} CPU seconds for each method (the paper: an hour), "
        f"{result.parameters['repeats']} run(s); mean ± standard error. Ten words a topic, epsilon 1e-12. "
        "Topics with fewer than ten words are left out: their sums have fewer terms."
    )
    columns = ["sweeps", "topics judged", "average", "top 20", "top 20 less LDA's", "paper: top 20"]
    view = _view(title, caption, "method", columns)
    plain = next((row for row in result.figure3 if row.method == "LDA"), None)
    for row in result.figure3:
        view.add_row(
            row.method,
            _number(_median(row.n_sweeps), 0),
            _number(_median(row.n_topics), 0),
            _with_error(mean_and_error(row.average)),
            _with_error(mean_and_error(row.best)),
            DASH if plain is None or row is plain else _with_error(gain(row, plain)),
            _number(paper.TOP_20.get(row.method), 1),
        )
    return view


def _labels(result: Result) -> Table:
    title = f"Labels: three a document, of so many in all{_size(result, 'labels')}"
    caption = (
        f"Medians over {result.parameters['rounds']} sweeps after {result.parameters['warm_up']} of warm-up. Labels "
        "are drawn with weights 1, 1/2, 1/3, … Ratio: the median of ratios in the same round. The paper has no such "
        "table."
    )
    view = _view(title, caption, "labels", ["used", "CPU ns a token", "ratio", "engine"])
    for row in result.labels:
        ratio = _number(row.ratio(result.labels[0]), 2)
        view.add_row(f"{row.n_labels:,}", f"{row.n_used:,}", _number(row.nanoseconds, 1), ratio, row.engine)
    return view


def _goals(result: Result) -> Table:
    view = _view("Goals", None, "part", ["what", "goal", "measured", "met"])
    words = {True: "yes", False: "no", None: "not measured"}
    for goal in result.goals():
        show = _percent if goal.part == "table2" else _number
        sign = "≤" if goal.at_most else "≥"
        view.add_row(goal.part, goal.what, f"{sign} {show(goal.aim)}", show(goal.value), words[goal.met])
    return view


def _view(title: str, caption: str | None, first: str, columns: Iterable[str]) -> Table:
    view = Table(title=title, caption=caption, caption_justify="left")
    view.add_column(first)
    for name in columns:
        view.add_column(name, justify="right")
    return view


def _size(result: Result, kind: str) -> str:
    corpus = result.corpora[kind]
    return f" ({corpus['n_docs']:,} documents, {corpus['n_tokens']:,} tokens)"


def _number(value: float | None, digits: int = 2) -> str:
    return DASH if value is None else f"{value:,.{digits}f}"


def _percent(value: float | None) -> str:
    return DASH if value is None else f"{100 * value:.1f} %"


def _with_error(values: tuple[float | None, float | None]) -> str:
    mean, error = values
    return _number(mean) if error is None else f"{_number(mean)} ± {_number(error)}"


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None
