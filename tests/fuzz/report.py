"""Report of a run: a table of outcomes, and commands that reproduce failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from .attack import BAD, Outcome, Trial

_HEAD = ["attack", "tried", *(outcome.value for outcome in Outcome)]
_MOST = 10  # failures that are printed in full


def table(counts: Mapping[str, Counter[Outcome]]) -> str:
    """Markdown table of the outcomes."""
    total = sum(counts.values(), Counter[Outcome]())
    rows = [_HEAD, *(_row(name, own) for name, own in counts.items()), _row("all", total)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(_HEAD))]
    lines = [_line(row, widths) for row in rows]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join([lines[0], _line(rule, widths), *lines[1:]]) + "\n"


def _row(name: str, counts: Counter[Outcome]) -> list[str]:
    return [name, f"{sum(counts.values()):,}", *(f"{counts[outcome]:,}" for outcome in Outcome)]


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *numbers = (
        cell.ljust(width) if not n else cell.rjust(width) for n, (cell, width) in enumerate(zip(row, widths))
    )
    return f"| {' | '.join([first, *numbers])} |"


def failures(done: Sequence[Trial]) -> str:
    """Crashes and losses, one of each kind: the case, the command that reproduces it, and its message."""
    bad = [one for one in done if one.outcome in BAD]
    kinds: dict[tuple[str, str], list[Trial]] = {}
    for one in bad:
        kinds.setdefault((one.attack, one.message.strip().rpartition("\n")[2]), []).append(one)
    report = []
    for (attack, _), ones in list(kinds.items())[:_MOST]:
        first = ones[0]
        report.append(
            f"{first.outcome.value}: {attack}, cases {', '.join(str(one.case) for one in ones)}: {first.description}"
        )
        report.append(f"  again:  scripts/attack --only {attack} --seed {first.seed} --case {first.case}")
        report.append(first.message)
    return "".join(f"{line}\n" for line in report)
