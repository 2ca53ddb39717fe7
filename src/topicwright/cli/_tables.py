"""Tables: topics with their share of the words, and figures with their names."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from ._console import one_line

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

_BAR_WIDTH = 12
_EIGHTHS = " ▏▎▍▌▋▊▉"


def bar(share: float, width: int = _BAR_WIDTH) -> str:
    """A horizontal bar, exact to an eighth of a character.

    >>> bar(0.5, 4), bar(0.3, 4)
    ('██  ', '█▎  ')
    """
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + _EIGHTHS[rest] * (rest > 0)).ljust(width)


def fitting(words: Sequence[str], width: int) -> list[str]:
    """As many of the words as fit into a line, whole."""
    from rich.cells import cell_len

    taken: list[str] = []
    for word in words:
        width -= cell_len(word) + bool(taken)
        if width < 0:
            break
        taken.append(word)
    return taken


def topics_table(
    topics: Sequence[int],
    shares: Sequence[float],
    words: Sequence[Sequence[str]],
    *,
    more: Mapping[str, Sequence[str]] | None = None,
    figures: Collection[str] = (),
    width: int | None = None,
) -> Table:
    """The table, with more columns where wanted, some of them figures; with a width, each topic takes one line."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("topic", justify="right", style="bold")
    columns = dict(more or {})
    for head in columns:
        table.add_column(head, justify="right" if head in figures else "left")
    table.add_column("share of words", no_wrap=True)
    table.add_column("top words", overflow="fold")
    largest = max(shares, default=1.0) or 1.0
    for topic in topics:
        line = [one_line(word) for word in words[topic]]
        if width is not None:
            line = fitting(line, width - _BAR_WIDTH - 17)
        told = [Text(one_line(column[topic])) for column in columns.values()]
        table.add_row(str(topic), *told, _share(shares[topic], largest), Text(" ".join(line)))
    return table


def facts_table(rows: Sequence[tuple[str, str, str]]) -> Table:
    """Lines of a name, a figure and a remark."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), show_header=False)
    table.add_column(style="bold")
    table.add_column(justify="right")
    table.add_column(style="dim")
    for row in rows:
        table.add_row(*(Text(one_line(cell)) for cell in row))
    return table


def _share(share: float, largest: float) -> Text:
    from rich.text import Text

    return Text.assemble((bar(share / largest), "blue"), f" {share:6.1%}")
