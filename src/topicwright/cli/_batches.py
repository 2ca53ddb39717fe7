"""Answers about documents, however many they are: read, answered and written a batch at a time."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from .._utils.formatting import pluralize, safe_json
from ._console import say, waiting
from ._inputs import InputBatch, InputOptions, read_batches
from ._options import OutputLayout
from ._outputs import is_standard, text_output

if TYPE_CHECKING:
    from ..models import LDA

Record = dict[str, Any]


class BatchAnswer(Protocol):
    """What a verb has to say about documents."""

    def header(self) -> list[str]:
        """The columns of a table."""

    def records(self, batch: InputBatch) -> Iterator[Record]:
        """What JSON is to hold, a record for each document."""

    def rows(self, record: Record) -> Iterable[list[Any]]:
        """A record as rows of the table."""


@dataclass
class BatchCounts:
    """What was seen, for the summary at the end."""

    documents: int = 0
    words: int = 0
    unknown: int = 0
    empty: int = 0

    def add(self, batch: InputBatch) -> None:
        """Count a batch."""
        self.documents += batch.corpus.n_docs
        self.words += batch.corpus.n_tokens + batch.n_unknown
        self.unknown += batch.n_unknown
        self.empty += int((batch.corpus.doc_lengths() == 0).sum())

    def __str__(self) -> str:
        share = f" ({self.unknown / self.words:.1%})" if self.words else ""
        text = f"{pluralize(self.documents, 'document')}, {pluralize(self.words, 'word')}; "
        text += f"the model does not know {self.unknown:,}{share}"
        return text + (f"; documents without a known word: {self.empty:,}" if self.empty else "")


class BatchWriter(NamedTuple):
    """Where documents come from and where answers go."""

    source: str
    reading: InputOptions
    output: Path | None
    layout: OutputLayout | None
    batch: int


def write_answers(model: LDA, answer: BatchAnswer, streaming: BatchWriter, *, quiet: bool, doing: str) -> None:
    """Answer for every document; then a summary on standard error."""
    source, reading, output, layout, size = streaming
    batches = read_batches(model, source, reading, size)
    counts = BatchCounts()
    with text_output(output) as file, waiting(doing, quiet=quiet or _is_shown(output)):
        table = csv.writer(file, lineterminator="\n") if _layout(layout, output) is OutputLayout.csv else None
        if table is not None:
            table.writerow(answer.header())
        for batch in batches:
            counts.add(batch)
            for record in answer.records(batch):
                if table is not None:
                    table.writerows(answer.rows(record))
                else:
                    file.write(safe_json(record) + "\n")
            file.flush()
    if not quiet:
        say(str(counts))


def _layout(given: OutputLayout | None, output: Path | None) -> OutputLayout:
    if given is not None:
        return given
    return (
        OutputLayout.csv
        if output is not None and output.name.removesuffix(".gz").endswith(".csv")
        else OutputLayout.jsonl
    )


def _is_shown(output: Path | None) -> bool:
    return is_standard(output) and sys.stdout.isatty()
