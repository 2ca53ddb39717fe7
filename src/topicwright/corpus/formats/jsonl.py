"""JSON lines: one JSON object per document, with its text, labels, target, id and date."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from ...errors import InputError
from ..corpus import Corpus
from ..documents import Document, FieldNames, parse_rows
from .files import Source, decode, read_lines, source_name, write_lines
from .registry import Format, ReadOptions, register

_ARRAY_HINT = "; an array can't be read, only one object a line: jq -c '.[]' makes such lines"
_BLANKS = re.compile(r"\s+")


def read_jsonl(source: Source, options: ReadOptions) -> Iterator[Document]:
    """Documents of a file with one JSON object per line; blank lines are skipped."""
    name, fields = source_name(source), options.fields

    def parse(line: bytes, where: str) -> Document | None:
        return parse_json_document(line, fields, where)

    yield from parse_rows(read_lines(source), parse, name, options.on_error)
    fields.check_seen(name)


def parse_json_document(line: bytes, fields: FieldNames, where: str) -> Document | None:
    """Document of one line of JSON; None for a blank line."""
    return fields.document(_parse_object(line, where), where) if line.strip() else None


def _parse_object(line: bytes, where: str) -> dict[str, Any]:
    text = decode(line, where)
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        hint = _ARRAY_HINT * line.lstrip().startswith(b"[")
        raise InputError(f"{where}: malformed JSON: {error}{hint}", where=where) from None
    if not isinstance(record, dict):
        got = f"{type(record).__name__}{_ARRAY_HINT * isinstance(record, list)}"
        raise InputError(f"{where}: a line must be a JSON object: got {got}", got=type(record), where=where)
    return record


def write_jsonl(corpus: Corpus, file: BinaryIO) -> None:
    """Write the words of each document, separated by blanks, with its metadata."""
    records = ({"text": joined_words(corpus, row)} | metadata for row, metadata in enumerate(metadata_records(corpus)))
    write_lines(file, map(to_json_line, records))


def joined_words(corpus: Corpus, row: int) -> str:
    """Words of a document, separated by blanks; blanks inside a word become "_"."""
    return " ".join(_BLANKS.sub("_", word) for word in corpus.words(row))


def metadata_records(corpus: Corpus) -> Iterator[dict[str, Any]]:
    """Id, labels, target and date of each document, as JSON has them: NaN and NaT are null."""
    targets = None if corpus.targets is None else corpus.targets.astype(object)
    if targets is not None:
        targets[targets != targets] = None
    for row in range(corpus.n_docs):
        record: dict[str, Any] = {}
        if corpus.ids is not None:
            record["id"] = corpus.ids[row]
        if corpus.labels is not None:
            record["labels"] = list(corpus.labels[row])
        if targets is not None:
            record["target"] = targets[row].tolist() if targets.ndim == 2 else targets[row]
        if corpus.dates is not None:
            record["date"] = None if np.isnat(corpus.dates[row]) else str(corpus.dates[row])
        yield record


def to_json_line(record: dict[str, Any]) -> str:
    """Record as one line of JSON."""
    return json.dumps(record, ensure_ascii=False)


register(Format("jsonl", (".jsonl", ".ndjson", ".json"), read_documents=read_jsonl, write=write_jsonl))
