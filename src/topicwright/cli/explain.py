"""The ``topicwright explain`` command: topics and words behind a prediction, or the label of each word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from itertools import islice, starmap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Protocol

import typer

from .._utils.formatting import NO_KNOWN_WORD, pluralize, safe_json
from ..errors import InputError
from ..records.explanation import (
    LENGTH,
    PASSAGES,
    TOP,
    AttributionRecord,
    ExplanationRecord,
    LabeledRecord,
    PassagesRecord,
    explainer,
)
from ..records.predictions import check_classes, check_labeled
from . import _options as options
from ._console import bar, has_colors, one_line, print_message, show, standard_output
from ._inputs import InputOptions, load_predictor, parse_labels, read_batches
from ._options import Select, expand_groups
from ._outputs import check_page, is_standard, text_output

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from ..corpus import Corpus
    from ..models._explanations import TaskExplanation, TopicShare
    from ..models.labeled.attribution import LabelShare, LabelWord

_BATCH = 100  # documents
_ROWS = 10  # labels in a table, as many as there are colors
_SMALLEST_SHARE = 0.01  # of a document that is shown
_SMALLEST_PROBABILITY = 0.005  # that is not shown as zero
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
.prediction { opacity: .75; margin: 0 0 1em; }
table { border-collapse: collapse; margin: 0 0 1em; }
th { font-weight: normal; opacity: .75; }
th, td { padding: .1em 1em .1em 0; text-align: left; vertical-align: top; }
blockquote { margin: 0 0 1em; padding-left: 1em; border-left: 3px solid #8884; }
</style>
"""


class _Document(NamedTuple):
    """Name, text (if it has one), known words, and number of unknown words of a document."""

    name: str | int
    text: str | None
    corpus: Corpus
    n_unknown: int


class _Page(Protocol):
    """Explanation of a document in all output formats."""

    def record(self) -> dict[str, Any]:
        """As JSON."""

    def screen(self) -> Iterable[RenderableType]:
        """For a terminal."""

    def section(self) -> Section:
        """For an HTML page."""


@expand_groups
def explain(
    model_file: options.ModelFile,
    reading: Annotated[InputOptions, Select("format", "text_field", "id_field", "on_error")],
    source: options.Input = "-",
    ids: Annotated[
        list[str] | None,
        typer.Option("--id", metavar="ID", help="Only this document; can be repeated.", show_default=False),
    ] = None,
    documents: Annotated[
        int, typer.Option("--documents", "-d", min=1, metavar="N", help="Only the first N documents.")
    ] = 5,
    classes: Annotated[
        list[str] | None,
        typer.Option(
            "--class",
            "-c",
            "--label",
            "-l",
            metavar="NAME",
            help="Explain this class or label; can be repeated.",
            show_default="the predicted ones, and the strongest rival of a classifier",
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Number of topics, of words for and against, or of passages of a label.",
            show_default=f"{TOP}; with --snippets {PASSAGES}",
        ),
    ] = None,
    own_labels: Annotated[
        bool,
        typer.Option(
            "--own-labels",
            help="Use only the labels that the document itself has, if it has some.",
            rich_help_panel=options.FOR_LABELS,
        ),
    ] = False,
    candidates: options.Candidates = None,
    snippets: Annotated[
        bool,
        typer.Option(
            "--snippets",
            help="Show the passages that are most about each label instead of the document.",
            rich_help_panel=options.FOR_LABELS,
        ),
    ] = False,
    length: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Words of a passage.", rich_help_panel=options.FOR_LABELS, show_default=str(LENGTH)
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write an HTML page.", show_default=False),
    ] = None,
    label_field: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Field of the labels for --own-labels.",
            rich_help_panel=options.FOR_LABELS,
            show_default="the one of the training",
        ),
    ] = None,
    jobs: options.Jobs = -1,
    quiet: options.Quiet = False,
    json: Annotated[bool, typer.Option("--json", help="Write JSON lines, one for each document.")] = False,
) -> None:
    """Show the topics and words behind a prediction.

    The contribution of a topic is its weight times its share of the words.
    Contributions add up to the score. Positive ones are evidence for the class.

    For a model of --labels it shows the label of each word and its probability,
    and the share of the words that each label has.
    """
    check_page(html, model_file, source)
    if html is not None and json:
        raise InputError("--html and --json are two output formats: pass one of them")
    if length is not None and not snippets:
        raise InputError("--length needs --snippets")
    model = load_predictor(model_file, jobs)
    own = own_labels or label_field is not None
    for option, is_given in {"--own-labels": own, "--snippets": snippets}.items():
        if is_given:
            check_labeled(model, option)
    chosen_classes = None if classes is None else check_classes(model, classes)
    labels = None if candidates is None else parse_labels(model, candidates)
    explain_one = explainer(
        model, chosen_classes, top=top, snippets=snippets, length=length, candidates=labels, own=own
    )
    if own:
        field = label_field or model.field_
        reading = replace(reading, label_field=field, optional=() if label_field else ("labels",))
    everything = _documents(model, source, reading)
    chosen = _by_id(everything, ids, source) if ids else islice(everything, documents)
    _write(map(_page_of, starmap(explain_one, chosen)), html, json)
    if not is_standard(html) and not quiet:
        print_message(f"wrote {html}")
    if not ids and not quiet and next(everything, None) is not None:
        print_message("there are more documents: see them with --documents N, or one of them with --id ID")


def _page_of(record: Any) -> _Page:
    page: _Page = _PAGES[type(record)](*record)
    return page


def _write(pages: Iterable[_Page], html: Path | None, json: bool) -> None:
    if html is not None:
        with text_output(html) as file:
            file.writelines(_html(page.section() for page in pages))
        return
    for page in pages:
        if json:
            standard_output().write(safe_json(page.record()) + "\n")
        else:
            show(*page.screen())


def _documents(model: Any, source: str, reading: InputOptions) -> Iterator[_Document]:
    for batch in read_batches(model, source, reading, _BATCH):
        texts = [None] * len(batch.names) if batch.texts is None else batch.texts
        for row, (name, text, n_unknown) in enumerate(zip(batch.names, texts, batch.unknown.tolist())):
            yield _Document(name, text, batch.corpus.select([row]), n_unknown)


def _by_id(documents: Iterator[_Document], ids: list[str], source: str) -> Iterator[_Document]:
    missing = dict.fromkeys(ids)
    for document in documents:
        if str(document.name) in missing:
            del missing[str(document.name)]
            yield document
            if not missing:
                return
    raise InputError(f"{source}: there is no document with the id {next(iter(missing))!r}")


# ---------------------------------------------------------------------- pages


class Section(NamedTuple):
    """Section of a document on an HTML page: its name, the prediction, and trusted HTML."""

    name: str
    prediction: str
    body: str


def _html(sections: Iterable[Section]) -> Iterator[str]:
    """Parts of the HTML page."""
    yield _HEAD
    for section in sections:
        prediction = f'<p class="prediction">predicted: {escape(section.prediction)}</p>'
        yield f"<section>\n<h2>{escape(section.name)}</h2>\n{prediction}\n"
        yield f"{section.body}\n</section>\n"
    yield "</html>\n"


class AttributionPage(AttributionRecord):
    """Label of each word, for a terminal or an HTML page."""

    def section(self) -> Section:
        """For an HTML page."""
        return Section(str(self.document.id), self.document.summary(), self.attribution.to_html())

    def screen(self) -> Iterator[RenderableType]:
        """For a terminal: the text if there are colors for labels, and a table in any case."""
        from rich.text import Text

        from ..models.labeled.attribution import rich_text

        yield _title(self.document)
        if all(word.word is None for word in self.attribution.words):
            yield Text(f"  {NO_KNOWN_WORD}\n", style="dim")
            return
        if has_colors():
            yield rich_text(self.attribution)
        yield self._table()
        n = len(self.shares) - len(self._rows())
        yield Text(f"  and {n:,} more label{'s' * (n > 1)}: see them with --json\n" if n > 0 else "", style="dim")

    def _rows(self) -> list[LabelShare]:
        """Labels of the table: the chosen ones, or those with a share that counts."""
        return [row for row in self.shares if self.are_chosen or row.share >= _SMALLEST_SHARE][:_ROWS]

    def _table(self) -> Table:
        from rich.table import Table
        from rich.text import Text

        from ..models.labeled.attribution import rich_styles

        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column("  label", no_wrap=True)
        table.add_column("share of words", justify="right", no_wrap=True)
        table.add_column("probability of the label for each word", overflow="fold")
        styles = rich_styles(self.attribution)
        for label, share in self._rows():
            words = self.attribution.words_of(label, self.top)
            shown = Text("  ").join(_word_text(word) for word in words if word.probability >= _SMALLEST_PROBABILITY)
            table.add_row(Text(f"  {one_line(str(label))}", styles.get(label, "")), f"{share:.0%}", shown)
        return table


class PassagesPage(PassagesRecord):
    """Passages about labels, for a terminal or an HTML page."""

    def section(self) -> Section:
        """For an HTML page."""
        parts = [
            f"<p><b>{escape(str(label))}</b> {snippet.score:.2f}</p><blockquote>{escape(snippet.text)}</blockquote>"
            for label, snippet in self.passages
        ]
        return Section(str(self.document.id), self.document.summary(), "".join(parts) or f"<p>{NO_KNOWN_WORD}</p>")

    def screen(self) -> Iterator[RenderableType]:
        """For a terminal."""
        from rich.text import Text

        yield _title(self.document)
        for label, snippet in self.passages:
            yield Text.assemble((f"  {one_line(str(label))} {snippet.score:.2f}  ", "dim"), one_line(snippet.text))
        yield Text("" if self.passages else f"  {NO_KNOWN_WORD}\n", style="dim")


def _title(document: LabeledRecord) -> Text:
    from rich.text import Text

    parts = [Text(one_line(str(document.id))), Text(one_line(document.summary()), "bold")]
    return Text("  ").join([*parts, *_unknown_words(document.n_unknown)])


def _unknown_words(n: int) -> list[Text]:
    from rich.text import Text

    return [Text(pluralize(n, "unknown word"), "dim")] if n else []


def _word_text(word: LabelWord) -> Text:
    from rich.text import Text

    times = f" ×{word.times}" if word.times > 1 else ""
    return Text.assemble(one_line(word.word), (f" {word.probability:.2f}{times}", "dim"))


class ExplanationPage(ExplanationRecord):
    """Contributions of topics and words, for a terminal or an HTML page."""

    def section(self) -> Section:
        """For an HTML page."""
        from ..models._explanations import Explanation

        return Section(
            str(self.id), ", ".join(map(str, self._predicted())) or "nothing", Explanation(self.reasons)._repr_html_()
        )

    def _predicted(self) -> list[Any]:
        if self.prediction is None:
            return []
        return self.prediction if isinstance(self.prediction, list) else [self.prediction]

    def screen(self) -> Iterator[RenderableType]:
        """For a terminal."""
        from rich.text import Text

        if not self.reasons:
            title = [Text(one_line(str(self.id))), Text("no prediction", "bold")]
            yield Text("  ").join([*title, *_unknown_words(self.n_unknown)])
            yield Text(f"  {NO_KNOWN_WORD}\n", style="dim")
        for reasons in self.reasons:
            yield self._title(reasons)
            topics = [(topic.contribution, _topic_text(topic), " ".join(topic.words)) for topic in reasons.topics]
            largest = max((abs(topic.contribution) for topic in reasons.topics), default=0.0)
            yield _contributions("topic (share of words)", "top words", topics, largest)
            largest = max((abs(word.contribution) for word in reasons.words), default=0.0)
            sides = {"word for it": reasons.words_for, "word against it": reasons.words_against}
            for head, words in sides.items():
                rows = [(word.contribution, word.word, str(word.times)) for word in words]
                if rows:
                    yield _contributions(head, "count", rows, largest)
            yield ""

    def _title(self, reasons: TaskExplanation) -> Text:
        from rich.text import Text

        if self.of_classes:
            predicted = self._predicted()
            also = "" if reasons.what in predicted else f"; predicted is {', '.join(map(str, predicted))}"
            chance = "" if reasons.probability is None else f", probability {reasons.probability:.3g}"
            what, rest = f"{reasons.what}", f"score {reasons.score:.4g}{chance}{also}"
        else:
            which = "" if reasons.what == "y" else f"{reasons.what} "
            what, rest = f"{which}{reasons.score:.4g}", f"from a mean of {reasons.intercept:.4g}"
        return Text("  ").join(
            [
                Text(one_line(str(self.id))),
                Text(one_line(what), "bold"),
                Text(one_line(rest), "dim"),
                *_unknown_words(self.n_unknown),
            ]
        )


def _topic_text(topic: TopicShare) -> str:
    name = "" if topic.name in (None, str(topic.topic)) else f" {topic.name}"
    return f"{topic.topic}{name} ({topic.share:.0%})"


def _contributions(head: str, last: str, rows: Sequence[tuple[float, str, str]], largest: float) -> Table:
    """Table of contributions as numbers and bars relative to the largest, with names and remarks."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("contribution", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column(head, no_wrap=True)
    table.add_column(last, style="dim")
    for adds, name, remark in rows:
        color = "green" if adds >= 0 else "red"
        figures = Text(f"{adds:+.3g}", style=color), Text(bar(abs(adds) / (largest or 1.0)), style=color)
        table.add_row(*figures, Text(one_line(name)), Text(one_line(remark)))
    return table


_PAGES: dict[type, Any] = {
    ExplanationRecord: ExplanationPage,
    AttributionRecord: AttributionPage,
    PassagesRecord: PassagesPage,
}
