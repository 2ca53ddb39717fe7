"""Plain text: one document per line."""

from __future__ import annotations

from collections.abc import Iterator

from ..documents import Document, parse_rows
from .files import Source, decode, read_lines, source_name
from .registry import Format, ReadOptions, register


def read_text(source: Source, options: ReadOptions) -> Iterator[Document]:
    """Documents of a text file; an empty line is an empty document."""
    return parse_rows(read_lines(source), _parse_line, source_name(source), options.on_error)


def _parse_line(line: bytes, where: str) -> Document:
    return Document(decode(line, where))


register(Format("text", (".txt", ".text"), read_documents=read_text, has_fields=False))
