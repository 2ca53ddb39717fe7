"""Messages on standard error and results on standard output, without raw control characters.

Also the start of the process: lazy imports, and output streams that can print any character.
"""

from __future__ import annotations

import codecs
import gc
import io
import json
import logging
import os
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from io import StringIO
from itertools import pairwise
from types import ModuleType
from typing import TYPE_CHECKING, Any, TextIO

from .._utils.formatting import escape_controls
from ..errors import StoppedWarning, TopicwrightWarning

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

ESCAPED, DRAWN = (
    "topicwright.escaped",
    "topicwright.drawn",
)  # names of error handlers for characters that cannot be encoded

_UPPER, _LOWER = 0b00011011, 0b11100100  # dots of a braille character
_ASCII = dict(zip("█▉▊▋▌▍▎▏", "######  ")) | dict(zip("─━│┤├╰╭╮╯╸╺", "--|||++++--")) | {"…": "...", "–": "-", "•": "*"}
_ASCII |= {chr(0x2800 + dots): " '.:"[bool(dots & _UPPER) + 2 * bool(dots & _LOWER)] for dots in range(256)}


def _escaped(error: Any) -> tuple[str, int]:
    """Escape characters as in JSON, so that JSON stays valid."""
    return "".join(map(_json_escape, error.object[error.start : error.end])), error.end


def _drawn(error: Any) -> tuple[str, int]:
    """Replace lines and bars by similar ASCII characters, and escape others."""
    unknown = error.object[error.start : error.end]
    return "".join(_ASCII.get(character) or _json_escape(character) for character in unknown), error.end


def _json_escape(character: str) -> str:
    return json.dumps(character)[1:-1]


class AnyTextStream:
    """Output stream for people that accepts any character."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write text, with replacements for characters that cannot be encoded."""
        encoding = self._stream.encoding
        return self._stream.write(text.encode(encoding, DRAWN).decode(encoding))


def accept_any_text(stream: TextIO) -> TextIO:
    """The stream itself if it is Unicode, otherwise a wrapper that replaces characters."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return stream if codecs.lookup(encoding).name.startswith("utf") else AnyTextStream(stream)  # type: ignore[return-value]


codecs.register_error(ESCAPED, _escaped)
codecs.register_error(DRAWN, _drawn)


# scikit-learn imports both with its base classes (over half of its start-up), and no command needs either.
_LAZY = {"scipy.stats", "pandas"}


class _LazyFinder:
    """Import finder for a few slow modules, which are executed when they are first used."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Spec of a module with a lazy loader."""
        spec = PathFinder.find_spec(name, path, target) if name in _LAZY else None
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


def prepare() -> None:
    """Prepare the process; to be called once, before slow imports."""
    gc.set_threshold(100_000)  # imported modules stay: looking for garbage in them takes an eighth of the start
    sys.meta_path.insert(0, _LazyFinder)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed, as by >&-
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 (open until the end)
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ESCAPED)


_NO_LIMIT = 100_000  # characters of a line
_BAR_WIDTH = 12
_EIGHTHS = " ▏▎▍▌▋▊▉"
_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))  # of a braille character
_EMPTY = 0x2800  # the braille character without dots
_PLAIN: dict[str, Any] = {"markup": False, "emoji": False, "highlight": False}


def one_line(text: str) -> str:
    """Text on one line, without control characters."""
    return escape_controls(" ".join(text.split()))


# ---------------------------------------------------------------------- standard error


@cache
def messages() -> Console:
    """Console of standard error; there is only one, so that lines do not mix with a progress bar."""
    from rich.console import Console

    class Messages(Console):
        def on_broken_pipe(self) -> None:
            self.quiet = True  # nobody reads it; the work continues

    stream = accept_any_text(sys.stderr)
    target = {"stderr": True} if stream is sys.stderr else {"file": stream}
    return Messages(**target, **_PLAIN)


def print_message(text: str, style: str = "") -> None:
    """Print one line to standard error."""
    with suppress(OSError):
        messages().print(one_line(text), style=style, soft_wrap=True)


def print_error(text: str) -> None:
    """Print the sentence that goes with exit code 2."""
    print_message(f"error: {text}", "red")


def spinner(text: str, *, quiet: bool = False) -> AbstractContextManager[Any]:
    """Spinner with a text while something takes time, if standard error is a terminal."""
    if quiet or not messages().is_terminal:
        return nullcontext()
    return messages().status(one_line(text), spinner="dots" if messages().encoding.startswith("utf") else "line")


class _LogHandler(logging.Handler):
    def __init__(self, describe: Callable[[str], str]) -> None:
        super().__init__()
        self._describe = describe

    def emit(self, record: logging.LogRecord) -> None:
        print_message(self._describe(record.getMessage()), "dim")


@contextmanager
def library_messages(describe: Callable[[Any], str]) -> Iterator[None]:
    """Print log messages and warnings of the library to standard error, in the words of ``describe``."""
    logger, handler = logging.getLogger("topicwright"), _LogHandler(describe)
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", TopicwrightWarning)
            warnings.simplefilter("ignore", StoppedWarning)  # commands print messages of their own
            warnings.showwarning = _WarningPrinter(describe)
            yield
    finally:
        logger.setLevel(level)
        logger.removeHandler(handler)


class _WarningPrinter:
    """Prints each warning of the library once; those of other packages are for developers."""

    def __init__(self, describe: Callable[[Any], str]) -> None:
        self.shown: set[str] = set()
        self._describe = describe

    def __call__(self, message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, TopicwrightWarning) and str(message) not in self.shown:
            self.shown.add(str(message))
            print_message(f"warning: {self._describe(message)}", "yellow")


# ---------------------------------------------------------------------- standard output


class _SafeTerminal:
    """Standard output if it is a terminal, without control characters."""

    encoding = "utf-8"

    def write(self, text: str) -> int:
        return sys.stdout.write(escape_controls(text))

    def writelines(self, lines: Iterator[str]) -> None:
        sys.stdout.writelines(map(escape_controls, lines))

    def flush(self) -> None:
        sys.stdout.flush()


def standard_output() -> TextIO:
    """Standard output; control characters are escaped if it is a terminal."""
    return _SafeTerminal() if sys.stdout.isatty() else sys.stdout  # type: ignore[return-value]


def show(*parts: RenderableType) -> None:
    """Print a result: fitted to a terminal, or as plain lines of any length for programs and files."""
    from rich.text import Text

    screen = _results(file=accept_any_text(sys.stdout))
    if screen.is_terminal:
        for part in parts:
            screen.print(part, soft_wrap=isinstance(part, (str, Text)))  # long lines can be copied
    else:
        accept_any_text(sys.stdout).write(plain_text(*parts))


def plain_text(*parts: RenderableType) -> str:
    """A result as text without colors, with lines of any length."""
    written = StringIO()
    console = _results(file=written, width=_NO_LIMIT, color_system=None)
    for part in parts:
        console.print(part)
    return "".join(line.rstrip() + "\n" for line in written.getvalue().splitlines())


def screen_width(default: int = 100) -> int:
    """Width of the terminal in characters."""
    screen = _results()
    return screen.width if screen.is_terminal else default


def has_colors() -> bool:
    """Whether results go to a terminal with colors."""
    screen = _results()
    return screen.is_terminal and screen.color_system is not None and not screen.no_color


def _results(**options: Any) -> Console:
    from rich.console import Console

    class Results(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Results(**_PLAIN, **options)


# ---------------------------------------------------------------------- tables and charts


def bar(share: float, width: int = _BAR_WIDTH) -> str:
    """Horizontal bar, exact to an eighth of a character.

    >>> bar(0.5, 4), bar(0.3, 4)
    ('██  ', '█▎  ')
    """
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + _EIGHTHS[rest] * (rest > 0)).ljust(width)


def fit_words(words: Sequence[str], width: int) -> list[str]:
    """The first words that fit into a line."""
    from rich.cells import cell_len

    fitting: list[str] = []
    for word in words:
        width -= cell_len(word) + bool(fitting)
        if width < 0:
            break
        fitting.append(word)
    return fitting


def topics_table(
    topics: Sequence[int],
    shares: Sequence[float],
    words: Sequence[Sequence[str]],
    *,
    more: Mapping[str, Sequence[str]] | None = None,
    figures: Collection[str] = (),
    width: int | None = None,
) -> Table:
    """Table of topics.

    Parameters
    ----------
    topics : list of int
        Numbers of the topics.
    shares : list of float
        Share of each topic.
    words : list of list of str
        Top words of each topic.
    more : mapping, optional
        Further columns by their head.
    figures : collection of str
        Heads of columns of numbers.
    width : int, optional
        Width of the table, so that each topic takes one line.
    """
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
            line = fit_words(line, width - _BAR_WIDTH - 17)
        cells = [Text(one_line(column[topic])) for column in columns.values()]
        table.add_row(str(topic), *cells, _share(shares[topic], largest), Text(" ".join(line)))
    return table


def facts_table(rows: Sequence[tuple[str, str, str]]) -> Table:
    """Table with rows of a name, a number and a remark."""
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


def curve(points: Sequence[tuple[float, float]], width: int, height: int) -> list[str]:
    """Line chart in braille characters through points that are ordered by x.

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
        for row in _connected_rows(before, here):
            cells[row // 4][column // 2] |= _DOTS[column % 2][row % 4]
        before = here
    return ["".join(chr(cell) if cell > _EMPTY else " " for cell in line) for line in cells]


def chart(points: Sequence[tuple[float, float]], width: int = 60, height: int = 5) -> list[str]:
    """Line chart with its lowest and highest value at the left, and its first and last x below."""
    ys = [y for _, y in points]
    top, bottom = f"{max(ys):.2f}", f"{min(ys):.2f}"
    margin = max(len(top), len(bottom))
    labels = [top, *[""] * (height - 2), bottom]
    rows = zip(labels, curve(points, width, height))
    lines = [f"{label:>{margin}} {'┤' if label else '│'}{line}" for label, line in rows]
    first, last = f"{points[0][0]:g}", f"{points[-1][0]:g}"
    return [*lines, f"{'':{margin}} ╰{'─' * width}", f"{'':{margin}}  {first}{last:>{width - len(first)}}"]


def _connected_rows(before: int | None, here: int) -> range:
    """Rows to mark in a column, so that a steep curve has no gaps."""
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
