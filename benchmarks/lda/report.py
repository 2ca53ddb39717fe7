"""A result as a table for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..common.tables import number, view

if TYPE_CHECKING:
    from rich.table import Table

    from .results import LDAResult, ProgramRecord

NOTES = (
    "M tokens/s: million tokens sampled per CPU second, median over turns; late: over the last half of the run.\n"
    "log p(w, z): per token, higher is better. Perplexity: on held-out documents, lower is better.\n"
    "Variational programs (gensim, sklearn) have no z and make one pass per turn. Memory: without the corpus."
)


def tables(result: LDAResult) -> list[Table]:
    """The figures, a row for each program."""
    corpus, parameters = result.corpus, result.parameters
    title = (
        f"LDA: {corpus['n_docs']:,} documents, {corpus['n_tokens']:,} tokens, {corpus['n_words']:,} words, "
        f"K = {parameters['n_topics']}, {parameters['n_sweeps']} sweeps"
    )
    table = view(title, NOTES, "program", _columns(result))
    for contestant in result.contestants:
        table.add_row(contestant.name, *_row(result, contestant))
    return [table]


def _columns(result: LDAResult) -> list[str]:
    wall = ["wall M/s", "× one thread"] if result.parameters["threads"] > 1 else []
    sweeps = [f"log p(w, z)\n{n} sweeps" for n in result.sweep_marks()]
    seconds = [f"log p(w, z)\n{s:.1f} s CPU" for s in result.second_marks()]
    rest = ["perplexity", "setup s", "transform\nk tokens/s", "memory MB"]
    return ["M tokens/s", "late", "× tomotopy", *wall, *sweeps, *seconds, *rest]


def _row(result: LDAResult, c: ProgramRecord) -> list[str]:
    wall = []
    if result.parameters["threads"] > 1:
        ratio = result.ratio(c, to=c.program) if c.threads > 1 else None
        wall = [number(c.rate("wall", late=True) / 1e6), number(ratio)]
    at_sweeps = [c.value_at("log_likelihood", "n_sweeps", n) for n in result.sweep_marks()]
    at_seconds = [c.value_at("log_likelihood", "cpu", s) for s in result.second_marks()]
    transform = None if c.transform_rate is None else c.transform_rate / 1e3
    return [
        number(c.rate() / 1e6),
        number(c.rate(late=True) / 1e6),
        number(result.ratio(c)),
        *wall,
        *(number(value, 4) for value in at_sweeps + at_seconds),
        number(c.final("perplexity"), 0),
        number(c.setup_seconds),
        number(transform, 1),
        number(None if c.peak_memory is None else c.peak_memory / 1e6, 0),
    ]
