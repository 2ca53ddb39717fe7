"""gensim's bags of words: lists of ``(id, count)`` in memory."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np

from ...errors import InputError
from ..corpus import Corpus
from .counts import build_from_pairs, check_pairs

_SOURCE = "documents"


def from_gensim(documents: Any, id2word: Any = None, **metadata: Any) -> Corpus:
    """See ``Corpus.from_gensim``."""
    if isinstance(documents, (str, bytes)) or not isinstance(documents, Iterable):
        raise InputError(parameter="documents", expected="lists of (id, count)", got=type(documents))
    pairs = (_parse_document(document, f"document {row}") for row, document in enumerate(documents))
    if id2word is None or not hasattr(id2word, "keys"):
        return build_from_pairs(pairs, None if id2word is None else list(id2word), _SOURCE, metadata)
    keys = list(id2word.keys())  # gensim's Dictionary iterates otherwise
    for key in keys:
        if not isinstance(key, (int, np.integer)):
            raise InputError(parameter="id2word", expected="a mapping from ids to words", got=key)
    ids = sorted(map(int, keys))
    words, position = [str(id2word[i]) for i in ids], {i: n for n, i in enumerate(ids)}
    return build_from_pairs(pairs, words, _SOURCE, metadata, position)


def _parse_document(document: Any, where: str) -> list[int]:
    try:
        pairs = [(word, count) for word, count in document]
        numbers = [int(number) for number in chain.from_iterable(pairs)]
    except (TypeError, ValueError, OverflowError):
        message = f"{where} must be a list of (id, count): got {document!r:.60}"
        raise InputError(message, parameter="documents", got=document, where=where) from None
    if numbers != list(chain.from_iterable(pairs)):
        message = f"{where}: ids and counts must be whole numbers: got {document!r:.60}"
        raise InputError(message, parameter="documents", got=document, where=where)
    return check_pairs(numbers, where)
