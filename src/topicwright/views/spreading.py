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
    apart = centres[:, None] - centres[None]
    length = np.linalg.norm(apart, axis=2)
    overlap = np.maximum(radii[:, None] + radii[None] - length, 0)
    np.fill_diagonal(overlap, 0)
    angle = np.arange(len(centres)) * 2.399963  # the golden angle
    spiral = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    same = (length < 1e-9)[:, :, None]
    direction = np.where(same, (spiral[:, None] - spiral[None]) / 2, apart / np.maximum(length, 1e-9)[:, :, None])
    return np.asarray((overlap[:, :, None] * direction).sum(axis=1) / 2)
