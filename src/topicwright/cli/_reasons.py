"""Why a classifier or regressor says what it says of a document: topics and words, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..answers.reasons import Reasoned
from ._console import one_line
from ._html import Section
from ._tables import bar

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from ..models.explaining import Reasons, TopicShare


class ReasonedPage(Reasoned):
    """Reasons for people."""

    def section(self) -> Section:
        """For a page in a browser."""
        from ..models.explaining import Explanation

        said = self.prediction if isinstance(self.prediction, list) else [self.prediction]
        return Section(str(self.id), ", ".join(map(str, said)), Explanation(self.reasons)._repr_html_())

    def screen(self) -> Iterator[RenderableType]:
        """For a terminal."""
        from rich.text import Text

        for reasons in self.reasons:
            yield self._title(reasons)
            if reasons.words:
                topics = [(topic.contribution, _called(topic), " ".join(topic.words)) for topic in reasons.topics]
                words = [(word.contribution, word.word, str(word.times)) for word in reasons.words]
                yield _table("topic", "top words", topics)
                yield _table("word", "times", words)
            else:
                yield Text("  no word that the model knows", style="dim")
            yield ""

    def _title(self, reasons: Reasons) -> Text:
        from rich.text import Text

        if self.of_classes:
            said = self.prediction if isinstance(self.prediction, list) else [self.prediction]
            also = "" if reasons.what in said else f"; predicted is {', '.join(map(str, said))}"
            what, rest = f"{reasons.what}", f"score {reasons.score:.4g}{also}"
        else:
            which = "" if reasons.what == "y" else f"{reasons.what} "
            what, rest = f"{which}{reasons.score:.4g}", f"from a mean of {reasons.intercept:.4g}"
        return Text("  ").join(
            [Text(one_line(str(self.id))), Text(one_line(what), "bold"), Text(one_line(rest), "dim")]
        )


def _called(topic: TopicShare) -> str:
    name = "" if topic.name in (None, str(topic.topic)) else f" {topic.name}"
    return f"{topic.topic}{name} ({topic.share:.0%})"


def _table(head: str, last: str, rows: Sequence[tuple[float, str, str]]) -> Table:
    """Lines of what something adds, as a figure and a bar, its name and a remark."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("    adds", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column(head, no_wrap=True)
    table.add_column(last, style="dim")
    largest = max((abs(adds) for adds, _, _ in rows), default=0.0) or 1.0
    for adds, name, remark in rows:
        colour = "green" if adds >= 0 else "red"
        figures = Text(f"{adds:+.3g}", style=colour), Text(bar(abs(adds) / largest), style=colour)
        table.add_row(*figures, Text(one_line(name)), Text(one_line(remark)))
    return table
