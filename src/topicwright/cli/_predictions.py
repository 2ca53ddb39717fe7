"""What classifiers say about documents: values of classes, and which of them are predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..corpus import Corpus

    Floats = NDArray[np.float64]

_NAMED = 6  # of many classes in a sentence


def is_classifier(model: Any) -> bool:
    """Whether a supervised model predicts classes or labels, and not numbers."""
    return hasattr(model, "classes_")


def what_it_predicts(model: Any) -> str:
    """In one word."""
    return "numbers" if not is_classifier(model) else "labels" if model.multilabel_ else "classes"


def gives_probabilities(model: Any) -> bool:
    """Whether a classifier has probabilities, and not only scores."""
    return hasattr(model, "predict_proba")


def class_values(model: Any, corpus: Corpus) -> Floats:
    """The probability, or else the score, of each class (a column) for each document."""
    if gives_probabilities(model):
        values: Floats = model.predict_proba(corpus)
        return values
    scores = model.decision_function(corpus)
    return of_all_classes(model, scores[:, None] if scores.ndim == 1 else scores)


def of_all_classes(model: Any, columns: Floats) -> Floats:
    """Scores or weights with a column for each class: of two classes a model has those of the second only."""
    import numpy as np

    return columns if columns.shape[1] == len(model.classes_) else np.hstack([0.0 - columns, columns])


def predicted(model: Any, values: Any, line: float) -> list[list[int]]:
    """The classes that each document is given, the best first: one; or all labels above the line, and at least one."""
    import numpy as np

    values = np.asarray(values)
    order = np.argsort(-values, axis=1, kind="stable")
    counts = np.ones(len(values), dtype=int)
    if model.multilabel_:
        counts = np.maximum(counts, (values > line).sum(axis=1))
    return [row[:count].tolist() for row, count in zip(order, counts)]


def predictions(model: Any, corpus: Corpus) -> list[list[tuple[Any, float]]]:
    """The classes that each document is given, with their values."""
    values, names = class_values(model, corpus), model.classes_.tolist()
    rows = zip(values.tolist(), predicted(model, values, line=0.5 if gives_probabilities(model) else 0.0))
    return [[(names[number], row[number]) for number in numbers] for row, numbers in rows]


def checked_classes(model: Any, asked: list[str]) -> list[int]:
    """The numbers of the classes that were asked for."""
    if not is_classifier(model):
        raise InputError("--class goes with a classifier, and this model predicts numbers")
    known = [str(name) for name in model.classes_.tolist()]
    for name in asked:
        if name not in known:
            raise InputError(f"the model has no class {name!r}: it has {some(known)}")
    return [known.index(name) for name in asked]


def some(names: list[str]) -> str:
    """The first few of many names."""
    return ", ".join([*names[:_NAMED], *["…"] * (len(names) > _NAMED)])


def figure(value: float) -> float:
    """A number without digits that say nothing."""
    return float(f"{value:.7g}")


# ---------------------------------------------------------------------- topics


def weights_of_topics(model: Any) -> dict[str, list[float]]:
    """The weight of each topic in each class or number; of a model that predicts nothing there are none."""
    import numpy as np

    if not hasattr(model, "coef_"):
        return {}
    rows = np.atleast_2d(model.coef_)
    if is_classifier(model):
        return dict(zip(map(str, model.classes_.tolist()), of_all_classes(model, rows.T).T.tolist()))
    return {"y" if len(rows) == 1 else f"y[{number}]": row for number, row in enumerate(rows.tolist())}


def speaks_for(model: Any, of_class: Any = None) -> tuple[str, list[str]]:
    """What each topic speaks for, as a column with its head: a class, or what it adds to a number.

    A model that tells ``of_class`` from the rest does not know the name of that class.
    """
    weights = weights_of_topics(model)
    names = list(weights) if of_class is None else ["the rest", str(of_class)]
    topics = list(zip(*weights.values()))
    if not is_classifier(model):
        return "adds", [" ".join(f"{weight:+.3g}" for weight in row) for row in topics]
    best = [max(zip(row, names)) for row in topics]
    return "speaks for", [f"{name} {weight:+.3g}" if weight > 0 else "none" for weight, name in best]
