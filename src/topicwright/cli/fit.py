"""``topicwright fit``: learn topics from a file of documents."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import InputError
from . import _options as options
from ._console import say, waiting
from ._files import check_writable, is_standard
from ._reading import Reading, Words, number, read_documents
from ._training import report, train_and_save

_MODEL = "Model"


def fit(
    source: options.Input,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.", show_default=False)
    ],
    topics: Annotated[
        int, typer.Option("--topics", "-k", min=1, metavar="K", help="Number of topics.", rich_help_panel=_MODEL)
    ] = 100,
    sweeps: Annotated[
        int,
        typer.Option(
            "--sweeps",
            "-n",
            min=1,
            metavar="N",
            help="Times that every word draws its topic anew.",
            rich_help_panel=_MODEL,
        ),
    ] = 200,
    alpha: Annotated[
        str,
        typer.Option(
            metavar="NUMBER", help="Prior of topics in a document: a number, or learn.", rich_help_panel=_MODEL
        ),
    ] = "0.1",
    beta: Annotated[
        str,
        typer.Option(metavar="NUMBER", help="Prior of words in a topic: a number, or learn.", rich_help_panel=_MODEL),
    ] = "0.01",
    knowledge: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="What is known of words and documents, in YAML or JSON; may be given again.",
            rich_help_panel=_MODEL,
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Same seed, same answer.", rich_help_panel=_MODEL)] = 0,
    format: options.Format = None,
    text_field: options.TextField = None,
    label_field: options.LabelField = None,
    id_field: options.IdField = None,
    on_error: options.Errors = options.OnError.stop,
    min_df: options.MinDf = "1",
    max_df: options.MaxDf = "1.0",
    max_words: options.MaxWords = None,
    stop_words: options.StopWords = "english",
    ngrams: options.Ngrams = 1,
    no_corpus: Annotated[
        bool, typer.Option("--no-corpus", help="Leave the documents out of the model file: smaller, no resume.")
    ] = False,
    jobs: options.Jobs = -1,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Learn topics from a file of documents.

    Ctrl-C ends the training after the sweep that is under way and saves the model so far.
    """
    if is_standard(output):
        raise InputError("a model can't go to standard output: give a file name with --output")
    files = knowledge or []
    check_writable(output, source, *files)
    if [source, *files].count("-") > 1:
        raise InputError("standard input can be read only once: got - for more than one file")
    reading = Reading(format, text_field, label_field, id_field, on_error=on_error)
    words = Words(min_df, max_df, max_words, stop_words, ngrams).options()
    priors: dict[str, Any] = {"alpha": _prior("--alpha", alpha), "beta": _prior("--beta", beta)}
    with waiting("reading what is known", quiet=quiet or not files):
        known = _read_knowledge(files)
    with waiting(f"reading {source}", quiet=quiet):
        corpus = read_documents(source, reading, **words)
    if not quiet:
        say(f"read {corpus.n_docs:,} documents: {corpus.n_tokens:,} words, {corpus.n_words:,} different ones")
    with waiting("getting ready", quiet=quiet):
        from ..models import LDA

    model = LDA(topics, **priors, knowledge=known, n_sweeps=sweeps, n_jobs=jobs, random_state=seed)
    trained = train_and_save(partial(model.fit, corpus), output, quiet=quiet, include_corpus=not no_corpus)
    report(trained, sweeps, quiet=quiet, as_json=json)


def _read_knowledge(files: list[str]) -> list[Any]:
    if not files:
        return []
    from ..knowledge import read_knowledge

    return [item for file in files for item in read_knowledge(file)]


def _prior(option: str, text: str) -> float | str:
    if text == "learn":
        return text
    value = number(option, text)
    if not 0 < value < math.inf:
        raise typer.BadParameter(f"it must be a positive number, or learn: got {text}", param_hint=option)
    return value
