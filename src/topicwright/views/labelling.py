"""Where names of circles can stand in a picture: beside their own, upon no other, and not upon each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_LETTER = 0.56  # the width of a letter, in heights of the type
_AIR = 2.0


class Placed(NamedTuple):
    """A name and the middle of its line."""

    circle: int
    x: float
    y: float


def place_names(
    centres: Floats, radii: Floats, names: Sequence[str], size: float, width: float, height: float
) -> list[Placed]:
    """The names for which there is room in type of such a size, those of large circles first."""
    boxes: list[tuple[float, float, float, float]] = []
    placed = []
    for circle in np.argsort(-radii, kind="stable").tolist():
        half = len(names[circle]) * _LETTER * size / 2 + _AIR
        for x, y in _places(centres[circle], float(radii[circle]), half, size):
            box = (x - half, y - size / 2 - _AIR / 2, x + half, y + size / 2 + _AIR / 2)
            inside = box[0] >= 0 and box[1] >= 0 and box[2] <= width and box[3] <= height
            if names[circle] and inside and not _covers(box, circle, boxes, centres, radii):
                boxes.append(box)
                placed.append(Placed(circle, x, y))
                break
    return placed


def _places(centre: Floats, radius: float, half: float, size: float) -> Iterator[tuple[float, float]]:
    x, y = centre.tolist()
    yield x, y + radius + size / 2 + _AIR
    yield x, y - radius - size / 2 - _AIR
    yield x + radius + half + _AIR, y
    yield x - radius - half - _AIR, y


def _covers(
    box: tuple[float, float, float, float],
    own: int,
    boxes: list[tuple[float, float, float, float]],
    centres: Floats,
    radii: Floats,
) -> bool:
    left, top, right, bottom = box
    if any(left < b[2] and right > b[0] and top < b[3] and bottom > b[1] for b in boxes):
        return True
    across = centres[:, 0] - np.clip(centres[:, 0], left, right)
    down = centres[:, 1] - np.clip(centres[:, 1], top, bottom)
    hit = np.hypot(across, down) < radii
    hit[own] = False
    return bool(hit.any())
