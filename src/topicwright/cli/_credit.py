"""What a model of labels says of a document: the label that each word is owed to, and passages about a label."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from ._console import has_colours, one_line
from ._html import Section
from ._models import some
from ._predictions import prediction_record, predictions

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from ..corpus import Corpus
    from ..models.attribution import Attribution, LabelShare, OwedWord, Snippet

_ROWS = 10  # labels in a table, as many as there are colours
_SMALL = 0.01  # share of a document that is not worth a line
_UNLIKELY = 0.005  # probability that would be shown as none
_NO_WORD = "no word that the model knows"


class Asked(NamedTuple):
    """What the options ask for."""

    labels: list[Any] | None  # to tell of; None for those that words have, or that are predicted
    top: int  # words of a label, or passages
    length: int | None  # of passages, where they are asked for
    candidates: list[Any] | None
    own: bool  # whether words are owed to the labels that a document has


class Labelled(NamedTuple):
    """A document, and the labels that it is given; also those that it has, where they were asked for."""

    id: str | int
    given: dict[str, Any]
    own: list[Any] | None

    def record(self) -> dict[str, Any]:
        """For programs."""
        return {"id": self.id, **self.given, **({} if self.own is None else {"own_labels": self.own})}

    def told(self) -> str:
        """In a line."""
        labels, values = (entry if isinstance(entry, list) else [entry] for entry in self.given.values())
        given = some([f"{label} {value:.2f}" for label, value in zip(labels, values)])
        if self.own is None:
            return given
        return f"{given}; has {some(list(map(str, self.own))) or 'no label that the model knows'}"

    def title(self) -> Text:
        """Above what is told."""
        from rich.text import Text

        return Text("  ").join([Text(one_line(str(self.id))), Text(one_line(self.told()), "bold")])


class Credited(NamedTuple):
    """A document, and the label of each word."""

    document: Labelled
    attribution: Attribution
    shares: list[LabelShare]
    are_asked: bool  # or else those that words have
    top: int

    def record(self) -> dict[str, Any]:
        """For programs."""
        labels = [
            {
                "label": label,
                "share": share,
                "background": label in self.attribution.background(),
                "words": [word._asdict() for word in self.attribution.words_of(label, self.top)],
            }
            for label, share in self.shares
        ]
        return {**self.document.record(), **self.attribution.to_dict(), "labels": labels}

    def section(self) -> Section:
        """For a page in a browser."""
        return Section(str(self.document.id), self.document.told(), self.attribution.to_html())

    def screen(self) -> Iterator[RenderableType]:
        """For a terminal: the text where there are colours to tell labels by, and a table in any case."""
        from rich.text import Text

        from ..models.attribution_display import rich_text

        yield self.document.title()
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


class Passages(NamedTuple):
    """A document, and what in it is most about some labels."""

    document: Labelled
    passages: list[tuple[Any, Snippet]]

    def record(self) -> dict[str, Any]:
        """For programs."""
        snippets = [{"label": label, **snippet._asdict()} for label, snippet in self.passages]
        return {**self.document.record(), "snippets": snippets}

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

        yield self.document.title()
        for label, snippet in self.passages:
            yield Text.assemble((f"  {one_line(str(label))} {snippet.score:.2f}  ", "dim"), one_line(snippet.text))
        yield Text("" if self.passages else f"  {_NO_WORD}\n", style="dim")


def credited(model: Any, name: str | int, text: str | None, corpus: Corpus, asked: Asked) -> Credited | Passages:
    """The labels of the words of the one document in a corpus, or passages of its text."""
    among = {} if asked.candidates is None else {"candidates": asked.candidates}
    [pairs] = predictions(model, corpus, **among)
    own = _own_labels(model, corpus) if asked.own else None
    document = Labelled(name, prediction_record(model, pairs), own)
    attribution = model.attribute(corpus if text is None else text, own or asked.candidates)
    labels = None if asked.labels is None else [label for label in asked.labels if label in attribution.labels]
    if asked.length is None:
        return Credited(document, attribution, attribution.shares(labels), labels is not None, asked.top)
    if labels is None:
        labels = own or [label for label, _ in pairs]
    found = ((label, attribution.snippets(label, asked.length, asked.top)) for label in labels)
    return Passages(document, [(label, snippet) for label, snippets in found for snippet in snippets])


def _own_labels(model: Any, corpus: Corpus) -> list[Any]:
    """The labels that a document has and the model knows."""
    [own] = corpus.labels or [()]
    return [label for label in model.classes_.tolist() if str(label) in own]


def _told(word: OwedWord) -> Text:
    from rich.text import Text

    times = f" ×{word.times}" if word.times > 1 else ""
    return Text.assemble(one_line(word.word), (f" {word.probability:.2f}{times}", "dim"))
