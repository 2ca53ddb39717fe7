"""Figures 1 to 8, curves and speed as images."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..averages import mean_and_error
from ..plotting import new_figure
from . import paper
from .options import FIGURES
from .report import SCORES, TITLES
from .results import LIGHT

if TYPE_CHECKING:
    from .fits import Fit
    from .results import Result


def plot(result: Result, folder: Path) -> list[Path]:
    """Draw the figures that were measured into a folder; the files."""
    folder.mkdir(parents=True, exist_ok=True)
    figures = {part: _panels(result, part) for part in FIGURES if result.rows(part)}
    if any(curve.scores for curve in result.curves):
        figures["curves"] = _curves(result)
    if result.speed:
        figures["speed"] = _speed(result)
    for part, figure in figures.items():
        figure.savefig(folder / f"{part}.png", dpi=150)
    return [folder / f"{part}.png" for part in figures]


def _panels(result: Result, part: str) -> Any:
    """Score and training time against the number of topics, as in the paper."""
    figure = new_figure(10, 4.2)
    fits: list[Fit] = result.rows(part)
    score = next(iter(fits[0].scores))
    left, right = figure.subplots(1, 2)
    for number, method in enumerate(dict.fromkeys(fit.method for fit in fits)):
        own = [fit for fit in fits if fit.method == method]
        _line(left, own, [fit.scores[score] for fit in own], method, f"C{number}")
        _line(right, own, [fit.seconds for fit in own], method, f"C{number}")
    left.set(xlabel="topics", ylabel=SCORES[score])
    right.set(xlabel="topics", ylabel="CPU seconds of the training", yscale="log")
    left.legend(fontsize="small")
    figure.suptitle(f"Figure {part.removeprefix('figure')}: {TITLES[part]}")
    return figure


def _line(axes: Any, fits: list[Fit], values: list[float], name: str, color: str) -> None:
    """Means and errors by number of topics; a level line for a method without topics."""
    if fits[0].n_topics is None:
        axes.axhline(values[0], color=color, linestyle=":", label=name)
        return
    topics = sorted({fit.n_topics for fit in fits if fit.n_topics is not None})
    pairs = [mean_and_error([v for fit, v in zip(fits, values) if fit.n_topics == n]) for n in topics]
    errors = [error or 0.0 for _, error in pairs]
    axes.errorbar(topics, [mean for mean, _ in pairs], yerr=errors, marker=".", capsize=3, color=color, label=name)


def _curves(result: Result) -> Any:
    """Scores against CPU seconds, a curve for each run; crosses are the authors' program."""
    figure = new_figure(7, 4.5)
    axes = figure.subplots()
    cases = list(dict.fromkeys((curve.method, curve.n_topics) for curve in result.curves))
    for curve in result.curves:
        number = cases.index((curve.method, curve.n_topics))
        name = f"{curve.method}, {curve.n_topics} topics" if curve.seed == result.parameters["seed"] else None
        axes.plot(curve.seconds, curve.scores, marker=".", color=f"C{number}", label=name)
    if result.is_newsgroups:
        for n_topics in sorted({n for _, n in cases} & set(paper.PROGRAM)):
            accuracy, seconds = paper.PROGRAM[n_topics]
            color = f"C{cases.index((LIGHT, n_topics))}"
            axes.plot([seconds], [accuracy], "x", color=color, label=f"authors' program, {n_topics} topics")
    axes.set(xlabel="CPU seconds of the training", ylabel="score on test documents")
    axes.legend(fontsize="small")
    return figure


def _speed(result: Result) -> Any:
    """CPU seconds of a sweep against the number of topics."""
    figure = new_figure(6, 4.2)
    axes = figure.subplots()
    for method in dict.fromkeys(row.method for row in result.speed):
        rows = sorted((row for row in result.speed if row.method == method), key=lambda row: row.n_topics)
        axes.plot([row.n_topics for row in rows], [row.median for row in rows], marker="o", label=method)
    axes.set(xlabel="topics", ylabel="CPU seconds of a sweep", xscale="log", yscale="log")
    axes.legend()
    return figure
