"""``topicwright transform``: the topics of new documents, however many they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import _options as options
from ._files import check_writable, is_standard
from ._models import is_labelled, load_model
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
    a document without an id is called by its line number. Where topics are labels it has their names, as in
    {"id": "a1", "labels": [["sport", 0.81], ["background 1", 0.12]]}.
    """
    reading = Reading(format, text_field, id=id_field, on_error=on_error)
    if not is_standard(output):
        check_writable(str(output), model_file, source)
    model = load_model(model_file, jobs)
    answer = _Shares(model, dense, min_weight, *_names(model))
    streaming = Streaming(source, reading, output, layout, batch)
    write_answers(model, answer, streaming, quiet=quiet, doing="finding topics")


def _names(model: LDA) -> tuple[str, list[Any]]:
    """What a model has shares of, and what they are called by."""
    if is_labelled(model):
        return "label", model.get_feature_names_out().tolist()
    return "topic", list(range(len(model.alpha_)))


@dataclass(frozen=True)
class _Shares:
    model: LDA
    dense: bool
    min_weight: float
    what: str  # each share is of
    names: list[Any]

    def header(self) -> list[str]:
        if not self.dense:
            return ["id", self.what, "weight"]
        return ["id", *(name if isinstance(name, str) else f"{self.what}_{name}" for name in self.names)]

    def records(self, batch: Batch) -> Iterator[Record]:
        for name, shares in zip(batch.names, self.model.transform(batch.corpus)):
            yield {"id": name, f"{self.what}s": _rounded(shares) if self.dense else self._largest(shares)}

    def _largest(self, shares: NDArray[np.float64]) -> list[list[Any]]:
        """Pairs of name and share, the largest share first, small ones left out."""
        order = (-shares).argsort(kind="stable")
        order = order[shares[order] >= self.min_weight]
        return [[self.names[k], share] for k, share in zip(order.tolist(), _rounded(shares[order]))]

    def rows(self, record: Record) -> Iterable[list[Any]]:
        shares = record[f"{self.what}s"]
        return ([record["id"], *line] for line in ([shares] if self.dense else shares))


def _rounded(shares: NDArray[np.float64]) -> list[float]:
    return [round(share, _DIGITS) for share in shares.tolist()]
