"""Links between words with similar vectors, found block by block without a table of all pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._utils.atomic import StrPath
from ..._utils.validation import check_in_range, check_integer
from .vectors import Vectors, as_vectors, check_vocabulary

_BLOCK_CELLS = 1 << 22  # similarities in memory at a time
_DIGITS = 6  # precision of float32; smaller differences are ties

Link = tuple[str, str]


class SimilarPairs(NamedTuple):
    """Pairs of rows, first < second, and their similarities."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    similarity: NDArray[np.float32]

    def best(self, most: int | None = None) -> SimilarPairs:
        """Pairs by descending similarity; ties by row."""
        return self.take(np.lexsort((self.second, self.first, -self.similarity))[:most])

    def take(self, which: NDArray[Any]) -> SimilarPairs:
        """Subset of the pairs, by index or mask."""
        return SimilarPairs(self.first[which], self.second[which], self.similarity[which])


def links_from_vectors(
    vocabulary: Iterable[str],
    vectors: Vectors | StrPath | Mapping[str, ArrayLike] | Any,
    threshold: float = 0.6,
    *,
    most: int | None = None,
    per_word: int | None = None,
) -> list[Link]:
    """Links between words with similar vectors.

    Parameters
    ----------
    vocabulary : list of str
        Words to link, such as ``corpus.vocabulary``. Words without a vector are skipped.
    vectors : Vectors, path, mapping of words to arrays, or gensim KeyedVectors
        Word vectors; see ``load_vectors`` for file formats. Words must be spelled as in the vocabulary.
    threshold : float
        Lower bound of the cosine similarity, exclusive.
    most : int, optional
        Maximum number of links.
    per_word : int, optional
        Link two words only if each is among this many nearest neighbors of the other. No word gets more links than
        this, so that a cluster of near-synonyms does not use up all links.

    Returns
    -------
    list of (str, str)
        Distinct pairs by descending similarity; ties in alphabetical order.

    Examples
    --------
    >>> from topicwright import links_from_vectors
    >>> vectors = {"car": [1, 0.1], "auto": [1, 0.2], "pear": [0, 1], "plum": [0.3, 1], "sky": [-1, -1]}
    >>> links_from_vectors(["car", "auto", "pear", "plum", "sky"], vectors, threshold=0.9)
    [('auto', 'car'), ('pear', 'plum')]
    """
    threshold = check_in_range("threshold", threshold, -1, 1)
    most, per_word = check_maximum("most", most), check_maximum("per_word", per_word)
    known = as_vectors(vectors, check_vocabulary(vocabulary))
    pairs = similar_pairs(known, threshold, most, per_word)
    return [(known.words[i], known.words[j]) for i, j in zip(pairs.first, pairs.second)]


def check_maximum(name: str, value: Any) -> int | None:
    """Integer of at least 1, or None for no maximum."""
    return None if value is None else check_integer(name, value, 1)


def similar_pairs(vectors: Vectors, threshold: float, most: int | None, per_word: int | None) -> SimilarPairs:
    """Pairs of rows that ``links_from_vectors`` links, by descending similarity."""
    blocks = _blocks(vectors.directions, threshold, per_word)
    if per_word is None:
        blocks = (block.best(most) for block in blocks)
    found = SimilarPairs(*map(np.concatenate, zip(_empty(), *blocks)))
    if per_word is not None:
        found = _mutual(found)
    return found.best(most)


def _blocks(directions: NDArray[np.float32], threshold: float, per_word: int | None) -> Iterator[SimilarPairs]:
    """Pairs above the threshold, one block of rows at a time; with ``per_word``, in both directions."""
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
    """Mask of the largest cells of each row; ties by column."""
    n = close.shape[1]
    if per_word >= n:
        return np.ones(close.shape, dtype=bool)
    least = np.partition(close, n - per_word, axis=1)[:, n - per_word, None]
    above, equal = close > least, close == least
    room = per_word - above.sum(axis=1, keepdims=True)
    return np.asarray(above | (equal & (np.cumsum(equal, axis=1) <= room)))


def _mutual(pairs: SimilarPairs) -> SimilarPairs:
    """Pairs that occur in both directions, each once."""
    n = int(max(pairs.first.max(initial=0), pairs.second.max(initial=0))) + 1
    is_mutual = np.isin(pairs.first * n + pairs.second, pairs.second * n + pairs.first)
    return pairs.take(is_mutual & (pairs.first < pairs.second))


def _empty() -> SimilarPairs:
    nothing = np.empty(0, dtype=np.int64)
    return SimilarPairs(nothing, nothing, np.empty(0, dtype=np.float32))
