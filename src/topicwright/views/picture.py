"""Figures that need no display, read well on light and dark ground, and are shown by notebooks on any line."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..errors import InputError
from .text import shown

# Of middling lightness, told apart by people who see few colours (Okabe and Ito), on a ground that lets others through.
BLUE, ORANGE, GREY = "#2c8ac4", "#d9731a", "#747b81"
POINTS, MARKS = 9, 8  # heights of letters

_unseen: list[Picture] = []  # that were made in the cell of a notebook that is running


class Picture(Figure):  # type: ignore[misc]
    """A figure that notebooks show, whether or not they were told of matplotlib, and on whichever line it is made.

    One that was neither shown nor saved at the end of its cell is shown there, as pyplot's figures are.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.was_drawn = False
        _show_later(self)

    def draw(self, renderer: Any) -> None:
        """Draw it, and note that somebody looked."""
        self.was_drawn = True
        super().draw(renderer)

    def _repr_png_(self) -> bytes:
        page = io.BytesIO()
        self.savefig(page, format="png", dpi=110)
        return page.getvalue()

    def _repr_mimebundle_(self, **asked: Any) -> dict[str, Any]:
        _show_unseen(until=self)  # so that pictures come in the order in which they were made
        return {}  # the rest is for other formats to say


def new_figure(width: float, height: float) -> Picture:
    """A figure without anything in it, in inches."""
    return Picture(figsize=(width, height), layout="constrained", facecolor="none")


def axes_for(ax: Any, width: float, height: float) -> Any:
    """Axes to draw on: those that were given, or some of a new figure of this size."""
    if ax is not None and not isinstance(ax, Axes):
        raise InputError(f"ax must be axes of matplotlib, such as plt.subplots()[1]: got {type(ax).__name__}")
    return styled(new_figure(width, height).add_subplot() if ax is None else ax)


def drawn_on(axes: Any, ax: Any) -> Any:
    """What a plot gives back: its figure, or the axes where they were given, whose figure is the user's to show."""
    return axes.figure if ax is None else axes


def styled(axes: Any) -> Any:
    """The axes, in our look."""
    axes.set_facecolor("none")
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
    axes.tick_params(colors=GREY, labelsize=POINTS, length=3)
    axes.xaxis.label.set(color=GREY, fontsize=POINTS)
    return axes


def title(axes: Any, text: str) -> None:
    """A title at the left."""
    axes.set_title(plain(text), loc="left", fontsize=10, color=GREY, weight="bold")


def names_beside(axes: Any, names: Sequence[str]) -> None:
    """Names of rows, from the top down."""
    axes.set_yticks(range(len(names)), [plain(shown(name, 32)) for name in names])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_ylim(len(names) - 0.4, -0.6)


def plain(text: str) -> str:
    """Text in which no dollar begins a formula."""
    return text.replace("$", r"\$")


def rgb(colour: str) -> tuple[float, ...]:
    """Red, green and blue from 0 to 1."""
    return tuple(int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))


# ---------------------------------------------------------------------- in notebooks


def _show_later(picture: Picture) -> None:
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is None or not hasattr(shell, "kernel"):  # a terminal shows no pictures
        return
    if not _unseen:
        shell.events.register("post_run_cell", _show_at_the_end)
    _unseen.append(picture)


def _show_at_the_end(*_: Any) -> None:
    sys.modules["IPython"].get_ipython().events.unregister("post_run_cell", _show_at_the_end)
    _show_unseen()
    _unseen.clear()


def _show_unseen(until: Picture | None = None) -> None:
    """Show the pictures that nobody has looked at, or those before one of them."""
    end = _unseen.index(until) if until in _unseen else len(_unseen)
    before = [picture for picture in _unseen[:end] if not picture.was_drawn]
    for picture in before:
        picture.was_drawn = True  # or else it would show those before it once more
        sys.modules["IPython"].display.display(picture)
