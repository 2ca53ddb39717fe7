"""The pages on the reproduction and on other tools, generated from results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from runpy import run_path
from typing import Any

from rich.table import Table

from ..common.base import Goal
from ..common.figures import write
from ..common.tables import number, view
from ..lda import LDAResult
from ..medlda import MedLDAResult
from ..online import OnlineResult
from ..sclda import SCLDAResult
from . import phrases as words
from .catalogue import PAPERS, PEERS
from .entries import SIZES, Entry, Section
from .markdown import to_markdown
from .results_store import StoredResult

Results = Mapping[str, StoredResult]
RESULT_TYPES: Mapping[str, Any] = {
    "lda": LDAResult,
    "sclda": SCLDAResult,
    "medlda": MedLDAResult,
    "online": OnlineResult,
}
IMAGES = "images/benchmarks"
ROOT = Path(__file__).resolve().parents[2]


def write_pages(results: Results, report: Path, peers: Path, absent: Mapping[str, list[str]]) -> None:
    """Write both pages, and the plots next to the first; ``absent`` are missing files by entry."""
    from topicwright._utils.atomic import atomic_write

    wrap = run_path(str(ROOT / "scripts/_prose.py"))["wrap"]  # one sentence per line
    pages = {
        report: reproduction_page(results, report.parent, absent),
        peers: peers_page(results, peers.parent, absent),
    }
    for path, text in pages.items():
        with atomic_write(path) as file:
            file.write(wrap(text).encode())


def reproduction_page(results: Results, folder: Path, absent: Mapping[str, list[str]]) -> str:
    """Return the page with every table and figure of the three papers."""
    entries = [entry for section in PAPERS for entry in section.entries]
    blocks = [words.REPRODUCTION, _how(results, entries), "## Goals", words.GOALS, _goals(results, entries)]
    for section in PAPERS:
        blocks += [f"## {section.title}", section.about, "### Table 1: the data", _data(section, results)]
        blocks += [
            _entry(entry, results.get(entry.name), folder, absent.get(entry.name, [])) for entry in section.entries
        ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def peers_page(results: Results, folder: Path, absent: Mapping[str, list[str]]) -> str:
    """Return the page that compares Topicwright with other tools."""
    blocks = [words.PEERS, _how(results, PEERS.entries), words.NOT_HERE]
    blocks += [
        _entry(entry, results.get(entry.name), folder, absent.get(entry.name, []), "##") for entry in PEERS.entries
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


# ---------------------------------------------------------------------- an entry


def _entry(entry: Entry, kept: StoredResult | None, folder: Path, absent: list[str], level: str = "###") -> str:
    blocks = [f"{level} {entry.title}", entry.shows]
    if kept is None or kept.result is None:
        blocks.append(_why_not(kept, absent))
    else:
        result, report, figures = _opened(entry, kept)
        blocks += [to_markdown(table, entry.leave_out) for table in report.tables(result)]
        for image in write(figures(result), folder / IMAGES, f"{entry.name}-"):
            blocks.append(f"![{entry.title}]({IMAGES}/{image.name})")
        blocks += [_list("Summary", entry.summarize(result)), _list("Notes", result.notes)]
    blocks.append(f"**Data.** {entry.data}")
    if entry.differs:
        blocks.append(f"**Method.** {entry.differs}")
    if kept is not None:
        blocks.append(f"```sh\n{kept.command}\n```")
        blocks.append(f"Measured on {kept.date} in {number(kept.cpu_seconds, 0)} CPU seconds.{_in_full(entry, kept)}")
    return "\n\n".join(block for block in blocks if block)


def _in_full(entry: Entry, kept: StoredResult) -> str:
    """The sentence on the command of a run of the paper's size."""
    if kept.command == entry.command("paper"):
        return ""
    own, whole = entry.sizes[kept.size], entry.sizes["paper"]
    if not whole:
        return f" With `--size paper`, the command does not have `{own}`."
    return f" With `--size paper`, the command {f'has `{whole}` instead of `{own}`' if own else f'also has `{whole}`'}."


def _why_not(kept: StoredResult | None, absent: list[str]) -> str:
    if kept is not None:
        return f"**Not measured**: the command failed: {kept.error}"
    if absent:
        return f"**Not measured**: the data folder has no {' and no '.join(absent)}."
    return "**Not measured yet.**"


def _list(title: str, sentences: Sequence[str]) -> str:
    return "\n".join([f"**{title}.**", "", *(f"- {one}" for one in sentences)]) if sentences else ""


def _opened(entry: Entry, kept: StoredResult) -> tuple[Any, Any, Any]:
    """A result, the module with its tables, and the function that draws its figures."""
    folder = f"benchmarks.{entry.kind}"
    report, plots = import_module(f"{folder}.report"), import_module(f"{folder}.plots")
    return RESULT_TYPES[entry.kind].from_dict(kept.result), report, plots.figures


# ---------------------------------------------------------------------- what entries share


def _how(results: Results, entries: Sequence[Entry]) -> str:
    """Size, machine and programs of the available results."""
    own = [results[entry.name] for entry in entries if entry.name in results]
    machines = [kept.result["machine"] for kept in own if kept.result is not None]
    if not machines:
        return "Nothing has been measured yet."
    sizes = sorted({kept.size for kept in own})
    versions = {name: version for one in machines for name, version in one["versions"].items()}
    loads = [one["load"][0] for one in machines if one["load"]]
    lines = [f"- **Size.** {size}: {SIZES[size]}." for size in sizes]
    here = {f"{one['processor']}, {one['cpus']} processors, Python {one['python']}" for one in machines}
    lines += [f"- **Machine.** {machine}." for machine in sorted(here)]
    lines.append(f"- **Programs.** {', '.join(f'{name} {version}' for name, version in sorted(versions.items()))}.")
    if loads:
        lines.append(
            f"- **Load.** The load of the machine was {number(min(loads), 1)} to {number(max(loads), 1)} at the end of "
            "the parts, including 1 for the measurement itself."
        )
    total = sum(kept.cpu_seconds for kept in own)
    lines.append(f"- **Time.** {number(total / 60, 0)} CPU minutes for this page.")
    return "\n".join(lines)


def _goals(results: Results, entries: Sequence[Entry]) -> str:
    """All goals that were measured."""
    table = Table("part", "what", "goal", "measured", "met")
    n_met, n_known = 0, 0
    for entry in entries:
        kept = results.get(entry.name)
        if kept is None or kept.result is None:
            continue
        result, report, _ = _opened(entry, kept)
        known: list[Goal] = [goal for goal in result.goals() if goal.met is not None]
        n_known, n_met = n_known + len(known), n_met + sum(bool(goal.met) for goal in known)
        for goal in known:
            sign = "≤" if goal.at_most else "≥"
            met = "yes" if goal.met else "no"
            table.add_row(
                entry.name, goal.what, f"{sign} {report.shown(goal, goal.aim)}", report.shown(goal, goal.value), met
            )
    if not n_known:
        return "No goal was measured in this size."
    return f"{n_met} of the {n_known} goals that were measured are met.\n\n{to_markdown(table)}"


def _data(section: Section, results: Results) -> str:
    """Table of the corpora of a paper and of ours."""
    table = view("", None, "corpus", ["documents", "tokens", "words"])
    for name, sizes in section.data.items():
        table.add_row(f"paper: {name}", *(number(size, 0) for size in sizes))
    rows: dict[tuple[str, int, int, int], None] = {}
    for entry in section.entries:
        kept = results.get(entry.name)
        for kind, sizes in (kept.result["corpora"] if kept is not None and kept.result else {}).items():
            stem = entry.files[0].split(".")[0] + (", two groups" if kind == "figure1" else "")
            n_docs = sizes["n_docs"] + sizes.get("n_test_docs", 0)
            n_tokens = sizes["n_tokens"] + sizes.get("n_test_tokens", 0)
            rows[stem, n_docs, n_tokens, sizes["n_words"]] = None
    for stem, *counts in rows:
        table.add_row(f"ours: {stem}", *(number(n, 0) for n in counts))
    return to_markdown(table)
