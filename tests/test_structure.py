"""Rules on names across the source tree."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import topicwright

SOURCE = Path(topicwright.__file__).parent
# Words in -ing that are nouns of the field.
NOUNS = {"formatting", "plotting", "resampling", "sampling", "sharding", "steering", "streaming", "training"}
PROTOCOLS = {"_replace", "_asdict", "_fields", "_repr_html_", "_repr_mimebundle_"}  # of named tuples and of IPython


def test_modules_are_nouns() -> None:
    names = {
        part.strip("_") for path in SOURCE.rglob("*.py") for part in path.relative_to(SOURCE).with_suffix("").parts
    }
    assert {"sharding", "word_links"} <= names
    assert {name for name in names if name.endswith("ing")} <= NOUNS


def test_no_class_name_is_defined_twice() -> None:
    defined = Counter(
        node.name
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert defined["LDA"] == 1
    assert [name for name, times in defined.items() if times > 1] == []


def test_private_attributes_of_models_are_used_in_models_only() -> None:
    trees = {path.relative_to(SOURCE): ast.parse(path.read_text()) for path in SOURCE.rglob("*.py")}
    private: dict[str, set[str]] = {}
    for path, tree in trees.items():
        private.setdefault(path.parts[0], set()).update(_private_members(tree))
    used = [
        f"{path}:{node.lineno}: {ast.unparse(node)}"
        for path, tree in trees.items()
        if path.parts[0] != "models"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in private["models"] - private[path.parts[0]] - PROTOCOLS
        if not (isinstance(node.value, ast.Name) and node.value.id == "self")
    ]
    assert used == [], "use models.fit_state or the public attributes of a model"


def _private_members(tree: ast.AST) -> Iterator[str]:
    """Names with one leading underscore that the classes of a module define or assign."""
    for owner in ast.walk(tree):
        if isinstance(owner, ast.ClassDef):
            for node in ast.walk(owner):
                yield from (name for name in _names_bound_by(node) if name.startswith("_") and name[1:2] != "_")


def _names_bound_by(node: ast.AST) -> list[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return [node.name]
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        return [node.attr]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def test_architecture_page_names_existing_files() -> None:
    page = (SOURCE.parent.parent / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8")
    files = [path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py")]
    source = "".join((SOURCE / file).read_text(encoding="utf-8") for file in files)
    missing = [
        named
        for named in re.findall(r"[\w/]+\.py\b", page)
        if not any(file == named or file.endswith(f"/{named}") for file in files) and not named.startswith("tests/")
    ]
    assert missing == []
    assert [name for name in re.findall(r"`@?(?:\w+\.)?(\w+)`", page) if not re.search(rf"\b{name}\b", source)] == []


def test_paths_of_tests_named_in_documents_and_scripts_exist() -> None:
    root = Path(__file__).parents[1]
    folders = ["scripts", ".ci", "docs", "tests", "benchmarks", "examples"]
    pages = [path for folder in folders for path in (root / folder).rglob("*") if path.suffix in {"", ".md", ".py"}]
    pages += [*root.glob("*.md"), root / "pyproject.toml", root / "mkdocs.yml"]
    named = {
        (page.relative_to(root).as_posix(), path)
        for page in pages
        if page.is_file()
        for path in re.findall(r"(?<![\w/.-])tests/[\w/.-]*[\w/]", page.read_text(encoding="utf-8"))
    }
    assert ("scripts/test", "tests/sampling") in named
    assert sorted(entry for entry in named if not (root / entry[1]).exists()) == []
