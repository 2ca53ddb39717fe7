"""Command ``medlda``: the figures of the LightMedLDA paper."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import Json, MinDf, Plot, Repeats, Seed, StopWords, TokenPattern


def benchmark_medlda(
    part: Annotated[
        list[str] | None,
        typer.Option(
            help="figure1 … figure8, words, ranking, curves, speed, choose or all; may be repeated. Default: figures 1 "
            "and 2 (3 for several labels, 5 for targets), curves and speed."
        ),
    ] = None,
    corpus: Annotated[str, typer.Option(help="A file of labeled documents, or 'docstrings'.")] = "docstrings",
    test: Annotated[str | None, typer.Option(help="A file of documents to test on.")] = None,
    split: Annotated[
        str | None,
        typer.Option(help="Without --test: the field with 'train' or 'test'. Default: one random document in five."),
    ] = None,
    target: Annotated[str | None, typer.Option(help="The field of a number to predict instead of labels.")] = None,
    min_df: MinDf = 5,
    stop_words: StopWords = "english",
    token_pattern: TokenPattern = None,
    topics: Annotated[str, typer.Option("--topics", "-k", help="Numbers of topics, separated by commas.")] = "20,40",
    sweeps: Annotated[
        int | None, typer.Option(help="Sweeps of all figures and of choose. Default: the paper's.")
    ] = None,
    dense_topics: Annotated[
        int, typer.Option(help="Up to this number of topics, GibbsMedLDA and tomotopy run too.")
    ] = 200,
    peers: Annotated[
        str, typer.Option(help="Baselines, separated by commas: svc (on TF-IDF), lda (with SVC), tomotopy; or 'none'.")
    ] = "svc,lda,tomotopy",
    classes: Annotated[
        str | None, typer.Option(help="The two classes of figure 1, separated by a comma. Default: the paper's.")
    ] = None,
    memory: Annotated[bool, typer.Option(help="Measure peak memory in figure 3.")] = True,
    seconds: Annotated[float, typer.Option(help="CPU seconds of each method in curves.")] = 1.0,
    every: Annotated[int, typer.Option(help="Sweeps between two points of a curve.")] = 2,
    rounds: Annotated[int, typer.Option(help="Timed sweeps in speed.")] = 5,
    warm_up: Annotated[int, typer.Option(help="Warm-up sweeps with the loss.")] = 3,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            help="For choose: a parameter and its values, like beta=0.01,0.1; repeated, all combinations are tried. "
            "Default: each parameter varied alone."
        ),
    ] = None,
    repeats: Repeats = 1,
    seed: Seed = 0,
    loss: Annotated[str, typer.Option(help="Of curves, speed and choose: 'hinge' or 'logistic'.")] = "hinge",
    alpha_sum: Annotated[float | None, typer.Option(help="Prior of topics in a document, over all topics.")] = None,
    beta: Annotated[float | None, typer.Option(help="Prior of words in a topic.")] = None,
    cost: Annotated[float | None, typer.Option(help="Cost of the loss.")] = None,
    margin: Annotated[float | None, typer.Option(help="Margin of the hinge.")] = None,
    epsilon: Annotated[float | None, typer.Option(help="Width of the insensitive zone, with --target.")] = None,
    nu: Annotated[float | None, typer.Option(help="Precision of the weights' prior.")] = None,
    mh_steps: Annotated[int | None, typer.Option(help="Metropolis steps per token.")] = None,
    weight_sweeps: Annotated[int | None, typer.Option(help="Draws of the weights per sweep.")] = None,
    more: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="A further parameter of our estimator, like class_weight=balanced; may be repeated. GibbsMedLDA and "
            "figure 6 do without.",
        ),
    ] = None,
    json: Json = None,
    plot: Plot = None,
) -> None:
    """Measure the figures of the LightMedLDA paper: accuracy and training time of supervised topics.

    Parameters that are not given are the paper's own in each part.

    Example: python -m benchmarks medlda --corpus news.jsonl --split split --part curves --topics 40,200
    """
    from ..common.base import split_commas
    from ..common.datasets import Source
    from ..medlda import plots, report, run
    from ..medlda.corpora import load
    from ..medlda.options import MedLDAOptions, parse_grid, parse_numbers, parse_settings
    from .output import run_and_show

    options = MedLDAOptions(
        parts=tuple(part or ()),
        topics=parse_numbers("topics", topics),
        sweeps=sweeps,
        dense_topics=dense_topics,
        peers=split_commas(peers),
        classes=split_commas(classes),
        memory=memory,
        seconds=seconds,
        every=every,
        rounds=rounds,
        warm_up=warm_up,
        grid=parse_grid(grid or []),
        repeats=repeats,
        seed=seed,
        loss=loss,
        alpha_sum=alpha_sum,
        beta=beta,
        cost=cost,
        margin=margin,
        epsilon=epsilon,
        nu=nu,
        mh_steps=mh_steps,
        weight_sweeps=weight_sweeps,
        more=parse_settings(more or []),
    )
    source = Source(corpus, test, split, target, min_df, stop_words, token_pattern, seed)
    run_and_show(
        lambda progress: run(options, load(source), progress=progress), report, plots.figures, json=json, plot=plot
    )
