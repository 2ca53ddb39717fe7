"""Reading and writing corpus files of any registered format."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

from ..._utils.atomic import atomic_write
from ...errors import InputError
from ..build import align, text_options
from ..constructors import PRUNING
from ..corpus import Corpus
from ..documents import Document, FieldNames, build_corpus, check_on_error
from ..tokenizer import differs
from .counts import find_sidecar, has_metadata, read_metadata, sidecar_path, write_metadata, write_vocabulary
from .files import Source, compress_stream, source_name
from .registry import Format, ReadOptions, format_of, get_format


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
    """Documents of a file of any size, one at a time.

    Parameters
    ----------
    source : path, "-" for standard input, or an open file
        Compressed files (.gz, .xz, .bz2, .zst) are decompressed while they are read.
    format : str, optional
        Name of a format of documents, such as "jsonl" or "csv"; see ``topicwright.corpus.FORMATS``. By default the
        file name decides.
    text, labels, target, id, date : str
        Names of fields or columns. Labels and ids under their default names may be missing.
    optional : list of {"labels", "target", "id", "date"}
        What may be missing under any name.
    label_separator : str, optional
        Splits a string of several labels; by default "|" in CSV and TSV.
    delimiter : str, optional
        Between the fields of CSV; by default a comma, semicolon or tab, whichever the first line has.
    on_error : {"raise", "skip"}
        What to do at a bad line: raise an error, or skip it and warn once at the end with the number of such lines.

    Yields
    ------
    Document
        Text and metadata of one document.

    Examples
    --------
    >>> import io
    >>> from topicwright.corpus import iter_documents
    >>> file = io.StringIO('{"text": "red apples", "labels": ["fruit"]}')
    >>> [(d.text, d.labels) for d in iter_documents(file, "jsonl")]
    [('red apples', ('fruit',))]
    """
    check_on_error(on_error)
    chosen = get_format(format_of(source, format))
    separator = label_separator or chosen.label_separator
    fields = FieldNames(text, labels, target, id, separator, date).with_optional(optional)
    if chosen.read_documents is None:
        name = source_name(source)
        raise InputError(f"{name}: format {chosen.name!r} holds counts, not texts: use read_corpus", where=name)
    if not chosen.has_fields and list(fields.required()) != ["text"]:
        names = ", ".join(fields.required().values())
        raise InputError(f"format {chosen.name!r} has no named fields: got {names}", parameter="format")
    return chosen.read_documents(source, ReadOptions(fields, on_error, delimiter))


_READ_OPTIONS = frozenset(iter_documents.__kwdefaults__ or ())


def read_corpus(source: Source, format: str | None = None, **options: Any) -> Corpus:
    """Corpus of a file.

    Parameters
    ----------
    source : path, "-" for standard input, or an open file
        The file.
    format : str, optional
        Name of a format; see ``topicwright.corpus.FORMATS``. By default the file name decides.
    **options
        Options of ``iter_documents`` and of ``Corpus.from_texts``. Formats of word counts ("ldac", "mtx", "uci") also
        take ``vocab`` and ``docs``, the files of words and of metadata, which are otherwise found by their names; they
        take no options that tokenize texts.

    Returns
    -------
    Corpus

    Examples
    --------
    >>> import io
    >>> from topicwright.corpus import read_corpus
    >>> read_corpus(io.StringIO("red apples\\ngreen apples"), "text").n_words
    3
    """
    chosen = get_format(format_of(source, format))
    if chosen.read_counts is not None:
        folder = options.pop("store", None)
        corpus = _read_counts(source, chosen, **options)
        return corpus if folder is None else _store(corpus, folder)
    reading = {name: options.pop(name) for name in _READ_OPTIONS & options.keys()}
    return build_corpus(_require_documents(iter_documents(source, chosen.name, **reading), source), **options)


def _require_documents(documents: Iterator[Document], source: Source) -> Iterator[Document]:
    first = next(documents, None)
    if first is None:
        name = source_name(source)
        raise InputError(f"{name}: the file contains no documents", where=name)
    yield first
    yield from documents


def _read_counts(
    source: Source,
    chosen: Format,
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
    assert chosen.read_counts is not None
    vocabulary, pruning = _count_options(chosen.name, options)
    docs = docs or find_sidecar(source, "docs")
    corpus = chosen.read_counts(source, vocab)
    if docs is not None:
        corpus = read_metadata(corpus, docs, FieldNames(None, labels, target, id, date=date).with_optional(optional))
    if vocabulary is not None:
        corpus = align(corpus, vocabulary).corpus
    return corpus.prune(**pruning) if pruning else corpus


def _count_options(name: str, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Vocabulary and pruning among options of texts; an error for others that differ from their defaults."""
    defaults = dict(text_options.__kwdefaults__ or {})
    given = {
        option: value
        for option, value in options.items()
        if option not in _READ_OPTIONS and differs(value, defaults.get(option))
    }
    vocabulary, pruning = (
        given.pop("vocabulary", None),
        {option: given.pop(option) for option in PRUNING & given.keys()},
    )
    if given:
        rejected = ", ".join(f"`{option}`" for option in given)
        raise InputError(f"format {name!r} holds counts, so it takes no option {rejected}", parameter=next(iter(given)))
    return vocabulary, pruning


def _store(corpus: Corpus, folder: str | os.PathLike[str]) -> Corpus:
    corpus.store(folder)
    return Corpus.open(folder)


def write_corpus(corpus: Corpus, path: str | os.PathLike[str], format: str | None = None) -> list[Path]:
    """Write a corpus to a file, or to a few files that belong together. A failure leaves the old files.

    Parameters
    ----------
    corpus : Corpus
        The corpus.
    path : str or Path
        Compressed if its suffix is .gz, .xz, .bz2 or .zst; "-" is standard output, for "jsonl" and "mallet".
    format : str, optional
        Name of a format that can be written. By default the file name decides. "jsonl" and "mallet" keep the order of
        words, one blank between them (blanks inside a word become "_"); read them again with
        ``token_pattern=r"\\S+", lowercase=False``. Others, such as "ldac" and "mtx", hold counts;
        the words go to a second file and labels, targets, ids and dates to a third.

    Returns
    -------
    list of Path
        The files that were written.

    Examples
    --------
    >>> import tempfile
    >>> from topicwright.corpus import Corpus, read_corpus, write_corpus
    >>> folder = tempfile.TemporaryDirectory()
    >>> paths = write_corpus(Corpus.from_texts(["red apples"], ids=["a"]), f"{folder.name}/fruit.ldac")
    >>> [path.name for path in paths]
    ['fruit.ldac', 'fruit.vocab.txt', 'fruit.docs.jsonl']
    >>> read_corpus(paths[0]).ids
    ('a',)
    >>> folder.cleanup()
    """
    chosen = get_format(format_of(path, format, writable=True))
    assert chosen.write is not None
    if path == "-":
        if chosen.holds_counts:
            message = f"format {chosen.name!r} needs several files and cannot go to standard output"
            raise InputError(message, parameter="format", got=chosen.name)
        chosen.write(corpus, sys.stdout.buffer)
        return []
    path = Path(path)
    files: dict[Path, Callable[[Corpus, BinaryIO], None]] = {path: chosen.write}
    if chosen.holds_counts:
        files[sidecar_path(path, "vocab")] = write_vocabulary
        if has_metadata(corpus):
            files[sidecar_path(path, "docs")] = write_metadata
    _write_all(corpus, files, path)
    return list(files)


def _write_all(corpus: Corpus, files: dict[Path, Callable[[Corpus, BinaryIO], None]], path: Path) -> None:
    """Write all files or none."""
    try:
        with ExitStack() as all_or_none:
            for name, write in files.items():
                raw = all_or_none.enter_context(atomic_write(name))
                with compress_stream(raw, name.name) as file:
                    write(corpus, file)
                raw.flush()  # a full disk shows here, before the first file is replaced
    except OSError as error:
        where = str(error.filename or path)
        raise InputError(f"{where}: {error.strerror or error}", where=where) from None
