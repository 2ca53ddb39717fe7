"""One document as it is read, and how records of files and frames become documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from .._utils.warnings import warn
from ..errors import InputError, TopicwrightWarning
from .build import text_options, tokenize_texts
from .columns import is_missing
from .corpus import Corpus
from .dates import NO_DATE, as_date

if TYPE_CHECKING:
    from .._utils.atomic import StrPath

Raw = TypeVar("Raw")
_LISTED = 200  # characters
_DEFAULT_NAMES = {"labels": "labels", "id": "id"}


class Document(NamedTuple):
    """A text and what is known about it; ``line`` is where it stands in its file, from 1."""

    text: str
    labels: tuple[str, ...] | None = None
    target: float | tuple[float, ...] | None = None
    id: str | None = None
    line: int = 0
    date: np.datetime64 | None = None


@dataclass(frozen=True)
class FieldNames:
    """Where a record has its text, labels, target, id and date; None for what is not to be read.

    Labels and ids under their default names may be missing; a name of the user's own must occur somewhere.
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
        """The same where what these names stand for may be missing too."""
        return replace(self, defaults={**self.defaults, **{r: n for r, n in self.names().items() if r in roles}})

    def with_required(self, role: str) -> FieldNames:
        """The same where what a name stands for must not be missing."""
        return replace(self, defaults={name: value for name, value in self.defaults.items() if name != role})

    def names(self) -> dict[str, str]:
        """The names to look for, by what they stand for."""
        roles = ("text", "labels", "target", "id", "date")
        pairs = {role: getattr(self, role) for role in roles}
        return {role: name for role, name in pairs.items() if name is not None}

    def required(self) -> list[str]:
        """Names without which something is wrong."""
        return [name for role, name in self.names().items() if self.defaults.get(role) != name]

    def check_seen(self, source: str) -> None:
        """At the end of a stream: an error if a name that was asked for never occurred."""
        for name in self.required():
            if name not in self.seen:
                missing = f"no record has a field {name!r}{_other(name)}; its fields are: {join_names(self.first)}"
                raise InputError(f"{source}: {missing if self.first else 'there is no document in it'}")

    def check_columns(self, columns: Iterable[str], source: str) -> None:
        """For tables, whose names are known before the first row."""
        columns = list(columns)
        if not columns:
            raise InputError(f"{source}: there is no document in it")
        for name in self.required():
            if name not in columns:
                raise InputError(f"{source}: no column {name!r}{_other(name)}; its columns are: {join_names(columns)}")
        for name in self.names().values():
            if columns.count(name) > 1:
                raise InputError(f"{source}: column {name!r} must occur once: got {columns.count(name)}")

    def document(self, record: Mapping[str, Any], where: str) -> Document:
        """The document in a record; errors say where."""
        self.seen.update(name for name in self.names().values() if name in record)
        if not self.first:
            self.first.extend(record)
        return Document(
            "" if self.text is None else _text(record, self.text, where),
            _labels(_get(record, self.labels), self.label_separator, where),
            _target(_get(record, self.target), where),
            _id(_get(record, self.id), where),
            date=_date(_get(record, self.date), where),
        )


def parse_rows(
    rows: Iterable[tuple[int, Raw]],
    parse: Callable[[Raw, str], Document | None],
    source: str,
    on_error: str = "raise",
    unit: str = "line",
    skip: str = "on_error='skip'",
) -> Iterator[Document]:
    """Documents of numbered rows; a bad row stops, or is counted and told of in one warning at the end."""
    check_on_error(on_error)
    n_skipped, first = 0, ""
    for number, raw in rows:
        try:
            document = parse(raw, f"{source}, {unit} {number}")
        except InputError as error:
            if on_error == "raise":
                raise InputError(f"{error} (to leave such {unit}s out: {skip})") from None
            n_skipped, first = n_skipped + 1, first or str(error)
            continue
        if document is not None:
            yield document._replace(line=number)
    if n_skipped:
        message = f"skipped {n_skipped} bad {unit}{'s' * (n_skipped > 1)} of {source}; the first: {first}"
        warn(message, TopicwrightWarning)


def _other(name: str) -> str:
    """How to name another field than that of the text where nothing was said."""
    return " (text='NAME' names another)" if name == "text" else ""


def join_names(names: Iterable[Any]) -> str:
    """Names with commas between, cut off where they are too many to read."""
    text = ", ".join(map(str, names))
    return text if len(text) <= _LISTED else f"{text[:_LISTED]}…"


def check_on_error(on_error: str) -> None:
    """At the door, before a file is opened."""
    if on_error not in ("raise", "skip"):
        raise InputError(f"on_error must be 'raise' or 'skip': got {on_error!r}")


def build_corpus(documents: Iterable[Document], *, store: StrPath | None = None, **cut: Any) -> Corpus:
    """The corpus of a stream of documents, whose texts are let go as soon as they are cut."""
    if store is not None:
        from .store.writer import store_documents

        return store_documents(store, documents, text_options(**cut))
    known: list[Document] = []

    def texts() -> Iterator[str]:
        for document in documents:
            known.append(document._replace(text=""))
            yield document.text

    return with_metadata(tokenize_texts(texts(), **cut), known)


def with_metadata(corpus: Corpus, documents: list[Document]) -> Corpus:
    """The corpus with the labels, targets, ids and dates of these documents, where any of them has some."""
    known: dict[str, Any] = {}
    if any(document.labels is not None for document in documents):
        known["labels"] = [document.labels for document in documents]
    if any(document.target is not None for document in documents):
        several = next((document.target for document in documents if isinstance(document.target, tuple)), None)
        unknown = math.nan if several is None else (math.nan,) * len(several)
        known["targets"] = [unknown if document.target is None else document.target for document in documents]
    if any(document.id is not None for document in documents):
        known["ids"] = [f"line-{doc.line}" if doc.id is None else doc.id for doc in documents]
    if any(document.date is not None for document in documents):
        known["dates"] = np.array([NO_DATE if doc.date is None else doc.date for doc in documents])
    return replace(corpus, **known)


def _get(record: Mapping[str, Any], name: str | None) -> Any:
    value = None if name is None else record.get(name)
    return None if is_missing(value) else value


def _is_nothing(value: Any) -> bool:
    """Missing, or an empty cell."""
    return value is None or (isinstance(value, str) and not value)


def _text(record: Mapping[str, Any], name: str, where: str) -> str:
    if name not in record:
        raise InputError(f"{where}: no field {name!r}{_other(name)}; its fields are: {join_names(record)}")
    text = record[name]
    if not isinstance(text, str):
        got = "nothing" if is_missing(text) else type(text).__name__
        raise InputError(f"{where}: {name!r} must be a string: got {got}")
    return text


def _labels(value: Any, separator: str | None, where: str) -> tuple[str, ...] | None:
    if value is None:
        return None
    if isinstance(value, str):
        parts = value.split(separator) if separator else [value]
        return tuple(part.strip() for part in parts if part.strip())
    if isinstance(value, Mapping):
        raise InputError(f"{where}: labels must be a string or a list of strings: got {type(value).__name__}")
    entries = value if isinstance(value, Iterable) else [value]
    return tuple(_scalar(entry, "a label", where) for entry in entries if not is_missing(entry))


def _id(value: Any, where: str) -> str | None:
    return None if _is_nothing(value) else _scalar(value, "an id", where)


def _date(value: Any, where: str) -> np.datetime64 | None:
    try:
        moment = as_date(value)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return None if np.isnat(moment) else moment


def _scalar(value: Any, what: str, where: str) -> str:
    if isinstance(value, (Iterable, Mapping)) and not isinstance(value, str):
        raise InputError(f"{where}: {what} must be a string or a number: got {type(value).__name__}")
    return str(value)


def _target(value: Any, where: str) -> float | tuple[float, ...] | None:
    if _is_nothing(value):
        return None
    if isinstance(value, Iterable) and not isinstance(value, (str, Mapping)):
        return tuple(_number(entry, where) for entry in value)
    return _number(value, where)


def _number(value: Any, where: str) -> float:
    try:
        number = math.nan if is_missing(value) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.inf
    if math.isinf(number):
        raise InputError(f"{where}: a target must be a finite number: got {value!r}")
    return number
