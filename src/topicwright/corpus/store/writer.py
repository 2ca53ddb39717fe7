"""Texts of any size as a stored corpus, in memory that grows with their different words alone.

Words are numbered as they come, and their ids written. Once all are counted, those that are kept get their numbers in
alphabetical order, and the ids are written again: texts are read and cut once, so they may come from a pipe.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._utils.atomic import StrPath
from ..build import TextOptions, check_not_empty, select_words
from ..columns import Strings, as_numbers
from ..corpus import Corpus, as_labels
from ..dates import NO_DATE
from ..documents import Document
from ..tokenizer import Tokenizer
from ..vocabulary import (
    Pruning,
    as_word_index,
    document_frequencies,
    drop_negative_ids,
    growing_index,
    indexed_words,
    new_ids,
)
from .arrays import GrowingArray, StoreWriter, open_store_writer
from .mmap import count_ids, iter_chunks, release_pages
from .reader import build_from_arrays, open_store

_METADATA_FOUND = "labels.found"


class MetadataWriter:
    """Ids, labels, targets, dates and texts of a stream of documents; what no document has is left out at the end."""

    def __init__(self, store: StoreWriter, keep_texts: bool) -> None:
        self._store, self.keeps_texts = store, keep_texts
        self._ids, self._has_ids = _Strings(store, "ids"), False
        self._labels, self._has_labels = _Labels(store), False
        self._targets = _Targets(store)
        self._dates, self._has_dates = store.grow("dates", np.int64), False
        self._texts = _Strings(store, "texts") if keep_texts else None

    def add(self, documents: Sequence[Document]) -> None:
        """Note what is known of some documents."""
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

    def finish(self) -> None:
        """Leave out what is not known of any document."""
        self._labels.finish()
        left_out = {
            ("ids.bytes", "ids.offsets"): self._has_ids,
            ("labels.names.bytes", "labels.names.offsets", "labels.values", "labels.offsets"): self._has_labels,
            ("dates",): self._has_dates,
        }
        for name in chain.from_iterable(names for names, is_known in left_out.items() if not is_known):
            self._store.remove(name)


class _Strings:
    def __init__(self, store: StoreWriter, name: str) -> None:
        self._bytes, self._offsets = store.grow(f"{name}.bytes", np.uint8), store.grow(f"{name}.offsets", np.int64)
        self._offsets.append([0])

    def add(self, strings: Sequence[str]) -> None:
        packed, base = Strings.of(strings), len(self._bytes)
        self._bytes.append(packed.data)
        self._offsets.append(packed.offsets[1:] + base)


class _Labels:
    """Labels by number, as they come up; in the order of their names at the end."""

    def __init__(self, store: StoreWriter) -> None:
        self._store, self._number = store, dict[str, int]()
        self._found, self._offsets = store.grow(_METADATA_FOUND, np.int32), store.grow("labels.offsets", np.int64)
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
        for piece in iter_chunks(self._store.so_far(_METADATA_FOUND)):
            values.append(new[piece])
        self._store.remove(_METADATA_FOUND)
        self._store.write_strings("labels.names", names)


class _Targets:
    """Numbers to predict: one a document, or as many for each; the first that is known tells which."""

    def __init__(self, store: StoreWriter) -> None:
        self._store, self._n_before = store, 0
        self._first: float | tuple[float, ...] | None = None
        self._values: GrowingArray | None = None

    def add(self, targets: Sequence[float | tuple[float, ...] | None]) -> None:
        for target in targets:
            if self._first is None:
                self._first = target
            elif target is not None and _shape(target) != _shape(self._first):
                as_numbers("targets", [self._first, target])  # says what is wrong
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


_TOKENS, _DOCUMENTS = 1 << 20, 1 << 14  # so many are in memory at a time
_FOUND = "found."  # of arrays that are needed only on the way
Cut = tuple[Document, list[str]]
Chunk = tuple[NDArray[np.int32], NDArray[np.int64]]  # word ids, and where each document starts


def store_documents(folder: StrPath, documents: Iterable[Document], cutting: TextOptions) -> Corpus:
    """Store the corpus of a stream of documents, with all that is known of them."""
    cut = _cut(cutting.cutter)
    cuts = ((document, cut(document.text)) for document in documents)
    return _stored(folder, cuts, cutting, {}, cutting.cutter)


def store_texts(folder: StrPath, texts: Iterable[str], cutting: TextOptions, known: Mapping[str, Any]) -> Corpus:
    """Store the corpus of a stream of texts."""
    cut = _cut(cutting.cutter)
    cuts = ((Document(text), cut(text)) for text in texts)
    return _stored(folder, cuts, cutting, known, cutting.cutter)


def store_words(
    folder: StrPath, documents: Iterable[list[str]], cutting: TextOptions, known: Mapping[str, Any]
) -> Corpus:
    """Store the corpus of a stream of documents that are lists of words already."""
    nothing = Document("")
    return _stored(folder, ((nothing, words) for words in documents), cutting, known, None)


def store_corpus(folder: StrPath, corpus: Corpus) -> None:
    """See ``Corpus.store``."""
    with open_store_writer(folder) as store:
        store.write("tokens", corpus.tokens)
        store.write("offsets", corpus.offsets)
        store.write_strings("vocabulary", corpus.vocabulary.tolist())
        store.write_known(corpus)
        store.tokenizer = corpus.tokenizer


def _stored(
    folder: StrPath, cuts: Iterable[Cut], cutting: TextOptions, known: Mapping[str, Any], tokenizer: Tokenizer | None
) -> Corpus:
    given = {name: value for name, value in known.items() if value is not None}
    with open_store_writer(folder) as store:
        store.tokenizer = tokenizer
        notes = MetadataWriter(store, cutting.keep_texts)
        write_words = _write_learned if cutting.vocabulary is None else _write_in_vocabulary
        write_words(store, cuts, cutting, notes)
        notes.finish()
        if given:
            store.write_known(replace(build_from_arrays(store.all_so_far(), None), **given), tuple(given))
    return open_store(folder, tokenizer)


def _cut(cutter: Tokenizer) -> Callable[[str], list[str]]:
    """How a text is cut: words that are to be skipped are skipped when they are numbered, where that can be."""
    return cutter.pieces if cutter.ngram_range == (1, 1) else cutter


def _skipped(cutter: Tokenizer) -> frozenset[str]:
    return cutter.skipped if cutter.ngram_range == (1, 1) else frozenset()


def _write_in_vocabulary(store: StoreWriter, cuts: Iterable[Cut], cutting: TextOptions, notes: MetadataWriter) -> None:
    words, skipped = as_word_index(cutting.vocabulary), _skipped(cutting.cutter)
    index = _FixedIndex({word: i for word, i in words.ids.items() if word not in skipped})
    stream = _Stream(store)
    for chunk in _chunks(cuts, index, notes):
        stream.append(*chunk)
    check_not_empty(stream.n_docs)
    store.write_strings("vocabulary", words.words.tolist())


def _write_learned(store: StoreWriter, cuts: Iterable[Cut], cutting: TextOptions, notes: MetadataWriter) -> None:
    index = growing_index(_skipped(cutting.cutter))
    found, tally = _Stream(store, _FOUND), ChunkedWordCounts(index, cutting.pruning)
    for chunk in _chunks(cuts, index, notes):
        found.append(*chunk)
        tally.add(*chunk)
    new, words = new_ids(tally.words, select_words(tally, cutting.pruning), sort=True)
    stream = _Stream(store)
    for tokens, offsets in found.chunks():
        stream.append(*drop_negative_ids(new[tokens], offsets))
    found.remove()
    store.write_strings("vocabulary", words)


class _FixedIndex(dict[str, int]):
    """-1 for words that it does not have."""

    def __missing__(self, word: str) -> int:
        return -1


class ChunkedWordCounts:
    """Words of chunks of documents, counted as far as pruning wants it: see ``vocabulary.Counted``."""

    def __init__(self, index: dict[str, int], pruning: Pruning) -> None:
        self._index, self._counts = index, not pruning.keeps_all
        self.n_docs = 0
        self._frequencies, self._occurrences = np.zeros(0, np.int64), np.zeros(0, np.int64)

    @property
    def words(self) -> list[str]:
        """The word of each id."""
        return indexed_words(self._index)

    def add(self, tokens: NDArray[np.int32], offsets: NDArray[np.int64]) -> None:
        """Count the words of some documents."""
        self.n_docs += len(offsets) - 1
        if self._counts:
            n_words = len(self._index)
            self._frequencies = _sum(self._frequencies, document_frequencies(tokens, offsets, n_words))
            self._occurrences = _sum(self._occurrences, count_ids(tokens, n_words))

    def document_frequencies(self) -> NDArray[np.int64]:
        """In how many documents each word occurs."""
        return self._frequencies[: len(self.words)]

    def word_counts(self) -> NDArray[np.int64]:
        """How often each word occurs."""
        return self._occurrences[: len(self.words)]


def _sum(before: NDArray[np.int64], longer: NDArray[np.int64]) -> NDArray[np.int64]:
    longer[: len(before)] += before
    return longer


class _Stream:
    """Word ids and offsets that grow."""

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
        """The documents again, some at a time."""
        tokens, offsets = map(self._store.so_far, self._names)
        first = 0
        while first < self.n_docs:
            last = int(np.searchsorted(offsets, offsets[first] + _TOKENS, side="right")) - 1
            last = min(max(first + 1, last), first + _DOCUMENTS)
            edges = offsets[first : last + 1]
            yield tokens[edges[0] : edges[-1]], edges - edges[0]
            release_pages(tokens)
            first = last

    def remove(self) -> None:
        for name in self._names:
            self._store.remove(name)


def _chunks(cuts: Iterable[Cut], index: dict[str, int], notes: MetadataWriter) -> Iterator[Chunk]:
    """Word ids of some documents at a time, without those to be skipped; the rest is noted."""
    tokens, offsets, documents = array("i"), array("q", [0]), list[Document]()
    number = index.__getitem__
    for document, words in cuts:
        tokens.extend(map(number, words))
        offsets.append(len(tokens))
        documents.append(document if notes.keeps_texts else document._replace(text=""))
        if len(tokens) >= _TOKENS or len(documents) >= _DOCUMENTS:
            notes.add(documents)
            yield _as_chunk(tokens, offsets)
            tokens, offsets, documents = array("i"), array("q", [0]), []
    if documents:
        notes.add(documents)
        yield _as_chunk(tokens, offsets)


def _as_chunk(tokens: array[int], offsets: array[int]) -> Chunk:
    return drop_negative_ids(np.frombuffer(tokens, np.int32), np.frombuffer(offsets, np.int64))
