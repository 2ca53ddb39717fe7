"""Run with progress on standard error, and show and write what was found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from topicwright.errors import InputError

from . import figures as plotting
from .tables import print_all, with_goals


def run_and_show(
    run: Callable[[Callable[[str], object]], Any],
    report: Any,
    figures: Callable[[Any], dict[str, Any]],
    *,
    json: Path | None = None,
    plot: Path | None = None,
) -> Any:
    """The tables on standard output; JSON and plots where asked for. ``run`` is given whom to tell how far it is.

    ``report`` is a module with ``tables``, and with ``shown`` for the figures of goals.
    """
    from rich.console import Console

    if json is not None and not json.absolute().parent.is_dir():  # now, not when all has been measured
        raise InputError(f"--json must be a file in a folder that is there: got {json}")
    if plot is not None:
        plotting.new_figure()
    with Console(stderr=True).status("reading") as status:
        result = run(status.update)
    if json is not None:
        result.save(json)
    if plot is not None:
        plotting.write(figures(result), plot)
    print_all(with_goals(report, result), result.notes)
    return result
