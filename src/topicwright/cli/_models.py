"""Loading of model files, and options that adjust a loaded model."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError, ModelFileError
from ..records.predictions import check_classes, check_labeled, is_labeled, is_supervised, topic_models
from ._inputs import read_lines
from ._options import LabelPrior
from ._outputs import check_exists

if TYPE_CHECKING:
    from ..models import LDA


def load_model(path: str | Path, jobs: int | None = None, *, by_class: bool = False) -> LDA:
    """Load a model from its file.

    Parameters
    ----------
    path : str or Path
        The model file.
    jobs : int, optional
        Number of threads.
    by_class : bool
        Whether the model may have topics of its own for each class (``strategy="one-vs-rest"``).
    """
    from .. import load

    check_exists(path)
    try:
        model: LDA = load(path)
    except ModelFileError as error:
        raise ModelFileError(f"{error}{_hint(path)}") from None
    if not by_class and hasattr(model, "estimators_"):
        raise InputError(
            f"{path} has separate topics for each class, which this command cannot use: "
            "topics (as a table), predict, explain and evaluate can"
        )
    if jobs is not None:
        model.n_jobs = jobs
    return model


def _hint(path: str | Path) -> str:
    """What to do if a file of documents was passed instead of a model."""
    from ..corpus.formats.registry import suffix_format

    if not suffix_format(str(path)):
        return ""
    name, model = Path(path), Path(path).with_suffix(".tw")
    return f": train a model with  topicwright fit {shlex.quote(str(name))} -o {shlex.quote(str(model))}"


def load_predictor(path: str | Path, jobs: int | None = None) -> Any:
    """Load a classifier, a regressor or a model of labels from its file."""
    model = load_model(path, jobs, by_class=True)
    if not is_supervised(model) and not is_labeled(model):
        raise InputError(
            f"{path} predicts nothing: train a model with  topicwright fit … --predict FIELD,  or --labels FIELD"
        )
    return model


def top_words_of_topics(model: LDA, n_words: int, min_words: int = 1) -> list[list[str]]:
    """Top words of the topics that have at least ``min_words`` words."""
    topics = [words for part in topic_models(model).values() for words in part.top_words(n_words)]
    return [words for words in topics if len(words) >= min_words]


def parse_labels(model: Any, text: str) -> list[Any]:
    """Labels of the model named by a comma-separated list, or by a file with one per line."""
    check_labeled(model, "--candidates")
    names = read_lines(text) if Path(text).is_file() else [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise InputError(parameter="--candidates", expected="one or more labels", got=text)
    labels = model.classes_.tolist()
    return [labels[number] for number in check_classes(model, names)]


def adjust(model: Any, prior: LabelPrior | None, threshold: float | None) -> None:
    """Set the prior of labels and the threshold of predictions; None leaves them unchanged."""
    if prior is not None:
        check_labeled(model, "--label-prior")
        model.label_prior = prior.value
    if threshold is not None:
        _set_threshold(model, threshold)


def _set_threshold(model: Any, threshold: float) -> None:
    check_labeled(model, "--threshold")
    if not model.multilabel_:
        raise InputError("--threshold is for models with several labels per document, this one has one: use --top")
    if not 0 < threshold < 1:
        raise InputError(parameter="--threshold", expected="a share between 0 and 1", got=threshold)
    model.threshold = threshold
