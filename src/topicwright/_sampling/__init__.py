"""Gibbs samplers and the particle filter: compiled kernels, and the engines that run them.

``sparse_lda`` samples LDA with any knowledge, ``mixture`` documents with one topic each, ``labeled`` fully labeled
corpora, ``medlda`` topics with a loss, and ``particle_filter`` streams. Engines satisfy the protocol ``SamplingEngine``
(``engine.py``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .engine import SamplingProblem
    from .grid_engine import GridEngine


def new_engine(problem: SamplingProblem, *, n_jobs: int = 1, n_blocks: int | None = None) -> GridEngine:
    """Engine of an unsupervised model; the labeled one if all documents have labels and there is no other knowledge."""
    if problem.is_mixture:
        from .mixture.engine import MixtureEngine

        return MixtureEngine(problem, n_jobs=n_jobs)
    from .labeled.engine import LabeledEngine, is_fully_labeled
    from .sparse_lda.engine import SparseEngine

    engine = LabeledEngine if is_fully_labeled(problem.knowledge, problem.offsets) else SparseEngine
    return engine(problem, n_jobs=n_jobs, n_blocks=n_blocks)
