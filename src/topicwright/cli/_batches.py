"""Results about documents, read, computed and written in batches."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from .._utils.formatting import pluralize, safe_json
from ._console import print_message, spinner
from ._inputs import InputBatch, InputOptions, read_batches
from ._options import OutputLayout
from ._outputs import is_standard, text_output

if TYPE_CHECKING:
    from ..models import LDA

Record = dict[str, Any]


class ResultsTable(Protocol):
    """Results of a command about documents."""

    def header(self) -> list[str]:
        """Names of the columns of CSV."""

    def records(self, batch: InputBatch) -> Iterator[Record]:
        """A record for each document, as in JSON."""

    def rows(self, record: Record) -> Iterable[list[Any]]:
        """Rows of CSV for a record."""


@dataclass
class BatchCounts:
    """Numbers of documents and words, for the summary at the end."""

    documents: int = 0
    words: int = 0
    unknown: int = 0
    empty: int = 0

    def add(self, batch: InputBatch) -> None:
        """Add the counts of a batch."""
        self.documents += batch.corpus.n_docs
        self.words += batch.corpus.n_tokens + batch.n_unknown
        self.unknown += batch.n_unknown
        self.empty += int((batch.corpus.doc_lengths() == 0).sum())

    def __str__(self) -> str:
        share = f" ({self.unknown / self.words:.1%})" if self.words else ""
        text = f"{pluralize(self.documents, 'document')}, {pluralize(self.words, 'word')}; "
        text += f"the model does not know {self.unknown:,}{share}"
        return text + (f"; documents without a known word: {self.empty:,}" if self.empty else "")


@dataclass(frozen=True, kw_only=True)
class BatchWriter:
    """Reads documents from a file in batches, and writes results about them."""

    source: str
    reading: InputOptions
    output: Path | None
    layout: OutputLayout | None
    batch_size: int

    def write(self, model: LDA, results: ResultsTable, *, quiet: bool) -> None:
        """Write the results of all documents, then a summary to standard error."""
        batches = read_batches(model, self.source, self.reading, self.batch_size)
        counts = BatchCounts()
        is_on_screen = is_standard(self.output) and sys.stdout.isatty()
        with text_output(self.output) as file, spinner(f"reading {self.source}", quiet=quiet or is_on_screen):
            table = csv.writer(file, lineterminator="\n") if self._is_csv() else None
            if table is not None:
                table.writerow(results.header())
            for batch in batches:
                counts.add(batch)
                for record in results.records(batch):
                    if table is not None:
                        table.writerows(results.rows(record))
                    else:
                        file.write(safe_json(record) + "\n")
                file.flush()
        if not quiet:
            print_message(str(counts))

    def _is_csv(self) -> bool:
        if self.layout is not None:
            return self.layout is OutputLayout.csv
        return self.output is not None and self.output.name.removesuffix(".gz").endswith(".csv")
