"""What came of a run: a table, and how to do again what went wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from .attack import BAD, Outcome, Try

_HEAD = ["attack", "tried", *(outcome.value for outcome in Outcome)]
_MOST = 10  # failures that are told in full


def table(counts: Mapping[str, Counter[Outcome]]) -> str:
    """The counts as a table, in Markdown."""
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


def failures(done: Sequence[Try]) -> str:
    """Every crash and loss: what it was, how to do it again, and what was said, once for each kind."""
    bad = [one for one in done if one.outcome in BAD]
    kinds: dict[tuple[str, str], list[Try]] = {}
    for one in bad:
        kinds.setdefault((one.attack, one.said.strip().rpartition("\n")[2]), []).append(one)
    told = []
    for (attack, _), ones in list(kinds.items())[:_MOST]:
        first = ones[0]
        told.append(f"{first.outcome.value}: {attack}, cases {', '.join(str(one.case) for one in ones)}: {first.what}")
        told.append(f"  again:  scripts/attack --only {attack} --seed {first.seed} --case {first.case}")
        told.append(first.said)
    return "".join(f"{line}\n" for line in told)
