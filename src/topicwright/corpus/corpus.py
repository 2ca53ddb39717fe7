"""The corpus: one stream of word ids, where each document starts, and metadata of the documents."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._utils.formatting import html_table, truncate
from ..errors import InputError
from .columns import Columns, as_columns
from .constructors import FileConstructors, MemoryConstructors
from .dates import Dates, as_dates
from .metadata import (
    METADATA_FIELDS,
    LabelLists,
    Labels,
    as_label_lists,
    as_links,
    as_strings,
    as_targets,
    check_length,
    is_offsets,
)
from .store.arrays import count_ids, iter_chunks
from .vocabulary import Pruning, take_documents

if TYPE_CHECKING:
    from .tokenizer import Tokenizer

_SHOWN_DOCUMENTS, _SHOWN_CHARACTERS, _SHOWN_WORDS = 5, 120, 30
_SHOWN_NAMES = 80


@dataclass(frozen=True, eq=False)
class Corpus(MemoryConstructors, FileConstructors):
    """Documents as one stream of word ids in reading order, with a vocabulary and metadata.

    Build one with a ``from_*`` method. The constructor takes arrays that are already in shape and validates them.

    Parameters
    ----------
    tokens : int32 array of shape (n_tokens,)
        Word ids, document after document, in reading order.
    offsets : int64 array of shape (n_docs + 1,)
        Document ``d`` is ``tokens[offsets[d]:offsets[d + 1]]``.
    vocabulary : array of str
        Word of each id.
    ids : sequence of str, optional
        Names of the documents.
    labels : sequence of tuple of str, optional
        Labels of each document.
    targets : float array of shape (n_docs,) or (n_docs, n_targets), optional
        Numbers to predict; NaN where they are unknown.
    links : int64 array of shape (n_links, 2), optional
        Pairs of documents that belong together, by row.
    tokenizer : Tokenizer, optional
        How texts were tokenized; ``transform`` tokenizes new texts in the same way.
    dates : datetime64[s] array of shape (n_docs,), optional
        When each document was written, NaT where that is unknown; given as ISO dates, years, Unix seconds,
        ``datetime`` or pandas' timestamps.
    texts : sequence of str, optional
        Original texts, if they are kept (``keep_texts=True``).
    metadata : mapping of str to array, optional
        Further columns of metadata: booleans, integers, floats (NaN where missing), ``datetime64[s]``, or strings (None
        where missing). Given as a mapping of names to columns, or as a data frame.

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
    metadata: Columns | None = None

    _earlier_word_counts = None  # of the documents that an updated model was trained on before

    def __post_init__(self) -> None:
        set_ = object.__setattr__  # the dataclass is frozen once this returns
        set_(self, "vocabulary", _as_vocabulary(self.vocabulary))
        tokens, offsets = _as_integers("tokens", self.tokens), _as_integers("offsets", self.offsets)
        _check_tokens(tokens, offsets, len(self.vocabulary))
        set_(self, "tokens", np.ascontiguousarray(tokens, dtype=np.int32))
        set_(self, "offsets", np.ascontiguousarray(offsets, dtype=np.int64))
        for name in METADATA_FIELDS:
            set_(self, name, _validate_metadata(name, getattr(self, name), self))

    # ------------------------------------------------------------------ size and display

    @property
    def n_docs(self) -> int:
        """Number of documents, empty ones included."""
        return len(self.offsets) - 1

    @property
    def n_tokens(self) -> int:
        """Number of tokens of all documents together."""
        return len(self.tokens)

    @property
    def n_words(self) -> int:
        """Number of words of the vocabulary."""
        return len(self.vocabulary)

    def __len__(self) -> int:
        return self.n_docs

    def __repr__(self) -> str:
        return f"<Corpus: {', '.join(_describe(self))}>"

    def _repr_html_(self) -> str:
        return _to_html(self)

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
        """Number of occurrences of each word in all documents together."""
        return count_ids(self.tokens, self.n_words)

    def all_word_counts(self) -> NDArray[np.int64]:
        """Number of occurrences of each word, in earlier documents of an updated model too."""
        counts, earlier = self.word_counts(), self._earlier_word_counts
        return counts if earlier is None else counts + earlier

    def label_names(self) -> list[str]:
        """Labels that occur, sorted."""
        if isinstance(self.labels, LabelLists):
            return sorted(self.labels.names)
        return sorted({label for doc in self.labels or () for label in doc})

    def __iter__(self) -> Iterator[NDArray[np.int32]]:
        return (self.doc(d) for d in range(self.n_docs))

    # ------------------------------------------------------------------ derived corpora

    def select(self, documents: ArrayLike) -> Corpus:
        """Corpus of some of the documents, with the same vocabulary.

        Parameters
        ----------
        documents : array of int or of bool
            Rows of the documents, or a mask of all documents.

        Examples
        --------
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
            metadata=None if self.metadata is None else {name: col[rows] for name, col in self.metadata.items()},
        )

    def prune(
        self,
        min_df: float = 1,
        max_df: float = 1.0,
        max_words: int | None = None,
        stop_words: str | Iterable[str] | None = None,
    ) -> Corpus:
        """Corpus of the same documents without words that are too rare, too frequent or unwanted.

        Parameters
        ----------
        min_df, max_df, max_words, stop_words
            Words to keep: see ``from_texts``.

        Examples
        --------
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


def corpus_digest(corpus: Corpus) -> str:
    """Hash of the vocabulary, tokens and offsets of a corpus, as 32 hexadecimal digits.

    Two corpora have the same digest if a model without labels or targets can't tell them apart.

    Examples
    --------
    >>> import topicwright as tw
    >>> corpus_digest(tw.Corpus.from_texts(["red apple"])) == corpus_digest(tw.Corpus.from_texts(["red  Apple!"]))
    True
    """
    digest = hashlib.sha256("\n".join(corpus.vocabulary).encode("utf-8", "surrogatepass"))
    for array in (corpus.tokens, corpus.offsets):
        for chunk in iter_chunks(array):
            digest.update(np.ascontiguousarray(chunk, array.dtype.newbyteorder("<")).data)
    return digest.hexdigest()[:32]


def replace_metadata(corpus: Corpus, **metadata: Any) -> Corpus:
    """Corpus of the same words with other metadata. Only the new metadata is validated, not the tokens.

    Parameters
    ----------
    corpus : Corpus
        The corpus.
    **metadata
        Any of ids, labels, targets, links, dates, texts and metadata; None removes one.
    """
    new = copy(corpus)
    for name in METADATA_FIELDS:  # ids first, since links may name them
        if name in metadata:
            object.__setattr__(new, name, _validate_metadata(name, metadata[name], new))
    return new


def with_earlier_word_counts(corpus: Corpus, counts: NDArray[np.int64]) -> Corpus:
    """The same documents, for a model that was trained on others before; ``counts`` are those of the others."""
    new = copy(corpus)
    object.__setattr__(new, "_earlier_word_counts", counts)
    return new


def array_bytes(array: Any) -> bytes:
    """Numbers as bytes that are the same on every machine."""
    array = np.atleast_1d(array)
    return bytes(array.astype(array.dtype.newbyteorder("<"), copy=False).data)


# ---------------------------------------------------------------------- validation


def _validate_metadata(name: str, values: Any, corpus: Corpus) -> Any:
    if values is None:
        return None
    if name == "links":
        return as_links(values, corpus.ids, corpus.n_docs)
    if name == "targets":
        return as_targets(values, corpus.n_docs)
    if name == "metadata":
        return as_columns(values, corpus.n_docs) or None
    if name == "dates":
        column: Any = as_dates("dates", values)
    else:
        column = as_label_lists(values) if name == "labels" else as_strings(name, values)
    check_length(name, column, corpus.n_docs)
    return column


def _as_integers(name: str, values: Any) -> NDArray[Any]:
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        raise InputError(f"`{name}` must be whole numbers: got {array.dtype}", parameter=name, got=array.dtype)
    return array


def _check_tokens(tokens: NDArray[Any], offsets: NDArray[Any], n_words: int) -> None:
    if offsets.ndim != 1 or tokens.ndim != 1 or len(offsets) == 0:
        raise InputError("`tokens` and `offsets` must be one-dimensional, and `offsets` not empty", parameter="offsets")
    if not is_offsets(offsets, len(tokens)):
        message = f"`offsets` must rise from 0 to the number of tokens ({len(tokens)})"
        raise InputError(message, parameter="offsets", got=offsets)
    for chunk in iter_chunks(tokens):
        if chunk.min() < 0 or chunk.max() >= n_words:
            message = f"word ids must be from 0 to {n_words - 1}: got {tokens.min()} to {tokens.max()}"
            raise InputError(message, parameter="tokens", got=(int(tokens.min()), int(tokens.max())))


def _as_vocabulary(vocabulary: Any) -> NDArray[np.object_]:
    """Words as a read-only array; one that is read-only already was validated before."""
    if isinstance(vocabulary, np.ndarray) and vocabulary.dtype == object and not vocabulary.flags.writeable:
        return vocabulary
    words = np.empty(len(vocabulary), dtype=object)
    words[:] = [str(word) for word in vocabulary]
    words.setflags(write=False)
    return words


# ---------------------------------------------------------------------- display


def _describe(corpus: Corpus) -> list[str]:
    """Sizes of a corpus and of its metadata."""
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
    if corpus.metadata is not None:
        parts.append(f"metadata: {truncate(', '.join(corpus.metadata), _SHOWN_NAMES)}")
    return parts if corpus.texts is None else [*parts, "texts"]


def _to_html(corpus: Corpus) -> str:
    """Sizes and first documents as a table."""
    columns = [name for name in ("ids", "labels", "targets", "dates") if getattr(corpus, name) is not None]
    heads = ["", *({"ids": "id", "dates": "date", "targets": "target"}.get(name, name) for name in columns)]
    n = min(corpus.n_docs, _SHOWN_DOCUMENTS)
    rows = [[f"{row:,}", *(_cell(corpus, name, row) for name in columns), excerpt(corpus, row)] for row in range(n)]
    more = f"… and {corpus.n_docs - n:,} more" if corpus.n_docs > n else ""
    return html_table(
        f"Corpus: {', '.join(_describe(corpus))}", [*heads, "words" if corpus.texts is None else "text"], rows, more
    )


def excerpt(corpus: Corpus, row: int) -> str:
    """Start of a document: of its text if it is kept, or else of its words."""
    if corpus.texts is not None:
        return truncate(corpus.texts[row], _SHOWN_CHARACTERS)
    words = corpus.vocabulary[corpus.doc(row)[:_SHOWN_WORDS]]
    return truncate(" ".join(words) + (" …" if len(corpus.doc(row)) > _SHOWN_WORDS else ""), _SHOWN_CHARACTERS)


def _cell(corpus: Corpus, name: str, row: int) -> str:
    value: Any = getattr(corpus, name)[row]
    if name == "dates":
        return "–" if np.isnat(value) else str(value).removesuffix("T00:00:00").replace("T", " ")
    if name == "targets":
        return truncate(", ".join(f"{number:g}" for number in np.atleast_1d(value)), 40)
    return truncate(", ".join(value) if name == "labels" else value, 40)
