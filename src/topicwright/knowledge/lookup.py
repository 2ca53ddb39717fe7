"""Words and documents that knowledge refers to, and the ids that the sampler uses for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sized
from typing import Any

import numpy as np

from .._utils.validation import check_non_negative, check_positive
from .._utils.warnings import warn
from ..corpus import Corpus
from ..errors import InputError, UnknownWordsWarning

_MAX_LISTED = 20  # unknown words in a warning
HEAVIEST = 1e9
"""Upper bound of weights."""


def find_words(corpus: Corpus, words: Iterable[str], what: str) -> dict[str, int]:
    """Ids of words, without those that are not in the vocabulary; one warning lists these.

    Parameters
    ----------
    corpus : Corpus
        Corpus with the vocabulary.
    words : iterable of str
        Words to look up.
    what : str
        What one of the words is called in the warning: "seed".
    """
    wanted = dict.fromkeys(words)
    ids = {word: n for n, word in enumerate(corpus.vocabulary.tolist()) if word in wanted}
    unknown = [word for word in wanted if word not in ids]
    if unknown:
        listed = ", ".join(f"'{word}'" for word in unknown[:_MAX_LISTED]) + (
            ", …" if len(unknown) > _MAX_LISTED else ""
        )
        lower = dict.fromkeys(word.lower() for word in unknown)
        present = {word for word in corpus.vocabulary.tolist() if word in lower}
        hint = next((f"; the vocabulary has {word!r}" for word in lower if word in present), "")
        many = f"{len(unknown):,} words of the {what}s are" if len(unknown) > 1 else f"a word of the {what}s is"
        warn(f"{many} not in the vocabulary and left out: {listed}{hint}", UnknownWordsWarning)
    return ids


def find_document(corpus: Corpus, document: Any, rows: Mapping[str, int]) -> int:
    """Row of a document that is given by its row or its id.

    Parameters
    ----------
    corpus : Corpus
        Corpus with the document.
    document : str or int
        Id or row.
    rows : mapping
        Row of each id, from :func:`rows_of_ids`.
    """
    if isinstance(document, str):
        if document not in rows:
            raise InputError(f"there is no document with the id {document!r}", got=document)
        return rows[document]
    if isinstance(document, (int, np.integer)) and not isinstance(document, bool) and 0 <= document < corpus.n_docs:
        return int(document)
    raise InputError(f"a document must be an id or a row from 0 to {corpus.n_docs - 1}: got {document!r}", got=document)


def rows_of_ids(corpus: Corpus) -> dict[str, int]:
    """Row of each document id; empty if the corpus has no ids."""
    return {name: row for row, name in enumerate(corpus.ids or ())}


# ---------------------------------------------------------------------- checks of arguments


def check_words_by_topic(parameter: str, words: Any) -> Mapping[Any, Any]:
    """Mapping of topics to lists of words, or an error that names the parameter."""
    if not isinstance(words, Mapping):
        raise InputError(parameter=parameter, expected="a mapping of topics to lists of words", got=type(words))
    for topic, own in words.items():
        is_list = isinstance(own, Iterable) and not isinstance(own, (str, bytes))
        if not is_list or not all(isinstance(word, str) for word in own):
            raise InputError(
                f"`{parameter}` of topic {topic!r} must be a list of words: got {own!r}", parameter=parameter, got=own
            )
    return words


def check_iterable(parameter: str, values: Any, expected: str) -> Iterable[Any]:
    """Iterable values, or an error that names the parameter."""
    if not isinstance(values, Iterable):
        raise InputError(parameter=parameter, expected=expected, got=values)
    return values


def check_weight(weight: Any) -> float:
    """Positive number below ``HEAVIEST``."""
    number = check_positive("weight", weight)
    if number >= HEAVIEST:
        raise InputError(parameter="weight", expected=f"a positive number below {HEAVIEST:,.0f}", got=weight)
    return number


def check_pull(pull: Any) -> float:
    """Number from 0 to ``HEAVIEST``."""
    number = check_non_negative("pull", pull)
    if number >= HEAVIEST:
        raise InputError(parameter="pull", expected=f"a number from 0 to {HEAVIEST:,.0f}", got=pull)
    return number


def materialize(values: Any) -> Any:
    """List of the values of an iterator; anything else as it is."""
    return list(values) if isinstance(values, Iterator) else values


def size_of(values: Any) -> str:
    """Number of values for a ``repr``, which must not fail where an argument is wrong."""
    return str(len(values)) if isinstance(values, Sized) else "?"


def names_of(values: Any) -> str:
    """Values for a ``repr``, which must not fail where an argument is wrong."""
    return ", ".join(map(str, values)) if isinstance(values, Iterable) else "?"
