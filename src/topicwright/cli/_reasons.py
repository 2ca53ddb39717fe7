"""Why a classifier or regressor says what it says of a document: topics and words, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ._console import one_line
from ._html import Section
from ._predictions import figure, is_classifier
from ._tables import bar

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from ..corpus import Corpus
    from ..models.explaining import Reasons, TopicShare


class Reasoned(NamedTuple):
    """A document, what is predicted for it, and the reasons that were asked for."""

    id: str | int
    prediction: Any
    reasons: list[Reasons]
    of_classes: bool

    def record(self) -> dict[str, Any]:
        """For programs."""
        from ..models.explaining import Explanation

        return {"id": self.id, "prediction": self.prediction, **Explanation(self.reasons).to_dict()}

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


def reasoned(model: Any, name: str | int, document: Corpus, wanted: list[int] | None, top: int) -> Reasoned:
    """The reasons for what is predicted, or for the classes that are wanted."""
    reasons = model.explain(document, top).reasons
    if not is_classifier(model):
        numbers = [figure(one.score) for one in reasons]
        return Reasoned(name, numbers if model.coef_.ndim > 1 else numbers[0], reasons, False)
    names = model.classes_.tolist()
    if len(reasons) < len(names):
        reasons = [_turned(names[0], reasons[0]), *reasons]
    [best] = model.judge(document).best_first()
    labels = [names[number] for number in best]
    shown = [reasons[number] for number in (best if wanted is None else wanted)]
    return Reasoned(name, labels if model.multilabel_ else labels[0], shown, True)


def _turned(what: Any, other: Reasons) -> Reasons:
    """Two classes have one score, that of the second: this is the same from the side of the first."""
    return other._replace(
        what=what,
        score=0.0 - other.score,
        topics=tuple(topic._replace(weight=-topic.weight, contribution=-topic.contribution) for topic in other.topics),
        words=tuple(word._replace(contribution=-word.contribution) for word in other.words),
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
