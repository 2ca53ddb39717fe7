"""Registry of file formats: which formats there are, and which one a file has."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, BinaryIO, NamedTuple

from ...errors import InputError
from ..corpus import Corpus
from ..documents import Document, FieldNames
from .files import Source, open_bytes, source_name, split_compression


class ReadOptions(NamedTuple):
    """Options of a reader of documents.

    Parameters
    ----------
    fields : FieldNames
        Names of the fields or columns to read.
    on_error : {"raise", "skip"}
        What to do at a bad line.
    delimiter : str, optional
        Character between the fields of a table.
    """

    fields: FieldNames
    on_error: str = "raise"
    delimiter: str | None = None


@dataclass(frozen=True)
class Format:
    """One file format of corpora. It has a reader of documents or a reader of word counts.

    Parameters
    ----------
    name : str
        Name by which ``read_corpus`` and the command line know the format.
    suffixes : tuple of str
        Suffixes of file names, such as ``".csv"``, without those of compression.
    read_documents : callable, optional
        ``(source, ReadOptions) -> iterator of Document``.
    read_counts : callable, optional
        ``(source, vocab, **metadata) -> Corpus``. The words are in a second file, see ``sidecars``.
    write : callable, optional
        ``(corpus, binary file) -> None``. Formats of counts get their second and third file from ``write_corpus``.
    has_fields : bool
        Whether documents have named fields.
    label_separator : str, optional
        Default separator of several labels in one string.
    name_part : str
        Part of a file name that determines the format, whatever the suffix is.
    signature : bytes
        First bytes of every file of the format. They determine the format if the file name does not.
    """

    name: str
    suffixes: tuple[str, ...]
    read_documents: Callable[[Source, ReadOptions], Iterator[Document]] | None = None
    read_counts: Callable[..., Corpus] | None = None
    write: Callable[[Corpus, BinaryIO], None] | None = None
    has_fields: bool = True
    label_separator: str | None = None
    name_part: str = ""
    signature: bytes = b""

    @property
    def holds_counts(self) -> bool:
        """Whether files hold word counts and not documents."""
        return self.read_counts is not None


_FORMATS: dict[str, Format] = {}


def register(format: Format) -> None:
    """Add a format to the registry.

    >>> from topicwright.corpus.formats.registry import Format, register
    >>> register(Format("csv", (".csv",)))
    Traceback (most recent call last):
    ValueError: a format must have a reader, a new name and new suffixes: csv
    """
    taken = {suffix for other in _FORMATS.values() for suffix in other.suffixes}
    has_reader = (format.read_documents is None) != (format.read_counts is None)
    if not has_reader or format.name in _FORMATS or taken.intersection(format.suffixes):
        raise ValueError(f"a format must have a reader, a new name and new suffixes: {format.name}")
    _FORMATS[format.name] = format


def get_format(name: str) -> Format:
    """Registered format of this name."""
    return _FORMATS[name]


def format_names(*, counts: bool | None = None, writable: bool = False) -> tuple[str, ...]:
    """Names of the registered formats in alphabetical order, documents before counts.

    Parameters
    ----------
    counts : bool, optional
        Only formats of word counts (True) or of documents (False).
    writable : bool
        Only formats that can be written.
    """
    chosen = [
        format
        for format in _FORMATS.values()
        if counts in (None, format.holds_counts) and (format.write is not None or not writable)
    ]
    return tuple(format.name for format in sorted(chosen, key=lambda format: (format.holds_counts, format.name)))


def format_of(source: Any, format: str | None = None, *, writable: bool = False, parameter: str = "format") -> str:
    """Name of the format of a file: the given one, or else by the name or the contents of the file.

    Parameters
    ----------
    source : path or open file
        The file.
    format : str, optional
        Name of a format.
    writable : bool
        Whether the file is to be written.
    parameter : str
        Parameter that errors name.
    """
    known = format_names(writable=writable)
    found = format or (suffix_format(_file_name(source)) if writable else guess_format(source))
    if found not in known:
        hint = None if found else f"the name {source_name(source)!r} does not tell the format"
        expected = f"one of {', '.join(known)}"
        raise InputError(parameter=parameter, expected=expected, got=found or None, hint=hint)
    return found


def guess_format(source: Any) -> str:
    """Name of the format, by the name of the file or else by its first bytes; "" if it is unknown."""
    return suffix_format(_file_name(source)) or _signature_format(source)


def suffix_format(path: str) -> str:
    """Name of the format, by the name of a file; "" if it is unknown.

    >>> suffix_format("news.csv.gz"), suffix_format("docword.nips.txt"), suffix_format("news")
    ('csv', 'uci', '')
    """
    name = split_compression(PurePath(path).name)[0]
    suffix = PurePath(name).suffix.lower()
    for format in _FORMATS.values():
        if format.name_part and format.name_part in name:
            return format.name
    return next((format.name for format in _FORMATS.values() if suffix in format.suffixes), "")


def _file_name(source: Any) -> str:
    is_named = isinstance(source, (str, os.PathLike)) or isinstance(getattr(source, "name", None), str)
    return source_name(source) if is_named else ""


def _signature_format(source: Any) -> str:
    if not isinstance(source, (str, os.PathLike)) or not os.path.isfile(source):
        return ""  # a pipe cannot be read twice
    signed = [format for format in _FORMATS.values() if format.signature]
    with suppress(InputError), open_bytes(source) as file:
        start = file.read(max(len(format.signature) for format in signed))
        return next((format.name for format in signed if start.startswith(format.signature)), "")
    return ""
