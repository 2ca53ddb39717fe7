"""Blei's lda-c format: one document per line, as its number of pairs and the pairs ``word:count``, from 0."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from ...errors import InputError
from ..corpus import Corpus
from .counts import build_from_pairs, check_pairs, find_words, parse_integers
from .files import Source, read_lines, source_name, write_lines
from .registry import Format, register


def read_ldac(source: Source, vocab: Any = None, **metadata: Any) -> Corpus:
    """See ``Corpus.from_ldac``."""
    name = source_name(source)
    documents = (_parse_line(line, f"{name}, line {number}") for number, line in read_lines(source))
    return build_from_pairs(documents, find_words(source, vocab), name, metadata)


def _parse_line(line: bytes, where: str) -> list[int]:
    numbers = parse_integers(line.replace(b":", b" ").split(), where)
    pairs = numbers[1:]
    if not numbers or line.count(b":") != numbers[0] or len(pairs) != 2 * numbers[0]:
        message = f"{where}: must be a number of pairs and as many word:count: got {line[:40]!r}"
        raise InputError(message, got=line, where=where)
    return check_pairs(pairs, where)


def write_ldac(corpus: Corpus, file: BinaryIO) -> None:
    """Write the counts of each document."""
    write_lines(file, _lines(corpus))


def _lines(corpus: Corpus) -> Iterator[str]:
    for tokens in corpus:
        words, counts = np.unique(tokens, return_counts=True)
        yield " ".join([str(len(words)), *(f"{w}:{c}" for w, c in zip(words.tolist(), counts.tolist()))])


register(Format("ldac", (".ldac",), read_counts=read_ldac, write=write_ldac))
