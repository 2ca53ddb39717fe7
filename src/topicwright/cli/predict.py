"""``topicwright predict``: classes, labels or numbers of new documents, however many they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from . import _options as options
from ._files import check_writable, is_standard
from ._models import load_supervised
from ._predictions import class_values, figure, gives_probabilities, is_classifier, predictions
from ._reading import Batch, Reading
from ._streaming import Record, Streaming, write_answers

if TYPE_CHECKING:
    from ..corpus import Corpus

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
    format: options.Format = None,
    text_field: options.TextField = None,
    id_field: options.IdField = None,
    on_error: options.Errors = options.OnError.stop,
    batch: options.BatchSize = 1000,
    jobs: options.Jobs = -1,
    quiet: options.Quiet = False,
) -> None:
    """Predict classes, labels or numbers of new documents.

    The model is one of topicwright fit --predict. Documents are read a batch at
    a time: the file may be larger than memory.

    A line of the answer is like {"id": "a1", "prediction": "sport", "score": 31.2}.
    The logistic loss gives a probability in place of the score; with several
    labels a document both are lists; a number has neither. A document without
    an id is called by its line number.
    """
    reading = Reading(format, text_field, id=id_field, on_error=on_error)
    if not is_standard(output):
        check_writable(str(output), model_file, source)
    model = load_supervised(model_file, jobs)
    answer = _answer(model, top)
    write_answers(model, answer, Streaming(source, reading, output, layout, batch), quiet=quiet, doing="predicting")


@dataclass(frozen=True)
class _Predictions:
    columns: tuple[str, ...]
    say: Callable[[Corpus], Iterator[Record]]

    def header(self) -> list[str]:
        return ["id", *self.columns]

    def records(self, batch: Batch) -> Iterator[Record]:
        return ({"id": name, **said} for name, said in zip(batch.names, self.say(batch.corpus)))

    def rows(self, record: Record) -> Iterable[list[Any]]:
        if "top" in record:
            return ([record["id"], *pair] for pair in record["top"])
        return [[_joined(cell) for cell in record.values()]]


def _answer(model: Any, top: int | None) -> _Predictions:
    if is_classifier(model):
        measure = "probability" if gives_probabilities(model) else "score"
        if top is not None:
            return _Predictions(("class", measure), partial(_best, model, top))
        return _Predictions(("prediction", measure), partial(_labels if model.multilabel_ else _class, model, measure))
    if top is not None:
        raise InputError("--top goes with a classifier, and this model predicts numbers")
    return _Predictions(("prediction",), partial(_numbers, model))


def _class(model: Any, measure: str, corpus: Corpus) -> Iterator[Record]:
    for [(name, value)] in predictions(model, corpus):
        yield {"prediction": name, measure: figure(value)}


def _labels(model: Any, measure: str, corpus: Corpus) -> Iterator[Record]:
    for pairs in predictions(model, corpus):
        yield {"prediction": [name for name, _ in pairs], measure: [figure(value) for _, value in pairs]}


def _best(model: Any, top: int, corpus: Corpus) -> Iterator[Record]:
    names = model.classes_.tolist()
    for row in class_values(model, corpus):
        order = (-row).argsort(kind="stable")[:top].tolist()
        yield {"top": [[names[number], figure(row[number])] for number in order]}


def _numbers(model: Any, corpus: Corpus) -> Iterator[Record]:
    for value in model.predict(corpus):
        yield {"prediction": [*map(figure, value)] if value.ndim else figure(value)}


def _joined(cell: Any) -> Any:
    return _SEPARATOR.join(map(str, cell)) if isinstance(cell, list) else cell
