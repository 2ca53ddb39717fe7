"""The ``topicwright update`` command: learn from new documents, with topics that keep their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .._utils.filelock import file_lock
from ..errors import InputError
from ..records.predictions import is_labeled
from . import _options as options
from ._console import print_message, spinner
from ._inputs import InputOptions, load_model, read_documents
from ._options import Select, expand_groups
from ._outputs import check_model, print_json
from ._training import exit_if_incomplete, train_and_save

if TYPE_CHECKING:
    from ..models.update.report import UpdateReport


@expand_groups
def update(
    model_file: options.ModelFile,
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="NEW...",
            help="Files of new documents, learned one after the other; - for standard input.",
            show_default=False,
        ),
    ],
    reading: Annotated[
        InputOptions,
        Select("format", "text_field", "label_field", "label_separator", "id_field", "date_field", "on_error"),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.", show_default="the same file"),
    ] = None,
    memory: Annotated[
        str,
        typer.Option(
            metavar="WEIGHT",
            help="Weight of the past: a share from 0.0 to 1.0, or a number of documents.",
        ),
    ] = "1.0",
    sweeps: Annotated[
        int, typer.Option("--sweeps", "-n", min=1, metavar="N", help="Number of sweeps over the new documents.")
    ] = 20,
    max_topics: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Number of topics up to which new ones may open.", show_default="no limit"
        ),
    ] = None,
    min_df: Annotated[int, typer.Option(min=1, metavar="N", help="New documents that a new word must be in.")] = 2,
    no_corpus: Annotated[bool, typer.Option("--no-corpus", help="Do not store the new documents.")] = False,
    jobs: options.Jobs = -1,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Learn from new documents; topics keep their numbers, names and knowledge.

    The earlier documents are not needed. The file is replaced when the new one is complete.
    The same model file, documents and options give the same bytes.
    """
    target = output or model_file
    if sources.count("-") > 1:
        raise InputError("standard input can be read only once: got - more than once")
    check_model(target, *sources)
    with file_lock(target):
        with spinner(f"loading {model_file}", quiet=quiet):
            model: Any = _load(model_file, jobs)
        settings = {"memory": _parse_memory(memory), "n_sweeps": sweeps, "min_df": min_df}
        if max_topics is not None:
            if is_labeled(model):
                raise InputError("--max-topics is for models without --labels: labels are the topics of this one")
            settings["max_topics"] = max_topics
        reading = replace(reading, label_field=reading.label_field or model.field_)
        corpora = []
        for source in sources:
            with spinner(f"reading {source}", quiet=quiet):
                corpora.append(read_documents(source, reading, tokenizer=model.corpus_.tokenizer))
        reports: list[UpdateReport] = []

        def train(*, on_sweep: Any) -> Any:
            for corpus in corpora:
                reports.append(model.update(corpus, **settings, on_sweep=on_sweep))
                if model.interrupted_:
                    break
            return model

        n_sweeps = model.sweeps_ + sweeps * len(sources)
        outcome = train_and_save(train, target, quiet=quiet, include_corpus=not no_corpus, n_sweeps=n_sweeps)
    if json:
        print_json(outcome.summary() | {"updates": [report.to_dict() for report in reports]})
    elif not quiet:
        _print_reports(sources, reports)
    exit_if_incomplete(outcome, n_sweeps)
    if not quiet:
        print_message(outcome.describe())


def _load(path: Path, jobs: int) -> Any:
    """Model of a file, as it was steered."""
    from ..steering import Steering
    from ..steering.branches import is_steered

    model: Any = load_model(path, jobs, by_class=True)
    if not hasattr(model, "update"):
        kind = type(model).__name__
        hint = (
            "topicwright stream  continues it" if hasattr(model, "partial_fit") else "train it again on all documents"
        )
        raise InputError(f"{path} is a {kind}, which cannot be updated: {hint}")
    if is_steered(path):
        steering = Steering.open(path)
        model = steering.model
        steering.close()
    return model


def _parse_memory(text: str) -> float | int:
    """A number of documents if it is an integer, a share of the past if it has a decimal point."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    raise InputError(parameter="memory", expected="a share from 0.0 to 1.0, or a number of documents", got=text)


def _print_reports(sources: Sequence[str], reports: Sequence[UpdateReport]) -> None:
    for source, report in zip(sources, reports):
        typer.echo(f"{source}: {report!r}" if len(sources) > 1 else repr(report))
