"""Tables of what the stream and the batch cost in time and memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeVar

from rich.table import Table

from ..common.averages import median_or_none
from ..common.tables import DASH, number, percent, view
from .batch import OURS
from .peers import TomotopyLLDA
from .speed import LAST, SECOND

if TYPE_CHECKING:
    from .results import OnlineResult

Row = TypeVar("Row")
Key = TypeVar("Key")
MEGA = 1e6


def speed(result: OnlineResult) -> Table:
    """What a token costs, early and late."""
    caption = (
        f"One thread, from lists of words; resampling and redraws included; medians over {result.runs}. A "
        "token-particle is a token that arrives, in one particle; redraws are not counted. → from the second tenth of "
        "the stream to the last. Growth: a token's cost in the last tenth to that in the second, which a stream that "
        "has read the first alone reads in turn with it. Labels: how many a token may have in the mean."
    )
    columns = ["particles", "tokens/s", "M token-particles/s", "redraws a token", "tokens a resampling"]
    table = view(f"Speed of the stream{result.size}", caption, "settings", [*columns, "ns a token", "growth", "labels"])
    for variant, rows in _by(result.speed, lambda row: row.variant).items():
        costs = [number(median_or_none(1e9 * row.cost(tenth) for row in rows), 0) for tenth in (SECOND, LAST)]
        table.add_row(
            variant,
            str(rows[0].n_particles),
            number(median_or_none(row.rate for row in rows), 0),
            number(median_or_none(row.rate * row.n_particles / MEGA for row in rows)),
            number(median_or_none(row.redraws for row in rows), 1),
            _per(rows[0].total, rows[0].n_resamplings),
            " → ".join(costs),
            number(median_or_none(row.growth for row in rows)),
            " → ".join(number(rows[0].labels(tenth)) for tenth in (SECOND, LAST)),
        )
    return table


def million(result: OnlineResult) -> Table:
    """A long stream, pass by pass."""
    caption = (
        f"All documents again and again, each time with some new words and labels; {result.million[0].n_particles} "
        f"particles, default settings, medians over {result.runs}. Arrays: all that particles know, pairs and "
        "reservoir included; rooms are doubled when they are full. Process: how much it has grown, with the names of "
        "words and labels and, in the last pass, the growth of the other stream. Growth: a token's cost in the last "
        "pass to that in the second, which another stream that has read the first alone reads in turn with it."
    )
    columns = ["documents", "words", "labels", "pairs", "ns a token", "growth", "arrays MB", "bytes a pair"]
    title = f"A stream of {result.million[-1].n_docs:,} documents that grows"
    table = view(title, caption, "pass", [*columns, "tokens in reservoir", "process MB"])
    for place, rows in _by(result.million, lambda row: row.number).items():
        first = rows[0]
        table.add_row(
            str(place + 1),
            *(f"{n:,}" for n in (first.n_docs, first.n_words, first.n_labels, first.n_pairs)),
            number(median_or_none(1e9 * row.cost for row in rows), 0),
            number(median_or_none(row.growth for row in rows)),
            number(first.state_bytes / MEGA, 1),
            _per(first.pair_bytes, first.n_pairs),
            f"{first.reservoir:,}",
            number(None if first.memory_growth is None else first.memory_growth / MEGA, 0),
        )
    return table


def labels(result: OnlineResult) -> Table:
    """Memory with many labels."""
    first = result.labels[0]
    caption = (
        f"Three labels a document, drawn by chance, the same words; {first.n_particles} particles, default settings. "
        "Pairs: of a label and a word that came up together. If full: counts of all labels and words. Rooms are "
        "doubled when they are full, so that a pair may take up to twice its bytes. The paper has no such table."
    )
    columns = ["came up", "pairs", "pairs MB", "bytes a pair", "if full, MB", "share", "arrays MB", "ns a token"]
    title = f"Many labels in a stream of {result.corpora['stream']['n_docs']:,} documents, {first.n_words:,} words"
    table = view(title, caption, "labels", columns)
    for n_labels, rows in _by(result.labels, lambda row: row.n_labels).items():
        row = rows[0]
        table.add_row(
            f"{n_labels:,}",
            f"{row.n_used:,}",
            f"{row.n_pairs[-1]:,}",
            number(row.pair_bytes[-1] / MEGA, 1),
            number(row.bytes_of_a_pair, 0),
            number(row.full_bytes / MEGA, 0),
            percent(row.pair_bytes[-1] / max(row.full_bytes, 1)),
            number(row.state_bytes[-1] / MEGA, 1),
            number(median_or_none(1e9 * one.cost for one in rows), 0),
        )
    return table


def batch(result: OnlineResult) -> Table:
    """Ours beside tomotopy."""
    own = result.parameters
    caption = (
        f"Medians over {own['rounds']} sweeps after {own['warm_up']} of warm-up, one thread, {result.runs}; "
        "ratio: the median of ratios to ours in the same round."
    )
    table = view(f"A sweep of batch Labeled LDA{result.size}", caption, "program", ["CPU s", "ns a token", "ratio"])
    rows = {row.program: row for row in result.batch}
    for name, row in rows.items():
        ratio = None if name == OURS else row.ratio(rows[OURS])
        table.add_row(name, number(row.median, 4), number(1e9 * row.median / row.n_tokens, 0), number(ratio, 1))
    if TomotopyLLDA.name not in rows:
        table.add_row(TomotopyLLDA.name, DASH, DASH, DASH)
    return table


def _by(rows: Iterable[Row], key: Callable[[Row], Key]) -> dict[Key, list[Row]]:
    """Runs of the same thing together."""
    groups: dict[Key, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def _per(total: float, n: int) -> str:
    return number(total / n, 1) if n else DASH
