"""Knowledge report: how far knowledge holds in a trained model, as text, HTML, data or a data frame."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

from .._utils.formatting import align_columns, plain_html_table
from .._utils.table import data_frame

TOGETHER = 0.5
"""Share from which a must-link, a document link, a seed or a known topic holds."""
APART = 0.1
"""Share up to which a cannot-link holds."""
_MAX_ROWS = 20  # of each kind, in text and HTML
_MAX_ADVICE = 10  # of each kind
_MAX_NAMES = 3  # rows with the same advice


class TopicFraction(NamedTuple):
    """Topic and its share of the tokens of a word, document or label."""

    topic: int
    name: str | None
    share: float

    def __str__(self) -> str:
        return f"{self.topic if self.name is None else self.name} ({self.share:.0%})"


class ReportRow(NamedTuple):
    """Row of the report: one link, one word, one label, one topic or one document.

    Attributes
    ----------
    kind : str
        Key of the knowledge kind: "must-links".
    what : str
        The link, word, label, topic or document.
    before, now : float
        Shares from 0 to 1, in the model without knowledge and in the model with it. NaN if there are no tokens;
        ``before`` is None if there is nothing to compare with.
    satisfied : bool or None
        Whether it holds; None if there are no tokens.
    topics : tuple of TopicFraction
        Topics with the largest shares.
    advice : str
        What the item costs, why it does not hold, or what to change; empty if there is nothing to say.
    """

    kind: str
    what: str
    before: float | None
    now: float
    satisfied: bool | None
    topics: tuple[TopicFraction, ...]
    advice: str = ""


class KnowledgeCost(NamedTuple):
    """What knowledge cost the model as a whole, compared with the model without knowledge.

    Attributes
    ----------
    perplexity : pair of float
        Perplexity of the training documents by completion, without knowledge and with it; lower is better. Beyond
        5,000 documents, of as many evenly spaced ones.
    perplexity_noise : float
        Relative change of the perplexity that another random seed may cause.
    coherence : pair of float
        Mean coherence (NPMI) of the topics in the training documents, likewise; higher is better.
    coherence_noise : float
        Change of the coherence that another random seed may cause.
    """

    perplexity: tuple[float, float]
    perplexity_noise: float
    coherence: tuple[float, float]
    coherence_noise: float

    @property
    def perplexity_change(self) -> float:
        """Relative change of the perplexity."""
        before, now = self.perplexity
        return now / before - 1

    @property
    def coherence_change(self) -> float:
        """Change of the coherence."""
        before, now = self.coherence
        return now - before

    def __str__(self) -> str:
        worse = self.perplexity_change > self.perplexity_noise or -self.coherence_change > self.coherence_noise
        better = -self.perplexity_change > self.perplexity_noise or self.coherence_change > self.coherence_noise
        outcome = {
            (True, False): "knowledge has a cost",
            (True, True): "knowledge has a cost and a gain",
            (False, True): "knowledge improves the topics",
            (False, False): "knowledge has no clear cost",
        }[worse, better]
        return (
            f"{outcome}: perplexity {self.perplexity[0]:,.0f} → {self.perplexity[1]:,.0f} "
            f"({_signed(self.perplexity_change, '.1%')}), coherence (NPMI) {_signed(self.coherence[0], '.3f', '')} → "
            f"{_signed(self.coherence[1], '.3f', '')}; "
            f"another random seed may change them by {self.perplexity_noise:.1%} and {self.coherence_noise:.3f}"
        )


def _signed(number: float, form: str, plus: str = "+") -> str:
    text = format(abs(number), form)
    return ("−" if number < 0 and text.strip("0.%") else plus) + text


@dataclass(frozen=True, repr=False)
class KnowledgeReport:
    """Report of how far knowledge holds in a trained model. ``print`` it, or use its rows.

    The figure of a link is the overlap Σ_k min(p(k|a), p(k|b)) of the topics of its two words or documents: 1 if they
    are the same, 0 if they have none in common. A must-link holds from 0.5 on, a cannot-link up to 0.1. The figure of a
    seed is the share of its tokens in its topics: it holds from 0.5 on, a hard seed or a background word only if all
    tokens that labels do not claim are there. A seed does not hold if its topic has hardly any other words. The figure
    of a label is the share of its tokens in the topics that it allows, which is 1 unless sentence labels claim some of
    them.

    Topic numbers differ between the models with and without knowledge. In the model without knowledge, a seed is
    therefore compared with the topic that contains most of the seeds of its topic, and labels are not compared.

    Attributes
    ----------
    rows : list of ReportRow
        One row for each link, seed word, label and so on: kind, what, before, now, satisfied, topics, advice.
    contradictions : tuple of str
        Messages about knowledge that cannot all hold.
    notes : tuple of str
        Messages about knowledge that could not be evaluated.
    cost : KnowledgeCost or None
        What knowledge cost the model as a whole; None if there is nothing to compare with.
    """

    rows: list[ReportRow]
    contradictions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    cost: KnowledgeCost | None = None

    @property
    def satisfied(self) -> dict[str, int]:
        """Number of rows of each kind that hold."""
        return self._count(True)

    @property
    def violated(self) -> dict[str, int]:
        """Number of rows of each kind that do not hold."""
        return self._count(False)

    @property
    def has_before(self) -> bool:
        """Whether any row has a figure of the model without knowledge."""
        return any(row.before is not None for row in self.rows)

    def summary(self) -> list[str]:
        """One sentence for each kind."""
        return [self.summary_of(kind) for kind in self.satisfied]

    def summary_of(self, kind: str) -> str:
        """Sentence with the number of rows of a kind that hold, and their mean."""
        rows = [row for row in self.rows if row.kind == kind]
        evaluated = [row for row in rows if row.satisfied is not None]
        sentence = f"{kind}: {self.satisfied[kind]:,} of {len(evaluated):,} hold"
        if evaluated:
            sentence += f", {sum(row.now for row in evaluated) / len(evaluated):.2f} on average"
        old = [row.before for row in evaluated if row.before is not None and not math.isnan(row.before)]
        if old:
            sentence += f" ({sum(old) / len(old):.2f} without knowledge)"
        n_empty, n_advice = len(rows) - len(evaluated), sum(bool(row.advice) for row in rows)
        sentence += f"; {n_empty:,} without tokens" if n_empty else ""
        return sentence + (f"; advice on {n_advice:,}" if n_advice else "")

    def first(self, kind: str, n: int | None = _MAX_ROWS) -> list[ReportRow]:
        """First n rows of a kind; rows that do not hold come first, then those with advice."""
        order = {False: 0, None: 1, True: 2}
        rows = (row for row in self.rows if row.kind == kind)
        return sorted(rows, key=lambda row: (order[row.satisfied], not row.advice))[:n]

    def to_dict(self) -> dict[str, Any]:
        """Report as plain data for JSON; NaN becomes None."""
        rows = [
            {
                **row._asdict(),
                "before": _or_none(row.before),
                "now": _or_none(row.now),
                "topics": [topic._asdict() for topic in row.topics],
            }
            for row in self.rows
        ]
        return {
            "satisfied": self.satisfied,
            "violated": self.violated,
            "contradictions": list(self.contradictions),
            "notes": list(self.notes),
            "rows": rows,
            "cost": None if self.cost is None else self.cost._asdict(),
        }

    def to_frame(self) -> Any:
        """Rows as a pandas data frame; ``topics`` contains topic numbers, the largest share first."""
        rows = [{**row._asdict(), "topics": tuple(topic.topic for topic in row.topics)} for row in self.rows]
        return data_frame(rows, ReportRow._fields)

    def __repr__(self) -> str:
        contradictions = [f"{len(self.contradictions):,} contradictions"] if self.contradictions else []
        return f"<KnowledgeReport: {'; '.join([*(self.summary() or self._messages()[:1]), *contradictions])}>"

    def __str__(self) -> str:
        blocks = [*(_text_block(self, kind) for kind in self.satisfied), "\n".join(self._messages())]
        return "\n\n".join(filter(None, blocks))

    def _repr_html_(self) -> str:
        parts = [_html_block(self, kind) for kind in self.satisfied]
        return "".join([*parts, *(f"<p>{escape(sentence)}</p>" for sentence in self._messages())])

    def _messages(self) -> list[str]:
        cost = [] if self.cost is None else [str(self.cost)]
        messages = [*cost, *(f"contradiction: {message}" for message in self.contradictions), *self.notes]
        return messages if messages or self.rows else ["this model has no knowledge"]

    def _count(self, satisfied: bool) -> dict[str, int]:
        counts = Counter(row.kind for row in self.rows if row.satisfied is satisfied)
        return {kind: counts[kind] for kind in dict.fromkeys(row.kind for row in self.rows)}


def table_cells(row: ReportRow, has_before: bool) -> list[str]:
    """Cells of a row in a table: whether it holds, what it is, its shares, its topics."""
    holds = {True: "yes", False: "no", None: "–"}[row.satisfied]
    before = [_format_share(row.before)] if has_before else []
    return [holds, row.what, *before, _format_share(row.now), ", ".join(map(str, row.topics))]


def table_headers(has_before: bool) -> list[str]:
    """Column headers of :func:`table_cells`."""
    return ["holds", "what", *["before"] * has_before, "now", "topics"]


def hidden_rows_line(report: KnowledgeReport, kind: str, n: int) -> str:
    """Line about the rows of a kind after the first n, empty if there are none."""
    hidden = [row for row in report.rows if row.kind == kind][n:]
    if not hidden:
        return ""
    shown_violated = sum(row.satisfied is False for row in report.first(kind, n))
    violated = report.violated[kind] - shown_violated
    return f"… and {len(hidden):,} more" + (f", {violated:,} of which do not hold" if violated else "")


def advice_lines(report: KnowledgeReport, kind: str, n: int | None = _MAX_ADVICE) -> list[str]:
    """Advice on the rows of a kind, one line for all rows with the same advice; at most n lines and how many more."""
    rows_by_advice: dict[str, list[str]] = {}
    for row in report.first(kind, None):
        if row.advice:
            rows_by_advice.setdefault(row.advice, []).append(row.what)
    lines = [f"{_list_some(rows)}: {advice}" for advice, rows in rows_by_advice.items()]
    return lines if n is None or len(lines) <= n else [*lines[:n], f"… and {len(lines) - n:,} more"]


def _list_some(names: list[str]) -> str:
    more = f" and {len(names) - _MAX_NAMES:,} more" if len(names) > _MAX_NAMES else ""
    return " · ".join(names[:_MAX_NAMES]) + more


def _text_block(report: KnowledgeReport, kind: str) -> str:
    more = hidden_rows_line(report, kind, _MAX_ROWS)
    advice = advice_lines(report, kind)
    lines = [*align_columns(_table(report, kind)), *[more] * bool(more), *["advice:"] * bool(advice)]
    return "\n".join([report.summary_of(kind), *(f"  {line}" for line in lines), *(f"    {line}" for line in advice)])


def _html_block(report: KnowledgeReport, kind: str) -> str:
    more = hidden_rows_line(report, kind, _MAX_ROWS)
    table = plain_html_table(_table(report, kind))
    hidden = f"<p>{escape(more)}</p>" if more else ""
    return f"<p><b>{escape(report.summary_of(kind))}</b></p>{table}{hidden}{advice_html(report, kind)}"


def advice_html(report: KnowledgeReport, kind: str) -> str:
    """Advice on the rows of a kind as an HTML list, empty if there is none."""
    items = "".join(f"<li>{escape(line)}</li>" for line in advice_lines(report, kind))
    return f"<p>advice:</p><ul>{items}</ul>" if items else ""


def _table(report: KnowledgeReport, kind: str) -> list[list[str]]:
    return [table_headers(report.has_before), *(table_cells(row, report.has_before) for row in report.first(kind))]


def _format_share(share: float | None) -> str:
    if share is None:
        return "–"
    return "no tokens" if math.isnan(share) else f"{share:.2f}"


def _or_none(share: float | None) -> float | None:
    return None if share is None or math.isnan(share) else share
