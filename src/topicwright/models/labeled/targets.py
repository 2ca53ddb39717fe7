"""Encoding of labels: those of the training documents, and those of new documents."""

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
from .._inputs import (
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

_JOINED_SHARE = 0.2  # of all labels
Numbers = tuple[int, ...]


class EncodedLabels(NamedTuple):
    """Encoded labels: sorted labels, the form of y, and the label numbers of each document; None if unknown.

    A sparse form of :class:`~topicwright.models._inputs.EncodedClasses`, for up to 100,000 labels.
    """

    classes: NDArray[Any]
    form: str
    documents: list[Numbers | None]


class DocumentLabelSet(NamedTuple):
    """Labels of one document: numbers of the labels of the model, and the number of unseen labels."""

    labels: Numbers
    n_unseen: int = 0


# ---------------------------------------------------------------------- training


def encode_label_sets(y: Any, n_docs: int) -> EncodedLabels:
    """Encode classes, lists of labels or an indicator matrix.

    >>> encode_label_sets([["sea"], ["sea", "court"], [], None], 4).documents
    [(1,), (0, 1), (), None]
    >>> encode_label_sets([[0, 1], [1, 1]], 2).documents
    [(1,), (0, 1)]
    """
    matrix, entries = matrix_or_entries(y, n_docs)
    if matrix is not None:
        return _from_matrix(matrix, n_docs)
    if not any(isinstance(entry, COLLECTIONS) for entry in entries):
        encoded = _from_sets(CLASSES, [None if is_missing(entry) else as_set([entry]) for entry in entries])
    else:
        encoded = _from_sets(LISTS, [None if is_unknown(entry) else as_set(entry) for entry in entries])
    _warn_of_joined(encoded.classes.tolist())
    return encoded


def _warn_of_joined(labels: Sequence[Any]) -> None:
    """Warn of labels such as "sea; ship" if "sea" or "ship" is a label too: often a list in one column."""
    names = {label for label in labels if isinstance(label, str)}
    for separator in ";|,":
        several = [name for name in names if names.intersection(map(str.strip, name.split(separator)[:50])) - {name}]
        if len(several) > _JOINED_SHARE * len(names):
            warn(
                f"{len(several):,} of {len(names):,} labels look like several in one, such as {min(several)!r:.80}: "
                f"split them, or read them with `label_separator={separator!r}`",
                TopicwrightWarning,
            )
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
        raise InputError(
            parameter="y", expected=f"0, 1 or NaN in a matrix of shape {values.shape}", got=float(wrong[0])
        )
    ends = zip(values.indptr[:-1], values.indptr[1:])
    return EncodedLabels(
        as_array(names), INDICATOR, [_row(values.indices[a:b], known[a:b], len(names)) for a, b in ends]
    )


def _row(columns: NDArray[Any], values: NDArray[np.float64], n_labels: int) -> Numbers | None:
    """Labels of a row. NaN counts as 0, unless the whole row is NaN: then the labels are unknown."""
    if len(values) == n_labels and np.isnan(values).all():
        return None
    return tuple(sorted(set(columns[values == 1].tolist())))


# ---------------------------------------------------------------------- names


def topic_names(classes: NDArray[Any], n_background: int) -> list[str]:
    """Names of all topics: the labels as text, then the background."""
    labels = [str(label) for label in classes.tolist()]
    background = [f"background {n + 1}" for n in range(n_background)]
    names = [*labels, *background]
    if len(set(names)) != len(names):
        twice = Counter(names).most_common(1)[0][0]
        if twice in background:
            raise InputError(
                f"no label may be called {twice!r}, the name of a background topic", parameter="y", got=twice
            )
        raise InputError(f"labels must differ as text: got {twice!r} twice", parameter="y", got=twice)
    return names


# ---------------------------------------------------------------------- new documents


class LabelIndex:
    """Numbers of the labels of a model."""

    def __init__(self, classes: NDArray[Any]) -> None:
        self.names = classes.tolist()
        self.number = {name: index for index, name in enumerate(self.names)}

    def find(self, label: Any, what: str) -> int:
        """Number of a label; ``what`` is the parameter that an error names."""
        try:
            return self.number[label]
        except (KeyError, TypeError):
            some = ", ".join(map(repr, self.names[:10])) + (" …" if len(self.names) > 10 else "")
            raise InputError(parameter=what, expected=f"labels of the model, such as {some}", got=label) from None

    def find_all(self, labels: Any, what: str) -> Numbers:
        """Sorted numbers of one label or several."""
        if isinstance(labels, Mapping) or (not isinstance(labels, COLLECTIONS) and is_missing(labels)):
            raise InputError(parameter=what, expected="a list of labels", got=labels)
        entries = labels if isinstance(labels, COLLECTIONS) else [labels]
        numbers = tuple(sorted({self.find(label, what) for label in entries}))
        if not numbers:
            raise InputError(parameter=what, expected="a list of at least one label", got=labels)
        return numbers

    def candidates(self, candidates: Any, n_docs: int) -> list[Numbers | None]:
        """Label numbers that each document may have, None for all, from one list for all or one list for each."""
        if candidates is None:
            return [None] * n_docs
        if isinstance(candidates, (str, bytes, Mapping)) or not isinstance(candidates, Iterable):
            raise InputError(
                parameter="candidates", expected="a list of labels, or one list per document", got=candidates
            )
        entries = list(candidates)
        if not any(entry is None or isinstance(entry, COLLECTIONS) for entry in entries):
            return [self.find_all(entries, "candidates")] * n_docs
        if len(entries) != n_docs:
            raise InputError(
                f"`candidates` has {len(entries):,} lists but `X` has {n_docs:,} documents", parameter="candidates"
            )
        return [None if entry is None else self.find_all(entry, "candidates") for entry in entries]

    def encode(self, y: Any, n_docs: int) -> list[DocumentLabelSet | None]:
        """Labels of new documents; the model may not have seen some of them."""
        encoded = encode_label_sets(y, n_docs)
        if encoded.form == INDICATOR and not is_frame(y):
            if len(encoded.classes) != len(self.names):
                raise InputError(
                    f"`y` has {len(encoded.classes):,} columns but the model has {len(self.names):,} labels",
                    parameter="y",
                )
            return [None if own is None else DocumentLabelSet(own) for own in encoded.documents]
        numbers = [self.number.get(name) for name in encoded.classes.tolist()]
        return [None if own is None else _label_set([numbers[k] for k in own]) for own in encoded.documents]


def _label_set(numbers: Sequence[int | None]) -> DocumentLabelSet:
    seen = tuple(sorted(number for number in numbers if number is not None))
    return DocumentLabelSet(seen, len(numbers) - len(seen))
