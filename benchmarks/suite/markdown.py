"""Tables for the terminal as tables of Markdown."""

from __future__ import annotations

from collections.abc import Collection

from rich.table import Table


def to_markdown(table: Table, leave_out: Collection[str] = ()) -> str:
    """A title, the table, and its caption; columns whose names begin like one of ``leave_out`` are not there.

    >>> one = Table("sampler", "seconds", title="Speed")
    >>> one.add_row("ours", "1|2")
    >>> print(to_markdown(one))
    **Speed**
    <BLANKLINE>
    | sampler | seconds |
    | --- | --- |
    | ours | 1\\|2 |
    """
    columns = [one for one in table.columns if not str(one.header).startswith(tuple(leave_out))]
    cells = [[_plain(cell) for cell in column.cells] for column in columns]
    lines = [
        _row([_plain(column.header) for column in columns]),
        _row(["---:" if column.justify == "right" else "---" for column in columns]),
        *map(_row, zip(*cells)),
    ]
    above = [f"**{_plain(table.title)}**", ""] if table.title else []
    below = ["", _plain(table.caption)] if table.caption else []
    return "\n".join([*above, *lines, *below])


def _plain(cell: object) -> str:
    """On one line, and nothing in it that Markdown would take for its own."""
    text = " ".join(str(cell).split())
    for sign in ("\\", "|", "*", "_", "<", "`"):
        text = text.replace(sign, "\\" + sign)
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


def _row(cells: Collection[str]) -> str:
    return f"| {' | '.join(cells)} |"
