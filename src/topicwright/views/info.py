"""Tables of all topics and of all documents of a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._utils.formatting import pluralize
from .._utils.table import Table
from .._utils.validation import check_integer, check_rows
from ..corpus.corpus import excerpt
from .documents import metadata_of
from .format import has_documents, is_labeled, require_documents, topic_name
from .words import RankedWords, topic_sizes

_ROWS = 4096  # of dense topic shares in memory at a time
_FREX_WEIGHT = 0.5


class TopicInfo(NamedTuple):
    """A topic: its size and its words."""

    topic: int
    name: str | None
    share: float
    """Share of all tokens."""
    n_tokens: int
    n_docs: int | None
    """Documents that have most of their tokens in this topic; if topics are labels, documents with the label."""
    words: tuple[str, ...]
    """Most probable words."""
    frex: tuple[str, ...]
    """Words that are both frequent and exclusive: see :func:`topicwright.views.frex_words`."""


class DocumentInfo(NamedTuple):
    """A training document: its largest topic, and its metadata."""

    row: int
    name: str | None
    topic: int
    """Topic with the largest share θ."""
    topic_name: str | None
    share: float
    n_words: int
    labels: tuple[str, ...]
    date: str | None
    target: float | tuple[float, ...] | None
    metadata: Mapping[str, Any]
    """Further columns of the corpus."""
    text: str
    """Start of the text, or of its words if texts are not kept."""

    def record(self) -> dict[str, Any]:
        """The document as a row of a table, with a column for each column of metadata."""
        fields = self._asdict()
        metadata, text = fields.pop("metadata"), fields.pop("text")
        taken = {*fields, "text"}
        further = {f"metadata_{name}" if name in taken else name: value for name, value in metadata.items()}
        return {**fields, **further, "text": text}


def topic_info(model: Any, n_words: int = 10) -> Table[TopicInfo]:
    """See :meth:`topicwright.LDA.topic_info`."""
    check_is_fitted(model)
    n_words = check_integer("n_words", n_words, 1)
    ranked, tops = RankedWords(model), model.top_words(n_words)
    tokens = np.asarray(model.topic_word_counts_.sum(axis=1), dtype=np.float64).ravel()
    rows = [
        TopicInfo(topic, topic_name(model, topic), share, round(n_tokens), n_docs, tuple(top), frex)
        for topic, (share, n_tokens, n_docs, top) in enumerate(
            zip(topic_sizes(model).tolist(), tokens.tolist(), _document_counts(model), tops)
        )
        for frex in [tuple(word.word for word in ranked.frex(topic, _FREX_WEIGHT, n_words))]
    ]
    return Table(rows, f"{type(model).__name__}: {pluralize(len(rows), 'topic')}", TopicInfo._fields)


def _document_counts(model: Any) -> list[int | None]:
    n_topics = len(model.alpha_)
    if is_labeled(model):
        counts = model.label_counts_.tolist()
        return [*counts, *[None] * (n_topics - len(counts))]
    if not has_documents(model):
        return [None] * n_topics
    counts = model.doc_topic_counts_
    largest = np.asarray(counts.argmax(axis=1)).ravel()[np.diff(counts.indptr) > 0]
    numbers: list[int | None] = np.bincount(largest, minlength=n_topics).tolist()
    return numbers


def document_info(model: Any, rows: Any = None) -> Table[DocumentInfo]:
    """See :meth:`topicwright.LDA.document_info`."""
    check_is_fitted(model)
    require_documents(model, "document_info")
    corpus = model.corpus_
    chosen = np.arange(corpus.n_docs) if rows is None else check_rows("rows", rows, corpus.n_docs)
    columns = {name: column[chosen].tolist() for name, column in (corpus.metadata or {}).items()}
    targets = None if corpus.targets is None else corpus.targets[chosen].tolist()
    names = [topic_name(model, topic) for topic in range(len(model.alpha_))]
    lengths = corpus.doc_lengths()
    found = []
    for start in range(0, len(chosen), _ROWS):
        theta = model.document_topics(chosen[start : start + _ROWS])
        topics = theta.argmax(axis=1)
        shares = theta[np.arange(len(theta)), topics]
        for number, (topic, share) in enumerate(zip(topics.tolist(), shares.tolist()), start):
            row = int(chosen[number])
            name, labels, date = metadata_of(corpus, row)
            target = None if targets is None else targets[number]
            found.append(
                DocumentInfo(
                    *(row, name, topic, names[topic], share, int(lengths[row]), labels, date),
                    tuple(target) if isinstance(target, list) else target,
                    {column: values[number] for column, values in columns.items()},
                    excerpt(corpus, row),
                )
            )
    fields = [name for name in DocumentInfo._fields if name not in ("metadata", "text")]
    return Table(found, pluralize(len(found), "document"), (*fields, *columns, "text"))
