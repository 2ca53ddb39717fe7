"""CSV and TSV tables: one row per document; the first line names the columns."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain

from ...errors import InputError
from ..documents import Document, parse_rows
from .files import DamagedFileError, Source, decode, read_lines, source_name
from .registry import Format, ReadOptions, register

_FIELD_LIMIT = 2**31 - 1
_Row = list[str] | InputError


def read_csv(source: Source, options: ReadOptions, *, default_delimiter: str | None = None) -> Iterator[Document]:
    """Documents of a table.

    The delimiter is the given one, the default one, or else the one of comma, semicolon, tab and bar that the first
    line has most of.
    """
    delimiter = options.delimiter or default_delimiter
    if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n'):
        raise InputError(parameter="delimiter", expected="one character", got=delimiter)
    name, fields = source_name(source), options.fields
    rows = _rows(source, delimiter)
    _, header = next(rows, (0, []))
    if isinstance(header, InputError):
        raise header
    fields.check_columns(header, name)

    def parse(row: _Row, where: str) -> Document:
        if isinstance(row, InputError):
            raise row
        if len(row) != len(header):
            message = f"{where}: a row must have {len(header)} fields: got {len(row)}"
            raise InputError(message, got=len(row), where=where)
        return fields.document(dict(zip(header, row)), where)

    yield from parse_rows(rows, parse, name, options.on_error)


def _rows(source: Source, delimiter: str | None) -> Iterator[tuple[int, _Row]]:
    """Rows with the number of their first line; a bad row is yielded as its error, since reading can continue."""
    name = source_name(source)

    def decode_line(numbered: tuple[int, bytes]) -> str:
        return decode(numbered[1], f"{name}, line {numbered[0]}") + "\n"

    lines = map(decode_line, read_lines(source))  # a map continues after an error; a generator would be finished
    header = next(lines, "")
    reader = csv.reader(chain([header], lines), delimiter=delimiter or _guess_delimiter(header), strict=True)
    while True:
        number = reader.line_num + 1
        try:
            row = _with_long_fields(lambda: next(reader, None))
        except DamagedFileError:
            raise
        except InputError as error:
            yield number, error
        except csv.Error as error:
            where = f"{name}, line {number}"
            yield number, InputError(f"{where}: malformed CSV: {error}", where=where)
        else:
            if row is None:
                return
            if row:
                yield number, row


def _guess_delimiter(header: str) -> str:
    """Most frequent delimiter outside quotes; a comma if there is none."""
    unquoted = "".join(header.split('"')[::2])
    return max(",;\t|", key=unquoted.count)


def _with_long_fields(read: Callable[[], list[str] | None]) -> list[str] | None:
    """Read with the module's global field limit raised: a text may be longer than its 131,072 characters."""
    limit = csv.field_size_limit(_FIELD_LIMIT)
    try:
        return read()
    finally:
        csv.field_size_limit(limit)


register(Format("csv", (".csv",), read_documents=read_csv, label_separator="|"))
register(
    Format("tsv", (".tsv",), read_documents=partial(read_csv, default_delimiter="\t"), label_separator="|"),
)
