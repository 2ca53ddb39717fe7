"""Kinds of models, and lookup of topics by number and name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._utils.formatting import truncate
from ..errors import InputError

if TYPE_CHECKING:
    from ..models import LDA

_MOST_NAMES = 6  # in a sentence
_NAME_LENGTH = 40


def is_supervised(model: LDA) -> bool:
    """Whether the topics of a model have weights in classes or numbers."""
    from ..models import MedLDAClassifier, MedLDARegressor

    return isinstance(model, (MedLDAClassifier, MedLDARegressor))


def is_labeled(model: LDA) -> bool:
    """Whether the topics of a model are labels."""
    from ..models.labeled.prediction import LabelPredictionMixin

    return isinstance(model, LabelPredictionMixin)


def check_labeled(model: Any, option: str) -> None:
    """Raise an error if the model has no labels, which the option needs."""
    if not is_labeled(model):
        raise InputError(f"{option} needs a model of labels: train one with  topicwright fit … --labels FIELD")


def is_stream(model: LDA) -> bool:
    """Whether a model was trained on a stream, so that it has no training documents."""
    from ..models import OnlineLabeledLDA

    return isinstance(model, OnlineLabeledLDA)


def topic_models(model: LDA) -> dict[Any, LDA]:
    """Models with topics: this one with the key None, or one for each class."""
    ones = getattr(model, "estimators_", None)
    if ones is None:
        return {None: model}
    names = model.classes_.tolist()  # type: ignore[attr-defined]
    return dict(zip(names[-len(ones) :], ones))  # of two classes, the second has a model


def documents_of_topics(model: Any) -> list[int | None]:
    """Number of documents of each label; None for background topics."""
    counts: list[int] = model.label_counts_.tolist()
    return [*counts, *[None] * (len(model.alpha_) - len(counts))]


def check_topics(model: LDA, chosen: list[int] | None, names: list[str] | None = None) -> list[int]:
    """Topics chosen by number or name, in order; all if none is chosen."""
    n_topics = len(model.alpha_)
    for topic in chosen or ():
        if not 0 <= topic < n_topics:
            raise InputError(parameter="topic", expected=f"from 0 to {n_topics - 1}", got=topic)
    numbers = {*(chosen or ()), *_topics_by_name(model, names or [])}
    return sorted(numbers or range(n_topics))


def _topics_by_name(model: LDA, names: list[str]) -> list[int]:
    numbers = {} if model.topic_names_ is None else {str(name): k for k, name in enumerate(model.topic_names_)}
    for name in names:
        if name not in numbers:
            has = f"it has {some(list(numbers))}" if numbers else "its topics have no names"
            raise InputError(f"the model has no topic of the name {name!r}: {has}", parameter="label", got=name)
    return [numbers[name] for name in names]


def some(names: list[str]) -> str:
    """The first few of many names."""
    return ", ".join([*map(_quote, names[:_MOST_NAMES]), *["…"] * (len(names) > _MOST_NAMES)])


def _quote(name: str) -> str:
    """A name in a list: truncated if it is long, and in quotes if it contains a comma."""
    short = truncate(name, _NAME_LENGTH)
    return f"'{short}'" if "," in short else short
