"""``topicwright corpus``: what there is in a file of documents, as ``fit`` would see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..records.corpus_summary import corpus_record
from . import _options as options
from ._console import bar, facts_table, fitting, one_line, screen_width, show, waiting
from ._inputs import InputOptions, WordOptions, read_documents
from ._outputs import print_json

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

_SHOWN_LABELS = 15


def corpus(
    source: options.Input,
    top_words: Annotated[
        int, typer.Option("--words", "-w", min=0, metavar="N", help="Most frequent words to show.")
    ] = 15,
    first: Annotated[int, typer.Option("--documents", "-d", min=0, metavar="N", help="First documents to show.")] = 3,
    format: options.Format = None,
    text_field: options.TextField = None,
    label_field: options.LabelField = None,
    label_separator: options.LabelSeparator = None,
    id_field: options.IdField = None,
    target_field: options.TargetField = None,
    date_field: options.DateField = None,
    on_error: options.Errors = options.OnError.stop,
    min_df: options.MinDf = "1",
    max_df: options.MaxDf = "1.0",
    max_words: options.MaxWords = None,
    stop_words: options.StopWords = "english",
    ngrams: options.Ngrams = 1,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Look at a file of documents before anything is learned.

    It is read and cut into words as fit does with the same options: sizes, lengths, frequent words, labels, documents
    that have no word left, and the first documents in the words that stay.
    """
    reading = InputOptions(
        format, text_field, label_field, label_separator, id_field, date_field, target_field, on_error
    )
    words = WordOptions(min_df, max_df, max_words, stop_words, ngrams).options()
    with waiting(f"reading {source}", quiet=quiet):
        record = corpus_record(read_documents(source, reading, **words), top_words, first)
    if json:
        print_json({"source": source, **record})
    else:
        show(*_page(record))


def _page(record: dict[str, Any]) -> Iterator[RenderableType]:
    yield facts_table(list(_facts(record)))
    n_docs = record["documents"]
    if record["top_words"]:
        rows = [(entry["word"], entry["count"], entry["documents"]) for entry in record["top_words"]]
        yield ""
        yield _counted("word", "times", rows, n_docs)
    if record.get("labels", {}).get("documents"):
        labels = list(record["labels"]["documents"].items())
        yield ""
        yield _counted("label", None, [(name, n, n) for name, n in labels[:_SHOWN_LABELS]], n_docs)
        n_more = len(labels) - _SHOWN_LABELS
        yield from [f"and {n_more:,} more: see them with --json"] * (n_more > 0)
    if record["first"]:
        yield ""
        yield _documents(record["first"])


def _facts(record: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    empty, lengths = record["empty"], record["lengths"]
    yield "documents", f"{record['documents']:,}", _none_left(empty)
    yield "tokens", f"{record['tokens']:,}", "words in all"
    yield "vocabulary", f"{record['words']:,}", "different words"
    spread = ", ".join(f"{name} {n:,}" for name, n in lengths.items() if name != "median")
    yield "length", f"{lengths['median']:,}", f"words in the median document; {spread}"
    if "labels" in record:
        known = record["labels"]
        yield "labels", f"{len(known['documents']):,}", _without(known)
    if "dates" in record:
        yield _spread("dates", record["documents"], record["dates"], "first", "last")
    if "targets" in record:
        yield _spread("numbers", record["documents"], record["targets"], "least", "most")


def _spread(name: str, n_docs: int, known: dict[str, Any], low: str, high: str) -> tuple[str, str, str]:
    ends = [value if isinstance(value, str) else f"{value:g}" for value in (known[low], known[high])]
    remarks = [f"from {ends[0]} to {ends[1]}", *filter(None, [_without(known)])]
    return name, f"{n_docs - known['without']:,}", "; ".join(remarks)


def _none_left(empty: dict[str, Any]) -> str:
    n, named = empty["documents"], empty["first"]
    if not n:
        return "each has a word"
    more = ", …" * (n > len(named))
    return f"{n:,} of them without a word that stays: {', '.join(map(str, named))}{more}"


def _without(known: dict[str, Any]) -> str:
    n = known["without"]
    return f"{n:,} documents have none" if n > 1 else "one document has none" * n


def _counted(head: str, times: str | None, rows: Sequence[tuple[str, int, int]], n_docs: int) -> Table:
    """Words or labels with the documents that have them, as a figure, a share and a bar."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(head, overflow="fold", style="bold")
    if times is not None:
        table.add_column(times, justify="right")
    table.add_column("documents", justify="right")
    table.add_column("of all", no_wrap=True)
    for name, count, documents in rows:
        share = documents / n_docs
        figures = [f"{count:,}"] * (times is not None) + [f"{documents:,}"]
        table.add_row(Text(one_line(name)), *figures, Text.assemble((bar(share), "blue"), f" {share:6.1%}"))
    return table


def _documents(first: list[dict[str, Any]]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    columns = ["document", *["labels"] * ("labels" in first[0]), "length", "first words"]
    for name in columns:
        table.add_column(name, justify="right" if name == "length" else "left", overflow="fold")
    for entry in first:
        labels = [Text(one_line(", ".join(entry["labels"])))] if "labels" in entry else []
        words = fitting([one_line(word) for word in entry["words"]], screen_width() // 2)
        told = " ".join(words) + " …" * (len(words) < entry["length"])
        table.add_row(Text(one_line(str(entry["id"]))), *labels, f"{entry['length']:,}", Text(told))
    return table
