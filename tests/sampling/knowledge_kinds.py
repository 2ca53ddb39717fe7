"""Every kind of knowledge that has a posterior, and every pair of kinds, on two documents and three topics."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any, NamedTuple

import topicwright as tw

from .enumeration import Tiny

DOCS = [[0, 1, 0], [1, 2, 2]]


class Case(NamedTuple):
    """A kind of knowledge, with its effect by definition."""

    item: Any
    potential: Callable[[int, int, int, int], float] = lambda i, d, w, k: 1.0  # of token i of word w in document d
    prior: tuple[int, int, float] | None = None  # topic, word, what it adds
    document_prior: tuple[int, int, float] | None = None  # document, topic, what it adds


CASES = {
    "forbidden words": Case(tw.ForbiddenWords({1: ["b"]}), lambda i, d, w, k: float(w != 1 or k != 1)),
    "hard seeds": Case(tw.SeedWords({0: ["a"]}, hard=True), lambda i, d, w, k: float(w != 0 or k == 0)),
    "background words": Case(tw.BackgroundWords(["c"], topic="z"), lambda i, d, w, k: float(w != 2 or k == 2)),
    "document labels": Case(tw.DocumentLabels([None, ["x", "z"]], pull=0), lambda i, d, w, k: float(d == 0 or k != 1)),
    "sentence labels": Case(
        tw.SentenceLabels([(0, (0, 2), ["x", "y"])]), lambda i, d, w, k: float(i not in (0, 1) or k != 2)
    ),
    "document topics": Case(tw.DocumentTopics({1: 2}, weight=4), lambda i, d, w, k: 4.0 if d == 1 and k == 2 else 1.0),
    "soft seeds": Case(
        tw.SeedWords({2: ["c"]}, weight=0.5),
        lambda i, d, w, k: 1.5 if w == 2 and k == 2 else 1.0,
        document_prior=(1, 2, 1.0),
    ),
    "known topics": Case(tw.KnownTopics({1: {"a": 2.0}}, weight=0.5), prior=(1, 0, 1.0)),
}
MIXES = [*((name,) for name in CASES), *combinations(CASES, 2), ("forbidden words", "document topics", "soft seeds")]


def knowledge_of(names: tuple[str, ...]) -> list[Any]:
    return [tw.TopicNames({0: "x", 1: "y", 2: "z"}), *(CASES[name].item for name in names)]


def with_priors(corpus: Tiny, names: tuple[str, ...]) -> Tiny:
    """The corpus with what the kinds add to its priors."""
    for case in map(CASES.__getitem__, names):
        if case.prior is not None:
            topic, word, more = case.prior
            corpus.betas[topic, word] += more
        if case.document_prior is not None:
            document, topic, more = case.document_prior
            corpus.alphas[document, topic] += more
    return corpus


def potential(corpus: Tiny, names: tuple[str, ...], z: tuple[int, ...]) -> float:
    """Product of the potentials of all tokens."""
    total = 1.0
    for name in names:
        for i, k in enumerate(z):
            total *= CASES[name].potential(i, int(corpus.doc_of[i]), int(corpus.tokens[i]), k)
    return total
