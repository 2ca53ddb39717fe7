"""Sentences that summarize the figures of the paper on Online Labeled LDA."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...common.averages import median_or_none
from ...common.tables import number, percent
from ...online import paper
from ...online.batch import OURS
from ...online.peers import TomotopyLLDA
from ...online.points import CONVERGED, LONG
from ...online.streams import PAPER, STREAM
from ...online.topics import AGAIN, agreement

if TYPE_CHECKING:
    from ...online.results import OnlineResult


def topics(result: OnlineResult) -> list[str]:
    """How far methods agree with a batch."""
    shares = {name: agreement(result.topics, name, weighted=False) for name in (STREAM, PAPER.name, AGAIN)}
    shown = ", ".join(f"{name} {percent(share)}" for name, share in shares.items())
    return [f"Share of the ten top words of a label that are among those of the converged batch: {shown}."]


def points(result: OnlineResult) -> list[str]:
    """Perplexity and time at the last point."""
    last = result.ends()[-1]
    ratios = {name: result.perplexity_ratio(name, last) for name in (STREAM, PAPER.name)}
    below = [name for name, ratio in ratios.items() if ratio is not None and ratio < 1]
    shown = " and ".join(f"{number(ratio, 3)} ({name})" for name, ratio in ratios.items())
    comparison = f"better than the batch: {', '.join(below)}" if below else "neither is better than the batch"
    return [
        f"After {last:,} documents the stream's perplexity is {shown} times that of a converged batch; {comparison}. "
        f"The paper says: {paper.PERPLEXITY}",
        f"Batches of {result.parameters['sweeps']:,} sweeps at all points take "
        f"{number(result.speedup(LONG, STREAM, last), 1)} times as long as the stream, those that stop when converged "
        f"{number(result.speedup(CONVERGED, STREAM, last), 1)} times. The paper says: {paper.TIME}",
    ]


def speed(result: OnlineResult) -> list[str]:
    """Rates and growth."""
    sentences = []
    for variant in dict.fromkeys(row.variant for row in result.speed):
        rows = [row for row in result.speed if row.variant == variant]
        rate = median_or_none(row.rate for row in rows)
        growth = median_or_none(row.growth for row in rows)
        sentences.append(
            f"“{variant}”: {number(rate, 0)} tokens per second; a token in the last tenth costs {number(growth)} "
            "times as much as in the second."
        )
    return sentences


def million(result: OnlineResult) -> list[str]:
    """Growth of a long stream."""
    last = result.million[-1]
    return [
        f"After {last.n_docs:,} documents a token costs {number(median_or_none(row.growth for row in result.million))} "
        f"times what it cost in the second pass, and the model holds {number(last.state_bytes / 1e6, 0)} MB."
    ]


def labels(result: OnlineResult) -> list[str]:
    """Memory of many labels."""
    few, many = result.labels[0], result.labels[-1]
    return [
        f"{many.n_labels:,} labels: {number(many.pair_bytes[-1] / 1e6, 0)} MB, instead of "
        f"{number(many.full_bytes / 1e6, 0)} MB for counts of all labels and words; a pair takes "
        f"{number(many.bytes_of_a_pair, 0)} bytes, with {few.n_labels:,} labels {number(few.bytes_of_a_pair, 0)}."
    ]


def batch(result: OnlineResult) -> list[str]:
    """Compare with tomotopy."""
    rows = {row.program: row for row in result.batch}
    if TomotopyLLDA.name not in rows:
        return ["tomotopy is not installed."]
    ratio = rows[TomotopyLLDA.name].ratio(rows[OURS])
    return [f"With {rows[OURS].n_labels:,} labels a sweep of tomotopy takes {number(ratio, 1)} times as long as ours."]
