"""Fields of a model file: typed and validated access, and corpora as arrays."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NoReturn

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..corpus.columns import columns_from_json, columns_to_json
from ..corpus.corpus import Corpus
from ..corpus.metadata import LabelLists, Labels, Strings, is_offsets
from ..corpus.tokenizer import Tokenizer
from ..errors import InputError, ModelFileError
from .strict_json import from_json, to_json


def pack_strings(strings: Iterable[str], name: str = "strings") -> dict[str, NDArray[Any]]:
    """Strings as ``{name}.bytes`` (UTF-8, uint8) and ``{name}.offsets`` (int64, one more than the strings).

    >>> from topicwright.io import pack_strings, unpack_strings
    >>> pack_strings(["red", "", "été"], "words")["words.offsets"]
    array([0, 3, 3, 8])
    >>> unpack_strings(pack_strings(["red", "", "été"], "words"), "words")
    ['red', '', 'été']
    """
    try:
        packed = Strings.of(strings)
    except AttributeError:
        raise InputError(f"{name} must be strings", got=strings) from None
    return {f"{name}.bytes": packed.data, f"{name}.offsets": packed.offsets}


def unpack_strings(arrays: Mapping[str, NDArray[Any]], name: str = "strings") -> list[str]:
    """Strings that ``pack_strings`` stored; ``ModelFileError`` if the arrays hold anything else."""
    data, offsets = arrays.get(f"{name}.bytes"), arrays.get(f"{name}.offsets")
    if data is None or offsets is None:
        raise ModelFileError(f"'{name}' must be stored as '{name}.bytes' and '{name}.offsets': one is missing")
    if data.dtype != np.uint8 or data.ndim != 1 or offsets.dtype != np.int64:
        raise ModelFileError(f"'{name}' must be stored as uint8 bytes and int64 offsets, in one dimension")
    if not is_offsets(offsets, len(data)):
        raise ModelFileError(f"'{name}.offsets' must rise from 0 to the number of bytes ({len(data)})")
    try:
        return list(Strings(data, offsets))
    except InputError as error:
        raise ModelFileError(f"'{name}': {error}") from None


class ModelFields:
    """Fields of a model file, validated when they are read; anything unexpected is a ``ModelFileError``.

    ``name in fields`` is whether a field exists and is not null; packed strings have one name.

    Parameters
    ----------
    path : str
        Path of the file, for error messages.
    meta : mapping
        JSON part of the file.
    arrays : mapping
        Arrays of the file.
    prefix : str
        Prefix of names in error messages, for a section.

    Examples
    --------

    >>> import numpy as np
    >>> from topicwright.io import ModelFile
    >>> fields = ModelFile("m.tw", "lda", {"beta": -1}, {"alpha": np.ones(3)}).fields
    >>> fields.array("alpha", np.float64, shape=(3,), above=0)
    array([1., 1., 1.])
    >>> fields.number("beta", minimum=0)
    Traceback (most recent call last):
    topicwright.errors.ModelFileError: m.tw is damaged or was edited: 'beta' must be at least 0: got -1.0
    """

    def __init__(
        self, path: str, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], prefix: str = ""
    ) -> None:
        self._path, self._meta, self._arrays, self._prefix = path, meta, arrays, prefix

    def __contains__(self, name: str) -> bool:
        return self._meta.get(name) is not None or name in self._arrays or f"{name}.offsets" in self._arrays

    def fail(self, name: str, expected: str) -> NoReturn:
        """Raise the error for a field: ``fields.fail("alpha", "must have one entry per topic")``."""
        raise ModelFileError(f"{self._path} is damaged or was edited: '{self._prefix}{name}' {expected}")

    # ------------------------------------------------------------------ arrays

    def array(
        self,
        name: str,
        dtype: DTypeLike,
        *,
        ndim: int | None = None,
        shape: tuple[int | None, ...] | None = None,
        minimum: float | None = None,
        maximum: float | None = None,
        above: float | None = None,
        finite: bool = True,
    ) -> NDArray[Any]:
        """Array of exactly this type; None in ``shape`` is any length; ``finite`` is for floats."""
        if name not in self._arrays:
            self.fail(name, "must be an array: it is missing")
        array = self._arrays[name]
        if array.dtype != np.dtype(dtype):
            self.fail(name, f"must be an array of {np.dtype(dtype)}: got {array.dtype}")
        if ndim is not None and array.ndim != ndim:
            self.fail(name, f"must have {ndim} dimensions: got shape {array.shape}")
        if shape is not None and not _fits(array.shape, shape):
            wanted = tuple("any" if length is None else length for length in shape)
            self.fail(name, f"must have shape {wanted}: got {array.shape}")
        if finite and array.dtype.kind == "f" and not np.isfinite(array).all():
            self.fail(name, "must be finite: got NaN or an infinity")
        if array.size and array.dtype.kind != "b":
            # fmin and fmax ignore NaN, which would hide a number that is out of range.
            self._check_range(name, np.fmin.reduce(array, axis=None).item(), minimum, None, above)
            self._check_range(name, np.fmax.reduce(array, axis=None).item(), None, maximum, None)
        return array

    def offsets(self, name: str, total: int, count: int | None = None) -> NDArray[np.int64]:
        """Offsets (int64) that rise from 0 to ``total``, of ``count`` entries."""
        offsets = self.array(name, np.int64, shape=(None if count is None else count + 1,))
        if not is_offsets(offsets, total):
            self.fail(name, f"must rise from 0 to {total}")
        return offsets

    def strings(self, name: str, *, count: int | None = None, unique: bool = False) -> list[str]:
        """Strings that were stored with ``pack_strings(..., name)``."""
        try:
            strings = unpack_strings(self._arrays, name)
        except ModelFileError as error:
            raise ModelFileError(f"{self._path} is damaged or was edited: {error}") from None
        if count is not None and len(strings) != count:
            self.fail(name, f"must have {count} entries: got {len(strings)}")
        if unique and len(set(strings)) != len(strings):
            self.fail(name, "must have no entry twice")
        return strings

    def json(self, name: str) -> Any:
        """Value that was stored as one packed string of JSON, because it is too long for the header."""
        (text,) = self.strings(name, count=1)
        try:
            return from_json(text)
        except ValueError as error:
            self.fail(name, f"must be valid JSON: {error}")

    # ------------------------------------------------------------------ JSON

    def value(self, name: str) -> Any:
        """Field of ``meta`` as it is, which may be null but not missing."""
        if name not in self._meta:
            self.fail(name, "is missing")
        return self._meta[name]

    def number(
        self,
        name: str,
        *,
        minimum: float | None = None,
        maximum: float | None = None,
        above: float | None = None,
    ) -> float:
        """Finite number, as a float; ``above`` is an exclusive bound."""
        number = _as_float(self.value(name))
        if number is None:
            self._must_be(name, "a number")
        self._check_range(name, number, minimum, maximum, above)
        return number

    def integer(self, name: str, *, minimum: int | None = None, maximum: int | None = None) -> int:
        """Integer."""
        number = self.value(name)
        if type(number) is not int:
            self._must_be(name, "a whole number")
        self._check_range(name, number, minimum, maximum, None)
        return int(number)

    def text(self, name: str, *, choices: Collection[str] | None = None) -> str:
        """String, which must be one of ``choices`` if they are given."""
        text = self.value(name)
        if not isinstance(text, str):
            self._must_be(name, "text")
        if choices is not None and text not in choices:
            self._must_be(name, f"one of {', '.join(choices)}")
        return text

    def flag(self, name: str) -> bool:
        """Boolean."""
        flag = self.value(name)
        if not isinstance(flag, bool):
            self._must_be(name, "true or false")
        return flag

    def rows(self, name: str, *kinds: type) -> list[tuple[Any, ...]]:
        """List of rows with one entry of each type, such as ``rows("log_likelihood", int, float)``."""
        rows = self.value(name)
        if not isinstance(rows, list):
            self._must_be(name, "a list")
        checked = [_as_row(row, kinds) for row in rows]
        result = [row for row in checked if row is not None]
        if len(result) != len(checked):
            self.fail(name, f"must be a list of rows of ({', '.join(kind.__name__ for kind in kinds)})")
        return result

    def section(self, name: str) -> ModelFields:
        """Dict inside ``meta``, as fields."""
        section = self.value(name)
        if not isinstance(section, dict):
            self._must_be(name, "an object")
        return ModelFields(self._path, section, {}, f"{self._prefix}{name}.")

    # ------------------------------------------------------------------ validation

    def _must_be(self, name: str, expected: str) -> NoReturn:
        got = repr(self._meta[name])
        self.fail(name, f"must be {expected}: got {got if len(got) <= 60 else got[:57] + '...'}")

    def _check_range(
        self, name: str, number: float, minimum: float | None, maximum: float | None, above: float | None
    ) -> None:
        if minimum is not None and number < minimum:
            self.fail(name, f"must be at least {minimum}: got {number}")
        if maximum is not None and number > maximum:
            self.fail(name, f"must be at most {maximum}: got {number}")
        if above is not None and number <= above:
            self.fail(name, f"must be above {above}: got {number}")


def _fits(shape: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    return len(shape) == len(wanted) and all(want in (None, got) for got, want in zip(shape, wanted))


def _as_float(value: Any) -> float | None:
    """JSON number as a finite float; None for anything else."""
    if type(value) not in (int, float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:  # an integer beyond all floats
        return None


def _as_row(row: Any, kinds: tuple[type, ...]) -> tuple[Any, ...] | None:
    if not isinstance(row, list) or len(row) != len(kinds):
        return None
    entries = tuple(_as_float(entry) if kind is float else entry for entry, kind in zip(row, kinds))
    return entries if all(type(entry) is kind for entry, kind in zip(entries, kinds)) else None


# ---------------------------------------------------------------------- corpora


def corpus_to_arrays(corpus: Corpus) -> dict[str, NDArray[Any]]:
    """Corpus with its metadata and its tokenizer as arrays for ``write_model``."""
    arrays: dict[str, NDArray[Any]] = {"tokens": corpus.tokens, "offsets": corpus.offsets}
    arrays |= pack_strings(corpus.vocabulary, "vocabulary")
    if corpus.ids is not None:
        arrays |= pack_strings(corpus.ids, "ids")
    if corpus.labels is not None:
        arrays |= _labels_to_arrays(LabelLists.of(corpus.labels))
    if corpus.targets is not None:
        arrays["targets"] = corpus.targets
    if corpus.links is not None:
        arrays["links"] = corpus.links
    if corpus.dates is not None:
        arrays["dates"] = corpus.dates.view(np.int64)  # seconds since 1970; NaT is the least integer
    if corpus.texts is not None:
        arrays |= pack_strings(corpus.texts, "texts")
    if corpus.metadata is not None:
        arrays |= pack_strings(columns_to_json(corpus.metadata), "metadata")
    if corpus.tokenizer is not None:
        arrays |= tokenizer_to_arrays(corpus.tokenizer)
    return arrays


def corpus_from_fields(fields: ModelFields) -> Corpus:
    """Corpus that ``corpus_to_arrays`` stored; ``ModelFileError`` if the arrays are not valid."""
    vocabulary = fields.strings("vocabulary")
    tokens = fields.array("tokens", np.int32, ndim=1, minimum=0, maximum=len(vocabulary) - 1)
    offsets = fields.offsets("offsets", len(tokens))
    n_docs = len(offsets) - 1
    try:
        return Corpus(
            tokens=tokens,
            offsets=offsets,
            vocabulary=np.array(vocabulary, dtype=object),
            ids=tuple(fields.strings("ids", count=n_docs)) if "ids" in fields else None,
            labels=_labels_from_fields(fields, n_docs) if "labels" in fields else None,
            targets=fields.array("targets", np.float64, finite=False) if "targets" in fields else None,
            links=_links_from_fields(fields, n_docs) if "links" in fields else None,
            tokenizer=tokenizer_from_fields(fields) if "tokenizer" in fields else None,
            dates=fields.array("dates", np.int64, ndim=1).view("datetime64[s]") if "dates" in fields else None,
            texts=tuple(fields.strings("texts", count=n_docs)) if "texts" in fields else None,
            metadata=columns_from_json(fields.strings("metadata")) if "metadata" in fields else None,
        )
    except InputError as error:
        fields.fail("corpus", f"can't be rebuilt: {error}")


def _labels_to_arrays(labels: LabelLists) -> dict[str, NDArray[Any]]:
    return {
        **pack_strings(labels.names, "labels.names"),
        "labels.values": labels.values,
        "labels.offsets": labels.offsets,
    }


def _labels_from_fields(fields: ModelFields, n_docs: int) -> Labels:
    names = fields.strings("labels.names", unique=True)
    values = fields.array("labels.values", np.int32, ndim=1, minimum=0, maximum=len(names) - 1)
    offsets = fields.offsets("labels.offsets", len(values), count=n_docs)
    return tuple(LabelLists(names, values, offsets))


def _links_from_fields(fields: ModelFields, n_docs: int) -> NDArray[np.int64]:
    return fields.array("links", np.int64, shape=(None, 2), minimum=0, maximum=n_docs - 1)


def tokenizer_to_arrays(tokenizer: Tokenizer) -> dict[str, NDArray[Any]]:
    """Settings of a tokenizer as an array, since a list of stop words may be long."""
    return pack_strings([to_json(tokenizer.to_dict(), "tokenizer")], "tokenizer")


def tokenizer_from_fields(fields: ModelFields) -> Tokenizer:
    """Tokenizer that ``tokenizer_to_arrays`` stored; ``ModelFileError`` if its settings are not valid."""
    settings = fields.json("tokenizer")
    try:
        return Tokenizer.from_dict(settings)
    except Exception as error:  # hostile settings may fail anywhere
        fields.fail("tokenizer", f"can't be rebuilt: {error}")
