"""The ``topicwright predict`` command: classes, labels or numbers of new documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from ..records.predictions import is_classifier, prediction_records, value_name
from . import _options as options
from ._inputs import InputBatch, InputOptions, adjust, load_predictor, parse_labels
from ._options import Select, expand_groups
from ._outputs import BatchWriter, Record, check_writable, with_names

if TYPE_CHECKING:
    from ..corpus import Corpus

_SEPARATOR = "|"  # of labels in CSV, as in the readers


@expand_groups
def predict(
    model_file: options.ModelFile,
    reading: Annotated[InputOptions, Select("format", "text_field", "id_field", "on_error")],
    source: options.Input = "-",
    output: options.Output = None,
    force: options.Force = False,
    layout: options.To = None,
    top: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Write the N best classes instead of the prediction.", show_default=False
        ),
    ] = None,
    threshold: options.Threshold = None,
    label_prior: options.LabelPriorOption = None,
    candidates: options.Candidates = None,
    batch: options.BatchSize = 1000,
    jobs: options.Jobs = -1,
    quiet: options.Quiet = False,
) -> None:
    """Predict classes, labels or numbers of new documents.

    The model is one of topicwright fit --predict or --labels.
    A line of the result is like {"id": "a1", "prediction": "sport", "probability": 0.93, "n_unknown": 3}.
    Models without probabilities give a score instead. If documents have several
    labels, both are lists, best first.
    n_unknown is the number of words that the model does not know. A document
    without a known word has no prediction: null, or an empty list.
    """
    if top is not None and threshold is not None:
        raise InputError("--top and --threshold are two ways to choose labels: pass one of them")
    check_writable(output, model_file, source)
    model = load_predictor(model_file, jobs)
    adjust(model, label_prior, threshold)
    parameters = {} if candidates is None else {"candidates": parse_labels(model, candidates)}
    writer = BatchWriter(source=source, reading=reading, output=output, layout=layout, batch_size=batch, force=force)
    writer.write(model, _predictions_table(model, top, parameters), quiet=quiet)


@dataclass(frozen=True)
class _PredictionsTable:
    """Predictions as records and rows."""

    columns: tuple[str, ...]
    predict: Callable[[Corpus], Iterator[Record]]

    def header(self) -> list[str]:
        return ["id", *self.columns]

    def records(self, batch: InputBatch) -> Iterator[Record]:
        return with_names(batch, self.predict(batch.corpus))

    def rows(self, record: Record) -> Iterable[list[Any]]:
        if "top" in record:
            return ([record["id"], *pair] for pair in record["top"])
        return [[_joined(cell) for cell in record.values()]]


def _predictions_table(model: Any, top: int | None, parameters: dict[str, Any]) -> _PredictionsTable:
    if top is not None and not is_classifier(model):
        raise InputError("--top needs a classifier, and this model predicts numbers")
    value = (value_name(model),) if is_classifier(model) else ()
    predict = partial(prediction_records, model, top=top, **parameters)
    columns = ("prediction", *value, "n_unknown") if top is None else ("class", *value)
    return _PredictionsTable(columns, predict)


def _joined(cell: Any) -> Any:
    return _SEPARATOR.join(map(str, cell)) if isinstance(cell, list) else cell
