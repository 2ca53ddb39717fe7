"""The reproduction page and the peers page, made from results: no figure in them was typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
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


def write_pages(results: Results, report: Path, peers: Path, absent: Mapping[str, list[str]]) -> None:
    """Both pages, and the plots beside the first; ``absent`` are files that entries miss here."""
    from topicwright._utils.atomic import atomic_write

    pages = {
        report: reproduction_page(results, report.parent, absent),
        peers: peers_page(results, peers.parent, absent),
    }
    for path, text in pages.items():
        with atomic_write(path) as file:
            file.write(text.encode())


def reproduction_page(results: Results, folder: Path, absent: Mapping[str, list[str]]) -> str:
    """Every table and figure of the three papers, theirs and ours."""
    entries = [entry for section in PAPERS for entry in section.entries]
    blocks = [words.REPRODUCTION, _how(results, entries), "## Goals", words.GOALS, _goals(results, entries)]
    for section in PAPERS:
        blocks += [f"## {section.title}", section.about, "### Table 1: the data", _data(section, results)]
        blocks += [
            _entry(entry, results.get(entry.name), folder, absent.get(entry.name, [])) for entry in section.entries
        ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def peers_page(results: Results, folder: Path, absent: Mapping[str, list[str]]) -> str:
    """Ours beside other programs."""
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
        blocks += [_list("What it says", entry.summarize(result)), _list("Notes", result.notes)]
    blocks.append(f"**Data.** {entry.data}")
    if entry.differs:
        blocks.append(f"**Method.** {entry.differs}")
    if kept is not None:
        blocks.append(f"```sh\n{kept.command}\n```")
        blocks.append(
            f"Measured on {kept.date}, {number(kept.cpu_seconds, 0)} CPU seconds in all.{_in_full(entry, kept)}"
        )
    return "\n\n".join(block for block in blocks if block)


def _in_full(entry: Entry, kept: StoredResult) -> str:
    """What a run as large as the paper's would have in its command."""
    if kept.command == entry.command("paper"):
        return ""
    own, whole = entry.sizes[kept.size], entry.sizes["paper"]
    if not whole:
        return f" With `--size paper` it goes without `{own}`."
    return f" With `--size paper` it has {f'in place of `{own}`' if own else 'more'}: `{whole}`."


def _why_not(kept: StoredResult | None, absent: list[str]) -> str:
    if kept is not None:
        return f"**Not measured**: the command failed: {kept.error}"
    if absent:
        return f"**Not measured**: the folder of corpora has no {' and no '.join(absent)}."
    return "**Not measured yet.**"


def _list(title: str, sentences: Sequence[str]) -> str:
    return "\n".join([f"**{title}.**", "", *(f"- {one}" for one in sentences)]) if sentences else ""


def _opened(entry: Entry, kept: StoredResult) -> tuple[Any, Any, Any]:
    """A result, the module of its tables, and what draws its figures."""
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
            f"- **Other work.** The machine's load was {number(min(loads), 1)} to {number(max(loads), 1)} when parts "
            "ended, one of which is the measurement itself."
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
        return "None was measured in this size."
    return f"{n_met} of {n_known} that were measured are met.\n\n{to_markdown(table)}"


def _data(section: Section, results: Results) -> str:
    """The corpora of a paper, and ours."""
    table = view("", None, "corpus", ["documents", "tokens", "words"])
    for name, sizes in section.data.items():
        table.add_row(f"the paper: {name}", *(number(size, 0) for size in sizes))
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
