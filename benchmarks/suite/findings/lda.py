"""Sentences that summarize the comparison of LDA programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...common.tables import number

if TYPE_CHECKING:
    from ...lda.results import LDAResult, ProgramRecord

OURS = "topicwright"


def lda(result: LDAResult) -> list[str]:
    """Speed, likelihood, perplexity and memory of Topicwright and of the best other program."""
    ours = result.find(OURS)
    others = [one for one in result.contestants if one.program != OURS and one.threads == 1]
    if ours is None or not others:
        return []
    return [
        *_speed(ours, others),
        *_compare("perplexity of held-out documents (lower is better)", ours, others, "perplexity", 0, lowest=True),
        *_compare("log p(w, z) per token (higher is better)", ours, others, "log_likelihood", 4, lowest=False),
        *_passes(others),
        *_memory(ours, others),
    ]


def _speed(ours: ProgramRecord, others: list[ProgramRecord]) -> list[str]:
    samplers = [one for one in others if not one.variational]
    ratios = {one.name: ours.rate(late=True) / one.rate(late=True) for one in samplers}
    shown = ", ".join(f"{number(ratio, 1)} times as fast as {name}" for name, ratio in ratios.items())
    return [f"Late in the run, on one thread, Topicwright samples {shown}."] if samplers else []


def _compare(
    what: str, ours: ProgramRecord, others: list[ProgramRecord], measure: str, digits: int, *, lowest: bool
) -> list[str]:
    known = {one.name: value for one in others if (value := one.final(measure)) is not None}
    own = ours.final(measure)
    if own is None or not known:
        return []
    best = (min if lowest else max)(known, key=lambda name: known[name])
    return [
        f"Final {what}: Topicwright {number(own, digits)}, {best} (best of the others) {number(known[best], digits)}."
    ]


def _passes(others: list[ProgramRecord]) -> list[str]:
    own = [one for one in others if one.variational]
    names = " and ".join(one.name for one in own)
    return [f"{names} made {len(own[0].tracks[0].turns)} passes in this time."] if own else []


def _memory(ours: ProgramRecord, others: list[ProgramRecord]) -> list[str]:
    known = {one.name: one.peak_memory for one in others if one.peak_memory is not None}
    if ours.peak_memory is None or not known:
        return []
    shown = ", ".join(f"{name} {number(size / 1e6, 0)} MB" for name, size in known.items())
    return [f"Memory without the corpus: Topicwright {number(ours.peak_memory / 1e6, 0)} MB; {shown}."]


def threads(result: LDAResult) -> list[str]:
    """Speedup by more threads."""
    sentences = []
    for one in result.contestants:
        if one.threads > 1:
            ratio = number(result.ratio(one, to=one.program))
            sentences.append(f"{one.program} on {one.threads} threads: {ratio} times as fast as on one (wall clock).")
    return sentences
