"""What users pass as y: classes, sets of labels, or numbers, as the targets of tasks; NaN where one is not known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..corpus import Corpus
from ..corpus.inputs import is_frame
from ..corpus.metadata import as_numbers, is_missing
from ..errors import InputError

Floats = NDArray[np.float64]
COLLECTIONS = (list, tuple, set, frozenset, np.ndarray)
_LARGEST = 1e100  # of numbers to predict: their squares must not leave the range of a double
CLASSES, LISTS, INDICATOR = "classes", "lists", "indicator"


class Tasks(NamedTuple):
    """What is to be learned, a column for each task; how much each target counts, where that differs."""

    targets: Floats
    cost_weights: Floats | None = None


class EncodedClasses(NamedTuple):
    """What y says: the classes in order, the form it came in, and ±1 for each document and task.

    Two classes are one task, the second being +1; more are a task each; in the other forms every label is one.
    """

    classes: NDArray[Any]
    form: str
    targets: Floats


class ScaledTargets(NamedTuple):
    """Numbers with mean 0 and variance 1 in each column, and the way back."""

    targets: Floats
    centre: Floats
    scale: Floats
    is_flat: bool


# ---------------------------------------------------------------------- labels


def encode_labels(y: Any, n_docs: int) -> EncodedClasses:
    """Classes, lists of labels, or an indicator matrix, as targets of ±1.

    >>> encode_labels(["b", "a", None], 3).targets.ravel()
    array([ 1., -1., nan])
    >>> encode_labels([["a"], ["a", "b"], []], 3).targets
    array([[ 1., -1.],
           [ 1.,  1.],
           [-1., -1.]])
    """
    matrix, entries = matrix_or_entries(y, n_docs)
    if matrix is not None:
        return _from_matrix(matrix, n_docs)
    if not any(isinstance(entry, COLLECTIONS) for entry in entries):
        return _from_classes(entries)
    return _from_lists(entries)


def matrix_or_entries(y: Any, n_docs: int) -> tuple[Any, list[Any]]:
    """An indicator matrix, or None and what y says of each document: a class or a collection of labels."""
    if hasattr(y, "__array__") and not isinstance(y, Iterable):
        y = np.asarray(y)
    if isinstance(y, (str, bytes, Mapping)) or not (hasattr(y, "tocsr") or isinstance(y, Iterable)):
        raise InputError(f"y must have one entry per document: got {type(y).__name__}")
    if _is_matrix(y):
        if y.shape[1] != 1 or hasattr(y, "tocsr"):
            return y, []
        y = _column(y)
    entries = entries_of(y)
    check_length(len(entries), n_docs)
    return (np.array(entries), []) if _are_rows(entries) else (None, entries)


def entries_of(y: Iterable[Any]) -> list[Any]:
    """What y says of each document; a column of a frame would give columns where it has lists."""
    return list(y.to_list() if hasattr(y, "to_list") else y)


def own_labels(corpus: Corpus, model: str) -> list[Any]:
    """The corpus's own labels as y: a class for each document, or lists where some have several; None without any."""
    if corpus.labels is None:
        raise InputError(f"{model} requires y to be passed, but the target y is None, and X has no labels of its own")
    several = any(len(labels) > 1 for labels in corpus.labels)
    return [None if not labels else labels if several else labels[0] for labels in corpus.labels]


def _from_classes(entries: Sequence[Any]) -> EncodedClasses:
    known = np.array([not is_missing(entry) for entry in entries], dtype=bool)
    classes = in_order({entry for entry, told in zip(entries, known) if told})
    if len(classes) < 2:
        got = "NaN or None everywhere" if len(classes) == 0 else f"one class only, {classes.tolist()[0]!r}"
        raise InputError(f"y must have two classes or more: got {got}")
    number = {value: index for index, value in enumerate(classes.tolist())}
    columns = [number[entry] for entry, told in zip(entries, known) if told]
    targets = np.full((len(entries), len(classes)), np.nan)
    targets[known] = -1.0
    targets[np.flatnonzero(known), columns] = 1.0
    return EncodedClasses(classes, CLASSES, targets[:, 1:].copy() if len(classes) == 2 else targets)


def _from_lists(entries: Sequence[Any]) -> EncodedClasses:
    sets = [None if is_unknown(entry) else as_set(entry) for entry in entries]
    classes = in_order(set().union(*(labels for labels in sets if labels is not None)))
    if len(classes) == 0:
        raise InputError("y must have one label or more: got none in all documents")
    number = {name: index for index, name in enumerate(classes.tolist())}
    targets = np.full((len(sets), len(classes)), -1.0)
    for row, labels in zip(targets, sets):
        if labels is None:
            row[:] = np.nan
        else:
            row[[number[label] for label in labels]] = 1.0
    return EncodedClasses(classes, LISTS, targets)


def _from_matrix(y: Any, n_docs: int) -> EncodedClasses:
    check_length(y.shape[0], n_docs)
    names = list(y.columns) if is_frame(y) else range(y.shape[1])
    values = as_floats(y.toarray() if hasattr(y, "tocsr") else y)
    wrong = values[~(np.isnan(values) | np.isin(values, (0.0, 1.0)))]
    if wrong.size:
        raise InputError(f"y of shape {values.shape} must be 0 or 1, or NaN where unknown: got {wrong[0]:g}")
    if np.isnan(values).all():
        raise InputError("y must have one label or more: got NaN everywhere")
    return EncodedClasses(as_array(list(names)), INDICATOR, 2.0 * values - 1.0)


def _are_rows(entries: Sequence[Any]) -> bool:
    """Whether lists are the rows of an indicator matrix; as lists of labels they would say nothing, or things twice."""
    if not all(isinstance(entry, (list, tuple, np.ndarray)) and len(entry) > 1 for entry in entries):
        return False
    numbers = all(isinstance(value, (int, float, np.number, np.bool_)) for entry in entries for value in entry)
    return numbers and len({len(entry) for entry in entries}) == 1 and bool(np.isin(np.array(entries), (0, 1)).all())


def is_unknown(entry: Any) -> bool:
    """Whether nothing is said of a document."""
    return not isinstance(entry, COLLECTIONS) and is_missing(entry)


def as_set(entry: Any) -> set[Any]:
    """The labels of one document; a single one need not be in a list."""
    labels = entry if isinstance(entry, COLLECTIONS) else [entry]
    if any(is_missing(label) for label in labels):
        raise InputError(f"a list of labels must have no None or NaN in it: got {entry!r}")
    try:
        return set(labels)
    except TypeError:
        raise InputError(f"labels must be hashable: got {entry!r}") from None


def in_order(values: set[Any]) -> NDArray[Any]:
    """Different values, sorted; by type and text where they can't be compared."""
    fraction = next((v for v in values if isinstance(v, (float, np.floating)) and not float(v).is_integer()), None)
    if fraction is not None:
        raise InputError(f"y must be classes, not continuous numbers: got {fraction}; for those use MedLDARegressor")
    try:
        return as_array(sorted(values))
    except TypeError:
        return as_array(sorted(values, key=lambda value: (type(value).__name__, repr(value))))


def as_array(values: list[Any]) -> NDArray[Any]:
    """Text or numbers in an array of their own kind, anything else as objects."""
    for kinds in ((str,), (bool, np.bool_), (int, float, np.number)):
        if all(isinstance(value, kinds) for value in values):
            return np.array(values)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def plain_class(value: Any) -> Any:
    """A class or label as JSON can hold it; None for none."""
    value = value.item() if isinstance(value, np.generic) else value
    return value if value is None or isinstance(value, (str, int, float)) else str(value)


# ---------------------------------------------------------------------- weights of classes


def cost_weights(class_weight: Any, labelling: EncodedClasses) -> Floats | None:
    """How much each target counts. A document counts as its class does; a label in a list, where a document has it."""
    if class_weight is None:
        return None
    targets, names = labelling.targets, labelling.classes.tolist()
    has = targets > 0
    if labelling.form == CLASSES and len(names) == 2:
        has = np.hstack([targets < 0, has])
    if isinstance(class_weight, str) and class_weight == "balanced":
        if labelling.form != CLASSES:
            return _balanced_tasks(targets)
        weights = has.any(axis=1).sum() / (len(names) * has.sum(axis=0))
    else:
        weights = _weights_by_name(class_weight, names)
    if labelling.form != CLASSES:
        return np.where(has, weights, 1.0)
    by_document = np.where(has.any(axis=1), has @ weights, 1.0)
    return np.repeat(by_document[:, None], targets.shape[1], axis=1)


def _balanced_tasks(targets: Floats) -> Floats:
    """Both sides of each task count the same in all."""
    n_with, n_without = (targets > 0).sum(axis=0), (targets < 0).sum(axis=0)
    half = (n_with + n_without) / 2
    return np.asarray(np.where(targets > 0, half / np.maximum(n_with, 1), half / np.maximum(n_without, 1)))


def _weights_by_name(class_weight: Any, names: list[Any]) -> Floats:
    if not isinstance(class_weight, Mapping):
        raise InputError(f"class_weight must be None, 'balanced' or a dict of weights: got {class_weight!r}")
    for name, weight in class_weight.items():
        if name not in names:
            raise InputError(f"class_weight names a class that y does not have: {name!r}; it has {_some(names)}")
        if isinstance(weight, str) or not np.isscalar(weight) or not 0 < weight < np.inf:  # type: ignore[operator]
            raise InputError(f"class_weight must have positive numbers: got {weight!r} for {name!r}")
    return np.array([float(class_weight.get(name, 1.0)) for name in names])


def _some(names: list[Any]) -> str:
    return ", ".join(map(repr, names[:10])) + (" …" if len(names) > 10 else "")


# ---------------------------------------------------------------------- numbers


def encode_numbers(y: Any, n_docs: int) -> ScaledTargets:
    """Numbers, one or several for each document, each column around its mean in units of its deviation.

    >>> encode_numbers([1.0, 3.0, None], 3).targets.ravel()
    array([-1.,  1., nan])
    """
    values = as_floats(y)
    if values.ndim not in (1, 2):
        raise InputError(f"y must have one row per document, one number or several: got shape {values.shape}")
    check_length(len(values), n_docs)
    if np.isinf(values).any():
        raise InputError("y must be finite numbers, or NaN where unknown: got an infinity")
    if np.any(np.abs(values) > _LARGEST):
        raise InputError(f"y must be numbers from -{_LARGEST:g} to {_LARGEST:g}: got {np.nanmax(np.abs(values)):g}")
    columns = values.reshape(n_docs, -1)
    check_known(columns)
    centre, deviation = np.nanmean(columns, axis=0), np.nanstd(columns, axis=0)
    scale = np.where(deviation > 0, deviation, 1.0)
    return ScaledTargets((columns - centre) / scale, centre, scale, values.ndim == 1)


def check_known(columns: Floats) -> None:
    """An error where a column has no number at all."""
    for column in range(columns.shape[1]):
        if np.isnan(columns[:, column]).all():
            which = "" if columns.shape[1] == 1 else f" in column {column}"
            raise InputError(f"y must have a number for one document or more: got NaN everywhere{which}")


def as_floats(y: Any) -> Floats:
    """Numbers, dense."""
    return as_numbers("y", y.toarray() if hasattr(y, "toarray") else y)


# ---------------------------------------------------------------------- shapes


def _is_matrix(y: Any) -> bool:
    return hasattr(y, "tocsr") or is_frame(y) or getattr(y, "ndim", 1) == 2


def _column(y: Any) -> Any:
    from sklearn.utils.validation import column_or_1d

    return column_or_1d(y, warn=True)


def check_length(got: int, n_docs: int) -> None:
    """An error where y has more or fewer entries than there are documents."""
    if got != n_docs:
        raise InputError(f"y must have one entry per document: got {got}, expected {n_docs}")
