"""How far knowledge holds in a model, as a table to read, in a terminal, a notebook or a program."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

from .._utils.formatting import align_columns, plain_html_table
from ..errors import MissingExtraError

TOGETHER = 0.5
"""Words, documents and topics that are to be together are, from this share on."""
APART = 0.1
"""A cannot-link holds up to this share."""
_SHOWN = 20


class TopicFraction(NamedTuple):
    """A topic, and the share of something that it carries."""

    topic: int
    name: str | None
    share: float

    def __str__(self) -> str:
        return f"{self.topic if self.name is None else self.name} ({self.share:.0%})"


class Row(NamedTuple):
    """One piece of knowledge.

    ``before`` and ``now`` are shares from 0 to 1, without knowledge and with it. They are NaN where there are no
    tokens; ``before`` is None where there is nothing to compare with, ``satisfied`` where nothing can be told.
    """

    kind: str
    what: str
    before: float | None
    now: float
    satisfied: bool | None
    topics: tuple[TopicFraction, ...]


@dataclass(frozen=True, repr=False)
class KnowledgeReport:
    """How far each piece of knowledge holds: ``print`` it, or take its rows.

    The figure of a link is the overlap Σ_k min(p(k|a), p(k|b)) of the topics of its two words or documents: 1 where
    they are the same, 0 where they share none. A must-link holds from 0.5 on, a cannot-link up to 0.1. The figure of a
    seed is the share of its tokens in its topics: it holds from 0.5 on, a hard one where all are there that labels do
    not claim. The figure of a label is the share of its tokens in the topics that it allows, which is all of them
    unless labels of sentences say otherwise.

    Without knowledge the numbers of topics mean nothing: there a seed is looked for in the topic that holds most of the
    seeds of its own topic, and labels are not compared.

    Attributes
    ----------
    rows : list of Row
        One for each link, each seed word and each label: kind, what, before, now, satisfied, topics.
    contradictions : tuple of str
        Which pieces can't all hold, in sentences.
    notes : tuple of str
        What could not be judged, in sentences.
    """

    rows: list[Row]
    contradictions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def satisfied(self) -> dict[str, int]:
        """How many pieces of each kind hold."""
        return self._counted(True)

    @property
    def violated(self) -> dict[str, int]:
        """How many pieces of each kind do not hold."""
        return self._counted(False)

    @property
    def has_before(self) -> bool:
        """Whether there is something to compare with."""
        return any(row.before is not None for row in self.rows)

    def summary(self) -> list[str]:
        """One sentence for each kind."""
        return [self.summary_of(kind) for kind in self.satisfied]

    def summary_of(self, kind: str) -> str:
        """How many pieces of a kind hold, and their mean."""
        rows = [row for row in self.rows if row.kind == kind]
        told = [row for row in rows if row.satisfied is not None]
        sentence = f"{kind}: {self.satisfied[kind]:,} of {len(told):,} hold"
        if told:
            sentence += f", {sum(row.now for row in told) / len(told):.2f} on average"
        old = [row.before for row in told if row.before is not None and not math.isnan(row.before)]
        if old:
            sentence += f" ({sum(old) / len(old):.2f} without knowledge)"
        untold = len(rows) - len(told)
        return sentence + (f"; {untold:,} can't be told, for want of tokens" if untold else "")

    def first(self, kind: str, n: int | None = _SHOWN) -> list[Row]:
        """The rows of a kind, those that do not hold first."""
        order = {False: 0, None: 1, True: 2}
        return sorted((row for row in self.rows if row.kind == kind), key=lambda row: order[row.satisfied])[:n]

    def to_dict(self) -> dict[str, Any]:
        """All of it as what JSON can hold; NaN becomes None."""
        rows = [
            {
                **row._asdict(),
                "before": _or_none(row.before),
                "now": _or_none(row.now),
                "topics": [carrier._asdict() for carrier in row.topics],
            }
            for row in self.rows
        ]
        return {
            "satisfied": self.satisfied,
            "violated": self.violated,
            "contradictions": list(self.contradictions),
            "notes": list(self.notes),
            "rows": rows,
        }

    def to_frame(self) -> Any:
        """The rows as a pandas data frame; ``topics`` holds numbers, the largest share first."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtraError("pandas", "files", "a report as a data frame") from None
        rows = [(*row[:-1], tuple(carrier.topic for carrier in row.topics)) for row in self.rows]
        return pd.DataFrame(rows, columns=list(Row._fields))

    def __repr__(self) -> str:
        against = [f"{len(self.contradictions):,} contradictions"] if self.contradictions else []
        return f"<KnowledgeReport: {'; '.join([*(self.summary() or self._sentences()[:1]), *against])}>"

    def __str__(self) -> str:
        blocks = [*(_block(self, kind) for kind in self.satisfied), "\n".join(self._sentences())]
        return "\n\n".join(filter(None, blocks))

    def _repr_html_(self) -> str:
        parts = [_html(self, kind) for kind in self.satisfied]
        return "".join([*parts, *(f"<p>{escape(sentence)}</p>" for sentence in self._sentences())])

    def _sentences(self) -> list[str]:
        said = [*(f"contradiction: {sentence}" for sentence in self.contradictions), *self.notes]
        return said if said or self.rows else ["this model has no knowledge"]

    def _counted(self, satisfied: bool) -> dict[str, int]:
        counts = Counter(row.kind for row in self.rows if row.satisfied is satisfied)
        return {kind: counts[kind] for kind in dict.fromkeys(row.kind for row in self.rows)}


def cells(row: Row, has_before: bool) -> list[str]:
    """A row as it is shown: whether it holds, what it is, its shares, its topics."""
    holds = {True: "yes", False: "no", None: "–"}[row.satisfied]
    before = [_shown(row.before)] if has_before else []
    return [holds, row.what, *before, _shown(row.now), ", ".join(map(str, row.topics))]


def heads(has_before: bool) -> list[str]:
    """The heads of the columns of ``cells``."""
    return ["holds", "what", *["before"] * has_before, "now", "topics"]


def rest(report: KnowledgeReport, kind: str, n: int) -> str:
    """A line about the rows that are not shown."""
    hidden = [row for row in report.rows if row.kind == kind][n:]
    if not hidden:
        return ""
    shown_violated = sum(row.satisfied is False for row in report.first(kind, n))
    violated = report.violated[kind] - shown_violated
    return f"… and {len(hidden):,} more" + (f", {violated:,} of which do not hold" if violated else "")


def _block(report: KnowledgeReport, kind: str) -> str:
    more = rest(report, kind, _SHOWN)
    lines = [*align_columns(_table(report, kind)), *[more] * bool(more)]
    return "\n".join([report.summary_of(kind), *(f"  {line}" for line in lines)])


def _html(report: KnowledgeReport, kind: str) -> str:
    more = rest(report, kind, _SHOWN)
    table = plain_html_table(_table(report, kind))
    return f"<p><b>{escape(report.summary_of(kind))}</b></p>{table}" + (f"<p>{escape(more)}</p>" if more else "")


def _table(report: KnowledgeReport, kind: str) -> list[list[str]]:
    return [heads(report.has_before), *(cells(row, report.has_before) for row in report.first(kind))]


def _shown(share: float | None) -> str:
    if share is None:
        return "–"
    return "no tokens" if math.isnan(share) else f"{share:.2f}"


def _or_none(share: float | None) -> float | None:
    return None if share is None or math.isnan(share) else share
