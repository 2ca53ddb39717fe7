"""The ``topicwright topics`` command: topics of a model."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .._utils.formatting import escape_controls, safe_json
from ..errors import InputError
from ..records.predictions import (
    check_topics,
    documents_of_topics,
    is_labeled,
    is_supervised,
    topic_models,
    weight_column,
)
from ..records.topics import topic_records
from . import _options as options
from ._console import curve, one_line, plain_text, show, topics_table
from ._inputs import load_model
from ._outputs import check_own, check_writable, is_standard, text_output

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..models import LDA

_CURVE_WIDTH = 16


class TopicsLayout(str, Enum):
    """Output format of topics."""

    table = "table"
    csv = "csv"
    json = "json"
    mallet = "mallet"


_EXPORTS = {TopicsLayout.csv: "topics-csv", TopicsLayout.mallet: "mallet-topic-keys"}


def topics(
    model_file: options.ModelFile,
    words: Annotated[int, typer.Option("--words", "-w", min=1, metavar="N", help="Words of each topic.")] = 10,
    topic: Annotated[
        list[int] | None,
        typer.Option("--topic", "-t", metavar="ID", help="Only this topic; can be repeated.", show_default="all"),
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option("--label", "-l", metavar="NAME", help="Only the topic of this name; can be repeated."),
    ] = None,
    layout: Annotated[
        TopicsLayout, typer.Option("--format", "-f", metavar="table|csv|json|mallet", help="Output format.")
    ] = TopicsLayout.table,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The file to write.", show_default="standard output"),
    ] = None,
    force: options.Force = False,
    json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    over_time: Annotated[
        bool,
        typer.Option(
            "--over-time",
            help="If documents have dates, also the share of each topic over time; with --json only that.",
        ),
    ] = False,
    manifest: Annotated[
        bool,
        typer.Option("--manifest", help="Instead, the data, settings, seed, software and time of the training."),
    ] = False,
) -> None:
    """Show the topics of a model: shares and top words.

    For a model of --predict also the class of each topic, or its weights.
    For a model of --labels also the number of documents of each label.
    """
    layout = TopicsLayout.json if json else layout
    if over_time and layout not in (TopicsLayout.table, TopicsLayout.json):
        raise InputError(f"--over-time needs the format table or json: got --format {layout.value}")
    check_writable(output, model_file)
    if manifest:
        with text_output(output) as file:
            file.write(_manifest_text(load_model(model_file, by_class=True), as_json=layout is TopicsLayout.json))
        return
    model = load_model(model_file, by_class=layout is TopicsLayout.table)
    chosen = check_topics(model, topic, label)
    if layout is TopicsLayout.table and is_standard(output):
        show(*_page(model, chosen, words, over_time))
        return
    if layout is TopicsLayout.table:
        text = plain_text(*_page(model, chosen, words, over_time))
    else:
        text = _over_time_json(model, chosen) if over_time else _export(model, layout, chosen, words)
    check_own(output, partial(_is_like, text), force=force)
    with text_output(output) as file:
        file.write(text)


_MALLET = re.compile(r"\d+\t\S+\t")


def _is_like(text: str, opening: str) -> bool:
    """Whether a file begins like a text about topics: with the same characters up to the first number."""
    start = re.match(r"\D*", text)
    if start is None or not start[0]:  # without a header
        return _MALLET.match(text) is not None and _MALLET.match(opening) is not None
    return opening.startswith(start[0])


def _manifest_text(model: LDA, *, as_json: bool) -> str:
    """The manifest of a model for people or as JSON; null or a sentence without one."""
    found = model.manifest_
    if as_json:
        return safe_json(None if found is None else found.to_dict(), indent=2) + "\n"
    if found is None:
        return "no manifest: the model is of a stream, or of a file of an earlier version\n"
    return escape_controls(repr(found)) + "\n"


def _page(model: LDA, chosen: list[int], n_words: int, over_time: bool) -> Iterator[RenderableType]:
    """Table of topics, or one for each class if each has its own topics."""
    from rich.text import Text

    from ..io.export import topic_weights

    for name, part in topic_models(model).items():
        if name is not None:
            yield Text(one_line(f"topics that tell {name} from the rest"), style="bold")
        words = part.top_words(n_words)
        more = _more_columns(part, name, words) | (_time_column(part) if over_time else {})
        yield topics_table(chosen, topic_weights(part), words, more=more, figures=("documents",))


def _more_columns(model: LDA, of_class: Any, words: list[list[str]]) -> dict[str, list[str]]:
    """Names of topics, numbers of their documents, and their weights in predictions."""
    from ..io.export import topic_names

    names = topic_names(model)
    if is_labeled(model):
        documents = [f"{count:,}" if count is not None else "" for count in documents_of_topics(model)]
        return {"label": names or [], "documents": documents}
    columns = {} if names is None else {"name": names}
    if is_supervised(model):
        head, weights = weight_column(model, of_class)
        columns[head] = [text if line else "" for text, line in zip(weights, words)]  # nothing for an empty topic
    return columns


def _export(model: LDA, layout: TopicsLayout, chosen: list[int], n_words: int) -> str:
    if layout is TopicsLayout.json:
        return "[\n" + ",\n".join(map(safe_json, topic_records(model, chosen, n_words))) + "\n]\n"
    from ..io.export import export

    page = io.StringIO()
    export(model, page, _EXPORTS[layout], n_words=n_words)
    is_whole = len(chosen) == len(model.alpha_)
    return page.getvalue() if is_whole else _only_topics(chosen, layout, page.getvalue())


def _only_topics(chosen: list[int], layout: TopicsLayout, text: str) -> str:
    """An export without the topics that were not chosen."""
    numbers = set(map(str, chosen))
    if layout is TopicsLayout.mallet:
        return "".join(line for line in text.splitlines(keepends=True) if line.partition("\t")[0] in numbers)
    page = io.StringIO()
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    csv.writer(page, lineterminator="\n").writerows([header, *(row for row in rows if row[0] in numbers)])
    return page.getvalue()


def _time_column(model: LDA) -> dict[str, list[str]]:
    """Column with a small curve for each topic; its head has the first and the last period."""
    from ..views import topics_over_time

    found = topics_over_time(model, smooth=True)
    first, last = found.periods[0].name, found.periods[-1].name
    head = first if first == last else f"{first} to {last}"
    return {head: [_small_curve(found.of_topic(topic)) for topic in found.topics.tolist()]}


def _over_time_json(model: LDA, chosen: list[int]) -> str:
    """Periods and the shares of these topics in each, not smoothed."""
    from ..views import topics_over_time

    return safe_json(topics_over_time(model, chosen).to_dict()) + "\n"


def _small_curve(shares: list[float | None]) -> str:
    points = [(float(number), share) for number, share in enumerate(shares) if share is not None]
    return curve(points, _CURVE_WIDTH, 1)[0] if any(share for _, share in points) else ""
