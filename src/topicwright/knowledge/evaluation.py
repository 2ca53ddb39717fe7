"""How far knowledge holds in a trained model: overlaps of topic distributions, and tokens in their own topics.

Every kind has a method ``judge(case)`` that gives its rows; what several of them need is here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..corpus import Corpus
from .base import AllowedTopics
from .compiler import CompiledKnowledge, TopicConstraint
from .report import APART, TOGETHER, Row, TopicFraction

_CARRIERS = 3
_LINKS_AT_ONCE = 10_000


class ModelCounts(NamedTuple):
    """A trained model, as far as it is looked at here; documents may be gone."""

    word_topics: Any  # counts, CSR of shape (n_words, n_topics)
    doc_topics: Any = None  # counts, CSR of shape (n_docs, n_topics)
    assignments: NDArray[np.uint32] | None = None


@dataclass(frozen=True)
class EvaluationContext:
    """What is judged: a corpus, a model of it with its knowledge, and one without if there is one."""

    corpus: Corpus
    known: CompiledKnowledge
    now: ModelCounts
    before: ModelCounts | None = None

    @cached_property
    def names(self) -> dict[int, str]:
        """The topics that have a name."""
        return {number: name for name, number in self.known.topics.numbers.items()}

    def carriers(self, topics: NDArray[Any], shares: NDArray[np.float64]) -> tuple[TopicFraction, ...]:
        """The topics with the largest shares."""
        best = np.lexsort((topics, -shares))[:_CARRIERS]
        chosen = zip(topics[best].tolist(), shares[best].tolist())
        return tuple(TopicFraction(topic, self.names.get(topic), share) for topic, share in chosen if share > 0)


# ---------------------------------------------------------------------- links


def evaluate_word_links(
    kind: str, pairs: NDArray[np.int64], case: EvaluationContext, *, are_apart: bool
) -> Iterator[Row]:
    """Of each pair of words how much their topics overlap."""
    before = case.before and case.before.word_topics
    holds = _is_apart if are_apart else _is_together
    return _links(kind, pairs, case.corpus.vocabulary, case, (before, case.now.word_topics), holds)


def evaluate_document_links(pairs: NDArray[np.int64], case: EvaluationContext) -> Iterator[Row]:
    """Of each pair of documents how much their topics overlap."""
    before = case.before and case.before.doc_topics
    names = case.corpus.ids or range(case.corpus.n_docs)
    return _links("document-links", pairs, names, case, (before, case.now.doc_topics), _is_together)


def _links(
    kind: str,
    pairs: NDArray[np.int64],
    names: Any,
    case: EvaluationContext,
    counts: tuple[Any, Any],
    holds: Callable[[float], bool],
) -> Iterator[Row]:
    for first in range(0, len(pairs), _LINKS_AT_ONCE):
        some = pairs[first : first + _LINKS_AT_ONCE]
        before = [None] * len(some) if counts[0] is None else _shared(counts[0], some)[0].tolist()
        agreement, shared = _shared(counts[1], some)
        for n, ((a, b), old, now) in enumerate(zip(some.tolist(), before, agreement.tolist())):
            satisfied = None if np.isnan(now) else holds(now)
            row = slice(shared.indptr[n], shared.indptr[n + 1])
            topics = case.carriers(shared.indices[row], shared.data[row])
            yield Row(kind, f"{names[a]} – {names[b]}", old, now, satisfied, topics)


def _shared(counts: Any, pairs: NDArray[np.int64]) -> tuple[NDArray[np.float64], Any]:
    """Σ_k min(p(k|a), p(k|b)) of each pair, NaN where one of them has no tokens; and the terms, as CSR."""
    one, other = (_distributions(counts[ends, :]) for ends in pairs.T)
    shared = one.minimum(other).tocsr()
    agreement = np.asarray(shared.sum(axis=1), dtype=np.float64).ravel()
    empty = (np.diff(one.indptr) == 0) | (np.diff(other.indptr) == 0)
    return np.where(empty, np.nan, np.minimum(agreement, 1.0)), shared


def _distributions(counts: Any) -> Any:
    """Counts as shares of their row."""
    totals = np.maximum(np.asarray(counts.sum(axis=1), dtype=np.float64).ravel(), 1.0)
    shares = counts.astype(np.float64)
    shares.data /= np.repeat(totals, np.diff(shares.indptr))
    return shares


def _is_together(share: float) -> bool:
    return share >= TOGETHER


def _is_apart(share: float) -> bool:
    return share <= APART


# ---------------------------------------------------------------------- seeds


def evaluate_seeds(
    pairs: list[tuple[int, int]], hard: TopicConstraint | None, case: EvaluationContext
) -> Iterator[Row]:
    """Of each word the share of its tokens in its topics; ``hard`` is what hard seeds limit tokens to."""
    topics_of: dict[int, list[int]] = {}
    for word, topic in pairs:
        topics_of.setdefault(word, []).append(topic)
    words = list(topics_of)
    now = _distributions(case.now.word_topics[words, :])
    before = None if case.before is None else _distributions(case.before.word_topics[words, :])
    nearest = {} if before is None else _nearest(before, list(topics_of.values()))
    possible = np.full(len(words), TOGETHER) if hard is None else _possible_shares(hard, case, words)
    names = case.known.topics.names()
    for n, (word, own) in enumerate(topics_of.items()):
        share = _share_in(now, n, own)
        old = None if before is None else _share_in(before, n, [nearest[topic] for topic in own])
        satisfied = None if np.isnan(share) else bool(share >= possible[n] - 1e-9)
        row = slice(now.indptr[n], now.indptr[n + 1])
        what = f"{case.corpus.vocabulary[word]} → {', '.join(names[topic] for topic in own)}"
        yield Row("seeds", what, old, share, satisfied, case.carriers(now.indices[row], now.data[row]))


def _nearest(shares: Any, topics: list[list[int]]) -> dict[int, int]:
    """For each seeded topic that of the other model which holds most of its seeds: its numbers mean nothing there."""
    seeds: dict[int, list[int]] = {}
    for n, own in enumerate(topics):
        for topic in own:
            seeds.setdefault(topic, []).append(n)
    return {topic: int(np.asarray(shares[rows, :].sum(axis=0)).ravel().argmax()) for topic, rows in seeds.items()}


def _share_in(shares: Any, n: int, topics: list[int]) -> float:
    row = slice(shares.indptr[n], shares.indptr[n + 1])
    if row.start == row.stop:
        return float("nan")
    return float(min(1.0, shares.data[row][np.isin(shares.indices[row], topics)].sum()))


def _possible_shares(hard: TopicConstraint, case: EvaluationContext, words: list[int]) -> NDArray[np.float64]:
    """The share that each hard seed needs: all that labels leave to it."""
    held = _held(hard, case)
    if held is None:
        return np.ones(len(words))
    n_words = case.corpus.n_words
    excused = np.bincount(case.corpus.tokens, weights=held.excused, minlength=n_words)[words]
    return np.asarray(1.0 - excused / np.maximum(case.corpus.word_counts()[words], 1))


# ---------------------------------------------------------------------- labels


class _Held(NamedTuple):
    """For each token whether it is in a topic that a limit allows, and whether another limit excuses it."""

    within: NDArray[np.bool_]
    excused: NDArray[np.bool_]


def _held(limit: TopicConstraint | None, case: EvaluationContext) -> _Held | None:
    if limit is None or case.now.assignments is None:
        return None
    n_topics = case.known.topics.n_topics
    allowed = np.concatenate([number * n_topics + topics for number, topics in enumerate(limit.topics)])
    within = np.isin(limit.sets * n_topics + case.now.assignments, allowed) & (limit.sets >= 0)
    excused = np.zeros(len(within), np.bool_)
    outside = np.flatnonzero(~within & (limit.sets >= 0))
    limits = case.known.allowed_topics
    if len(outside) and limits is not None:
        both = np.stack([limit.sets[outside], limits.sets[outside].astype(np.int64)], axis=1)
        combinations, which = np.unique(both, axis=0, return_inverse=True)
        apart = [not np.isin(limit.topics[own], _set(limits, joint)).any() for own, joint in combinations.tolist()]
        excused[outside] = np.array(apart)[which.ravel()]
    return _Held(within, excused)


def _set(limits: AllowedTopics, number: int) -> NDArray[np.uint32]:
    return limits.topics[int(limits.start[number]) : int(limits.start[number + 1])]


def evaluate_labels(
    what: str,
    labels: Sequence[tuple[str, ...]],
    owner: NDArray[np.int64],
    limit: TopicConstraint | None,
    case: EvaluationContext,
) -> Iterator[Row]:
    """Of each label the share of its tokens in its topics.

    ``labels`` are those of each document or sentence (``what``), ``owner`` says in which one a token is, if any.
    """
    held = _held(limit, case)
    return iter(()) if held is None else _label_rows(what, labels, owner, held, case)


def _label_rows(
    what: str, labels: Sequence[tuple[str, ...]], owner: NDArray[np.int64], held: _Held, case: EvaluationContext
) -> Iterator[Row]:
    """One row a label."""
    names = sorted({label for own in labels for label in own})
    number = {name: n for n, name in enumerate(names)}
    flat = np.array([(number[label], n) for n, own in enumerate(labels) for label in own], np.int64).reshape(-1, 2)
    member = _counted(flat[:, 0], flat[:, 1], (len(names), len(labels)))
    inside = owner >= 0
    assigned = np.asarray(case.now.assignments)[inside].astype(np.int64)
    topics = (member @ _counted(owner[inside], assigned, (len(labels), case.known.topics.n_topics))).tocsr()
    sums = [member @ np.bincount(owner[inside], weights=w[inside], minlength=len(labels)) for w in held]
    n_members = np.diff(member.indptr)
    for n, name in enumerate(names):
        within, excused = float(sums[0][n]), float(sums[1][n])
        row = slice(topics.indptr[n], topics.indptr[n + 1])
        total = int(topics.data[row].sum())
        now = within / total if total else float("nan")
        carriers = case.carriers(topics.indices[row], topics.data[row] / max(total, 1))
        about = f"{name} ({_many(int(n_members[n]), what)}, {_many(total, 'token')})"
        yield Row(f"{what}-labels", about, None, now, within + excused == total if total else None, carriers)


def _counted(rows: NDArray[np.int64], columns: NDArray[np.int64], shape: tuple[int, int]) -> Any:
    """How often each pair of a row and a column occurs, as CSR."""
    from scipy.sparse import coo_array

    return coo_array((np.ones(len(rows), np.int64), (rows, columns)), shape=shape).tocsr()


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"
