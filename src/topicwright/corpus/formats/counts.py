"""Word counts as pairs of a word id and a count, and the sidecar files of formats that store them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ..corpus import Corpus
from ..documents import FieldNames, with_metadata
from ..inputs import MAX_COUNT, default_words, expand_counts
from ..vocabulary import WordIndex
from .files import COMPRESSIONS, Source, decode, read_lines, source_name, split_compression, write_lines
from .jsonl import metadata_records, read_jsonl, to_json_line
from .registry import ReadOptions

Ints = NDArray[np.int64]


def build_from_pairs(
    documents: Iterable[list[int]],
    words: list[str] | None,
    name: str,
    metadata: Mapping[str, Any],
    position: Mapping[int, int] | None = None,
) -> Corpus:
    """Corpus of documents that are each one flat list: id, count, id, count, ...

    Parameters
    ----------
    documents : iterable of list of int
        Checked pairs, see ``check_pairs``.
    words : list of str, optional
        Vocabulary; by default the words are called "x0", "x1", ...
    name : str
        Name of the source in error messages.
    metadata : mapping
        Labels, targets and so on: see ``Corpus``.
    position : mapping, optional
        Position in ``words`` of each id, where they differ.
    """
    flat, lengths = [np.empty(0, dtype=np.int64)], [0]
    for pairs in documents:
        flat.append(np.array(pairs, dtype=np.int64))
        lengths.append(len(pairs) // 2)
    if len(lengths) == 1:
        raise InputError(f"{name}: a corpus must have at least one document: got none", where=name)
    table = np.concatenate(flat).reshape(-1, 2)
    ids = table[:, 0] if position is None else _positions(table[:, 0], position, name)
    n_words = int(ids.max(initial=-1)) + 1
    words = default_words(n_words) if words is None else words
    if n_words > len(words):
        raise InputError(
            f"{name}: word ids must be below the size of the vocabulary ({len(words)}): got {n_words - 1}",
            got=n_words - 1,
            where=name,
        )
    return Corpus(*expand_counts(table[:, 1], ids, np.cumsum(lengths)), WordIndex(words).words, **metadata)


def _positions(ids: Ints, position: Mapping[int, int], name: str) -> Ints:
    try:
        return np.array([position[i] for i in ids.tolist()], dtype=np.int64)
    except KeyError as error:
        message = f"{name}: every id must have a word in `id2word`: got {error}"
        raise InputError(message, parameter="id2word", got=error.args[0], where=name) from None


def check_pairs(pairs: list[int], where: str) -> list[int]:
    """Pairs of one document, whose ids and counts must be in range."""
    for word, count in zip(pairs[::2], pairs[1::2]):
        if not 0 <= word <= MAX_COUNT or not 1 <= count <= MAX_COUNT:
            message = f"{where}: ids must be from 0 and counts from 1 to {MAX_COUNT}: got {word}:{count}"
            raise InputError(message, got=(word, count), where=where)
    return pairs


def parse_integers(fields: Iterable[bytes], where: str) -> list[int]:
    """Integers of one line."""
    try:
        numbers = [int(field) for field in fields]
    except ValueError:
        raise InputError(f"{where}: must be whole numbers", where=where) from None
    if any(abs(number) > MAX_COUNT for number in numbers):
        raise InputError(f"{where}: numbers must be at most {MAX_COUNT}", got=max(numbers, key=abs), where=where)
    return numbers


_SUFFIX = {"vocab": ".txt", "docs": ".jsonl"}


def sidecar_path(path: Path, kind: str) -> Path:
    """Path of the file of words ("vocab") or of documents ("docs") that belongs to a file of counts.

    >>> sidecar_path(Path("cora.docword.txt.gz"), "docs").name
    'cora.docs.jsonl.gz'
    """
    name, compression = split_compression(path.name)
    if "docword" in name:
        name = name.removesuffix(".txt").replace("docword", kind)
    else:
        name = f"{Path(name).stem}.{kind}"
    return path.with_name(name + _SUFFIX[kind] + (f".{compression}" if compression else ""))


def find_sidecar(source: Source, kind: str) -> Path | None:
    """Sidecar of a file of counts if it exists, compressed or not."""
    if not isinstance(source, (str, os.PathLike)) or source == "-":
        return None
    path = sidecar_path(Path(source), kind)
    plain = path.with_name(split_compression(path.name)[0])
    compressed = [plain.with_name(f"{plain.name}.{compression}") for compression in COMPRESSIONS]
    return next((candidate for candidate in [path, plain, *compressed] if candidate.is_file()), None)


def read_vocabulary(source: Source) -> list[str]:
    """Words of a file, one per line."""
    name = source_name(source)
    words = [decode(line, f"{name}, line {number}") for number, line in read_lines(source)]
    while words and not words[-1]:
        words.pop()
    return words


def find_words(counts: Source, vocab: Any) -> list[str] | None:
    """Words of a file of counts: given as words or as a file, or else in its sidecar; None if there is none."""
    if isinstance(vocab, (list, tuple)) or hasattr(vocab, "dtype"):
        return list(vocab)
    found = find_sidecar(counts, "vocab") if vocab is None else vocab
    return None if found is None else read_vocabulary(found)


def read_metadata(corpus: Corpus, docs: Source, fields: FieldNames) -> Corpus:
    """Corpus with the labels, targets, ids and dates of a JSONL file that has one line per document."""
    documents = list(read_jsonl(docs, ReadOptions(fields)))
    if len(documents) != corpus.n_docs:
        name = source_name(docs)
        message = f"{name} must have one line per document: got {len(documents)}, expected {corpus.n_docs}"
        raise InputError(message, got=len(documents), where=name)
    return with_metadata(corpus, documents)


def write_vocabulary(corpus: Corpus, file: BinaryIO) -> None:
    """Write the words of a corpus, one per line."""
    write_lines(file, _vocabulary_lines(corpus))


def _vocabulary_lines(corpus: Corpus) -> Iterator[str]:
    for word in corpus.vocabulary:
        if not word or "\n" in word or "\r" in word:
            raise InputError(f"words must not be empty nor have line ends in a file of words: got {word!r}", got=word)
        yield word


def write_metadata(corpus: Corpus, file: BinaryIO) -> None:
    """Write labels, targets, ids and dates as JSON lines."""
    write_lines(file, map(to_json_line, metadata_records(corpus)))


def has_metadata(corpus: Corpus) -> bool:
    """Whether there is anything to write to the file of documents."""
    return any(value is not None for value in (corpus.ids, corpus.labels, corpus.targets, corpus.dates))
