"""Where documents come from: files, or the docstrings of installed packages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topicwright.corpus.corpus import Corpus
from topicwright.errors import InputError

DOCSTRINGS = "docstrings"
HELD_OUT = 5  # one document in this many
TEST, TRAIN = "test", "train"


def has_counts(name: str) -> bool:
    """Whether a source is a file of counts, whose words are cut already."""
    from topicwright.corpus.formats.registry import format_of, get_format

    return name != DOCSTRINGS and get_format(format_of(name)).holds_counts


def cutting(stop_words: Any, token_pattern: str | None = None) -> dict[str, Any]:
    """How texts are cut, as ``read_corpus`` takes it, from what stands on the command line.

    >>> cutting("none")
    {'stop_words': None}
    """
    pattern = {} if token_pattern is None else {"token_pattern": token_pattern}
    return {"stop_words": None if stop_words == "none" else stop_words, **pattern}


@dataclass(frozen=True)
class Source:
    """Documents to train on and, in a file of their own or marked by a field, documents to test on."""

    corpus: str = DOCSTRINGS
    test: str | None = None
    split: str | None = None  # the field that says "train" or "test"
    target: str | None = None  # the field of the number to predict
    min_df: int = 5
    stop_words: str = "english"
    token_pattern: str | None = None
    seed: int = 0  # of the split, where the data has none

    def __post_init__(self) -> None:
        if self.test is not None and self.split is not None:
            raise InputError("give a file of documents to hold out or `split`, not both")
        if self.corpus == DOCSTRINGS and (self.test or self.split or self.target):
            raise InputError("documents to hold out, `split` and `target` need a file of documents in `corpus`")

    @property
    def is_split(self) -> bool:
        """Whether it says which documents to test on."""
        return self.test is not None or self.split is not None


def read(source: Source) -> Corpus:
    """All documents."""
    if source.corpus == DOCSTRINGS:
        from topicwright.datasets import load_docstrings

        return load_docstrings()
    return _file(source, source.corpus).prune(min_df=source.min_df)


def read_split(source: Source) -> tuple[Corpus, Corpus]:
    """Training and test documents, in the vocabulary of the former; split at random unless the source has a split."""
    from topicwright.corpus.build import align

    train = _file(source, source.corpus)
    if source.test is not None:
        test = _file(source, source.test)
    else:
        is_train, is_test = _parts(source, train.n_docs)
        train, test = train.select(is_train), train.select(is_test)
    train = train.prune(min_df=source.min_df)
    return train, align(test, train.vocabulary).corpus


def by_chance(n_docs: int, seed: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which documents are to train and which, one in five, to test."""
    if n_docs < 2:
        raise InputError(f"a split needs documents to train on and to test on: got {n_docs}")
    is_test = np.zeros(n_docs, dtype=bool)
    is_test[np.random.default_rng(seed).permutation(n_docs)[: max(1, n_docs // HELD_OUT)]] = True
    return ~is_test, is_test


def _file(source: Source, path: str) -> Corpus:
    from topicwright.corpus import read_corpus

    return read_corpus(path, target=source.target, **cutting(source.stop_words, source.token_pattern))


def _parts(source: Source, n_docs: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    if source.split is None:
        return by_chance(n_docs, source.seed)
    from topicwright.corpus import iter_documents

    names = [document.labels for document in iter_documents(source.corpus, labels=source.split)]
    parts = [np.array([name == (part,) for name in names], dtype=bool) for part in (TRAIN, TEST)]
    for part, chosen in zip((TRAIN, TEST), parts):
        if not chosen.any():
            raise InputError(f"{source.corpus}: no document has {part!r} in its field {source.split!r}")
    return parts[0], parts[1]
