"""The files that stand beside a file of counts: its words, and what is known about its documents.

cora.docword.txt.gz   cora.vocab.txt.gz   cora.docs.jsonl.gz
docword.nips.txt      vocab.nips.txt      docs.nips.jsonl
news.ldac             news.vocab.txt      news.docs.jsonl
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ...errors import InputError
from ..corpus import Corpus
from ..documents import FieldNames, with_metadata
from .files import Source, decode, read_lines, source_name, split_compression
from .readers import read_jsonl

_SUFFIX = {"vocab": ".txt", "docs": ".jsonl"}


def sidecar_path(path: Path, kind: str) -> Path:
    """The name of the file of words ("vocab") or of documents ("docs") that belongs to a file of counts.

    >>> sidecar_path(Path("cora.docword.txt.gz"), "docs").name
    'cora.docs.jsonl.gz'
    """
    name, packing = split_compression(path.name)
    if "docword" in name:
        name = name.removesuffix(".txt").replace("docword", kind)
    else:
        name = f"{Path(name).stem}.{kind}"
    return path.with_name(name + _SUFFIX[kind] + (f".{packing}" if packing else ""))


def find_sidecar(source: Source, kind: str) -> Path | None:
    """The companion of a file of counts if there is one, packed or not."""
    if not isinstance(source, (str, os.PathLike)) or source == "-":
        return None
    path = sidecar_path(Path(source), kind)
    plain = path.with_name(split_compression(path.name)[0])
    candidates = [
        path,
        plain,
        *(plain.with_name(f"{plain.name}.{packing}") for packing in ("gz", "xz", "bz2", "zst")),
    ]
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def read_vocabulary(source: Source) -> list[str]:
    """Words, one a line."""
    name = source_name(source)
    words = [decode(line, f"{name}, line {number}") for number, line in read_lines(source)]
    while words and not words[-1]:
        words.pop()
    return words


def words_for(counts: Source, vocab: Any) -> list[str] | None:
    """The words of a file of counts: given as words or as a file, or found beside it, or None."""
    if isinstance(vocab, (list, tuple)) or hasattr(vocab, "dtype"):
        return list(vocab)
    found = find_sidecar(counts, "vocab") if vocab is None else vocab
    return None if found is None else read_vocabulary(found)


def read_metadata(corpus: Corpus, docs: Source, fields: FieldNames) -> Corpus:
    """The corpus with the labels, targets, ids and dates in a JSONL file of its documents, line after line."""
    documents = list(read_jsonl(docs, fields))
    if len(documents) != corpus.n_docs:
        raise InputError(
            f"{source_name(docs)} must have one line per document: got {len(documents)}, expected {corpus.n_docs}"
        )
    return with_metadata(corpus, documents)
