"""The ``topicwright corpus`` command: summary of a file of documents, as ``fit`` reads it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import _options as options
from ._console import bar, facts_table, fit_words, one_line, screen_width, show, spinner
from ._inputs import InputOptions, WordOptions, read_documents
from ._options import expand_groups
from ._outputs import print_json

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from ..corpus import Corpus

_SHOWN_LABELS = 15


@expand_groups
def corpus(
    source: options.Input,
    reading: InputOptions,
    words: WordOptions,
    top_words: Annotated[
        int, typer.Option("--words", "-w", min=0, metavar="N", help="Most frequent words to show.")
    ] = 15,
    first: Annotated[int, typer.Option("--documents", "-d", min=0, metavar="N", help="First documents to show.")] = 3,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Show what a file of documents contains.

    Shows the number of documents and words, frequent words, labels, and the first documents.
    Documents are read as fit reads them with the same options.
    """
    with spinner(f"reading {source}", quiet=quiet):
        record = corpus_record(read_documents(source, reading, **words.parameters()), top_words, first)
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
        yield _count_table("word", "count", rows, n_docs)
    if record.get("labels", {}).get("documents"):
        labels = list(record["labels"]["documents"].items())
        yield ""
        yield _count_table("label", None, [(name, n, n) for name, n in labels[:_SHOWN_LABELS]], n_docs)
        n_more = len(labels) - _SHOWN_LABELS
        yield from [f"and {n_more:,} more: see them with --json"] * (n_more > 0)
    if record["first"]:
        yield ""
        yield _document_table(record["first"])


def _facts(record: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    empty, lengths = record["empty"], record["lengths"]
    yield "documents", f"{record['documents']:,}", _without_words(empty)
    yield "tokens", f"{record['tokens']:,}", "words in total"
    yield "vocabulary", f"{record['words']:,}", "distinct words"
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


def _without_words(empty: dict[str, Any]) -> str:
    n, named = empty["documents"], empty["first"]
    if not n:
        return "each has words"
    more = ", …" * (n > len(named))
    return f"{n:,} of them without words: {', '.join(map(str, named))}{more}"


def _without(known: dict[str, Any]) -> str:
    n = known["without"]
    return f"{n:,} documents have none" if n > 1 else "one document has none" * n


def _count_table(head: str, times: str | None, rows: Sequence[tuple[str, int, int]], n_docs: int) -> Table:
    """Table of words or labels with the number of documents that have them, a share and a bar."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(head, overflow="fold", style="bold")
    if times is not None:
        table.add_column(times, justify="right")
    table.add_column("documents", justify="right")
    table.add_column("share", no_wrap=True)
    for name, count, documents in rows:
        share = documents / n_docs
        figures = [f"{count:,}"] * (times is not None) + [f"{documents:,}"]
        table.add_row(Text(one_line(name)), *figures, Text.assemble((bar(share), "blue"), f" {share:6.1%}"))
    return table


def _document_table(first: list[dict[str, Any]]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    columns = ["document", *["labels"] * ("labels" in first[0]), "length", "first words"]
    for name in columns:
        table.add_column(name, justify="right" if name == "length" else "left", overflow="fold")
    for entry in first:
        labels = [Text(one_line(", ".join(entry["labels"])))] if "labels" in entry else []
        words = fit_words([one_line(word) for word in entry["words"]], screen_width() // 2)
        line = " ".join(words) + " …" * (len(words) < entry["length"])
        table.add_row(Text(one_line(str(entry["id"]))), *labels, f"{entry['length']:,}", Text(line))
    return table


# ---------------------------------------------------------------------- record

_QUANTILES = {"least": 0.0, "5%": 0.05, "25%": 0.25, "median": 0.5, "75%": 0.75, "95%": 0.95, "most": 1.0}
_FIRST_WORDS = 50
_EMPTY = 5  # documents that are named


def corpus_record(corpus: Corpus, n_words: int, n_documents: int) -> dict[str, Any]:
    """Record of a corpus: sizes, lengths, most frequent words, labels and first documents."""
    lengths = corpus.doc_lengths()
    empty = (lengths == 0).nonzero()[0].tolist()
    return {
        "documents": corpus.n_docs,
        "tokens": corpus.n_tokens,
        "words": corpus.n_words,
        "empty": {"documents": len(empty), "first": [_name(corpus, row) for row in empty[:_EMPTY]]},
        "lengths": _quantiles(lengths),
        "top_words": _top_words(corpus, n_words),
        **_metadata(corpus),
        "first": [_document(corpus, row) for row in range(min(n_documents, corpus.n_docs))],
    }


def _name(corpus: Corpus, row: int) -> str | int:
    return row + 1 if corpus.ids is None else corpus.ids[row]


def _quantiles(lengths: Any) -> dict[str, int]:
    import numpy as np

    found = np.quantile(lengths, list(_QUANTILES.values()), method="inverted_cdf")
    return dict(zip(_QUANTILES, found.astype(int).tolist()))


def _top_words(corpus: Corpus, n: int) -> list[dict[str, Any]]:
    from ..corpus.vocabulary import document_frequencies

    counts = corpus.word_counts()
    documents = document_frequencies(corpus.tokens, corpus.offsets, corpus.n_words)
    order = (-counts).argsort(kind="stable")[:n].tolist()
    return [{"word": corpus.vocabulary[w], "count": int(counts[w]), "documents": int(documents[w])} for w in order]


def _metadata(corpus: Corpus) -> dict[str, Any]:
    """Labels, dates and targets of documents, as far as there are any."""
    import numpy as np

    metadata: dict[str, Any] = {}
    if corpus.labels is not None:
        counted = Counter(label for labels in corpus.labels for label in labels)
        n_without = sum(not labels for labels in corpus.labels)
        ranked = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
        metadata["labels"] = {"without": n_without, "documents": dict(ranked)}
    if corpus.dates is not None:
        dates = corpus.dates[~np.isnat(corpus.dates)]
        metadata["dates"] = {
            "without": corpus.n_docs - len(dates),
            **_span(dates.astype("datetime64[D]").astype(str), "first", "last"),
        }
    if corpus.targets is not None:
        numbers = corpus.targets[~np.isnan(corpus.targets)]
        n_without = int(np.isnan(corpus.targets).reshape(corpus.n_docs, -1).all(axis=1).sum())
        metadata["targets"] = {"without": n_without, **_span(numbers, "least", "most")}
    return metadata


def _span(values: Any, low: str, high: str) -> dict[str, Any]:
    return {low: min(values.tolist()), high: max(values.tolist())}


def _document(corpus: Corpus, row: int) -> dict[str, Any]:
    tokens = corpus.doc(row)
    labels = {} if corpus.labels is None else {"labels": list(corpus.labels[row])}
    words = [str(word) for word in corpus.vocabulary[tokens[:_FIRST_WORDS]]]
    return {"id": _name(corpus, row), "length": len(tokens), **labels, "words": words}
