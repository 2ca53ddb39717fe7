"""Ancestry of particles: lazy resampling, which reorders the lanes of a row when it is used next.

Everything that differs between particles is in rows of adjacent lanes, one for each particle. A resampling would have
to reorder the lanes of *all* rows. Instead, each resampling begins a new epoch, and each row stores the epoch in which
its lanes were last reordered. For every recent epoch there is a map from the current particles to the lanes of that
time. A stale row is reordered by the map of its epoch when it is used.

Maps are composed with each resampling, so they only lose lanes. When a map has one lane left, all particles descend
from that lane, and always will (coalescence): of such epochs one number is stored, and that lane of a row is copied to
all others. So a resampling costs the number of epochs that have not coalesced, and the use of a row its number of
lanes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._utils.numba import jit_inline, jit_noalloc

_ZERO, _ONE = np.uint64(0), np.uint64(1)
LANES = 8  # rows are padded to a multiple of this
_LINE = 64  # bytes
MOST_PARTICLES = 2**16
NOW, LIVE = np.uint64(0), np.uint64(1)


class Ancestry(NamedTuple):
    """Maps from particles to lanes of earlier epochs. Epochs are counted since all rows were last reordered."""

    epochs: NDArray[np.uint64]  # the current one, and the first that has not coalesced
    common: NDArray[np.uint16]  # remaining lane of epochs before that
    maps: NDArray[np.uint16]  # of the other epochs, by their number modulo the rows
    ancestors: NDArray[np.uint16]  # lanes that the next resampling takes
    spare: NDArray[np.uint16]


def new_ancestry(n_particles: int, n_epochs: int = 1 << 20, horizon: int | None = None) -> Ancestry:
    """Ancestry without any resampling; rows must be reordered after ``n_epochs``, or ``horizon`` live epochs."""
    width = lane_count(n_particles)
    if horizon is None:
        horizon = 1 << int(np.clip(np.log2(2**20 / width), 6, 10))
    return Ancestry(
        np.zeros(2, np.uint64),
        np.zeros(n_epochs, np.uint16),
        np.zeros((horizon, width), np.uint16),
        np.zeros(width, np.uint16),
        np.zeros(width, np.uint16),
    )


def lane_count(n_particles: int) -> int:
    """Number of lanes of a row: a multiple of 8, or 1, 2 or 4 if that is enough."""
    return -(-n_particles // LANES) * LANES if n_particles > LANES else 1 << (n_particles - 1).bit_length()


def aligned_zeros(shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """Array of zeros that is aligned to cache lines."""
    n = int(np.prod(shape)) * np.dtype(dtype).itemsize
    room = np.zeros(n + _LINE, np.uint8)
    start = -room.ctypes.data % _LINE
    result: NDArray[Any] = room[start : start + n].view(dtype).reshape(shape)
    return result


@jit_inline
def has_free_epoch(ancestry: Ancestry) -> Any:
    """Whether one more epoch fits."""
    now, live = ancestry.epochs[NOW], ancestry.epochs[LIVE]
    return now < np.uint64(ancestry.common.shape[0]) and now - live < np.uint64(ancestry.maps.shape[0])


@jit_inline
def begin_epoch(ancestry: Ancestry, n_particles: Any) -> None:
    """Begin an epoch in which particle p continues from lane ``ancestors[p]``, unless no particle changes."""
    maps, ancestors, spare = ancestry.maps, ancestry.ancestors, ancestry.spare
    width, last = np.uint64(maps.shape[1]), np.uint64(maps.shape[0]) - _ONE
    n_moved = _ZERO
    for p in range(n_particles):
        n_moved += np.uint64(np.uint64(ancestors[p]) != p)
    if n_moved == _ZERO:
        return
    for p in range(n_particles, width):  # padding is never read, but must not keep a lane alive
        ancestors[p] = ancestors[0]
    now, live = ancestry.epochs[NOW], ancestry.epochs[LIVE]
    for epoch in range(live, now):
        at = epoch & last
        for p in range(width):
            spare[p] = maps[at, np.uint64(ancestors[p])]
        for p in range(width):
            maps[at, p] = spare[p]
    for p in range(width):
        maps[now & last, p] = ancestors[p]
    now += _ONE
    while live < now and coalesced(maps, live & last):
        ancestry.common[live] = maps[live & last, 0]
        live += _ONE
    ancestry.epochs[NOW], ancestry.epochs[LIVE] = now, live


@jit_inline
def coalesced(maps: Any, at: Any) -> Any:
    """Whether a map has one lane left."""
    apart = _ZERO
    for p in range(np.uint64(maps.shape[1])):
        apart |= np.uint64(maps[at, p] != maps[at, _ZERO])
    return apart == _ZERO


@jit_inline
def lane_of(ancestry: Ancestry, stamp: Any, p: Any) -> Any:
    """Lane of particle p in a row of an epoch."""
    if stamp == ancestry.epochs[NOW]:
        return p
    if stamp < ancestry.epochs[LIVE]:
        return np.uint64(ancestry.common[stamp])
    return np.uint64(ancestry.maps[stamp & (np.uint64(ancestry.maps.shape[0]) - _ONE), p])


@jit_inline
def reorder_lanes(lanes: Any, row: Any, stamps: Any, at: Any, ancestry: Ancestry, spare: Any) -> None:
    """Reorder the lanes of a row by the current particles; ``stamps[at]`` is the epoch of the row."""
    stamp, now = np.uint64(stamps[at]), ancestry.epochs[NOW]
    if stamp == now:
        return
    width = np.uint64(lanes.shape[1])
    if stamp < ancestry.epochs[LIVE]:
        value = lanes[row, np.uint64(ancestry.common[stamp])]
        for p in range(width):
            lanes[row, p] = value
    else:
        epoch = stamp & (np.uint64(ancestry.maps.shape[0]) - _ONE)
        for p in range(width):
            spare[p] = lanes[row, np.uint64(ancestry.maps[epoch, p])]
        for p in range(width):
            lanes[row, p] = spare[p]
    stamps[at] = now


@jit_noalloc
def reorder_all_lanes(lanes: Any, n: Any, stamps: Any, ancestry: Ancestry, spare: Any) -> None:
    """Reorder the first n rows, and reset their epochs to 0."""
    for row in range(n):
        reorder_lanes(lanes, row, stamps, row, ancestry, spare)
        stamps[row] = 0


@jit_noalloc
def read_lane(lanes: Any, stamps: Any, ancestry: Ancestry, p: Any, values: Any) -> None:
    """Read the first rows of particle p, without reordering."""
    for row in range(np.uint64(values.shape[0])):
        values[row] = lanes[row, lane_of(ancestry, np.uint64(stamps[row]), p)]
