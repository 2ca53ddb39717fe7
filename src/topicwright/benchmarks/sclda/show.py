"""Load what a run needs, run it with progress on standard error, and show and write what it found."""

from __future__ import annotations

from pathlib import Path

from ..tables import print_all
from . import Options, loading, plots, report, run
from .results import Result


def run_and_show(
    options: Options,
    sources: tuple[str | None, str | None, int, str],
    *,
    links: Path | None = None,
    baselines: Path | None = None,
    json: Path | None = None,
    plot: Path | None = None,
) -> Result:
    """The tables on standard output; JSON and plots where asked for. The sources are those of ``load_corpora``."""
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        links_corpus, labels_corpus = loading.load_corpora(*sources)
        found: list[loading.Link] = []
        if links_corpus is not None:
            status.update("looking for links")
            if links is None:
                found = loading.find_links(links_corpus, options.n_links)
            else:
                found = loading.read_links(links, links_corpus)
        result = run(
            options,
            links_corpus=links_corpus,
            labels_corpus=labels_corpus,
            links=found,
            baselines=loading.load_baselines(baselines),
            tell=status.update,
        )
    if json is not None:
        result.save(json)
    if plot is not None:
        plots.plot(result, plot)
    print_all(report.tables(result), result.notes)
    return result
