"""Every Python block of the documentation runs, in order, file by file; shell blocks have real commands and options."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "benchmarks/README.md")),
    *sorted((ROOT / "docs").glob("**/*.md")),
]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "python")], ids=name_of)
def test_python_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category=UserWarning)
        for block in blocks(page, "python"):
            exec(compile(block, str(page), "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_code_block_is_tested(page: Path) -> None:
    """Indented blocks and commands without a fence would not be tested."""
    text = page.read_text(encoding="utf-8")
    assert re.findall(r"^[ \t]+(?:```|topicwright |scripts/|python |pip )", text, re.MULTILINE) == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_shell_blocks_have_real_commands_and_options(page: Path) -> None:
    for block in blocks(page, "sh"):
        for line in block.replace("\\\n", " ").splitlines():
            words = re.split(r"\s(?:#|\|)", line)[0].split()
            if words and words[0] == "topicwright":
                assert unknown_to_the_command(words[1:]) == [], line
            for word in words:
                if word.startswith("scripts/") or word.endswith(".py"):
                    assert (ROOT / word).exists(), line


def unknown_to_the_command(words: list[str]) -> list[str]:
    """The command, if there is none of that name, or those options that it does not have."""
    from typer.main import get_command

    from topicwright.cli._app import app

    command: Any = get_command(app)
    while hasattr(command, "commands") and words and not words[0].startswith("-"):
        if words[0] not in command.commands:
            return [words[0]]
        command, words = command.commands[words[0]], words[1:]
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    options = [word.split("=")[0] for word in words if re.match(r"--?[a-zA-Z]", word)]
    return [option for option in options if option not in known | {"--help"}]


def test_check_detects_unknown_commands() -> None:
    assert unknown_to_the_command(["fit", "texts.jsonl", "--topics", "5", "-o", "x.tw"]) == []
    assert unknown_to_the_command(["fit", "texts.jsonl", "--topix", "5"]) == ["--topix"]
    assert unknown_to_the_command(["feet"]) == ["feet"]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_names_in_the_text_exist(page: Path) -> None:
    import topicwright

    for name in set(re.findall(r"(?<![\w.])tw\.([A-Za-z]\w*(?:\.[A-Za-z]\w*)?)", page.read_text(encoding="utf-8"))):
        found: Any = topicwright
        for part in name.split("."):
            assert hasattr(found, part), f"tw.{name}"
            found = getattr(found, part)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_between_pages_resolve(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


def test_readme_links_resolve() -> None:
    """The README is not part of the site, whose links are checked by its build."""
    found = re.findall(r"\]\(([^)#]+\.md)#([^)]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert found
    for target, anchor in found:
        headings = re.findall(r"^#+ (.*)$", (ROOT / target).read_text(encoding="utf-8"), re.MULTILINE)
        assert anchor in [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings], target


def test_mathematics_names_existing_code_and_tests() -> None:
    """Every file, function and test of the tables exists."""
    page = (ROOT / "docs/mathematics.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("|") and ("test_" in line or ".py`" in line)]
    assert len(rows) > 25
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    for name in set(re.findall(r"`([^`]+)`", "".join(rows))):
        path, _, function = name.rpartition("::") if "::" in name else (name, "", "") if "/" in name else ("", "", name)
        if path:
            found = [
                root
                for root in ("src/topicwright", "tests", "tests/sampling/particle_filter")
                if (ROOT / root / path).exists()
            ]
            assert found, name
        if function.startswith("test_") and not function.endswith(".py"):
            assert f"def {function}(" in tests, name
        elif function and not function.endswith((".py", "/")) and function.isidentifier():
            assert re.search(rf"(?:def|class) {function}\b", source), name
