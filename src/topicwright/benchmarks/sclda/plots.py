"""Figures 2 and 3 as images."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..averages import mean_and_error
from ..plotting import new_figure
from . import paper

if TYPE_CHECKING:
    from .results import Result


def plot(result: Result, folder: Path) -> list[Path]:
    """Draw the figures that were measured into a folder; the files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for part, draw in {"figure2": _curves, "figure3": _bars}.items():
        if getattr(result, part):
            written.append(folder / f"{part}.png")
            draw(result).savefig(written[-1], dpi=150)
    return written


def _curves(result: Result) -> Any:
    """Likelihood against CPU seconds, a curve for each run."""
    figure = new_figure(7, 4.5)
    axes = figure.subplots()
    methods = list(dict.fromkeys(curve.method for curve in result.figure2))
    for curve in result.figure2:
        name = curve.method if curve.seed == result.parameters["seed"] else None
        color = f"C{methods.index(curve.method)}"
        axes.plot(curve.seconds, curve.log_likelihood, marker=".", color=color, label=name)
    axes.set(xlabel="CPU seconds", ylabel="log p(w, z) per token", xscale="log")
    axes.legend()
    return figure


def _bars(result: Result) -> Any:
    """Coherence of all topics and of the 20 best, with standard errors, and the paper's as lines."""
    figure = new_figure(9, 4.5)
    for axes, measure in zip(figure.subplots(1, 2), ("average", "best")):
        for number, row in enumerate(result.figure3):
            mean, error = mean_and_error(getattr(row, measure))
            if mean is not None:
                axes.bar(number, mean, yerr=error, capsize=3, color=f"C{number}")
            if measure == "best" and row.method in paper.TOP_20:
                axes.plot([number - 0.4, number + 0.4], [paper.TOP_20[row.method]] * 2, color="black", linestyle=":")
        axes.set_xticks(range(len(result.figure3)), [row.method for row in result.figure3], rotation=30, ha="right")
        title = {"average": "all topics", "best": "20 best topics (dotted: the paper's)"}[measure]
        axes.set(title=title, ylabel="UMass coherence")
    return figure
