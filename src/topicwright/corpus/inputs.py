"""Inputs of estimators as a corpus: texts, lists of words, frames and matrices of counts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .constructors import PRUNING
from .corpus import Corpus
from .documents import Document, FieldNames, build_corpus, parse_rows
from .metadata import is_missing
from .vocabulary import as_word_index

MAX_COUNT = 2**31 - 1
_LONGEST_PATH = 1000
_SAMPLED_ROWS = 100
_TEXT_ONLY = {"tokenizer", "lowercase", "token_pattern", "ngram_range", "keep_texts"}


def as_corpus(X: Any, **options: Any) -> Corpus:
    """Corpus of the input of an estimator: a corpus, texts, lists of words, or a matrix of counts.

    Parameters
    ----------
    X : Corpus, iterable of str, iterable of lists of str, or matrix
        The documents. A corpus is returned as it is.
    **options
        Options of ``Corpus.from_texts``. Those that tokenize texts are ignored for lists of words, and those that
        choose words also for counts.

    Examples
    --------
    >>> as_corpus(["red apple", "green apple"]).n_words
    3
    >>> as_corpus([["red", "apple"], ["green"]]).n_words
    3
    >>> as_corpus([[1, 0, 2]]).n_tokens
    3
    """
    if isinstance(X, Corpus):
        return X
    kind, X = input_kind(X)
    if kind == "texts":
        return Corpus.from_texts(X, **options)
    unused = _TEXT_ONLY if kind == "words" else _TEXT_ONLY | PRUNING
    options = {name: value for name, value in options.items() if name not in unused}
    return Corpus.from_tokens(X, **options) if kind == "words" else Corpus.from_matrix(X, **options)


def input_kind(X: Any) -> tuple[str, Any]:
    """Whether X holds "texts", lists of "words" or "counts"; and X again, since an iterator was advanced."""
    if isinstance(X, (str, bytes)):
        is_path = len(X) < _LONGEST_PATH and os.path.isfile(X)
        hint = "for a file, use Corpus.from_jsonl, from_csv and so on" if is_path else "write [text]"
        message = f"`X` must be a list of texts: got a single {type(X).__name__}; {hint}"
        raise InputError(message, parameter="X", got=X, hint=hint)
    if hasattr(X, "tocsr"):  # before mappings, for one of scipy's formats is a dictionary
        return "counts", X
    if isinstance(X, Mapping):
        raise InputError(parameter="X", expected="texts or a matrix of counts", got=type(X))
    flat = len(getattr(X, "shape", (0,))) == 1
    if is_frame(X) and (names := text_columns(X)):
        name = max(names, key=lambda name: sum(map(len, map(str, X[name][:_SAMPLED_ROWS]))))
        raise InputError(
            f"`X` is a frame with texts, and only frames of counts are accepted: pass X[{name!r}], or "
            f"Corpus.from_frame(X, text={name!r}), which takes labels, ids and dates from other columns",
            parameter="X",
            got=type(X),
        )
    if is_frame(X) or not flat or not isinstance(X, Iterable):
        return "counts", X
    return _kind_of_iterable(X)


def _kind_of_iterable(X: Iterable[Any]) -> tuple[str, Any]:
    entries = iter(X)
    taken, kind = [], None
    for entry in entries:
        taken.append(entry)
        kind = _kind_of_entry(entry)
        if kind is not None:
            break
    else:
        kind = "counts" if taken else "texts"
    if (
        kind == "counts" and _is_number(taken[-1]) and not isinstance(X, np.ndarray)
    ):  # for which scikit-learn has a message
        expected = "texts, lists of words or rows of counts"
        raise InputError(parameter="X", expected=expected, got=taken[-1], hint="texts must be strings")
    if entries is not X:
        return kind, X
    again = chain(taken, entries)  # an iterator cannot be read twice
    return kind, list(again) if kind == "counts" else again


def _kind_of_entry(entry: Any) -> str | None:
    """Kind that one entry implies; None for an empty list or NaN, which may occur in any input."""
    if isinstance(entry, (str, bytes, Mapping)) or entry is None:
        return "texts"
    if _is_number(entry):
        return None if entry != entry else "counts"
    if not isinstance(entry, Iterable):
        return "texts"
    if isinstance(entry, Iterator):  # next() would take its first word away
        return "words"
    first = next(iter(entry), None)
    if first is None:
        return None
    return "words" if isinstance(first, str) else "counts"


def _is_number(entry: Any) -> bool:
    return hasattr(entry, "__float__") and not getattr(entry, "shape", ())


# ---------------------------------------------------------------------- frames


def is_frame(value: Any) -> bool:
    """Whether a value is a table with named columns, such as a pandas or polars frame."""
    return hasattr(value, "columns") and hasattr(value, "__getitem__") and len(getattr(value, "shape", ())) == 2


def column_names(frame: Any) -> list[str]:
    """Names of the columns, as strings."""
    return [str(name) for name in frame.columns]


def text_columns(frame: Any) -> list[str]:
    """Names of the columns whose first values include strings."""
    start = frame[:_SAMPLED_ROWS]
    return [name for name in frame.columns if any(isinstance(value, str) for value in start[name])]


def from_frame(frame: Any, fields: FieldNames, on_error: str, metadata: Iterable[str] | None, **options: Any) -> Corpus:
    """See ``Corpus.from_frame``."""
    if not is_frame(frame):
        raise InputError(parameter="frame", expected="a pandas or polars frame", got=type(frame))
    fields.check_columns(list(frame.columns), "frame")
    wanted = [name for name in fields.names().values() if name in frame.columns]
    ids = repeat(None) if fields.id is not None else _row_names(frame)
    further = _further_columns(frame, wanted, metadata)
    rows = enumerate(zip(ids, *(frame[name] for name in [*wanted, *further])))
    fill, skip_hint = _missing_text_hints(frame, fields.text)

    def parse(row: tuple[Any, ...], where: str) -> Document:
        record, others = dict(zip(wanted, row[1:])), dict(zip(further, row[1 + len(wanted) :]))
        if fields.text is not None and is_missing(record[fields.text]):
            message = f"{where}: {fields.text!r} must be a string: got nothing; {fill} makes it an empty text"
            raise InputError(message, parameter="text", got=record[fields.text], where=where)
        document = fields.document(record, where)._replace(metadata=others)
        return document if row[0] is None else document._replace(id=row[0])

    return build_corpus(parse_rows(rows, parse, "frame", on_error, unit="row", skip_hint=skip_hint), **options)


def _further_columns(frame: Any, wanted: list[str], metadata: Iterable[str] | None) -> list[Any]:
    """Columns that are kept as metadata: these, or else all that have no other use."""
    if metadata is None:
        return [name for name in frame.columns if name not in wanted]
    chosen = [metadata] if isinstance(metadata, str) else list(metadata)
    for name in chosen:
        if name not in frame.columns:
            expected = f"names of columns ({', '.join(column_names(frame))})"
            raise InputError(parameter="metadata", expected=expected, got=name)
    return chosen


def _row_names(frame: Any) -> Iterable[str | None]:
    """Names of the rows in a pandas index, unless they are numbers from 0 or not unique."""
    index = getattr(frame, "index", None)
    if index is None or index.nlevels > 1 or not index.is_unique or list(index) == list(range(len(index))):
        return repeat(None)
    return [f"row-{number}" if is_missing(name) else str(name) for number, name in enumerate(index)]


def _missing_text_hints(frame: Any, text: str | None) -> tuple[str, str]:
    """How missing texts are filled, and how their rows are skipped."""
    if hasattr(frame, "dropna"):
        return f"frame.fillna({{{text!r}: ''}})", f"`on_error='skip'`, or frame.dropna(subset=[{text!r}])"
    return f"frame.with_columns(pl.col({text!r}).fill_null(''))", f"`on_error='skip'`, or frame.drop_nulls({text!r})"


# ---------------------------------------------------------------------- matrices of counts


def from_matrix(X: Any, vocabulary: Any = None, **metadata: Any) -> Corpus:
    """See ``Corpus.from_matrix``."""
    names = column_names(X) if vocabulary is None and is_frame(X) else vocabulary
    counts = validate_counts(X)
    if names is None:
        names = default_words(counts.shape[1])
    index = as_word_index(names)
    if len(index.words) != counts.shape[1]:
        message = f"`vocabulary` must have one word per column: got {len(index.words)}, expected {counts.shape[1]}"
        raise InputError(message, parameter="vocabulary", got=len(index.words))
    tokens, offsets = expand_counts(counts.data, counts.indices, counts.indptr)
    return Corpus(tokens, offsets, index.words, **metadata)


def default_words(n_words: int) -> list[str]:
    """Words "x0", "x1", ..., as scikit-learn names features."""
    return [f"x{i}" for i in range(n_words)]


def expand_counts(
    counts: NDArray[Any], words: NDArray[Any], starts: NDArray[Any]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Tokens and offsets of the counts of words, document after document."""
    repeats = counts.astype(np.int64)
    n_tokens = int(repeats.sum(dtype=np.float64))  # in whole numbers the sum could overflow
    if n_tokens > MAX_COUNT:
        raise InputError(f"counts must add up to at most {MAX_COUNT:,} words: got {n_tokens:,}", got=n_tokens)
    try:
        tokens = np.repeat(words.astype(np.int32), repeats)
    except MemoryError:
        raise InputError(f"not enough memory for {n_tokens:,} tokens", got=n_tokens) from None
    ends = np.concatenate([[0], np.cumsum(repeats)])
    return tokens, ends[starts].astype(np.int64)


def validate_counts(X: Any) -> Any:
    """Matrix as CSR with sorted indices, one entry per cell, and whole numbers that are not negative."""
    from scipy.sparse import csr_array

    if _is_sparse(X) and X.dtype.kind in "biu":
        X = X.astype(np.int64)  # sums of duplicates must not overflow a narrow type
    X = _check_array(X)
    matrix = csr_array(X)
    if not matrix.has_canonical_format:
        if _is_sparse(X):
            matrix = matrix.copy()  # the caller's own arrays must stay as they are
        matrix.sum_duplicates()
    _check_cells(matrix)
    return matrix


def _check_array(X: Any) -> Any:
    """Validate with scikit-learn, whose messages users of its estimators know."""
    from sklearn.utils import check_array

    try:
        return check_array(X, accept_sparse="csr", dtype="numeric", input_name="X")
    except ValueError as error:
        position = _first_not_finite(X) if "Input X contains" in str(error) else ""
        raise InputError(f"{error}{position}", parameter="X", got=type(X)) from None


def _first_not_finite(X: Any) -> str:
    """Position of the first NaN or infinity, if it can be found."""
    from scipy.sparse import coo_array

    try:
        cells = coo_array(X) if _is_sparse(X) else coo_array(np.asarray(X, dtype=np.float64))
        wrong = np.flatnonzero(~np.isfinite(cells.data))
        row, column = min(zip(cells.row[wrong].tolist(), cells.col[wrong].tolist()))
    except (TypeError, ValueError, AttributeError):
        return ""
    return f"\nThe first is in row {row}, column {column}."


def _is_sparse(X: Any) -> bool:
    return hasattr(X, "tocsr")


def _check_cells(matrix: Any) -> None:
    values = matrix.data
    checks = [
        (values < 0, "Negative values in data: counts must be 0 or more"),
        (values % 1 != 0, "counts must be whole numbers (not weights such as tf-idf)"),
        (values > MAX_COUNT, f"counts must be at most {MAX_COUNT}"),
    ]
    for wrong, message in checks:
        if wrong.any():
            first = int(np.argmax(wrong))
            row = int(np.searchsorted(matrix.indptr, first, side="right")) - 1
            where = f"row {row}, column {matrix.indices[first]}"
            raise InputError(
                f"{message}: got {values[first]} in {where}", parameter="X", got=values[first], where=where
            )
