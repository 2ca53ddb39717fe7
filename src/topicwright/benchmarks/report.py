"""A benchmark's result as a table for the terminal and as a plot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import MissingExtraError

if TYPE_CHECKING:
    from rich.table import Table

    from .results import Contestant, Result

NOTES = (
    "M tokens/s: tokens drawn per CPU second, the median over turns; late: over the last half of the run.\n"
    "log p(w, z): per token, higher is better. Perplexity: of held-out documents, lower is better.\n"
    "A variational program (gensim, sklearn) has no z and makes one pass a turn. Memory: beyond the corpus."
)


def table(result: Result) -> Table:
    """The figures, a row for each program."""
    from rich.table import Table

    corpus, parameters = result.corpus, result.parameters
    title = (
        f"LDA: {corpus['n_docs']:,} documents, {corpus['n_tokens']:,} tokens, {corpus['n_words']:,} words, "
        f"K = {parameters['n_topics']}, {parameters['n_sweeps']} sweeps"
    )
    view = Table(title=title, caption=NOTES, caption_justify="left")
    view.add_column("program")
    for name in _columns(result):
        view.add_column(name, justify="right")
    for contestant in result.contestants:
        view.add_row(contestant.name, *_row(result, contestant))
    for program, reason in result.missing.items():
        view.add_row(program, reason, style="dim")
    return view


def _columns(result: Result) -> list[str]:
    wall = ["wall M/s", "× one thread"] if result.parameters["threads"] > 1 else []
    sweeps = [f"log p(w, z)\n{n} sweeps" for n in result.sweep_marks()]
    seconds = [f"log p(w, z)\n{s:.1f} s CPU" for s in result.second_marks()]
    rest = ["perplexity", "set-up s", "transform\nM tokens/s", "memory MB"]
    return ["M tokens/s", "late", "× tomotopy", *wall, *sweeps, *seconds, *rest]


def _row(result: Result, c: Contestant) -> list[str]:
    wall = []
    if result.parameters["threads"] > 1:
        ratio = result.ratio(c, to=c.program) if c.threads > 1 else None
        wall = [_number(c.rate("wall", late=True) / 1e6), _number(ratio)]
    at_sweeps = [c.value_at("log_likelihood", "n_sweeps", n) for n in result.sweep_marks()]
    at_seconds = [c.value_at("log_likelihood", "cpu", s) for s in result.second_marks()]
    transform = None if c.transform_rate is None else c.transform_rate / 1e6
    return [
        _number(c.rate() / 1e6),
        _number(c.rate(late=True) / 1e6),
        _number(result.ratio(c)),
        *wall,
        *(_number(value, 4) for value in at_sweeps + at_seconds),
        _number(c.final("perplexity"), 0),
        _number(c.setup_seconds),
        _number(transform, 3),
        _number(None if c.peak_memory is None else c.peak_memory / 1e6, 0),
    ]


def _number(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:,.{digits}f}"


def plot(result: Result, path: str | Path) -> None:
    """Likelihood and perplexity against CPU seconds, a curve for each run, written as an image."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plots", "plotting a benchmark") from None

    figure = Figure(figsize=(11, 4.5), layout="constrained")
    panels = figure.subplots(1, 2)
    labels = {"log_likelihood": "log p(w, z) per token", "perplexity": "held-out perplexity"}
    for axes, (measure, label) in zip(panels, labels.items()):
        for number, contestant in enumerate(result.contestants):
            for repeat, track in enumerate(contestant.tracks):
                values = [getattr(turn, measure) for turn in track.turns]
                if None not in values:
                    name = contestant.name if repeat == 0 else None
                    axes.plot(track.after("cpu"), values, marker=".", color=f"C{number}", label=name)
        axes.set(xlabel="CPU seconds", ylabel=label, xscale="log")
        if axes.lines:
            axes.legend()
    figure.savefig(path, dpi=150)
