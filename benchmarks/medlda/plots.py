"""Figures 1 to 8, curves and speed as images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..common.averages import mean_and_error
from ..common.figures import bars, color, label, legend_below, look, new_figure
from . import paper
from .fits import LIGHT, Fit
from .options import FIGURES
from .report import SCORES

if TYPE_CHECKING:
    from .results import MedLDAResult

WIDE = 5.0  # from such a ratio on, seconds are drawn by their logarithms


def figures(result: MedLDAResult) -> dict[str, Any]:
    """The figures that were measured, by name."""
    found = {part: _panels(result, part) for part in FIGURES if result.rows(part)}
    if any(curve.scores for curve in result.curves):
        found["curves"] = _curves(result)
    if result.speed:
        found["speed"] = _speed(result)
    return found


def _panels(result: MedLDAResult, part: str) -> Any:
    """Score and training time: against the number of topics, as in the paper; or method by method, if it is one."""
    figure = new_figure()
    fits: list[Fit] = result.rows(part)
    score = next(iter(fits[0].scores))
    left, right = figure.subplots(1, 2)
    topics = sorted({fit.n_topics for fit in fits if fit.n_topics is not None})
    draw = _lines if len(topics) > 1 else _bars
    draw(left, fits, [fit.scores[score] for fit in fits])
    seconds = [fit.seconds for fit in fits]
    draw(right, fits, seconds)
    x = "topics" if len(topics) > 1 else ""
    label(left, x, SCORES[score])
    scale = "log" if max(seconds) > WIDE * min(seconds) else "linear"
    label(right, x, "CPU seconds of the training", yscale=scale)
    if len(topics) > 1:
        legend_below(figure, left)
    return figure


def _lines(axes: Any, fits: list[Fit], values: list[float]) -> None:
    """Means and errors by number of topics; a level line for a method without topics."""
    for number, method in enumerate(dict.fromkeys(fit.method for fit in fits)):
        own = [(fit, value) for fit, value in zip(fits, values) if fit.method == method]
        topics = sorted({fit.n_topics for fit, _ in own if fit.n_topics is not None})
        if not topics:
            axes.axhline(own[0][1], color=color(number), linestyle=":", label=method)
            continue
        pairs = [mean_and_error([value for fit, value in own if fit.n_topics == n]) for n in topics]
        errors = [error or 0.0 for _, error in pairs]
        axes.errorbar(topics, [mean for mean, _ in pairs], yerr=errors, capsize=3, label=method, **look(number))


def _bars(axes: Any, fits: list[Fit], values: list[float]) -> None:
    """Means and errors of all methods."""
    methods = list(dict.fromkeys(fit.method for fit in fits))
    means = [mean_and_error([value for fit, value in zip(fits, values) if fit.method == name]) for name in methods]
    bars(axes, methods, means)


def _curves(result: MedLDAResult) -> Any:
    """Scores against CPU seconds, a curve for each run; crosses are the authors' program."""
    figure = new_figure()
    axes = figure.subplots()
    cases = list(dict.fromkeys((curve.method, curve.n_topics) for curve in result.curves))
    for curve in result.curves:
        number = cases.index((curve.method, curve.n_topics))
        name = f"{curve.method}, {curve.n_topics} topics" if curve.seed == result.parameters["seed"] else None
        axes.plot(curve.seconds, curve.scores, label=name, **look(number))
    if result.is_newsgroups:
        for n_topics in sorted({n for _, n in cases} & set(paper.PROGRAM)):
            accuracy, seconds = paper.PROGRAM[n_topics]
            own = color(cases.index((LIGHT, n_topics)))
            name = f"authors' program, {n_topics} topics"
            axes.plot([seconds], [accuracy], "x", color=own, markersize=9, markeredgewidth=2.5, label=name)
    label(axes, "CPU seconds of the training", "score on test documents")
    legend_below(figure, axes, 2)
    return figure


def _speed(result: MedLDAResult) -> Any:
    """CPU seconds per sweep against the number of topics."""
    figure = new_figure()
    axes = figure.subplots()
    for number, method in enumerate(dict.fromkeys(row.method for row in result.speed)):
        rows = sorted((row for row in result.speed if row.method == method), key=lambda row: row.n_topics)
        axes.plot([row.n_topics for row in rows], [row.median for row in rows], label=method, **look(number))
    label(axes, "topics", "CPU seconds per sweep", xscale="log", yscale="log")
    topics = sorted({row.n_topics for row in result.speed})
    axes.set_xticks(topics, map(str, topics))
    axes.minorticks_off()
    legend_below(figure, axes)
    return figure
