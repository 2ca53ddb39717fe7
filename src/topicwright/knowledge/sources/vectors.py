"""Words with a vector each."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._utils.atomic import StrPath, atomic_write
from ...errors import InputError


def checked_words(vocabulary: Any) -> list[str]:
    """The different words of a vocabulary, in alphabetical order, so that ties are always cut in the same way."""
    if isinstance(vocabulary, (str, bytes)) or not isinstance(vocabulary, Iterable):
        raise InputError(f"vocabulary must be a list of words: got {type(vocabulary).__name__}")
    words = list(vocabulary)
    stranger = next((word for word in words if not isinstance(word, str)), None)
    if stranger is not None:
        raise InputError(f"vocabulary must hold words: got {stranger!r} among them")
    return sorted({str(word) for word in words})


def checked_threshold(threshold: Any) -> float:
    """A cosine similarity."""
    if isinstance(threshold, bool) or not isinstance(threshold, Real) or not -1 <= float(threshold) <= 1:
        raise InputError(f"threshold must be a number from -1 to 1: got {threshold!r}")
    return float(threshold)


def checked_share(name: str, share: Any) -> float:
    """A share above 0, and at most 1."""
    if isinstance(share, bool) or not isinstance(share, Real) or not 0 < float(share) <= 1:
        raise InputError(f"{name} must be a number above 0 and at most 1: got {share!r}")
    return float(share)


def checked_count(name: str, count: Any, minimum: int = 1) -> int:
    """A whole number of at least the minimum."""
    try:
        number = -1 if isinstance(count, bool) else index(count)
    except TypeError:
        number = -1
    if number < minimum:
        raise InputError(f"{name} must be a whole number of at least {minimum}: got {count!r}")
    return number


def checked_limit(name: str, limit: Any) -> int | None:
    """A whole number of at least 1, or None for no limit."""
    return None if limit is None else checked_count(name, limit)


VECTORS_KEY, WORDS_KEY = "vectors", "words"
_METADATA_LIMIT = 90_000_000  # the safetensors library reads no header above 100 MB


@dataclass(frozen=True, eq=False, repr=False)
class Vectors:
    """Words with a vector each.

    Parameters
    ----------
    words : sequence of str
        The words, each one once.
    matrix : float32 array of shape (n_words, n_dimensions)
        Their vectors: finite numbers. A word whose numbers are all 0 is similar to nothing.

    Examples
    --------
    >>> from topicwright import Vectors
    >>> vectors = Vectors(["car", "auto", "pear"], [[1, 0.1], [1, 0], [0, 1]])
    >>> len(vectors), "auto" in vectors, vectors["pear"].tolist()
    (3, True, [0.0, 1.0])
    >>> vectors
    <Vectors: 3 words, 2 dimensions>
    """

    words: tuple[str, ...]
    matrix: NDArray[np.float32]

    def __post_init__(self) -> None:
        words, matrix = _checked_words(self.words), _checked_matrix(self.matrix)
        if len(matrix) != len(words):
            raise InputError(f"matrix must have one row per word: got {len(matrix)}, expected {len(words)}")
        bad = np.flatnonzero(~np.isfinite(matrix).all(axis=1))
        if len(bad):
            raise InputError(f"vectors must be finite float32 numbers: got others for the word {words[bad[0]]!r}")
        matrix.setflags(write=False)
        object.__setattr__(self, "words", words)  # the dataclass is frozen once this returns
        object.__setattr__(self, "matrix", matrix)

    # ------------------------------------------------------------------ look

    @property
    def n_dimensions(self) -> int:
        """Numbers in a vector."""
        return int(self.matrix.shape[1])

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._rows

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.matrix[self._row(word)]
        return vector

    def __repr__(self) -> str:
        return f"<Vectors: {len(self):,} words, {self.n_dimensions:,} dimensions>"

    # ------------------------------------------------------------------ similarity

    def similarity(self, a: str, b: str) -> float:
        """The cosine of the angle between two words: 1 for the same direction, 0 for nothing in common.

        >>> from topicwright import Vectors
        >>> Vectors(["car", "auto"], [[1, 1], [1, 0]]).similarity("car", "auto").__round__(3)
        0.707
        """
        return float(self.directions[self._row(a)] @ self.directions[self._row(b)])

    def most_similar(self, word: str, n: int = 10) -> list[tuple[str, float]]:
        """The words nearest to a word, with their similarities, best first.

        >>> from topicwright import Vectors
        >>> Vectors(["car", "auto", "pear"], [[1, 0], [2, 0], [0, 1]]).most_similar("car", 1)
        [('auto', 1.0)]
        """
        row = self._row(word)
        n = checked_count("n", n)
        close = self.directions @ self.directions[row]
        order = sorted(range(len(self)), key=lambda i: (-close[i], self.words[i]))
        return [(self.words[i], float(close[i])) for i in order if i != row][:n]

    @cached_property
    def directions(self) -> NDArray[np.float32]:
        """The vectors at length 1; those of length 0 stay so."""
        largest = np.abs(self.matrix).max(axis=1, keepdims=True, initial=0)  # squares of large numbers overflow
        scaled: NDArray[np.float32] = np.divide(self.matrix, largest, out=np.zeros_like(self.matrix), where=largest > 0)
        lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
        np.divide(scaled, lengths, out=scaled, where=lengths > 0)
        return scaled

    def select(self, words: Iterable[str]) -> Vectors:
        """The vectors of some words: those that are here, in the order in which they are asked for.

        >>> from topicwright import Vectors
        >>> Vectors(["car", "auto", "pear"], [[1, 0], [2, 0], [0, 1]]).select(["pear", "plum", "car"]).words
        ('pear', 'car')
        """
        known = [word for word in dict.fromkeys(words) if word in self]
        matrix = self.matrix[[self._rows[word] for word in known]]
        matrix.setflags(write=False)
        return Vectors(tuple(known), matrix)

    # ------------------------------------------------------------------ files

    def save(self, path: StrPath) -> None:
        """Write a safetensors file: one tensor, "vectors", and the words as a JSON list in the metadata.

        >>> import tempfile
        >>> from topicwright import Vectors, load_vectors
        >>> with tempfile.TemporaryDirectory() as directory:
        ...     Vectors(["car", "auto"], [[1, 1], [1, 0]]).save(f"{directory}/v.safetensors")
        ...     load_vectors(f"{directory}/v.safetensors")
        <Vectors: 2 words, 2 dimensions>
        """
        from safetensors.numpy import save

        words = json.dumps(self.words)
        if len(words) > _METADATA_LIMIT:
            raise InputError(f"words must take at most {_METADATA_LIMIT:,} bytes as JSON: got {len(words):,}")
        data = save({VECTORS_KEY: np.ascontiguousarray(self.matrix)}, {WORDS_KEY: words})
        with atomic_write(path) as file:
            file.write(data)

    # ------------------------------------------------------------------ rows

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words)}

    def _row(self, word: str) -> int:
        try:
            return self._rows[word]
        except KeyError:
            raise KeyError(f"no vector for the word {word!r}") from None


def as_vectors(vectors: Any, words: list[str]) -> Vectors:
    """The vectors of the given words, of all that the functions of this package take for vectors."""
    if isinstance(vectors, Vectors):
        return vectors.select(words)
    if isinstance(vectors, (str, os.PathLike)):
        from .vector_files import load_vectors

        return load_vectors(vectors, vocabulary=words).select(words)
    if hasattr(vectors, "key_to_index") and hasattr(vectors, "vectors"):
        return from_gensim(vectors, words)
    if isinstance(vectors, Mapping):
        return _from_mapping(vectors, words)
    raise InputError(
        f"vectors must be Vectors, a path, a mapping of words to arrays or gensim KeyedVectors: "
        f"got {type(vectors).__name__}"
    )


def from_gensim(keyed: Any, words: Iterable[str] | None = None) -> Vectors:
    """The vectors of gensim's KeyedVectors, those of some words only if they are given."""
    rows: Mapping[Any, int] = keyed.key_to_index
    known = [word for word in (rows if words is None else words) if word in rows]
    return Vectors(tuple(known), np.asarray(keyed.vectors)[[rows[word] for word in known]])


def _from_mapping(vectors: Mapping[str, Any], words: list[str]) -> Vectors:
    known = [word for word in words if word in vectors]
    try:
        rows = [np.asarray(vectors[word], dtype=np.float64) for word in known]
    except (TypeError, ValueError) as error:
        raise InputError(f"vectors must be arrays of numbers: {error}") from None
    shapes = sorted({row.shape for row in rows})
    if len(shapes) > 1 or any(len(shape) != 1 for shape in shapes):
        raise InputError(f"vectors must be one-dimensional and of one length: got shapes {shapes[:3]}")
    return Vectors(tuple(known), np.vstack(rows) if rows else np.empty((0, 0)))  # type: ignore[arg-type]


def _checked_words(words: Any) -> tuple[str, ...]:
    if isinstance(words, (str, bytes)) or not isinstance(words, Iterable):
        raise InputError(f"words must be a list of words: got {type(words).__name__}")
    words = tuple(words)
    if not all(isinstance(word, str) for word in words):
        raise InputError("words must be strings")
    if len(set(words)) != len(words):
        raise InputError(f"words must each be there once: got {len(words) - len(set(words))} again")
    return tuple(map(str, words))


def _checked_matrix(matrix: Any) -> NDArray[np.float32]:
    try:
        with np.errstate(over="ignore"):  # what does not fit is infinite, and refused by the caller
            array = np.ascontiguousarray(matrix, dtype=np.float32)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"matrix must hold numbers: {error}") from None
    if array.ndim != 2:
        raise InputError(f"matrix must have two dimensions: got shape {array.shape}")
    return array.copy() if array is matrix and array.flags.writeable else array  # the caller may write to his own
