"""The application: its verbs, in the order in which somebody new would meet them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from .. import __version__
from ..benchmarks import command as benchmark
from ._group import Commands
from .convert import convert
from .corpus import corpus
from .demo import demo
from .evaluate import evaluate
from .explain import explain
from .explore import explore
from .fit import fit
from .links import links
from .predict import predict
from .report import report
from .resume import resume
from .serve import serve
from .stream import stream
from .topics import topics
from .transform import transform

_EXAMPLES: dict[Callable[..., None], str] = {
    demo: "topicwright demo",
    corpus: "topicwright corpus news.jsonl --min-df 5",
    fit: "topicwright fit news.jsonl -o news.tw --topics 50",
    resume: "topicwright resume news.tw --sweeps 100",
    stream: "topicwright stream news.jsonl --model news.tw --follow",
    explore: "topicwright explore news.tw",
    topics: "topicwright topics news.tw --words 15",
    transform: "topicwright transform news.tw more.jsonl -o topics.jsonl",
    predict: "topicwright predict reviews.tw more.jsonl -o predictions.csv",
    explain: "topicwright explain reviews.tw more.jsonl --id a1",
    evaluate: "topicwright evaluate news.tw heldout.jsonl",
    serve: "topicwright serve reviews.tw --port 8000",
    links: "topicwright links news.jsonl -o known.yaml",
    report: "topicwright report news.tw --html news.html",
    convert: "topicwright convert news.jsonl news.ldac",
}

app = typer.Typer(
    cls=Commands,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="New here? Try:  topicwright demo",
)
for verb, example in _EXAMPLES.items():
    app.command(epilog=f"Example:  {example}")(verb)
app.add_typer(benchmark.app, name="benchmark")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"topicwright {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Topic models that use what you know, from the shell."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
