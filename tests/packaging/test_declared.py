"""Declarations of pyproject.toml match the code and the documents."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

import topicwright

tomllib = pytest.importorskip("tomllib", reason="pyproject.toml is read with Python 3.11 or newer")

ROOT = Path(__file__).parents[2]
PACKAGE = Path(topicwright.__file__).parent
NAMES = {
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
    "prometheus_client": "prometheus-client",
}  # where the module has another name than its package
BROUGHT = {
    "starlette": "fastapi",
    "anyio": "fastapi",
    "llvmlite": "numba",
    "threadpoolctl": "scikit-learn",
}  # which come with another one
# Frames are detected by their attributes, and uvicorn imports its loop by name; the bound is the oldest tested version
BY_LOOKS = {"polars", "uvloop"}
NOT_INSTALLED = {"topicwright", "compression", "typing_extensions"}  # of Python 3.14; for type checkers, which know it


@pytest.fixture(scope="module")
def project() -> Any:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def packages(requirements: list[str]) -> set[str]:
    return {Requirement(line).name for line in requirements}


def imported() -> Iterator[tuple[Path, str]]:
    """Every package that a file imports, in functions too, by the name under which it is installed."""
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            modules: list[str] = []
            if isinstance(node, ast.Import):
                modules = [name.name for name in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                modules = [node.module or ""]
            for module in modules:
                top = module.split(".")[0]
                if top not in sys.stdlib_module_names | NOT_INSTALLED:
                    yield file, BROUGHT.get(top, NAMES.get(top, top))


def test_imported_packages_are_declared(project: Any) -> None:
    declared = packages(project["dependencies"])
    for extra, requirements in project["optional-dependencies"].items():
        declared |= packages(requirements) if extra not in {"dev", "docs"} else set()
    missing = {(str(file.relative_to(PACKAGE)), name) for file, name in imported() if name not in declared}
    assert not missing


def test_declared_packages_are_imported(project: Any) -> None:
    used = {name for _, name in imported()} | {"topicwright"} | BY_LOOKS
    extras = {extra: lines for extra, lines in project["optional-dependencies"].items() if extra not in {"dev", "docs"}}
    for extra, requirements in {"": project["dependencies"], **extras}.items():
        assert packages(requirements) <= used, extra


def test_errors_name_the_extra_of_the_package(project: Any) -> None:
    found = 0
    for file in PACKAGE.rglob("*.py"):
        for package, extra in re.findall(r'MissingExtraError\(\s*"([\w-]+)", "(\w+)"', file.read_text()):
            assert package in packages(project["optional-dependencies"][extra]), (file, package, extra)
            found += 1
    assert found > 10


def test_dependencies_have_a_lower_bound(project: Any) -> None:
    extras = project["optional-dependencies"]
    lines = [*project["dependencies"], *(line for extra in extras for line in extras[extra] if extra != "dev")]
    for line in lines:
        requirement = Requirement(line)
        if requirement.name != "topicwright":
            assert any(bound.operator == ">=" for bound in requirement.specifier), line


def test_classifiers_match_supported_python_versions(project: Any) -> None:
    told = [line.rpartition(" ")[2] for line in project["classifiers"] if "Python :: 3." in line]
    allowed = SpecifierSet(project["requires-python"])
    assert all(allowed.contains(version) for version in told)
    assert not allowed.contains(f"3.{int(told[0].split('.')[1]) - 1}")
    assert [int(version.split(".")[1]) for version in told] == list(range(10, 10 + len(told)))


def test_documents_name_this_version(project: Any) -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == topicwright.__version__
    assert citation["license"] == project["license"]
    assert citation["abstract"] == project["description"]
    assert re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.M)[1] == topicwright.__version__  # type: ignore[index]
    assert (ROOT / "LICENSE").read_text().startswith("MIT License")
    assert all(author["name"] in (ROOT / "LICENSE").read_text() for author in project["authors"])
