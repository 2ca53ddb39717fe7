"""Figures 1 to 3 as images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..common.averages import mean_and_error
from ..common.figures import bars, color, label, legend_below, look, new_figure
from . import paper

if TYPE_CHECKING:
    from .results import SCLDAResult


def figures(result: SCLDAResult) -> dict[str, Any]:
    """The figures that were measured, by name."""
    makers = {"figure1": _histograms, "figure2": _curves, "figure3": _bars}
    return {part: draw(result) for part, draw in makers.items() if result.rows(part)}


def _histograms(result: SCLDAResult) -> Any:
    """Number of words by their number of topics."""
    figure = new_figure(3.4)
    rows = [row for row in result.figure1 if row.seed == result.parameters["seed"]]
    for number, (axes, row) in enumerate(zip(figure.subplots(1, len(rows), squeeze=False)[0], rows)):
        most = max(n for n, words in enumerate(row.n_words) if words)
        axes.bar(range(most + 1), row.n_words[: most + 1], width=1.0, color=color(0))
        axes.axvline(row.few, color=color(1), linestyle="--", linewidth=1.2)
        label(axes, "topics of a word", "" if number else "words", title=f"K = {row.n_topics}")
    return figure


def _curves(result: SCLDAResult) -> Any:
    """Likelihood against CPU seconds, a curve for each run."""
    figure = new_figure()
    axes = figure.subplots()
    methods = list(dict.fromkeys(curve.method for curve in result.figure2))
    for curve in result.figure2:
        name = curve.method if curve.seed == result.parameters["seed"] else None
        axes.plot(curve.seconds, curve.log_likelihood, label=name, **look(methods.index(curve.method)))
    label(axes, "CPU seconds", "log p(w, z) per token", xscale="log")
    legend_below(figure, axes)
    return figure


def _bars(result: SCLDAResult) -> Any:
    """Coherence of all topics and of the 20 best, with standard errors, and the paper's as lines."""
    figure, rows = new_figure(), result.figure3
    for axes, measure in zip(figure.subplots(1, 2), ("average", "best")):
        bars(axes, [row.method for row in rows], [mean_and_error(getattr(row, measure)) for row in rows])
        for place, row in enumerate(rows):
            if measure == "best" and row.method in paper.TOP_20:
                axes.plot([place - 0.4, place + 0.4], [paper.TOP_20[row.method]] * 2, color="black", linestyle=":")
        label(axes, "", "UMass coherence" if measure == "average" else "")
        axes.set_title({"average": "all topics", "best": "20 best topics (dotted: the paper's)"}[measure], fontsize=10)
    return figure
