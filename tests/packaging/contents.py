"""Contents of the sdist and the wheel: ``scripts/packages`` runs ``python tests/packaging/contents.py dist``."""

from __future__ import annotations

import sys
import tarfile
import zipfile
from pathlib import Path

from packaging.metadata import Metadata
from packaging.utils import parse_sdist_filename, parse_wheel_filename

ROOT = Path(__file__).parents[2]
KINDS = {".py", ".typed", ".js", ".css", ".html"}
NEEDED = {"LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "SECURITY.md", "pyproject.toml"}
NEEDED |= {"scripts/test", "scripts/packages", "tests/conftest.py", "docs/index.md", "examples/repair_topics.py"}


def sources(root: Path) -> set[str]:
    """The files of the package in a tree, without what Python and Numba leave beside them."""
    files = (path.relative_to(root) for path in (root / "topicwright").rglob("*") if path.is_file())
    return {path.as_posix() for path in files if "__pycache__" not in path.parts}


def check_wheel(path: Path) -> None:
    """Python and data files alone, for every machine; all that the tree has, and nothing beside it."""
    name, version, _, tags = parse_wheel_filename(path.name)
    assert [str(tag) for tag in tags] == ["py3-none-any"], tags
    notes = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path) as archive:
        found = {file for file in archive.namelist() if not file.startswith(f"{notes}/")}
        metadata = Metadata.from_email(archive.read(f"{notes}/METADATA"))  # raises for what an index would refuse
        assert b"Root-Is-Purelib: true" in archive.read(f"{notes}/WHEEL")
        assert archive.read(f"{notes}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
        assert b"topicwright = topicwright.cli:main" in archive.read(f"{notes}/entry_points.txt")
    assert found == sources(ROOT / "src"), found ^ sources(ROOT / "src")
    assert {Path(file).suffix for file in found} == KINDS
    assert "topicwright/py.typed" in found
    assert (metadata.version, metadata.license_expression) == (version, "MIT")
    assert metadata.description == (ROOT / "README.md").read_text()
    assert metadata.description_content_type == "text/markdown"


def check_sdist(path: Path) -> None:
    """What it takes to build, test and read; nothing that was made on the way."""
    name, version = parse_sdist_filename(path.name)
    with tarfile.open(path) as archive:
        found = {file.removeprefix(f"{name}-{version}/") for file in archive.getnames()}
    assert found >= NEEDED, NEEDED - found
    assert found >= {f"src/{file}" for file in sources(ROOT / "src")}
    made = {file for file in found if "__pycache__" in file or file.split("/")[0] in {".venv", "build", "dist", ".git"}}
    assert not made, made


if __name__ == "__main__":
    sdist, wheel = sorted(Path(sys.argv[1]).glob("topicwright-*"), key=lambda path: path.suffix)
    check_sdist(sdist)
    check_wheel(wheel)
    for path in (sdist, wheel):
        print(f"  {path.name}, {path.stat().st_size // 1024} KiB")
