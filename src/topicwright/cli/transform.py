"""``topicwright transform``: the topics of new documents, however many they are."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from . import _options as options
from ._console import say, waiting
from ._files import check_writable, is_standard, text_output, to_json
from ._models import load_model
from ._reading import Batch, Reading, read_batches

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DIGITS = 6


class Layout(str, Enum):
    """How the answer is written."""

    jsonl = "jsonl"
    csv = "csv"


@dataclass
class Counts:
    """What was seen, for the summary at the end."""

    documents: int = 0
    words: int = 0
    unknown: int = 0
    empty: int = 0

    def add(self, batch: Batch) -> None:
        """Count a batch."""
        self.documents += batch.corpus.n_docs
        self.words += batch.corpus.n_tokens + batch.n_unknown
        self.unknown += batch.n_unknown
        self.empty += int((batch.corpus.doc_lengths() == 0).sum())

    def __str__(self) -> str:
        share = f" ({self.unknown / self.words:.1%})" if self.words else ""
        text = f"{self.documents:,} document{'s' * (self.documents != 1)}, {self.words:,} words; "
        text += f"the model does not know {self.unknown:,}{share}"
        return text + (f"; documents without a known word: {self.empty:,}" if self.empty else "")


def transform(
    model_file: options.ModelFile,
    source: options.Input = "-",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where to write.", show_default="standard output"),
    ] = None,
    layout: Annotated[
        Layout | None, typer.Option("--to", help="How to write.", show_default="by the suffix, or jsonl")
    ] = None,
    min_weight: Annotated[
        float, typer.Option(min=0.0, max=1.0, metavar="SHARE", help="Leave out topics below this share.")
    ] = 0.01,
    dense: Annotated[bool, typer.Option("--dense", help="Write the shares of all topics, in order of topics.")] = False,
    format: options.Format = None,
    text_field: options.TextField = None,
    id_field: options.IdField = None,
    on_error: options.Errors = options.OnError.stop,
    batch: Annotated[int, typer.Option(min=1, metavar="N", help="Documents in memory at a time.")] = 1000,
    jobs: options.Jobs = -1,
    quiet: options.Quiet = False,
) -> None:
    """Find the topics of new documents.

    Documents are read a batch at a time: the file may be larger than memory.

    A line of the answer is like {"id": "a1", "topics": [[7, 0.81], [2, 0.12]]}, the largest share first;
    a document without an id is called by its line number.
    """
    reading = Reading(format, text_field, id=id_field, on_error=on_error)
    if not is_standard(output):
        check_writable(str(output), model_file, source)
    model = load_model(model_file, jobs)
    write = _writer(_layout(layout, output), dense, min_weight)
    batches = read_batches(model, source, reading, batch)
    counts = Counts()
    with text_output(output) as file, waiting("finding topics", quiet=quiet or _is_shown(output)):
        write.start(file, len(model.alpha_))
        for documents in batches:
            counts.add(documents)
            write.rows(file, documents.names, model.transform(documents.corpus))
            file.flush()
    if not quiet:
        say(str(counts))


def _layout(given: Layout | None, output: Path | None) -> Layout:
    if given is not None:
        return given
    return Layout.csv if output is not None and output.suffix == ".csv" else Layout.jsonl


def _is_shown(output: Path | None) -> bool:
    return is_standard(output) and sys.stdout.isatty()


@dataclass(frozen=True)
class _JsonLines:
    dense: bool
    min_weight: float

    def start(self, file: TextIO, n_topics: int) -> None:
        """JSON lines need no header."""

    def rows(self, file: TextIO, names: list[str | int], theta: NDArray[np.float64]) -> None:
        for name, shares in zip(names, theta):
            topics: Any = _rounded(shares) if self.dense else [list(pair) for pair in _largest(shares, self.min_weight)]
            file.write(to_json({"id": name, "topics": topics}) + "\n")


@dataclass(frozen=True)
class _Table:
    dense: bool
    min_weight: float

    def start(self, file: TextIO, n_topics: int) -> None:
        columns = [f"topic_{topic}" for topic in range(n_topics)] if self.dense else ["topic", "weight"]
        _csv(file).writerow(["id", *columns])

    def rows(self, file: TextIO, names: list[str | int], theta: NDArray[np.float64]) -> None:
        for name, shares in zip(names, theta):
            lines: Any = [_rounded(shares)] if self.dense else _largest(shares, self.min_weight)
            _csv(file).writerows([name, *line] for line in lines)


def _writer(layout: Layout, dense: bool, min_weight: float) -> _JsonLines | _Table:
    return (_Table if layout is Layout.csv else _JsonLines)(dense, min_weight)


def _csv(file: TextIO) -> Any:
    return csv.writer(file, lineterminator="\n")


def _rounded(shares: NDArray[np.float64]) -> list[float]:
    return [round(share, _DIGITS) for share in shares.tolist()]


def _largest(shares: NDArray[np.float64], least: float) -> Iterator[tuple[int, float]]:
    """Pairs of topic and share, the largest share first, those below ``least`` left out."""
    for topic in (-shares).argsort(kind="stable").tolist():
        if shares[topic] < least:
            return
        yield topic, round(float(shares[topic]), _DIGITS)
