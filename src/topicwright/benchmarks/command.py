"""``topicwright benchmark``: the commands, to be mounted by the command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .command_all import benchmark_all
from .command_online import benchmark_online

if TYPE_CHECKING:
    from collections.abc import Callable

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
    split: Annotated[
        str | None, typer.Option(help="Without --held-out: the field that says 'train' or 'test'.")
    ] = None,
    n_topics: Annotated[int, typer.Option("--n-topics", "-k", help="Number of topics.")] = 100,
    sweeps: Annotated[int, typer.Option(help="Sweeps of each program.")] = 100,
    programs: Annotated[
        str, typer.Option(help="Which, between commas: topicwright, tomotopy, gensim, sklearn, lda, cpp.")
    ] = "topicwright,tomotopy,gensim,sklearn,lda,cpp",
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
    plot: Annotated[
        Path | None, typer.Option("--plot", file_okay=False, help="Draw the curves into this folder.")
    ] = None,
) -> None:
    """Fit LDA with several programs that take turns, and compare speed, likelihood and memory.

    Example: topicwright benchmark lda --corpus news.jsonl --n-topics 100 --programs topicwright,tomotopy
    """
    from . import report
    from .lda import run
    from .medlda.loading import Source, read
    from .show import run_and_show

    parameters: dict[str, Any] = {"threads": threads, "repeats": repeats, "every": every, "memory": memory}
    parameters |= {"alpha": alpha, "beta": beta, "seed": seed}

    def fit(tell: Callable[[str], object]) -> Result:
        documents, others = read(Source(corpus, held_out, split, min_df=min_df, stop_words=stop_words))

        def show(name: str, done: int) -> None:
            tell(f"{name}: {done} of {sweeps} sweeps")

        names = _between_commas(programs)
        return run(documents, n_topics, sweeps, names, held_out=others, on_turn=show, **parameters)

    run_and_show(fit, report, report.figures, json=json, plot=plot)


@app.command("sclda")
def benchmark_sclda(
    part: Annotated[
        list[str] | None,
        typer.Option(help="figure1, table2, table3, figure2, figure3 or labels; may be repeated. Default: all."),
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
    n_topics: Annotated[int, typer.Option("--n-topics", "-k", help="Topics of table 2 and of figures 1, 2.")] = 100,
    many_topics: Annotated[int, typer.Option(help="Topics of figure 3, and the more of figure 1.")] = 500,
    sweeps: Annotated[int, typer.Option(help="Sweeps of table 2 and figure 1.")] = 200,
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
    sources = (links_corpus if options.need_links_corpus else None, labels_corpus if options.need_labels else None)
    known = {"links": links, "baselines": baselines}
    run_and_show(
        lambda tell: load_and_run(options, (*sources, min_df, stop_words), **known, tell=tell),
        report,
        plots.figures,
        json=json,
        plot=plot,
    )


@app.command("medlda")
def benchmark_medlda(
    part: Annotated[
        list[str] | None,
        typer.Option(
            help="figure1 … figure8, words, ranking, curves, speed, choose or all; may be repeated. Default: figures 1 "
            "and 2 (3 for several labels, 5 for targets), curves and speed."
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
    run_and_show(lambda tell: run(options, load(source), tell=tell), report, plots.figures, json=json, plot=plot)


app.command("online")(benchmark_online)
app.command("all")(benchmark_all)


def _between_commas(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
