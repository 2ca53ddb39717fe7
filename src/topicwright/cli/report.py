"""``topicwright report``: how far a model keeps to what is known, and all of it as a page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError
from ..records.model_types import is_stream
from . import _options as options
from ._console import complain, one_line, say, show, standard_output, waiting
from ._models import load_model
from ._outputs import check_page, is_standard, print_json
from ._training import reporting, stopping_on_signals

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from ..knowledge import KnowledgeReport
    from ..models import LDA

_SHOWN = 20
_PAGE = "A page for a browser"
_COLOURS = {"no": "red", "yes": "green"}


def report(
    model_file: options.ModelFile,
    no_before: Annotated[
        bool, typer.Option("--no-before", help="Do not train a model without knowledge to compare with.")
    ] = False,
    show_all: Annotated[
        bool, typer.Option("--all", help=f"Show every link, seed and label, not {_SHOWN} of each kind.")
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a page for a browser about all of the model: its topics, their words and documents.",
            show_default=False,
            rich_help_panel=_PAGE,
        ),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="What the page is called.", show_default="the model file", rich_help_panel=_PAGE
        ),
    ] = None,
    no_documents: Annotated[
        bool, typer.Option("--no-documents", help="No passages of documents on the page.", rich_help_panel=_PAGE)
    ] = False,
    jobs: options.Jobs = -1,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Tell how far links, seeds and labels hold; or all of a model on a page.

    Where there is knowledge, the same training runs once more without it, to compare with: that takes as long as the
    first did.
    """
    if html is None and (title is not None or no_documents):
        raise InputError("--title and --no-documents are for a page: give --html FILE")
    if html is not None:
        if json:
            raise InputError("--html and --json are two forms of the answer: give one of them")
        check_page(html, model_file)
    with waiting(f"loading {model_file}", quiet=quiet):
        model = load_model(model_file, jobs)
    if html is not None:
        _write_page(model, html, title or model_file.stem, not no_documents, no_before, quiet)
        return
    if is_stream(model):
        raise InputError(f"a report needs the training documents, and those of a stream are not kept: got {model_file}")
    answer = model.knowledge_report(before=False) if no_before else _compared(model, quiet)
    if json:
        print_json({"model": str(model_file), **answer.to_dict()})
        return
    if not answer.rows and not answer.notes:
        say(f"{model_file} was trained without knowledge: give some with  topicwright fit --knowledge FILE")
        return
    show(*_page(answer, None if show_all else _SHOWN))


def _write_page(model: LDA, html: Path, title: str, documents: bool, no_before: bool, quiet: bool) -> None:
    knowledge = None
    if not is_stream(model):
        alone = no_before or model.assignments_ is None
        knowledge = model.knowledge_report(before=False) if alone else _compared(model, quiet)
    with waiting("drawing the page", quiet=quiet):
        target = standard_output() if is_standard(html) else html
        model.write_report(target, title=title, knowledge=knowledge, documents=documents)
    if not quiet and not is_standard(html):
        say(f"{html}: open it in a browser")


def _compared(model: LDA, quiet: bool) -> KnowledgeReport:
    if model.assignments_ is None:
        raise InputError("to compare needs the training corpus, and this model was saved without it: try --no-before")
    if model.knowledge and not quiet:
        say("training once more without knowledge, to compare with (not with --no-before)")
    with stopping_on_signals() as stop, reporting(stop, quiet=quiet) as on_sweep:
        answer = model.knowledge_report(on_sweep=on_sweep)
    if stop.asked:
        complain("interrupted")
        raise typer.Exit(stop.exit_code)
    return answer


def _page(answer: KnowledgeReport, n: int | None) -> Iterator[RenderableType]:
    from rich.text import Text

    from ..knowledge.report import hidden_rows_line

    for kind in answer.satisfied:
        yield Text(one_line(answer.summary_of(kind)), style="bold")
        yield _table(answer, kind, n)
        more = "" if n is None else hidden_rows_line(answer, kind, n)
        yield Text(f"{more}; see them with --all\n" if more else "")
    yield from (Text(one_line(f"contradiction: {sentence}"), style="yellow") for sentence in answer.contradictions)
    yield from (Text(one_line(note), style="dim") for note in answer.notes)


def _table(answer: KnowledgeReport, kind: str, n: int | None) -> Table:
    from rich.table import Table
    from rich.text import Text

    from ..knowledge.report import table_cells, table_headers

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for head in table_headers(answer.has_before):
        is_figure = head in ("before", "now")
        table.add_column(head, justify="right" if is_figure else "left", no_wrap=is_figure, overflow="fold")
    for row in answer.first(kind, n):
        holds, *line = table_cells(row, answer.has_before)
        table.add_row(Text(holds, style=_COLOURS.get(holds, "")), *(Text(one_line(cell)) for cell in line))
    return table
