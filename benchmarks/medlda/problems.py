"""What is to be learned: documents to train on and to test on, with their classes, labels or numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topicwright.corpus.corpus import Corpus
from topicwright.errors import InputError

from ..common.base import sizes_of
from ..common.datasets import HELD_OUT

CLASSES, LABELS, TARGETS = "classes", "labels", "targets"
MAIN_SCORE = {CLASSES: "accuracy", LABELS: "micro_f1", TARGETS: "r2"}
_TINY = 5  # documents beside one of each class


@dataclass(frozen=True, eq=False)
class Problem:
    """Training and test documents in one vocabulary, and their targets.

    ``y`` holds the number of a class among ``names`` (−1 for one that training does not have), rows of 0 and 1 for
    labels, or numbers to predict.
    """

    kind: str
    train: Corpus
    test: Corpus
    y_train: NDArray[Any]
    y_test: NDArray[Any]
    names: tuple[str, ...] = ()

    @property
    def n_tasks(self) -> int:
        """How many weights a topic has."""
        return 1 if self.kind == TARGETS or (self.kind == CLASSES and len(self.names) == 2) else len(self.names)

    def score(self, predicted: Any) -> dict[str, float]:
        """How good predictions for the test documents are; higher is better."""
        from sklearn.metrics import accuracy_score, f1_score, r2_score

        if self.kind == CLASSES:
            return {"accuracy": float(accuracy_score(self.y_test, predicted))}
        if self.kind == TARGETS:
            return {"r2": float(r2_score(self.y_test, predicted))}
        return {
            f"{average}_f1": float(f1_score(self.y_test, predicted, average=average, zero_division=0))
            for average in ("micro", "macro")
        }

    def sizes(self) -> dict[str, int]:
        """For reports."""
        test = {"n_test_docs": self.test.n_docs, "n_test_tokens": self.test.n_tokens}
        return {**sizes_of(self.train), **test, "n_tasks": self.n_tasks}

    # ------------------------------------------------------------------ other problems from this one

    def select(self, train: NDArray[Any], test: NDArray[Any]) -> Problem:
        """Only some of the documents, by row numbers or masks."""
        return replace(
            self,
            train=self.train.select(train),
            test=self.test.select(test),
            y_train=self.y_train[train],
            y_test=self.y_test[test],
        )

    def of_pair(self, first: str, second: str) -> Problem:
        """Only the documents of two classes."""
        unknown = [name for name in (first, second) if name not in self.names]
        if unknown or first == second:
            raise InputError(parameter="classes", expected=f"two of {', '.join(self.names)}", got=f"{first},{second}")
        pair = [self.names.index(first), self.names.index(second)]
        some = self.select(np.isin(self.y_train, pair), np.isin(self.y_test, pair))
        numbers = {"y_train": some.y_train == pair[1], "y_test": some.y_test == pair[1]}
        return replace(some, names=(first, second), **{name: y.astype(np.int64) for name, y in numbers.items()})

    def two_largest(self) -> tuple[str, str]:
        """The two classes with the most training documents, in the order of their names."""
        largest = [number for number, _ in Counter(self.y_train.tolist()).most_common(2)]
        if len(largest) < 2:
            raise InputError(f"figure1 needs at least two classes: got {len(largest)}")
        first, second = (self.names[number] for number in sorted(largest))
        return first, second

    def held_out(self, seed: int) -> Problem:
        """The training documents alone, one in five of them as the test: parameters are chosen by these."""
        order = np.random.default_rng(seed).permutation(self.train.n_docs)
        n_test = max(1, self.train.n_docs // HELD_OUT)
        inner = replace(self, test=self.train, y_test=self.y_train)
        return inner.select(np.sort(order[n_test:]), np.sort(order[:n_test]))

    def tiny(self) -> Problem:
        """A few documents with as many tasks, to compile for."""
        firsts = np.unique(self.y_train, return_index=True)[1] if self.kind == CLASSES else np.empty(0, np.int64)
        some = np.union1d(firsts, np.arange(min(_TINY, self.train.n_docs))).astype(np.int64)
        return self.select(some, np.arange(min(_TINY, self.test.n_docs)))


def problem_of(train: Corpus, test: Corpus, *, targets: bool = False) -> Problem:
    """What the corpora's own labels or targets ask for. Documents of which nothing is known are left out.

    >>> one = Corpus.from_texts(["red apple", "green grass"], labels=["fruit", "meadow"])
    >>> problem_of(one, one).names
    ('fruit', 'meadow')
    """
    if targets:
        return _regression(train, test)
    train, test = (_labeled(corpus) for corpus in (train, test))
    multilabel = any(len(own) > 1 for corpus in (train, test) for own in corpus.labels or ())
    names = train.label_names()
    number = {name: n for n, name in enumerate(names)}
    encode = _indicator if multilabel else _classes
    kind = LABELS if multilabel else CLASSES
    return Problem(kind, train, test, encode(train, number), encode(test, number), tuple(names))


def _regression(train: Corpus, test: Corpus) -> Problem:
    for corpus in (train, test):
        if corpus.targets is None or corpus.targets.ndim != 1:
            raise InputError("documents must have one target each: name its field with `target`")
    train, test = (corpus.select(~np.isnan(np.asarray(corpus.targets))) for corpus in (train, test))
    return Problem(TARGETS, train, test, np.asarray(train.targets), np.asarray(test.targets))


def _labeled(corpus: Corpus) -> Corpus:
    known = np.array([bool(own) for own in corpus.labels or ()], dtype=bool)
    if not known.any():
        raise InputError("documents must have labels, or a field named by `target`: got none")
    return corpus.select(known)


def _classes(corpus: Corpus, number: dict[str, int]) -> NDArray[np.int64]:
    return np.array([number.get(own[0], -1) for own in corpus.labels or ()], dtype=np.int64)


def _indicator(corpus: Corpus, number: dict[str, int]) -> NDArray[np.int8]:
    y = np.zeros((corpus.n_docs, len(number)), dtype=np.int8)
    for row, own in enumerate(corpus.labels or ()):
        y[row, [number[label] for label in own if label in number]] = 1
    return y
