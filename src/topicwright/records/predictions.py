"""Predictions of all kinds of models as records, and what each kind of model can predict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .._utils.formatting import truncate
from ..errors import InputError

if TYPE_CHECKING:
    from ..corpus import Corpus
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
    from ..models import OnlineLabeledLDA, OnlineLDA

    return isinstance(model, (OnlineLabeledLDA, OnlineLDA))


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
            raise InputError(f"the model has no topic with the name {name!r}: {has}", parameter="label", got=name)
    return [numbers[name] for name in names]


def some(names: list[str]) -> str:
    """The first few of many names."""
    return ", ".join([*map(_quote, names[:_MOST_NAMES]), *["…"] * (len(names) > _MOST_NAMES)])


def _quote(name: str) -> str:
    """A name in a list: truncated if it is long, and in quotes if it contains a comma."""
    short = truncate(name, _NAME_LENGTH)
    return f"'{short}'" if "," in short else short


def is_classifier(model: Any) -> bool:
    """Whether a model predicts classes or labels, and not numbers."""
    return hasattr(model, "classes_")


def kind_of_target(model: Any) -> str:
    """What a model predicts: numbers, labels or classes."""
    return "numbers" if not is_classifier(model) else "labels" if model.multilabel_ else "classes"


def gives_probabilities(model: Any) -> bool:
    """Whether a classifier has probabilities, and not only scores."""
    return hasattr(model, "predict_proba")


def predictions(model: Any, corpus: Corpus, **options: Any) -> list[list[tuple[Any, float]]]:
    """Predicted classes of each document with their values, best first."""
    decisions, names = model.decide(corpus, **options), model.classes_.tolist()
    rows = zip(decisions.values, decisions.best_first())
    return [[(names[number], float(row[number])) for number in numbers] for row, numbers in rows]


def prediction_records(model: Any, corpus: Corpus, top: int | None = None, **options: Any) -> Iterator[dict[str, Any]]:
    """Record of the prediction of each document; with ``top``, of its best classes.

    A document without a known word has no prediction: None, or an empty list if it may have several labels.
    """
    if not is_classifier(model):
        for value, length in zip(model.predict(corpus), corpus.doc_lengths().tolist()):
            yield {"prediction": None if not length else [*map(figure, value)] if value.ndim else figure(value)}
    elif top is None:
        yield from (prediction_record(model, pairs) for pairs in predictions(model, corpus, **options))
    else:
        for pairs in ranking(model, corpus, top, **options):
            yield {"top": [[name, figure(value)] for name, value in pairs]}


def prediction_record(model: Any, pairs: list[tuple[Any, float]]) -> dict[str, Any]:
    """Record of a prediction: a class and its value, or lists of both if documents may have several."""
    names, values = [name for name, _ in pairs], [figure(value) for _, value in pairs]
    if model.multilabel_:
        return {"prediction": names, value_name(model): values}
    return {"prediction": names[0] if names else None, value_name(model): values[0] if values else None}


def value_name(model: Any) -> str:
    """Name of the value of a class: probability or score."""
    return "probability" if gives_probabilities(model) else "score"


def ranking(model: Any, corpus: Corpus, top: int, **options: Any) -> list[list[tuple[Any, float]]]:
    """Best classes of each document with their values: only candidates if there are some, none without words."""
    import numpy as np

    names = model.classes_.tolist()
    values = model.predict_proba(corpus, **options) if gives_probabilities(model) else model.decide(corpus).values
    values = np.where(corpus.doc_lengths()[:, np.newaxis] > 0, values, np.nan)
    order = np.argsort(-values, axis=1, kind="stable")[:, :top]
    least = 0.0 if "candidates" in options else -np.inf
    return [
        [(names[number], float(row[number])) for number in numbers if row[number] > least]
        for row, numbers in zip(values, order.tolist())
    ]


def check_classes(model: Any, chosen: list[str]) -> list[int]:
    """Numbers of the chosen classes or labels."""
    if not is_classifier(model):
        raise InputError("--class needs a classifier, and this model predicts numbers")
    number = {str(name): number for number, name in enumerate(model.classes_.tolist())}
    for name in chosen:
        if name not in number:
            what = "label" if model.multilabel_ else "class"
            raise InputError(
                f"the model has no {what} {name!r}: it has {some(list(number))}", parameter="class", got=name
            )
    return [number[name] for name in chosen]


def figure(value: float) -> float:
    """A number with seven significant digits."""
    return float(f"{value:.7g}")


# ---------------------------------------------------------------------- topics


def weight_column(model: Any, of_class: Any = None) -> tuple[str, list[str]]:
    """Table column of the weights of topics, and its head: the class with the largest weight, or weights in numbers.

    ``of_class`` is the class that the model separates from the rest, which the model itself has no name of.
    """
    from ..views.words import weights_of_topics

    weights = weights_of_topics(model)
    names = list(weights) if of_class is None else ["the rest", str(of_class)]
    topics = list(zip(*weights.values()))
    if not is_classifier(model):
        return "weight", [" ".join(f"{weight:+.3g}" for weight in row) for row in topics]
    best = [max(zip(row, names)) for row in topics]
    return "class", [f"{name} {weight:+.3g}" if weight > 0 else "none" for weight, name in best]
