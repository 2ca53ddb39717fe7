"""Words and documents as people name them, as the numbers that the sampler works with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sized
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.warnings import warn
from ..corpus import Corpus
from ..errors import InputError, UnknownWordsWarning

Words = list[str]
_SHOWN = 20


def find_words(corpus: Corpus, words: Iterable[str], what: str) -> dict[str, int]:
    """The ids of words; those that the vocabulary does not have are left out, with one warning that lists them."""
    wanted = dict.fromkeys(words)
    ids = {word: n for n, word in enumerate(corpus.vocabulary.tolist()) if word in wanted}
    unknown = [word for word in wanted if word not in ids]
    if unknown:
        listed = ", ".join(map(_quoted, unknown[:_SHOWN])) + (", …" if len(unknown) > _SHOWN else "")
        lower = dict.fromkeys(word.lower() for word in unknown)
        there = {word for word in corpus.vocabulary.tolist() if word in lower}
        hint = next((f"; the vocabulary has {word!r}" for word in lower if word in there), "")
        many = f"{len(unknown):,} words of the {what}s are" if len(unknown) > 1 else f"a word of the {what}s is"
        warn(f"{many} not in the vocabulary and left out: {listed}{hint}", UnknownWordsWarning)
    return ids


def words_by_topic(words: Any, what: str) -> Mapping[Any, Any]:
    """A mapping of topics to lists of words, or an error that says what it is of."""
    if not isinstance(words, Mapping):
        raise InputError(f"{what} must be a mapping of topics to words: got {type(words).__name__}")
    for topic, own in words.items():
        is_list = isinstance(own, Iterable) and not isinstance(own, (str, bytes))
        if not is_list or not all(isinstance(word, str) for word in own):
            raise InputError(f"the {what} of topic {topic!r} must be a list of words: got {own!r}")
    return words


def find_document(corpus: Corpus, document: Any, rows: dict[str, int]) -> int:
    """The row of a document that is given by its row or its id; ``rows`` are those of the ids."""
    if isinstance(document, str):
        if document not in rows:
            raise InputError(f"there is no document with the id {document!r}")
        return rows[document]
    if isinstance(document, (int, np.integer)) and not isinstance(document, bool) and 0 <= document < corpus.n_docs:
        return int(document)
    raise InputError(f"a document must be an id or a row from 0 to {corpus.n_docs - 1}: got {document!r}")


def rows_of_ids(corpus: Corpus) -> dict[str, int]:
    """The row of each document's id."""
    return {name: row for row, name in enumerate(corpus.ids or ())}


def require_iterable(values: Any, expected: str) -> Iterable[Any]:
    """The values, or an error that says what was expected."""
    if not isinstance(values, Iterable):
        raise InputError(f"{expected}: got {values!r}")
    return values


def size_of(values: Any) -> str:
    """How many there are, for a repr, which may be of something wrong."""
    return str(len(values)) if isinstance(values, Sized) else "?"


def names_of(values: Any) -> str:
    """Which there are, likewise."""
    return ", ".join(map(str, values)) if isinstance(values, Iterable) else "?"


def materialize(values: Any) -> Any:
    """The values; those that could be gone through only once, as a list."""
    return list(values) if isinstance(values, Iterator) else values


def _quoted(word: str) -> str:
    return f"'{word}'"


# Of must-links, by experiment on NIPS: soft links raised coherence there, and firm ones lowered it (docs/knowledge.md).
DEFAULT_FIRMNESS = 0.25
HEAVIEST = 1e9
_HARD = 1000.0


def check_strength(strength: Any, firmness: Any) -> float:
    """The strength, if both are in range."""
    number = _positive("strength", strength, np.inf)
    if firmness is None:
        return number
    if not isinstance(firmness, Real) or isinstance(firmness, bool) or not 0 <= float(firmness) <= 1:
        raise InputError(f"firmness must be a number from 0 to 1, or None: got {firmness!r}")
    return number


def check_weight(weight: Any, name: str = "weight") -> float:
    """A weight, or a count that is weighed, if it is in range."""
    return _positive(name, weight, HEAVIEST)


def _positive(name: str, value: Any, below: float) -> float:
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 < float(value) < below:
        raise InputError(f"{name} must be a positive number: got {value!r}")
    return float(value)


def both_ways(
    pairs: NDArray[np.int64], of_partners: NDArray[np.float64], n: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.float64]]:
    """Every pair in both directions: where those of each of n things start, the partners, and the partners' numbers."""
    owner, partner = pairs.ravel(order="F"), pairs[:, ::-1].ravel(order="F")
    order = np.argsort(owner, kind="stable")
    start = np.searchsorted(owner[order], np.arange(n + 1)).astype(np.uint64)
    return start, partner[order].astype(np.uint32), of_partners[:, ::-1].ravel(order="F")[order]


def share_ratio(strengths: Any, firmness: float) -> Any:
    """How much is borrowed over a link, in units of the borrower's own tokens: from nothing to a thousand times."""
    return min(firmness / max(1.0 - firmness, 1e-9), _HARD) / strengths


def soften(strengths: NDArray[np.float64], sizes: NDArray[np.int64], firmness: float) -> NDArray[np.float64]:
    """λ of both sides of each link: from the given one (firmness 1) to the partner's own size (firmness 0).

    No count is above the size, so that at 0 nothing pulls. At 0.8 a topic pulls that holds more than a fifth of the
    partner's tokens, and at most five times.
    """
    strengths = strengths[:, None]
    return np.asarray(firmness * strengths + (1.0 - firmness) * np.maximum(sizes, strengths))


EVERY_TOPIC = np.uint64(0)  # the number of the set that is no limit


class AllowedTopics(NamedTuple):
    """For each token the number of a set; set s is ``topics[start[s] : start[s + 1]]``, and set 0 is all topics."""

    sets: NDArray[np.uint32]
    start: NDArray[np.uint64]
    topics: NDArray[np.uint32]
    weight: NDArray[np.float64]  # room for a sampler to work in, zero between draws
