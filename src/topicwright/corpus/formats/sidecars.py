"""Files that belong to a file of counts: its words, and the metadata of its documents.

cora.docword.txt.gz   cora.vocab.txt.gz   cora.docs.jsonl.gz
docword.nips.txt      vocab.nips.txt      docs.nips.jsonl
news.ldac             news.vocab.txt      news.docs.jsonl
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from ...errors import InputError
from ..corpus import Corpus
from ..documents import FieldNames, with_metadata
from .files import COMPRESSIONS, Source, decode, read_lines, source_name, split_compression, write_lines
from .jsonl import metadata_records, read_jsonl, to_json_line
from .registry import ReadOptions

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
