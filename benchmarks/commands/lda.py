"""Command ``lda``: plain LDA beside other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .options import Json, MinDf, Plot, Repeats, Seed, StopWords

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..lda import LDAResult


def benchmark_lda(
    corpus: Annotated[str, typer.Option(help="A file of documents, or 'docstrings'.")] = "docstrings",
    held_out: Annotated[
        str | None,
        typer.Option(help="A file of documents to hold out; by default one in twenty of the corpus."),
    ] = None,
    split: Annotated[str | None, typer.Option(help="Without --held-out: the field with 'train' or 'test'.")] = None,
    n_topics: Annotated[int, typer.Option("--n-topics", "-k", help="Number of topics.")] = 100,
    sweeps: Annotated[int, typer.Option(help="Sweeps of each program.")] = 100,
    programs: Annotated[
        str, typer.Option(help="Programs, separated by commas: topicwright, tomotopy, gensim, sklearn, lda, cpp.")
    ] = "topicwright,tomotopy,gensim,sklearn,lda,cpp",
    threads: Annotated[int, typer.Option(help="If more than 1: also run with this many threads and compare.")] = 1,
    every: Annotated[int, typer.Option(help="Sweeps per turn.")] = 10,
    repeats: Repeats = 1,
    alpha: Annotated[float, typer.Option(help="Prior of topics in a document.")] = 0.1,
    beta: Annotated[float, typer.Option(help="Prior of words in a topic.")] = 0.01,
    seed: Seed = 0,
    min_df: MinDf = 5,
    stop_words: StopWords = "english",
    memory: Annotated[bool, typer.Option(help="Measure peak memory too.")] = True,
    json: Json = None,
    plot: Plot = None,
) -> None:
    """Fit LDA with several programs that take turns, and compare speed, likelihood and memory.

    Example: python -m benchmarks lda --corpus news.jsonl --n-topics 100 --programs topicwright,tomotopy
    """
    from ..common.base import split_commas
    from ..common.datasets import Source, read, read_split
    from ..lda import LDAOptions, plots, report, run
    from .output import run_and_show

    options = LDAOptions(
        n_topics=n_topics,
        n_sweeps=sweeps,
        programs=split_commas(programs),
        threads=threads,
        every=every,
        repeats=repeats,
        alpha=alpha,
        beta=beta,
        seed=seed,
        memory=memory,
    )
    source = Source(corpus, held_out, split, min_df=min_df, stop_words=stop_words)

    def fit(progress: Callable[[str], object]) -> LDAResult:
        documents = read_split(source) if source.is_split else (read(source),)
        return run(options, *documents, progress=progress)

    run_and_show(fit, report, plots.figures, json=json, plot=plot)
