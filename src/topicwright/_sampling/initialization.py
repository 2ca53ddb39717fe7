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
from ..knowledge.priors import SeedTopics
from .engine import SamplingProblem
from .labeled.engine import is_fully_labeled
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
    own = np.repeat(labeled, lengths)
    knowledge = CompiledKnowledge(problem.knowledge.topics, allowed_topics=allowed._replace(sets=allowed.sets[own]))
    part = problem._replace(
        tokens=np.ascontiguousarray(problem.tokens[own]),
        offsets=np.concatenate([[0], np.cumsum(lengths[labeled])]).astype(np.int64),
        knowledge=knowledge,
        assignments=assignments[own],
        supervision=None,
    )
    engine = SparseEngine(part)
    for _ in range(_LABELED_SWEEPS):
        engine.sweep()
    engine.close()
    assignments[own] = engine.assignments
