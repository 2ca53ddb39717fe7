"""Serialization of supervision for shards: settings that all share, and arrays of the documents of each."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sampling.medlda.weights import FeatureColumns
from .._sampling.problem import Supervision
from ..losses.base import RenamedLoss
from .shard_knowledge import Arrays
from .user_code import qualified_name

_PLAIN = (bool, int, float, str, type(None))
_SETTINGS = {  # by their names in run folders
    "sampler": "sampler",
    "mh_steps": "mh_steps",
    "nu": "nu",
    "weight_sweeps": "weight_sweeps",
    "late": "recency",
    "feature_nu": "feature_nu",
}


def supervision_to_meta(supervision: Supervision) -> dict[str, Any]:
    """Settings of a supervision for JSON; a loss is its class name and its plain parameters."""
    loss = supervision.loss.wrapped if isinstance(supervision.loss, RenamedLoss) else supervision.loss
    parameters = getattr(loss, "__dict__", {})
    plain = {name: value for name, value in parameters.items() if isinstance(value, _PLAIN)}
    settings = {name: getattr(supervision, field) for name, field in _SETTINGS.items()}
    return {"loss": qualified_name(type(loss)), "parameters": plain, **settings}


def supervision_to_arrays(supervision: Supervision, first: int, last: int) -> Arrays:
    """Targets and features of the documents from ``first`` up to ``last``."""
    arrays: Arrays = {"targets": supervision.targets[first:last]}
    if supervision.cost_weights is not None:
        arrays["cost_weights"] = supervision.cost_weights[first:last]
    if supervision.features is not None:
        columns = _rows_of(supervision.features, first, last)
        arrays |= {f"features.{name}": array for name, array in columns._asdict().items()}
    return arrays


def supervision_from_meta(meta: dict[str, Any], loss: Any, target_arrays: Arrays) -> Supervision:
    """What the topics of a shard are to predict; weights come with each step."""
    features = None
    if "features.start" in target_arrays:
        features = FeatureColumns(*(target_arrays[f"features.{name}"] for name in FeatureColumns._fields))
    supervision = {field: meta[name] for name, field in _SETTINGS.items()}
    return Supervision(
        target_arrays["targets"], loss, target_arrays.get("cost_weights"), features=features, **supervision
    )


def _rows_of(columns: FeatureColumns, first: int, last: int) -> FeatureColumns:
    is_in = (columns.docs >= first) & (columns.docs < last)
    before = np.concatenate([[0], np.cumsum(is_in)])
    return FeatureColumns(before[columns.start], (columns.docs[is_in] - first).astype(np.int32), columns.values[is_in])
