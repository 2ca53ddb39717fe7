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

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        """Parse and run; a wrong option is one sentence."""
        try:
            code = super().main(*args, standalone_mode=False, **extra)
        except _UsageError as error:
            if type(error).__name__ != "NoArgsIsHelpError":  # the help was shown already
                complain(_sentence(error.format_message()))
            code = WRONG_USE
        if standalone_mode:
            sys.exit(code or 0)
        return code

    def invoke(self, ctx: Any) -> Any:
        """Run a verb; what the user can mend is one sentence, anything else is a bug and shows a traceback."""
        with speaking_library():
            try:
                result = super().invoke(ctx)
                sys.stdout.flush()
                return result
            except BrokenPipeError:  # as in `topicwright topics news.tw | head -1`
                code = BROKEN_PIPE
            except KeyboardInterrupt:
                complain("interrupted")
                code = INTERRUPTED
            except (TopicwrightError, OSError, MemoryError) as error:
                complain(_reason(error))
                code = WRONG_USE
            _forget_unwritten()
            raise typer.Exit(code)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return "there is not enough memory" if isinstance(error, MemoryError) else str(error)


def _sentence(text: str) -> str:
    return text[:1].lower() + text[1:].rstrip(".")


def _forget_unwritten() -> None:
    """Where standard output is broken, Python would complain of it once more at its exit."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
