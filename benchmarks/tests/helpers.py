"""What tests of the benchmarks share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rich.console import Console
from typer.testing import CliRunner

from benchmarks.commands import app
from benchmarks.common.figures import write
from benchmarks.common.tables import with_goals

WORDS = {
    "sport": ["goal", "team", "match", "score", "league", "coach"],
    "money": ["stock", "bond", "price", "market", "bank", "rate"],
    "sea": ["ship", "sail", "storm", "wave", "harbour", "anchor"],
}
NAMES = sorted(WORDS)


def printed(report: Any, result: Any) -> str:
    """All tables of a result, and its goals."""
    console = Console(width=240)
    with console.capture() as capture:
        for view in with_goals(report, result):
            console.print(view)
    return capture.get()


def call(kind: str, *arguments: Any) -> Any:
    """``python -m benchmarks``."""
    return CliRunner().invoke(app, [kind, *map(str, arguments)])


def check_comes_back(result: Any, report: Any, path: Path) -> None:
    """Saved results are equal after loading, and print the same."""
    result.save(path)
    written = json.loads(path.read_text())
    again = type(result).from_dict(written)
    assert json.loads(json.dumps(again.to_dict())) == written
    assert printed(report, again) == printed(report, result)


def images(plots: Any, result: Any, folder: Path) -> list[str]:
    """File names of the plots of a result."""
    written = write(plots.figures(result), folder)
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in written)
    return [path.stem for path in written]


def write_lines(corpus: Any, path: Path, **fields: list[Any]) -> Path:
    """A corpus as a file of documents; fields of a document are those of its row, again and again."""
    with path.open("w") as lines:
        for d in range(corpus.n_docs):
            record = {"text": " ".join(corpus.words(d)), "labels": (corpus.labels or ())[d]}
            record |= {name: values[d % len(values)] for name, values in fields.items()}
            lines.write(json.dumps(record) + "\n")
    return path
