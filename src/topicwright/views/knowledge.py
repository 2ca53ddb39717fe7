"""How far knowledge holds, as tables of a page."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ..knowledge.report import cells, heads, rest
from .text import shown

if TYPE_CHECKING:
    from ..knowledge import KnowledgeReport

_ROWS, _SENTENCES = 50, 20
_CELL, _SENTENCE = 200, 400  # letters


def knowledge_html(report: KnowledgeReport | None) -> str:
    """A table for each kind of knowledge; nothing where there is none."""
    if report is None or not (report.rows or report.notes or report.contradictions):
        return ""
    kinds = "".join(_kind(report, kind) for kind in report.satisfied)
    said = [*(f"contradiction: {sentence}" for sentence in report.contradictions), *report.notes]
    more = [f"… and {len(said) - _SENTENCES:,} more remarks"] if len(said) > _SENTENCES else []
    remarks = "".join(f"<p>{escape(shown(sentence, _SENTENCE))}</p>" for sentence in [*said[:_SENTENCES], *more])
    return f'<section class="card">\n<h2>What was known, and how far it holds</h2>\n{kinds}{remarks}</section>\n'


def _kind(report: KnowledgeReport, kind: str) -> str:
    head = "".join(f"<th{_figure(name)}>{name}</th>" for name in heads(report.has_before))
    rows = [cells(row, report.has_before) for row in report.first(kind, _ROWS)]
    names = heads(report.has_before)
    body = "".join(
        f'<tr class="{_outcome(row[0])}">'
        + "".join(f"<td{_figure(name)}>{escape(shown(cell, _CELL))}</td>" for name, cell in zip(names, row))
        + "</tr>"
        for row in rows
    )
    more = rest(report, kind, _ROWS)
    return (
        f"<h3>{escape(report.summary_of(kind))}</h3>\n"
        f'<div class="scroll"><table class="known"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>\n'
        + (f"<p>{escape(more)}</p>\n" if more else "")
    )


def _figure(head: str) -> str:
    return ' class="figure"' if head in ("before", "now") else ""


def _outcome(holds: str) -> str:
    return {"yes": "holds", "no": "fails"}.get(holds, "untold")
