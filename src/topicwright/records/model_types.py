"""Which kind of model this is, and its topics by number and name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._utils.formatting import truncate
from ..errors import InputError

if TYPE_CHECKING:
    from ..models import LDA

_NAMED = 6  # of many names in a sentence
_LETTERS = 40  # of a name


def is_supervised(model: LDA) -> bool:
    """Whether the topics of a model have weights in classes or numbers."""
    from ..models import MedLDAClassifier, MedLDARegressor

    return isinstance(model, (MedLDAClassifier, MedLDARegressor))


def is_labeled(model: LDA) -> bool:
    """Whether the topics of a model are labels."""
    from ..models.labeled.prediction import LabelPredictionMixin

    return isinstance(model, LabelPredictionMixin)


def check_labeled(model: Any, option: str) -> None:
    """An error where an option is for models of labels alone."""
    if not is_labeled(model):
        raise InputError(f"{option} goes with a model of labels: train one with  topicwright fit … --labels FIELD")


def is_stream(model: LDA) -> bool:
    """Whether a model was learned from a stream, whose documents are not kept."""
    from ..models import OnlineLabeledLDA

    return isinstance(model, OnlineLabeledLDA)


def topic_models(model: LDA) -> dict[Any, LDA]:
    """The models that hold topics: this one, under None, or one for each class."""
    ones = getattr(model, "estimators_", None)
    if ones is None:
        return {None: model}
    names = model.classes_.tolist()  # type: ignore[attr-defined]
    return dict(zip(names[-len(ones) :], ones))  # of two classes, the second has a model


def documents_of_topics(model: Any) -> list[int | None]:
    """How many documents have each label; of background topics it is not known."""
    counts: list[int] = model.label_counts_.tolist()
    return [*counts, *[None] * (len(model.alpha_) - len(counts))]


def checked_topics(model: LDA, chosen: list[int] | None, names: list[str] | None = None) -> list[int]:
    """The topics asked for by number or name, in order; all if none is."""
    n_topics = len(model.alpha_)
    for topic in chosen or ():
        if not 0 <= topic < n_topics:
            raise InputError(f"a topic must be from 0 to {n_topics - 1}: got {topic}")
    wanted = {*(chosen or ()), *_numbers_of(model, names or [])}
    return sorted(wanted or range(n_topics))


def _numbers_of(model: LDA, names: list[str]) -> list[int]:
    called = {} if model.topic_names_ is None else {str(name): k for k, name in enumerate(model.topic_names_)}
    for name in names:
        if name not in called:
            has = f"it has {some(list(called))}" if called else "its topics have none"
            raise InputError(f"the model has no topic of the name {name!r}: {has}")
    return [called[name] for name in names]


def some(names: list[str]) -> str:
    """The first few of many names."""
    return ", ".join([*map(_clear, names[:_NAMED]), *["…"] * (len(names) > _NAMED)])


def _clear(name: str) -> str:
    """A name among others: cut where it is long, and in quotes where it holds a comma."""
    short = truncate(name, _LETTERS)
    return f"'{short}'" if "," in short else short
