"""What estimators take for X, as a corpus."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .columns import is_missing
from .constructors import PRUNING
from .corpus import Corpus
from .documents import Document, FieldNames, build_corpus, parse_rows
from .vocabulary import as_word_index

_LOOKED_AT = 100  # rows


def is_frame(value: Any) -> bool:
    """Whether this is a table with named columns, such as a pandas or polars frame."""
    return hasattr(value, "columns") and hasattr(value, "__getitem__") and len(getattr(value, "shape", ())) == 2


def column_names(frame: Any) -> list[str]:
    """The names of the columns, as strings."""
    return [str(name) for name in frame.columns]


def text_columns(frame: Any) -> list[str]:
    """The names of columns that hold texts, by their first values."""
    start = frame[:_LOOKED_AT]
    return [name for name in frame.columns if any(isinstance(value, str) for value in start[name])]


def from_frame(frame: Any, fields: FieldNames, on_error: str, **cut: Any) -> Corpus:
    """See ``Corpus.from_frame``."""
    if not is_frame(frame):
        raise InputError(f"frame must be a pandas or polars frame: got {type(frame).__name__}")
    fields.check_columns(list(frame.columns), "frame")
    wanted = [name for name in fields.names().values() if name in frame.columns]
    ids = repeat(None) if fields.id is not None else _names_of_rows(frame)
    rows = enumerate(zip(ids, *(frame[name] for name in wanted)))
    fill, leave_out = _remedies(frame, fields.text)

    def parse(row: tuple[Any, ...], where: str) -> Document:
        record = dict(zip(wanted, row[1:]))
        if fields.text is not None and is_missing(record[fields.text]):
            raise InputError(f"{where}: {fields.text!r} must be a string: got nothing; {fill} makes it an empty text")
        document = fields.document(record, where)
        return document if row[0] is None else document._replace(id=row[0])

    return build_corpus(parse_rows(rows, parse, "frame", on_error, unit="row", skip=leave_out), **cut)


def _names_of_rows(frame: Any) -> Iterable[str | None]:
    """What pandas' index calls the rows, where it has a name for each and does more than count them."""
    index = getattr(frame, "index", None)
    if index is None or index.nlevels > 1 or not index.is_unique or list(index) == list(range(len(index))):
        return repeat(None)
    return [f"row-{number}" if is_missing(name) else str(name) for number, name in enumerate(index)]


def _remedies(frame: Any, text: str | None) -> tuple[str, str]:
    """How missing texts are filled, and how their rows are left out."""
    if hasattr(frame, "dropna"):
        return f"frame.fillna({{{text!r}: ''}})", f"on_error='skip', or frame.dropna(subset=[{text!r}])"
    return f"frame.with_columns(pl.col({text!r}).fill_null(''))", f"on_error='skip', or frame.drop_nulls({text!r})"


_LONGEST_PATH = 1000
_CUTTING = {"tokenizer", "lowercase", "token_pattern", "ngram_range", "keep_texts"}


def as_corpus(X: Any, **options: Any) -> Corpus:
    """A corpus from what an estimator is given: a corpus, texts, lists of words, or a matrix of counts.

    Options are those of ``Corpus.from_texts``. How to cut texts means nothing to lists of words, nor how to
    choose words to counts, so these options are left aside there; a corpus is passed through as it is.

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
    unused = _CUTTING if kind == "words" else _CUTTING | PRUNING
    options = {name: value for name, value in options.items() if name not in unused}
    return Corpus.from_tokens(X, **options) if kind == "words" else Corpus.from_matrix(X, **options)


def input_kind(X: Any) -> tuple[str, Any]:
    """Whether X holds "texts", lists of "words" or "counts"; and X again, for an iterator was looked into."""
    if isinstance(X, (str, bytes)):
        is_path = len(X) < _LONGEST_PATH and os.path.isfile(X)
        told = "for a file, Corpus.from_jsonl, from_csv and so on" if is_path else "write [text]"
        raise InputError(f"X must be a list of texts: got a single {type(X).__name__}; {told}")
    if hasattr(X, "tocsr"):  # before mappings, for one of scipy's formats is a dictionary
        return "counts", X
    if isinstance(X, Mapping):
        raise InputError(f"X must be texts or a matrix of counts: got {type(X).__name__}")
    flat = len(getattr(X, "shape", (0,))) == 1
    if is_frame(X) and (names := text_columns(X)):
        name = max(names, key=lambda name: sum(map(len, map(str, X[name][:100]))))
        raise InputError(
            f"X is a frame with texts, and only one of counts is taken as it is: pass X[{name!r}], or "
            f"Corpus.from_frame(X, text={name!r}), which takes labels, ids and dates from other columns"
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
    if kind == "counts" and _is_number(taken[-1]) and not isinstance(X, np.ndarray):  # for which scikit-learn has words
        raise InputError(f"X must be texts, lists of words or rows of counts: got {taken[-1]!r}; texts must be strings")
    if entries is not X:
        return kind, X
    again = chain(taken, entries)  # an iterator cannot be read twice
    return kind, list(again) if kind == "counts" else again


def _kind_of_entry(entry: Any) -> str | None:
    """What one entry tells; None for an empty list or NaN, which may stand among anything."""
    if isinstance(entry, (str, bytes, Mapping)) or entry is None:
        return "texts"
    if _is_number(entry):
        return None if entry != entry else "counts"
    if not isinstance(entry, Iterable):
        return "texts"
    if isinstance(entry, Iterator):  # a look would take its first word away
        return "words"
    first = next(iter(entry), None)
    if first is None:
        return None
    return "words" if isinstance(first, str) else "counts"


def _is_number(entry: Any) -> bool:
    return hasattr(entry, "__float__") and not getattr(entry, "shape", ())


MAX_COUNT = 2**31 - 1


def from_matrix(X: Any, vocabulary: Any = None, **known: Any) -> Corpus:
    """See ``Corpus.from_matrix``."""
    names = column_names(X) if vocabulary is None and is_frame(X) else vocabulary
    counts = validate_counts(X)
    if names is None:
        names = default_words(counts.shape[1])
    index = as_word_index(names)
    if len(index.words) != counts.shape[1]:
        raise InputError(
            f"vocabulary must have one word per column: got {len(index.words)}, expected {counts.shape[1]}"
        )
    tokens, offsets = expand_counts(counts.data, counts.indices, counts.indptr)
    return Corpus(tokens, offsets, index.words, **known)


def default_words(n_words: int) -> list[str]:
    """Names for words that have none, as scikit-learn names features."""
    return [f"x{i}" for i in range(n_words)]


def expand_counts(
    counts: NDArray[Any], words: NDArray[Any], starts: NDArray[Any]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Token stream and offsets from the counts of words, document after document."""
    repeats = counts.astype(np.int64)
    n_tokens = int(repeats.sum(dtype=np.float64))  # in whole numbers the sum could overflow
    if n_tokens > MAX_COUNT:
        raise InputError(f"counts must add up to at most {MAX_COUNT:,} words: got {n_tokens:,}")
    try:
        tokens = np.repeat(words.astype(np.int32), repeats)
    except MemoryError:
        raise InputError(f"there is no memory for as many words as the counts add up to: got {n_tokens:,}") from None
    ends = np.concatenate([[0], np.cumsum(repeats)])
    return tokens, ends[starts].astype(np.int64)


def validate_counts(X: Any) -> Any:
    """The matrix as CSR with sorted indices, one entry a cell, and whole numbers that are not negative."""
    from scipy.sparse import csr_array

    if _is_sparse(X) and X.dtype.kind in "biu":
        X = X.astype(np.int64)  # sums of duplicates must not overflow a narrow type
    X = _checked_array(X)
    matrix = csr_array(X)
    if not matrix.has_canonical_format:
        if _is_sparse(X):
            matrix = matrix.copy()  # the caller's own arrays must stay as they are
        matrix.sum_duplicates()
    _check_cells(matrix)
    return matrix


def _checked_array(X: Any) -> Any:
    """scikit-learn's own checks, so that its messages are the ones that users of its estimators know."""
    from sklearn.utils import check_array

    try:
        return check_array(X, accept_sparse="csr", dtype="numeric", input_name="X")
    except ValueError as error:
        place = _place_of_infinity(X) if "Input X contains" in str(error) else ""
        raise InputError(f"{error}{place}") from None


def _place_of_infinity(X: Any) -> str:
    """Where the first NaN or infinity stands, if that can be told."""
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
            raise InputError(f"{message}: got {values[first]} in row {row}, column {matrix.indices[first]}")
