"""Documents from files: a corpus to learn from, or batches in the words of a model."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from ..errors import InputError
from ._options import OnError
from ._outputs import check_there, is_model

if TYPE_CHECKING:
    from ..corpus import Corpus, Document
    from ..corpus.formats.files import Source
    from ..models import LDA


_FIELDS = ("text", "labels", "label_separator", "id", "date", "target")


class InputOptions(NamedTuple):
    """How to read a file of documents; None where the library's default will do."""

    format: str | None = None
    text: str | None = None
    labels: str | None = None
    label_separator: str | None = None
    id: str | None = None
    date: str | None = None
    target: str | None = None
    on_error: OnError = OnError.stop
    optional: tuple[str, ...] = ()  # what may be missing, under whatever name

    def options(self) -> dict[str, Any]:
        """What ``read_corpus`` and ``iter_documents`` are to be told."""
        fields = self._asdict()
        given = {name: fields[name] for name in _FIELDS if fields[name] is not None}
        return given | {"on_error": "skip" if self.on_error is OnError.skip else "raise", "optional": self.optional}

    def format_of(self, source: str) -> str:
        """The format of a file, named or told by its suffix."""
        from ..corpus import FORMATS
        from ..corpus.formats.registry import format_of

        if source == "-" and self.format is None:
            raise InputError(f"standard input does not tell its format: give one with --format ({', '.join(FORMATS)})")
        check_documents(source, self.format)
        return format_of(source, self.format)


class WordOptions(NamedTuple):
    """Which words to keep, as the options give it."""

    min_df: str = "1"
    max_df: str = "1.0"
    max_words: int | None = None
    stop_words: str = "none"
    ngrams: int = 1

    def options(self) -> dict[str, Any]:
        """What ``read_corpus`` is to be told."""
        return {
            "min_df": frequency("--min-df", self.min_df),
            "max_df": frequency("--max-df", self.max_df),
            "max_words": self.max_words,
            "stop_words": stop_words_of(self.stop_words),
            "ngram_range": (1, self.ngrams),
        }


class InputBatch(NamedTuple):
    """Some documents in the words of a model, what to call them, how many of their words it did not know, and texts.

    Documents that came as counts have no texts, nor have those of a whole file.
    """

    corpus: Corpus
    names: list[str | int]
    n_unknown: int
    texts: list[str] | None = None


def check_documents(source: str, format: str | None = None) -> None:
    """An error that says what to do, where a folder or a model is given for a file of documents."""
    path = Path(source)
    if source != "-":
        check_there(path)
    if path.is_dir():
        raise InputError(f"{source} is a folder, and documents are read from one file: {_of_folder(path)}")
    if format is None and path.is_file() and is_model(path):
        name = shlex.quote(source)
        raise InputError(
            f"{source} is a model, and here a file of documents is read: to see its topics  topicwright topics {name}, "
            f"to train it further  topicwright resume {name}"
        )


def _of_folder(folder: Path) -> str:
    """How to read what is in a folder."""
    from ..corpus.formats.registry import suffix_format

    files = sorted(folder.iterdir())
    whole = [file for file in files if suffix_format(file.name) not in ("", "text")]
    if whole:
        return f"give one of those in it, such as {whole[0]}"
    if not any(file.suffix == ".txt" for file in files):
        return "in it there is none whose suffix tells its format"
    place = shlex.quote(str(folder))
    return (
        "write its texts to one, a line each, with  "
        f"for file in {place}/*.txt; do tr '\\n' ' ' < \"$file\"; echo; done > texts.txt"
    )


def frequency(option: str, text: str) -> float:
    """A number of documents if it is whole, a share of them if it has a point."""
    try:
        return int(text)
    except ValueError:
        return number(option, text)


def number(option: str, text: str) -> float:
    """A number, or an error that names the option."""
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number", param_hint=option) from None


def read_documents(source: str, reading: InputOptions, **options: Any) -> Corpus:
    """The whole corpus of a file."""
    from ..corpus import read_corpus

    return read_corpus(source, reading.format_of(source), **reading.options(), **options)


def read_known(files: Sequence[Source]) -> list[Any]:
    """What is known of words and documents, of several files."""
    if not files:
        return []
    from ..knowledge import read_knowledge

    return [item for file in files for item in read_knowledge(file)]


def check_labels(known: Sequence[Any], corpus: Corpus) -> None:
    """An error that says what to do, where labels of documents are known to hold, and documents have none."""
    from ..knowledge import DocumentLabels

    asked = any(isinstance(item, DocumentLabels) and item.labels is None for item in known)
    if asked and corpus.labels is None:
        raise InputError(
            "document-labels: true needs labels, and the documents have none: name their field by --label-field"
        )


def read_all(model: LDA, source: str, reading: InputOptions) -> InputBatch:
    """All documents of a file in the words of a model, with labels and targets; no text stays in memory."""
    kind = _checked_format(model, source, reading)
    if kind in _counts():
        return _known_counts(model, source, reading)
    from ..corpus import encode, iter_documents
    from ..corpus.documents import with_metadata

    known: list[Document] = []

    def texts() -> Iterator[str]:
        for document in iter_documents(source, kind, **reading.options()):
            known.append(document._replace(text=""))
            yield document.text

    encoded = encode(texts(), model.corpus_.tokenizer, model.vocabulary_)
    corpus = with_metadata(encoded.corpus, known)
    return InputBatch(_as_model_has_it(model, corpus), list(map(_name, known)), encoded.n_unknown)


def read_batches(model: LDA, source: str, reading: InputOptions, size: int) -> Iterator[InputBatch]:
    """The documents of a file of any length in the words of a model, so many at a time."""
    kind = _checked_format(model, source, reading)
    if kind in _counts():
        return _split(_known_counts(model, source, reading), size)
    from ..corpus import iter_documents

    return _batches_of_texts(model, iter_documents(source, kind, **reading.options()), size)


def _batches_of_texts(model: LDA, documents: Iterable[Document], size: int) -> Iterator[InputBatch]:
    from ..corpus import WordIndex, encode
    from ..corpus.documents import with_metadata

    words = WordIndex(model.vocabulary_)
    for chunk in _chunks(documents, size):
        texts = [document.text for document in chunk]
        encoded = encode(texts, model.corpus_.tokenizer, words)
        corpus = _as_model_has_it(model, with_metadata(encoded.corpus, chunk))
        yield InputBatch(corpus, list(map(_name, chunk)), encoded.n_unknown, texts)


def _known_counts(model: LDA, source: str, reading: InputOptions) -> InputBatch:
    from ..corpus import align

    aligned = align(read_documents(source, reading), model.vocabulary_)
    corpus = aligned.corpus
    names: list[str | int] = [*(corpus.ids or range(1, corpus.n_docs + 1))]
    return InputBatch(_as_model_has_it(model, corpus), names, aligned.n_unknown)


def _split(batch: InputBatch, size: int) -> Iterator[InputBatch]:
    n_unknown = batch.n_unknown
    for start in range(0, len(batch.names), size):
        names = batch.names[start : start + size]
        rows = list(range(start, start + len(names)))
        yield InputBatch(batch.corpus.select(rows), names, n_unknown)
        n_unknown = 0  # they were counted with the first


def _checked_format(model: LDA, source: str, reading: InputOptions) -> str:
    kind = reading.format_of(source)
    if kind not in _counts() and model.corpus_.tokenizer is None:
        raise InputError(
            "this model was trained on counts, not on texts: give it a file of format " + " or ".join(_counts())
        )
    return kind


def _counts() -> tuple[str, ...]:
    from ..corpus.formats.registry import format_names

    return format_names(counts=True)


def _name(document: Document) -> str | int:
    return document.line if document.id is None else document.id


def _as_model_has_it(model: LDA, corpus: Corpus) -> Corpus:
    return replace(corpus, vocabulary=model.vocabulary_)  # the very same array: the model needs no second look


def _chunks(documents: Iterable[Document], size: int) -> Iterator[list[Document]]:
    """Lists of documents; those before a bad line come before its error."""
    chunk: list[Document] = []
    try:
        for document in documents:
            chunk.append(document)
            if len(chunk) == size:
                yield chunk
                chunk = []
    except InputError:
        if chunk:
            yield chunk
        raise
    if chunk:
        yield chunk


def stop_words_of(choice: str) -> str | list[str] | None:
    """The words to leave out: english, none, or those of a file."""
    if choice == "none":
        return None
    return choice if choice == "english" else lines_of(choice)


def lines_of(file: str) -> list[str]:
    """The words or names of a file that has one a line."""
    from ..corpus.formats.sidecars import read_vocabulary

    return [word for line in read_vocabulary(file) if (word := line.strip())]
