"""Input files of the commands: documents to train on or in the vocabulary of a model, knowledge, and models."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputError, ModelFileError
from ..records.predictions import check_classes, check_labeled, is_labeled, is_supervised, topic_models
from . import _options as options
from ._options import LabelPrior, OnError, OptionGroup

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..corpus import Corpus, Document
    from ..knowledge.io.files import KnowledgeFile
    from ..models import LDA

_LONGEST_HEADER = 100_000_000
_SIMILARITY = 0.75  # that a file name must have to be suggested


@dataclass(frozen=True, kw_only=True)
class InputOptions(OptionGroup):
    """How to read a file of documents; None for the default of the library."""

    format: options.Format = None
    text_field: options.TextField = None
    label_field: options.LabelField = None
    label_separator: options.LabelSeparator = None
    id_field: options.IdField = None
    target_field: options.TargetField = None
    date_field: options.DateField = None
    on_error: options.Errors = OnError.stop
    optional: tuple[str, ...] = ()
    """Fields that may be missing."""

    def parameters(self) -> dict[str, Any]:
        """Keyword arguments of ``read_corpus`` and ``iter_documents``."""
        given = {
            "text": self.text_field,
            "labels": self.label_field,
            "label_separator": self.label_separator,
            "id": self.id_field,
            "date": self.date_field,
            "target": self.target_field,
        }
        on_error = "skip" if self.on_error is OnError.skip else "raise"
        return {name: value for name, value in given.items() if value is not None} | {
            "on_error": on_error,
            "optional": self.optional,
        }

    def format_of(self, source: str) -> str:
        """Format of a file, by ``--format`` or by its suffix."""
        from ..corpus import FORMATS
        from ..corpus.formats.registry import format_of

        if source == "-" and self.format is None:
            raise InputError(f"standard input needs a format: pass --format ({', '.join(FORMATS)})")
        check_documents(source, self.format)
        return format_of(source, self.format)


@dataclass(frozen=True, kw_only=True)
class WordOptions(OptionGroup):
    """Which words of the documents to keep."""

    min_df: options.MinDf = "1"
    max_df: options.MaxDf = "1.0"
    max_words: options.MaxWords = None
    stop_words: options.StopWords = "english"
    ngrams: options.Ngrams = 1

    def parameters(self) -> dict[str, Any]:
        """Keyword arguments of ``read_corpus``."""
        return {
            "min_df": _parse_frequency("--min-df", self.min_df),
            "max_df": _parse_frequency("--max-df", self.max_df),
            "max_words": self.max_words,
            "stop_words": parse_stop_words(self.stop_words),
            "ngram_range": (1, self.ngrams),
        }


class InputBatch(NamedTuple):
    """Documents in the vocabulary of a model: their names, the unknown words of each, and the texts.

    Documents that were read as counts have no texts, nor have those of :func:`read_all`.
    """

    corpus: Corpus
    names: list[str | int]
    unknown: NDArray[np.int64]
    """Number of unknown words of each document."""
    texts: list[str] | None = None


def check_documents(source: str, format: str | None = None) -> None:
    """Raise an error that says what to do if the source is a folder or a model."""
    path = Path(source)
    if source != "-":
        check_exists(path)
    if path.is_dir():
        raise InputError(f"{source} is a folder, and documents are read from one file: {_folder_hint(path)}")
    if format is None and path.is_file() and is_model(path):
        name = shlex.quote(source)
        raise InputError(
            f"{source} is a model, and this command reads a file of documents: to see the topics of the model, run  "
            f"topicwright topics {name};  to train it further, run  topicwright resume {name}"
        )


def _folder_hint(folder: Path) -> str:
    """How to read the documents of a folder."""
    from ..corpus.formats.registry import suffix_format

    files = sorted(folder.iterdir())
    whole = [file for file in files if suffix_format(file.name) not in ("", "text")]
    if whole:
        return f"choose one of its files, such as {whole[0]}"
    if not any(file.suffix == ".txt" for file in files):
        return "no file in it has a suffix of a known format"
    place = shlex.quote(str(folder))
    return (
        "write its texts to one file, one per line, with  "
        f"for file in {place}/*.txt; do tr '\\n' ' ' < \"$file\"; echo; done > texts.txt"
    )


def _parse_frequency(option: str, text: str) -> float:
    """A number of documents if it is an integer, a share of them if it has a decimal point."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise InputError(parameter=option, expected="a number", got=text) from None


def read_documents(source: str, reading: InputOptions, **parameters: Any) -> Corpus:
    """Corpus of all documents of a file."""
    from ..corpus import read_corpus

    return read_corpus(source, reading.format_of(source), **reading.parameters(), **parameters)


def read_knowledge_files(files: Sequence[str]) -> list[KnowledgeFile]:
    """Contents of knowledge files."""
    if not files:
        return []
    from ..knowledge.io.files import read_knowledge_file

    return [read_knowledge_file(file) for file in files]


def check_labels(knowledge: Sequence[Any], corpus: Corpus) -> None:
    """Raise an error that says what to do if the knowledge needs labels of documents, and they have none."""
    from ..knowledge import DocumentLabels

    needs_labels = any(isinstance(item, DocumentLabels) and item.labels is None for item in knowledge)
    if needs_labels and corpus.labels is None:
        raise InputError(
            "document-labels: true needs labels, and the documents have none: name their field with --label-field"
        )


def read_all(model: LDA, source: str, reading: InputOptions) -> InputBatch:
    """All documents of a file in the vocabulary of a model, with labels and targets, without their texts."""
    kind = _check_format(model, source, reading)
    if kind in _bag_formats():
        return _read_counts(model, source, reading)
    from ..corpus import encode, iter_documents
    from ..corpus.documents import with_metadata

    metadata: list[Document] = []

    def texts() -> Iterator[str]:
        for document in iter_documents(source, kind, **reading.parameters()):
            metadata.append(document._replace(text=""))
            yield document.text

    encoded = encode(texts(), model.corpus_.tokenizer, model.vocabulary_)
    corpus = with_metadata(encoded.corpus, metadata)
    return InputBatch(_share_vocabulary(model, corpus), list(map(_name, metadata)), encoded.unknown_by_document)


def read_batches(model: LDA, source: str, reading: InputOptions, size: int) -> Iterator[InputBatch]:
    """Documents of a file of any length in the vocabulary of a model, ``size`` at a time."""
    kind = _check_format(model, source, reading)
    if kind in _bag_formats():
        return _split(_read_counts(model, source, reading), size)
    from ..corpus import iter_documents

    return _batches_of_texts(model, iter_documents(source, kind, **reading.parameters()), size)


def _batches_of_texts(model: LDA, documents: Iterable[Document], size: int) -> Iterator[InputBatch]:
    from ..corpus import WordIndex, encode
    from ..corpus.documents import with_metadata

    words = WordIndex(model.vocabulary_)
    for chunk in _chunks(documents, size):
        texts = [document.text for document in chunk]
        encoded = encode(texts, model.corpus_.tokenizer, words)
        corpus = _share_vocabulary(model, with_metadata(encoded.corpus, chunk))
        yield InputBatch(corpus, list(map(_name, chunk)), encoded.unknown_by_document, texts)


def _read_counts(model: LDA, source: str, reading: InputOptions) -> InputBatch:
    from ..corpus import align

    aligned = align(read_documents(source, reading), model.vocabulary_)
    corpus = aligned.corpus
    names: list[str | int] = [*(corpus.ids or range(1, corpus.n_docs + 1))]
    return InputBatch(_share_vocabulary(model, corpus), names, aligned.unknown_by_document)


def _split(batch: InputBatch, size: int) -> Iterator[InputBatch]:
    for start in range(0, len(batch.names), size):
        names = batch.names[start : start + size]
        rows = list(range(start, start + len(names)))
        yield InputBatch(batch.corpus.select(rows), names, batch.unknown[rows])


def _check_format(model: LDA, source: str, reading: InputOptions) -> str:
    kind = reading.format_of(source)
    if kind not in _bag_formats() and model.corpus_.tokenizer is None:
        formats = " or ".join(_bag_formats())
        raise InputError(f"this model was trained on counts, not on texts: pass a file of format {formats}")
    return kind


def _bag_formats() -> tuple[str, ...]:
    from ..corpus.formats.registry import format_names

    return format_names(counts=True)


def _name(document: Document) -> str | int:
    return document.line if document.id is None else document.id


def _share_vocabulary(model: LDA, corpus: Corpus) -> Corpus:
    return replace(corpus, vocabulary=model.vocabulary_)  # the same array, which the model does not align again


def _chunks(documents: Iterable[Document], size: int) -> Iterator[list[Document]]:
    """Lists of documents; those before a bad line are yielded before its error."""
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


def parse_stop_words(choice: str) -> str | list[str] | None:
    """Stop words by the option: english, none, or the words of a file."""
    if choice == "none":
        return None
    return choice if choice == "english" else read_lines(choice)


def read_lines(file: str) -> list[str]:
    """Words or names of a file with one per line."""
    from ..corpus.formats.counts import read_vocabulary

    return [word for line in read_vocabulary(file) if (word := line.strip())]


# ---------------------------------------------------------------------- models


def check_exists(path: str | Path) -> None:
    """Raise an error if there is no such file, with the name of a similar one."""
    path = Path(path)
    if not path.exists():
        others = [other.name for other in path.parent.iterdir()] if path.parent.is_dir() else []
        near = get_close_matches(path.name, others, 1, _SIMILARITY)
        hint = f"; did you mean {path.with_name(near[0])}?" if near else ""
        raise InputError(f"cannot read {path}: No such file or directory{hint}")


def is_model(path: str | Path) -> bool:
    """Whether a file is a model, by its name or by its first bytes: the size of a header, and the header."""
    if Path(path).suffix == ".tw":
        return True
    if not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        start = file.read(9)
    return start[8:] == b"{" and int.from_bytes(start[:8], "little") <= _LONGEST_HEADER


def load_model(path: str | Path, jobs: int | None = None, *, by_class: bool = False) -> LDA:
    """Load a model from its file.

    Parameters
    ----------
    path : str or Path
        The model file.
    jobs : int, optional
        Number of threads.
    by_class : bool
        Whether the model may have topics of its own for each class (``strategy="one-vs-rest"``).
    """
    from .. import load

    check_exists(path)
    try:
        model: LDA = load(path)
    except ModelFileError as error:
        raise ModelFileError(f"{error}{_training_hint(path)}") from None
    if not by_class and hasattr(model, "estimators_"):
        raise InputError(
            f"{path} has separate topics for each class, which this command cannot use: "
            "topics (as a table), predict, explain and evaluate can"
        )
    if jobs is not None:
        model.n_jobs = jobs
    return model


def _training_hint(path: str | Path) -> str:
    """What to do if a file of documents was passed instead of a model."""
    from ..corpus.formats.registry import suffix_format

    if not suffix_format(str(path)):
        return ""
    name, model = Path(path), Path(path).with_suffix(".tw")
    return f": train a model with  topicwright fit {shlex.quote(str(name))} -o {shlex.quote(str(model))}"


def load_predictor(path: str | Path, jobs: int | None = None) -> Any:
    """Load a classifier, a regressor or a model of labels from its file."""
    model = load_model(path, jobs, by_class=True)
    if not is_supervised(model) and not is_labeled(model):
        raise InputError(
            f"{path} has nothing to predict: train a model with  topicwright fit … --predict FIELD,  or --labels FIELD"
        )
    return model


def top_words_of_topics(model: LDA, n_words: int, min_words: int = 1) -> list[list[str]]:
    """Top words of the topics that have at least ``min_words`` words."""
    topics = [words for part in topic_models(model).values() for words in part.top_words(n_words)]
    return [words for words in topics if len(words) >= min_words]


def parse_labels(model: Any, text: str) -> list[Any]:
    """Labels of the model named by a comma-separated list, or by a file with one per line."""
    check_labeled(model, "--candidates")
    names = read_lines(text) if Path(text).is_file() else [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise InputError(parameter="--candidates", expected="one or more labels", got=text)
    labels = model.classes_.tolist()
    return [labels[number] for number in check_classes(model, names)]


def adjust(model: Any, prior: LabelPrior | None, threshold: float | None) -> None:
    """Set the prior of labels and the threshold of predictions; None leaves them unchanged."""
    if prior is not None:
        check_labeled(model, "--label-prior")
        model.label_prior = prior.value
    if threshold is not None:
        _set_threshold(model, threshold)


def _set_threshold(model: Any, threshold: float) -> None:
    check_labeled(model, "--threshold")
    if not model.multilabel_:
        raise InputError("--threshold is for models with several labels per document, this one has one: use --top")
    if not 0 < threshold < 1:
        raise InputError(parameter="--threshold", expected="a share between 0 and 1", got=threshold)
    model.threshold = threshold
