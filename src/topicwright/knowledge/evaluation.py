"""Evaluation: how far knowledge holds in a trained model.

Each kind has a method ``evaluate`` that yields its rows of the report. The measures that several kinds use are here:

- links: overlap of the topic distributions of two words or documents, Σ_k min(p(k|a), p(k|b));
- seeds, background words: share of a word's tokens in its topics;
- labels: share of a label's tokens in the topics that the label allows.

:mod:`topicwright.knowledge.advice` says what to change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.formatting import pluralize
from .._utils.warnings import collect_warnings
from ..corpus import Corpus
from .advice import (
    cannot_link_advice,
    document_link_advice,
    has_formed,
    must_link_advice,
    seed_advice,
    share_of_neighbors,
    words_of_topics,
)
from .allowed_topics import AllowedTopics, TopicConstraint
from .base import Knowledge, UnavailableKnowledge
from .compiler import CompiledKnowledge
from .report import APART, TOGETHER, ReportRow, TopicFraction

_MAX_TOPICS = 3  # topics in a row of the report
_LINKS_PER_BATCH = 10_000


class ModelCounts(NamedTuple):
    """Counts of a trained model.

    Attributes
    ----------
    word_topics : CSR array of shape (n_words, n_topics)
        Topic counts of words.
    doc_topics : CSR array of shape (n_docs, n_topics) or None
        Topic counts of documents; None if the model was saved without its corpus.
    assignments : array of shape (n_tokens,) or None
        Topics of tokens, likewise.
    """

    word_topics: Any
    doc_topics: Any = None
    assignments: NDArray[np.uint32] | None = None


@dataclass(frozen=True)
class EvaluationContext:
    """Trained model that knowledge is evaluated in.

    Attributes
    ----------
    corpus : Corpus
        Training corpus.
    knowledge : CompiledKnowledge
        Compiled knowledge of the model.
    counts : ModelCounts
        Counts of the model.
    baseline : ModelCounts or None
        Counts of a model without knowledge, for comparison.
    """

    corpus: Corpus
    knowledge: CompiledKnowledge
    counts: ModelCounts
    baseline: ModelCounts | None = None

    @cached_property
    def topic_names(self) -> dict[int, str]:
        """Names of the topics that have one."""
        return {number: name for name, number in self.knowledge.topics.numbers.items()}

    @cached_property
    def neighbors(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Shares of each word's neighbors in its topic, without knowledge and with it; None if they are unknown."""
        both = (self.baseline, self.counts)
        if any(counts is None or counts.assignments is None for counts in both):
            return None
        before, now = (
            share_of_neighbors(self.corpus, counts.assignments, counts.word_topics.shape[1])
            for counts in both
            if counts is not None and counts.assignments is not None
        )
        return before, now

    def top_topics(self, topics: NDArray[Any], shares: NDArray[np.float64]) -> tuple[TopicFraction, ...]:
        """Topics with the largest shares."""
        best = np.lexsort((topics, -shares))[:_MAX_TOPICS]
        chosen = zip(topics[best].tolist(), shares[best].tolist())
        return tuple(TopicFraction(topic, self.topic_names.get(topic), share) for topic, share in chosen if share > 0)


def evaluate_knowledge(items: Iterable[Any], context: EvaluationContext) -> tuple[list[ReportRow], list[str]]:
    """Rows of all knowledge items, and notes about items and words that could not be evaluated."""
    rows: list[ReportRow] = []
    left_out: dict[str, str] = {}
    with collect_warnings() as warned:  # about words that are not in the vocabulary
        for item in items:
            found = None
            if isinstance(item, UnavailableKnowledge):
                left_out[item.name] = "the model's file does not store it"
            elif not isinstance(item, Knowledge) or type(item).evaluate is Knowledge.evaluate:
                left_out[type(item).__name__] = "no rule says when it holds"
            elif context.counts.assignments is None and item.needs_documents:
                left_out[type(item).__name__] = "this model was saved without its documents"
            else:
                found = item.evaluate(context)
            rows.extend(found or ())
    notes = [f"{name} knowledge is not in this report: {reason}" for name, reason in left_out.items()]
    return rows, [*warned, *notes]


# ---------------------------------------------------------------------- links


Advise = Callable[[NDArray[np.int64], Sequence[float | None], Sequence[float]], list[str]]


def evaluate_must_links(
    kind: str, pairs: NDArray[np.int64], firmness: float | None, context: EvaluationContext
) -> Iterator[ReportRow]:
    """Overlap of the topics of each pair of words that belong together."""
    counts = (context.baseline and context.baseline.word_topics, context.counts.word_topics)
    advise = partial(must_link_advice, firmness=firmness, context=context)
    return _link_rows(kind, pairs, context.corpus.vocabulary, context, counts, _is_together, advise)


def evaluate_cannot_links(
    kind: str, pairs: NDArray[np.int64], firmness: float | None, context: EvaluationContext
) -> Iterator[ReportRow]:
    """Overlap of the topics of each pair of words that do not belong together."""
    counts = (context.baseline and context.baseline.word_topics, context.counts.word_topics)
    advise = partial(cannot_link_advice, firmness=firmness, context=context)
    return _link_rows(kind, pairs, context.corpus.vocabulary, context, counts, _is_apart, advise)


def evaluate_document_links(
    kind: str, pairs: NDArray[np.int64], firmness: float | None, context: EvaluationContext
) -> Iterator[ReportRow]:
    """Overlap of the topics of each pair of documents."""
    counts = (context.baseline and context.baseline.doc_topics, context.counts.doc_topics)
    names = context.corpus.ids or range(context.corpus.n_docs)
    advise = partial(document_link_advice, firmness=firmness)
    return _link_rows(kind, pairs, names, context, counts, _is_together, advise)


def _link_rows(
    kind: str,
    pairs: NDArray[np.int64],
    names: Any,
    context: EvaluationContext,
    counts: tuple[Any, Any],
    holds: Callable[[float], bool],
    advise: Advise,
) -> Iterator[ReportRow]:
    """One row per pair; ``counts`` are those of the baseline (or None) and of the model."""
    for first in range(0, len(pairs), _LINKS_PER_BATCH):
        batch = pairs[first : first + _LINKS_PER_BATCH]
        before = [None] * len(batch) if counts[0] is None else _overlaps(counts[0], batch)[0].tolist()
        overlap, shared = _overlaps(counts[1], batch)
        advice = advise(batch, before, overlap.tolist())
        for n, ((a, b), old, now) in enumerate(zip(batch.tolist(), before, overlap.tolist())):
            satisfied = None if np.isnan(now) else holds(now)
            row = slice(shared.indptr[n], shared.indptr[n + 1])
            topics = context.top_topics(shared.indices[row], shared.data[row])
            yield ReportRow(kind, f"{names[a]} – {names[b]}", old, now, satisfied, topics, advice[n])


def _overlaps(counts: Any, pairs: NDArray[np.int64]) -> tuple[NDArray[np.float64], Any]:
    """Σ_k min(p(k|a), p(k|b)) of each pair, NaN where one of them has no tokens; and the terms, as CSR."""
    one, other = (_distributions(counts[ends, :]) for ends in pairs.T)
    shared = one.minimum(other).tocsr()
    overlap = np.asarray(shared.sum(axis=1), dtype=np.float64).ravel()
    empty = (np.diff(one.indptr) == 0) | (np.diff(other.indptr) == 0)
    return np.where(empty, np.nan, np.minimum(overlap, 1.0)), shared


def _distributions(counts: Any) -> Any:
    """Counts, normalized by row."""
    totals = np.maximum(np.asarray(counts.sum(axis=1), dtype=np.float64).ravel(), 1.0)
    shares = counts.astype(np.float64)
    shares.data /= np.repeat(totals, np.diff(shares.indptr))
    return shares


def _is_together(share: float) -> bool:
    return share >= TOGETHER


def _is_apart(share: float) -> bool:
    return share <= APART


# ---------------------------------------------------------------------- words in their topics


def evaluate_words_in_topics(
    kind: str,
    topics_of_word: Mapping[int, Sequence[int]],
    constraint: TopicConstraint | None,
    context: EvaluationContext,
) -> Iterator[ReportRow]:
    """Share of each word's tokens in its topics.

    Parameters
    ----------
    kind : str
        Key of the knowledge kind.
    topics_of_word : mapping
        Topic numbers of each word id.
    constraint : TopicConstraint or None
        Constraint that requires all tokens to be in these topics. Then a word holds if all of its tokens are there,
        except those that other constraints claim; otherwise if at least half of them are.
    context : EvaluationContext
        Trained model.
    """
    words = list(topics_of_word)
    now = _distributions(context.counts.word_topics[words, :])
    before = None if context.baseline is None else _distributions(context.baseline.word_topics[words, :])
    nearest = {} if before is None else _nearest_topics(before, list(topics_of_word.values()))
    required = np.full(len(words), TOGETHER) if constraint is None else _required_shares(constraint, context, words)
    names = context.knowledge.topics.names()
    for n, (word, own) in enumerate(topics_of_word.items()):
        share = _share_in(now, n, own)
        old = None if before is None else _share_in(before, n, [nearest[topic] for topic in own])
        satisfied = None if np.isnan(share) else bool(share >= required[n] - 1e-9)
        row = slice(now.indptr[n], now.indptr[n + 1])
        what = f"{context.corpus.vocabulary[word]} → {', '.join(names[topic] for topic in own)}"
        yield ReportRow(kind, what, old, share, satisfied, context.top_topics(now.indices[row], now.data[row]))


def evaluate_seeds(
    kind: str,
    topics_of_word: Mapping[int, Sequence[int]],
    constraint: TopicConstraint | None,
    context: EvaluationContext,
) -> Iterator[ReportRow]:
    """Share of each seed's tokens in its topics. A seed of a topic with hardly any other words does not hold.

    The parameters are those of :func:`evaluate_words_in_topics`; ``constraint`` is that of hard seeds.
    """
    rows = dict(zip(topics_of_word, evaluate_words_in_topics(kind, topics_of_word, constraint, context)))
    seeds, counts = words_of_topics(topics_of_word), context.counts.word_topics.tocsc()
    formed = {topic for topic, words in seeds.items() if has_formed(topic, words, counts)}
    advice = seed_advice(seeds, formed, {word: row.before for word, row in rows.items()}, context)
    for word, row in rows.items():
        satisfied = row.satisfied and not formed.isdisjoint(topics_of_word[word])
        if row.satisfied is None:
            yield row
        elif row.now >= TOGETHER:
            yield row._replace(satisfied=satisfied, advice=advice.get(word, ""))
        else:
            lost = "" if constraint else "most of its tokens are elsewhere; raise `weight`, or remove the seed"
            yield row._replace(advice=lost)


def _nearest_topics(shares: Any, topics: Sequence[Sequence[int]]) -> dict[int, int]:
    """Topic of the baseline that contains most of the words of each topic: topic numbers differ between models."""
    words: dict[int, list[int]] = {}
    for n, own in enumerate(topics):
        for topic in own:
            words.setdefault(topic, []).append(n)
    return {topic: int(np.asarray(shares[rows, :].sum(axis=0)).ravel().argmax()) for topic, rows in words.items()}


def _share_in(shares: Any, n: int, topics: Sequence[int]) -> float:
    row = slice(shares.indptr[n], shares.indptr[n + 1])
    if row.start == row.stop:
        return float("nan")
    return float(min(1.0, shares.data[row][np.isin(shares.indices[row], topics)].sum()))


def _required_shares(
    constraint: TopicConstraint, context: EvaluationContext, words: Sequence[int]
) -> NDArray[np.float64]:
    """Share of each word's tokens that no other constraint claims."""
    status = _constraint_status(constraint, context)
    if status is None:
        return np.ones(len(words))
    n_words = context.corpus.n_words
    excused = np.bincount(context.corpus.tokens, weights=status.excused, minlength=n_words)[words]
    return np.asarray(1.0 - excused / np.maximum(context.corpus.word_counts()[words], 1))


# ---------------------------------------------------------------------- labels


class _ConstraintStatus(NamedTuple):
    """For each token, whether its topic satisfies a constraint, and whether another constraint excuses it."""

    satisfied: NDArray[np.bool_]
    excused: NDArray[np.bool_]


def _constraint_status(constraint: TopicConstraint | None, context: EvaluationContext) -> _ConstraintStatus | None:
    if constraint is None or context.counts.assignments is None:
        return None
    n_topics = context.knowledge.topics.n_topics
    pairs = np.concatenate([number * n_topics + topics for number, topics in enumerate(constraint.topics)])
    satisfied = np.isin(constraint.sets * n_topics + context.counts.assignments, pairs) & (constraint.sets >= 0)
    excused = np.zeros(len(satisfied), np.bool_)
    outside = np.flatnonzero(~satisfied & (constraint.sets >= 0))
    allowed = context.knowledge.allowed_topics
    if len(outside) and allowed is not None:
        both = np.stack([constraint.sets[outside], allowed.sets[outside].astype(np.int64)], axis=1)
        combinations, which = np.unique(both, axis=0, return_inverse=True)
        is_disjoint = [
            not np.isin(constraint.topics[own], _topics_of_set(allowed, joint)).any()
            for own, joint in combinations.tolist()
        ]
        excused[outside] = np.array(is_disjoint)[which.ravel()]
    return _ConstraintStatus(satisfied, excused)


def _topics_of_set(allowed: AllowedTopics, number: int) -> NDArray[np.uint32]:
    return allowed.topics[int(allowed.start[number]) : int(allowed.start[number + 1])]


def evaluate_labels(
    unit: str,
    labels: Sequence[tuple[str, ...]],
    unit_of_token: NDArray[np.int64],
    constraint: TopicConstraint | None,
    context: EvaluationContext,
    advice: Mapping[str, str] | None = None,
) -> Iterator[ReportRow]:
    """Share of each label's tokens in the topics that the label allows.

    Parameters
    ----------
    unit : {"document", "sentence"}
        What has labels.
    labels : sequence of tuple of str
        Labels of each document or sentence.
    unit_of_token : array of shape (n_tokens,)
        Index of each token's document or sentence, −1 if it is in none.
    constraint : TopicConstraint or None
        Compiled labels.
    context : EvaluationContext
        Trained model.
    advice : mapping, optional
        Advice on some of the labels.
    """
    status = _constraint_status(constraint, context)
    return iter(()) if status is None else _label_rows(unit, labels, unit_of_token, status, context, advice or {})


def _label_rows(
    unit: str,
    labels: Sequence[tuple[str, ...]],
    unit_of_token: NDArray[np.int64],
    status: _ConstraintStatus,
    context: EvaluationContext,
    advice: Mapping[str, str],
) -> Iterator[ReportRow]:
    names = sorted({label for own in labels for label in own})
    number = {name: n for n, name in enumerate(names)}
    flat = np.array([(number[label], n) for n, own in enumerate(labels) for label in own], np.int64).reshape(-1, 2)
    member = _count_pairs(flat[:, 0], flat[:, 1], (len(names), len(labels)))
    inside = unit_of_token >= 0
    units = unit_of_token[inside]
    assigned = np.asarray(context.counts.assignments)[inside].astype(np.int64)
    topics = (member @ _count_pairs(units, assigned, (len(labels), context.knowledge.topics.n_topics))).tocsr()
    satisfied, excused = (
        member @ np.bincount(units, weights=tokens[inside], minlength=len(labels)) for tokens in status
    )
    n_members = np.diff(member.indptr)
    for n, name in enumerate(names):
        row = slice(topics.indptr[n], topics.indptr[n + 1])
        total = int(topics.data[row].sum())
        now = float(satisfied[n]) / total if total else float("nan")
        holds = bool(satisfied[n] + excused[n] == total) if total else None
        what = f"{name} ({pluralize(int(n_members[n]), unit)}, {pluralize(total, 'token')})"
        top_topics = context.top_topics(topics.indices[row], topics.data[row] / max(total, 1))
        yield ReportRow(f"{unit}-labels", what, None, now, holds, top_topics, advice.get(name, ""))


def _count_pairs(rows: NDArray[np.int64], columns: NDArray[np.int64], shape: tuple[int, int]) -> Any:
    """Number of occurrences of each pair of a row and a column, as CSR."""
    from scipy.sparse import coo_array

    return coo_array((np.ones(len(rows), np.int64), (rows, columns)), shape=shape).tocsr()
