"""How well a frozen model predicts documents that it has not seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .inference import Documents, Frozen, infer, left_to_right, log_probability

FOLD_IN, COMPLETION, LEFT_TO_RIGHT = "fold-in", "completion", "left-to-right"
METHODS = (COMPLETION, LEFT_TO_RIGHT)  # that score words which nothing was inferred from


def heldout_log_probabilities(
    frozen: Frozen, docs: Documents, method: str = COMPLETION, *, n_particles: int = 20, **inference: Any
) -> NDArray[np.float64]:
    """log p of each word of new documents that is scored.

    "completion" infers θ from every other word of a document and scores the words between; "left-to-right" scores
    all words, each given those before it, and is exact in the limit of many particles, in time quadratic in
    the documents' length. "fold-in" infers θ from the very words that it scores.
    """
    if method == LEFT_TO_RIGHT:
        return left_to_right(frozen, docs, seed=inference["seed"], n_particles=n_particles, n_jobs=inference["n_jobs"])
    seen, scored = _every_other_word(docs) if method == COMPLETION else (docs, docs)
    theta = infer(frozen, seen, **inference)
    return log_probability(frozen, scored, theta, inference["n_jobs"])


def _every_other_word(docs: Documents) -> tuple[Documents, Documents]:
    place = np.arange(len(docs.tokens)) - np.repeat(docs.offsets[:-1], np.diff(docs.offsets))
    return _keep(docs, place % 2 == 0), _keep(docs, place % 2 == 1)


def _keep(docs: Documents, wanted: NDArray[np.bool_]) -> Documents:
    before = np.concatenate([[0], np.cumsum(wanted)])
    return Documents(docs.tokens[wanted], before[docs.offsets].astype(np.int64))
