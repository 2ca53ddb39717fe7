"""What topics are to predict: what of it every shard must know, and what stays with its documents."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..samplers.weights import Columns
from .code import name_of
from .knowing import Arrays

Floats = NDArray[np.float64]
_PLAIN = (bool, int, float, str, type(None))


class Supervision(NamedTuple):
    """What topics are to predict, and how."""

    targets: Floats
    cost_weights: Floats | None
    loss: Any
    nu: float
    sampler: str
    mh_steps: int
    weight_sweeps: int
    late: float  # how much later sweeps count more in the mean of the weights
    eta: Floats | None = None  # weights to go on from
    average: Floats | None = None
    features: Columns | None = None  # words that have weights of their own, by document
    feature_nu: float = 1.0
    feature_eta: Floats | None = None
    feature_average: Floats | None = None

    def facts(self) -> dict[str, Any]:
        """All of it that is no array, for JSON; of a loss its name and its plain parameters, by which to know it."""
        parameters = getattr(self.loss, "__dict__", {})
        plain = {name: value for name, value in parameters.items() if isinstance(value, _PLAIN)}
        how = {"sampler": self.sampler, "mh_steps": self.mh_steps}
        return {"loss": name_of(type(self.loss)), "parameters": plain, **how}

    def within(self, first: int, last: int) -> Arrays:
        """What belongs to the documents from ``first`` up to ``last``."""
        arrays: Arrays = {"targets": self.targets[first:last]}
        if self.cost_weights is not None:
            arrays["cost_weights"] = self.cost_weights[first:last]
        if self.features is not None:
            columns = _rows_of(self.features, first, last)
            arrays |= {f"features.{name}": array for name, array in columns._asdict().items()}
        return arrays


def features_from(arrays: Arrays) -> Columns | None:
    """Weighed words of a shard's documents, if there are any."""
    if "features.start" not in arrays:
        return None
    return Columns(*(arrays[f"features.{name}"] for name in Columns._fields))


def _rows_of(columns: Columns, first: int, last: int) -> Columns:
    is_in = (columns.docs >= first) & (columns.docs < last)
    before = np.concatenate([[0], np.cumsum(is_in)])
    return Columns(before[columns.start], (columns.docs[is_in] - first).astype(np.int32), columns.values[is_in])
