"""Perplexity, time, speed, growth and memory as images."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ..common.averages import median_or_none
from ..common.figures import color, in_thousands, label, legend_below, look, new_figure
from .speed import N_TENTHS

if TYPE_CHECKING:
    from .results import OnlineResult


def figures(result: OnlineResult) -> dict[str, Any]:
    """The figures that were measured, by name."""
    makers = {"perplexity": _perplexity, "time": _time, "speed": _speed, "million": _million, "labels": _labels}
    return {part: draw(result) for part, draw in makers.items() if result.has(part)}


def _perplexity(result: OnlineResult) -> Any:
    """Figure 2: against documents seen."""
    figure = new_figure()
    axes = figure.subplots()
    _lines(axes, result, result.perplexity)
    label(axes, "documents seen", "perplexity of the next documents")
    legend_below(figure, axes)
    return figure


def _time(result: OnlineResult) -> Any:
    """Figure 3: CPU seconds of streams so far and of one training of batches; dotted, of all their trainings so far."""
    figure = new_figure()
    axes = figure.subplots()
    _lines(axes, result, result.seconds)
    for place, method in enumerate(result.methods()):
        if method in result.methods(streams=False):
            totals = list(accumulate(result.seconds(method, end) or 0.0 for end in result.ends()))
            axes.plot(result.ends(), totals, linestyle=":", color=color(place))
    label(axes, "documents seen", "CPU seconds of the training", yscale="log")
    legend_below(figure, axes)
    return figure


def _lines(axes: Any, result: OnlineResult, value: Any) -> None:
    for place, method in enumerate(result.methods()):
        known = [(end, value(method, end)) for end in result.ends() if value(method, end) is not None]
        if known:
            axes.plot(*zip(*known), label=result.name_of(method), **look(place))
    in_thousands(axes.xaxis)


def _speed(result: OnlineResult) -> Any:
    """What a token costs in each tenth of the stream."""
    figure = new_figure()
    axes = figure.subplots()
    for place, variant in enumerate(dict.fromkeys(row.variant for row in result.speed)):
        rows = [row for row in result.speed if row.variant == variant]
        costs = [median_or_none(1e9 * row.cost(tenth) for row in rows) for tenth in range(N_TENTHS)]
        name = f"{variant}, {rows[0].n_particles} particles"
        axes.plot(range(1, N_TENTHS + 1), costs, label=name, **look(place))
    label(axes, "tenth of the stream", "CPU ns per token", ylim=(0, None))
    legend_below(figure, axes)
    return figure


def _million(result: OnlineResult) -> Any:
    """What a token costs as documents come again and again, and the memory that is held."""
    figure = new_figure()
    left, right = figure.subplots(1, 2)
    rows = [row for row in result.million if row.seed == result.parameters["seed"]]
    documents = [row.n_docs / 1e3 for row in rows]
    left.plot(documents, [1e9 * row.cost for row in rows], **look(0))
    label(left, "thousand documents", "CPU ns per token", ylim=(0, None))
    right.plot(documents, [row.state_bytes / 1e6 for row in rows], label="arrays", **look(0))
    if rows[0].memory_growth is not None:
        grown = [(row.memory_growth or 0) / 1e6 for row in rows]
        right.plot(documents, grown, label="growth of the process", **look(1))
    label(right, "thousand documents", "MB", ylim=(0, None))
    right.legend(frameon=False, fontsize=9)
    return figure


def _labels(result: OnlineResult) -> Any:
    """Memory against the number of pairs, for all numbers of labels."""
    figure = new_figure()
    axes = figure.subplots()
    rows = [row for row in result.labels if row.seed == result.parameters["seed"]]
    for place, row in enumerate(rows):
        sizes = [size / 1e6 for size in row.pair_bytes]
        axes.plot(row.n_pairs, sizes, label=f"{row.n_labels:,} labels", **look(place))
    label(axes, "pairs of a label and a word", "MB", xscale="log", yscale="log")
    legend_below(figure, axes)
    return figure
