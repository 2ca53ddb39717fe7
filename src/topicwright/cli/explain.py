"""``topicwright explain``: the topics and words behind a prediction, and the label of each word."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, starmap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Protocol

import typer

from ..answers.credit import Credited, Passages
from ..answers.explaining import LENGTH, PASSAGES, TOP, explaining
from ..answers.jsontext import to_json
from ..answers.kinds import check_labelled
from ..answers.predictions import checked_classes
from ..answers.reasons import Reasoned
from ..errors import InputError
from . import _options as options
from ._console import say, show, standard_output
from ._credit import CreditedPage, PassagesPage
from ._files import check_page, is_standard, text_output
from ._html import Section, page_of
from ._labels import named_labels
from ._models import load_predicting
from ._reading import Reading, read_batches
from ._reasons import ReasonedPage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import RenderableType

    from ..corpus import Corpus

_BATCH = 100
_PAGES: dict[type, Any] = {Reasoned: ReasonedPage, Credited: CreditedPage, Passages: PassagesPage}


class _Document(NamedTuple):
    """What a document is called, its text where it came as one, and its words."""

    name: str | int
    text: str | None
    corpus: Corpus


class _Explained(Protocol):
    """What is told of a document."""

    def record(self) -> dict[str, Any]:
        """For programs."""

    def screen(self) -> Iterable[RenderableType]:
        """For a terminal."""

    def section(self) -> Section:
        """For a page in a browser."""


def explain(
    model_file: options.ModelFile,
    source: options.Input = "-",
    ids: Annotated[
        list[str] | None,
        typer.Option("--id", metavar="ID", help="Only this document; may be given again.", show_default=False),
    ] = None,
    documents: Annotated[
        int, typer.Option("--documents", "-d", min=1, metavar="N", help="Only the first so many documents.")
    ] = 5,
    classes: Annotated[
        list[str] | None,
        typer.Option(
            "--class",
            "-c",
            "--label",
            "-l",
            metavar="NAME",
            help="Why or why not this class or label; may be given again.",
            show_default="what is predicted",
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Topics and words to name, or passages of a label.",
            show_default=f"{TOP}; with --snippets {PASSAGES}",
        ),
    ] = None,
    own_labels: Annotated[
        bool,
        typer.Option(
            "--own-labels",
            help="Owe words to the labels that the document has, where it has some, and not to all.",
            rich_help_panel=options.OF_LABELS,
        ),
    ] = False,
    candidates: options.Candidates = None,
    snippets: Annotated[
        bool,
        typer.Option(
            "--snippets",
            help="Show the passages that are most about each label, in place of the document.",
            rich_help_panel=options.OF_LABELS,
        ),
    ] = False,
    length: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Words of a passage.", rich_help_panel=options.OF_LABELS, show_default=str(LENGTH)
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a page for a browser.", show_default=False),
    ] = None,
    format: options.Format = None,
    text_field: options.TextField = None,
    label_field: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Field of the labels for --own-labels.",
            rich_help_panel=options.OF_LABELS,
            show_default="the one that was learned from",
        ),
    ] = None,
    id_field: options.IdField = None,
    on_error: options.Errors = options.OnError.stop,
    jobs: options.Jobs = -1,
    quiet: options.Quiet = False,
    json: Annotated[bool, typer.Option("--json", help="Write a JSON object a line, one for each document.")] = False,
) -> None:
    """Tell which topics and words are behind a prediction.

    A topic adds its weight times its share of the document to the score,
    or to the mean where a number is predicted; a word adds what its topics add.
    Above zero it speaks for the class, below zero against it.

    Of a model of --labels it tells the label that each word is owed to, and how
    probably: in colours on a screen, and as a table of labels with their share
    of the document and the words that make it.
    """
    check_page(html, model_file, source)
    if html is not None and json:
        raise InputError("--html and --json are two ways to write the same: give one of them")
    if length is not None and not snippets:
        raise InputError("--length goes with --snippets")
    model = load_predicting(model_file, jobs)
    own = own_labels or label_field is not None
    for option, is_given in {"--own-labels": own, "--snippets": snippets}.items():
        if is_given:
            check_labelled(model, option)
    wanted = None if classes is None else checked_classes(model, classes)
    among = None if candidates is None else named_labels(model, candidates)
    tell = explaining(model, wanted, top=top, snippets=snippets, length=length, candidates=among, own=own)
    reading = Reading(format, text_field, id=id_field, on_error=on_error)
    if own:
        reading = reading._replace(labels=label_field or model.field_, optional=() if label_field else ("labels",))
    everything = _documents(model, source, reading)
    chosen = _by_id(everything, ids, source) if ids else islice(everything, documents)
    _write(map(_for_people, starmap(tell, chosen)), html, json)
    if not is_standard(html) and not quiet:
        say(f"wrote {html}")
    if not ids and not quiet and next(everything, None) is not None:
        say("there are more documents: see them with --documents N, or one of them with --id ID")


def _for_people(told: Any) -> _Explained:
    explained: _Explained = _PAGES[type(told)](*told)
    return explained


def _write(everything: Iterable[_Explained], html: Path | None, json: bool) -> None:
    if html is not None:
        with text_output(html) as file:
            file.writelines(page_of(explained.section() for explained in everything))
        return
    for explained in everything:
        if json:
            standard_output().write(to_json(explained.record()) + "\n")
        else:
            show(*explained.screen())


def _documents(model: Any, source: str, reading: Reading) -> Iterator[_Document]:
    for batch in read_batches(model, source, reading, _BATCH):
        texts = [None] * len(batch.names) if batch.texts is None else batch.texts
        for row, (name, text) in enumerate(zip(batch.names, texts)):
            yield _Document(name, text, batch.corpus.select([row]))


def _by_id(documents: Iterator[_Document], ids: list[str], source: str) -> Iterator[_Document]:
    missing = dict.fromkeys(ids)
    for document in documents:
        if str(document.name) in missing:
            del missing[str(document.name)]
            yield document
            if not missing:
                return
    raise InputError(f"{source}: there is no document with the id {next(iter(missing))!r}")
