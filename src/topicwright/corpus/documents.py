"""One document as it is read, and how records of files and frames become documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from .._utils.formatting import pluralize
from .._utils.validation import check_choice
from .._utils.warnings import warn
from ..errors import InputError, TopicwrightWarning
from .build import text_options, tokenize_texts
from .corpus import Corpus, replace_metadata
from .dates import NO_DATE, as_date
from .metadata import is_missing

if TYPE_CHECKING:
    from .._utils.atomic import StrPath

Raw = TypeVar("Raw")
_LONGEST_LIST = 200  # characters
_DEFAULT_NAMES = {"labels": "labels", "id": "id"}


class Document(NamedTuple):
    """Text and metadata of one document.

    Parameters
    ----------
    text : str
        The text.
    labels : tuple of str, optional
        Its labels.
    target : float or tuple of float, optional
        Numbers to predict.
    id : str, optional
        Its name.
    line : int
        Line or row in its file, from 1.
    date : datetime64, optional
        When it was written.
    metadata : mapping, optional
        Further columns by name, the same for all documents of a corpus.
    """

    text: str
    labels: tuple[str, ...] | None = None
    target: float | tuple[float, ...] | None = None
    id: str | None = None
    line: int = 0
    date: np.datetime64 | None = None
    metadata: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class FieldNames:
    """Names of the fields of a record that hold text, labels, target, id and date; None for what is not read.

    Labels and ids under their default names may be missing; any other name must occur somewhere.
    """

    text: str | None = "text"
    labels: str | None = "labels"
    target: str | None = None
    id: str | None = "id"
    label_separator: str | None = None
    date: str | None = None
    defaults: Mapping[str, str] = field(default_factory=lambda: _DEFAULT_NAMES)
    seen: set[str] = field(default_factory=set)
    first: list[str] = field(default_factory=list)

    def with_optional(self, roles: Collection[str]) -> FieldNames:
        """Same names, of which those of these roles may be missing too."""
        return replace(self, defaults={**self.defaults, **{r: n for r, n in self.names().items() if r in roles}})

    def with_required(self, role: str) -> FieldNames:
        """Same names, of which that of this role must not be missing."""
        return replace(self, defaults={name: value for name, value in self.defaults.items() if name != role})

    def names(self) -> dict[str, str]:
        """Names to look for, by role."""
        pairs = {role: getattr(self, role) for role in ("text", "labels", "target", "id", "date")}
        return {role: name for role, name in pairs.items() if name is not None}

    def required(self) -> dict[str, str]:
        """Names that must occur, by role."""
        return {role: name for role, name in self.names().items() if self.defaults.get(role) != name}

    def check_seen(self, source: str) -> None:
        """Raise an error if a required name never occurred in a stream that has ended."""
        for role, name in self.required().items():
            if name not in self.seen:
                if not self.first:
                    raise InputError(f"{source}: the file contains no documents", where=source)
                message = f"no record has a field {name!r}{_other_name(name)}; its fields are: {join_names(self.first)}"
                raise InputError(f"{source}: {message}", parameter=role, got=name, where=source)

    def check_columns(self, columns: Iterable[str], source: str) -> None:
        """Raise an error if a table does not have the required columns, once each."""
        columns = list(columns)
        if not columns:
            raise InputError(f"{source}: the file contains no documents", where=source)
        for role, name in self.required().items():
            if name not in columns:
                message = f"no column {name!r}{_other_name(name)}; its columns are: {join_names(columns)}"
                raise InputError(f"{source}: {message}", parameter=role, got=name, where=source)
        for role, name in self.names().items():
            if columns.count(name) > 1:
                message = f"{source}: column {name!r} must occur once: got {columns.count(name)}"
                raise InputError(message, parameter=role, got=name, where=source)

    def document(self, record: Mapping[str, Any], where: str) -> Document:
        """Document of a record; ``where`` is the place that errors name."""
        self.seen.update(name for name in self.names().values() if name in record)
        if not self.first:
            self.first.extend(record)
        return Document(
            "" if self.text is None else _parse_text(record, self.text, where),
            _parse_labels(_get(record, self.labels), self.label_separator, where),
            _parse_target(_get(record, self.target), where),
            _parse_id(_get(record, self.id), where),
            date=_parse_date(_get(record, self.date), where),
        )


def _other_name(name: str) -> str:
    """Hint for a missing text: it may have another name."""
    return " (`text='NAME'` names another)" if name == "text" else ""


def join_names(names: Iterable[Any]) -> str:
    """Names separated by commas, truncated if they are too many to read."""
    text = ", ".join(map(str, names))
    return text if len(text) <= _LONGEST_LIST else f"{text[:_LONGEST_LIST]}…"


def check_on_error(on_error: str) -> None:
    """Validate the parameter ``on_error``."""
    check_choice("on_error", on_error, ("raise", "skip"))


def parse_rows(
    rows: Iterable[tuple[int, Raw]],
    parse: Callable[[Raw, str], Document | None],
    source: str,
    on_error: str = "raise",
    unit: str = "line",
    skip_hint: str = "`on_error='skip'`",
) -> Iterator[Document]:
    """Documents of numbered rows.

    Parameters
    ----------
    rows : iterable of (int, row)
        Rows with their numbers.
    parse : callable
        Called with a row and its place; returns its document, or None for a row to pass over.
    source : str
        Name of the source in messages.
    on_error : {"raise", "skip"}
        Whether a bad row is an error, or is skipped and counted in one warning at the end.
    unit : str
        What a row is called in messages.
    skip_hint : str
        How bad rows can be skipped.
    """
    check_on_error(on_error)
    n_skipped, first = 0, ""
    for number, raw in rows:
        where = f"{source}, {unit} {number}"
        try:
            document = parse(raw, where)
        except InputError as error:
            if on_error == "raise":
                raise error.extended(
                    after=f" (to leave such {unit}s out: {skip_hint})", where=error.where or where
                ) from None
            n_skipped, first = n_skipped + 1, first or str(error)
            continue
        if document is not None:
            yield document._replace(line=number)
    if n_skipped:
        message = f"skipped {pluralize(n_skipped, f'bad {unit}')} of {source}; the first: {first}"
        warn(message, TopicwrightWarning)


def build_corpus(documents: Iterable[Document], *, store: StrPath | None = None, **options: Any) -> Corpus:
    """Corpus of a stream of documents; each text is released as soon as it is tokenized.

    Parameters
    ----------
    documents : iterable of Document
        The documents, read once.
    store : path, optional
        Folder to write the corpus to while documents are read.
    **options
        How texts are tokenized and which words are kept: see ``Corpus.from_texts``.
    """
    if store is not None:
        from .store.writer import store_documents

        return store_documents(store, documents, text_options(**options))
    read: list[Document] = []

    def texts() -> Iterator[str]:
        for document in documents:
            read.append(document._replace(text=""))
            yield document.text

    tokenized = tokenize_texts(texts(), text_options(**options))
    return Corpus(**tokenized, **_metadata(read))


def with_metadata(corpus: Corpus, documents: list[Document]) -> Corpus:
    """Corpus with the labels, targets, ids and dates of these documents, where any of them has some."""
    return replace_metadata(corpus, **_metadata(documents))


def _metadata(documents: list[Document]) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    if any(document.labels is not None for document in documents):
        metadata["labels"] = [document.labels for document in documents]
    if any(document.target is not None for document in documents):
        several = next((document.target for document in documents if isinstance(document.target, tuple)), None)
        unknown = math.nan if several is None else (math.nan,) * len(several)
        metadata["targets"] = [unknown if document.target is None else document.target for document in documents]
    if any(document.id is not None for document in documents):
        metadata["ids"] = [f"line-{doc.line}" if doc.id is None else doc.id for doc in documents]
    if any(document.date is not None for document in documents):
        metadata["dates"] = np.array([NO_DATE if doc.date is None else doc.date for doc in documents])
    if documents and documents[0].metadata:
        metadata["metadata"] = metadata_columns(documents)
    return metadata


def metadata_columns(documents: Iterable[Document]) -> dict[str, list[Any]]:
    """Further columns of documents that all have the same ones."""
    columns: dict[str, list[Any]] = {}
    for document in documents:
        for name, value in (document.metadata or {}).items():
            columns.setdefault(name, []).append(value)
    return columns


# ---------------------------------------------------------------------- fields of a record


def _get(record: Mapping[str, Any], name: str | None) -> Any:
    value = None if name is None else record.get(name)
    return None if is_missing(value) else value


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value)


def _parse_text(record: Mapping[str, Any], name: str, where: str) -> str:
    if name not in record:
        message = f"{where}: no field {name!r}{_other_name(name)}; its fields are: {join_names(record)}"
        raise InputError(message, parameter="text", got=name, where=where)
    text = record[name]
    if not isinstance(text, str):
        got = "nothing" if is_missing(text) else type(text).__name__
        raise InputError(f"{where}: {name!r} must be a string: got {got}", parameter="text", got=text, where=where)
    return text


def _parse_labels(value: Any, separator: str | None, where: str) -> tuple[str, ...] | None:
    if value is None:
        return None
    if isinstance(value, str):
        parts = value.split(separator) if separator else [value]
        return tuple(part.strip() for part in parts if part.strip())
    if isinstance(value, Mapping):
        message = f"{where}: labels must be a string or a list of strings: got {type(value).__name__}"
        raise InputError(message, parameter="labels", got=value, where=where)
    entries = value if isinstance(value, Iterable) else [value]
    return tuple(_parse_scalar(entry, "a label", "labels", where) for entry in entries if not is_missing(entry))


def _parse_id(value: Any, where: str) -> str | None:
    return None if _is_empty(value) else _parse_scalar(value, "an id", "id", where)


def _parse_date(value: Any, where: str) -> np.datetime64 | None:
    try:
        date = as_date(value)
    except InputError as error:
        raise error.extended(before=f"{where}: ", where=where) from None
    return None if np.isnat(date) else date


def _parse_scalar(value: Any, what: str, parameter: str, where: str) -> str:
    if isinstance(value, (Iterable, Mapping)) and not isinstance(value, str):
        message = f"{where}: {what} must be a string or a number: got {type(value).__name__}"
        raise InputError(message, parameter=parameter, got=value, where=where)
    return str(value)


def _parse_target(value: Any, where: str) -> float | tuple[float, ...] | None:
    if _is_empty(value):
        return None
    if isinstance(value, Iterable) and not isinstance(value, (str, Mapping)):
        return tuple(_parse_number(entry, where) for entry in value)
    return _parse_number(value, where)


def _parse_number(value: Any, where: str) -> float:
    try:
        number = math.nan if is_missing(value) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.inf
    if math.isinf(number):
        message = f"{where}: a target must be a finite number: got {value!r}"
        raise InputError(message, parameter="target", got=value, where=where)
    return number
