"""All knowledge of a model, judged: a row for each link, seed and label."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._warning import held_back
from .forbidden import ForbiddenWords
from .measuring import Case
from .missing import Missing
from .report import Row
from .seeds import SeedWords
from .topics import KnownTopics, TopicNames
from .words import CannotLinks, MustLinks

OF_WORDS = (MustLinks, CannotLinks, SeedWords, ForbiddenWords, KnownTopics, TopicNames)
"""Kinds that speak of no document."""


def measure(items: Iterable[Any], case: Case) -> tuple[list[Row], list[str]]:
    """What the method ``judge(case)`` of each kind gives, and notes on what could not be judged."""
    rows: list[Row] = []
    left_out: dict[str, str] = {}
    with held_back() as warned:  # of words that are not in the vocabulary
        for item in items:
            if isinstance(item, Missing):
                left_out[item.what] = "the model's file does not hold it"
            elif not hasattr(item, "judge"):
                left_out[type(item).__name__] = "no rule says when it holds"
            elif case.now.assignments is None and not isinstance(item, OF_WORDS):
                left_out[type(item).__name__] = "this model was saved without its documents"
            else:
                rows.extend(item.judge(case))
    notes = [f"{name} knowledge is not in this report: {reason}" for name, reason in left_out.items()]
    return rows, [*warned, *notes]
