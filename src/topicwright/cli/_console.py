"""What people see: messages on standard error, results on standard output, and no raw control characters."""

from __future__ import annotations

import logging
import re
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache
from io import StringIO
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TextIO

from ..errors import StoppedWarning, TopicwrightWarning
from ._startup import page

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

# Control characters, line separators, half surrogate pairs, and what turns the direction of writing.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_NO_LIMIT = 100_000
_PLAIN: dict[str, Any] = {"markup": False, "emoji": False, "highlight": False}


def clean(text: str) -> str:
    """The text with control characters spelled out, so that a word can't drive the terminal.

    >>> print(clean("red\\x1b[31m"))
    red\\u001b[31m
    """
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def one_line(text: str) -> str:
    """The text, cleaned, with one blank for every run of white space."""
    return clean(" ".join(text.split()))


# ---------------------------------------------------------------------- standard error


@cache
def messages() -> Console:
    """The console of standard error; there is one, so that lines do not run into a progress bar."""
    from rich.console import Console

    class Messages(Console):
        def on_broken_pipe(self) -> None:
            self.quiet = True  # nobody listens; the work goes on

    paper = page(sys.stderr)
    own = {"stderr": True} if paper is sys.stderr else {"file": paper}  # whatever standard error is by then
    return Messages(**own, **_PLAIN)


def say(text: str, style: str = "") -> None:
    """One line on standard error."""
    with suppress(OSError):
        messages().print(one_line(text), style=style, soft_wrap=True)


def complain(text: str) -> None:
    """The one sentence that goes with exit code 2."""
    say(f"error: {text}", "red")


def waiting(text: str, *, quiet: bool = False) -> AbstractContextManager[Any]:
    """A spinner while something takes its time, where somebody watches."""
    if quiet or not messages().is_terminal:
        return nullcontext()
    return messages().status(one_line(text), spinner="dots" if messages().encoding.startswith("utf") else "line")


class _Speaking(logging.Handler):
    def __init__(self, worded: Callable[[str], str]) -> None:
        super().__init__()
        self._worded = worded

    def emit(self, record: logging.LogRecord) -> None:
        say(self._worded(record.getMessage()), "dim")


@contextmanager
def speaking_library(worded: Callable[[Any], str]) -> Iterator[None]:
    """What the silent library logs and warns of, as lines on standard error, ``worded`` for the shell."""
    logger, handler = logging.getLogger("topicwright"), _Speaking(worded)
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", TopicwrightWarning)
            warnings.simplefilter("ignore", StoppedWarning)  # commands tell it in their own way
            warnings.showwarning = _Warnings(worded)
            yield
    finally:
        logger.setLevel(level)
        logger.removeHandler(handler)


class _Warnings:
    """Shows each of the library's own warnings once; those of others are for developers."""

    def __init__(self, worded: Callable[[Any], str]) -> None:
        self.shown: set[str] = set()
        self._worded = worded

    def __call__(self, message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, TopicwrightWarning) and str(message) not in self.shown:
            self.shown.add(str(message))
            say(f"warning: {self._worded(message)}", "yellow")


# ---------------------------------------------------------------------- standard output


class _SafeTerminal:
    """Standard output where it is a screen."""

    encoding = "utf-8"

    def write(self, text: str) -> int:
        return sys.stdout.write(clean(text))

    def writelines(self, lines: Iterator[str]) -> None:
        sys.stdout.writelines(map(clean, lines))

    def flush(self) -> None:
        sys.stdout.flush()


def standard_output() -> TextIO:
    """Standard output, as it is for programs and cleaned for a screen."""
    return _SafeTerminal() if sys.stdout.isatty() else sys.stdout  # type: ignore[return-value]


def show(*parts: RenderableType) -> None:
    """Print a result: fitted to a screen, or as plain lines of any length for programs and files."""
    from rich.text import Text

    screen = _results(file=page(sys.stdout))
    if screen.is_terminal:
        for part in parts:
            screen.print(part, soft_wrap=isinstance(part, (str, Text)))  # a line stays one, to be copied
    else:
        page(sys.stdout).write(plain(*parts))


def plain(*parts: RenderableType) -> str:
    """A result as text without colours, whose lines are as long as they need be."""
    written = StringIO()
    paper = _results(file=written, width=_NO_LIMIT, color_system=None)
    for part in parts:
        paper.print(part)
    return "".join(line.rstrip() + "\n" for line in written.getvalue().splitlines())


def screen_width(default: int = 100) -> int:
    """Columns to lay a page out for."""
    screen = _results()
    return screen.width if screen.is_terminal else default


def has_colors() -> bool:
    """Whether results go to a screen that shows colours, and nobody asked for none."""
    screen = _results()
    return screen.is_terminal and screen.color_system is not None and not screen.no_color


def _results(**options: Any) -> Console:
    from rich.console import Console

    class Results(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Results(**_PLAIN, **options)


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
