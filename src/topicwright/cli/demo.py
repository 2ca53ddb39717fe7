"""``topicwright demo``: topics of real text in a few seconds, with nothing to download."""

from __future__ import annotations

import os
import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import TopicwrightError
from ._chart import chart
from ._console import one_line, screen_width, show, waiting
from ._files import check_writable
from ._models import listed_topics, topic_shares
from ._tables import topics_table
from ._training import Trained, report, train_and_save

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..models import LDA

_WIDEST = 110
_POINTS = 100


def demo(
    topics: Annotated[int, typer.Option("--topics", "-k", min=1, metavar="K", help="Number of topics.")] = 30,
    sweeps: Annotated[
        int, typer.Option("--sweeps", "-n", min=1, metavar="N", help="How often every topic is drawn anew.")
    ] = 300,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.")
    ] = Path("topicwright-demo.tw"),
) -> None:
    """Learn topics from text that is already on this machine: the docstrings of NumPy, SciPy and scikit-learn."""
    check_writable(output)
    with waiting("collecting the docstrings of NumPy, SciPy and scikit-learn"):
        from ..datasets import load_docstrings
        from ..models import LDA

        corpus = load_docstrings()
    every = max(1, sweeps // _POINTS)
    model = LDA(topics, alpha="learn", n_sweeps=sweeps, n_jobs=-1, evaluate_every=every)
    trained = train_and_save(partial(model.fit, corpus), output, quiet=False)
    with waiting("measuring coherence"):
        parts = [*_head(trained), *_topics(model), *_curve(model), *_figures(trained), *_next_steps(output)]
    show(*parts)
    if trained.stop.asked:
        report(trained, sweeps, quiet=False, as_json=False)


def _head(trained: Trained) -> list[RenderableType]:
    from rich.text import Text

    corpus = trained.model.corpus_
    packages = [label for label in corpus.label_names() if "." not in label]
    return [
        "",
        Text(f"Topics in the documentation of {', '.join(packages)}", style="bold"),
        f"{corpus.n_docs:,} docstrings, {corpus.n_tokens:,} words, {corpus.n_words:,} different ones",
        "",
    ]


def _topics(model: LDA) -> list[RenderableType]:
    """The largest topics first; their numbers stay what they are."""
    shares = topic_shares(model)
    order = sorted(range(len(shares)), key=lambda topic: -shares[topic])
    return [topics_table(order, shares, model.top_words(12), width=min(screen_width(), _WIDEST)), ""]


def _curve(model: LDA) -> list[RenderableType]:
    from rich.text import Text

    points = [(float(sweep), value) for sweep, value in model.log_likelihood_]
    if len(points) < 2:
        return []
    width = min(screen_width() - 12, 60)
    lines = chart(points, width)
    title = Text("log-likelihood per token, by sweep", style="dim")
    return [title, *(Text(line, style="blue") for line in lines[:-1]), Text(lines[-1], style="dim"), ""]


def _figures(trained: Trained) -> list[RenderableType]:
    model = trained.model
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    speed = trained.model.corpus_.n_tokens * model.sweeps_ / max(trained.seconds, 1e-9) / 1e6
    rows = [
        ("training", f"{model.sweeps_:,} sweeps in {trained.seconds:.1f} s on {threads} threads: "
         f"{speed:.1f} million words a second"),
        ("quality", _quality(model)),
        ("model", f"{one_line(str(trained.path))} ({trained.path.stat().st_size / 1e6:.1f} MB)"),
    ]
    return [_pairs(rows), ""]
