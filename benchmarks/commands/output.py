"""Run a benchmark with progress on standard error; print, save and plot its result."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from topicwright.errors import InputError

from ..common import figures as plotting
from ..common.tables import print_all, with_goals


def run_and_show(
    run: Callable[[Callable[[str], object]], Any],
    report: Any,
    figures: Callable[[Any], dict[str, Any]],
    *,
    json: Path | None = None,
    plot: Path | None = None,
) -> Any:
    """Print the tables of a run; write JSON and plots on request.

    Parameters
    ----------
    run : callable
        Called with a progress callback; returns a result.
    report : module
        Has ``tables``, and ``shown`` for the values of goals.
    figures : callable
        Returns the figures of a result by name.
    """
    from rich.console import Console

    if json is not None and not json.absolute().parent.is_dir():  # now, not when all has been measured
        raise InputError(parameter="json", expected="a file in an existing folder", got=str(json))
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
