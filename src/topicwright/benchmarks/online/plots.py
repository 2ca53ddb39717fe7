"""Perplexity, time, speed, growth and memory as images."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..averages import median_or_none
from ..plotting import new_figure
from .speed import N_TENTHS

if TYPE_CHECKING:
    from .results import Result


def plot(result: Result, folder: Path) -> list[Path]:
    """Draw what was measured into a folder; the files."""
    folder.mkdir(parents=True, exist_ok=True)
    makers = {"perplexity": _perplexity, "time": _time, "speed": _speed, "million": _million, "labels": _labels}
    written = []
    for part, draw in makers.items():
        if result.has(part):
            written.append(folder / f"{part}.png")
            draw(result).savefig(written[-1], dpi=150)
    return written


def _perplexity(result: Result) -> Any:
    """Figure 2: against documents seen."""
    figure = new_figure(7, 4.5)
    axes = figure.subplots()
    _lines(axes, result, result.perplexity)
    axes.set(xlabel="documents seen", ylabel="perplexity of the next documents")
    axes.legend(fontsize="small")
    return figure


def _time(result: Result) -> Any:
    """Figure 3: CPU seconds of streams so far and of one training of batches; dotted, of all their trainings so far."""
    figure = new_figure(7, 4.5)
    axes = figure.subplots()
    _lines(axes, result, result.seconds)
    for place, method in enumerate(result.methods()):
        if method in result.methods(streams=False):
            totals = list(accumulate(result.seconds(method, end) or 0.0 for end in result.ends()))
            axes.plot(result.ends(), totals, linestyle=":", color=f"C{place}")
    axes.set(xlabel="documents seen", ylabel="CPU seconds of the training", yscale="log")
    axes.legend(fontsize="small")
    return figure


def _lines(axes: Any, result: Result, value: Any) -> None:
    for place, method in enumerate(result.methods()):
        known = [(end, value(method, end)) for end in result.ends() if value(method, end) is not None]
        if known:
            axes.plot(*zip(*known), marker=".", color=f"C{place}", label=result.name_of(method))


def _speed(result: Result) -> Any:
    """What a token costs in each tenth of the stream."""
    figure = new_figure(7, 4.5)
    axes = figure.subplots()
    for variant in dict.fromkeys(row.variant for row in result.speed):
        rows = [row for row in result.speed if row.variant == variant]
        costs = [median_or_none(1e9 * row.cost(tenth) for row in rows) for tenth in range(N_TENTHS)]
        axes.plot(range(1, N_TENTHS + 1), costs, marker=".", label=f"{variant}, {rows[0].n_particles} particles")
    axes.set(xlabel="tenth of the stream", ylabel="CPU ns a token", ylim=(0, None))
    axes.legend(fontsize="small")
    return figure


def _million(result: Result) -> Any:
    """What a token costs as documents come again and again, and the memory that is held."""
    figure = new_figure(10, 4.2)
    left, right = figure.subplots(1, 2)
    rows = [row for row in result.million if row.seed == result.parameters["seed"]]
    documents = [row.n_docs for row in rows]
    left.plot(documents, [1e9 * row.cost for row in rows], marker=".")
    left.set(xlabel="documents", ylabel="CPU ns a token", ylim=(0, None))
    right.plot(documents, [row.state_bytes / 1e6 for row in rows], marker=".", label="arrays")
    if rows[0].memory_growth is not None:
        right.plot(
            documents, [(row.memory_growth or 0) / 1e6 for row in rows], marker=".", label="growth of the process"
        )
    right.set(xlabel="documents", ylabel="MB", ylim=(0, None))
    right.legend(fontsize="small")
    return figure


def _labels(result: Result) -> Any:
    """Memory against pairs that have come up, whatever the number of labels."""
    figure = new_figure(7, 4.5)
    axes = figure.subplots()
    for row in result.labels:
        if row.seed == result.parameters["seed"]:
            axes.plot(
                row.n_pairs, [size / 1e6 for size in row.pair_bytes], marker=".", label=f"{row.n_labels:,} labels"
            )
    axes.set(xlabel="pairs of a label and a word", ylabel="MB", xscale="log", yscale="log")
    axes.legend(fontsize="small")
    return figure
