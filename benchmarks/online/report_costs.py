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
        f"One thread, from lists of words, including resampling and redraws; medians over {result.runs}. A "
        "token-particle is one arriving token in one particle; redraws are not counted. Arrows go from the second "
        "tenth of the stream to the last. Growth: cost per token in the last tenth relative to the second tenth; a "
        "second stream, which has read only the first tenth, reads the second tenth in turns with it. Labels: mean "
        "number of possible labels of a token."
    )
    columns = ["particles", "tokens/s", "M token-particles/s", "redraws per token", "tokens per resampling"]
    table = view(
        f"Speed of the stream{result.size}", caption, "settings", [*columns, "ns per token", "growth", "labels"]
    )
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
        f"All documents repeatedly, each time with some new words and labels; {result.million[0].n_particles} "
        f"particles, default settings, medians over {result.runs}. Arrays: the state of all particles, including "
        "pairs and reservoir; arrays are doubled when they are full. Process: growth of its memory, including the "
        "names of words and labels and, in the last pass, the growth of the second stream. Growth: cost per token in "
        "the last pass relative to the second pass; a second stream, which has read only the first pass, reads the "
        "second pass in turns with it."
    )
    columns = ["documents", "words", "labels", "pairs", "ns per token", "growth", "arrays MB", "bytes per pair"]
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
        f"Three random labels per document, the same words; {first.n_particles} particles, default settings. Pairs: a "
        "label and a word that occurred together. Dense: counts of all labels and words. Arrays are doubled when "
        "they are full, so a pair may take up to twice its bytes. The paper has no such table."
    )
    columns = ["used", "pairs", "pairs MB", "bytes per pair", "dense MB", "share", "arrays MB", "ns per token"]
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
        "ratio: median of the ratios to ours in the same round."
    )
    table = view(f"A sweep of batch Labeled LDA{result.size}", caption, "program", ["CPU s", "ns per token", "ratio"])
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
