"""The ``topicwright transform`` command: topics of new documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from ..errors import InputError
from ..records.topics import SharesRecord, shares_of
from . import _options as options
from ._inputs import InputBatch, InputOptions, load_model
from ._options import Select, expand_groups
from ._outputs import BatchWriter, Record, check_writable, with_names


@expand_groups
def transform(
    model_file: options.ModelFile,
    reading: Annotated[InputOptions, Select("format", "text_field", "id_field", "on_error")],
    source: options.Input = "-",
    output: options.Output = None,
    force: options.Force = False,
    layout: options.To = None,
    min_weight: Annotated[
        float, typer.Option(min=0.0, max=1.0, metavar="P", help="Leave out topics with a smaller probability.")
    ] = 0.01,
    top: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Only this number of topics of a document, the largest.", show_default="all"
        ),
    ] = None,
    dense: Annotated[bool, typer.Option("--dense", help="Write the probabilities of all topics, in order.")] = False,
    batch: options.BatchSize = 1000,
    jobs: options.Jobs = -1,
    quiet: options.Quiet = False,
) -> None:
    """Find the topics of new documents.

    A line of the result is like {"id": "a1", "topics": [[7, 0.81], [2, 0.12]], "n_unknown": 3}, most probable first.
    If topics are labels, it has their names: {"labels": [["sport", 0.81], ["law", 0.12]]}.
    Probabilities include the prior, so those of a short document are close to it; explain shows shares of words.
    A document without a known word has no topics; with --dense it has the prior.
    The file may be larger than memory. A document without an id has its line number as id.
    """
    if dense and top is not None:
        raise InputError("--dense writes all topics and --top some of them: pass one of the two")
    check_writable(output, model_file, source)
    model = load_model(model_file, jobs)
    writer = BatchWriter(source=source, reading=reading, output=output, layout=layout, batch_size=batch, force=force)
    writer.write(model, _SharesTable(shares_of(model, dense=dense, min_weight=min_weight, top=top)), quiet=quiet)


@dataclass(frozen=True)
class _SharesTable:
    """Probabilities of topics as records and rows."""

    shares: SharesRecord

    def header(self) -> list[str]:
        what, names = self.shares.what, self.shares.names
        if not self.shares.dense:
            return ["id", what, "probability"]
        return ["id", *(name if isinstance(name, str) else f"{what}_{name}" for name in names)]

    def records(self, batch: InputBatch) -> Iterator[Record]:
        return with_names(batch, self.shares.records(batch.corpus))

    def rows(self, record: Record) -> Iterable[list[Any]]:
        shares = record[f"{self.shares.what}s"]
        return ([record["id"], *line] for line in ([shares] if self.shares.dense else shares))
