"""Particles as lanes of rows, and what a resampling does to them: nothing, until a row is touched again.

Whatever differs between particles lies in rows of adjacent lanes, one for each particle. A resampling gives every
particle another's past, which means that the lanes of *all* rows would have to be put in a new order. Instead each
resampling begins a new epoch, and each row remembers the epoch in which its lanes were last put in order. For every
recent epoch there is a map from the particles of today to the lanes as they stood then. A row that is touched and
turns out to be stale is put in order by the map of its epoch.

Maps are composed with each resampling, so they only ever lose lanes. When a map has but one lane left, all particles
come from that one, and they always will: of older epochs one small number is kept, and a row of that time has one of
its lanes copied to all others. So a resampling costs as much as there are epochs whose lanes have not come together,
and a touch as much as there are lanes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._utils.numba import jit_inline, jit_noalloc

_ZERO, _ONE = np.uint64(0), np.uint64(1)
LANES = 8  # rows are filled up to a multiple of this
_LINE = 64  # bytes
MOST_PARTICLES = 2**16
NOW, LIVE = np.uint64(0), np.uint64(1)


class Ancestry(NamedTuple):
    """Where the lanes of earlier epochs have gone. Epochs count from the last time that all rows were put in order."""

    epochs: NDArray[np.uint64]  # the present one, and the first whose lanes have not come together
    common: NDArray[np.uint16]  # the lane that is left, of epochs before that
    maps: NDArray[np.uint16]  # of the other epochs, each at the place of its number modulo the rows of this table
    ancestors: NDArray[np.uint16]  # the lanes that the next resampling is about to take
    spare: NDArray[np.uint16]


def new_ancestry(n_particles: int, n_epochs: int = 1 << 20, horizon: int | None = None) -> Ancestry:
    """No resampling yet; rows have to be put in order once in ``n_epochs``, or when ``horizon`` epochs are apart."""
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
    """How many lanes a row has: a multiple of 8, or 1, 2 or 4 where that is enough."""
    return -(-n_particles // LANES) * LANES if n_particles > LANES else 1 << (n_particles - 1).bit_length()


def aligned_zeros(shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """Zeros that begin with a line of the cache, so that a row of lanes takes no more of them than it must."""
    n = int(np.prod(shape)) * np.dtype(dtype).itemsize
    room = np.zeros(n + _LINE, np.uint8)
    start = -room.ctypes.data % _LINE
    result: NDArray[Any] = room[start : start + n].view(dtype).reshape(shape)
    return result


@jit_inline
def has_free_epoch(ancestry: Ancestry) -> Any:
    """Whether there is room for one more epoch."""
    now, live = ancestry.epochs[NOW], ancestry.epochs[LIVE]
    return now < np.uint64(ancestry.common.shape[0]) and now - live < np.uint64(ancestry.maps.shape[0])


@jit_inline
def begin_epoch(ancestry: Ancestry, n_particles: Any) -> None:
    """Particle p goes on from the lane ``ancestors[p]``: a new epoch, unless all stay where they are."""
    maps, ancestors, spare = ancestry.maps, ancestry.ancestors, ancestry.spare
    width, last = np.uint64(maps.shape[1]), np.uint64(maps.shape[0]) - _ONE
    n_moved = _ZERO
    for p in range(n_particles):
        n_moved += np.uint64(np.uint64(ancestors[p]) != p)
    if n_moved == _ZERO:
        return
    for p in range(n_particles, width):  # nobody looks at these, but they must not hold a lane back
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
    """Which lane of a row of that epoch is particle p's."""
    if stamp == ancestry.epochs[NOW]:
        return p
    if stamp < ancestry.epochs[LIVE]:
        return np.uint64(ancestry.common[stamp])
    return np.uint64(ancestry.maps[stamp & (np.uint64(ancestry.maps.shape[0]) - _ONE), p])


@jit_inline
def reorder_lanes(lanes: Any, row: Any, stamps: Any, at: Any, ancestry: Ancestry, spare: Any) -> None:
    """The lanes of a row as the particles are today; ``stamps[at]`` is the row's epoch."""
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
    """The same for the first n rows at once; their stamps are then those of an epoch that begins anew."""
    for row in range(n):
        reorder_lanes(lanes, row, stamps, row, ancestry, spare)
        stamps[row] = 0


@jit_noalloc
def read_lane(lanes: Any, stamps: Any, ancestry: Ancestry, p: Any, values: Any) -> None:
    """What particle p has in the first rows; nothing is put in order for that."""
    for row in range(np.uint64(values.shape[0])):
        values[row] = lanes[row, lane_of(ancestry, np.uint64(stamps[row]), p)]
