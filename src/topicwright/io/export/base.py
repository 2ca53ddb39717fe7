"""Interface of fitted models for exports, and helpers that several exports share."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any, Protocol, TextIO, cast

import numpy as np
from numpy.typing import NDArray

from ..._utils.atomic import atomic_write
from ...corpus.corpus import Corpus
from ...corpus.formats.files import compress_stream
from ...errors import InputError


class FittedModel(Protocol):
    """Attributes of a fitted topic model that exports read; ``topic_names_`` is optional."""

    @property
    def n_topics(self) -> int: ...  # noqa: D102
    @property
    def vocabulary_(self) -> NDArray[np.object_]: ...  # noqa: D102
    @property
    def topic_word_counts_(self) -> Any: ...  # noqa: D102
    @property
    def topic_word_(self) -> NDArray[np.float64]: ...  # noqa: D102
    @property
    def doc_topic_(self) -> NDArray[np.float64]: ...  # noqa: D102
    @property
    def alpha_(self) -> NDArray[np.float64]: ...  # noqa: D102
    @property
    def beta_(self) -> float | NDArray[np.float64]: ...  # noqa: D102
    @property
    def corpus_(self) -> Corpus | None: ...  # noqa: D102
    @property
    def assignments_(self) -> NDArray[np.uint32] | None: ...  # noqa: D102


def topic_names(model: FittedModel) -> list[str] | None:
    """Names of the topics if the model has any, such as one per label."""
    names = getattr(model, "topic_names_", None)
    return None if names is None else [str(name) for name in names]


def topic_rows(model: FittedModel, topics: Iterable[int] | None = None) -> Iterator[NDArray[np.float64]]:
    """Rows of ``topic_word_``, or some of them, one at a time, since all may not fit in memory."""
    counts = model.topic_word_counts_
    seeds = getattr(model, "seed_prior_", None)
    for topic in range(counts.shape[0]) if topics is None else topics:
        start, end = counts.indptr[topic], counts.indptr[topic + 1]
        row = np.zeros(counts.shape[1]) + model.beta_
        if seeds is not None:
            row += seeds[[topic], :].toarray()[0]
        row[counts.indices[start:end]] += counts.data[start:end]
        yield row / row.sum()


def topic_weights(model: FittedModel) -> list[float]:
    """Share of each topic of all tokens; zeros if there are no tokens."""
    tokens = np.asarray(model.topic_word_counts_.sum(axis=1), dtype=np.float64).ravel()
    weights: list[float] = (tokens / max(tokens.sum(), 1.0)).tolist()
    return weights


def top_word_ids(probabilities: NDArray[np.float64], n_words: int | None) -> NDArray[np.intp]:
    """Ids of the most probable words of a topic; ties are in the order of the vocabulary."""
    n_words = len(probabilities) if n_words is None else min(n_words, len(probabilities))
    if n_words < 1:
        return np.empty(0, dtype=np.intp)
    last = np.partition(probabilities, -n_words)[-n_words]
    candidates = np.flatnonzero(probabilities >= last)
    order = np.argsort(-probabilities[candidates], kind="stable")
    return candidates[order][:n_words]


def require_corpus(model: FittedModel, purpose: str) -> Corpus:
    """Corpus that the model was fitted to; an error if the model does not keep it."""
    if model.corpus_ is None or model.assignments_ is None:
        raise InputError(f"{purpose} needs the corpus that the model was fitted to, and this model does not keep it")
    return model.corpus_


def document_ids(model: FittedModel) -> Sequence[str] | None:
    """Ids of the documents if there are any."""
    return None if model.corpus_ is None else model.corpus_.ids


Target = str | os.PathLike[str] | IO[str] | IO[bytes]
_GZIPPED = "any.gz"


@contextmanager
def open_text(target: Target, *, gzipped: bool = False) -> Iterator[TextIO]:
    """Text file to write to, as UTF-8 with Unix line ends, compressed if a path ends with .gz, .xz, .bz2 or .zst.

    With ``gzipped``, it is compressed whatever the name is, unless it is a text file object.
    """
    if isinstance(target, (str, os.PathLike)):
        with atomic_write(target) as file, _as_text(file, _GZIPPED if gzipped else str(target)) as text:
            yield text
    elif hasattr(target, "encoding"):  # every text file object has one
        yield cast(TextIO, target)
    else:
        with _as_text(target, _GZIPPED if gzipped else "") as text:
            yield text


@contextmanager
def _as_text(file: Any, name: str) -> Iterator[TextIO]:
    with compress_stream(file, name) as raw, _encoded(raw) as text:
        yield text


@contextmanager
def _encoded(file: Any) -> Iterator[TextIO]:
    # Half a surrogate pair has no UTF-8; its escape is also valid inside JSON.
    text = io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="\n")
    try:
        yield text
    finally:
        text.detach()  # writes what is left, and does not close the file
