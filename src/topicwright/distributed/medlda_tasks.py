"""What topics are to predict: what of it every shard must know, and what stays with its documents."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sampling.medlda.weights import FeatureColumns
from .._sampling.problem import Supervision
from ..losses.base import RenamedLoss
from .shard_knowledge import Arrays
from .user_code import name_of

_PLAIN = (bool, int, float, str, type(None))
_SETTINGS = {  # by their names in run folders
    "sampler": "sampler",
    "mh_steps": "mh_steps",
    "nu": "nu",
    "weight_sweeps": "weight_sweeps",
    "late": "recency",
    "feature_nu": "feature_nu",
}


def facts_of(how: Supervision) -> dict[str, Any]:
    """All that shards must agree on and is no array, for JSON; of a loss its name and its plain parameters."""
    loss = how.loss.wrapped if isinstance(how.loss, RenamedLoss) else how.loss
    parameters = getattr(loss, "__dict__", {})
    plain = {name: value for name, value in parameters.items() if isinstance(value, _PLAIN)}
    settings = {name: getattr(how, field) for name, field in _SETTINGS.items()}
    return {"loss": name_of(type(loss)), "parameters": plain, **settings}


def predicted_of(how: Supervision, first: int, last: int) -> Arrays:
    """What belongs to the documents from ``first`` up to ``last``."""
    arrays: Arrays = {"targets": how.targets[first:last]}
    if how.cost_weights is not None:
        arrays["cost_weights"] = how.cost_weights[first:last]
    if how.features is not None:
        columns = _rows_of(how.features, first, last)
        arrays |= {f"features.{name}": array for name, array in columns._asdict().items()}
    return arrays


def supervision_of(facts: dict[str, Any], loss: Any, predicted: Arrays) -> Supervision:
    """What the topics of a shard are to predict; weights come with each step."""
    features = None
    if "features.start" in predicted:
        features = FeatureColumns(*(predicted[f"features.{name}"] for name in FeatureColumns._fields))
    how = {field: facts[name] for name, field in _SETTINGS.items()}
    return Supervision(predicted["targets"], loss, predicted.get("cost_weights"), features=features, **how)


def _rows_of(columns: FeatureColumns, first: int, last: int) -> FeatureColumns:
    is_in = (columns.docs >= first) & (columns.docs < last)
    before = np.concatenate([[0], np.cumsum(is_in)])
    return FeatureColumns(before[columns.start], (columns.docs[is_in] - first).astype(np.int32), columns.values[is_in])
