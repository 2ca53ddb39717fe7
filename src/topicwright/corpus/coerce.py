"""What estimators take for X, as a corpus."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np

from ..errors import InputError
from .core import Corpus
from .frames import is_frame, text_columns
from .options import PRUNING

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
    kind, X = kind_of(X)
    if kind == "texts":
        return Corpus.from_texts(X, **options)
    unused = _CUTTING if kind == "words" else _CUTTING | PRUNING
    options = {name: value for name, value in options.items() if name not in unused}
    return Corpus.from_tokens(X, **options) if kind == "words" else Corpus.from_matrix(X, **options)


def kind_of(X: Any) -> tuple[str, Any]:
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
