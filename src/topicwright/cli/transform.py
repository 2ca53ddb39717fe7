"""``topicwright transform``: the topics of new documents, however many they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import _options as options
from ._files import check_writable, is_standard
from ._models import load_model
from ._reading import Batch, Reading
from ._streaming import Record, Streaming, write_answers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..models import LDA

_DIGITS = 6


def transform(
    model_file: options.ModelFile,
    source: options.Input = "-",
    output: options.Output = None,
    layout: options.To = None,
    min_weight: Annotated[
        float, typer.Option(min=0.0, max=1.0, metavar="SHARE", help="Leave out topics below this share.")
    ] = 0.01,
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
    a document without an id is called by its line number.
    """
    reading = Reading(format, text_field, id=id_field, on_error=on_error)
    if not is_standard(output):
        check_writable(str(output), model_file, source)
    model = load_model(model_file, jobs)
    streaming = Streaming(source, reading, output, layout, batch)
    write_answers(model, _Topics(model, dense, min_weight), streaming, quiet=quiet, doing="finding topics")


@dataclass(frozen=True)
class _Topics:
    model: LDA
    dense: bool
    min_weight: float

    def header(self) -> list[str]:
        columns = [f"topic_{topic}" for topic in range(len(self.model.alpha_))] if self.dense else ["topic", "weight"]
        return ["id", *columns]

    def records(self, batch: Batch) -> Iterator[Record]:
        for name, shares in zip(batch.names, self.model.transform(batch.corpus)):
            topics = _rounded(shares) if self.dense else list(_largest(shares, self.min_weight))
            yield {"id": name, "topics": topics}

    def rows(self, record: Record) -> Iterable[list[Any]]:
        lines = [record["topics"]] if self.dense else record["topics"]
        return ([record["id"], *line] for line in lines)


def _rounded(shares: NDArray[np.float64]) -> list[float]:
    return [round(share, _DIGITS) for share in shares.tolist()]


def _largest(shares: NDArray[np.float64], least: float) -> Iterator[tuple[int, float]]:
    """Pairs of topic and share, the largest share first, those below ``least`` left out."""
    for topic in (-shares).argsort(kind="stable").tolist():
        if shares[topic] < least:
            return
        yield topic, round(float(shares[topic]), _DIGITS)
