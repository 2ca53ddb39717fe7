"""A run as tables for the terminal, the paper's figures beside ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from ..common.averages import mean_and_error, median_or_none
from ..common.base import Goal
from ..common.tables import DASH, number, percent, view, with_error
from . import paper
from .figure3 import gain
from .options import N_LINKS
from .table3 import mean_seconds

if TYPE_CHECKING:
    from .figure2 import LikelihoodCurve
    from .results import SCLDAResult


def tables(result: SCLDAResult) -> list[Table]:
    """A table for each part that ran."""
    makers = {
        "figure1": _figure1,
        "table2": _table2,
        "table3": _table3,
        "figure2": _figure2,
        "figure3": _figure3,
        "labels": _labels,
    }
    return [make(result) for part, make in makers.items() if result.rows(part)]


def shown(goal: Goal, value: float | None) -> str:
    """A figure of a goal."""
    return (percent if goal.part == "table2" else number)(value)


def _figure1(result: SCLDAResult) -> Table:
    title = f"Figure 1: number of topics per word{_size(result, 'links')}"
    theirs = ", ".join(f"{percent(share)} on {paper.SPARSE_ON[n]} with {n}" for n, share in paper.SPARSE.items())
    caption = (
        f"After {result.parameters['sweeps']} sweeps of LDA, over words that occur; medians over runs. The paper: "
        f"{theirs} topics."
    )
    columns = ["threshold", "words below the threshold", "median topics per word", "paper"]
    table = view(title, caption, "topics", columns)
    for n_topics in dict.fromkeys(row.n_topics for row in result.figure1):
        rows = [row for row in result.figure1 if row.n_topics == n_topics]
        table.add_row(
            str(n_topics),
            str(rows[0].few),
            percent(median_or_none(row.share for row in rows)),
            number(median_or_none(row.median for row in rows), 0),
            percent(paper.SPARSE.get(n_topics)),
        )
    return table


def _table2(result: SCLDAResult) -> Table:
    title = f"Table 2: CPU seconds per sweep, K = {result.parameters['n_topics']}{_size(result, 'links')}"
    caption = (
        "Medians over the sweeps around each number; sweep 1 is a single sweep. Overhead: median of the ratios to no "
        "links in the same round, over the last half of the run. “As in the paper” is the paper's potential; "
        "firmness 0.25 is our default. The paper's seconds are from another machine: compare the overheads."
    )
    table = view(title, caption, "", [*(f"sweep {mark}" for mark in paper.MARKS), "overhead"])
    base = result.table2[0]
    for row in result.table2:
        overhead = None if row is base else row.overhead(base)
        table.add_row(row.name, *(number(row.at(mark), 3) for mark in paper.MARKS), percent(overhead))
    table.add_section()
    for n, seconds in paper.LINKS.items():
        overhead = paper.overhead(n) if n else None
        table.add_row(f"paper, {n:,} links", *(number(s) for s in seconds), percent(overhead), style="dim")
    return table


def _table3(result: SCLDAResult) -> Table:
    title = f"Table 3: CPU seconds per sweep with labeled documents{_size(result, 'labels')}"
    caption = (
        f"Averages over {result.parameters['rounds']} sweeps after {result.parameters['warm_up']} of warm-up. Dense: "
        "vectorized Labeled LDA that evaluates every topic. Ratio: median of the ratios in the same round."
    )
    columns = ["labeled", "alpha", "dense", "ours", "ratio", "paper: dense", "SC-LDA", "ratio"]
    table = view(title, caption, "topics", columns)
    for row in result.table3:
        theirs = row.paper()
        ours = (number(mean_seconds(row.dense), 3), number(mean_seconds(row.ours), 3), number(row.ratio, 1))
        known = (number(theirs[0]), number(theirs[1]), number(theirs[0] / theirs[1], 1)) if theirs else (DASH,) * 3
        labeled = f"{row.n_labeled:,}" + (f" (not {row.asked:,})" if row.n_labeled < row.asked else "")
        table.add_row(str(row.n_topics), labeled, f"{row.alpha:g}", *ours, *known)
    return table


def _figure2(result: SCLDAResult) -> Table:
    budget = result.parameters["seconds"]
    marks = [budget * share for share in (0.1, 0.25, 0.5)]
    title = (
        f"Figure 2: log p(w, z) of plain LDA per token, K = {result.parameters['n_topics']}, "
        f"{min(N_LINKS, result.parameters['n_links'])} links{_size(result, 'links')}"
    )
    caption = (
        f"{budget:g} CPU seconds for each method; medians over runs. Last column: when SC-LDA (as in the paper) "
        "reached the final value of the method. In the paper SC-LDA converges before all others. The likelihood does "
        "not include the links: methods that follow them more strictly may end lower."
    )
    columns = ["sweeps", *(f"{mark:.3g} s" for mark in marks), "end", "reached by SC-LDA after"]
    table = view(title, caption, "method", columns)
    for method in dict.fromkeys(curve.method for curve in result.figure2):
        runs = [curve for curve in result.figure2 if curve.method == method]
        table.add_row(
            method,
            number(median_or_none(run.n_sweeps[-1] for run in runs), 0),
            *(number(median_or_none(run.at(mark) for run in runs), 4) for mark in marks),
            number(median_or_none(run.log_likelihood[-1] for run in runs), 4),
            _was_there(result.figure2, runs),
        )
    return table


def _was_there(curves: list[LikelihoodCurve], runs: list[LikelihoodCurve]) -> str:
    """When SC-LDA of the same seed was as high as these runs end."""
    ours = {curve.seed: curve for curve in curves if curve.method == "SC-LDA"}
    reached = [ours[run.seed].reaches(run.log_likelihood[-1]) for run in runs if run.seed in ours]
    return "not yet" if None in reached else f"{number(median_or_none(reached))} s"


def _figure3(result: SCLDAResult) -> Table:
    title = (
        f"Figure 3: UMass coherence, K = {result.parameters['many_topics']}, "
        f"{min(N_LINKS, result.parameters['n_links'])} links{_size(result, 'links')}"
    )
    caption = (
        f"{result.parameters['seconds']:g} CPU seconds for each method (the paper: an hour), "
        f"{result.parameters['repeats']} run(s); mean ± standard error. Ten words per topic, epsilon 1e-12. Topics "
        "with fewer than ten words are left out, because their sums have fewer terms."
    )
    columns = ["sweeps", "topics with ten words", "average", "top 20", "top 20 minus LDA", "paper: top 20"]
    table = view(title, caption, "method", columns)
    plain = next((row for row in result.figure3 if row.method == "LDA"), None)
    for row in result.figure3:
        table.add_row(
            row.method,
            number(median_or_none(row.n_sweeps), 0),
            number(median_or_none(row.n_topics), 0),
            with_error(mean_and_error(row.average)),
            with_error(mean_and_error(row.best)),
            DASH if plain is None or row is plain else with_error(gain(row, plain)),
            number(paper.TOP_20.get(row.method), 1),
        )
    return table


def _labels(result: SCLDAResult) -> Table:
    title = f"Labels: three per document, by the total number of labels{_size(result, 'labels')}"
    caption = (
        f"Medians over {result.parameters['rounds']} sweeps after {result.parameters['warm_up']} of warm-up. Labels "
        "are drawn with weights 1, 1/2, 1/3, … Ratio: median of the ratios in the same round. The paper has no such "
        "table."
    )
    table = view(title, caption, "labels", ["used", "CPU ns per token", "ratio", "engine"])
    for row in result.labels:
        ratio = number(row.ratio(result.labels[0]), 2)
        table.add_row(f"{row.n_labels:,}", f"{row.n_used:,}", number(row.nanoseconds, 1), ratio, row.engine)
    return table


def _size(result: SCLDAResult, kind: str) -> str:
    corpus = result.corpora[kind]
    return f" ({corpus['n_docs']:,} documents, {corpus['n_tokens']:,} tokens)"
