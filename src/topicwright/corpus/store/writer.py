"""Texts of any size as a stored corpus, in memory that grows only with the vocabulary.

Words are numbered in order of appearance, and their ids are written. Once all are counted, the words to keep are
numbered in alphabetical order, and the ids are written again: texts are read and tokenized once, so they may come from
a pipe.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._utils.atomic import StrPath
from ..build import TextOptions, check_not_empty, select_words
from ..columns import as_columns, columns_to_json
from ..corpus import Corpus, replace_metadata
from ..dates import NO_DATE
from ..documents import Document, metadata_columns
from ..metadata import Strings, as_labels, as_numbers
from ..tokenizer import Tokenizer
from ..vocabulary import (
    Pruning,
    as_word_index,
    document_frequencies,
    drop_negative_ids,
    indexed_words,
    new_ids,
    new_word_index,
)
from .arrays import GrowingArray, StoreWriter, count_ids, iter_chunks, open_store_writer, release_pages
from .reader import build_from_arrays, open_store

_CHUNK_TOKENS, _CHUNK_DOCUMENTS = 1 << 20, 1 << 14  # in memory at a time
_TEMPORARY = "found."  # prefix of arrays that are removed at the end
_TEMPORARY_LABELS = "labels.found"
TokenizedDocument = tuple[Document, list[str]]
Chunk = tuple[NDArray[np.int32], NDArray[np.int64]]  # word ids, and where each document starts


def store_documents(folder: StrPath, documents: Iterable[Document], options: TextOptions) -> Corpus:
    """Store the corpus of a stream of documents with their metadata."""
    split = _splitter(options.tokenizer)
    tokenized = ((document, split(document.text)) for document in documents)
    return _store(folder, tokenized, options, {}, options.tokenizer)


def store_texts(folder: StrPath, texts: Iterable[str], options: TextOptions, metadata: Mapping[str, Any]) -> Corpus:
    """Store the corpus of a stream of texts."""
    split = _splitter(options.tokenizer)
    tokenized = ((Document(text), split(text)) for text in texts)
    return _store(folder, tokenized, options, metadata, options.tokenizer)


def store_words(
    folder: StrPath, documents: Iterable[list[str]], options: TextOptions, metadata: Mapping[str, Any]
) -> Corpus:
    """Store the corpus of a stream of lists of words."""
    empty = Document("")
    return _store(folder, ((empty, words) for words in documents), options, metadata, None)


def store_corpus(folder: StrPath, corpus: Corpus) -> None:
    """See ``Corpus.store``."""
    with open_store_writer(folder) as store:
        store.write("tokens", corpus.tokens)
        store.write("offsets", corpus.offsets)
        store.write_strings("vocabulary", corpus.vocabulary.tolist())
        store.write_metadata(corpus)
        store.tokenizer = corpus.tokenizer


def _store(
    folder: StrPath,
    documents: Iterable[TokenizedDocument],
    options: TextOptions,
    metadata: Mapping[str, Any],
    tokenizer: Tokenizer | None,
) -> Corpus:
    given = {name: value for name, value in metadata.items() if value is not None}
    with open_store_writer(folder) as store:
        store.tokenizer = tokenizer
        metadata_writer = MetadataWriter(store, options.keep_texts)
        write_words = _write_new_vocabulary if options.vocabulary is None else _write_fixed_vocabulary
        write_words(store, documents, options, metadata_writer)
        metadata_writer.finish()
        if given:
            corpus = build_from_arrays(store.finish_arrays(), None)
            store.write_metadata(replace_metadata(corpus, **given), tuple(given))
    return open_store(folder, tokenizer)


def _splitter(tokenizer: Tokenizer) -> Callable[[str], list[str]]:
    """Function that splits a text; except in n-grams, words are excluded later, when they are numbered."""
    return tokenizer.split if tokenizer.ngram_range == (1, 1) else tokenizer


def _excluded_words(tokenizer: Tokenizer) -> frozenset[str]:
    return tokenizer.excluded_words if tokenizer.ngram_range == (1, 1) else frozenset()


def _write_fixed_vocabulary(
    store: StoreWriter, documents: Iterable[TokenizedDocument], options: TextOptions, metadata: MetadataWriter
) -> None:
    words, excluded = as_word_index(options.vocabulary), _excluded_words(options.tokenizer)
    index = _FixedIndex({word: i for word, i in words.ids.items() if word not in excluded})
    writer = _TokenWriter(store)
    for chunk in _chunks(documents, index, metadata):
        writer.append(*chunk)
    check_not_empty(writer.n_docs)
    store.write_strings("vocabulary", words.words.tolist())


def _write_new_vocabulary(
    store: StoreWriter, documents: Iterable[TokenizedDocument], options: TextOptions, metadata: MetadataWriter
) -> None:
    index = new_word_index(_excluded_words(options.tokenizer))
    temporary, counts = _TokenWriter(store, _TEMPORARY), ChunkedWordCounts(index, options.pruning)
    for chunk in _chunks(documents, index, metadata):
        temporary.append(*chunk)
        counts.add(*chunk)
    new, words = new_ids(counts.vocabulary, select_words(counts, options.pruning), sort=True)
    writer = _TokenWriter(store)
    for tokens, offsets in temporary.chunks():
        writer.append(*drop_negative_ids(new[tokens], offsets))
    temporary.remove()
    store.write_strings("vocabulary", words.tolist())


class _FixedIndex(dict[str, int]):
    """Index that gives -1 to unknown words."""

    def __missing__(self, word: str) -> int:
        return -1


class ChunkedWordCounts:
    """Word counts of chunks of documents, if pruning needs them: see ``vocabulary.WordCounts``."""

    def __init__(self, index: dict[str, int], pruning: Pruning) -> None:
        self._index, self._is_counting = index, not pruning.keeps_all
        self.n_docs = 0
        self._frequencies, self._occurrences = np.zeros(0, np.int64), np.zeros(0, np.int64)

    @property
    def vocabulary(self) -> NDArray[np.object_]:
        """Word of each id."""
        return indexed_words(self._index)

    def add(self, tokens: NDArray[np.int32], offsets: NDArray[np.int64]) -> None:
        """Count the words of some documents."""
        self.n_docs += len(offsets) - 1
        if self._is_counting:
            n_words = len(self._index)
            self._frequencies = _sum(self._frequencies, document_frequencies(tokens, offsets, n_words))
            self._occurrences = _sum(self._occurrences, count_ids(tokens, n_words))

    def document_frequencies(self) -> NDArray[np.int64]:
        """Number of documents that each word occurs in."""
        return self._frequencies[: len(self.vocabulary)]

    def word_counts(self) -> NDArray[np.int64]:
        """Number of occurrences of each word."""
        return self._occurrences[: len(self.vocabulary)]


def _sum(before: NDArray[np.int64], longer: NDArray[np.int64]) -> NDArray[np.int64]:
    longer[: len(before)] += before
    return longer


class _TokenWriter:
    """Word ids and offsets that grow on disk."""

    def __init__(self, store: StoreWriter, prefix: str = "") -> None:
        self._store, self._names = store, (f"{prefix}tokens", f"{prefix}offsets")
        self._tokens, self._offsets = store.grow(self._names[0], np.int32), store.grow(self._names[1], np.int64)
        self._offsets.append([0])

    @property
    def n_docs(self) -> int:
        return len(self._offsets) - 1

    def append(self, tokens: NDArray[np.int32], offsets: NDArray[np.int64]) -> None:
        self._offsets.append(offsets[1:] + len(self._tokens))
        self._tokens.append(tokens)

    def chunks(self) -> Iterator[Chunk]:
        """Documents read back, some at a time."""
        tokens, offsets = map(self._store.finish_array, self._names)
        first = 0
        while first < self.n_docs:
            last = int(np.searchsorted(offsets, offsets[first] + _CHUNK_TOKENS, side="right")) - 1
            last = min(max(first + 1, last), first + _CHUNK_DOCUMENTS)
            edges = offsets[first : last + 1]
            yield tokens[edges[0] : edges[-1]], edges - edges[0]
            release_pages(tokens)
            first = last

    def remove(self) -> None:
        for name in self._names:
            self._store.remove(name)


def _chunks(tokenized: Iterable[TokenizedDocument], index: dict[str, int], metadata: MetadataWriter) -> Iterator[Chunk]:
    """Word ids of some documents at a time, without excluded words; their metadata is written."""
    tokens, offsets, documents = array("i"), array("q", [0]), list[Document]()
    number = index.__getitem__
    for document, words in tokenized:
        tokens.extend(map(number, words))
        offsets.append(len(tokens))
        documents.append(document if metadata.keeps_texts else document._replace(text=""))
        if len(tokens) >= _CHUNK_TOKENS or len(documents) >= _CHUNK_DOCUMENTS:
            metadata.add(documents)
            yield _as_chunk(tokens, offsets)
            tokens, offsets, documents = array("i"), array("q", [0]), []
    if documents:
        metadata.add(documents)
        yield _as_chunk(tokens, offsets)


def _as_chunk(tokens: array[int], offsets: array[int]) -> Chunk:
    return drop_negative_ids(np.frombuffer(tokens, np.int32), np.frombuffer(offsets, np.int64))


# ---------------------------------------------------------------------- metadata


class MetadataWriter:
    """Writes ids, labels, targets, dates and texts of a stream of documents; what no document has is removed."""

    def __init__(self, store: StoreWriter, keep_texts: bool) -> None:
        self._store, self.keeps_texts = store, keep_texts
        self._ids, self._has_ids = _StringWriter(store, "ids"), False
        self._labels, self._has_labels = _LabelWriter(store), False
        self._targets = _TargetWriter(store)
        self._dates, self._has_dates = store.grow("dates", np.int64), False
        self._texts = _StringWriter(store, "texts") if keep_texts else None
        self._columns: dict[str, list[Any]] = {}  # in memory, since their types are known at the end

    def add(self, documents: Sequence[Document]) -> None:
        """Write the metadata of some documents."""
        self._has_ids |= any(document.id is not None for document in documents)
        self._has_labels |= any(document.labels is not None for document in documents)
        self._has_dates |= any(document.date is not None for document in documents)
        self._ids.add([f"line-{doc.line}" if doc.id is None else doc.id for doc in documents])
        self._labels.add([as_labels(document.labels) for document in documents])
        self._targets.add([document.target for document in documents])
        dates = [NO_DATE if document.date is None else document.date for document in documents]
        self._dates.append(np.array(dates, "datetime64[s]").view(np.int64))
        if self._texts is not None:
            self._texts.add([document.text for document in documents])
        for name, values in metadata_columns(documents).items():
            self._columns.setdefault(name, []).extend(values)

    def finish(self) -> None:
        """Remove what no document has, and write further columns."""
        if self._columns:
            n_docs = len(next(iter(self._columns.values())))
            self._store.write_strings("metadata", columns_to_json(as_columns(self._columns, n_docs)))
        self._labels.finish()
        has_values = {
            ("ids.bytes", "ids.offsets"): self._has_ids,
            ("labels.names.bytes", "labels.names.offsets", "labels.values", "labels.offsets"): self._has_labels,
            ("dates",): self._has_dates,
        }
        for name in chain.from_iterable(names for names, has in has_values.items() if not has):
            self._store.remove(name)


class _StringWriter:
    def __init__(self, store: StoreWriter, name: str) -> None:
        self._bytes, self._offsets = store.grow(f"{name}.bytes", np.uint8), store.grow(f"{name}.offsets", np.int64)
        self._offsets.append([0])

    def add(self, strings: Sequence[str]) -> None:
        encoded, base = Strings.of(strings), len(self._bytes)
        self._bytes.append(encoded.data)
        self._offsets.append(encoded.offsets[1:] + base)


class _LabelWriter:
    """Labels, numbered in order of appearance; renumbered in alphabetical order at the end."""

    def __init__(self, store: StoreWriter) -> None:
        self._store, self._number = store, dict[str, int]()
        self._found, self._offsets = store.grow(_TEMPORARY_LABELS, np.int32), store.grow("labels.offsets", np.int64)
        self._offsets.append([0])

    def add(self, labels: Sequence[tuple[str, ...]]) -> None:
        number, base = self._number, len(self._found)
        self._offsets.append([base + end for end in accumulate(map(len, labels))])
        self._found.append([number.setdefault(label, len(number)) for label in chain.from_iterable(labels)])

    def finish(self) -> None:
        names = sorted(self._number)
        new = np.empty(len(names), np.int32)
        new[[self._number[name] for name in names]] = np.arange(len(names))
        values = self._store.grow("labels.values", np.int32)
        for chunk in iter_chunks(self._store.finish_array(_TEMPORARY_LABELS)):
            values.append(new[chunk])
        self._store.remove(_TEMPORARY_LABELS)
        self._store.write_strings("labels.names", names)


class _TargetWriter:
    """Numbers to predict: one or several per document, as the first known target has."""

    def __init__(self, store: StoreWriter) -> None:
        self._store, self._n_before = store, 0
        self._first: float | tuple[float, ...] | None = None
        self._values: GrowingArray | None = None

    def add(self, targets: Sequence[float | tuple[float, ...] | None]) -> None:
        for target in targets:
            if self._first is None:
                self._first = target
            elif target is not None and _shape(target) != _shape(self._first):
                as_numbers("targets", [self._first, target])  # raises the error
        if self._first is None:
            self._n_before += len(targets)
            return
        unknown = np.full(_shape(self._first), math.nan)
        if self._values is None:
            self._values = self._store.grow("targets", np.float64, unknown.shape)
            self._values.append(np.broadcast_to(unknown, (self._n_before, *unknown.shape)))
        self._values.append([unknown if target is None else target for target in targets])


def _shape(target: float | tuple[float, ...]) -> tuple[int, ...]:
    return (len(target),) if isinstance(target, tuple) else ()
