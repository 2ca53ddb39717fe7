"""What users pass as labels: those of each document in training, and those that a new document may have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._utils.warnings import warn
from ...corpus.inputs import is_frame
from ...corpus.metadata import is_missing
from ...errors import InputError, TopicwrightWarning
from .._targets import (
    CLASSES,
    COLLECTIONS,
    INDICATOR,
    LISTS,
    as_array,
    as_floats,
    as_set,
    check_length,
    in_order,
    is_unknown,
    matrix_or_entries,
)

_SOME = 0.2  # of all labels
Numbers = tuple[int, ...]


class EncodedLabels(NamedTuple):
    """The labels in order, the form they came in, and of each document their numbers; None where it is not known.

    As in :class:`~topicwright.models._targets.Labelling`, but sparse: there may be 100,000 labels.
    """

    classes: NDArray[Any]
    form: str
    documents: list[Numbers | None]


class DocumentLabelSet(NamedTuple):
    """Labels of one document: the numbers of those that a model has, and how many it has never seen."""

    labels: Numbers
    n_unseen: int = 0


# ---------------------------------------------------------------------- training


def encode_label_sets(y: Any, n_docs: int) -> EncodedLabels:
    """Classes, lists of labels, or an indicator matrix.

    >>> encode_label_sets([["sea"], ["sea", "court"], [], None], 4).documents
    [(1,), (0, 1), (), None]
    >>> encode_label_sets([[0, 1], [1, 1]], 2).documents
    [(1,), (0, 1)]
    """
    matrix, entries = matrix_or_entries(y, n_docs)
    if matrix is not None:
        return _from_matrix(matrix, n_docs)
    if not any(isinstance(entry, COLLECTIONS) for entry in entries):
        tagging = _from_sets(CLASSES, [None if is_missing(entry) else as_set([entry]) for entry in entries])
    else:
        tagging = _from_sets(LISTS, [None if is_unknown(entry) else as_set(entry) for entry in entries])
    _warn_of_joined(tagging.classes.tolist())
    return tagging


def _warn_of_joined(labels: Sequence[Any]) -> None:
    """Tell of strings such as "sea; ship" where "sea" or "ship" is a label too: they are often a list in a column."""
    names = {label for label in labels if isinstance(label, str)}
    for separator in ";|,":
        several = [name for name in names if names.intersection(map(str.strip, name.split(separator)[:50])) - {name}]
        if len(several) > _SOME * len(names):
            told = f"{len(several):,} of {len(names):,} labels look like several in one, such as {min(several)!r:.80}"
            warn(f"{told}: split them, or read them with label_separator={separator!r}", TopicwrightWarning)
            return


def _from_sets(form: str, sets: Sequence[set[Any] | None]) -> EncodedLabels:
    classes = in_order(set().union(*(labels for labels in sets if labels)))
    number = {name: index for index, name in enumerate(classes.tolist())}
    return EncodedLabels(
        classes,
        form,
        [None if labels is None else tuple(sorted(number[label] for label in labels)) for labels in sets],
    )


def _from_matrix(y: Any, n_docs: int) -> EncodedLabels:
    from scipy.sparse import csr_array

    check_length(y.shape[0], n_docs)
    names = list(y.columns) if is_frame(y) else list(range(y.shape[1]))
    values = csr_array(y) if hasattr(y, "tocsr") else csr_array(as_floats(y))
    known = np.asarray(values.data, dtype=np.float64)
    wrong = known[~(np.isnan(known) | np.isin(known, (0.0, 1.0)))]
    if wrong.size:
        raise InputError(f"y of shape {values.shape} must be 0 or 1, or NaN where unknown: got {wrong[0]:g}")
    ends = zip(values.indptr[:-1], values.indptr[1:])
    return EncodedLabels(
        as_array(names), INDICATOR, [_row(values.indices[a:b], known[a:b], len(names)) for a, b in ends]
    )


def _row(columns: NDArray[Any], values: NDArray[np.float64], n_labels: int) -> Numbers | None:
    """The labels of a row: what is NaN is taken for 0, unless all of it is."""
    if len(values) == n_labels and np.isnan(values).all():
        return None
    return tuple(sorted(set(columns[values == 1].tolist())))


# ---------------------------------------------------------------------- names


def topic_names(classes: NDArray[Any], n_background: int) -> list[str]:
    """The names of all topics: the labels as text, then the background."""
    labels = [str(label) for label in classes.tolist()]
    background = [f"background {n + 1}" for n in range(n_background)]
    names = [*labels, *background]
    if len(set(names)) != len(names):
        twice = Counter(names).most_common(1)[0][0]
        if twice in background:
            raise InputError(f"a label can't be called {twice!r} where there is a background topic of that name")
        raise InputError(f"labels must differ as text: got {twice!r} twice")
    return names


# ---------------------------------------------------------------------- new documents


class LabelIndex:
    """Finds the numbers of a model's labels."""

    def __init__(self, classes: NDArray[Any]) -> None:
        self.names = classes.tolist()
        self.number = {name: index for index, name in enumerate(self.names)}

    def find(self, label: Any, what: str) -> int:
        """The number of a label, or an error that says what named it."""
        try:
            return self.number[label]
        except (KeyError, TypeError):
            some = ", ".join(map(repr, self.names[:10])) + (" …" if len(self.names) > 10 else "")
            raise InputError(f"{what} must be labels of the model: got {label!r}, expected some of {some}") from None

    def find_all(self, labels: Any, what: str) -> Numbers:
        """The numbers of one label or several, sorted."""
        if isinstance(labels, Mapping) or (not isinstance(labels, COLLECTIONS) and is_missing(labels)):
            raise InputError(f"{what} must be a list of labels: got {labels!r}")
        entries = labels if isinstance(labels, COLLECTIONS) else [labels]
        numbers = tuple(sorted({self.find(label, what) for label in entries}))
        if not numbers:
            raise InputError(f"{what} must name one label or more: got none")
        return numbers

    def candidates(self, candidates: Any, n_docs: int) -> list[Numbers | None]:
        """The labels that each document may have, None for all; one list for all documents, or one for each."""
        if candidates is None:
            return [None] * n_docs
        if isinstance(candidates, (str, bytes, Mapping)) or not isinstance(candidates, Iterable):
            raise InputError(f"candidates must be a list of labels, or a list of such lists: got {candidates!r}")
        entries = list(candidates)
        if not any(entry is None or isinstance(entry, COLLECTIONS) for entry in entries):
            return [self.find_all(entries, "candidates")] * n_docs
        if len(entries) != n_docs:
            raise InputError(f"candidates must have one list per document: got {len(entries)}, expected {n_docs}")
        return [None if entry is None else self.find_all(entry, "candidates") for entry in entries]

    def known(self, y: Any, n_docs: int) -> list[DocumentLabelSet | None]:
        """The labels of new documents, of which the model may not have seen some."""
        tagging = encode_label_sets(y, n_docs)
        if tagging.form == INDICATOR and not is_frame(y):
            if len(tagging.classes) != len(self.names):
                raise InputError(
                    f"y must have one column per label: got {len(tagging.classes)}, expected {len(self.names)}"
                )
            return [None if own is None else DocumentLabelSet(own) for own in tagging.documents]
        numbers = [self.number.get(name) for name in tagging.classes.tolist()]
        return [None if own is None else _known([numbers[k] for k in own]) for own in tagging.documents]


def _known(numbers: Sequence[int | None]) -> DocumentLabelSet:
    seen = tuple(sorted(number for number in numbers if number is not None))
    return DocumentLabelSet(seen, len(numbers) - len(seen))
