"""``topicwright predict``: classes, labels or numbers of new documents, however many they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from ..records.predictions import is_classifier, measure, prediction_records
from . import _options as options
from ._batches import BatchWriter, Record, write_answers
from ._inputs import InputBatch, InputOptions
from ._models import adjust, load_predicting, named_labels
from ._outputs import check_writable

if TYPE_CHECKING:
    from ..corpus import Corpus

Options = dict[str, Any]
_SEPARATOR = "|"  # of labels in CSV, as the readers have it


def predict(
    model_file: options.ModelFile,
    source: options.Input = "-",
    output: options.Output = None,
    layout: options.To = None,
    top: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Write the best so many classes, in place of the prediction.", show_default=False
        ),
    ] = None,
    threshold: options.Threshold = None,
    label_prior: options.Expected = None,
    candidates: options.Candidates = None,
    format: options.Format = None,
    text_field: options.TextField = None,
    id_field: options.IdField = None,
    on_error: options.Errors = options.OnError.stop,
    batch: options.BatchSize = 1000,
    jobs: options.Jobs = -1,
    quiet: options.Quiet = False,
) -> None:
    """Predict classes, labels or numbers of new documents.

    The model is one of topicwright fit --predict or --labels. Documents are
    read a batch at a time: the file may be larger than memory.

    A line of the answer is like {"id": "a1", "prediction": "sport", "score": 31.2}.
    The logistic loss and models of --labels give a probability in place of the
    score; with several labels a document both are lists, the best first; a
    number has neither. A document without an id is called by its line number.
    """
    if top is not None and threshold is not None:
        raise InputError("--top takes so many labels, and --threshold those above a line: give one of them")
    reading = InputOptions(format, text_field, id=id_field, on_error=on_error)
    check_writable(output, model_file, source)
    model = load_predicting(model_file, jobs)
    adjust(model, label_prior, threshold)
    among = {} if candidates is None else {"candidates": named_labels(model, candidates)}
    answer = _answer(model, top, among)
    write_answers(model, answer, BatchWriter(source, reading, output, layout, batch), quiet=quiet, doing="predicting")


@dataclass(frozen=True)
class _Predictions:
    columns: tuple[str, ...]
    say: Callable[[Corpus], Iterator[Record]]

    def header(self) -> list[str]:
        return ["id", *self.columns]

    def records(self, batch: InputBatch) -> Iterator[Record]:
        return ({"id": name, **said} for name, said in zip(batch.names, self.say(batch.corpus)))

    def rows(self, record: Record) -> Iterable[list[Any]]:
        if "top" in record:
            return ([record["id"], *pair] for pair in record["top"])
        return [[_joined(cell) for cell in record.values()]]


def _answer(model: Any, top: int | None, among: Options) -> _Predictions:
    if top is not None and not is_classifier(model):
        raise InputError("--top goes with a classifier, and this model predicts numbers")
    value = (measure(model),) if is_classifier(model) else ()
    say = partial(prediction_records, model, top=top, **among)
    return _Predictions(("prediction" if top is None else "class", *value), say)


def _joined(cell: Any) -> Any:
    return _SEPARATOR.join(map(str, cell)) if isinstance(cell, list) else cell
