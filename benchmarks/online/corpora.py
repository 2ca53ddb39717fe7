"""Where a stream of tagged documents comes from: a file of texts or of counts, or docstrings."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from topicwright.corpus.corpus import Corpus

from ..common.base import check_numbers, split_commas
from ..common.datasets import DOCSTRINGS, cutting, has_counts


@dataclass(frozen=True)
class StreamSource:
    """A file, and how it becomes a stream."""

    corpus: str = DOCSTRINGS
    documents: int | None = None  # only the first ones
    shuffle: bool = False
    min_df: int = 5
    stop_words: str = "english"  # or "none", or words between commas
    token_pattern: str | None = None
    label_min_df: int = 1
    seed: int = 0  # of random orders

    def __post_init__(self) -> None:
        check_numbers(self, ("documents", "min_df", "label_min_df"), least=1)

    @property
    def skipped(self) -> str | list[str] | None:
        """The stop words: "english", or which."""
        return self.stop_words if self.stop_words == "english" else list(split_commas(self.stop_words)) or None


def load(source: StreamSource) -> Corpus:
    """The documents in the order of the stream."""
    corpus = _read(source)
    if source.shuffle or source.corpus == DOCSTRINGS:  # which come package by package
        corpus = corpus.select(np.random.default_rng(source.seed).permutation(corpus.n_docs))
    if source.documents is not None:
        corpus = corpus.select(np.arange(min(source.documents, corpus.n_docs)))
    if not has_counts(source.corpus):
        corpus = corpus.prune(min_df=source.min_df)
    elif isinstance(source.skipped, list):
        corpus = corpus.prune(stop_words=source.skipped)
    return with_frequent_labels(corpus, source.label_min_df)


def _read(source: StreamSource) -> Corpus:
    if source.corpus == DOCSTRINGS:
        from topicwright.datasets import load_docstrings

        return load_docstrings()
    from topicwright.corpus import iter_documents, read_corpus
    from topicwright.corpus.documents import build_corpus

    if has_counts(source.corpus):
        return mixed(read_corpus(source.corpus), source.seed)
    enough = None if source.shuffle else source.documents
    cut = cutting(source.skipped, source.token_pattern)
    return build_corpus(islice(iter_documents(source.corpus), enough), **cut)


def mixed(corpus: Corpus, seed: int) -> Corpus:
    """Shuffle the words of each document: counts have no order, and a stream would get them sorted."""
    doc = np.repeat(np.arange(corpus.n_docs), corpus.doc_lengths())
    order = np.lexsort((np.random.default_rng(seed).random(corpus.n_tokens), doc))
    return replace(corpus, tokens=corpus.tokens[order])


def with_frequent_labels(corpus: Corpus, min_df: int) -> Corpus:
    """The same documents, without labels of fewer than ``min_df`` documents.

    >>> corpus = Corpus.from_texts(["red sails", "red ship"], labels=[["x", "y"], ["x"]])
    >>> with_frequent_labels(corpus, 2).labels
    (('x',), ('x',))
    """
    labels = corpus.labels or ((),) * corpus.n_docs
    frequency = Counter(label for own in labels for label in set(own))
    return replace(corpus, labels=tuple(tuple(one for one in own if frequency[one] >= min_df) for own in labels))


def tagged(corpus: Corpus) -> Corpus:
    """The documents that have words and labels."""
    labels = corpus.labels or ((),) * corpus.n_docs
    kept = [bool(own) and n > 0 for own, n in zip(labels, corpus.doc_lengths().tolist())]
    return corpus if all(kept) else corpus.select(np.array(kept, dtype=bool))
