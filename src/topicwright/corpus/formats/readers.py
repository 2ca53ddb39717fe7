"""Files of documents as streams: JSONL, CSV, Parquet, lines of text, MALLET's import format."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from ...errors import InputError, MissingExtraError
from ..documents import Document, FieldNames, parse_rows
from .files import DamagedFileError, Source, decode, open_bytes, read_lines, report_damage, source_name

_FIELD_LIMIT = 2**31 - 1
_BATCH = 1024
_ARRAY = "; an array can't be read, only one object a line: jq -c '.[]' makes such lines"


def read_jsonl(source: Source, fields: FieldNames, on_error: str = "raise") -> Iterator[Document]:
    """One JSON object a line; blank lines are passed over."""

    name = source_name(source)
    yield from parse_rows(read_lines(source), lambda line, where: json_document(line, fields, where), name, on_error)
    fields.check_seen(name)


def json_document(line: bytes, fields: FieldNames, where: str) -> Document | None:
    """The document of a line of JSON; None for a blank line."""
    return fields.document(_json_object(line, where), where) if line.strip() else None


def read_text(source: Source, on_error: str = "raise") -> Iterator[Document]:
    """One document a line; an empty line is an empty document."""
    return parse_rows(
        read_lines(source), lambda line, where: Document(decode(line, where)), source_name(source), on_error
    )


def read_mallet(source: Source, on_error: str = "raise") -> Iterator[Document]:
    """One document a line: its id, its labels and its text, between tabs, or else between blanks.

    Between tabs there may be several labels, with blanks between them; a single "-" is no label.
    """
    return parse_rows(read_lines(source), _mallet_document, source_name(source), on_error)


def read_csv(
    source: Source, fields: FieldNames, on_error: str = "raise", delimiter: str | None = None
) -> Iterator[Document]:
    """Rows of a table with a line of column names, which tells the delimiter where none is given."""
    if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n'):
        raise InputError(f"delimiter must be one character: got {delimiter!r}")
    name = source_name(source)
    rows = _csv_rows(source, delimiter)
    _, header = next(rows, (0, []))
    if isinstance(header, InputError):
        raise header
    fields.check_columns(header, name)

    def parse(row: list[str] | InputError, where: str) -> Document:
        if isinstance(row, InputError):
            raise row
        if len(row) != len(header):
            raise InputError(f"{where}: a row must have {len(header)} fields: got {len(row)}")
        return fields.document(dict(zip(header, row)), where)

    yield from parse_rows(rows, parse, name, on_error)


def read_parquet(source: Source, fields: FieldNames, on_error: str = "raise") -> Iterator[Document]:
    """Rows of a Parquet file, a batch at a time."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "files", "reading Parquet files") from None
    name = source_name(source)
    with open_bytes(source) as file, report_damage(source):
        seekable = file if file.seekable() else io.BytesIO(file.read())
        try:
            table = pyarrow.parquet.ParquetFile(seekable)
            fields.check_columns(table.schema_arrow.names, name)
            yield from parse_rows(_parquet_rows(table, fields), fields.document, name, on_error, unit="row")
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise DamagedFileError(f"{name} is damaged or no Parquet file: {error}") from None


def _json_object(line: bytes, where: str) -> dict[str, Any]:
    try:
        record = json.loads(decode(line, where))
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: malformed JSON: {error}{_ARRAY * line.lstrip().startswith(b'[')}") from None
    if not isinstance(record, dict):
        got = f"{type(record).__name__}{_ARRAY * isinstance(record, list)}"
        raise InputError(f"{where}: a line must be a JSON object: got {got}")
    return record


def _mallet_document(line: bytes, where: str) -> Document | None:
    text = decode(line, where)
    if not text.strip():
        return None
    parts = text.split("\t", 2) if text.count("\t") >= 2 else text.split(None, 2)
    if len(parts) < 2:
        raise InputError(f"{where}: a line must have an id, a label and a text: got {len(parts)} field")
    labels = tuple(dict.fromkeys(parts[1].split()))
    return Document(parts[2] if len(parts) > 2 else "", () if labels == ("-",) else labels, id=parts[0])


def _delimiter_of(header: str) -> str:
    """A comma, unless names of columns have none between, but semicolons, tabs or bars."""
    outside = "".join(header.split('"')[::2])
    return max(",;\t|", key=outside.count)


def _csv_rows(source: Source, delimiter: str | None) -> Iterator[tuple[int, list[str] | InputError]]:
    """Rows with the number of their first line; a bad row is given as its error, since reading may go on."""
    name = source_name(source)

    def text_of(numbered: tuple[int, bytes]) -> str:
        return decode(numbered[1], f"{name}, line {numbered[0]}") + "\n"

    lines = map(text_of, read_lines(source))  # a map goes on after an error; a generator would be at its end
    header = next(lines, "")
    reader = csv.reader(chain([header], lines), delimiter=delimiter or _delimiter_of(header), strict=True)
    while True:
        number = reader.line_num + 1
        try:
            row = _with_long_fields(lambda: next(reader, None))
        except DamagedFileError:
            raise
        except InputError as error:
            yield number, error
        except csv.Error as error:
            yield number, InputError(f"{name}, line {number}: malformed CSV: {error}")
        else:
            if row is None:
                return
            if row:
                yield number, row


def _with_long_fields(read: Callable[[], list[str] | None]) -> list[str] | None:
    """A text may be longer than the 131,072 characters that the csv module allows; its limit is global."""
    limit = csv.field_size_limit(_FIELD_LIMIT)
    try:
        return read()
    finally:
        csv.field_size_limit(limit)


def _parquet_rows(table: Any, fields: FieldNames) -> Iterator[tuple[int, dict[str, Any]]]:
    wanted = [name for name in fields.names().values() if name in table.schema_arrow.names]
    number = 0
    for batch in table.iter_batches(batch_size=_BATCH, columns=wanted):
        for record in batch.to_pylist():
            number += 1
            yield number, record
