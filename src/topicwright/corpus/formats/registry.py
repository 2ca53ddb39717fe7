"""Which format a file has, and reading any of them."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import PurePath
from typing import Any

from ...errors import InputError
from ..constructors import PRUNING
from ..corpus import Corpus
from ..documents import Document, FieldNames, build_corpus, check_on_error
from .files import Source, source_name, split_compression

DOCUMENT_FORMATS = ("jsonl", "csv", "tsv", "parquet", "text", "mallet")
BAG_FORMATS = ("uci", "ldac")
FORMATS = DOCUMENT_FORMATS + BAG_FORMATS

_SUFFIXES = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".txt": "text",
    ".text": "text",
    ".mallet": "mallet",
    ".uci": "uci",
    ".ldac": "ldac",
}


def iter_documents(
    source: Source,
    format: str | None = None,
    *,
    text: str = "text",
    labels: str | None = "labels",
    target: str | None = None,
    id: str | None = "id",
    date: str | None = None,
    optional: Collection[str] = (),
    label_separator: str | None = None,
    delimiter: str | None = None,
    on_error: str = "raise",
) -> Iterator[Document]:
    """The documents of a file of any size, one at a time.

    Parameters
    ----------
    source : path, "-" for standard input, or an open file
        Packed files (.gz, .xz, .bz2, .zst) are unpacked while they are read.
    format : {"jsonl", "csv", "tsv", "parquet", "text", "mallet"}, optional
        By default the suffix tells.
    text, labels, target, id, date : str
        Names of fields or columns. Labels and ids under their default names may be missing.
    optional : list of {"labels", "target", "id", "date"}
        What may be missing under any name.
    label_separator : str, optional
        Splits a string of several labels; by default "|" in CSV and TSV.
    delimiter : str, optional
        Between the fields of CSV; by default a comma, semicolon or tab, whichever the first line has.
    on_error : {"raise", "skip"}
        What to do at a bad line: stop, or skip it and tell the number of such lines in one warning at the
        end.

    Examples
    --------
    >>> import io
    >>> from topicwright.corpus import iter_documents
    >>> file = io.StringIO('{"text": "red apples", "labels": ["fruit"]}')
    >>> [(d.text, d.labels) for d in iter_documents(file, "jsonl")]
    [('red apples', ('fruit',))]
    """
    from . import readers

    check_on_error(on_error)
    kind = format_of(source, format)
    separator = label_separator or ("|" if kind in ("csv", "tsv") else None)
    fields = FieldNames(text, labels, target, id, separator, date).with_optional(optional)
    if kind in BAG_FORMATS:
        raise InputError(f"{source_name(source)}: format {kind!r} holds counts, not texts: use read_corpus")
    if kind in ("csv", "tsv"):
        return readers.read_csv(source, fields, on_error, delimiter or ("\t" if kind == "tsv" else None))
    if kind == "jsonl":
        return readers.read_jsonl(source, fields, on_error)
    if kind == "parquet":
        return readers.read_parquet(source, fields, on_error)
    if fields.required() != ["text"]:
        raise InputError(f"format {kind!r} has no named fields: got {', '.join(fields.required())}")
    return readers.read_text(source, on_error) if kind == "text" else readers.read_mallet(source, on_error)


def read_corpus(source: Source, format: str | None = None, **options: Any) -> Corpus:
    """The corpus in a file: options are those of ``iter_documents`` and of ``Corpus.from_texts``.

    The formats that hold counts ("uci", "ldac") have files that go with them, ``vocab`` and ``docs``, which
    are found by their names where they are not given; and options that cut texts mean nothing to them.

    >>> import io
    >>> from topicwright.corpus import read_corpus
    >>> read_corpus(io.StringIO("red apples\\ngreen apples"), "text").n_words
    3
    """
    kind = format_of(source, format)
    if kind in BAG_FORMATS:
        folder = options.pop("store", None)
        corpus = _read_bags(source, kind, **options)
        return corpus if folder is None else _stored(corpus, folder)
    reading = {name: options.pop(name) for name in _READING & options.keys()}
    return build_corpus(_some(iter_documents(source, kind, **reading), source), **options)


def _some(documents: Iterator[Document], source: Source) -> Iterator[Document]:
    """The documents; an error where there is none."""
    first = next(documents, None)
    if first is None:
        raise InputError(f"{source_name(source)}: there is no document in it")
    yield first
    yield from documents


def _read_bags(
    source: Source,
    kind: str,
    *,
    vocab: Source | None = None,
    docs: Source | None = None,
    labels: str | None = "labels",
    target: str | None = None,
    id: str | None = "id",
    date: str | None = None,
    optional: Collection[str] = (),
    **options: Any,
) -> Corpus:
    from ..build import align, text_options
    from ..tokenizer import differs
    from .bag_of_words import from_ldac, from_uci
    from .sidecars import find_sidecar, read_metadata

    defaults = dict(text_options.__kwdefaults__ or {})
    given = {
        name: value for name, value in options.items() if name not in _READING and differs(value, defaults.get(name))
    }
    vocabulary, pruning = given.pop("vocabulary", None), {n: given.pop(n) for n in PRUNING & given.keys()}
    if given:
        raise InputError(f"format {kind!r} holds counts, so it takes no option {', '.join(given)}")
    docs = docs or find_sidecar(source, "docs")
    corpus = from_uci(source, vocab) if kind == "uci" else from_ldac(source, vocab)
    if docs is not None:
        corpus = read_metadata(corpus, docs, FieldNames(None, labels, target, id, date=date).with_optional(optional))
    if vocabulary is not None:
        corpus = align(corpus, vocabulary).corpus
    return corpus.prune(**pruning) if pruning else corpus


def _stored(corpus: Corpus, folder: str | os.PathLike[str]) -> Corpus:
    corpus.store(folder)
    return Corpus.open(folder)


_READING = set(iter_documents.__kwdefaults__ or ())


def format_of(source: Any, format: str | None = None, known: tuple[str, ...] = FORMATS, option: str = "format") -> str:
    """The format named, or told by the suffix; an error that lists the known ones, and names the option for it."""
    if format is None:
        format = _guessed(source)
    if format not in known:
        got = f"{format!r}" if format else f"the name {source_name(source)!r}, which does not tell"
        raise InputError(f"{option} must be one of {', '.join(known)}: got {got}")
    return format


def _guessed(source: Any) -> str:
    if not isinstance(source, (str, os.PathLike)) and not isinstance(getattr(source, "name", None), str):
        return ""
    return suffix_format(source_name(source))


def suffix_format(path: str) -> str:
    """The format that the name of a file tells, or nothing."""
    name = split_compression(PurePath(path).name)[0]
    return "uci" if "docword" in name else _SUFFIXES.get(PurePath(name).suffix.lower(), "")
