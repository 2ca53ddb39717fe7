"""The problems that documents pose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..common.datasets import DOCSTRINGS, Source, by_chance, read, read_split
from .problems import CLASSES, LABELS, TARGETS, Problem, problem_of


def load(source: Source) -> dict[str, Problem]:
    """The problem that a file poses, by its kind; the docstrings pose one of each."""
    if source.corpus == DOCSTRINGS:
        return _docstrings(source)
    problem = problem_of(*read_split(source), targets=source.target is not None)
    return {problem.kind: problem}


def _docstrings(source: Source) -> dict[str, Problem]:
    """Which package a docstring is of; package and module; and how long it is, as a logarithm."""
    corpus = read(source)
    parts = by_chance(corpus.n_docs, source.seed)
    packages = replace(corpus, labels=tuple(own[:1] for own in corpus.labels or ()))
    lengths = replace(corpus, targets=np.log(np.maximum(corpus.doc_lengths(), 1)))
    return {
        CLASSES: problem_of(*map(packages.select, parts)),
        LABELS: problem_of(*map(corpus.select, parts)),
        TARGETS: problem_of(*map(lengths.select, parts), targets=True),
    }
