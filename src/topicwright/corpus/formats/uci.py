"""UCI's bag of words: three lines of sizes, then lines ``document word count``, numbered from 1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from ...errors import InputError
from ..corpus import Corpus
from ..inputs import MAX_COUNT, expand_counts
from ..vocabulary import WordIndex
from .counts import Ints, find_words, parse_integers
from .files import BYTE_ORDER_MARK, Source, open_bytes, report_damage, source_name, write_lines
from .registry import Format, register

_CHUNK_BYTES = 1 << 22
_MOST_EMPTY = 1000  # documents per entry: with more, the header is wrong and would only fill the memory


def read_uci(docword: Source, vocab: Any = None, **metadata: Any) -> Corpus:
    """See ``Corpus.from_uci``."""
    words = find_words(docword, vocab)
    name = source_name(docword)
    if words is None:
        raise InputError(f"`vocab` must be given: there is no file of words next to {name}", parameter="vocab")
    (n_docs, n_words, _), entries = _read_entries(docword)
    if len(words) != n_words:
        message = f"{name}: `vocab` must have as many words as the header says: got {len(words)}, expected {n_words}"
        raise InputError(message, parameter="vocab", got=len(words), where=name)
    docs, ids, counts = entries.T
    _check_range(docs, n_docs, "document", name)
    _check_range(ids, n_words, "word", name)
    _check_range(counts, MAX_COUNT, "count", name)
    check_header_size(n_docs, len(docs), name)
    order = np.argsort(docs, kind="stable")
    starts = np.searchsorted(docs[order], np.arange(1, n_docs + 2))
    return Corpus(*expand_counts(counts[order], ids[order] - 1, starts), WordIndex(words).words, **metadata)


def check_header_size(n_docs: int, n_entries: int, name: str) -> None:
    """Reject a header with far more documents than entries."""
    if n_docs > _MOST_EMPTY * (n_entries + 1000):
        message = f"{name}: the header must be wrong: {n_docs} documents with {n_entries} entries"
        raise InputError(message, got=n_docs, where=name)


def _read_entries(source: Source) -> tuple[list[int], Ints]:
    name = source_name(source)
    with open_bytes(source) as file, report_damage(source):
        header = [_parse_size(file.readline(), i, name) for i in range(1, 4)]
        parts = [np.empty((0, 3), dtype=np.int64)]
        line = 4
        for chunk in iter(lambda: file.read(_CHUNK_BYTES) + file.readline(), b""):
            parts.append(_parse_chunk(chunk, line, name))
            line += chunk.count(b"\n")
    entries = np.concatenate(parts)
    if len(entries) != header[2]:
        message = f"{name}: must have as many entries as its header says: got {len(entries)}, expected {header[2]}"
        raise InputError(message, got=len(entries), where=name)
    return header, entries


def _parse_size(line: bytes, number: int, name: str) -> int:
    what = ("documents", "words", "entries")[number - 1]
    try:
        value = int(line.removeprefix(BYTE_ORDER_MARK))
    except ValueError:
        value = -1
    if not 0 <= value <= MAX_COUNT:
        where = f"{name}, line {number}"
        message = f"{where}: the number of {what} must be a whole number: got {line[:40]!r}"
        raise InputError(message, got=line, where=where)
    return value


def _parse_chunk(chunk: bytes, first_line: int, name: str) -> Ints:
    """Entries of all lines of a chunk at once; line by line only to find the one that is wrong."""
    try:
        entries = np.array(list(map(int, chunk.split())), dtype=np.int64).reshape(-1, 3)
        if _has_three_per_line(chunk):
            return entries
    except (ValueError, OverflowError):
        pass
    lines = enumerate(chunk.split(b"\n"), first_line)
    rows = [_parse_line(line, f"{name}, line {number}") for number, line in lines if line.strip()]
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def _has_three_per_line(chunk: bytes) -> bool:
    codes = np.frombuffer(chunk.removesuffix(b"\n") + b"\n", dtype=np.uint8)
    blanks = np.cumsum(codes == ord(" "))[codes == ord("\n")]
    return bool(np.all(np.diff(blanks, prepend=0) == 2))


def _parse_line(line: bytes, where: str) -> list[int]:
    numbers = parse_integers(line.split(), where)
    if len(numbers) != 3:
        message = f"{where}: must be a document, a word and a count: got {line[:40]!r}"
        raise InputError(message, got=line, where=where)
    return numbers


def _check_range(values: Ints, highest: int, what: str, name: str) -> None:
    wrong = (values < 1) | (values > highest)
    if wrong.any():
        first = int(np.argmax(wrong))
        where = f"{name}, entry {first + 1}"
        message = f"{where}: {what} must be from 1 to {highest}: got {values[first]}"
        raise InputError(message, got=int(values[first]), where=where)


def write_uci(corpus: Corpus, file: BinaryIO) -> None:
    """Write sizes and counts."""
    write_lines(file, _lines(corpus))


def _lines(corpus: Corpus) -> Iterator[str]:
    counts = corpus.to_matrix()
    yield from (str(corpus.n_docs), str(corpus.n_words), str(counts.nnz))
    rows = np.repeat(np.arange(1, corpus.n_docs + 1), np.diff(counts.indptr))
    for row, word, count in zip(rows.tolist(), (counts.indices + 1).tolist(), counts.data.tolist()):
        yield f"{row} {word} {count}"


register(Format("uci", (".uci",), read_counts=read_uci, write=write_uci, name_part="docword"))
