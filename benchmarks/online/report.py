"""A run as tables for the terminal, what the paper says beside ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from ..common.averages import median_or_none
from ..common.base import Goal
from ..common.tables import DASH, number, percent, view
from . import paper, report_costs
from .points import CONVERGED, LONG, METHODS
from .streams import STREAM
from .topics import AGAIN, N_WORDS, agreement

if TYPE_CHECKING:
    from .results import OnlineResult


def tables(result: OnlineResult) -> list[Table]:
    """Tables of each part that ran."""
    makers: dict[str, tuple[Callable[[OnlineResult], Table], ...]] = {
        "topics": (_topics, _agreement),
        "perplexity": (_perplexity,),
        "time": (_time, _totals),
        "speed": (report_costs.speed,),
        "million": (report_costs.million,),
        "labels": (report_costs.labels,),
        "batch": (report_costs.batch,),
    }
    return [make(result) for part, both in makers.items() if result.has(part) for make in both]


def shown(goal: Goal, value: float | None) -> str:
    """A figure of a goal."""
    if "a second" in goal.what:
        return DASH if value is None else f"{value / 1e6:.2f} M"
    return number(value, 3 if goal.part == "perplexity" else 2)


# ---------------------------------------------------------------------- tables 2 and 3


def _topics(result: OnlineResult) -> Table:
    first = [row for row in result.topics if row.words and row.seed == result.parameters["seed"]]
    methods = [name for name in first[0].words if name != AGAIN]
    named = "; ".join(f"“{label}”: {', '.join(words)}" for label, words in paper.WORDS.items())
    caption = f"The first run, after all documents. Words in the paper's text, on Conf: {named}."
    title = f"Tables 2 and 3: top words of labels{result.size}"
    table = Table(title=title, caption=caption, caption_justify="left")
    for name in ("label", *methods):
        table.add_column(name)
    for row in first:
        cells = [f"{row.label} ({row.n_docs:,} documents)", *(" ".join(row.words[name]) for name in methods)]
        table.add_row(*map(Text, cells))  # brackets are no markup
    return table


def _agreement(result: OnlineResult) -> Table:
    caption = (
        f"Share of the top {N_WORDS} words of a label that are among the top {N_WORDS} of the converged batch, "
        f"the mean over all {result.corpora['stream']['n_labels']:,} labels and {result.runs}. The row of "
        "a second batch with another seed shows the agreement that can be expected of a single run."
    )
    table = view("Agreement with the converged batch", caption, "method", ["equal weights", "weighted by documents"])
    for method in result.topics[0].overlap:
        shares = [agreement(result.topics, method, weighted=weighted) for weighted in (False, True)]
        table.add_row(method, *map(percent, shares))
    return table


# ---------------------------------------------------------------------- figures 2 and 3


def _perplexity(result: OnlineResult) -> Table:
    held_out = result.parameters["held_out"]
    methods = [name for name in result.methods() if name != LONG or result.parameters["full"]]
    others = [name for name in methods if name != CONVERGED]
    caption = (
        f"Of the next {held_out:,} documents given their labels, with the same words and the same inference for all; "
        f"medians over {result.runs}. ÷ batch: relative to the converged batch. Perplexity by {METHODS[0]} infers the "
        f"label proportions of a document from the words that it scores, as in the paper; {METHODS[1]} infers them "
        f"from every other word. The paper says: {paper.PERPLEXITY}"
    )
    columns = [*(result.name_of(name) for name in methods), *(f"{result.name_of(name)} ÷ batch" for name in others)]
    title = f"Figure 2: perplexity against documents seen{result.size}"
    table = view(title, caption, "documents", [*columns, f"{STREAM} ÷ batch, {METHODS[1]}"])
    for end in result.ends():
        table.add_row(
            f"{end:,}",
            *(number(result.perplexity(name, end), 1) for name in methods),
            *(number(result.perplexity_ratio(name, end), 3) for name in others),
            number(result.perplexity_ratio(STREAM, end, METHODS[1]), 3),
        )
    return table


def _time(result: OnlineResult) -> Table:
    caption = (
        f"Medians over {result.runs}. Streams: CPU s from the start to this point, from lists of words to a model. "
        "Batches: CPU s of the sweeps of one training on all documents so far, without setup. " + _rule(result)
    )
    columns = [result.name_of(name) for name in result.methods()]
    title = f"Figure 3: training time against documents seen{result.size}"
    table = view(title, caption, "documents", ["tokens", *columns, "sweeps to converge"])
    for end in result.ends():
        table.add_row(
            f"{end:,}",
            f"{result.at(STREAM, end)[0].n_tokens:,}",
            *(number(result.seconds(name, end)) for name in result.methods()),
            number(median_or_none(point.n_sweeps for point in result.at(CONVERGED, end)), 0),
        )
    return table


def _totals(result: OnlineResult) -> Table:
    last, streams = result.ends()[-1], result.methods(batches=False)
    caption = (
        f"All points: one training at each of {len(result.ends())} points, relative to the total time of the stream. "
        f"Once: one training at the last point. Per sweep: CPU s at the last point. The paper says: {paper.TIME}"
    )
    columns = [f"{name}: {when}" for name in streams for when in ("all points", "once")]
    table = view("Time of batches relative to streams", caption, "batch", [*columns, "per sweep"])
    for method in result.methods(streams=False):
        ratios = []
        for name in streams:
            ratios += [result.speedup(method, name, last), result.speedup_once(method, name, last)]
        a_sweep = median_or_none(point.seconds / (point.n_sweeps or 1) for point in result.at(method, last))
        table.add_row(result.name_of(method), *(number(ratio, 1) for ratio in ratios), number(a_sweep, 3))
    return table


def _rule(result: OnlineResult) -> str:
    own = result.parameters
    rule = (
        f"Converged: log p(w, z) per token rose by less than {own['tol']:g} in {own['check_every']} sweeps, checked "
        "outside of the timed part. "
    )
    if any(point.n_measured != point.n_sweeps for point in result.points):
        rule += (
            f"The time of {own['sweeps']:,} sweeps is extrapolated: the sweeps until convergence, then the median "
            "time of a sweep."
        )
    return rule
