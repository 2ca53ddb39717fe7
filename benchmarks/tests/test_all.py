"""``python -m benchmarks all``: every entry runs on made-up corpora, results are stored, and pages describe them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.assertions import raises_input
from typer.main import get_command
from typer.testing import CliRunner

from benchmarks.suite import runner as running
from benchmarks.suite.catalogue import ENTRIES, PAPERS, PEERS, select_entries
from benchmarks.suite.entries import SIZES, Entry, arguments
from benchmarks.suite.markdown import to_markdown
from benchmarks.suite.pages import write_pages
from benchmarks.suite.results_store import StoredResult, read, read_all, result_path, store
from benchmarks.suite.runner import run

from ..commands import app
from .tiny_corpora import write_all, write_texts

QUICK = "peers-labels"  # an entry that is soon done


def entry(name: str) -> Entry:
    (one,) = select_entries([name])
    return one


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_all(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def results(data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, StoredResult]:
    """Every entry, in this process."""
    pytest.importorskip("tomotopy")
    path = tmp_path_factory.mktemp("json") / "result.json"
    kept = {}
    for one in ENTRIES:
        done = CliRunner().invoke(app, [*arguments(one.command("tiny"), data), "--json", str(path)])
        assert done.exit_code == 0, (one.name, done.output)
        kept[one.name] = StoredResult(one.command("tiny"), "tiny", 1.0, "2026-01-01", json.loads(path.read_text()))
    return kept


@pytest.fixture(scope="module")
def pages(results: dict[str, StoredResult], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    pytest.importorskip("matplotlib")
    folder = tmp_path_factory.mktemp("pages")
    write_pages(results, folder / "reproduction.md", folder / "peers.md", {})
    for name in re.findall(r"\]\((images/[^)]+)\)", (folder / "reproduction.md").read_text()):
        assert (folder / name).read_bytes().startswith(b"\x89PNG")
    return {path.stem: path.read_text() for path in folder.glob("*.md")}


# ---------------------------------------------------------------------- pages


def test_pages_have_every_entry_with_its_table_and_command(pages: dict[str, str]) -> None:
    for page, sections in {"reproduction": PAPERS, "peers": (PEERS,)}.items():
        blocks = dict(re.findall(r"^##+ (.*?)$(.*?)(?=^##+ |\Z)", pages[page], re.DOTALL | re.MULTILINE))
        for one in (one for section in sections for one in section.entries):
            assert one.shows in " ".join(blocks[one.title].split())
            assert "| ---" in blocks[one.title]
            assert f"```sh\n{one.command('tiny')}\n```" in blocks[one.title]
            assert "Not measured" not in blocks[one.title]


def test_pages_show_figures_of_the_paper(pages: dict[str, str]) -> None:
    page = pages["reproduction"]
    assert "paper: NYT-News | 3,000,000 | 100,000,000 | 102,660" in page
    assert re.search(r"paper, 1,000 links \| 2\.50 \| 0\.62 \| 0\.56 \| 0\.56 \| 16\.7\s%", page)
    assert "ours: nips\\_uci | 90" in page
    assert page.count("![") >= 15


def test_sentences_are_made_from_figures(
    results: dict[str, StoredResult], pages: dict[str, str], tmp_path: Path
) -> None:
    """Another result makes another sentence."""
    assert "tomotopy takes 3.0 times as long" not in pages["peers"]
    other = json.loads(json.dumps(results[QUICK].result))
    ours, theirs = other["batch"]
    ours["seconds"], theirs["seconds"] = [[1.0, 1.0]], [[3.0, 3.0]]
    changed = {QUICK: replace(results[QUICK], result=other)}
    write_pages(changed, tmp_path / "r.md", tmp_path / "p.md", {})
    assert "tomotopy takes 3.0 times as long" in (tmp_path / "p.md").read_text()


def test_pages_explain_missing_results(tmp_path: Path) -> None:
    failed = {"sclda-table2": StoredResult("python -m benchmarks sclda", "small", 0.0, "2026-01-01", error="no words")}
    write_pages(failed, tmp_path / "r.md", tmp_path / "p.md", {"sclda-figure1": ["nips.txt.gz"]})
    page = (tmp_path / "r.md").read_text()
    assert "the command failed: no words" in page
    assert "the data folder has no nips.txt.gz." in page
    assert "**Not measured yet.**" in page


def test_every_entry_has_every_size_and_its_own_name() -> None:
    assert len({one.name for one in ENTRIES}) == len(ENTRIES)
    assert all(set(one.sizes) == set(SIZES) and one.files for one in ENTRIES)
    with raises_input("only", got="figure9"):
        select_entries(["figure9"])


@pytest.mark.parametrize("one", ENTRIES, ids=lambda one: one.name)
def test_commands_of_all_sizes_are_understood(one: Entry, data: Path) -> None:
    group: Any = get_command(app)
    for size in SIZES:
        kind, *words = arguments(one.command(size), data)
        group.commands[kind].make_context(kind, words)


def test_cells_can_not_break_a_table() -> None:
    from rich.table import Table

    table = Table("a\nb")
    table.add_row("x | *y*")
    assert to_markdown(table) == "| a b |\n| --- |\n| x \\| \\*y\\* |"


# ---------------------------------------------------------------------- runs


def test_run_stores_results_and_resumes(data: Path, tmp_path: Path) -> None:
    told: list[str] = []
    entries = select_entries([QUICK, "sclda-figure1"])
    store(
        tmp_path, entries[0], StoredResult(entries[0].command("tiny"), "tiny", 1.0, "2026-01-01", result={"kept": True})
    )
    run(entries, "tiny", data, tmp_path, progress=told.append)
    assert read(tmp_path, entries[0]).result == {"kept": True}  # type: ignore[union-attr]
    assert told[0] == "1 of 2, sclda-figure1: kept"
    fresh = read(tmp_path, entries[1])
    assert fresh is not None
    assert fresh.result is not None
    assert fresh.result["batch"]
    run(entries, "tiny", data, tmp_path, progress=told.append)
    assert told[-2:] == ["1 of 2, sclda-figure1: kept", f"2 of 2, {QUICK}: kept"]
    assert str(data) not in result_path(tmp_path, entries[1]).read_text()


def test_results_of_another_size_and_failures_are_rerun(tmp_path: Path) -> None:
    told: list[str] = []
    one = entry(QUICK)
    for kept in (
        StoredResult(one.command("small"), "small", 1.0, "", result={}),
        StoredResult(one.command("tiny"), "tiny", 1.0, "", error="x"),
    ):
        store(tmp_path, one, kept)
        run([one], "tiny", None, tmp_path, progress=told.append)
    result_path(tmp_path, one).write_text("{half of a fi")
    run([one], "tiny", None, tmp_path, progress=told.append)
    assert told == [f"1 of 1, {QUICK}: skipped: delicious.jsonl.xz not found"] * 3


def test_failure_is_reported_and_other_results_are_kept(data: Path, tmp_path: Path) -> None:
    """The second corpus is no corpus; a command in the shell ends with 1, and writes the pages."""
    pytest.importorskip("matplotlib")
    folder, results = tmp_path / "data", tmp_path / "results"
    folder.mkdir()
    write_texts(folder / "delicious.jsonl.xz", several=True)
    (folder / "reuters21578.jsonl.xz").write_text("no archive")
    options = ["--size", "tiny", "--data", str(folder), "--results", str(results), "--report", str(tmp_path / "r.md")]
    done = CliRunner().invoke(app, ["all", *options, "--only", "peers-labels", "--only", "peers-ranking-reuters"])
    assert done.exit_code == 1
    assert "Failed: peers-ranking-reuters" in done.stderr
    found = read_all(results, ENTRIES)
    assert found["peers-labels"].result is not None
    assert "reuters21578" in (found["peers-ranking-reuters"].error or "")
    page = (tmp_path / "peers.md").read_text()
    assert "the command failed" in page
    assert str(folder) not in page


def test_without_corpora_everything_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOPICWRIGHT_DATA", raising=False)
    done = CliRunner().invoke(app, ["all", "--results", str(tmp_path / "none")])
    assert done.exit_code == 0
    assert done.stderr.count("skipped: ") == len(ENTRIES)


def test_rejects_unknown_size(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["all", "--size", "huge", "--results", str(tmp_path)])
    assert done.exit_code == 2
    assert "--size must be one of tiny, small, paper: got 'huge'" in done.stderr


def test_rejects_page_of_peers_only(tmp_path: Path) -> None:
    options = ["--no-measure", "--results", str(tmp_path), "--peers", str(tmp_path / "p.md")]
    done = CliRunner().invoke(app, ["all", *options])
    assert done.exit_code == 2
    assert "--peers needs --report" in done.stderr


def test_missing_extra_is_reported_in_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Brackets are no markup."""
    one, said = entry(QUICK), "pip install 'topicwright[plots]'"
    monkeypatch.setattr(running, "measure", lambda *_: StoredResult(one.command("tiny"), "tiny", 1.0, "", error=said))
    for name in one.files:
        (tmp_path / name).touch()
    options = ["--size", "tiny", "--data", str(tmp_path), "--results", str(tmp_path / "results"), "--only", QUICK]
    done = CliRunner().invoke(app, ["all", *options])
    assert f"failed: {said}" in done.stderr
