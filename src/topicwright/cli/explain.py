"""``topicwright explain``: the topics and words behind a prediction, and the label of each word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import islice, starmap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Protocol

import typer

from .._utils.formatting import safe_json
from ..errors import InputError
from ..records.attribution import AttributionRecord, LabeledRecord, PassagesRecord
from ..records.explanation import LENGTH, PASSAGES, TOP, ExplanationRecord, explaining
from ..records.model_types import check_labeled
from ..records.predictions import checked_classes
from . import _options as options
from ._console import bar, has_colors, one_line, say, show, standard_output
from ._inputs import InputOptions, read_batches
from ._models import load_predicting, named_labels
from ._outputs import check_page, is_standard, text_output

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from ..corpus import Corpus
    from ..models._explanations import TaskExplanation, TopicShare
    from ..models.labeled.attribution import LabelShare, LabelWord

_HEAD = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Topicwright</title>
<style>
body { font: 16px/1.6 system-ui, sans-serif; max-width: 46em; margin: 2em auto; padding: 0 1em; }
section { border-top: 1px solid #8884; padding: 1em 0; }
section:first-of-type { border-top: 0; }
h2 { font-size: 1em; margin: 0; }
.said { opacity: .75; margin: 0 0 1em; }
table { border-collapse: collapse; margin: 0 0 1em; }
th { font-weight: normal; opacity: .75; }
th, td { padding: .1em 1em .1em 0; text-align: left; vertical-align: top; }
blockquote { margin: 0 0 1em; padding-left: 1em; border-left: 3px solid #8884; }
</style>
"""


class Section(NamedTuple):
    """A document: what it is called, what is predicted, and HTML that may be trusted."""

    name: str
    said: str
    body: str


def page_of(sections: Iterable[Section]) -> Iterator[str]:
    """The page, piece by piece."""
    yield _HEAD
    for section in sections:
        yield f'<section>\n<h2>{escape(section.name)}</h2>\n<p class="said">predicted: {escape(section.said)}</p>\n'
        yield f"{section.body}\n</section>\n"
    yield "</html>\n"


_ROWS = 10  # labels in a table, as many as there are colours
_SMALL = 0.01  # share of a document that is not worth a line
_UNLIKELY = 0.005  # probability that would be shown as none
_NO_WORD = "no word that the model knows"


class AttributionPage(AttributionRecord):
    """The labels of words, for people."""

    def section(self) -> Section:
        """For a page in a browser."""
        return Section(str(self.document.id), self.document.told(), self.attribution.to_html())

    def screen(self) -> Iterator[RenderableType]:
        """For a terminal: the text where there are colours to tell labels by, and a table in any case."""
        from rich.text import Text

        from ..models.labeled.attribution_display import rich_text

        yield _title(self.document)
        if all(word.word is None for word in self.attribution.words):
            yield Text(f"  {_NO_WORD}\n", style="dim")
            return
        if has_colors():
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

        from ..models.labeled.attribution_display import rich_styles

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


class PassagesPage(PassagesRecord):
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


def _title(document: LabeledRecord) -> Text:
    """Above what is told."""
    from rich.text import Text

    return Text("  ").join([Text(one_line(str(document.id))), Text(one_line(document.told()), "bold")])


def _told(word: LabelWord) -> Text:
    from rich.text import Text

    times = f" ×{word.times}" if word.times > 1 else ""
    return Text.assemble(one_line(word.word), (f" {word.probability:.2f}{times}", "dim"))


class ExplanationPage(ExplanationRecord):
    """Reasons for people."""

    def section(self) -> Section:
        """For a page in a browser."""
        from ..models._explanations import Explanation

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

    def _title(self, reasons: TaskExplanation) -> Text:
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


_BATCH = 100
_PAGES: dict[type, Any] = {
    ExplanationRecord: ExplanationPage,
    AttributionRecord: AttributionPage,
    PassagesRecord: PassagesPage,
}


class _Document(NamedTuple):
    """What a document is called, its text where it came as one, and its words."""

    name: str | int
    text: str | None
    corpus: Corpus


class _Explained(Protocol):
    """What is told of a document."""

    def record(self) -> dict[str, Any]:
        """For programs."""

    def screen(self) -> Iterable[RenderableType]:
        """For a terminal."""

    def section(self) -> Section:
        """For a page in a browser."""


def explain(
    model_file: options.ModelFile,
    source: options.Input = "-",
    ids: Annotated[
        list[str] | None,
        typer.Option("--id", metavar="ID", help="Only this document; may be given again.", show_default=False),
    ] = None,
    documents: Annotated[
        int, typer.Option("--documents", "-d", min=1, metavar="N", help="Only the first so many documents.")
    ] = 5,
    classes: Annotated[
        list[str] | None,
        typer.Option(
            "--class",
            "-c",
            "--label",
            "-l",
            metavar="NAME",
            help="Why or why not this class or label; may be given again.",
            show_default="what is predicted",
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Topics and words to name, or passages of a label.",
            show_default=f"{TOP}; with --snippets {PASSAGES}",
        ),
    ] = None,
    own_labels: Annotated[
        bool,
        typer.Option(
            "--own-labels",
            help="Owe words to the labels that the document has, where it has some, and not to all.",
            rich_help_panel=options.OF_LABELS,
        ),
    ] = False,
    candidates: options.Candidates = None,
    snippets: Annotated[
        bool,
        typer.Option(
            "--snippets",
            help="Show the passages that are most about each label, in place of the document.",
            rich_help_panel=options.OF_LABELS,
        ),
    ] = False,
    length: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Words of a passage.", rich_help_panel=options.OF_LABELS, show_default=str(LENGTH)
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a page for a browser.", show_default=False),
    ] = None,
    format: options.Format = None,
    text_field: options.TextField = None,
    label_field: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Field of the labels for --own-labels.",
            rich_help_panel=options.OF_LABELS,
            show_default="the one that was learned from",
        ),
    ] = None,
    id_field: options.IdField = None,
    on_error: options.Errors = options.OnError.stop,
    jobs: options.Jobs = -1,
    quiet: options.Quiet = False,
    json: Annotated[bool, typer.Option("--json", help="Write a JSON object a line, one for each document.")] = False,
) -> None:
    """Tell which topics and words are behind a prediction.

    A topic adds its weight times its share of the document to the score,
    or to the mean where a number is predicted; a word adds what its topics add.
    Above zero it speaks for the class, below zero against it.

    Of a model of --labels it tells the label that each word is owed to, and how
    probably: in colours on a screen, and as a table of labels with their share
    of the document and the words that make it.
    """
    check_page(html, model_file, source)
    if html is not None and json:
        raise InputError("--html and --json are two ways to write the same: give one of them")
    if length is not None and not snippets:
        raise InputError("--length goes with --snippets")
    model = load_predicting(model_file, jobs)
    own = own_labels or label_field is not None
    for option, is_given in {"--own-labels": own, "--snippets": snippets}.items():
        if is_given:
            check_labeled(model, option)
    wanted = None if classes is None else checked_classes(model, classes)
    among = None if candidates is None else named_labels(model, candidates)
    tell = explaining(model, wanted, top=top, snippets=snippets, length=length, candidates=among, own=own)
    reading = InputOptions(format, text_field, id=id_field, on_error=on_error)
    if own:
        reading = reading._replace(labels=label_field or model.field_, optional=() if label_field else ("labels",))
    everything = _documents(model, source, reading)
    chosen = _by_id(everything, ids, source) if ids else islice(everything, documents)
    _write(map(_for_people, starmap(tell, chosen)), html, json)
    if not is_standard(html) and not quiet:
        say(f"wrote {html}")
    if not ids and not quiet and next(everything, None) is not None:
        say("there are more documents: see them with --documents N, or one of them with --id ID")


def _for_people(told: Any) -> _Explained:
    explained: _Explained = _PAGES[type(told)](*told)
    return explained


def _write(everything: Iterable[_Explained], html: Path | None, json: bool) -> None:
    if html is not None:
        with text_output(html) as file:
            file.writelines(page_of(explained.section() for explained in everything))
        return
    for explained in everything:
        if json:
            standard_output().write(safe_json(explained.record()) + "\n")
        else:
            show(*explained.screen())


def _documents(model: Any, source: str, reading: InputOptions) -> Iterator[_Document]:
    for batch in read_batches(model, source, reading, _BATCH):
        texts = [None] * len(batch.names) if batch.texts is None else batch.texts
        for row, (name, text) in enumerate(zip(batch.names, texts)):
            yield _Document(name, text, batch.corpus.select([row]))


def _by_id(documents: Iterator[_Document], ids: list[str], source: str) -> Iterator[_Document]:
    missing = dict.fromkeys(ids)
    for document in documents:
        if str(document.name) in missing:
            del missing[str(document.name)]
            yield document
            if not missing:
                return
    raise InputError(f"{source}: there is no document with the id {next(iter(missing))!r}")
