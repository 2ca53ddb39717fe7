"""Where documents come from: files with a split of their own or without, or the docstrings of installed packages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...corpus.core import Corpus
from ...errors import InputError
from .problems import CLASSES, HELD_OUT, LABELS, TARGETS, Problem, problem_of

DOCSTRINGS = "docstrings"
TEST = "test"
TRAIN = "train"


@dataclass(frozen=True)
class Source:
    """Files, and how they are cut into words."""

    corpus: str = DOCSTRINGS
    test: str | None = None
    split: str | None = None  # the field that says "train" or "test"
    target: str | None = None  # the field of the number to foretell
    min_df: int = 5
    stop_words: str = "english"
    token_pattern: str | None = None
    seed: int = 0  # of the split, where the data has none

    def __post_init__(self) -> None:
        if self.test is not None and self.split is not None:
            raise InputError("give a file of documents to hold out or --split, not both")
        if self.corpus == DOCSTRINGS and (self.test or self.split or self.target):
            raise InputError("documents to hold out, --split and --target go with a file: see --corpus")


def load(source: Source) -> dict[str, Problem]:
    """The problems that a source poses, by kind; the docstrings pose one of each."""
    if source.corpus == DOCSTRINGS:
        return _docstrings(source.seed)
    train, test = _read(source)
    problem = problem_of(train, test, targets=source.target is not None)
    return {problem.kind: problem}


def read(source: Source) -> tuple[Corpus, Corpus | None]:
    """All documents to train on and, where the source says which, those to test on, in the words of the former."""
    if source.test is not None or source.split is not None:
        return _read(source)
    if source.corpus == DOCSTRINGS:
        from ...datasets import load_docstrings

        return load_docstrings(), None
    return _corpus(source, source.corpus).prune(min_df=source.min_df), None


def _read(source: Source) -> tuple[Corpus, Corpus]:
    """Training and test documents, in the words of the former."""
    from ...corpus.texts import align

    train = _corpus(source, source.corpus)
    if source.test is not None:
        test = _corpus(source, source.test)
    else:
        is_train, is_test = _parts(source, train.n_docs)
        train, test = train.select(is_train), train.select(is_test)
    train = train.prune(min_df=source.min_df)
    return train, align(test, train.vocabulary).corpus


def _corpus(source: Source, path: str) -> Corpus:
    from ...corpus.formats import read_corpus

    options: dict[str, Any] = {"stop_words": None if source.stop_words == "none" else source.stop_words}
    if source.token_pattern is not None:
        options["token_pattern"] = source.token_pattern
    return read_corpus(path, target=source.target, **options)


def _parts(source: Source, n_docs: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which documents are to train and which to test: by the data's own split, or by chance."""
    if source.split is None:
        return _by_chance(n_docs, source.seed)
    from ...corpus.formats import iter_documents

    names = [document.labels for document in iter_documents(source.corpus, labels=source.split)]
    parts = [np.array([name == (part,) for name in names], dtype=bool) for part in (TRAIN, TEST)]
    for part, chosen in zip((TRAIN, TEST), parts):
        if not chosen.any():
            raise InputError(f"{source.corpus}: no document has {part!r} in its field {source.split!r}")
    return parts[0], parts[1]


def _by_chance(n_docs: int, seed: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    if n_docs < 2:
        raise InputError(f"there must be documents to train on and to test on: got {n_docs}")
    is_test = np.zeros(n_docs, dtype=bool)
    is_test[np.random.default_rng(seed).permutation(n_docs)[: max(1, n_docs // HELD_OUT)]] = True
    return ~is_test, is_test


def _docstrings(seed: int) -> dict[str, Problem]:
    """Which package a docstring is of; package and module; and how long it is, as a logarithm."""
    from ...datasets import load_docstrings

    corpus = load_docstrings()
    parts = _by_chance(corpus.n_docs, seed)
    packages = replace(corpus, labels=tuple(own[:1] for own in corpus.labels or ()))
    lengths = replace(corpus, targets=np.log(np.maximum(corpus.doc_lengths(), 1)))
    return {
        CLASSES: problem_of(*map(packages.select, parts)),
        LABELS: problem_of(*map(corpus.select, parts)),
        TARGETS: problem_of(*map(lengths.select, parts), targets=True),
    }
