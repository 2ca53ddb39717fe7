"""``topicwright topics``: the topics of a model."""

from __future__ import annotations

import csv
import io
import json as jsonlib
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import _options as options
from ._console import plain, show
from ._files import check_writable, is_standard, text_output, to_json
from ._models import checked_topics, load_model, topic_shares
from ._tables import topics_table

if TYPE_CHECKING:
    from rich.table import Table

    from ..models import LDA


class Layout(str, Enum):
    """How topics are written."""

    table = "table"
    csv = "csv"
    json = "json"
    mallet = "mallet"


_EXPORTS = {Layout.csv: "topics-csv", Layout.json: "topics-json", Layout.mallet: "mallet-topic-keys"}


def topics(
    model_file: options.ModelFile,
    words: Annotated[int, typer.Option("--words", "-w", min=1, metavar="N", help="Words of each topic.")] = 10,
    topic: Annotated[
        list[int] | None,
        typer.Option("--topic", "-t", metavar="ID", help="Only this topic; may be given again.", show_default="all"),
    ] = None,
    layout: Annotated[Layout, typer.Option("--format", "-f", help="How to write them.")] = Layout.table,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where to write.", show_default="standard output"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Show the topics of a model: shares and top words."""
    layout = Layout.json if json else layout
    if not is_standard(output):
        check_writable(str(output), model_file)
    model = load_model(model_file)
    chosen = checked_topics(model, topic)
    if layout is Layout.table and is_standard(output):
        show(_table(model, chosen, words))
        return
    text = plain(_table(model, chosen, words)) if layout is Layout.table else _export(model, layout, chosen, words)
    with text_output(output) as file:
        file.write(text)


def _table(model: LDA, chosen: list[int], n_words: int) -> Table:
    from ..io.export.protocol import topic_names

    return topics_table(chosen, topic_shares(model), model.top_words(n_words), names=topic_names(model))


def _export(model: LDA, layout: Layout, chosen: list[int], n_words: int) -> str:
    from ..io.export import export

    page = io.StringIO()
    export(model, page, _EXPORTS[layout], n_words=n_words)
    return page.getvalue() if len(chosen) == len(model.alpha_) else _only(chosen, layout, page.getvalue())


def _only(chosen: list[int], layout: Layout, text: str) -> str:
    """An export without the topics that were not asked for."""
    if layout is Layout.json:
        kept = [to_json(topic) for topic in jsonlib.loads(text) if topic["topic"] in chosen]
        return "[\n" + ",\n".join(kept) + "\n]\n"
    numbers = set(map(str, chosen))
    if layout is Layout.mallet:
        return "".join(line for line in text.splitlines(keepends=True) if line.partition("\t")[0] in numbers)
    page = io.StringIO()
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    csv.writer(page, lineterminator="\n").writerows([header, *(row for row in rows if row[0] in numbers)])
    return page.getvalue()
