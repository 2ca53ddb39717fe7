"""Load what a run needs, run it with progress on standard error, and show and write what it found."""

from __future__ import annotations

from pathlib import Path

from ..tables import print_all
from . import Options, loading, plots, report, run
from .results import Result


def run_and_show(
    options: Options, source: loading.Source, *, json: Path | None = None, plot: Path | None = None
) -> Result:
    """The tables on standard output; JSON and plots where asked for."""
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        result = run(options, loading.load(source), tell=status.update)
    if json is not None:
        result.save(json)
    if plot is not None:
        plots.plot(result, plot)
    print_all(report.tables(result), result.notes)
    return result
