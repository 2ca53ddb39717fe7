"""Each layer imports only from those above it, in the order in which docs/ARCHITECTURE.md lists them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import topicwright

PACKAGE = Path(topicwright.__file__).parent
PAGE = Path(__file__).parent.parent / "docs" / "ARCHITECTURE.md"
OUTSIDE = {"__init__", "__main__", "_version"}  # the package itself, which imports names lazily


def layers() -> dict[str, int]:
    """Row number in the table, by package or module."""
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    names = [re.findall(r"`(\w+)(?:/|\.py)`", row.split("|")[1]) for row in rows]
    return {name: number for number, row in enumerate(names) for name in row}


def imported(file: Path) -> Iterator[str]:
    """Packages and modules of topicwright that a file imports, also inside functions."""
    folder = file.relative_to(PACKAGE).parent.parts
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = folder[: len(folder) - node.level + 1]
            path = (*above, *(node.module.split(".") if node.module else ()))
            yield from [path[0]] if path else [name.name for name in node.names]


def by_full_name(file: Path) -> Iterator[str]:
    """Modules that a file imports by absolute name."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and not node.level:
            yield str(node.module)
        elif isinstance(node, ast.Import):
            yield from [name.name for name in node.names]


def of(file: Path) -> str:
    """Layer of a file."""
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    return parts[0]


FILES = sorted(file for file in PACKAGE.rglob("*.py") if of(file) not in OUTSIDE)


def test_architecture_page_lists_every_package() -> None:
    assert set(layers()) == set(map(of, FILES))


def test_internal_imports_are_relative() -> None:
    whole = {(file.name, name) for file in FILES for name in by_full_name(file)}
    assert ("random.py", "numpy") in whole
    assert not [found for found in whole if found[1].split(".")[0] == "topicwright"]


def test_imports_follow_the_layers() -> None:
    layer = layers()
    wrong = {
        (file.relative_to(PACKAGE).as_posix(), other)
        for file in FILES
        for other in imported(file)
        if other in layer and other != of(file) and layer[other] > layer[of(file)]
    }
    assert not wrong
