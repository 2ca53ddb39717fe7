"""Corpora from bags of words: UCI's docword files, Blei's lda-c files, gensim's lists of pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ..corpus import Corpus
from ..inputs import MAX_COUNT, default_words, expand_counts
from ..vocabulary import WordIndex
from .files import BYTE_ORDER_MARK, Source, open_bytes, read_lines, report_damage, source_name
from .sidecars import words_for

_CHUNK = 1 << 22
_Ints = NDArray[np.int64]


def from_uci(docword: Source, vocab: Any = None, **known: Any) -> Corpus:
    """See ``Corpus.from_uci``."""
    words = words_for(docword, vocab)
    name = source_name(docword)
    if words is None:
        raise InputError(f"vocab must be given: there is no file of words beside {name}")
    (n_docs, n_words, _), entries = _read_uci(docword)
    if len(words) != n_words:
        raise InputError(
            f"{name}: vocab must have as many words as the header says: got {len(words)}, expected {n_words}"
        )
    docs, ids, counts = entries.T
    _check_range(docs, n_docs, "document", name)
    _check_range(ids, n_words, "word", name)
    _check_range(counts, MAX_COUNT, "count", name)
    if n_docs > 1000 * (len(docs) + 1000):
        raise InputError(f"{name}: the header must be wrong: {n_docs} documents with {len(docs)} entries")
    order = np.argsort(docs, kind="stable")
    starts = np.searchsorted(docs[order], np.arange(1, n_docs + 2))
    return Corpus(*expand_counts(counts[order], ids[order] - 1, starts), WordIndex(words).words, **known)


def from_ldac(source: Source, vocab: Any = None, **known: Any) -> Corpus:
    """See ``Corpus.from_ldac``."""
    name = source_name(source)
    bags = (_ldac_pairs(line, f"{name}, line {number}") for number, line in read_lines(source))
    return _from_pairs(bags, words_for(source, vocab), name, known)


def from_gensim(documents: Any, id2word: Any = None, **known: Any) -> Corpus:
    """See ``Corpus.from_gensim``."""
    if isinstance(documents, (str, bytes)) or not isinstance(documents, Iterable):
        raise InputError(f"documents must be lists of (id, count): got {type(documents).__name__}")
    bags = (_gensim_pairs(bag, f"document {position}") for position, bag in enumerate(documents))
    if id2word is None or not hasattr(id2word, "keys"):
        return _from_pairs(bags, None if id2word is None else list(id2word), "documents", known)
    keys = list(id2word.keys())  # gensim's Dictionary iterates otherwise
    if stranger := [key for key in keys if not isinstance(key, (int, np.integer))]:
        raise InputError(f"id2word must have a word for each id: got the key {stranger[0]!r}")
    ids = sorted(map(int, keys))
    return _from_pairs(bags, [str(id2word[i]) for i in ids], "documents", known, {i: n for n, i in enumerate(ids)})


# ---------------------------------------------------------------------- UCI


def _read_uci(source: Source) -> tuple[list[int], _Ints]:
    name = source_name(source)
    with open_bytes(source) as file, report_damage(source):
        header = [_header_number(file.readline(), i, name) for i in range(1, 4)]
        parts = [np.empty((0, 3), dtype=np.int64)]
        line = 4
        for chunk in iter(lambda: file.read(_CHUNK) + file.readline(), b""):
            parts.append(_uci_entries(chunk, line, name))
            line += chunk.count(b"\n")
    entries = np.concatenate(parts)
    if len(entries) != header[2]:
        raise InputError(
            f"{name}: must have as many entries as its header says: got {len(entries)}, expected {header[2]}"
        )
    return header, entries


def _header_number(line: bytes, number: int, name: str) -> int:
    what = ("documents", "words", "entries")[number - 1]
    try:
        value = int(line.removeprefix(BYTE_ORDER_MARK))
    except ValueError:
        value = -1
    if not 0 <= value <= MAX_COUNT:
        raise InputError(f"{name}, line {number}: the number of {what} must be a whole number: got {line[:40]!r}")
    return value


def _uci_entries(chunk: bytes, first_line: int, name: str) -> _Ints:
    """All lines of a chunk at once; line by line only to find the one that is wrong."""
    try:
        entries = np.array(list(map(int, chunk.split())), dtype=np.int64).reshape(-1, 3)
        if _has_three_a_line(chunk):
            return entries
    except (ValueError, OverflowError):
        pass
    rows = [
        _uci_entry(line, f"{name}, line {i}") for i, line in enumerate(chunk.split(b"\n"), first_line) if line.strip()
    ]
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def _has_three_a_line(chunk: bytes) -> bool:
    codes = np.frombuffer(chunk.removesuffix(b"\n") + b"\n", dtype=np.uint8)
    blanks = np.cumsum(codes == ord(" "))[codes == ord("\n")]
    return bool(np.all(np.diff(blanks, prepend=0) == 2))


def _uci_entry(line: bytes, where: str) -> list[int]:
    numbers = _whole_numbers(line.split(), where)
    if len(numbers) != 3:
        raise InputError(f"{where}: must be a document, a word and a count: got {line[:40]!r}")
    return numbers


def _check_range(values: _Ints, highest: int, what: str, name: str) -> None:
    wrong = (values < 1) | (values > highest)
    if wrong.any():
        first = int(np.argmax(wrong))
        raise InputError(f"{name}, entry {first + 1}: {what} must be from 1 to {highest}: got {values[first]}")


# ---------------------------------------------------------------------- lists of pairs


def _from_pairs(
    bags: Iterable[list[int]],
    words: list[str] | None,
    name: str,
    known: Mapping[str, Any],
    position: Mapping[int, int] | None = None,
) -> Corpus:
    """The corpus of bags that are each one flat list: id, count, id, count, ..."""
    flat, lengths = [np.empty(0, dtype=np.int64)], [0]
    for bag in bags:
        flat.append(np.array(bag, dtype=np.int64))
        lengths.append(len(bag) // 2)
    if len(lengths) == 1:
        raise InputError(f"{name}: a corpus must have at least one document: got none")
    pairs = np.concatenate(flat).reshape(-1, 2)
    ids = pairs[:, 0] if position is None else _positions(pairs[:, 0], position, name)
    n_words = int(ids.max(initial=-1)) + 1
    words = default_words(n_words) if words is None else words
    if n_words > len(words):
        raise InputError(f"{name}: word ids must be below the size of the vocabulary ({len(words)}): got {n_words - 1}")
    return Corpus(*expand_counts(pairs[:, 1], ids, np.cumsum(lengths)), WordIndex(words).words, **known)


def _positions(ids: _Ints, position: Mapping[int, int], name: str) -> _Ints:
    try:
        return np.array([position[i] for i in ids.tolist()], dtype=np.int64)
    except KeyError as error:
        raise InputError(f"{name}: every id must have a word in id2word: got {error}") from None


def _ldac_pairs(line: bytes, where: str) -> list[int]:
    numbers = _whole_numbers(line.replace(b":", b" ").split(), where)
    pairs = numbers[1:]
    if not numbers or line.count(b":") != numbers[0] or len(pairs) != 2 * numbers[0]:
        raise InputError(f"{where}: must be a number of pairs and as many word:count: got {line[:40]!r}")
    return _checked_pairs(pairs, where)


def _gensim_pairs(bag: Any, where: str) -> list[int]:
    try:
        pairs = [(word, count) for word, count in bag]
        numbers = [int(number) for number in chain.from_iterable(pairs)]
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{where} must be a list of (id, count): got {bag!r:.60}") from None
    if numbers != list(chain.from_iterable(pairs)):
        raise InputError(f"{where}: ids and counts must be whole numbers: got {bag!r:.60}")
    return _checked_pairs(numbers, where)


def _checked_pairs(pairs: list[int], where: str) -> list[int]:
    for word, count in zip(pairs[::2], pairs[1::2]):
        if not 0 <= word <= MAX_COUNT or not 1 <= count <= MAX_COUNT:
            raise InputError(f"{where}: ids must be from 0 and counts from 1 to {MAX_COUNT}: got {word}:{count}")
    return pairs


def _whole_numbers(fields: Iterable[bytes], where: str) -> list[int]:
    try:
        numbers = [int(field) for field in fields]
    except ValueError:
        raise InputError(f"{where}: must be whole numbers") from None
    if any(abs(number) > MAX_COUNT for number in numbers):
        raise InputError(f"{where}: numbers must be at most {MAX_COUNT}")
    return numbers
