"""Errors become one sentence and an exit code: 2 for wrong use and bad input, 130 for Ctrl-C."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any

import typer
from typer.core import TyperGroup

from ..errors import TopicwrightError
from ._console import complain, speaking_library

WRONG_USE, INTERRUPTED, BROKEN_PIPE = 2, 130, 141
_UsageError: Any = typer.BadParameter.__mro__[1]  # click's, which typer keeps in another place with each version


class Commands(TyperGroup):
    """The verbs, and what happens when one of them fails."""

    def main(self, args: Any = None, *, standalone_mode: bool = True, **extra: Any) -> Any:  # type: ignore[override]
        """Parse and run; what the user can mend is one sentence, anything else is a bug and shows a traceback."""
        with speaking_library():
            try:
                code = super().main(args, standalone_mode=False, **extra)
                sys.stdout.flush()
            except (BrokenPipeError, SystemExit):  # as in `topicwright topics news.tw | head -1`; typer and rich exit
                code = BROKEN_PIPE
            except _UsageError as error:
                _explain(error)
                code = WRONG_USE
            except (TopicwrightError, OSError, MemoryError) as error:
                complain(_reason(error))
                code = WRONG_USE
        _forget_unwritten()
        if standalone_mode:
            sys.exit(code or 0)
        return code

    def invoke(self, ctx: Any) -> Any:
        """Run a verb; typer itself would say nothing of Ctrl-C."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            complain("interrupted")
            raise typer.Exit(INTERRUPTED) from None


def _explain(error: Any) -> None:
    if type(error).__name__ != "NoArgsIsHelpError":  # its help was shown already
        message = error.format_message()
        complain(message[:1].lower() + message[1:].rstrip("."))


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return "there is not enough memory" if isinstance(error, MemoryError) else str(error)


def _forget_unwritten() -> None:
    """Where standard output is broken, Python would complain of it once more at its exit."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
