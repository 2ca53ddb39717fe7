"""Serialization of particles as named arrays; a restored stream continues bit for bit.

Lanes are reordered before they are saved, so the ancestry is not. Padding lanes are left out. The names of the arrays
are part of the file format: they do not follow the names of fields.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from .count_table import add_counts, read_counts, reserve_rows
from .reservoir import N_DOCS, N_LABELS, N_TOKENS, Reservoir, new_reservoir
from .state import ParticleState, grow
from .word_links import grow_words

State = dict[str, NDArray[Any]]


def serialize_particles(particles: ParticleState, n_particles: int, n_labels: int) -> State:
    """State of particles whose lanes have been reordered, as arrays by name."""
    n = int(particles.count_table.used[0])
    labels, words = np.zeros(n, np.uint32), np.zeros(n, np.uint32)
    read_counts(particles.count_table, particles.ancestry, np.uint64(0), labels, words, np.zeros(n))
    state = {
        "pairs.labels": labels[1:],
        "pairs.words": words[1:],
        "pairs.counts": particles.count_table.lanes[1:n, :n_particles],
        "totals": particles.totals[:n_labels, :n_particles],
        "alpha": particles.alpha[:n_labels],
        "words": np.flatnonzero(particles.seen).astype(np.uint32),
        "weights": particles.weights[:n_particles],
        "counters": particles.counters,
        "numbers": particles.numbers,
    }
    if particles.links is not None:
        state["sizes"] = particles.links.sizes[state["words"]]
    for name, part in _serialize_reservoir(particles.reservoir, n_particles).items():
        state[f"reservoir.{name}"] = part
    return {name: np.array(part) for name, part in state.items()}


def _serialize_reservoir(reservoir: Reservoir, n_particles: int) -> State:
    tokens, labels, docs = (int(reservoir.size[n]) for n in (N_TOKENS, N_LABELS, N_DOCS))
    return {
        "words": reservoir.words[:tokens],
        "choices": reservoir.choices[:tokens, :n_particles],
        "labels": reservoir.labels[:labels],
        "in_doc": reservoir.in_doc[:labels, :n_particles],
        "first_token": reservoir.first_token[: docs + 1],
        "first_label": reservoir.first_label[: docs + 1],
        "keys": reservoir.keys[:docs],
        "increments": reservoir.increments[:docs],
        "size": reservoir.size,
        "bound": reservoir.bound,
    }


def restore_particles(particles: ParticleState, state: State) -> ParticleState:
    """Particles from their state; ``particles`` are new ones with the same number of lanes."""
    kind, width = particles.count_table.lanes.dtype, particles.count_table.lanes.shape[1]
    if state["pairs.counts"].dtype != kind:
        raise InputError(parameter="dtype", expected=f"{state['pairs.counts'].dtype}, as in the saved state", got=kind)
    count_table = reserve_rows(particles.count_table, len(state["pairs.labels"]))
    spare, lanes = np.zeros(width, kind), _pad_lanes(state["pairs.counts"], width)
    add_counts(count_table, particles.ancestry, spare, state["pairs.labels"], state["pairs.words"], lanes)
    n_labels, n_words = len(state["alpha"]), int(state["words"].max(initial=0)) + 1
    result = particles._replace(
        count_table=count_table,
        totals=grow(particles.totals, n_labels),
        total_stamps=grow(particles.total_stamps, n_labels),
        alpha=grow(particles.alpha, n_labels, particles.alpha[0]),
        seen=grow(particles.seen, n_words),
        reservoir=_restore_reservoir(state, width),
    )
    result.totals[:n_labels] = _pad_lanes(state["totals"], width)
    result.alpha[:n_labels] = state["alpha"]
    result.seen[state["words"]] = 1
    result.weights[: len(state["weights"])] = state["weights"]
    result.counters[:], result.numbers[:] = state["counters"], state["numbers"]
    if result.links is not None:
        if "sizes" not in state:
            raise InputError(
                "`links`: the saved state has no word frequencies; pass `links` when the stream is created"
            )
        result = result._replace(links=grow_words(result.links, n_words))
        result.links.sizes[state["words"]] = state["sizes"]
    return result


def _restore_reservoir(state: State, width: int) -> Reservoir:
    parts = {name.partition(".")[2]: part for name, part in state.items() if name.startswith("reservoir.")}
    tokens, labels, docs = len(parts["words"]), len(parts["labels"]), len(parts["keys"])
    reservoir = new_reservoir(width, max(1, tokens), max(1, labels), max(1, docs))
    for name, part in parts.items():
        target = getattr(reservoir, name)
        target[: len(part)] = _pad_lanes(part, width) if part.ndim == 2 else part
    reservoir.doc_of[:tokens] = np.repeat(np.arange(docs), np.diff(parts["first_token"]).astype(np.int64))
    return reservoir


def _pad_lanes(lanes: NDArray[Any], width: int) -> NDArray[Any]:
    """Rows with padding lanes, which are never read."""
    return np.concatenate([lanes, np.repeat(lanes[:, :1], width - lanes.shape[1], axis=1)], axis=1)
