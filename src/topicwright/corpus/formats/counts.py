"""Word counts as pairs of a word id and a count, which several formats share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ..corpus import Corpus
from ..inputs import MAX_COUNT, default_words, expand_counts
from ..vocabulary import WordIndex

Ints = NDArray[np.int64]


def build_from_pairs(
    documents: Iterable[list[int]],
    words: list[str] | None,
    name: str,
    metadata: Mapping[str, Any],
    position: Mapping[int, int] | None = None,
) -> Corpus:
    """Corpus of documents that are each one flat list: id, count, id, count, ...

    Parameters
    ----------
    documents : iterable of list of int
        Checked pairs, see ``check_pairs``.
    words : list of str, optional
        Vocabulary; by default the words are called "x0", "x1", ...
    name : str
        Name of the source in error messages.
    metadata : mapping
        Labels, targets and so on: see ``Corpus``.
    position : mapping, optional
        Position in ``words`` of each id, where they differ.
    """
    flat, lengths = [np.empty(0, dtype=np.int64)], [0]
    for pairs in documents:
        flat.append(np.array(pairs, dtype=np.int64))
        lengths.append(len(pairs) // 2)
    if len(lengths) == 1:
        raise InputError(f"{name}: a corpus must have at least one document: got none", where=name)
    table = np.concatenate(flat).reshape(-1, 2)
    ids = table[:, 0] if position is None else _positions(table[:, 0], position, name)
    n_words = int(ids.max(initial=-1)) + 1
    words = default_words(n_words) if words is None else words
    if n_words > len(words):
        raise InputError(
            f"{name}: word ids must be below the size of the vocabulary ({len(words)}): got {n_words - 1}",
            got=n_words - 1,
            where=name,
        )
    return Corpus(*expand_counts(table[:, 1], ids, np.cumsum(lengths)), WordIndex(words).words, **metadata)


def _positions(ids: Ints, position: Mapping[int, int], name: str) -> Ints:
    try:
        return np.array([position[i] for i in ids.tolist()], dtype=np.int64)
    except KeyError as error:
        message = f"{name}: every id must have a word in `id2word`: got {error}"
        raise InputError(message, parameter="id2word", got=error.args[0], where=name) from None


def check_pairs(pairs: list[int], where: str) -> list[int]:
    """Pairs of one document, whose ids and counts must be in range."""
    for word, count in zip(pairs[::2], pairs[1::2]):
        if not 0 <= word <= MAX_COUNT or not 1 <= count <= MAX_COUNT:
            message = f"{where}: ids must be from 0 and counts from 1 to {MAX_COUNT}: got {word}:{count}"
            raise InputError(message, got=(word, count), where=where)
    return pairs


def parse_integers(fields: Iterable[bytes], where: str) -> list[int]:
    """Integers of one line."""
    try:
        numbers = [int(field) for field in fields]
    except ValueError:
        raise InputError(f"{where}: must be whole numbers", where=where) from None
    if any(abs(number) > MAX_COUNT for number in numbers):
        raise InputError(f"{where}: numbers must be at most {MAX_COUNT}", got=max(numbers, key=abs), where=where)
    return numbers
