"""Style of the benchmark plots: sizes for a page 700 pixels wide, and colors safe for color blindness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from topicwright.errors import MissingExtraError

Mean = tuple[float | None, float | None]  # and its error

WIDTH = 7.0  # inches; at 150 dots each, and shown at two thirds, letters are as large as those of a page
DPI = 150
# Okabe and Ito's, which differ in lightness too; the first is ours throughout
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "os^Dv<>"
_GREY = "#555555"


def new_figure(height: float = 4.0) -> Any:
    """Empty matplotlib figure of this height in inches."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plots", "plotting a benchmark") from None
    return Figure(figsize=(WIDTH, height), layout="constrained")


def color(number: int) -> str:
    """Color of the method with this number."""
    return COLORS[number % len(COLORS)]


def look(number: int) -> dict[str, Any]:
    """Color and marker of the line of the method with this number."""
    return {"color": color(number), "marker": MARKERS[number % len(MARKERS)], "markersize": 4, "linewidth": 1.4}


def label(axes: Any, x: str, y: str, **more: Any) -> None:
    """Names of the axes, plain numbers, a light grid, and no frame where nothing is."""
    axes.set(xlabel=x, ylabel=y, **more)
    for axis, scale in ((axes.xaxis, axes.get_xscale()), (axes.yaxis, axes.get_yscale())):
        if scale == "log":
            _plain_logarithms(axis)
    axes.grid(True, color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["bottom", "left"]].set_color(_GREY)


def _plain_logarithms(axis: Any) -> None:
    """1, 2, 5, 10, … in place of powers."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    axis.set_minor_formatter(NullFormatter())


def in_thousands(axis: Any) -> None:
    """20,000 in place of 20000."""
    from matplotlib.ticker import StrMethodFormatter

    axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def bars(axes: Any, names: Sequence[str], values: Sequence[Mean]) -> None:
    """A bar for each method, with its figure and error."""
    for place, (mean, error) in enumerate(values):
        if mean is not None:
            one = axes.bar(place, mean, yerr=error, capsize=3, color=color(place))
            axes.bar_label(one, fmt="{:.3g}", fontsize=8, padding=2)
    axes.margins(y=0.1)
    broken = [name.replace(", ", ",\n") for name in names]
    axes.set_xticks(range(len(broken)), broken, rotation=40, ha="right", rotation_mode="anchor", fontsize=8)


def legend_below(figure: Any, axes: Any, columns: int = 3) -> None:
    """One legend for all panels, where it hides nothing."""
    handles, names = axes.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=min(columns, len(names)), frameon=False, fontsize=9)


def write(figures: Mapping[str, Any], folder: Path, prefix: str = "") -> list[Path]:
    """Save figures as images by their names; the files."""
    from topicwright._utils.atomic import atomic_write

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, figure in figures.items():
        written.append(folder / f"{prefix}{name}.png")
        with atomic_write(written[-1]) as file:
            figure.savefig(file, format="png", dpi=DPI)
    return written
