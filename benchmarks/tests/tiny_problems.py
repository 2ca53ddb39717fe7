"""Tiny problems for ``python -m benchmarks medlda``."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.medlda import Problem, problem_of
from topicwright.corpus.corpus import Corpus

from .helpers import NAMES, WORDS


def documents(n: int, seed: int) -> Corpus:
    """Documents of one class each, with a number; one has no words."""
    random = np.random.default_rng(seed)
    kinds = [NAMES[d % 3] for d in range(n)]
    words = [list(random.choice(WORDS[kind], size=0 if d == 4 else 12)) for d, kind in enumerate(kinds)]
    targets = [float(NAMES.index(kind)) for kind in kinds]
    vocabulary = sorted(word for own in WORDS.values() for word in own)
    return Corpus.from_tokens(words, labels=kinds, targets=targets, vocabulary=vocabulary)


def with_second_label(corpus: Corpus) -> Corpus:
    labels = tuple((*own, "dry") if own != ("sea",) else own for own in corpus.labels or ())
    return replace(corpus, labels=labels)


def without_test(problem: Problem) -> Problem:
    return problem.select(np.arange(problem.train.n_docs), np.empty(0, np.int64))


def tiny_problems() -> dict[str, Problem]:
    """One of each kind."""
    train, test = documents(60, 1), documents(21, 2)
    found = [
        problem_of(train, test),
        problem_of(with_second_label(train), with_second_label(test)),
        problem_of(train, test, targets=True),
    ]
    return {problem.kind: problem for problem in found}
