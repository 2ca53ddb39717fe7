"""Input of the models: training corpora, new documents in the vocabulary of a model, encoded targets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.warnings import warn
from ..corpus import Corpus, Encoded, Tokenizer, align, as_corpus, encode
from ..corpus.inputs import input_kind, is_frame
from ..corpus.metadata import as_numbers, is_missing
from ..errors import InputError, TopicwrightWarning, UnknownWordsWarning

_SHORT, _MANY_DOCUMENTS = 20, 500  # words per document, and documents, from which a warning is worth while


def training_corpus(model: Any, X: Any) -> Corpus:
    """X as a corpus to train on; sets the attributes about X that scikit-learn requires of a model."""
    from sklearn.utils.validation import _check_feature_names

    corpus = as_corpus(X)
    if corpus.n_docs == 0 or corpus.n_tokens == 0:
        raise InputError(
            f"the corpus is empty: got {corpus.n_docs} documents with {corpus.n_tokens} words", parameter="X"
        )
    if hasattr(X, "columns"):
        _check_feature_names(model, X, reset=True)
    elif hasattr(model, "feature_names_in_"):
        del model.feature_names_in_
    model.n_features_in_ = corpus.n_words
    return corpus


def warn_of_many_topics(n_topics: int, corpus: Corpus) -> None:
    """Warn if there are more topics than tokens."""
    if n_topics > corpus.n_tokens:
        warn(
            f"`n_topics` is {n_topics:,}, but there are only {corpus.n_tokens:,} tokens: most topics will be empty",
            TopicwrightWarning,
        )


def warn_of_short_documents(corpus: Corpus) -> None:
    """Warn if documents are so short that one topic for each of them would describe them better."""
    length = corpus.n_tokens / max(1, corpus.n_docs)
    if corpus.n_docs >= _MANY_DOCUMENTS and length < _SHORT:
        warn(
            f"the documents have {length:.0f} words on average, too few for several topics each: "
            "`one_topic_per_document` with a `beta` of 0.1 suits short texts better",
            TopicwrightWarning,
        )


def encode_for(model: Any, X: Any) -> Corpus:
    """X encoded with the vocabulary of a model. Other words are skipped, with a warning that counts them."""
    encoded = encode_all(model, X)
    _warn_of_unknown(model, encoded)
    return encoded.corpus


def encode_all(model: Any, X: Any) -> Encoded:
    """X encoded with the vocabulary of a model, and the words that are not in it."""
    if isinstance(X, Corpus):
        return _all_known(X) if X.vocabulary is model.vocabulary_ else align(X, model.vocabulary_)
    kind, X = input_kind(X)
    if kind == "texts":
        return encode(X, tokenizer_of(model), model.vocabulary_)
    if kind == "words":
        return encode(X, None, model.vocabulary_)
    return _all_known(_counts(model, X))


def _all_known(corpus: Corpus) -> Encoded:
    return Encoded(corpus, 0, Counter(), np.zeros(corpus.n_docs, np.int64))


def tokenizer_of(model: Any) -> Tokenizer:
    """Tokenizer of a model; an error if the model was not trained on texts."""
    tokenizer: Tokenizer | None = model.corpus_.tokenizer
    if tokenizer is None:
        raise InputError(
            "this model was trained on counts or lists of words, not on texts: pass counts or lists of words",
            parameter="X",
        )
    return tokenizer


def _counts(model: Any, X: Any) -> Corpus:
    from sklearn.utils.validation import _check_feature_names

    if hasattr(X, "columns"):
        _check_feature_names(model, X, reset=False)
    corpus = Corpus.from_matrix(X)
    expected = len(model.vocabulary_)
    if corpus.n_words != expected:
        name = type(model).__name__
        raise InputError(
            f"X has {corpus.n_words} features, but {name} is expecting {expected} features as input", parameter="X"
        )
    return corpus


def _warn_of_unknown(model: Any, encoded: Encoded) -> None:
    """Warn of unknown words other than stop words."""
    tokenizer = model.corpus_.tokenizer
    stop_words = frozenset() if tokenizer is None else tokenizer.excluded_words
    unknown = Counter({word: times for word, times in encoded.unknown.items() if word not in stop_words})
    if unknown:
        total = unknown.total() + encoded.corpus.n_tokens
        examples = ", ".join(word for word, _ in unknown.most_common(5))
        warn(
            f"{unknown.total():,} of {total:,} words are not in the model's vocabulary and were skipped "
            f"({len(unknown):,} distinct, such as: {examples}): they are new, or were left out of the training "
            "by `min_df`, `max_df`, `max_words` or `stop_words`",
            UnknownWordsWarning,
        )


Floats = NDArray[np.float64]
COLLECTIONS = (list, tuple, set, frozenset, np.ndarray)
_LARGEST = 1e100  # absolute value of a target: its square must be a finite double
CLASSES, LISTS, INDICATOR = "classes", "lists", "indicator"


class Tasks(NamedTuple):
    """Targets with one column per task, and their weights in the loss if these differ."""

    targets: Floats
    cost_weights: Floats | None = None


class EncodedClasses(NamedTuple):
    """Encoded classes or labels: sorted classes, the form of y, and ±1 for each document and task.

    Two classes are one task with +1 for the second. More classes, and labels, are one task each.
    """

    classes: NDArray[Any]
    form: str
    targets: Floats


class ScaledTargets(NamedTuple):
    """Targets standardized by column, with their means and standard deviations."""

    targets: Floats
    center: Floats
    scale: Floats
    is_flat: bool


# ---------------------------------------------------------------------- labels


def encode_labels(y: Any, n_docs: int) -> EncodedClasses:
    """Encode classes, lists of labels or an indicator matrix as targets of ±1.

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
    """An indicator matrix, or None and the entry of each document: a class or a collection of labels."""
    if hasattr(y, "__array__") and not isinstance(y, Iterable):
        y = np.asarray(y)
    if isinstance(y, (str, bytes, Mapping)) or not (hasattr(y, "tocsr") or isinstance(y, Iterable)):
        raise InputError(parameter="y", expected="a list with one entry per document", got=type(y))
    if _is_matrix(y):
        if y.shape[1] != 1 or hasattr(y, "tocsr"):
            return y, []
        y = _column(y)
    entries = entries_of(y)
    check_length(len(entries), n_docs)
    return (np.array(entries), []) if _are_rows(entries) else (None, entries)


def entries_of(y: Iterable[Any]) -> list[Any]:
    """Entries of y as a list; a series of lists is converted entry by entry."""
    return list(y.to_list() if hasattr(y, "to_list") else y)


def own_labels(corpus: Corpus, model: str) -> list[Any]:
    """Labels of a corpus as y: one class per document, or lists if a document has several; None without labels."""
    if corpus.labels is None:
        raise InputError(
            f"{model} requires y to be passed, but the target y is None, and X has no labels", parameter="y"
        )
    several = any(len(labels) > 1 for labels in corpus.labels)
    return [None if not labels else labels if several else labels[0] for labels in corpus.labels]


def _from_classes(entries: Sequence[Any]) -> EncodedClasses:
    known = np.array([not is_missing(entry) for entry in entries], dtype=bool)
    classes = in_order({entry for entry, is_known in zip(entries, known) if is_known})
    if len(classes) < 2:
        got = "NaN or None everywhere" if len(classes) == 0 else f"one class only, {classes.tolist()[0]!r}"
        raise InputError(f"`y` must have two or more classes: got {got}", parameter="y")
    number = {value: index for index, value in enumerate(classes.tolist())}
    columns = [number[entry] for entry, is_known in zip(entries, known) if is_known]
    targets = np.full((len(entries), len(classes)), np.nan)
    targets[known] = -1.0
    targets[np.flatnonzero(known), columns] = 1.0
    return EncodedClasses(classes, CLASSES, targets[:, 1:].copy() if len(classes) == 2 else targets)


def _from_lists(entries: Sequence[Any]) -> EncodedClasses:
    sets = [None if is_unknown(entry) else as_set(entry) for entry in entries]
    classes = in_order(set().union(*(labels for labels in sets if labels is not None)))
    if len(classes) == 0:
        raise InputError("`y` must have at least one label: no document has any", parameter="y")
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
        raise InputError(
            parameter="y", expected=f"0, 1 or NaN in a matrix of shape {values.shape}", got=float(wrong[0])
        )
    if np.isnan(values).all():
        raise InputError("`y` must have at least one label: got NaN everywhere", parameter="y")
    return EncodedClasses(as_array(list(names)), INDICATOR, 2.0 * values - 1.0)


def _are_rows(entries: Sequence[Any]) -> bool:
    """Whether lists are the rows of an indicator matrix; as lists of labels 0 and 1 they would make no sense."""
    if not all(isinstance(entry, (list, tuple, np.ndarray)) and len(entry) > 1 for entry in entries):
        return False
    numbers = all(isinstance(value, (int, float, np.number, np.bool_)) for entry in entries for value in entry)
    return numbers and len({len(entry) for entry in entries}) == 1 and bool(np.isin(np.array(entries), (0, 1)).all())


def is_unknown(entry: Any) -> bool:
    """Whether the labels of a document are unknown."""
    return not isinstance(entry, COLLECTIONS) and is_missing(entry)


def as_set(entry: Any) -> set[Any]:
    """Labels of one document; a single label need not be in a list."""
    labels = entry if isinstance(entry, COLLECTIONS) else [entry]
    if any(is_missing(label) for label in labels):
        raise InputError(parameter="y", expected="lists of labels without None or NaN", got=entry)
    try:
        return set(labels)
    except TypeError:
        raise InputError(parameter="y", expected="hashable labels", got=entry) from None


def in_order(values: set[Any]) -> NDArray[Any]:
    """Distinct values, sorted; by type and text if they cannot be compared."""
    fraction = next((v for v in values if isinstance(v, (float, np.floating)) and not float(v).is_integer()), None)
    if fraction is not None:
        raise InputError(
            parameter="y",
            expected="classes, not continuous numbers",
            got=float(fraction),
            hint="use MedLDARegressor for numbers",
        )
    try:
        return as_array(sorted(values))
    except TypeError:
        return as_array(sorted(values, key=lambda value: (type(value).__name__, repr(value))))


def as_array(values: list[Any]) -> NDArray[Any]:
    """Array of text, booleans or numbers; of objects for anything else."""
    for kinds in ((str,), (bool, np.bool_), (int, float, np.number)):
        if all(isinstance(value, kinds) for value in values):
            return np.array(values)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def plain_class(value: Any) -> Any:
    """Class or label as a JSON value; None stays None."""
    value = value.item() if isinstance(value, np.generic) else value
    return value if value is None or isinstance(value, (str, int, float)) else str(value)


# ---------------------------------------------------------------------- weights of classes


def cost_weights(class_weight: Any, encoded: EncodedClasses) -> Floats | None:
    """Weight of each target in the loss: that of its class, or of a label for the documents that have it."""
    if class_weight is None:
        return None
    targets, names = encoded.targets, encoded.classes.tolist()
    has = targets > 0
    if encoded.form == CLASSES and len(names) == 2:
        has = np.hstack([targets < 0, has])
    if isinstance(class_weight, str) and class_weight == "balanced":
        if encoded.form != CLASSES:
            return _balanced_tasks(targets)
        weights = has.any(axis=1).sum() / (len(names) * has.sum(axis=0))
    else:
        weights = _weights_by_name(class_weight, names)
    if encoded.form != CLASSES:
        return np.where(has, weights, 1.0)
    by_document = np.where(has.any(axis=1), has @ weights, 1.0)
    return np.repeat(by_document[:, None], targets.shape[1], axis=1)


def _balanced_tasks(targets: Floats) -> Floats:
    """Weights with which both sides of each task count the same in total."""
    n_with, n_without = (targets > 0).sum(axis=0), (targets < 0).sum(axis=0)
    half = (n_with + n_without) / 2
    return np.asarray(np.where(targets > 0, half / np.maximum(n_with, 1), half / np.maximum(n_without, 1)))


def _weights_by_name(class_weight: Any, names: list[Any]) -> Floats:
    if not isinstance(class_weight, Mapping):
        raise InputError(parameter="class_weight", expected="None, 'balanced' or a dict of weights", got=class_weight)
    for name, weight in class_weight.items():
        if name not in names:
            raise InputError(parameter="class_weight", expected=f"weights of the classes {_some(names)}", got=name)
        if isinstance(weight, str) or not np.isscalar(weight) or not 0 < weight < np.inf:  # type: ignore[operator]
            raise InputError(parameter="class_weight", expected="positive weights", got=weight, where=f"class {name!r}")
    return np.array([float(class_weight.get(name, 1.0)) for name in names])


def _some(names: list[Any]) -> str:
    return ", ".join(map(repr, names[:10])) + (" …" if len(names) > 10 else "")


# ---------------------------------------------------------------------- numbers


def encode_numbers(y: Any, n_docs: int) -> ScaledTargets:
    """Encode one or several numbers per document, each column standardized.

    >>> encode_numbers([1.0, 3.0, None], 3).targets.ravel()
    array([-1.,  1., nan])
    """
    values = as_floats(y)
    if values.ndim not in (1, 2):
        raise InputError(parameter="y", expected="one row of numbers per document", got=values.shape)
    check_length(len(values), n_docs)
    if np.isinf(values).any():
        raise InputError(parameter="y", expected="finite numbers, or NaN if unknown", got=np.inf)
    if np.any(np.abs(values) > _LARGEST):
        largest = float(np.nanmax(np.abs(values)))
        raise InputError(parameter="y", expected=f"numbers from -{_LARGEST:g} to {_LARGEST:g}", got=largest)
    columns = values.reshape(n_docs, -1)
    check_known(columns)
    center, deviation = np.nanmean(columns, axis=0), np.nanstd(columns, axis=0)
    scale = np.where(deviation > 0, deviation, 1.0)
    return ScaledTargets((columns - center) / scale, center, scale, values.ndim == 1)


def check_known(columns: Floats) -> None:
    """An error if a column has no number at all."""
    for column in range(columns.shape[1]):
        if np.isnan(columns[:, column]).all():
            which = "" if columns.shape[1] == 1 else f" in column {column}"
            raise InputError(
                f"`y` must have a number for at least one document: got NaN everywhere{which}", parameter="y"
            )


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
    """An error unless y has one entry per document."""
    if got != n_docs:
        raise InputError(f"`y` has {got:,} entries but `X` has {n_docs:,} documents", parameter="y", got=got)
