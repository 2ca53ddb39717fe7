"""All entries, in the order in which they are run and stand in pages."""

from __future__ import annotations

from topicwright.errors import InputError

from . import sections_medlda as of_medlda
from . import sections_online as of_online
from . import sections_peers as of_peers
from . import sections_sclda as of_sclda
from .entries import Entry, Section

PAPERS: tuple[Section, ...] = (of_sclda.SECTION, of_medlda.SECTION, of_online.SECTION)
PEERS: Section = of_peers.SECTION
ENTRIES: tuple[Entry, ...] = tuple(entry for section in (*PAPERS, PEERS) for entry in section.entries)


def chosen(names: list[str]) -> tuple[Entry, ...]:
    """The entries of these names, or that begin so; all of them where none is named.

    >>> [entry.name for entry in chosen(["sclda-table"])]
    ['sclda-table2', 'sclda-table3']
    """
    unknown = [name for name in names if not any(entry.name.startswith(name) for entry in ENTRIES)]
    if unknown:
        known = ", ".join(entry.name for entry in ENTRIES)
        raise InputError(f"only must name some of {known}: got {', '.join(unknown)}")
    return tuple(entry for entry in ENTRIES if not names or entry.name.startswith(tuple(names)))
