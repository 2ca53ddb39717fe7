"""The ``topicwright report`` command: how well knowledge is satisfied, and the HTML report of a model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError
from ..records.predictions import is_stream
from . import _options as options
from ._console import one_line, print_error, print_message, show, spinner, standard_output
from ._inputs import load_model
from ._outputs import check_page, is_standard, print_json
from ._training import catch_signals, sweep_progress

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from ..knowledge import KnowledgeReport
    from ..models import LDA

_SHOWN = 20
_PAGE = "HTML report"
_COLORS = {"no": "red", "yes": "green"}


def report(
    model_file: options.ModelFile,
    no_before: Annotated[
        bool, typer.Option("--no-before", help="Do not train a model without knowledge for comparison.")
    ] = False,
    show_all: Annotated[
        bool, typer.Option("--all", help=f"Show every link, seed and label, not {_SHOWN} of each kind.")
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write an HTML report of the whole model: its topics, their words and documents.",
            show_default=False,
            rich_help_panel=_PAGE,
        ),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Title of the page.", show_default="the model file", rich_help_panel=_PAGE),
    ] = None,
    no_documents: Annotated[
        bool, typer.Option("--no-documents", help="No passages of documents on the page.", rich_help_panel=_PAGE)
    ] = False,
    jobs: options.Jobs = -1,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Show how well links, seeds and labels hold, or write an HTML report.

    If the model has knowledge, it is trained once more without it for comparison, which takes as long as the first
    training.
    """
    if html is None and (title is not None or no_documents):
        raise InputError("--title and --no-documents need --html FILE")
    if html is not None:
        if json:
            raise InputError("--html and --json are two output formats: pass one of them")
        check_page(html, model_file)
    with spinner(f"loading {model_file}", quiet=quiet):
        model = load_model(model_file, jobs)
    if html is not None:
        _write_page(model, html, title or model_file.stem, not no_documents, no_before, quiet)
        return
    if is_stream(model):
        raise InputError(f"a report needs the training documents, and a model of a stream has none: got {model_file}")
    answer = model.knowledge_report(before=False) if no_before else _compared(model, quiet)
    if json:
        print_json({"model": str(model_file), **answer.to_dict()})
        return
    if not answer.rows and not answer.notes:
        print_message(f"{model_file} was trained without knowledge: pass some with  topicwright fit --knowledge FILE")
        return
    show(*_page(answer, None if show_all else _SHOWN))


def _write_page(model: LDA, html: Path, title: str, documents: bool, no_before: bool, quiet: bool) -> None:
    knowledge = None
    if not is_stream(model):
        without_baseline = no_before or model.assignments_ is None
        knowledge = model.knowledge_report(before=False) if without_baseline else _compared(model, quiet)
    with spinner("writing the report", quiet=quiet):
        target = standard_output() if is_standard(html) else html
        model.write_report(target, title=title, knowledge=knowledge, documents=documents)
    if not quiet and not is_standard(html):
        print_message(f"{html}: open it in a browser")


def _compared(model: LDA, quiet: bool) -> KnowledgeReport:
    if model.assignments_ is None:
        raise InputError(
            "the comparison needs the training corpus, which this model was saved without: use --no-before"
        )
    if model.knowledge and not quiet:
        print_message("training once more without knowledge for comparison (skip it with --no-before)")
    with catch_signals() as stop, sweep_progress(stop, quiet=quiet) as on_sweep:
        answer = model.knowledge_report(on_sweep=on_sweep)
    if stop.requested:
        print_error("interrupted")
        raise typer.Exit(stop.exit_code)
    return answer


def _page(answer: KnowledgeReport, n: int | None) -> Iterator[RenderableType]:
    from rich.padding import Padding
    from rich.text import Text

    from ..knowledge.report import advice_lines, hidden_rows_line

    for kind in answer.satisfied:
        yield Text(one_line(answer.summary_of(kind)), style="bold")
        yield _table(answer, kind, n)
        more = "" if n is None else hidden_rows_line(answer, kind, n)
        if more:
            yield Text(f"{more}; see them with --all")
        advice = advice_lines(answer, kind, None) if n is None else advice_lines(answer, kind)
        if advice:
            yield Text("advice:")
        yield from (Padding(Text(one_line(line)), (0, 0, 0, 2)) for line in advice)
        yield Text("")
    if answer.cost is not None:
        yield Text(str(answer.cost))
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
        table.add_row(Text(holds, style=_COLORS.get(holds, "")), *(Text(one_line(cell)) for cell in line))
    return table
