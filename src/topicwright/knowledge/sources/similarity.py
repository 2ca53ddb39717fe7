"""Links between words whose vectors point the same way, found block by block: no table of all pairs is made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._utils.atomic import StrPath
from .vectors import Vectors, as_vectors, checked_limit, checked_threshold, checked_words

_BLOCK_CELLS = 1 << 22  # similarities that are in memory at one time
_DIGITS = 6  # float32 has no more: what differs only beyond is a tie

Link = tuple[str, str]


class SimilarPairs(NamedTuple):
    """Pairs of rows, first < second, and how similar they are."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    similarity: NDArray[np.float32]

    def best(self, most: int | None = None) -> SimilarPairs:
        """The most similar first; among equals in the order of their rows."""
        return self.take(np.lexsort((self.second, self.first, -self.similarity))[:most])

    def take(self, which: NDArray[Any]) -> SimilarPairs:
        """Some of the pairs, by their numbers or a mask."""
        return SimilarPairs(self.first[which], self.second[which], self.similarity[which])


def links_from_vectors(
    vocabulary: Iterable[str],
    vectors: Vectors | StrPath | Mapping[str, ArrayLike] | Any,
    threshold: float = 0.6,
    *,
    most: int | None = None,
    per_word: int | None = None,
) -> list[Link]:
    """Link the words whose vectors are similar.

    Parameters
    ----------
    vocabulary : list of str
        The words to link, such as ``corpus.vocabulary``; those that have no vector are left out.
    vectors : Vectors, path, mapping of words to arrays, or gensim KeyedVectors
        The vectors; see ``load_vectors`` for the files that can be read. Words must be spelled as in the vocabulary.
    threshold : float
        Link words whose cosine similarity is above this.
    most : int, optional
        Keep the best so many links.
    per_word : int, optional
        Link two words only where each is among the so many nearest of the other: then no word has more links
        than that, and no crowd of near-synonyms takes them all.

    Returns
    -------
    list of (str, str)
        Each pair once, the most similar first; equals in alphabetical order.

    Examples
    --------
    >>> from topicwright import links_from_vectors
    >>> vectors = {"car": [1, 0.1], "auto": [1, 0.2], "pear": [0, 1], "plum": [0.3, 1], "sky": [-1, -1]}
    >>> links_from_vectors(["car", "auto", "pear", "plum", "sky"], vectors, threshold=0.9)
    [('auto', 'car'), ('pear', 'plum')]
    """
    threshold, most, per_word = (
        checked_threshold(threshold),
        checked_limit("most", most),
        checked_limit("per_word", per_word),
    )
    known = as_vectors(vectors, checked_words(vocabulary))
    pairs = similar_pairs(known, threshold, most, per_word)
    return [(known.words[i], known.words[j]) for i, j in zip(pairs.first, pairs.second)]


def similar_pairs(vectors: Vectors, threshold: float, most: int | None, per_word: int | None) -> SimilarPairs:
    """The pairs of rows that ``links_from_vectors`` links, best first."""
    blocks = _blocks(vectors.directions, threshold, per_word)
    if per_word is None:
        blocks = (block.best(most) for block in blocks)
    found = SimilarPairs(*map(np.concatenate, zip(_empty(), *blocks)))
    if per_word is not None:
        found = _mutual(found)
    return found.best(most)


def _blocks(directions: NDArray[np.float32], threshold: float, per_word: int | None) -> Iterator[SimilarPairs]:
    """The pairs above the threshold, one block of rows after the other; with ``per_word`` in both directions."""
    n_rows = len(directions)
    has_direction = np.asarray(directions.any(axis=1))
    size = max(_BLOCK_CELLS // max(n_rows, 1), 1)
    for start in range(0, n_rows, size):
        close = np.round(directions[start : start + size] @ directions.T, _DIGITS)
        rows = np.arange(start, start + len(close))
        above = (close > threshold) & has_direction & has_direction[rows, None]
        above[np.arange(len(rows)), rows] = False
        if per_word is None:
            above &= rows[:, None] < np.arange(n_rows)
        else:
            above &= _nearest(np.where(above, close, -2), per_word)
        i, j = np.nonzero(above)
        yield SimilarPairs(rows[i], j, close[i, j])


def _nearest(close: NDArray[np.float32], per_word: int) -> NDArray[np.bool_]:
    """Which cells are among the largest of their row; among equals, those that come first."""
    n = close.shape[1]
    if per_word >= n:
        return np.ones(close.shape, dtype=bool)
    least = np.partition(close, n - per_word, axis=1)[:, n - per_word, None]
    above, equal = close > least, close == least
    room = per_word - above.sum(axis=1, keepdims=True)
    return np.asarray(above | (equal & (np.cumsum(equal, axis=1) <= room)))


def _mutual(pairs: SimilarPairs) -> SimilarPairs:
    """The pairs that are there in both directions, each once."""
    n = int(max(pairs.first.max(initial=0), pairs.second.max(initial=0))) + 1
    there = np.isin(pairs.first * n + pairs.second, pairs.second * n + pairs.first)
    return pairs.take(there & (pairs.first < pairs.second))


def _empty() -> SimilarPairs:
    nothing = np.empty(0, dtype=np.int64)
    return SimilarPairs(nothing, nothing, np.empty(0, dtype=np.float32))
