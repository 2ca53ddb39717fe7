"""Predictions of classifiers: from the scores of classes to predicted classes, and accuracy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import _safe_indexing, check_consistent_length
from sklearn.utils.validation import check_is_fitted

from .._utils.deprecation import deprecation_warning
from ..corpus import Corpus
from ..errors import InputError
from ._inputs import (
    CLASSES,
    INDICATOR,
    LISTS,
    Floats,
    as_array,
    as_floats,
    as_set,
    check_length,
    entries_of,
    is_unknown,
    matrix_or_entries,
    own_labels,
)


class Decisions(NamedTuple):
    """Probability or score of each class (column) for each document (row), and whether it is predicted.

    A document without a known word has NaN for all classes, and none is predicted.
    """

    values: Floats
    given: NDArray[np.bool_]

    def known_only(self, lengths: NDArray[np.int64]) -> Decisions:
        """The same, with NaN and no predicted class for documents of length zero."""
        has_words = (lengths > 0)[:, np.newaxis]
        return Decisions(np.where(has_words, self.values, np.nan), self.given & has_words)

    def best_first(self) -> list[list[int]]:
        """Numbers of the predicted classes of each document, the best first."""
        order = np.argsort(-self.values, axis=1, kind="stable")
        ranked = np.take_along_axis(self.given, order, axis=1)
        return [row[is_given].tolist() for row, is_given in zip(order, ranked)]


class ClassPredictionMixin(ClassifierMixin):  # type: ignore[misc]
    """Mixin of the classifiers: predictions and accuracy from :meth:`decide`."""

    if TYPE_CHECKING:  # attributes of models trained in batch, properties of a stream

        @property
        def classes_(self) -> NDArray[Any]:
            """Classes or labels."""

        @property
        def multilabel_(self) -> bool:
            """Whether a document may have several labels."""

        @property
        def _form(self) -> str:
            """Form of y: one of CLASSES, LISTS, INDICATOR."""

    def decide(self, X: Any) -> Decisions:
        """Score or probability of each class for each document, and which classes are predicted."""
        decisions, lengths = self._decide(X)
        return decisions.known_only(lengths)

    def judge(self, X: Any, *arguments: Any, **options: Any) -> Decisions:
        """Deprecated name of :meth:`decide`."""
        deprecation_warning(f"{type(self).__name__}.judge", f"{type(self).__name__}.decide")
        return self.decide(X, *arguments, **options)

    def predict(self, X: Any) -> Any:
        """Predict the class or the labels of each document.

        Parameters
        ----------
        X : list of str, list of list of str, Corpus, or matrix of counts
            Documents.

        Returns
        -------
        array, or list of tuple
            In the form of y in training: classes, an indicator matrix, or tuples of labels. A document has at least one
            label if it has a known word, and no label otherwise. If each document has one class, a document without a
            known word gets the best class of :meth:`decision_function`, the first of equals; :meth:`decide` predicts
            none.
        """
        return self._as_y(*self._decide(X))

    def _decide(self, X: Any) -> tuple[Decisions, NDArray[np.int64]]:
        """Decisions with a predicted class for every document, and the number of known words of each document."""
        raise NotImplementedError

    def _as_y(self, decisions: Decisions, lengths: NDArray[np.int64]) -> Any:
        """Predictions in the form of y in training."""
        if not self.multilabel_:
            return self.classes_[decisions.given.argmax(axis=1)]
        given = decisions.known_only(lengths).given
        if self._form == INDICATOR:
            return given.astype(np.int64)
        names = self.classes_.tolist()
        return [tuple(names[label] for label in np.flatnonzero(row)) for row in given]

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Accuracy: share of the documents whose class, or whose whole set of labels, is predicted.

        Parameters
        ----------
        X : list of str, list of list of str, Corpus, or matrix of counts
            Documents.
        y : array or list
            Classes or labels. Documents with None or NaN do not count.
        sample_weight : array of shape (n_docs,), optional
            Weights of the documents.

        Returns
        -------
        float
        """
        if y is None:
            raise InputError("score needs `y`, the classes or labels of the documents", parameter="y")
        y, predicted = list(y) if isinstance(y, Iterator) else y, self.predict(X)
        known = _known_documents(y, len(predicted))
        if not known.all():
            y, predicted, sample_weight = (_some(rows, known) for rows in (y, predicted, sample_weight))
        if self._form != LISTS:
            from sklearn.metrics import accuracy_score

            targets = as_array(entries_of(y)) if self._form == CLASSES and not known.all() else y
            return float(accuracy_score(targets, predicted, sample_weight=sample_weight))
        is_right = [as_set(labels) == set(others) for labels, others in zip(entries_of(y), predicted)]
        return float(np.average(is_right, weights=sample_weight))


def outcomes(model: Any, X: Any, y: Any = None) -> tuple[Floats, NDArray[np.bool_]]:
    """Probabilities of predictions and whether they are true, without documents of unknown class or words.

    Predictions are the predicted class of each document or, if it may have several labels, all labels.
    """
    check_is_fitted(model)
    if not hasattr(model, "predict_proba"):
        expected = "a classifier with probabilities, such as a calibrated MedLDAClassifier"
        raise InputError(f"plot_reliability needs {expected}: got {type(model).__name__}")
    if y is None:
        if not isinstance(X, Corpus) or X.labels is None:
            raise InputError("plot_reliability needs `y`, the classes or labels of the documents", parameter="y")
        y = X.labels if model.multilabel_ else own_labels(X, type(model).__name__)
    values, given = model.decide(X)
    y = list(y) if isinstance(y, Iterator) else y
    used = _known_documents(y, len(values)) & ~np.isnan(values).any(axis=1)
    if not used.any():
        raise InputError("`y` must be known for a document with a known word: got none", parameter="y")
    matrix, entries = matrix_or_entries(y, len(values))
    if matrix is None:
        sets = [set() if is_unknown(entry) else as_set(entry) for entry in entries]
        has = np.array([[name in own for name in model.classes_.tolist()] for own in sets])
    else:
        has = as_floats(matrix) > 0
        if has.shape != values.shape:
            raise InputError(parameter="y", expected=f"{values.shape[1]} columns", got=has.shape[1])
    chosen = used[:, None] & (given | model.multilabel_)
    return values[chosen], has[chosen]


def _known_documents(y: Any, n_docs: int) -> NDArray[np.bool_]:
    """Which documents have known targets; an error if none has."""
    matrix, entries = matrix_or_entries(y, n_docs)
    if matrix is None:
        known = np.array([not is_unknown(entry) for entry in entries], dtype=bool)
    else:
        check_length(matrix.shape[0], n_docs)
        known = np.asarray(~np.isnan(as_floats(matrix)).any(axis=1))
    if not known.any():
        raise InputError("`y` must be known for at least one document: got NaN or None everywhere", parameter="y")
    return known


def _some(rows: Any, chosen: NDArray[np.bool_]) -> Any:
    """Some rows of a list, an array or a frame."""
    if rows is None:
        return None
    check_consistent_length(rows, chosen)
    return _safe_indexing(rows, np.flatnonzero(chosen))


def given_classes(values: Floats, reach: NDArray[np.bool_], *, several: bool) -> NDArray[np.bool_]:
    """Predicted classes: the best class of each document and, with ``several``, all that reach the threshold.

    >>> given_classes(np.array([[0.2, 0.4, 0.6]]), np.array([[False, True, True]]), several=True)
    array([[False,  True,  True]])
    """
    given = reach.copy() if several else np.zeros(values.shape, dtype=bool)
    given[np.arange(len(values)), values.argmax(axis=1)] = True
    return given


def of_both_classes(columns: Floats, n_classes: int) -> Floats:
    """Scores or weights with one column per class; for two classes, the model only has those of the second."""
    return columns if columns.shape[1] == n_classes else np.hstack([0.0 - columns, columns])
