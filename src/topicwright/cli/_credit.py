"""What a model of labels says of a document, for people: words in the colours of labels, tables, passages."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from ..answers.credit import Credited, Labelled, Passages
from ._console import has_colours, one_line
from ._html import Section

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from ..models.attribution import LabelShare, OwedWord

_ROWS = 10  # labels in a table, as many as there are colours
_SMALL = 0.01  # share of a document that is not worth a line
_UNLIKELY = 0.005  # probability that would be shown as none
_NO_WORD = "no word that the model knows"


class CreditedPage(Credited):
    """The labels of words, for people."""

    def section(self) -> Section:
        """For a page in a browser."""
        return Section(str(self.document.id), self.document.told(), self.attribution.to_html())

    def screen(self) -> Iterator[RenderableType]:
        """For a terminal: the text where there are colours to tell labels by, and a table in any case."""
        from rich.text import Text

        from ..models.attribution_display import rich_text

        yield _title(self.document)
        if all(word.word is None for word in self.attribution.words):
            yield Text(f"  {_NO_WORD}\n", style="dim")
            return
        if has_colours():
            yield rich_text(self.attribution)
        yield self._table()
        n = len(self.shares) - len(self._rows())
        yield Text(f"  and {n:,} more label{'s' * (n > 1)}: see them with --json\n" if n > 0 else "", style="dim")

    def _rows(self) -> list[LabelShare]:
        """The labels that a table tells of: those that were asked for, or those that count."""
        return [row for row in self.shares if self.are_asked or row.share >= _SMALL][:_ROWS]

    def _table(self) -> Table:
        from rich.table import Table
        from rich.text import Text

        from ..models.attribution_display import rich_styles

        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
        table.add_column(no_wrap=True)
        table.add_column(justify="right", no_wrap=True)
        table.add_column(overflow="fold")
        styles = rich_styles(self.attribution)
        for label, share in self._rows():
            words = self.attribution.words_of(label, self.top)
            told = Text("  ").join(_told(word) for word in words if word.probability >= _UNLIKELY)
            table.add_row(Text(f"  {one_line(str(label))}", styles.get(label, "")), f"{share:.0%}", told)
        return table


class PassagesPage(Passages):
    """Passages for people."""

    def section(self) -> Section:
        """For a page in a browser."""
        parts = [
            f"<p><b>{escape(str(label))}</b> {snippet.score:.2f}</p><blockquote>{escape(snippet.text)}</blockquote>"
            for label, snippet in self.passages
        ]
        return Section(str(self.document.id), self.document.told(), "".join(parts) or f"<p>{_NO_WORD}</p>")

    def screen(self) -> Iterator[RenderableType]:
        """For a terminal."""
        from rich.text import Text

        yield _title(self.document)
        for label, snippet in self.passages:
            yield Text.assemble((f"  {one_line(str(label))} {snippet.score:.2f}  ", "dim"), one_line(snippet.text))
        yield Text("" if self.passages else f"  {_NO_WORD}\n", style="dim")


def _title(document: Labelled) -> Text:
    """Above what is told."""
    from rich.text import Text

    return Text("  ").join([Text(one_line(str(document.id))), Text(one_line(document.told()), "bold")])


def _told(word: OwedWord) -> Text:
    from rich.text import Text

    times = f" ×{word.times}" if word.times > 1 else ""
    return Text.assemble(one_line(word.word), (f" {word.probability:.2f}{times}", "dim"))
