"""Likely labels of documents that came without labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._sampling.particle_filter import StreamEngine
from ..._sampling.particle_filter.ancestry import LIVE, NOW, Ancestry
from ..._sampling.particle_filter.count_table import CountTable
from ..._sampling.particle_filter.state import INCREMENT
from ..._sampling.random import mix64
from .._inputs import Floats

_STEPS = 10  # of EM
_WORD, _LABEL, _ROW, _STAMP = range(4)


def likely_labels(
    engine: StreamEngine,
    particles: Sequence[int],
    tokens: NDArray[np.uint32],
    beta: float,
    prior: Floats,
    n_words: int,
    n: int,
) -> list[int]:
    """The n labels with the largest θ at the maximum of the posterior of a document, the best first.

    ``prior`` is the Dirichlet prior of the labels and ``n_words`` is V.
    """
    words, times = np.unique(tokens, return_counts=True)
    counts = counts_of(engine, particles, np.arange(engine.n_labels, dtype=np.uint32), words)
    totals = np.mean([engine.totals(p) for p in particles], axis=0)
    phi = (np.maximum(counts, 0.0) + beta) / (np.maximum(totals, 0.0)[:, None] + beta * n_words)
    theta = prior / prior.sum()
    for _ in range(_STEPS):
        shares = theta[:, None] * phi
        theta = (shares / shares.sum(axis=0)) @ times + prior
        theta /= theta.sum()
    order = np.argsort(-theta, kind="stable")[:n]
    return [int(k) for k in order]


def counts_of(
    engine: StreamEngine, particles: Sequence[int], labels: NDArray[np.uint32], words: NDArray[np.uint32]
) -> Floats:
    """Mean counts of label–word pairs over particles, as (labels, words); reads no other pairs."""
    model = engine.particles
    at = _find(model.count_table, labels, words)
    rows = model.count_table.entries.reshape(-1, 4)[at]
    stamps, rows = rows[..., _STAMP].astype(np.int64), rows[..., _ROW]
    counts = sum(model.count_table.lanes[rows, _lanes(model.ancestry, stamps, p)].astype(np.float64) for p in particles)
    return np.asarray(np.where(rows > 0, counts, 0.0) / (len(particles) * model.numbers[INCREMENT]))


def _find(pairs: CountTable, labels: NDArray[np.uint32], words: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Slot of each pair in the hash table, or the empty slot where its search ends; vectorized."""
    table = pairs.entries.reshape(-1, 4)
    keys = labels.astype(np.uint64)[:, None] << np.uint64(32) | words.astype(np.uint64)
    mix: Any = mix64.py_func  # type: ignore[attr-defined]
    at = (mix(keys) & np.uint64(len(table) - 1)).astype(np.int64).ravel()
    label, word = (part.ravel() for part in np.broadcast_arrays(labels[:, None], words))
    searching = np.arange(at.size)
    while len(searching):
        here = table[at[searching]]
        is_other = (here[:, _WORD] != word[searching]) | (here[:, _LABEL] != label[searching])
        searching = searching[(here[:, _ROW] > 0) & is_other]
        at[searching] = (at[searching] + 1) & (len(table) - 1)
    return np.asarray(at.reshape(keys.shape))


def _lanes(ancestry: Ancestry, stamps: NDArray[np.int64], p: int) -> NDArray[np.int64]:
    """Lane of particle p in a row of that epoch; ``lane_of``, vectorized."""
    now, live = int(ancestry.epochs[NOW]), int(ancestry.epochs[LIVE])
    lanes = ancestry.maps[stamps & (len(ancestry.maps) - 1), p].astype(np.int64)
    lanes = np.where(stamps < live, ancestry.common[np.minimum(stamps, len(ancestry.common) - 1)], lanes)
    return np.where(stamps == now, p, lanes)
