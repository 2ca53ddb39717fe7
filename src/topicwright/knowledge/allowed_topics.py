"""Hard constraints: the topics that a token may be assigned to (SC-LDA eq. 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.formatting import pluralize
from ..corpus import Corpus

EVERY_TOPIC = np.uint64(0)
"""Number of the set that contains all topics."""


class AllowedTopics(NamedTuple):
    """Allowed topics of all tokens, as the sampler reads them.

    Attributes
    ----------
    sets : array of shape (n_tokens,)
        Number of each token's set of topics. Set 0 (``EVERY_TOPIC``) allows all topics.
    start, topics : arrays
        Set s consists of ``topics[start[s] : start[s + 1]]``.
    weight : array of shape (n_topics + 1,)
        Workspace of the sampler, zero between draws.
    """

    sets: NDArray[np.uint32]
    start: NDArray[np.uint64]
    topics: NDArray[np.uint32]
    weight: NDArray[np.float64]


class TopicConstraint(NamedTuple):
    """Allowed topics of some tokens, from one knowledge item.

    Attributes
    ----------
    sets : array of shape (n_tokens,)
        Index of each token's set in ``topics``, or −1 if the token is unconstrained.
    topics : sequence of arrays
        Topic numbers of each set.
    name : str
        What the constraint is called in messages.
    priority : int
        Where two constraints leave no topic, the one with the lower number holds: 1 for sentence labels, 2 for document
        labels, 3 for hard seeds, 4 for forbidden words, 5 for background words.
    """

    sets: NDArray[np.int64]
    topics: Sequence[NDArray[np.int64]]
    name: str
    priority: int


def constrain_words(
    corpus: Corpus, sets: Mapping[int, int], topics: Sequence[NDArray[np.int64]], name: str, priority: int
) -> TopicConstraint:
    """Constraint on all tokens of some words.

    Parameters
    ----------
    corpus : Corpus
        Corpus whose tokens are constrained.
    sets : mapping
        Index in ``topics`` of each word id.
    topics, name, priority
        See :class:`TopicConstraint`.
    """
    set_of_word = np.full(corpus.n_words, -1, np.int64)
    set_of_word[list(sets)] = list(sets.values())
    return TopicConstraint(set_of_word[corpus.tokens], topics, name, priority)


def combine_constraints(
    constraints: Sequence[TopicConstraint], n_topics: int
) -> tuple[AllowedTopics | None, list[str]]:
    """Topics that all constraints allow, and messages about tokens for which none is left.

    For such tokens the constraint with the lowest priority number holds.
    """
    if not constraints:
        return None, []
    constraints = sorted(constraints, key=lambda constraint: constraint.priority)
    combinations, sets = _combinations(constraints)
    n_tokens = np.bincount(sets, minlength=len(combinations))
    allowed: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
    number = np.zeros(len(combinations), np.int64)
    violated: dict[tuple[str, str], int] = {}
    for c, combination in enumerate(combinations.tolist()):
        topics, conflicts = _intersection(constraints, combination)
        for names in conflicts:
            violated[names] = violated.get(names, 0) + int(n_tokens[c])
        if topics is not None:
            number[c] = len(allowed)
            allowed.append(topics)
    start = np.concatenate([[0], np.cumsum([len(topics) for topics in allowed])]).astype(np.uint64)
    messages = [
        f"{losing} and {winning} leave no topic for {pluralize(count, 'token')}: there {winning} hold"
        for (losing, winning), count in violated.items()
    ]
    flat = np.concatenate(allowed).astype(np.uint32)
    return AllowedTopics(number[sets].astype(np.uint32), start, flat, np.zeros(n_topics + 1)), messages


def _intersection(
    constraints: Sequence[TopicConstraint], combination: Sequence[int]
) -> tuple[NDArray[np.int64] | None, list[tuple[str, str]]]:
    """Topics of a combination of sets, and which constraints (by name) lose against which."""
    topics, holding, conflicts = None, "", []
    for constraint, own in zip(constraints, combination):
        if own < 0:
            continue
        both = constraint.topics[own] if topics is None else np.intersect1d(topics, constraint.topics[own])
        if len(both):
            topics, holding = both, constraint.name
        else:
            conflicts.append((constraint.name, holding))
    return topics, conflicts


def _combinations(constraints: Sequence[TopicConstraint]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Distinct combinations of sets that tokens have, one column per constraint, and the combination of each token."""
    number = constraints[0].sets + 1
    rows = np.arange(len(constraints[0].topics) + 1)[:, None] - 1
    for constraint in constraints[1:]:
        width = len(constraint.topics) + 1
        used, number = np.unique(number * width + constraint.sets + 1, return_inverse=True)
        rows = np.hstack([rows[used // width], (used % width)[:, None] - 1])
    return rows, number
