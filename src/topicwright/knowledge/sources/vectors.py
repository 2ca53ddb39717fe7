"""Word vectors in memory."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._utils.atomic import StrPath, atomic_write
from ..._utils.validation import check_integer
from ...errors import InputError

VECTORS_KEY, WORDS_KEY = "vectors", "words"
_METADATA_LIMIT = 90_000_000  # the safetensors library reads no header above 100 MB


@dataclass(frozen=True, eq=False, repr=False)
class Vectors:
    """Word vectors: a vector for each word.

    Parameters
    ----------
    words : sequence of str
        Distinct words.
    matrix : float32 array of shape (n_words, n_dimensions)
        Their vectors, all finite. A word with a zero vector is similar to no other word.

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
        words, matrix = _check_distinct(self.words), _check_matrix(self.matrix)
        if len(matrix) != len(words):
            raise InputError(
                f"`matrix` must have one row per word: got {len(matrix)} rows for {len(words)} words",
                parameter="matrix",
                got=len(matrix),
            )
        bad = np.flatnonzero(~np.isfinite(matrix).all(axis=1))
        if len(bad):
            raise InputError(
                f"the vector of {words[bad[0]]!r} must be finite float32 numbers", parameter="matrix", got=words[bad[0]]
            )
        matrix.setflags(write=False)
        object.__setattr__(self, "words", words)  # the dataclass is frozen once this returns
        object.__setattr__(self, "matrix", matrix)

    @property
    def n_dimensions(self) -> int:
        """Number of dimensions."""
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
        """Cosine similarity of two words.

        >>> from topicwright import Vectors
        >>> Vectors(["car", "auto"], [[1, 1], [1, 0]]).similarity("car", "auto").__round__(3)
        0.707
        """
        return float(self.directions[self._row(a)] @ self.directions[self._row(b)])

    def most_similar(self, word: str, n: int = 10) -> list[tuple[str, float]]:
        """Words that are most similar to a word, with their similarities in descending order.

        >>> from topicwright import Vectors
        >>> Vectors(["car", "auto", "pear"], [[1, 0], [2, 0], [0, 1]]).most_similar("car", 1)
        [('auto', 1.0)]
        """
        row = self._row(word)
        n = check_integer("n", n, 1)
        close = self.directions @ self.directions[row]
        order = sorted(range(len(self)), key=lambda i: (-close[i], self.words[i]))
        return [(self.words[i], float(close[i])) for i in order if i != row][:n]

    @cached_property
    def directions(self) -> NDArray[np.float32]:
        """Vectors normalized to length 1; zero vectors stay zero."""
        largest = np.abs(self.matrix).max(axis=1, keepdims=True, initial=0)  # squares of large numbers overflow
        scaled: NDArray[np.float32] = np.divide(self.matrix, largest, out=np.zeros_like(self.matrix), where=largest > 0)
        lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
        np.divide(scaled, lengths, out=scaled, where=lengths > 0)
        return scaled

    def select(self, words: Iterable[str]) -> Vectors:
        """Vectors of some words, in the given order, without words that have none.

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
        """Write a safetensors file with one tensor, "vectors", and the words as a JSON list in the metadata.

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
            raise InputError(parameter="words", expected=f"at most {_METADATA_LIMIT:,} bytes of JSON", got=len(words))
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
    """Vectors of some words, from any type that the functions of this package accept as vectors."""
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
        parameter="vectors",
        expected="Vectors, a path, a mapping of words to arrays or gensim KeyedVectors",
        got=type(vectors),
    )


def from_gensim(keyed: Any, words: Iterable[str] | None = None) -> Vectors:
    """Vectors of gensim's KeyedVectors, for all words or for some."""
    rows: Mapping[Any, int] = keyed.key_to_index
    known = [word for word in (rows if words is None else words) if word in rows]
    return Vectors(tuple(known), np.asarray(keyed.vectors)[[rows[word] for word in known]])


def _from_mapping(vectors: Mapping[str, Any], words: list[str]) -> Vectors:
    known = [word for word in words if word in vectors]
    try:
        rows = [np.asarray(vectors[word], dtype=np.float64) for word in known]
    except (TypeError, ValueError) as error:
        raise InputError(f"`vectors` must be arrays of numbers: {error}", parameter="vectors") from None
    shapes = sorted({row.shape for row in rows})
    if len(shapes) > 1 or any(len(shape) != 1 for shape in shapes):
        raise InputError(parameter="vectors", expected="one-dimensional arrays of the same length", got=shapes[:3])
    return Vectors(tuple(known), np.vstack(rows) if rows else np.empty((0, 0)))  # type: ignore[arg-type]


def check_vocabulary(vocabulary: Any) -> list[str]:
    """Distinct words of a vocabulary in alphabetical order, so that ties are always broken in the same way."""
    return sorted(set(_check_words("vocabulary", vocabulary)))


def _check_words(parameter: str, words: Any) -> list[str]:
    if isinstance(words, (str, bytes)) or not isinstance(words, Iterable):
        raise InputError(parameter=parameter, expected="a list of words", got=type(words))
    words = list(words)
    for word in words:
        if not isinstance(word, str):
            raise InputError(parameter=parameter, expected="a list of words", got=word)
    return list(map(str, words))


def _check_distinct(words: Any) -> tuple[str, ...]:
    words = _check_words("words", words)
    if len(set(words)) != len(words):
        raise InputError(
            f"`words` must be distinct: got {len(words) - len(set(words))} duplicates", parameter="words", got=words
        )
    return tuple(words)


def _check_matrix(matrix: Any) -> NDArray[np.float32]:
    try:
        with np.errstate(over="ignore"):  # overflow is infinite, and the caller rejects it
            array = np.ascontiguousarray(matrix, dtype=np.float32)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"`matrix` must be an array of numbers: {error}", parameter="matrix") from None
    if array.ndim != 2:
        raise InputError(parameter="matrix", expected="an array with two dimensions", got=array.shape)
    return array.copy() if array is matrix and array.flags.writeable else array  # the caller may change its own array
