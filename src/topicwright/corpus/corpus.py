"""The corpus: one stream of word ids, where each document starts, and what is known about the documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._utils.formatting import html_table, truncate
from ..errors import InputError
from .columns import LabelLists, Strings, as_numbers, is_missing, is_offsets
from .constructors import FileConstructors, MemoryConstructors
from .dates import Dates, as_dates
from .store.mmap import count_ids, iter_chunks
from .vocabulary import Pruning, take_documents

if TYPE_CHECKING:
    from .tokenizer import Tokenizer

_PAIRS = "links must be pairs of documents, such as [(0, 3), (2, 5)]"


def as_links(links: Any, ids: Sequence[str] | None, n_docs: int) -> NDArray[np.int64]:
    """An array of shape (n_links, 2); documents are given by their rows or ids.

    >>> as_links([(0, "b")], ["a", "b"], 2)
    array([[0, 1]])
    """
    is_done = isinstance(links, np.ndarray) and links.dtype.kind in "iu" and links.shape[1:] == (2,)
    rows = np.asarray(links if is_done else _rows(links, ids), dtype=np.int64).reshape(-1, 2)
    if len(rows) and (rows.min() < 0 or rows.max() >= n_docs):
        raise InputError(f"links must name rows from 0 to {n_docs - 1}: got {rows.min()} to {rows.max()}")
    return rows


def _rows(links: Any, ids: Sequence[str] | None) -> list[list[int]]:
    pairs = [_entries(pair) for pair in _entries(links)]
    if any(len(pair) != 2 for pair in pairs):
        raise InputError(_PAIRS)
    has_ids = any(isinstance(end, str) for pair in pairs for end in pair)
    by_id = {name: row for row, name in enumerate(ids or ())} if has_ids else {}
    return [[_row_of(end, by_id) for end in pair] for pair in pairs]


def _entries(values: Any) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(_PAIRS)
    return list(values)


def _row_of(end: Any, by_id: dict[str, int]) -> int:
    if isinstance(end, str):
        if end not in by_id:
            raise InputError(f"links name a document id that does not exist: {end!r}")
        return by_id[end]
    try:
        return index(end)
    except TypeError:
        raise InputError(f"links must name documents by row number or id: got {end!r}") from None


_DOCUMENTS, _CHARACTERS, _WORDS = 5, 120, 30


def parts_of(corpus: Corpus) -> list[str]:
    """What a corpus holds: how much of each."""
    parts = [f"{corpus.n_docs:,} documents", f"{corpus.n_tokens:,} tokens", f"{corpus.n_words:,} words"]
    if corpus.labels is not None:
        parts.append(f"{len(corpus.label_names()):,} labels")
    if corpus.targets is not None:
        parts.append("targets")
    if corpus.links is not None:
        parts.append(f"{len(corpus.links):,} links")
    if corpus.dates is not None:
        n_missing = int(np.isnat(corpus.dates).sum())
        parts.append(f"dates ({n_missing:,} missing)" if n_missing else "dates")
    return parts if corpus.texts is None else [*parts, "texts"]


def html_of(corpus: Corpus) -> str:
    """What it holds, and its first documents."""
    columns = [name for name in ("ids", "labels", "targets", "dates") if getattr(corpus, name) is not None]
    heads = ["", *({"ids": "id", "dates": "date", "targets": "target"}.get(name, name) for name in columns)]
    n = min(corpus.n_docs, _DOCUMENTS)
    rows = [[f"{row:,}", *(_entry(corpus, name, row) for name in columns), _start(corpus, row)] for row in range(n)]
    more = f"… and {corpus.n_docs - n:,} more" if corpus.n_docs > n else ""
    return html_table(f"Corpus: {', '.join(parts_of(corpus))}", [*heads, _said(corpus)], rows, more)


def _said(corpus: Corpus) -> str:
    return "words" if corpus.texts is None else "text"


def _start(corpus: Corpus, row: int) -> str:
    """How a document begins: as it was written, or else its words."""
    if corpus.texts is not None:
        return truncate(corpus.texts[row], _CHARACTERS)
    words = corpus.vocabulary[corpus.doc(row)[:_WORDS]]
    return truncate(" ".join(words) + (" …" if len(corpus.doc(row)) > _WORDS else ""), _CHARACTERS)


def _entry(corpus: Corpus, name: str, row: int) -> str:
    value: Any = getattr(corpus, name)[row]
    if name == "dates":
        return "–" if np.isnat(value) else str(value).removesuffix("T00:00:00").replace("T", " ")
    if name == "targets":
        return truncate(", ".join(f"{number:g}" for number in np.atleast_1d(value)), 40)
    return truncate(", ".join(value) if name == "labels" else value, 40)


Labels = Sequence[tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class Corpus(MemoryConstructors, FileConstructors):
    """Documents as one token stream in reading order, with a vocabulary and what is known about each one.

    Build one with a ``from_*`` method; the constructor takes arrays that are already in shape and checks
    them.

    Parameters
    ----------
    tokens : int32 array of shape (n_tokens,)
        Word ids, document after document, in reading order.
    offsets : int64 array of shape (n_docs + 1,)
        Document ``d`` is ``tokens[offsets[d]:offsets[d + 1]]``.
    vocabulary : array of str
        The word of each id.
    ids, labels, targets, links
        What is known about the documents, each one optional: names, tags, numbers to predict, and pairs of
        documents that belong together (row numbers).
    tokenizer
        How text was cut into these words, where it was; ``transform`` cuts new text in the same way.
    dates
        When each document was written (datetime64[s], NaT where that is not known); given as ISO dates, years, Unix
        seconds, ``datetime`` or pandas' timestamps.
    texts
        The documents as they were before they were cut, where they were to be kept (``keep_texts=True``).

    Examples
    --------
    >>> import topicwright as tw
    >>> corpus = tw.Corpus.from_texts(["red apples and green apples", "green grass"])
    >>> corpus.n_docs, corpus.n_tokens, corpus.n_words
    (2, 7, 5)
    >>> corpus.words(1)
    ['green', 'grass']
    """

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    vocabulary: NDArray[np.object_]
    ids: Sequence[str] | None = None
    labels: Labels | None = None
    targets: NDArray[np.float64] | None = None
    links: NDArray[np.int64] | None = None
    tokenizer: Tokenizer | None = None
    dates: Dates | None = None
    texts: Sequence[str] | None = None

    def __post_init__(self) -> None:
        set_ = object.__setattr__  # the dataclass is frozen once this returns
        set_(self, "vocabulary", _frozen_words(self.vocabulary))
        tokens, offsets = _whole_numbers("tokens", self.tokens), _whole_numbers("offsets", self.offsets)
        _check_stream(tokens, offsets, len(self.vocabulary))
        set_(self, "tokens", np.ascontiguousarray(tokens, dtype=np.int32))
        set_(self, "offsets", np.ascontiguousarray(offsets, dtype=np.int64))
        for name in ("ids", "labels", "texts"):
            given = getattr(self, name)
            if given is not None and (isinstance(given, (str, bytes)) or not isinstance(given, Iterable)):
                got = type(given).__name__
                raise InputError(f"{name} must be a list with one entry per document: got a single {got}")
        if self.ids is not None:
            set_(self, "ids", self._one_per_document("ids", _strings(self.ids)))
        if self.labels is not None:
            set_(self, "labels", self._one_per_document("labels", _label_lists(self.labels)))
        if self.targets is not None:
            set_(self, "targets", self._checked_targets(self.targets))
        if self.links is not None:
            set_(self, "links", as_links(self.links, self.ids, self.n_docs))
        if self.dates is not None:
            set_(self, "dates", self._checked_dates(self.dates))
        if self.texts is not None:
            set_(self, "texts", self._one_per_document("texts", _strings(self.texts)))

    # ------------------------------------------------------------------ size and look

    @property
    def n_docs(self) -> int:
        """Number of documents, empty ones included."""
        return len(self.offsets) - 1

    @property
    def n_tokens(self) -> int:
        """Number of words in all documents together."""
        return len(self.tokens)

    @property
    def n_words(self) -> int:
        """Number of different words."""
        return len(self.vocabulary)

    def __len__(self) -> int:
        return self.n_docs

    def __repr__(self) -> str:
        return f"<Corpus: {', '.join(parts_of(self))}>"

    def _repr_html_(self) -> str:
        return html_of(self)

    def doc(self, row: int) -> NDArray[np.int32]:
        """Word ids of one document, in reading order."""
        row = range(self.n_docs)[row]
        return self.tokens[self.offsets[row] : self.offsets[row + 1]]

    def words(self, row: int) -> list[str]:
        """Words of one document, in reading order."""
        return list(self.vocabulary[self.doc(row)])

    def doc_lengths(self) -> NDArray[np.int64]:
        """Number of tokens of each document."""
        return np.diff(self.offsets)

    def word_counts(self) -> NDArray[np.int64]:
        """How often each word occurs in all documents together."""
        return count_ids(self.tokens, self.n_words)

    def label_names(self) -> list[str]:
        """All labels that occur, sorted."""
        if isinstance(self.labels, LabelLists):
            return sorted(self.labels.names)
        return sorted({label for doc in self.labels or () for label in doc})

    def __iter__(self) -> Iterator[NDArray[np.int32]]:
        return (self.doc(d) for d in range(self.n_docs))

    # ------------------------------------------------------------------ derived corpora

    def select(self, documents: ArrayLike) -> Corpus:
        """The corpus of some of the documents, by row numbers or a boolean mask, with the same vocabulary.

        >>> import topicwright as tw
        >>> tw.Corpus.from_texts(["red apples", "green grass", "blue sky"]).select([2, 0]).words(0)
        ['blue', 'sky']
        """
        chosen = np.asarray(documents)
        rows = np.arange(self.n_docs)[chosen if chosen.size else chosen.astype(np.int64)]
        tokens, offsets = take_documents(self.tokens, self.offsets, rows)
        new_row = np.full(self.n_docs, -1)
        new_row[rows] = np.arange(len(rows))
        links = None if self.links is None else new_row[self.links]
        return replace(
            self,
            tokens=tokens,
            offsets=offsets,
            ids=None if self.ids is None else tuple(self.ids[r] for r in rows),
            labels=None if self.labels is None else tuple(self.labels[r] for r in rows),
            targets=None if self.targets is None else self.targets[rows],
            links=None if links is None else links[(links >= 0).all(axis=1)],
            dates=None if self.dates is None else self.dates[rows],
            texts=None if self.texts is None else tuple(self.texts[r] for r in rows),
        )

    def prune(
        self,
        min_df: float = 1,
        max_df: float = 1.0,
        max_words: int | None = None,
        stop_words: str | Iterable[str] | None = None,
    ) -> Corpus:
        """The same documents without words that are too rare, too frequent, too many or unwanted.

        >>> import topicwright as tw
        >>> tw.Corpus.from_texts(["red apple", "green apple"]).prune(min_df=2).vocabulary.tolist()
        ['apple']
        """
        from .build import prune

        return prune(self, Pruning(min_df, max_df, max_words), stop_words)

    def to_matrix(self) -> Any:
        """Counts as a scipy CSR array of shape (n_docs, n_words); the order of words is lost."""
        from scipy.sparse import csr_array

        ones = np.ones(self.n_tokens, dtype=np.int64)
        shape = (self.n_docs, self.n_words)
        narrow = self.offsets.astype(np.int32) if self.n_tokens < 2**31 else self.offsets  # scikit-learn wants 32 bits
        matrix = csr_array((ones, self.tokens, narrow), shape=shape, copy=True)  # summed in place below
        matrix.sum_duplicates()
        return matrix

    # ------------------------------------------------------------------ checks

    def _one_per_document(self, name: str, values: Sequence[Any]) -> Sequence[Any]:
        if len(values) != self.n_docs:
            raise InputError(f"{name} must have one entry per document: got {len(values)}, expected {self.n_docs}")
        return values

    def _checked_targets(self, targets: ArrayLike) -> NDArray[np.float64]:
        values = as_numbers("targets", targets)
        if values.ndim not in (1, 2) or len(values) != self.n_docs:
            raise InputError(
                f"targets must have one row per document: got shape {values.shape}, expected {self.n_docs}"
            )
        if np.isinf(values).any():
            raise InputError("targets must be finite numbers, or NaN where unknown: got an infinity")
        return values

    def _checked_dates(self, dates: Any) -> Dates:
        moments = as_dates("dates", dates)
        if len(moments) != self.n_docs:
            raise InputError(f"dates must have one entry per document: got {len(moments)}, expected {self.n_docs}")
        return moments


def _whole_numbers(name: str, values: Any) -> NDArray[Any]:
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        raise InputError(f"{name} must be whole numbers: got {array.dtype}")
    return array


def _check_stream(tokens: NDArray[Any], offsets: NDArray[Any], n_words: int) -> None:
    if offsets.ndim != 1 or tokens.ndim != 1 or len(offsets) == 0:
        raise InputError("tokens and offsets must be one-dimensional, and offsets not empty")
    if not is_offsets(offsets, len(tokens)):
        raise InputError(f"offsets must rise from 0 to the number of tokens ({len(tokens)})")
    for piece in iter_chunks(tokens):
        if piece.min() < 0 or piece.max() >= n_words:
            raise InputError(f"word ids must be from 0 to {n_words - 1}: got {tokens.min()} to {tokens.max()}")


def _strings(values: Iterable[Any]) -> Sequence[str]:
    return values if isinstance(values, Strings) else tuple(str(value) for value in values)


def _label_lists(values: Iterable[Any]) -> Labels:
    return values if isinstance(values, LabelLists) else tuple(map(as_labels, values))


def _frozen_words(vocabulary: Any) -> NDArray[np.object_]:
    """Words as an array that cannot be written; one that is such an array already was checked before."""
    if isinstance(vocabulary, np.ndarray) and vocabulary.dtype == object and not vocabulary.flags.writeable:
        return vocabulary
    words = np.empty(len(vocabulary), dtype=object)
    words[:] = [str(word) for word in vocabulary]
    words.setflags(write=False)
    return words


def as_labels(value: Any) -> tuple[str, ...]:
    """One document's labels: None is no label, a single value is one label, a list is several, without None."""
    if is_missing(value):
        return ()
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        return (str(value),)
    return tuple(dict.fromkeys(str(label) for label in value if not is_missing(label)))
