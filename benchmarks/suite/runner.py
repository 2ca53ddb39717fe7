"""Runs entries, each in its own process, so that a failure affects no other entry."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from .entries import DATA, Entry, arguments
from .results_store import StoredResult, read, store

LONGEST_ERROR = 300  # characters
CHECKOUT = Path(__file__).resolve().parents[2]


def run(
    entries: Sequence[Entry],
    size: str,
    data: Path | None,
    folder: Path,
    *,
    rerun: Collection[str] = (),
    progress: Callable[[str], object] = lambda text: None,
) -> None:
    """Run entries that have no result of this size yet, and those to rerun; store results in the folder."""
    for number, entry in enumerate(entries):
        before = read(folder, entry)
        is_here = before is not None and before.error is None and before.command == entry.command(size)
        where = f"{number + 1} of {len(entries)}, {entry.name}"
        if is_here and entry.name not in rerun:
            progress(f"{where}: kept")
        elif missing := entry.missing(data):
            progress(f"{where}: skipped: {' and '.join(missing)} not found")
        else:
            assert data is not None  # or all would be missing
            progress(f"{where}: {entry.command(size)}")
            kept = measure(entry, size, data)
            store(folder, entry, kept)
            progress(f"{where}: failed: {kept.error}" if kept.error else f"{where}: {kept.cpu_seconds:.0f} CPU s")


def measure(entry: Entry, size: str, data: Path) -> StoredResult:
    """One entry: its command, and what it wrote or why it did not."""
    command, data, before = entry.command(size), data.resolve(), _cpu_of_children()
    with TemporaryDirectory(prefix="topicwright-") as folder:
        path = Path(folder) / "result.json"
        words = [sys.executable, "-m", "benchmarks", *arguments(command, data), "--json", str(path)]
        done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=CHECKOUT)
        what = (command, size, _cpu_of_children() - before, time.strftime("%Y-%m-%d"))
        if done.returncode != 0 or not path.is_file():
            return StoredResult(*what, error=_reason(done, data))
        return StoredResult(*what, result=json.loads(path.read_text(encoding="utf8")))


def _cpu_of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _reason(done: subprocess.CompletedProcess[str], data: Path) -> str:
    """End of the standard error of a process, without the path of the data."""
    lines = [line.strip(" │╭╮╰╯─") for line in done.stderr.splitlines()]
    message = " ".join(line for line in lines if line)[-LONGEST_ERROR:].replace(data.as_posix(), DATA)
    return message or f"exit code {done.returncode} without a message"
