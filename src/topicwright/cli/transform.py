"""``topicwright transform``: the topics of new documents, however many they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from ..errors import InputError
from ..records.topics import SharesRecord, shares_of
from . import _options as options
from ._batches import BatchWriter, Record, write_answers
from ._inputs import InputBatch, InputOptions
from ._models import load_model
from ._outputs import check_writable


def transform(
    model_file: options.ModelFile,
    source: options.Input = "-",
    output: options.Output = None,
    layout: options.To = None,
    min_weight: Annotated[
        float, typer.Option(min=0.0, max=1.0, metavar="SHARE", help="Leave out topics below this share.")
    ] = 0.01,
    top: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Only the largest so many topics of a document.", show_default="all"),
    ] = None,
    dense: Annotated[bool, typer.Option("--dense", help="Write the shares of all topics, in order of topics.")] = False,
    format: options.Format = None,
    text_field: options.TextField = None,
    id_field: options.IdField = None,
    on_error: options.Errors = options.OnError.stop,
    batch: options.BatchSize = 1000,
    jobs: options.Jobs = -1,
    quiet: options.Quiet = False,
) -> None:
    """Find the topics of new documents.

    Documents are read a batch at a time: the file may be larger than memory.

    A line of the answer is like {"id": "a1", "topics": [[7, 0.81], [2, 0.12]]}, the largest share first;
    a document without an id is called by its line number. Where topics are labels it has their names, as in
    {"id": "a1", "labels": [["sport", 0.81], ["background 1", 0.12]]}.
    """
    if dense and top is not None:
        raise InputError("--dense writes all topics, and --top some: give one of them")
    reading = InputOptions(format, text_field, id=id_field, on_error=on_error)
    check_writable(output, model_file, source)
    model = load_model(model_file, jobs)
    answer = _Answer(shares_of(model, dense=dense, min_weight=min_weight, top=top))
    streaming = BatchWriter(source, reading, output, layout, batch)
    write_answers(model, answer, streaming, quiet=quiet, doing="finding topics")


@dataclass(frozen=True)
class _Answer:
    shares: SharesRecord

    def header(self) -> list[str]:
        what, names = self.shares.what, self.shares.names
        if not self.shares.dense:
            return ["id", what, "weight"]
        return ["id", *(name if isinstance(name, str) else f"{what}_{name}" for name in names)]

    def records(self, batch: InputBatch) -> Iterator[Record]:
        return ({"id": name, **said} for name, said in zip(batch.names, self.shares.records(batch.corpus)))

    def rows(self, record: Record) -> Iterable[list[Any]]:
        shares = record[f"{self.shares.what}s"]
        return ([record["id"], *line] for line in ([shares] if self.shares.dense else shares))
