"""The kernels, and the engines that drive them: counts, random streams, the one conditional, threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .grid_engine import GridEngine
    from .problem import SamplingProblem


def new_engine(problem: SamplingProblem, *, n_jobs: int = 1, n_blocks: int | None = None) -> GridEngine:
    """The engine that suits: where every document has labels, and nothing else is known, one made for that."""
    from .labeled.engine import LabeledEngine, is_fully_labeled
    from .sparse_lda.engine import SparseEngine

    engine = LabeledEngine if is_fully_labeled(problem.knowledge, problem.offsets) else SparseEngine
    return engine(problem, n_jobs=n_jobs, n_blocks=n_blocks)
