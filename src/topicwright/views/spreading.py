"""Circles for the topics of a map, moved apart just so far that none covers another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .mapping import TopicMap

Floats = NDArray[np.float64]
_FILLED = 0.22  # the share of the picture that circles cover
_SMALLEST, _LARGEST = 0.011, 0.085  # radii, as shares of the picture's shorter side
_GAP = 0.006
_ROUNDS = 300


def circles(places: TopicMap, width: float, height: float) -> tuple[Floats, Floats]:
    """Centres and radii in a picture of such a size; areas are in proportion to the topics' tokens, as far as can be.

    Centres are pulled to where the map has them and pushed off each other, the same number of times for any map.
    """
    short = min(width, height)
    radii = np.sqrt(places.sizes / max(places.sizes.sum(), 1e-300) * _FILLED * width * height / np.pi)
    radii = np.clip(radii, _SMALLEST * short, _LARGEST * short)
    centres = _fitted(places.positions, radii, width, height)
    home = centres.copy()
    for turn in range(_ROUNDS):
        centres += 0.02 * (1 - turn / _ROUNDS) * (home - centres)
        centres += _pushes(centres, radii + _GAP * short / 2)
        centres = np.clip(centres, radii[:, None] + 2, np.array([width, height]) - radii[:, None] - 2)
    return centres, radii


def _fitted(positions: Floats, radii: Floats, width: float, height: float) -> Floats:
    """The map stretched to fill the picture, each way by itself, but not by more than twice the other."""
    if len(positions) == 0:
        return positions.copy()
    low, high = positions.min(axis=0), positions.max(axis=0)
    room = np.array([width, height]) - 2 * radii.max() - 4
    scale = room / np.maximum(high - low, 1e-9)
    scale = np.minimum(scale, 2 * scale.min())
    return np.asarray((positions - (low + high) / 2) * scale + np.array([width, height]) / 2)


def _pushes(centres: Floats, radii: Floats) -> Floats:
    """Half of the overlap for each of two circles; such as lie on one spot part along a spiral."""
    across, down = (side[:, None] - side[None] for side in centres.T)
    reach = radii[:, None] + radii[None]
    overlapping = across * across + down * down < reach * reach
    np.fill_diagonal(overlapping, False)
    one, other = np.nonzero(overlapping)  # few pairs, and only these are looked at further
    apart = centres[one] - centres[other]
    length = np.linalg.norm(apart, axis=1)[:, None]
    angle = np.arange(len(centres)) * 2.399963  # the golden angle
    spiral = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    direction = np.where(length < 1e-9, (spiral[one] - spiral[other]) / 2, apart / np.maximum(length, 1e-9))
    pushes = np.zeros_like(centres)
    np.add.at(pushes, one, (reach[one, other][:, None] - length) * direction / 2)
    return pushes
