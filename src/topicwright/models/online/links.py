"""Links of words in a stream: by name, and in numbers as soon as both words have come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._sampling.particle_filter.word_links import CANNOT_LINK, MUST_LINK, SHARE_COUNTS, LinkList
from ..._utils.warnings import warn
from ...corpus import Corpus
from ...knowledge import CannotLinks, MustLinks
from ...knowledge.links import share_ratio
from .._knowledge import compile_collecting_warnings

_NOT_YET = -1


class StreamLinks:
    """What a stream knows of words that belong together or apart; they may be such as have not come yet."""

    def __init__(self, items: Sequence[MustLinks | CannotLinks] = ()) -> None:
        self._items = list(items)
        self._glossary = list(dict.fromkeys(word for item in items for words, _ in item.groups() for word in words))
        words = _corpus_of(self._glossary)
        compile_collecting_warnings(self._items, words, 1)  # finds pairs that are linked both ways
        self._links = _gather([_columns(item, words) for item in items if item.firmness != 0])
        self.look_up({})

    def warn(self, vocabulary: Iterable[str] | None) -> None:
        """Tell of links that contradict each other, and of words that the vocabulary, if it is fixed, does not have."""
        words = _corpus_of(self._glossary if vocabulary is None else list(vocabulary))
        for message, category in compile_collecting_warnings(self._items, words, 1)[1].items():
            warn(message, category)

    def look_up(self, number: Mapping[str, int]) -> None:
        """Find the numbers of all words anew."""
        found = [number.get(word, _NOT_YET) for word in self._glossary]
        self._numbers: NDArray[np.int64] = np.array(found, np.int64)
        self._awaited = {word: n for n, word in enumerate(self._glossary) if found[n] == _NOT_YET}

    def meet(self, words: Iterable[str], number: Mapping[str, int]) -> bool:
        """Note the numbers of words that have come; whether there were any that links wait for."""
        new = self._awaited.keys() & words if self._awaited else ()
        for word in new:
            self._numbers[self._awaited.pop(word)] = number[word]
        return bool(new)

    def in_numbers(self) -> LinkList | None:
        """The links whose words have come; None where there are no links at all."""
        links = self._links
        if not len(links.words):
            return None
        numbers = self._numbers[links.words]
        hold = (numbers != _NOT_YET).all(axis=1)
        return LinkList(numbers[hold], links.kinds[hold], links.amounts[hold], links.firmness[hold])


def _corpus_of(words: list[str]) -> Corpus:
    """The words, with no documents: what kinds of knowledge look words up in."""
    return Corpus(np.zeros(0, np.int32), np.zeros(1, np.int64), np.array([*words, None], dtype=object)[:-1])


def _columns(item: MustLinks | CannotLinks, words: Corpus) -> tuple[Any, ...]:
    """Links as batch models have them: loans, or potentials with a λ that may follow the partner's frequency."""
    pairs, strengths = item.pairs(words)
    firmness = np.ones(len(pairs))
    if isinstance(item, CannotLinks):
        firmness *= 1.0 if item.firmness is None else item.firmness
        return pairs, np.full(len(pairs), CANNOT_LINK), strengths, firmness
    if item.firmness is None:
        return pairs, np.full(len(pairs), MUST_LINK), strengths, firmness
    return pairs, np.full(len(pairs), SHARE_COUNTS), share_ratio(strengths, item.firmness), firmness


def _gather(parts: list[tuple[Any, ...]]) -> LinkList:
    none = (np.empty((0, 2), np.int64), np.empty(0, np.uint8), np.empty(0), np.empty(0))
    return LinkList(*map(np.concatenate, zip(none, *parts)))
