"""MALLET's import format: one document per line, with an id, labels and a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from ...errors import InputError
from ..corpus import Corpus
from ..documents import Document, parse_rows
from .files import Source, decode, read_lines, source_name, write_lines
from .jsonl import joined_words
from .registry import Format, ReadOptions, register

_NO_LABEL = "-"
_BLANKS = re.compile(r"\s")


def read_mallet(source: Source, options: ReadOptions) -> Iterator[Document]:
    """Documents of a file of lines: id, labels and text, separated by tabs or else by blanks.

    Between tabs there may be several labels, separated by blanks; a single "-" is no label.
    """
    return parse_rows(read_lines(source), _parse_line, source_name(source), options.on_error)


def _parse_line(line: bytes, where: str) -> Document | None:
    text = decode(line, where)
    if not text.strip():
        return None
    parts = text.split("\t", 2) if text.count("\t") >= 2 else text.split(None, 2)
    if len(parts) < 2:
        raise InputError(f"{where}: a line must have an id, a label and a text: got {len(parts)} field", where=where)
    labels = tuple(dict.fromkeys(parts[1].split()))
    return Document(parts[2] if len(parts) > 2 else "", () if labels == (_NO_LABEL,) else labels, id=parts[0])


def write_mallet(corpus: Corpus, file: BinaryIO) -> None:
    """Write id, labels and words of each document, separated by tabs."""
    write_lines(file, _lines(corpus))


def _lines(corpus: Corpus) -> Iterator[str]:
    for row in range(corpus.n_docs):
        name = str(row) if corpus.ids is None else corpus.ids[row]
        labels = () if corpus.labels is None else corpus.labels[row]
        if tuple(labels) == (_NO_LABEL,):
            raise InputError("a label can't be called '-' in MALLET's format, where it means no label", got=_NO_LABEL)
        for value in (name, *labels):
            if not value or _BLANKS.search(value):
                raise InputError(f"ids and labels must have no blanks in MALLET's format: got {value!r}", got=value)
        yield f"{name}\t{' '.join(labels) or _NO_LABEL}\t{joined_words(corpus, row)}"


register(Format("mallet", (".mallet",), read_documents=read_mallet, write=write_mallet, has_fields=False))
