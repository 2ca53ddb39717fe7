"""What people see: messages on standard error, results on standard output, and no raw control characters."""

from __future__ import annotations

import logging
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache
from io import StringIO
from typing import TYPE_CHECKING, Any, TextIO

from ..errors import StoppedWarning, TopicwrightWarning
from ._encoding import page

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

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
def speaking_library(worded: Callable[[str], str]) -> Iterator[None]:
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

    def __init__(self, worded: Callable[[str], str]) -> None:
        self.shown: set[str] = set()
        self._worded = worded

    def __call__(self, message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, TopicwrightWarning) and str(message) not in self.shown:
            self.shown.add(str(message))
            say(f"warning: {self._worded(str(message))}", "yellow")


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


def has_colours() -> bool:
    """Whether results go to a screen that shows colours, and nobody asked for none."""
    screen = _results()
    return screen.is_terminal and screen.color_system is not None and not screen.no_color


def _results(**options: Any) -> Console:
    from rich.console import Console

    class Results(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Results(**_PLAIN, **options)
