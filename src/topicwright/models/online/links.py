"""Links between the words of a stream, which apply as soon as both words have appeared."""

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
    """Must-links and cannot-links of a stream, also between words that have not appeared yet."""

    def __init__(self, items: Sequence[MustLinks | CannotLinks] = ()) -> None:
        self._items = list(items)
        self._words = list(dict.fromkeys(word for item in items for words, _ in item.groups() for word in words))
        words = _empty_corpus(self._words)
        compile_collecting_warnings(self._items, words, 1)  # an error if a pair is linked both ways
        self._links = _gather([_columns(item, words) for item in items if item.firmness != 0])
        self.rebind({})

    def warn(self, vocabulary: Iterable[str] | None) -> None:
        """Warn of links that contradict each other, and of words that a fixed vocabulary lacks."""
        words = _empty_corpus(self._words if vocabulary is None else list(vocabulary))
        for message, category in compile_collecting_warnings(self._items, words, 1)[1].items():
            warn(message, category)

    def rebind(self, ids: Mapping[str, int]) -> None:
        """Look up the ids of all linked words."""
        found = [ids.get(word, _NOT_YET) for word in self._words]
        self._ids: NDArray[np.int64] = np.array(found, np.int64)
        self._pending = {word: n for n, word in enumerate(self._words) if found[n] == _NOT_YET}

    def bind_new_words(self, words: Iterable[str], ids: Mapping[str, int]) -> bool:
        """Look up the ids of words that have just appeared; returns whether links wait for any of them."""
        new = self._pending.keys() & words if self._pending else ()
        for word in new:
            self._ids[self._pending.pop(word)] = ids[word]
        return bool(new)

    def resolved(self) -> LinkList | None:
        """Links whose words have both appeared; None if there are no links at all."""
        links = self._links
        if not len(links.words):
            return None
        ids = self._ids[links.words]
        active = (ids != _NOT_YET).all(axis=1)
        return LinkList(ids[active], links.kinds[active], links.amounts[active], links.firmness[active])


def _empty_corpus(words: list[str]) -> Corpus:
    """Corpus with these words and no documents, for knowledge objects to look words up in."""
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
