"""Model files on the command line."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import InputError, ModelFileError
from ..records.model_types import check_labeled, is_labeled, is_supervised, topic_models
from ..records.predictions import checked_classes
from ._inputs import lines_of
from ._options import LabelPrior
from ._outputs import check_there

if TYPE_CHECKING:
    from ..models import LDA


def load_model(path: str | Path, jobs: int | None = None, *, by_class: bool = False) -> LDA:
    """A model from its file, to run on so many threads.

    With ``by_class`` it may be one that has topics of its own for each class (``strategy="one-vs-rest"``).
    """
    from .. import load

    check_there(path)
    try:
        model: LDA = load(path)
    except ModelFileError as error:
        raise ModelFileError(f"{error}{_hint(path)}") from None
    if not by_class and hasattr(model, "estimators_"):
        raise InputError(
            f"{path} has topics of its own for each class, and none that all share: "
            "topics (as a table), predict, explain and evaluate can take it"
        )
    if jobs is not None:
        model.n_jobs = jobs
    return model


def _hint(path: str | Path) -> str:
    """What to do, where documents are given for a model."""
    from ..corpus.formats.registry import suffix_format

    if not suffix_format(str(path)):
        return ""
    name, model = Path(path), Path(path).with_suffix(".tw")
    return f": make one of it with  topicwright fit {shlex.quote(str(name))} -o {shlex.quote(str(model))}"


def load_predicting(path: str | Path, jobs: int | None = None) -> Any:
    """A classifier, a regressor or a model of labels from its file."""
    model = load_model(path, jobs, by_class=True)
    if not is_supervised(model) and not is_labeled(model):
        raise InputError(
            f"{path} has topics and predicts nothing: train with  topicwright fit … --predict FIELD,  or --labels FIELD"
        )
    return model


def listed_topics(model: LDA, n_words: int, at_least: int = 1) -> list[list[str]]:
    """The top words of the topics that have some; an empty topic has nothing to measure."""
    topics = [words for part in topic_models(model).values() for words in part.top_words(n_words)]
    return [words for words in topics if len(words) >= at_least]


def named_labels(model: Any, text: str) -> list[Any]:
    """The labels of a list with commas, or of a file with one a line."""
    check_labeled(model, "--candidates")
    names = lines_of(text) if Path(text).is_file() else [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise InputError(f"--candidates must name one label or more: got none in {text!r}")
    labels = model.classes_.tolist()
    return [labels[number] for number in checked_classes(model, names)]


def adjust(model: Any, prior: LabelPrior | None, threshold: float | None) -> None:
    """Have a model expect labels so, and predict those that reach this share; None leaves it as it is."""
    if prior is not None:
        check_labeled(model, "--label-prior")
        model.label_prior = prior.value
    if threshold is not None:
        _set_threshold(model, threshold)


def _set_threshold(model: Any, threshold: float) -> None:
    check_labeled(model, "--threshold")
    if not model.multilabel_:
        raise InputError("--threshold is for documents with several labels, and this model gives one each: try --top")
    if not 0 < threshold < 1:
        raise typer.BadParameter(f"it must be a share between 0 and 1: got {threshold:g}", param_hint="--threshold")
    model.threshold = threshold
