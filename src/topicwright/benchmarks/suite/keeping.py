"""Results in a folder, one file for each entry, so that a stopped run goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..._replacing import replacing
from .entries import Entry


@dataclass(frozen=True)
class Kept:
    """What came of an entry: a result or an error."""

    command: str
    size: str
    cpu_seconds: float
    date: str
    result: dict[str, Any] | None = None
    error: str | None = None


def path_of(folder: Path, entry: Entry) -> Path:
    """Where an entry's result is."""
    return folder / f"{entry.name}.json"


def keep(folder: Path, entry: Entry, kept: Kept) -> None:
    """Write a result, all or nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(path_of(folder, entry)) as file:
        file.write((json.dumps(asdict(kept), indent=1) + "\n").encode())


def read(folder: Path, entry: Entry) -> Kept | None:
    """What was kept of an entry; None where there is nothing that can be read."""
    try:
        return Kept(**json.loads(path_of(folder, entry).read_text(encoding="utf8")))
    except (OSError, ValueError, TypeError):
        return None


def read_all(folder: Path, entries: Iterable[Entry]) -> dict[str, Kept]:
    """All that was kept, by name."""
    found = {entry.name: read(folder, entry) for entry in entries}
    return {name: kept for name, kept in found.items() if kept is not None}


def loaded(kind: str, data: dict[str, Any]) -> Any:
    """A result as the benchmark of this kind has it."""
    from .. import medlda, online, results, sclda

    classes: dict[str, Callable[[dict[str, Any]], Any]] = {
        "lda": results.Result.from_dict,
        "sclda": sclda.Result.from_dict,
        "medlda": medlda.Result.from_dict,
        "online": online.Result.from_dict,
    }
    return classes[kind](data)
