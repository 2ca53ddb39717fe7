"""A curve drawn with braille dots, two across and four down in each character."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
_EMPTY = 0x2800


def curve(points: Sequence[tuple[float, float]], width: int, height: int) -> list[str]:
    """Lines of braille from top to bottom through the points, in order of x; neighbours are joined.

    >>> curve([(0, 0), (1, 1)], width=4, height=2)
    ['  ⡠⠊', '⡠⠊  ']
    """
    cells = [[_EMPTY] * width for _ in range(height)]
    columns, rows = 2 * width - 1, 4 * height - 1
    xs, ys = zip(*points)
    before = None
    for column in range(columns + 1):
        y = _interpolated(points, xs[0] + (xs[-1] - xs[0]) * column / columns)
        here = round((1 - _between(y, min(ys), max(ys))) * rows)
        for row in _from_neighbour(before, here):
            cells[row // 4][column // 2] |= _DOTS[column % 2][row % 4]
        before = here
    return ["".join(chr(cell) if cell > _EMPTY else " " for cell in line) for line in cells]


def chart(points: Sequence[tuple[float, float]], width: int = 60, height: int = 5) -> list[str]:
    """The curve with its lowest and highest value at the left, and its first and last x below."""
    ys = [y for _, y in points]
    top, bottom = f"{max(ys):.2f}", f"{min(ys):.2f}"
    margin = max(len(top), len(bottom))
    labels = [top, *[""] * (height - 2), bottom]
    rows = zip(labels, curve(points, width, height))
    lines = [f"{label:>{margin}} {'┤' if label else '│'}{line}" for label, line in rows]
    first, last = f"{points[0][0]:g}", f"{points[-1][0]:g}"
    return [*lines, f"{'':{margin}} ╰{'─' * width}", f"{'':{margin}}  {first}{last:>{width - len(first)}}"]


def _from_neighbour(before: int | None, here: int) -> range:
    """The rows to mark in a column, so that a steep curve has no gaps."""
    if before is None or before == here:
        return range(here, here + 1)
    return range(before + 1, here + 1) if before < here else range(here, before)


def _interpolated(points: Sequence[tuple[float, float]], x: float) -> float:
    for (x0, y0), (x1, y1) in pairwise(points):
        if x <= x1:
            return y0 + (y1 - y0) * _between(x, x0, x1)
    return points[-1][1]


def _between(value: float, low: float, high: float) -> float:
    return 0.5 if high <= low else (value - low) / (high - low)
