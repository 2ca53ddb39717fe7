"""Registry of coherence measures: UMass, UCI, NPMI and C_v.

The measures, and the names of their parts, are those of Röder, Both and Hinneburg, "Exploring the space of topic
coherence measures" (WSDM 2015); UMass is from Mimno et al. (EMNLP 2011), UCI from Newman et al. (NAACL 2010), NPMI from
Bouma (GSCL 2009). To add a measure, write its confirmation function and register it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True)
class CoherenceMeasure:
    """One coherence measure.

    Parameters
    ----------
    name : str
        Name by which ``coherence`` knows the measure.
    confirm : callable
        ``(joint, n_windows, epsilon) -> values`` that are summed or averaged. ``joint[i, j]`` is the number of windows
        that hold both word i and word j of the topic, and ``joint[i, i]`` those that hold word i.
    window : int
        Default number of words in a window; 0 for whole documents.
    epsilon : float
        Default number that is added to the joint count or the joint probability.
    aggregate : {"sum", "mean"}
        Default aggregation of the values of one topic.
    needs_epsilon : bool
        Whether epsilon must be positive: without it a pair that never occurs together would have the value -inf.
    epsilon_below : float
        Upper bound of epsilon, which is 1 if it is added to a probability.
    """

    name: str
    confirm: Callable[[Floats, int, float], Floats]
    window: int
    epsilon: float
    aggregate: str
    needs_epsilon: bool = False
    epsilon_below: float = 1.0


MEASURES: dict[str, CoherenceMeasure] = {}
"""Registered measures by name."""


def register_measure(measure: CoherenceMeasure) -> None:
    """Add a coherence measure to the registry."""
    if measure.name in MEASURES:
        raise ValueError(f"a coherence measure must have a new name: {measure.name}")
    MEASURES[measure.name] = measure


def _umass(joint: Floats, n_windows: int, epsilon: float) -> Floats:
    before = np.triu_indices(len(joint), 1)  # (l, m) with l < m; the earlier word is the condition
    count = np.diag(joint)[before[0]]
    return np.log(np.where(count > 0, (joint[before] + epsilon) / count, epsilon / n_windows))


def _uci(joint: Floats, n_windows: int, epsilon: float) -> Floats:
    pairs = np.triu_indices(len(joint), 1)
    return np.where(_known_pairs(joint), _pmi(joint / n_windows, epsilon), np.log(epsilon))[pairs]


def _npmi(joint: Floats, n_windows: int, epsilon: float) -> Floats:
    pairs = np.triu_indices(len(joint), 1)
    return np.where(_known_pairs(joint), _normalized_pmi(joint / n_windows, epsilon), -1.0)[pairs]


def _c_v(joint: Floats, n_windows: int, epsilon: float) -> Floats:
    """One-set segmentation with the indirect cosine measure (Röder et al. 2015, section 3.2)."""
    vectors = np.where(_known_pairs(joint), _normalized_pmi(joint / n_windows, epsilon), 0.0)
    whole = vectors.sum(axis=0)
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(whole)
    cosines: Floats = np.divide(vectors @ whole, lengths, out=np.zeros(len(joint)), where=lengths > 0)
    return cosines


def _pmi(p: Floats, epsilon: float) -> Floats:
    alone = np.diag(p)
    return np.asarray(np.log((p + epsilon) / np.outer(alone, alone)), dtype=np.float64)


def _normalized_pmi(p: Floats, epsilon: float) -> Floats:
    value = _pmi(p, epsilon) / -np.log(p + epsilon)
    value = np.where(p + epsilon > 0, value, -1.0)  # the limit as P(a, b) falls to 0
    return np.where(p + epsilon < 1, value, 1.0)  # the limit as both words come to be everywhere


def _known_pairs(joint: Floats) -> NDArray[np.bool_]:
    known = np.diag(joint) > 0
    return np.logical_and.outer(known, known)


register_measure(CoherenceMeasure("umass", _umass, 0, 1.0, "sum", needs_epsilon=True, epsilon_below=np.inf))
register_measure(CoherenceMeasure("uci", _uci, 10, 1e-12, "mean", needs_epsilon=True))
register_measure(CoherenceMeasure("npmi", _npmi, 10, 1e-12, "mean"))
register_measure(CoherenceMeasure("c_v", _c_v, 110, 1e-12, "mean"))
