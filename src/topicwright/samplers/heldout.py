"""How well a frozen model predicts documents that it has not seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .inference import Documents, Frozen, infer, left_to_right, log_probability

METHODS = ("completion", "left-to-right")


def heldout_log_likelihood(
    frozen: Frozen, docs: Documents, method: str = "completion", *, n_particles: int = 20, **inference: Any
) -> tuple[float, int]:
    """Log-likelihood of new documents, and the number of tokens that it is the likelihood of.

    "completion" infers θ from every other word of a document and scores the words between; "left-to-right" scores
    all words, each given those before it, and is exact in the limit of many particles, in time quadratic in
    the documents' length.
    """
    if method == "completion":
        seen, hidden = _every_other_word(docs)
        theta = infer(frozen, seen, **inference)
        scores = log_probability(frozen, hidden, theta, inference["n_jobs"])
        return float(scores.sum()), len(hidden.tokens)
    if method == "left-to-right":
        scores = left_to_right(
            frozen, docs, seed=inference["seed"], n_particles=n_particles, n_jobs=inference["n_jobs"]
        )
        return float(scores.sum()), len(docs.tokens)
    raise InputError(f"method must be one of {', '.join(METHODS)}: got {method!r}")


def _every_other_word(docs: Documents) -> tuple[Documents, Documents]:
    place = np.arange(len(docs.tokens)) - np.repeat(docs.offsets[:-1], np.diff(docs.offsets))
    return _keep(docs, place % 2 == 0), _keep(docs, place % 2 == 1)


def _keep(docs: Documents, wanted: NDArray[np.bool_]) -> Documents:
    before = np.concatenate([[0], np.cumsum(wanted)])
    return Documents(docs.tokens[wanted], before[docs.offsets].astype(np.int64))
