"""Parquet: one row per document, with columns for its text, labels, target, id and date. Needs ``pyarrow``."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from ...errors import MissingExtraError
from ..documents import Document, FieldNames, parse_rows
from .files import DamagedFileError, Source, open_bytes, report_damage, source_name
from .registry import Format, ReadOptions, register

_BATCH_ROWS = 1024


def read_parquet(source: Source, options: ReadOptions) -> Iterator[Document]:
    """Documents of a Parquet file, which is read in batches of rows."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "files", "reading Parquet files") from None
    name, fields = source_name(source), options.fields
    with open_bytes(source) as file, report_damage(source):
        seekable = file if file.seekable() else io.BytesIO(file.read())
        try:
            table = pyarrow.parquet.ParquetFile(seekable)
            fields.check_columns(table.schema_arrow.names, name)
            yield from parse_rows(_records(table, fields), fields.document, name, options.on_error, unit="row")
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise DamagedFileError(f"{name} is damaged or no Parquet file: {error}", where=name) from None


def _records(table: Any, fields: FieldNames) -> Iterator[tuple[int, dict[str, Any]]]:
    wanted = [name for name in fields.names().values() if name in table.schema_arrow.names]
    number = 0
    for batch in table.iter_batches(batch_size=_BATCH_ROWS, columns=wanted):
        for record in batch.to_pylist():
            number += 1
            yield number, record


register(Format("parquet", (".parquet", ".pq"), read_documents=read_parquet, signature=b"PAR1"))
