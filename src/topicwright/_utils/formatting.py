"""Formatting of untrusted text, and small HTML tables for notebooks on light and dark pages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

# First and last code of what terminals and pages interpret, other than tab and newline: control characters, line
# separators with characters that change the writing direction, and surrogates.
_CONTROLS = ((0, 8), (0xB, 0x1F), (0x7F, 0x9F), (0x2028, 0x202E), (0x2066, 0x2069), (0xD800, 0xDFFF))
CONTROL_CHARS = {code: "\ufffd" for first, last in _CONTROLS for code in range(first, last + 1)}
"""Replacements of control characters, for ``str.translate``."""
_CONTROL = re.compile(f"[{''.join(f'{chr(first)}-{chr(last)}' for first, last in _CONTROLS)}]")
NO_KNOWN_WORD = "no word that the model knows"  # in place of an explanation
_BLUE = "#2c8ac4"  # of medium lightness, as in plots
_CELL = "text-align:left;vertical-align:top;padding:2px 12px 2px 0"
_RIGHT = "text-align:right;vertical-align:top;padding:2px 12px 2px 0;white-space:nowrap"


class Bar(str):
    """Text of a cell followed by a bar, whose length is a share from 0 to 1."""

    share: float

    def __new__(cls, text: str, share: float) -> Bar:
        bar = super().__new__(cls, text)
        bar.share = share
        return bar


def truncate(text: Any, n: int) -> str:
    """One line of at most ``n`` characters, without control characters."""
    line = " ".join(str(text)[: 4 * n + 100].translate(CONTROL_CHARS).split())
    return line if len(line) <= n else line[: n - 1] + "…"


def pluralize(n: int, what: str) -> str:
    """A number and a noun, with an s unless the number is 1.

    >>> pluralize(1, "word"), pluralize(2000, "word")
    ('1 word', '2,000 words')
    """
    return f"{n:,} {what}{'s' * (n != 1)}"


def percent(share: float) -> str:
    """A share as a percentage: 12 %, 3.1 %, 0.04 %."""
    figure = 100 * share
    if figure >= 9.95 or figure == 0:
        return f"{figure:.0f} %"
    return f"{figure:.1f} %" if figure >= 0.095 else f"{figure:.1g} %"


def html_table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]], note: str = "") -> str:
    """A title, a table and a note as HTML, in the colors of the page.

    >>> html_table("two", ["a"], [["<b>"]]).count("<b>")
    1
    """
    head = "".join(f'<th style="{_CELL}">{escape(text)}</th>' for text in heads)
    body = "".join(f'<tr style="background:none">{"".join(map(_cell, row))}</tr>' for row in rows)
    return (
        f'<div style="overflow-x:auto"><b>{escape(title)}</b>'
        '<table style="border-collapse:collapse;margin:4px 0">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        + (f'<div style="opacity:0.7">{escape(note)}</div>' if note else "")
        + "</div>"
    )


def align_columns(table: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table for a terminal, with aligned columns.

    >>> align_columns([["word", "times"], ["a", "12"]])
    ['word  times', 'a     12']
    """
    widths = [max(map(len, column)) for column in zip(*table)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in table]


def plain_html_table(table: Sequence[Sequence[str]]) -> str:
    """A table as HTML without styles; the first line is its head."""
    head, *rows = table
    return f"<table>{_line('th', head)}{''.join(_line('td', row) for row in rows)}</table>"


def _line(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"


def _cell(text: str) -> str:
    if not isinstance(text, Bar):
        return f'<td style="{_CELL}">{escape(text)}</td>'
    bar = f"display:inline-block;width:{60 * text.share:.0f}px;height:0.6em;background:{_BLUE};border-radius:1px"
    return f'<td style="{_RIGHT}">{escape(text)}</td><td style="{_CELL};width:60px"><span style="{bar}"></span></td>'


def safe_json(value: Any, *, indent: int | None = None) -> str:
    """JSON for terminals: Unicode letters, but escaped control characters."""
    return escape_controls(json.dumps(value, ensure_ascii=False, indent=indent))


def escape_controls(text: str) -> str:
    """Text with escaped control characters, so that a word cannot control the terminal.

    >>> print(escape_controls("red\\x1b[31m"))
    red\\u001b[31m
    """
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
