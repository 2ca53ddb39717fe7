"""Writing a corpus: JSONL, UCI, lda-c and MALLET files, each one complete or not there at all."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..._utils.atomic import atomic_write
from ...errors import InputError
from ..corpus import Corpus
from .files import split_compression, zstd_writer
from .registry import format_of
from .sidecars import sidecar_path

WRITTEN_FORMATS = ("jsonl", "uci", "ldac", "mallet")
_WHITE = re.compile(r"\s+")
_PACKERS: dict[str, Callable[[Any], Any]] = {
    "": nullcontext,
    "gz": lambda file: gzip.GzipFile("", "wb", 6, file, mtime=0),  # no time: the same bytes every time
    "xz": partial(lzma.LZMAFile, mode="wb"),
    "bz2": partial(bz2.BZ2File, mode="wb"),
    "zst": zstd_writer,
}


def write_corpus(corpus: Corpus, path: str | os.PathLike[str], format: str | None = None) -> list[Path]:
    """Write a corpus to a file, or a few files that belong together, and tell which.

    Parameters
    ----------
    corpus : Corpus
    path : str or Path
        Packed if its suffix is .gz, .xz, .bz2 or .zst; "-" is standard output, for "jsonl" and "mallet".
    format : {"jsonl", "uci", "ldac", "mallet"}, optional
        By default the suffix tells. "jsonl" and "mallet" keep the order of words, one blank between them
        (blanks inside a word become "_"); read them again with ``token_pattern=r"\\S+", lowercase=False``.
        "uci" and "ldac" hold counts; the words go to a second file and labels, targets, ids and dates to a third.

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
    kind = format_of(path, format, WRITTEN_FORMATS)
    lines = {"jsonl": _jsonl_lines, "uci": _uci_lines, "ldac": _ldac_lines, "mallet": _mallet_lines}[kind](corpus)
    if path == "-":
        if kind not in ("jsonl", "mallet"):
            raise InputError(f"format {kind!r} needs several files and cannot go to standard output")
        _write_lines(sys.stdout.buffer, lines)
        return []
    path = Path(path)
    files = {path: lines}
    if kind in ("uci", "ldac"):
        files[sidecar_path(path, "vocab")] = _vocabulary_lines(corpus)
        if _is_known(corpus):
            files[sidecar_path(path, "docs")] = map(_json, _known(corpus))
    try:
        with ExitStack() as all_or_none:
            for name, content in files.items():
                raw = all_or_none.enter_context(atomic_write(name))
                with compress_stream(raw, name.name) as file:
                    _write_lines(file, content)
                raw.flush()  # where a disk is full, it is met before the first file takes its place
    except OSError as error:
        raise InputError(f"{error.filename or path}: {error.strerror or error}") from None
    return list(files)


def compress_stream(file: BinaryIO, name: str) -> Any:
    """The file, to be entered, as one that packs what is written to it where its name asks for that."""
    return _PACKERS[split_compression(name)[1]](file)


def _write_lines(file: BinaryIO, lines: Iterable[str]) -> None:
    try:
        for line in lines:
            file.write(line.encode("utf-8") + b"\n")
    except UnicodeEncodeError as error:
        raise InputError(f"text must be valid Unicode to be written: {error}") from None


def _jsonl_lines(corpus: Corpus) -> Iterator[str]:
    for row, known in enumerate(_known(corpus)):
        yield _json({"text": _text(corpus, row)} | known)


def _mallet_lines(corpus: Corpus) -> Iterator[str]:
    for row in range(corpus.n_docs):
        name = str(row) if corpus.ids is None else corpus.ids[row]
        labels = () if corpus.labels is None else corpus.labels[row]
        if tuple(labels) == ("-",):
            raise InputError("a label can't be called '-' in MALLET's format, where it stands for none")
        for value in (name, *labels):
            if not value or _WHITE.search(value):
                raise InputError(f"ids and labels must have no blanks in MALLET's format: got {value!r}")
        yield f"{name}\t{' '.join(labels) or '-'}\t{_text(corpus, row)}"


def _uci_lines(corpus: Corpus) -> Iterator[str]:
    counts = corpus.to_matrix()
    yield from (str(corpus.n_docs), str(corpus.n_words), str(counts.nnz))
    rows = np.repeat(np.arange(1, corpus.n_docs + 1), np.diff(counts.indptr))
    for row, word, count in zip(rows.tolist(), (counts.indices + 1).tolist(), counts.data.tolist()):
        yield f"{row} {word} {count}"


def _ldac_lines(corpus: Corpus) -> Iterator[str]:
    for tokens in corpus:
        words, counts = np.unique(tokens, return_counts=True)
        yield " ".join([str(len(words)), *(f"{w}:{c}" for w, c in zip(words.tolist(), counts.tolist()))])


def _vocabulary_lines(corpus: Corpus) -> Iterator[str]:
    for word in corpus.vocabulary:
        if not word or "\n" in word or "\r" in word:
            raise InputError(f"words must not be empty nor have line ends in a file of words: got {word!r}")
        yield word


def _text(corpus: Corpus, row: int) -> str:
    return " ".join(_WHITE.sub("_", word) for word in corpus.words(row))


def _is_known(corpus: Corpus) -> bool:
    return any(known is not None for known in (corpus.ids, corpus.labels, corpus.targets, corpus.dates))


def _known(corpus: Corpus) -> Iterator[dict[str, Any]]:
    """What is known about each document, as JSON has it: NaN and NaT are null."""
    targets = None if corpus.targets is None else corpus.targets.astype(object)
    if targets is not None:
        targets[targets != targets] = None
    for row in range(corpus.n_docs):
        known: dict[str, Any] = {}
        if corpus.ids is not None:
            known["id"] = corpus.ids[row]
        if corpus.labels is not None:
            known["labels"] = list(corpus.labels[row])
        if targets is not None:
            known["target"] = targets[row].tolist() if targets.ndim == 2 else targets[row]
        if corpus.dates is not None:
            known["date"] = None if np.isnat(corpus.dates[row]) else str(corpus.dates[row])
        yield known


def _json(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False)
