"""Load what a run needs, and run it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from . import Options, loading, run
from .results import Result


def load_and_run(
    options: Options,
    sources: tuple[str | None, str | None, int, str],
    *,
    links: Path | None = None,
    baselines: Path | None = None,
    tell: Callable[[str], object],
) -> Result:
    """All parts on what the sources hold, which are those of ``load_corpora``."""
    links_corpus, labels_corpus = loading.load_corpora(*sources)
    found: list[loading.Link] = []
    if links_corpus is not None and options.need_links:
        tell("looking for links")
        if links is None:
            found = loading.find_links(links_corpus, options.n_links)
        else:
            found = loading.read_links(links, links_corpus)
    return run(
        options,
        links_corpus=links_corpus,
        labels_corpus=labels_corpus,
        links=found,
        baselines=loading.load_baselines(baselines),
        tell=tell,
    )
