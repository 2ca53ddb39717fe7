"""What plain LDA beside other programs comes to, in sentences made from the figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...common.tables import number

if TYPE_CHECKING:
    from ...lda.results import LDAResult, ProgramRecord

OURS = "topicwright"


def lda(result: LDAResult) -> list[str]:
    """Speed, likelihood, perplexity and memory: ours and the best of the others."""
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
    return [f"Late in the run ours draws tokens, on one thread, {shown}."] if samplers else []


def _compare(
    what: str, ours: ProgramRecord, others: list[ProgramRecord], measure: str, digits: int, *, lowest: bool
) -> list[str]:
    known = {one.name: value for one in others if (value := one.final(measure)) is not None}
    own = ours.final(measure)
    if own is None or not known:
        return []
    best = (min if lowest else max)(known, key=lambda name: known[name])
    ahead = own < known[best] if lowest else own > known[best]
    place = "ours is ahead of all" if ahead else f"{best} is ahead of ours"
    return [
        f"At the end, {what}: ours {number(own, digits)}, the best of the others {number(known[best], digits)} "
        f"({best}); {place}."
    ]


def _passes(others: list[ProgramRecord]) -> list[str]:
    own = [one for one in others if one.variational]
    names = " and ".join(one.name for one in own)
    return [f"By then {names} had made {len(own[0].tracks[0].turns)} passes."] if own else []


def _memory(ours: ProgramRecord, others: list[ProgramRecord]) -> list[str]:
    known = {one.name: one.peak_memory for one in others if one.peak_memory is not None}
    if ours.peak_memory is None or not known:
        return []
    shown = ", ".join(f"{name} {number(size / 1e6, 0)} MB" for name, size in known.items())
    return [f"Memory beyond the corpus: ours {number(ours.peak_memory / 1e6, 0)} MB; {shown}."]


def threads(result: LDAResult) -> list[str]:
    """What more threads give."""
    sentences = []
    for one in result.contestants:
        if one.threads > 1:
            ratio = number(result.ratio(one, to=one.program))
            sentences.append(f"{one.program} on {one.threads} threads: {ratio} times as fast as on one, by wall clock.")
    return sentences
