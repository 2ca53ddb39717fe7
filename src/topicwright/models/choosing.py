"""Which classes a document is given, by the values that a model has for them: one rule for models and commands."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from ..errors import InputError
from .targets import INDICATOR, LISTS, Floats, as_set, check_length, entries_of


class Verdicts(NamedTuple):
    """Of each document (a row) and class (a column): its probability or else its score, and whether it is given."""

    values: Floats
    given: NDArray[np.bool_]

    def best_first(self) -> list[list[int]]:
        """The numbers of the classes that each document is given."""
        order = np.argsort(-self.values, axis=1, kind="stable")
        ranked = np.take_along_axis(self.given, order, axis=1)
        return [row[is_given].tolist() for row, is_given in zip(order, ranked)]


class GivesClasses(ClassifierMixin):  # type: ignore[misc]
    """What classifiers share once they have judged documents; a base of models."""

    classes_: NDArray[Any]
    multilabel_: bool
    _form: str

    def judge(self, X: Any) -> Verdicts:
        """The value of each class for each document, and which are predicted."""
        raise NotImplementedError

    def predict(self, X: Any) -> Any:
        """The class of each document; or its labels, in the form that y had: an indicator matrix, or a list of tuples.

        Labels are predicted that reach far enough, and the best one in any case.
        """
        return self._as_y(self.judge(X).given)

    def _as_y(self, given: NDArray[np.bool_]) -> Any:
        if not self.multilabel_:
            return self.classes_[given.argmax(axis=1)]
        if self._form == INDICATOR:
            return given.astype(np.int64)
        names = self.classes_.tolist()
        return [tuple(names[label] for label in np.flatnonzero(row)) for row in given]

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Share of the documents whose class, or whose whole set of labels, is predicted."""
        if y is None:
            raise InputError("score needs y, the classes or labels of the documents: got None")
        predicted = self.predict(X)
        if self._form != LISTS:
            from sklearn.metrics import accuracy_score

            return float(accuracy_score(y, predicted, sample_weight=sample_weight))
        told = entries_of(y)
        check_length(len(told), len(predicted))
        is_right = [as_set(labels) == set(others) for labels, others in zip(told, predicted)]
        return float(np.average(is_right, weights=sample_weight))


def given_classes(values: Floats, reach: NDArray[np.bool_], *, several: bool) -> NDArray[np.bool_]:
    """A document is given its best class and, where it may have several, all that ``reach`` far enough.

    >>> given_classes(np.array([[0.2, 0.4, 0.6]]), np.array([[False, True, True]]), several=True)
    array([[False,  True,  True]])
    """
    given = reach.copy() if several else np.zeros(values.shape, dtype=bool)
    given[np.arange(len(values)), values.argmax(axis=1)] = True
    return given


def of_both_classes(columns: Floats, n_classes: int) -> Floats:
    """Scores or weights with a column for each class: of two classes a model has those of the second only."""
    return columns if columns.shape[1] == n_classes else np.hstack([0.0 - columns, columns])
