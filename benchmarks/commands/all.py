"""Command ``all``: every benchmark, and the pages about them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def benchmark_all(
    size: Annotated[str, typer.Option(help="tiny (a test), small (about 45 CPU minutes), or paper (hours).")] = "small",
    data: Annotated[
        Path | None,
        typer.Option(
            envvar="TOPICWRIGHT_DATA", file_okay=False, help="The folder with the corpora; missing ones are skipped."
        ),
    ] = None,
    results: Annotated[
        Path,
        typer.Option(file_okay=False, help="Folder of the results; an interrupted run is resumed."),
    ] = Path("benchmark-results"),
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="Run only these entries, even if they have results: a name such as sclda-table2, or a prefix."
        ),
    ] = None,
    measure: Annotated[bool, typer.Option(help="--no-measure writes the pages from existing results.")] = True,
    report: Annotated[
        Path | None, typer.Option(dir_okay=False, help="File of the reproduction page; plots are written next to it.")
    ] = None,
    peers: Annotated[
        Path | None,
        typer.Option(dir_okay=False, help="File of the comparison page. Default: peers.md next to it."),
    ] = None,
) -> None:
    """Run every table and figure of the three papers and the comparison with peers, and write the pages about them.

    Each entry has its own file of results. An entry that fails is reported, and run again the next time.

    Example: python -m benchmarks all --data corpora --results results --report docs/reproduction.md
    """
    from rich.console import Console

    from topicwright.errors import InputError

    from ..suite.catalogue import ENTRIES, select_entries
    from ..suite.entries import SIZES
    from ..suite.pages import write_pages
    from ..suite.results_store import read_all
    from ..suite.runner import run

    if size not in SIZES:
        raise InputError(parameter="size", expected=f"one of {', '.join(SIZES)}", got=size)
    if report is None and peers is not None:
        raise InputError("`peers` needs `report`, the file of the page on the papers")
    entries = select_entries(only or [])
    console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    if measure:
        rerun = [entry.name for entry in entries] if only else []
        run(entries, size, data, results, rerun=rerun, progress=console.print)
    if report is not None:
        absent = {entry.name: entry.missing(data) for entry in ENTRIES}
        write_pages(read_all(results, ENTRIES), report, peers or report.with_name("peers.md"), absent)
    failed = [name for name, kept in read_all(results, entries).items() if kept.error]
    if failed:
        console.print(f"Failed: {', '.join(failed)}")
        raise typer.Exit(1)
