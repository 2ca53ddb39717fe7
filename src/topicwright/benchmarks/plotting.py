"""What plots of benchmarks share."""

from __future__ import annotations

from typing import Any

from ..errors import MissingExtraError


def new_figure(width: float, height: float) -> Any:
    """An empty figure of matplotlib's, of so many inches."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plots", "plotting a benchmark") from None
    return Figure(figsize=(width, height), layout="constrained")
