"""The ``topicwright demo`` command: topics of real text in a few seconds, without a download."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .._utils.formatting import pluralize
from ..errors import InputError
from ._console import chart, one_line, screen_width, show, spinner, topics_table
from ._outputs import check_model
from ._training import TrainingOutcome, report, train_and_save

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..models import LDA

_PAGE_WIDTH = 110
_CHART_WIDTH = 60
_CURVE_POINTS = 100


def demo(
    topics: Annotated[int, typer.Option("--topics", "-k", min=1, metavar="K", help="Number of topics.")] = 30,
    sweeps: Annotated[int, typer.Option("--sweeps", "-n", min=1, metavar="N", help="Number of Gibbs sweeps.")] = 300,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.")] = Path(
        "topicwright-demo.tw"
    ),
) -> None:
    """Show topics of text that is already on this machine.

    The texts are the docstrings of NumPy, SciPy and scikit-learn.
    """
    check_model(output)
    with spinner("collecting the docstrings of NumPy, SciPy and scikit-learn"):
        from ..datasets import load_docstrings
        from ..models import LDA

        corpus = load_docstrings()
    every = max(1, sweeps // _CURVE_POINTS)
    model = LDA(topics, alpha="learn", n_sweeps=sweeps, n_jobs=-1, evaluate_every=every)
    outcome = train_and_save(partial(model.fit, corpus), output, quiet=False, n_sweeps=sweeps)
    with spinner("computing coherence"):
        page = list(_page(outcome))
    show(*page)
    if outcome.stop.requested:
        report(outcome, sweeps, quiet=False, as_json=False)


def _page(outcome: TrainingOutcome) -> Iterator[RenderableType]:
    """All output of the demo, from top to bottom."""
    from rich.text import Text

    from ..io.export import topic_weights

    model, corpus = outcome.model, outcome.model.corpus_
    width = min(screen_width(_PAGE_WIDTH), _PAGE_WIDTH)
    packages = [label for label in corpus.label_names() if "." not in label]
    yield Text(f"\nTopics in the documentation of {', '.join(packages)}", style="bold")
    yield f"{corpus.n_docs:,} docstrings, {corpus.n_tokens:,} words, {corpus.n_words:,} distinct words\n"
    shares = topic_weights(model)
    by_share = sorted(range(len(shares)), key=lambda topic: -shares[topic])
    yield topics_table(by_share, shares, model.top_words(15), width=width)
    yield ""
    yield from _curve(model, min(width - 12, _CHART_WIDTH))
    yield from (Text.assemble((f"{name:<10}", "bold"), one_line(figure)) for name, figure in _figures(outcome))
    yield Text("\nTry next", style="bold")
    yield from (f"  {command}" for command in next_steps(outcome.path))


def _curve(model: LDA, width: int) -> Iterator[RenderableType]:
    from rich.text import Text

    points = [(float(sweep), value) for sweep, value in model.log_likelihood_]
    if len(points) > 1:
        yield Text("log-likelihood per word, by sweep", style="dim")
        yield from (Text(line, style="blue") for line in chart(points, width))
        yield ""


def _figures(outcome: TrainingOutcome) -> list[tuple[str, str]]:
    model = outcome.model
    n_sampled = model.corpus_.n_tokens * model.sweeps_
    speed = n_sampled / max(outcome.seconds, 1e-9) / 1e6
    return [
        (
            "training",
            f"{pluralize(model.sweeps_, 'sweep')} in {outcome.seconds:.1f} s ({speed:.1f} million words a second)",
        ),
        ("quality", _quality(model)),
        ("model", f"{outcome.path} ({outcome.path.stat().st_size / 1e6:.1f} MB)"),
    ]


def _quality(model: LDA) -> str:
    from ..evaluation import coherence, diversity

    last = f"log-likelihood {model.log_likelihood_[-1][1]:.3f}, " if model.log_likelihood_ else ""
    different = f"diversity {diversity(model):.2f}"
    try:
        together = coherence(model, model.corpus_)
    except InputError:  # no topic has two words
        return last + different
    return f"{last}coherence (NPMI) {together:.3f}, {different}"


def next_steps(path: Path) -> list[str]:
    """Commands to try next."""
    name = shlex.quote(str(path))
    program = _program()
    return [
        f"{program} topics {name} --words 20",
        f"{program} report {name} --html topics.html",
        *([f"{program} explore {name}"] if find_spec("nicegui") else []),
        f'echo "sparse linear systems" | {program} transform {name} -f text',
        f"{program} resume {name} --sweeps 200",
    ]


def _program() -> str:
    """Name of this program in a shell, which may not be on the PATH."""
    name = sys.argv[0]
    is_on_path = shutil.which("topicwright") or Path(name).name != "topicwright"
    return "topicwright" if is_on_path else shlex.quote(name)
