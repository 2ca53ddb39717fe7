"""How a stream stands, for those who watch it: a block that is redrawn on a screen, a line now and then elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .._showing import how_many
from ._console import messages, one_line, say
from ._signals import Stop

if TYPE_CHECKING:
    from ..streams import Status

REDRAWN_EVERY = 0.5
"""Seconds between two looks of the block."""
_STOPPING = "being saved; Ctrl-C again leaves the file as it is"


class Screen:
    """The block; lines that are said meanwhile stand above it."""

    def __init__(self, stop: Stop) -> None:
        from rich.live import Live

        self._stop = stop
        self._live = Live(console=messages(), auto_refresh=False, transient=True)
        self._last_alert = ""

    def __enter__(self) -> Screen:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def alert(self, sentence: str) -> None:
        """The last alert is shown with its number."""
        self._last_alert = sentence

    def show(self, status: Status) -> None:
        """Draw it anew."""
        from rich.table import Table
        from rich.text import Text

        block = Table.grid(padding=(0, 2))
        block.add_column(style="dim", no_wrap=True, min_width=len("perplexity"))
        block.add_column(overflow="ellipsis", no_wrap=True)
        for name, text in self._rows(status):
            block.add_row(Text(name), Text(one_line(text)))
        self._live.update(block, refresh=True)

    def _rows(self, status: Status) -> Iterable[tuple[str, str]]:
        yield "read", f"{_where(status)}{'; waiting for more' if status.is_waiting else ''}"
        yield "documents", f"{status.documents:,}, {_rate(status.documents_per_second)}{_left_out(status)}"
        yield (
            "words",
            f"{status.words:,}, {_rate(status.words_per_second)}; {how_many(status.vocabulary, 'different one')}",
        )
        new = f"; new: {_last(status.new_labels, status.n_new_labels)}" if status.n_new_labels else ""
        yield "labels", f"{status.labels:,}{new}"
        yield "perplexity", f"{_figure(status.perplexity)} over the last {how_many(status.window, 'document')}"
        yield "particles", _particles(status)
        if status.rising or status.falling:
            yield "rising", ", ".join(status.rising)
            yield "falling", ", ".join(status.falling)
        if status.alerts:
            yield "alerts", f"{status.alerts:,}; the last: {self._last_alert}"
        yield "model", _STOPPING if self._stop.asked else _saved(status)


class Lines:
    """A line every so often."""

    def __init__(self) -> None:
        self._n_new_labels = 0

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None:
        """There is nothing to end."""

    def alert(self, sentence: str) -> None:
        """They are counted."""

    def show(self, status: Status) -> None:
        """Say it."""
        say("; ".join(self._parts(status)))

    def _parts(self, status: Status) -> Iterable[str]:
        yield f"{_where(status)}: {how_many(status.documents, 'document')}, {_rate(status.documents_per_second)}"
        yield f"{how_many(status.words, 'word')}, {_rate(status.words_per_second)}{_left_out(status)}"
        yield f"perplexity {_figure(status.perplexity)}"
        yield f"particles {_particles(status)}"
        n_new = status.n_new_labels - self._n_new_labels
        self._n_new_labels = status.n_new_labels
        new = f", new: {_last(status.new_labels[-n_new:], n_new)}" if n_new else ""
        yield f"{how_many(status.labels, 'label')}{new}"
        if status.rising or status.falling:
            yield f"rising: {', '.join(status.rising)}"
            yield f"falling: {', '.join(status.falling)}"
        if status.alerts:
            yield how_many(status.alerts, "alert")
        yield _saved(status)


def _where(status: Status) -> str:
    place = status.place
    if place is None:
        return "nothing yet"
    share = "" if not status.size else f" ({min(1.0, place.offset / status.size):.0%})"
    return f"line {place.lines:,}{share}"


def _saved(status: Status) -> str:
    return "not saved yet" if status.saved is None else f"saved at line {status.saved.lines:,}"


def _particles(status: Status) -> str:
    return f"{status.particles}, as good as {status.effective_particles:.1f} by their weights"


def _left_out(status: Status) -> str:
    skipped = f"; {status.skipped:,} without labels" if status.skipped else ""
    return skipped + (f"; {how_many(status.bad_lines, 'bad line')}" if status.bad_lines else "")


def _last(names: Iterable[Any], n: int) -> str:
    """The last of so many names."""
    shown = list(map(str, names))
    return f"{'… ' if n > len(shown) else ''}{', '.join(shown)}"


def _rate(number: float) -> str:
    return f"{number:,.0f} a second" if number >= 10 or number == 0 else f"{number:.1f} a second"


def _figure(number: float) -> str:
    return "not known yet" if number != number else f"{number:,.0f}" if number >= 100 else f"{number:.1f}"
