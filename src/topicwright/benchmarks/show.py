"""Run with progress on standard error, and show and write what was found."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from .parts import PartsResult
from .tables import print_all

if TYPE_CHECKING:
    from rich.table import Table

Found = TypeVar("Found", bound=PartsResult)


def run_and_show(
    run: Callable[[Callable[[str], object]], Found],
    tables: Callable[[Found], Iterable[Table]],
    draw: Callable[[Found, Path], object],
    *,
    json: Path | None = None,
    plot: Path | None = None,
) -> Found:
    """The tables on standard output; JSON and plots where asked for. ``run`` is given whom to tell how far it is."""
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        result = run(status.update)
    if json is not None:
        result.save(json)
    if plot is not None:
        draw(result, plot)
    print_all(tables(result), result.notes)
    return result
