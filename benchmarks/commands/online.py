"""Command ``online``: the tables and figures of the Online Labeled LDA paper."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import Json, MinDf, Plot, Repeats, Seed, TokenPattern


def benchmark_online(
    part: Annotated[
        list[str] | None,
        typer.Option(help="topics, perplexity, time, speed, million, labels or batch; may be repeated. Default: all."),
    ] = None,
    corpus: Annotated[
        str, typer.Option(help="A file of documents or counts with labels, or 'docstrings'.")
    ] = "docstrings",
    documents: Annotated[int | None, typer.Option(help="Use only this many documents.")] = None,
    shuffle: Annotated[bool, typer.Option(help="Shuffle the documents; docstrings are always shuffled.")] = False,
    min_df: MinDf = 5,
    stop_words: Annotated[
        str, typer.Option(help="'english' (for texts), 'none', or words separated by commas.")
    ] = "english",
    token_pattern: TokenPattern = None,
    label_min_df: Annotated[int, typer.Option(help="Minimum number of documents of a label.")] = 1,
    label: Annotated[list[str] | None, typer.Option(help="A label to show in topics; may be repeated.")] = None,
    every: Annotated[
        int | None, typer.Option(help="Documents between two points of perplexity and time. Default: a tenth of all.")
    ] = None,
    held_out: Annotated[int, typer.Option(help="Documents after each point to compute perplexity of.")] = 500,
    sweeps: Annotated[int, typer.Option(help="Sweeps of a batch that is trained the paper's way.")] = 1_000,
    full: Annotated[
        bool, typer.Option(help="Run all of these sweeps; otherwise their time is reckoned from the first.")
    ] = False,
    tol: Annotated[
        float, typer.Option(help="A batch has converged when log p(w, z) per token rises by less than this …")
    ] = 0.01,
    check_every: Annotated[int, typer.Option(help="… over this many sweeps.")] = 10,
    particles: Annotated[int, typer.Option(help="Particles of speed.")] = 10,
    passes: Annotated[int, typer.Option(help="How often all documents come in million, at least twice.")] = 10,
    rounds: Annotated[int, typer.Option(help="Sweeps of batch that count.")] = 10,
    warm_up: Annotated[int, typer.Option(help="Sweeps before them.")] = 5,
    peers: Annotated[str, typer.Option(help="Beside ours: tomotopy, or 'none'.")] = "tomotopy",
    repeats: Repeats = 1,
    alpha: Annotated[float, typer.Option(help="Prior of labels in a document that has them.")] = 0.1,
    beta: Annotated[float, typer.Option(help="Prior of words in a label.")] = 0.1,
    seed: Seed = 0,
    json: Json = None,
    plot: Plot = None,
) -> None:
    """Measure the tables and figures of the Online Labeled LDA paper: the stream beside batches trained from scratch.

    Example: python -m benchmarks online --corpus arxiv.jsonl --documents 5000 --part perplexity --part time
    """
    from ..common.base import split_commas
    from ..online import plots, report, run
    from ..online.corpora import StreamSource, load
    from ..online.options import PARTS, OnlineOptions
    from .output import run_and_show

    options = OnlineOptions(
        parts=tuple(part or PARTS),
        label=tuple(label or ()),
        every=every,
        held_out=held_out,
        sweeps=sweeps,
        full=full,
        tol=tol,
        check_every=check_every,
        particles=particles,
        passes=passes,
        rounds=rounds,
        warm_up=warm_up,
        peers=split_commas(peers),
        repeats=repeats,
        alpha=alpha,
        beta=beta,
        seed=seed,
    )
    source = StreamSource(corpus, documents, shuffle, min_df, stop_words, token_pattern, label_min_df, seed)
    run_and_show(
        lambda progress: run(options, load(source), progress=progress), report, plots.figures, json=json, plot=plot
    )
