"""Stores results in a folder, one file per entry, so that an interrupted run can be resumed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..common.base import write_json
from .entries import Entry


@dataclass(frozen=True)
class StoredResult:
    """What came of an entry: a result or an error."""

    command: str
    size: str
    cpu_seconds: float
    date: str
    result: dict[str, Any] | None = None
    error: str | None = None


def result_path(folder: Path, entry: Entry) -> Path:
    """Where an entry's result is."""
    return folder / f"{entry.name}.json"


def store(folder: Path, entry: Entry, kept: StoredResult) -> None:
    """Write a result, all or nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    write_json(result_path(folder, entry), asdict(kept))


def read(folder: Path, entry: Entry) -> StoredResult | None:
    """What was kept of an entry; None where there is nothing that can be read."""
    try:
        return StoredResult(**json.loads(result_path(folder, entry).read_text(encoding="utf8")))
    except (OSError, ValueError, TypeError):
        return None


def read_all(folder: Path, entries: Iterable[Entry]) -> dict[str, StoredResult]:
    """All that was kept, by name."""
    found = {entry.name: read(folder, entry) for entry in entries}
    return {name: kept for name, kept in found.items() if kept is not None}
