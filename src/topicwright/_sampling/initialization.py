"""Start of the chain: tokens whose topic knowledge determines, or suggests, get it before the first sweep.

Gibbs sampling moves slowly between configurations in which topics have changed places. A chain that starts from seeds
and labels finds the topics that they name; one that starts without them may first give these topics to other words and
then keep them so.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..knowledge.allowed_topics import EVERY_TOPIC, AllowedTopics
from ..knowledge.compiler import CompiledKnowledge
from ..knowledge.factors import is_builtin
from ..knowledge.priors import SeedTopics
from .engine import SamplingProblem, SamplingResults
from .inference import TopicSnapshot
from .labeled.engine import is_fully_labeled
from .mixture.engine import MixtureEngine
from .sparse_lda.engine import SparseEngine

_LABELED_SWEEPS = 20  # over the labeled documents alone


def initial_assignments(problem: SamplingProblem) -> NDArray[np.uint32] | None:
    """Topics of tokens before the first sweep, n_topics where it draws them; None if knowledge suggests none.

    Documents with labels are trained alone for some sweeps, if others have none. Tokens of a soft seed get its topic.
    """
    allowed, seeds = problem.knowledge.allowed_topics, problem.knowledge.seeds
    if (allowed is None and seeds is None) or is_fully_labeled(problem.knowledge, problem.offsets):
        return None
    assignments = np.full(len(problem.tokens), problem.n_topics, np.uint32)
    if seeds is not None:
        assignments = _topic_of_seed(seeds, problem.n_topics)[problem.tokens]
    if allowed is not None:
        _assign_single(allowed, assignments)
        _train_labeled(problem, allowed, assignments)
    return assignments if (assignments < problem.n_topics).any() else None


def _topic_of_seed(seeds: SeedTopics, n_topics: int) -> NDArray[np.uint32]:
    """Topic of each word that is a seed of one topic only, n_topics for other words."""
    start = seeds.start.astype(np.int64)
    topic = np.full(len(start) - 1, n_topics, np.uint32)
    single = np.flatnonzero(np.diff(start) == 1)
    topic[single] = seeds.topics[start[single]]
    return topic


def _assign_single(allowed: AllowedTopics, assignments: NDArray[np.uint32]) -> None:
    """Assign tokens with one allowed topic to it; those with several keep no seed's topic that is not allowed."""
    start = allowed.start.astype(np.int64)
    n_allowed = np.diff(start)
    size = n_allowed[allowed.sets]
    single = (size == 1) & (allowed.sets != EVERY_TOPIC)
    assignments[single] = allowed.topics[start[allowed.sets[single]]]
    several = (size > 1) & (allowed.sets != EVERY_TOPIC)
    assignments[several] = len(allowed.weight) - 1


def _train_labeled(problem: SamplingProblem, allowed: AllowedTopics, assignments: NDArray[np.uint32]) -> None:
    """Train on the documents most of whose tokens have allowed topics, if there are others, and use the result."""
    is_constrained = allowed.sets != EVERY_TOPIC
    before = np.concatenate([[0], np.cumsum(is_constrained)])[problem.offsets]
    lengths = np.diff(problem.offsets)
    labeled = 2 * np.diff(before) > lengths
    if labeled.all() or not labeled.any():
        return
    results = _train_alone(problem, allowed, labeled, assignments)
    assignments[np.repeat(labeled, lengths)] = results.assignments


def topics_of_labeled(problem: SamplingProblem, labeled: NDArray[np.bool_]) -> TopicSnapshot:
    """Topics of the labeled documents alone. Other documents and further knowledge have no effect on them."""
    allowed = problem.knowledge.allowed_topics
    assert allowed is not None
    assignments = np.full(len(problem.tokens), problem.n_topics, np.uint32)
    _assign_single(allowed, assignments)
    return _train_alone(problem, allowed, labeled, assignments).topics


def _train_alone(
    problem: SamplingProblem, allowed: AllowedTopics, chosen: NDArray[np.bool_], assignments: NDArray[np.uint32]
) -> SamplingResults:
    """Results of some sweeps over the chosen documents."""
    lengths = np.diff(problem.offsets)
    own = np.repeat(chosen, lengths)
    knowledge = CompiledKnowledge(problem.knowledge.topics, allowed_topics=allowed._replace(sets=allowed.sets[own]))
    part = problem._replace(
        tokens=np.ascontiguousarray(problem.tokens[own]),
        offsets=np.concatenate([[0], np.cumsum(lengths[chosen])]).astype(np.int64),
        knowledge=knowledge,
        assignments=assignments[own],
        supervision=None,
    )
    engine = SparseEngine(part)
    for _ in range(_LABELED_SWEEPS):
        engine.sweep()
    engine.close()
    return engine.results()[0]


# ---------------------------------------------------------------------- clusters of documents

_MOST_TOPICS, _MOST_TOKENS = 50, 4_000_000
_CLUSTER_SWEEPS = 8
_CLUSTER_BETA = 0.1


def cluster_documents(problem: SamplingProblem) -> NDArray[np.uint32] | None:
    """Topics of tokens after a few sweeps in which every document has one topic; None if these would not help.

    With few topics, a chain that starts from single tokens may end with two subjects in one topic, since a subject can
    only move token by token. Whole documents move at once. With many topics the usual start is as good or better.
    """
    is_small = problem.n_topics <= _MOST_TOPICS and len(problem.tokens) <= _MOST_TOKENS
    if (
        problem.n_topics == 1
        or not is_small
        or problem.earlier is not None
        or not all(is_builtin(type(f)) for f in problem.knowledge.factors)
    ):
        return None
    engine = MixtureEngine(problem._replace(beta=np.maximum(problem.beta, _CLUSTER_BETA)))
    for _ in range(_CLUSTER_SWEEPS):
        engine.sweep()
    engine.close()
    return engine.assignments
