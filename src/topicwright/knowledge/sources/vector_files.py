"""Files of word vectors, read line by line or record by record, so that a large file needs little memory.

The format is detected from the contents, after decompression (.gz, .xz, .bz2, .zst):

    word2vec text      "words dimensions", then one line per word: the word and its numbers, separated by spaces
    GloVe text         the same without the first line
    word2vec binary    "words dimensions", then for each word: the word, a space, its numbers as float32
    safetensors        one tensor with two dimensions; the words are a JSON list in the metadata under
                       "words", or the lines of NAME.vocab.txt beside NAME.safetensors
    gensim's save()    a pickle, which can run code when it is loaded: only with trusted=True
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..._utils.atomic import StrPath
from ...corpus.formats.files import decode, open_bytes, read_lines, report_damage, source_name
from ...errors import InputError, MissingExtraError
from .vectors import WORDS_KEY, Vectors, check_vocabulary, from_gensim

MAX_DIMENSIONS = 100_000
_MAX_LINE = 32 * MAX_DIMENSIONS
_MAX_WORD = 10_000
_MAX_HEADER = 100_000_000  # the safetensors library reads no longer header
_BLOCK_ROWS = 1 << 14
_FIRST_LINE = re.compile(rb"\s*(\d{1,18})[ \t]+(\d{1,18})\s*")


def load_vectors(path: StrPath, *, vocabulary: Iterable[str] | None = None, trusted: bool = False) -> Vectors:
    """Read a file of word vectors: word2vec text or binary, GloVe, safetensors, gensim's KeyedVectors.

    Parameters
    ----------
    path : path
        File, compressed or not. The format is detected from the contents.
    vocabulary : list of str, optional
        Words to load, spelled as in the file; other words are skipped and need no memory.
    trusted : bool
        Whether to load files that gensim's ``save`` wrote. They are pickles, which can run any code.

    Returns
    -------
    Vectors
        Vectors in the order of the file. If a word occurs twice, its first vector is used.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from topicwright import load_vectors
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     path = Path(directory) / "glove.txt"
    ...     _ = path.write_text("car 1.0 0.5\\nauto 0.9 0.5\\npear -0.2 1.0\\n")
    ...     load_vectors(path, vocabulary=["car", "pear"]).words
    ('car', 'pear')
    """
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(parameter="path", expected="the path of a file of vectors", got=type(path))
    wanted = None if vocabulary is None else check_vocabulary(vocabulary)
    rows = _VectorBuilder(source_name(path), wanted)
    with open_bytes(path) as file, report_damage(path):
        start = file.readline(_MAX_LINE)
        header = _FIRST_LINE.fullmatch(start)
        second = file.readline(_MAX_LINE)
    if header is None:
        return _read_without_header(path, start, rows, wanted, trusted)
    shape = _check_shape(path, *map(int, header.groups()))
    if _is_text(path, second, shape):
        return _read_text(path, shape.n_dimensions, rows, shape.n_words)
    return _read_binary(path, shape, rows)


class _Shape(NamedTuple):
    """Numbers in the first line of a word2vec file."""

    n_words: int
    n_dimensions: int


class _VectorBuilder:
    """Collects the wanted words and their vectors, each word once."""

    def __init__(self, name: str, wanted: Iterable[str] | None) -> None:
        self._name = name
        self._wanted = None if wanted is None else {word.encode("utf-8", "surrogatepass") for word in wanted}
        self._words: dict[bytes, None] = {}
        self._numbers = bytearray()

    def wants(self, word: bytes) -> bool:
        """Whether the word is wanted and new."""
        return word not in self._words and (self._wanted is None or word in self._wanted)

    def add(self, word: bytes, vector: NDArray[np.float32], where: str) -> None:
        """Add a word and its vector."""
        if not np.isfinite(vector).all():
            _fail(self._name, where, "vectors must be finite float32 numbers")
        self._words[word] = None
        self._numbers += vector.tobytes()

    def vectors(self, n_dimensions: int) -> Vectors:
        """Vectors of all words that were added."""
        matrix = np.frombuffer(self._numbers, dtype=np.float32).reshape(len(self._words), n_dimensions)
        matrix.setflags(write=False)
        return Vectors(tuple(map(self._decode, self._words)), matrix)

    def _decode(self, word: bytes) -> str:
        try:
            return word.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise InputError(
                f"{self._name}: words must be UTF-8: got {word[:40]!r}", got=word, where=self._name
            ) from None


# ---------------------------------------------------------------------- detection of the format


def _read_without_header(
    path: StrPath, start: bytes, rows: _VectorBuilder, wanted: list[str] | None, trusted: bool
) -> Vectors:
    if start[:1] == b"\x80" and start[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return _read_gensim(path, wanted, trusted)
    if _looks_like_safetensors(path):
        return _read_safetensors(path, wanted)
    n_dimensions = len(_fields(start)) - 1
    if n_dimensions < 1:
        raise InputError(
            f"{source_name(path)} must start with a word and its numbers, or with two counts: got {start[:40]!r}",
            got=start[:40],
            where=source_name(path),
        )
    return _read_text(path, n_dimensions, rows)


def _check_shape(path: StrPath, n_words: int, n_dimensions: int) -> _Shape:
    if not 1 <= n_dimensions <= MAX_DIMENSIONS:
        raise InputError(
            f"{source_name(path)} must have from 1 to {MAX_DIMENSIONS:,} dimensions: got {n_dimensions}",
            got=n_dimensions,
            where=source_name(path),
        )
    return _Shape(n_words, n_dimensions)


def _is_text(path: StrPath, line: bytes, shape: _Shape) -> bool:
    """Whether a word2vec file is text: decided by its second line or, if that is damaged, by its name."""
    if not line.strip():
        return True
    pieces = _fields(line, shape.n_dimensions)
    if len(pieces) == shape.n_dimensions + 1 and _numbers(pieces[1:]) is not None:
        return True
    return bool(re.search(r"\.(txt|vec)(\.\w+)?$", source_name(path), re.IGNORECASE))


# ---------------------------------------------------------------------- text


def _read_text(path: StrPath, n_dimensions: int, rows: _VectorBuilder, n_words: int | None = None) -> Vectors:
    count = 0
    for number, line in _lines(path, skip_first=n_words is not None):
        pieces = _fields(line, n_dimensions)
        where = f"line {number}"
        if len(pieces) != n_dimensions + 1:
            _fail(source_name(path), where, f"must be a word and {n_dimensions} numbers: got {len(pieces) - 1} numbers")
        if rows.wants(pieces[0]):
            vector = _numbers(pieces[1:])
            if vector is None:
                _fail(
                    source_name(path),
                    where,
                    f"must be a word and {n_dimensions} numbers: got {b' '.join(pieces[1:4])!r}…",
                )
            rows.add(pieces[0], vector, where)
        count += 1
    if n_words not in (None, count):
        raise InputError(
            f"{source_name(path)} must have {n_words} words according to its first line: got {count}",
            got=count,
            where=source_name(path),
        )
    return rows.vectors(n_dimensions)


def _lines(path: StrPath, skip_first: bool) -> Iterator[tuple[int, bytes]]:
    for number, line in read_lines(path):
        if line.strip() and not (skip_first and number == 1):
            yield number, line


def _fields(line: bytes, n_dimensions: int = -1) -> list[bytes]:
    """Word and numbers of a line. The word may contain spaces, and some programs end lines with a space."""
    return line.rstrip(b" \t\r\n").replace(b"\t", b" ").rsplit(b" ", n_dimensions)


def _numbers(fields: list[bytes]) -> NDArray[np.float32] | None:
    try:
        with np.errstate(over="ignore"):  # overflow is infinite, and rejected later
            return np.array(fields, dtype=np.float64).astype(np.float32)
    except ValueError:
        return None


# ---------------------------------------------------------------------- binary


def _read_binary(path: StrPath, shape: _Shape, rows: _VectorBuilder) -> Vectors:
    with open_bytes(path) as file, report_damage(path):
        file.readline(_MAX_LINE)
        for number in range(1, shape.n_words + 1):
            where = f"word {number} of {shape.n_words}"
            word = _read_word(path, file, where)
            data = file.read(4 * shape.n_dimensions)
            if len(data) < 4 * shape.n_dimensions:
                _fail(source_name(path), where, "must be a word and its numbers: the file ends in the middle of it")
            if rows.wants(word):
                rows.add(word, np.frombuffer(data, dtype="<f4").astype(np.float32), where)
        if file.read(64).strip():
            raise InputError(
                f"{source_name(path)} must end after {shape.n_words} words according to its first line: got more",
                where=source_name(path),
            )
    return rows.vectors(shape.n_dimensions)


def _read_word(path: StrPath, file: Any, where: str) -> bytes:
    """Bytes up to the next space. There may be a newline between two records."""
    word = b""
    while not word.endswith(b" "):
        ready = file.peek(1)
        if not ready:
            _fail(source_name(path), where, "must be a word and its numbers: the file ends before it")
        word += file.read(ready.find(b" ") + 1 or len(ready))
        if len(word) > _MAX_WORD:
            _fail(source_name(path), where, f"must have at most {_MAX_WORD:,} bytes before the space: got more")
    return word[:-1].lstrip(b"\r\n")


# ---------------------------------------------------------------------- safetensors


def _looks_like_safetensors(path: StrPath) -> bool:
    """Whether a file starts like a safetensors file: the length of the header, then a JSON object."""
    with Path(path).open("rb") as file:
        start = file.read(9)
    return start[8:9] == b"{" and int.from_bytes(start[:8], "little") <= _MAX_HEADER


def _read_safetensors(path: StrPath, wanted: list[str] | None) -> Vectors:
    """Vectors of the only tensor of the file, for all words or the wanted ones."""
    import safetensors

    try:
        with safetensors.safe_open(str(path), framework="numpy") as file:
            tensor = _only_tensor(path, file)
            words = _read_words(path, file.metadata() or {})
            return _rows_of(path, tensor, words, wanted)
    except (InputError, MemoryError):
        raise
    except Exception as error:  # the library has no common type of errors
        raise InputError(
            f"{path} is damaged, or not a safetensors file that NumPy can read: {error}", where=str(path)
        ) from None


def _only_tensor(path: StrPath, file: Any) -> Any:
    slices = [file.get_slice(name) for name in file.keys()]  # noqa: SIM118 (not a dict)
    tables = [
        tensor for tensor in slices if len(tensor.get_shape()) == 2 and tensor.get_dtype() in ("F16", "F32", "F64")
    ]
    if len(tables) != 1:
        raise InputError(
            f"{path} must contain one float tensor with two dimensions: got {len(tables)}", where=str(path)
        )
    return tables[0]


def _read_words(path: StrPath, metadata: dict[str, str]) -> list[str]:
    beside = Path(path).with_suffix(".vocab.txt")
    if WORDS_KEY in metadata:
        words = _parse_words(path, metadata[WORDS_KEY])
    elif beside.exists():
        words = [decode(line, f"{beside}, line {number}") for number, line in read_lines(beside)]
    else:
        raise InputError(
            f"{path} must have its words in the metadata under '{WORDS_KEY}', or in {beside.name} in the same folder",
            where=str(path),
        )
    return words


def _parse_words(path: StrPath, text: str) -> list[str]:
    try:
        words = json.loads(text)
    except (ValueError, RecursionError):
        words = None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise InputError(f"{path} must have a JSON list of words under '{WORDS_KEY}' in its metadata", where=str(path))
    return words


def _rows_of(path: StrPath, tensor: Any, words: list[str], wanted: list[str] | None) -> Vectors:
    n_rows = tensor.get_shape()[0]
    if n_rows != len(words):
        raise InputError(f"{path} must have one row per word: got {n_rows}, expected {len(words)}", where=str(path))
    keep = set(words if wanted is None else wanted)
    rows: dict[str, int] = {}
    for row, word in enumerate(words):
        if word in keep:
            rows.setdefault(word, row)
    matrix = _take(tensor, np.fromiter(rows.values(), dtype=np.int64, count=len(rows)))
    matrix.setflags(write=False)
    return Vectors(tuple(rows), matrix)


def _take(tensor: Any, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """Rows of a tensor, in ascending order, read in blocks: the file may be larger than memory."""
    n_rows, n_dimensions = tensor.get_shape()
    matrix = np.empty((len(rows), n_dimensions), dtype=np.float32)
    for start in range(0, n_rows, _BLOCK_ROWS):
        first, last = np.searchsorted(rows, [start, start + _BLOCK_ROWS])
        if first < last:
            block = np.asarray(tensor[start : min(start + _BLOCK_ROWS, n_rows)])
            with np.errstate(over="ignore"):  # overflow is infinite, and rejected by Vectors
                matrix[first:last] = block[rows[first:last] - start]
    return matrix


# ---------------------------------------------------------------------- gensim


def _read_gensim(path: StrPath, wanted: list[str] | None, trusted: bool) -> Vectors:
    name = source_name(path)
    if not trusted:
        raise InputError(
            f"{name} is a pickle, as gensim's save() writes it, which can run code: "
            "pass `trusted=True` if you trust its origin, or save it with save_word2vec_format()",
            parameter="trusted",
            got=trusted,
            where=name,
        )
    try:
        from gensim.models import KeyedVectors
    except ImportError:
        raise MissingExtraError("gensim", "gensim", "reading files of gensim") from None
    try:
        loaded = KeyedVectors.load(name)
        return from_gensim(getattr(loaded, "wv", loaded), wanted)
    except Exception as error:  # a pickle may raise anything
        raise InputError(f"{name} must contain gensim KeyedVectors: {error}", where=name) from None


def _fail(name: str, where: str, reason: str) -> NoReturn:
    raise InputError(f"{name}, {where}: {reason}", where=f"{name}, {where}")
