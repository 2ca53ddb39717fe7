"""Plain Python versions of compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np


def expected_shares(model: Any, texts: list[str], n_steps: int = 6, none_below: float = 0.1) -> np.ndarray:
    """Shares of topics in texts of words the model knows, by expectation maximization."""
    number = {word: w for w, word in enumerate(model.vocabulary_)}
    shares = []
    for text in texts:
        phi = model.topic_word_[:, [number[word] for word in text.split()]]
        n = phi.shape[1]
        counts = n * model.alpha_ / model.alpha_.sum()
        for _ in range(n_steps):
            chances = (counts + model.alpha_)[:, None] * phi
            counts = (chances / chances.sum(axis=0)).sum(axis=1)
        shares.append(np.where(counts < none_below, 0.0, counts / n))
    return np.array(shares)
