"""Command ``sclda``: the tables and figures of the SC-LDA paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Json, MinDf, Plot, Repeats, Seed, StopWords


def benchmark_sclda(
    part: Annotated[
        list[str] | None,
        typer.Option(help="figure1, table2, table3, figure2, figure3 or labels; may be repeated. Default: all."),
    ] = None,
    links_corpus: Annotated[
        str, typer.Option(help="For the parts about word links: a file of documents or counts, or 'docstrings'.")
    ] = "docstrings",
    labels_corpus: Annotated[
        str, typer.Option(help="For the parts about labels: a file of labeled documents, or 'docstrings'.")
    ] = "docstrings",
    links: Annotated[
        Path | None,
        typer.Option(
            exists=True, help="Must-links: a JSON list of pairs, or a knowledge file. Default: from the corpus."
        ),
    ] = None,
    n_topics: Annotated[int, typer.Option("--n-topics", "-k", help="Topics of table 2 and of figures 1, 2.")] = 100,
    many_topics: Annotated[int, typer.Option(help="Topics of figure 3, and the more of figure 1.")] = 500,
    sweeps: Annotated[int, typer.Option(help="Sweeps of table 2 and figure 1.")] = 200,
    rounds: Annotated[int, typer.Option(help="Sweeps of table 3 and labels that count.")] = 20,
    warm_up: Annotated[int, typer.Option(help="Sweeps before them.")] = 10,
    seconds: Annotated[float, typer.Option(help="CPU seconds of each method in figures 2 and 3.")] = 60.0,
    repeats: Repeats = 1,
    alpha: Annotated[float, typer.Option(help="Prior of topics in a document.")] = 1.0,
    beta: Annotated[float, typer.Option(help="Prior of words in a topic.")] = 0.01,
    seed: Seed = 0,
    min_df: MinDf = 5,
    stop_words: StopWords = "english",
    json: Json = None,
    plot: Plot = None,
) -> None:
    """Measure the tables and figures of the SC-LDA paper: what knowledge costs, and what it gives.

    Example: python -m benchmarks sclda --part table2 --part labels --json sclda.json
    """
    from ..sclda import PARTS, SCLDAOptions, plots, report, run
    from ..sclda.corpora import Sources, load
    from .output import run_and_show

    options = SCLDAOptions(
        parts=tuple(part or PARTS),
        n_topics=n_topics,
        many_topics=many_topics,
        sweeps=sweeps,
        rounds=rounds,
        warm_up=warm_up,
        seconds=seconds,
        repeats=repeats,
        alpha=alpha,
        beta=beta,
        seed=seed,
    )
    sources = Sources(links_corpus, labels_corpus, links, min_df, stop_words)
    run_and_show(
        lambda progress: run(options, **load(options, sources, progress), progress=progress),
        report,
        plots.figures,
        json=json,
        plot=plot,
    )
