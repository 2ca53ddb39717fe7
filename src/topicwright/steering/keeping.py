"""A state as a file: what the sampler has changed since the base model, and what that did to topics."""

from __future__ import annotations

from copy import copy
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ModelFileError
from ..io import Fields, pack_strings, read_model, write_model
from ..io.plainjson import to_json
from ..models import LDA
from ..models.parameters import LARGEST_PRIOR, SMALLEST_PRIOR
from .acting import State, rebuilt
from .changes import Changes
from .knowing import knowledge_of
from .said import Said

_KIND = "steering-state"


def write_state(path: Path, state: State, changes: Changes) -> None:
    """Write a state, all or nothing."""
    model = state.model
    meta = {
        "sweeps": model.sweeps_,
        "learns_beta": isinstance(model.beta, str),
        "log_likelihood": [[sweep, value] for sweep, value in model.log_likelihood_],
    }
    said = {"pins": {str(topic): words for topic, words in state.pins.items()}, "changes": changes.to_dict()}
    arrays = {
        "assignments": np.asarray(model.assignments_).astype(_width(len(model.alpha_))),
        "alpha": model.alpha_,
        "beta": np.atleast_1d(np.float64(model.beta_)),
        **pack_strings([to_json(said)], "said"),
    }
    write_model(path, _KIND, meta, arrays)


def read_state(path: Path, base: LDA, said: Said) -> tuple[State, Changes]:
    """The state that a file holds, ``ModelFileError`` if it is damaged; ``said`` is what held then."""
    file = read_model(path)
    if file.kind != _KIND:
        raise ModelFileError(f"{path} holds no state of steering")
    fields = file.fields
    pins, changes = _said(fields)
    prior: dict[str, Any] = {"minimum": SMALLEST_PRIOR, "maximum": LARGEST_PRIOR}
    alpha = fields.array("alpha", np.float64, shape=(said.n_topics,), **prior)
    beta = fields.array("beta", np.float64, shape=np.atleast_1d(base.beta_).shape, **prior)
    shape, width = (base.corpus_.n_tokens,), _width(said.n_topics)
    assignments = fields.array("assignments", width, shape=shape, maximum=said.n_topics - 1).astype(np.uint32)
    model = rebuilt(_with_beta(base, beta, fields), assignments, alpha, knowledge_of(said, pins, base), base)
    model.sweeps_ = fields.integer("sweeps", minimum=0)
    model.log_likelihood_ = [(sweep, value) for sweep, value in fields.rows("log_likelihood", int, float)]
    model.interrupted_ = False
    return State(model, pins), changes


def _width(n_topics: int) -> type[np.unsignedinteger[Any]]:
    """The type of assignments in a file: half as large as in memory, where that will do."""
    return np.uint16 if n_topics <= 2**16 else np.uint32


def _with_beta(base: LDA, beta: Any, fields: Fields) -> LDA:
    model = copy(base)
    model.beta_ = float(beta[0]) if np.ndim(base.beta_) == 0 else beta
    model.beta = "learn" if fields.flag("learns_beta") else model.beta_
    return model


def _said(fields: Fields) -> tuple[dict[int, dict[str, int]], Changes]:
    try:
        said = fields.json("said")
        return {int(topic): words for topic, words in said["pins"].items()}, Changes.from_dict(said["changes"])
    except (KeyError, TypeError, ValueError, AttributeError):
        fields.fail("said", "must have pins and changes")
