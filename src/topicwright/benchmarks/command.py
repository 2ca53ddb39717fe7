"""``topicwright benchmark``: the commands, to be mounted by the command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .command_online import benchmark_online

if TYPE_CHECKING:
    from ..corpus.core import Corpus
    from .results import Result

app = typer.Typer(help="Speed and quality beside other programs.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Speed and quality beside other programs."""


@app.command("lda")
def benchmark_lda(
    corpus: Annotated[str, typer.Option(help="A file of documents, or 'docstrings'.")] = "docstrings",
    held_out: Annotated[
        str | None,
        typer.Option(help="A file of documents to hold out; by default one in twenty of the corpus."),
    ] = None,
    n_topics: Annotated[int, typer.Option("--n-topics", "-k", help="Number of topics.")] = 100,
    sweeps: Annotated[int, typer.Option(help="Sweeps of each program.")] = 100,
    programs: Annotated[
        str, typer.Option(help="Which, between commas: topicwright, tomotopy, gensim, sklearn, cpp.")
    ] = "topicwright,tomotopy,gensim,sklearn,cpp",
    threads: Annotated[int, typer.Option(help="If not 1: run on so many threads too, and compare.")] = 1,
    every: Annotated[int, typer.Option(help="Sweeps in a turn.")] = 10,
    repeats: Annotated[int, typer.Option(help="Runs, each with another seed.")] = 1,
    alpha: Annotated[float, typer.Option(help="Prior of topics in a document.")] = 0.1,
    beta: Annotated[float, typer.Option(help="Prior of words in a topic.")] = 0.01,
    seed: Annotated[int, typer.Option(help="Random seed of the first run.")] = 0,
    min_df: Annotated[int, typer.Option(help="Keep words of at least so many documents.")] = 5,
    stop_words: Annotated[str, typer.Option(help="'english', or 'none'.")] = "english",
    memory: Annotated[bool, typer.Option(help="Measure peak memory too.")] = True,
    json: Annotated[Path | None, typer.Option("--json", help="Write every figure to this file.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw the curves to this image.")] = None,
) -> None:
    """Fit LDA with several programs that take turns, and compare speed, likelihood and memory.

    Example: topicwright benchmark lda --corpus news.jsonl --n-topics 100 --programs topicwright,tomotopy
    """
    documents, others = load(corpus, held_out, min_df, stop_words)
    run_and_report(
        documents,
        others,
        json=json,
        plot=plot,
        n_topics=n_topics,
        n_sweeps=sweeps,
        programs=_between_commas(programs),
        threads=threads,
        every=every,
        repeats=repeats,
        alpha=alpha,
        beta=beta,
        seed=seed,
        memory=memory,
    )


@app.command("sclda")
def benchmark_sclda(
    part: Annotated[
        list[str] | None,
        typer.Option(help="table2, table3, figure2, figure3 or labels; may be repeated. Default: all."),
    ] = None,
    links_corpus: Annotated[
        str, typer.Option(help="For the parts about word links: a file of documents or counts, or 'docstrings'.")
    ] = "docstrings",
    labels_corpus: Annotated[
        str, typer.Option(help="For the parts about labels: a file of labelled documents, or 'docstrings'.")
    ] = "docstrings",
    links: Annotated[
        Path | None,
        typer.Option(
            exists=True, help="Must-links: a JSON list of pairs, or a knowledge file. Default: from the corpus."
        ),
    ] = None,
    baselines: Annotated[
        Path | None,
        typer.Option(exists=True, file_okay=False, help="The folder that holds baselines/. Default: ./benchmarks."),
    ] = None,
    n_topics: Annotated[int, typer.Option("--n-topics", "-k", help="Topics of table 2 and figure 2.")] = 100,
    many_topics: Annotated[int, typer.Option(help="Topics of figure 3.")] = 500,
    sweeps: Annotated[int, typer.Option(help="Sweeps of table 2.")] = 200,
    rounds: Annotated[int, typer.Option(help="Sweeps of table 3 and labels that count.")] = 20,
    warm_up: Annotated[int, typer.Option(help="Sweeps before them.")] = 10,
    seconds: Annotated[float, typer.Option(help="CPU seconds of each method in figures 2 and 3.")] = 60.0,
    repeats: Annotated[int, typer.Option(help="Runs of each part, each with another seed.")] = 1,
    alpha: Annotated[float, typer.Option(help="Prior of topics in a document.")] = 1.0,
    beta: Annotated[float, typer.Option(help="Prior of words in a topic.")] = 0.01,
    seed: Annotated[int, typer.Option(help="Random seed of the first run.")] = 0,
    min_df: Annotated[int, typer.Option(help="Of documents, keep words of at least so many.")] = 5,
    stop_words: Annotated[str, typer.Option(help="Of documents: 'english', or 'none'.")] = "english",
    json: Annotated[Path | None, typer.Option("--json", help="Write every figure to this file.")] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", file_okay=False, help="Draw figures 2 and 3 into this folder.")
    ] = None,
) -> None:
    """Measure the tables and figures of the SC-LDA paper: what knowledge costs, and what it gives.

    Example: topicwright benchmark sclda --part table2 --part labels --json sclda.json
    """
    from .sclda import PARTS, Options, plots, report
    from .sclda.starting import load_and_run
    from .show import run_and_show

    options = Options(
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
    sources = (links_corpus if options.need_links else None, labels_corpus if options.need_labels else None)
    known = {"links": links, "baselines": baselines}
    run_and_show(
        lambda tell: load_and_run(options, (*sources, min_df, stop_words), **known, tell=tell),
        report.tables,
        plots.plot,
        json=json,
        plot=plot,
    )


@app.command("medlda")
def benchmark_medlda(
    part: Annotated[
        list[str] | None,
        typer.Option(
            help="figure1 … figure8, curves, speed, choose or all; may be repeated. Default: figures 1 and 2 (3 for "
            "several labels, 5 for targets), curves and speed."
        ),
    ] = None,
    corpus: Annotated[str, typer.Option(help="A file of labelled documents, or 'docstrings'.")] = "docstrings",
    test: Annotated[str | None, typer.Option(help="A file of documents to test on.")] = None,
    split: Annotated[
        str | None,
        typer.Option(help="Without --test: the field that says 'train' or 'test'. Default: one in five by chance."),
    ] = None,
    target: Annotated[str | None, typer.Option(help="The field of a number to foretell, in place of labels.")] = None,
    min_df: Annotated[int, typer.Option(help="Keep words of at least so many training documents.")] = 5,
    stop_words: Annotated[str, typer.Option(help="'english', or 'none'.")] = "english",
    token_pattern: Annotated[str | None, typer.Option(help="What a word is, as a regular expression.")] = None,
    topics: Annotated[str, typer.Option("--topics", "-k", help="Numbers of topics, between commas.")] = "20,40",
    sweeps: Annotated[
        int | None, typer.Option(help="Sweeps of all figures and of choose. Default: the paper's.")
    ] = None,
    dense_topics: Annotated[
        int, typer.Option(help="Up to so many topics, GibbsMedLDA and tomotopy run too, which slow down with them.")
    ] = 200,
    peers: Annotated[
        str, typer.Option(help="Beside ours, between commas: svc (with TF-IDF), lda (with SVC), tomotopy; or 'none'.")
    ] = "svc,lda,tomotopy",
    classes: Annotated[
        str | None, typer.Option(help="The two classes of figure 1, with a comma between. Default: the paper's.")
    ] = None,
    memory: Annotated[bool, typer.Option(help="Measure peak memory in figure 3.")] = True,
    seconds: Annotated[float, typer.Option(help="CPU seconds of each method in curves.")] = 1.0,
    every: Annotated[int, typer.Option(help="Sweeps between two points of a curve.")] = 2,
    rounds: Annotated[int, typer.Option(help="Sweeps of speed that count.")] = 5,
    warm_up: Annotated[int, typer.Option(help="Sweeps with the loss before them.")] = 3,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            help="For choose: a parameter and its values, like beta=0.01,0.1; repeated, all combinations are tried. "
            "Default: each parameter varied alone."
        ),
    ] = None,
    repeats: Annotated[int, typer.Option(help="Runs of each part, each with another seed.")] = 1,
    seed: Annotated[int, typer.Option(help="Random seed of the first run.")] = 0,
    loss: Annotated[str, typer.Option(help="Of curves, speed and choose: 'hinge' or 'logistic'.")] = "hinge",
    alpha_sum: Annotated[float | None, typer.Option(help="Prior of topics in a document, over all topics.")] = None,
    beta: Annotated[float | None, typer.Option(help="Prior of words in a topic.")] = None,
    cost: Annotated[float | None, typer.Option(help="How much the loss counts.")] = None,
    margin: Annotated[float | None, typer.Option(help="Margin of the hinge.")] = None,
    epsilon: Annotated[float | None, typer.Option(help="Errors that cost nothing, with --target.")] = None,
    nu: Annotated[float | None, typer.Option(help="Precision of the weights' prior.")] = None,
    mh_steps: Annotated[int | None, typer.Option(help="Metropolis steps a token.")] = None,
    weight_sweeps: Annotated[int | None, typer.Option(help="Draws of the weights in a sweep.")] = None,
    more: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="A further parameter of our estimator, like class_weight=balanced; may be repeated. GibbsMedLDA and "
            "figure 6 do without.",
        ),
    ] = None,
    json: Annotated[Path | None, typer.Option("--json", help="Write every figure to this file.")] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", file_okay=False, help="Draw figures, curves and speed into this folder.")
    ] = None,
) -> None:
    """Measure the figures of the LightMedLDA paper: accuracy and training time of supervised topics.

    Parameters that are not given are the paper's own in each part.

    Example: topicwright benchmark medlda --corpus news.jsonl --split split --part curves --topics 40,200
    """
    from .medlda import plots, report, run
    from .medlda.loading import Source, load
    from .medlda.options import Options, parse_grid, parse_numbers, parse_settings
    from .show import run_and_show

    options = Options(
        parts=tuple(part or ()),
        topics=parse_numbers("topics", topics),
        sweeps=sweeps,
        dense_topics=dense_topics,
        peers=tuple(name for name in _between_commas(peers) if name != "none"),
        classes=tuple(_between_commas(classes or "")),
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
    run_and_show(lambda tell: run(options, load(source), tell=tell), report.tables, plots.plot, json=json, plot=plot)


app.command("online")(benchmark_online)


def _between_commas(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def load(corpus: str, held_out: str | None, min_df: int, stop_words: str) -> tuple[Corpus, Corpus | None]:
    """The documents to fit and those to hold out, the latter in the words of the former."""
    options: dict[str, Any] = {"min_df": min_df, "stop_words": None if stop_words == "none" else stop_words}
    if corpus == "docstrings":
        from ..datasets import load_docstrings

        documents = load_docstrings()
    else:
        from ..corpus import read_corpus

        documents = read_corpus(corpus, **options)
    if held_out is None:
        return documents, None
    from ..corpus import read_corpus

    return documents, read_corpus(held_out, stop_words=options["stop_words"], vocabulary=documents.vocabulary)


def run_and_report(
    documents: Corpus,
    held_out: Corpus | None,
    *,
    json: Path | None = None,
    plot: Path | None = None,
    **options: Any,
) -> Result:
    """Run, show the table on standard output and progress on standard error, and write what was asked for."""
    from rich.console import Console

    from . import report
    from .lda import run

    progress = Console(stderr=True)
    with progress.status("setting up") as status:

        def show(name: str, done: int) -> None:
            status.update(f"{name}: {done} of {options['n_sweeps']} sweeps")

        result = run(documents, held_out=held_out, on_turn=show, **options)
    if json is not None:
        result.save(json)
    if plot is not None:
        report.plot(result, plot)
    console = Console()
    if not console.is_terminal:  # a file or a pipe has room
        console.width = 200
    console.print(report.table(result))
    return result
