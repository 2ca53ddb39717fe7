"""All entries, in the order in which they are run and stand in pages."""

from __future__ import annotations

from topicwright.errors import InputError

from .entries import Entry, Section
from .sections import medlda as of_medlda
from .sections import online as of_online
from .sections import peers as of_peers
from .sections import sclda as of_sclda

PAPERS: tuple[Section, ...] = (of_sclda.SECTION, of_medlda.SECTION, of_online.SECTION)
PEERS: Section = of_peers.SECTION
ENTRIES: tuple[Entry, ...] = tuple(entry for section in (*PAPERS, PEERS) for entry in section.entries)


def select_entries(names: list[str]) -> tuple[Entry, ...]:
    """The entries of these names, or that begin so; all of them where none is named.

    >>> [entry.name for entry in select_entries(["sclda-table"])]
    ['sclda-table2', 'sclda-table3']
    """
    unknown = [name for name in names if not any(entry.name.startswith(name) for entry in ENTRIES)]
    if unknown:
        known = ", ".join(entry.name for entry in ENTRIES)
        raise InputError(parameter="only", expected=f"some of {known}", got=", ".join(unknown))
    return tuple(entry for entry in ENTRIES if not names or entry.name.startswith(tuple(names)))
