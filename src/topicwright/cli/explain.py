"""``topicwright explain``: the topics and words behind a prediction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ..errors import InputError
from . import _options as options
from ._console import one_line, say, show, standard_output
from ._files import to_json
from ._models import load_supervised
from ._predictions import checked_classes, figure, is_classifier, predicted
from ._reading import Reading, read_batches
from ._tables import bar

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from ..corpus import Corpus
    from ..models.explaining import Reasons, TopicShare

_BATCH = 100
_Documents = Iterator[tuple[str | int, "Corpus"]]


class _Explained(NamedTuple):
    """A document, what is predicted for it, and the reasons that were asked for."""

    id: str | int
    prediction: Any
    reasons: list[Reasons]


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
            metavar="NAME",
            help="Why or why not this class; may be given again.",
            show_default="what is predicted",
        ),
    ] = None,
    top: Annotated[int, typer.Option(min=1, metavar="N", help="Topics and words to name.")] = 6,
    format: options.Format = None,
    text_field: options.TextField = None,
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
    """
    reading = Reading(format, text_field, id=id_field, on_error=on_error)
    model = load_supervised(model_file, jobs)
    wanted = None if classes is None else checked_classes(model, classes)
    everything = _documents(model, source, reading)
    for name, document in _by_id(everything, ids, source) if ids else islice(everything, documents):
        explained = _explained(model, name, document, wanted, top)
        if json:
            standard_output().write(to_json(_record(explained)) + "\n")
        else:
            show(*_page(explained, is_classifier(model)))
    if not ids and not quiet and next(everything, None) is not None:
        say("there are more documents: see them with --documents N, or one of them with --id ID")


def _documents(model: Any, source: str, reading: Reading) -> _Documents:
    """Names, and corpora of one document each."""
    for batch in read_batches(model, source, reading, _BATCH):
        for row, name in enumerate(batch.names):
            yield name, batch.corpus.select([row])


def _by_id(documents: _Documents, ids: list[str], source: str) -> _Documents:
    missing = dict.fromkeys(ids)
    for name, document in documents:
        if str(name) in missing:
            del missing[str(name)]
            yield name, document
            if not missing:
                return
    raise InputError(f"{source}: there is no document with the id {next(iter(missing))!r}")


# ---------------------------------------------------------------------- reasons


def _explained(model: Any, name: str | int, document: Corpus, wanted: list[int] | None, top: int) -> _Explained:
    reasons = model.explain(document, top).reasons
    if not is_classifier(model):
        numbers = [figure(one.score) for one in reasons]
        return _Explained(name, numbers if model.coef_.ndim > 1 else numbers[0], reasons)
    names = model.classes_.tolist()
    if len(reasons) < len(names):
        reasons = [_turned(names[0], reasons[0]), *reasons]
    [best] = predicted(model, [[one.score for one in reasons]], line=0.0)
    labels = [names[number] for number in best]
    shown = [reasons[number] for number in (best if wanted is None else wanted)]
    return _Explained(name, labels if model.multilabel_ else labels[0], shown)


def _turned(what: Any, other: Reasons) -> Reasons:
    """Two classes have one score, that of the second: this is the same from the side of the first."""
    return other._replace(
        what=what,
        score=0.0 - other.score,
        topics=tuple(topic._replace(weight=-topic.weight, contribution=-topic.contribution) for topic in other.topics),
        words=tuple(word._replace(contribution=-word.contribution) for word in other.words),
    )


def _record(explained: _Explained) -> dict[str, Any]:
    from ..models.explaining import Explanation

    return {"id": explained.id, "prediction": explained.prediction, **Explanation(explained.reasons).to_dict()}


# ---------------------------------------------------------------------- pages


def _page(explained: _Explained, of_classes: bool) -> Iterator[RenderableType]:
    from rich.text import Text

    for reasons in explained.reasons:
        yield _title(explained, reasons, of_classes)
        if reasons.words:
            topics = [(topic.contribution, _called(topic), " ".join(topic.words)) for topic in reasons.topics]
            words = [(word.contribution, word.word, str(word.times)) for word in reasons.words]
            yield _table("topic", "top words", topics)
            yield _table("word", "times", words)
        else:
            yield Text("  no word that the model knows", style="dim")
        yield ""


def _title(explained: _Explained, reasons: Reasons, of_classes: bool) -> Text:
    from rich.text import Text

    if of_classes:
        said = explained.prediction if isinstance(explained.prediction, list) else [explained.prediction]
        also = "" if reasons.what in said else f"; predicted is {', '.join(map(str, said))}"
        what, rest = f"{reasons.what}", f"score {reasons.score:.4g}{also}"
    else:
        which = "" if reasons.what == "y" else f"{reasons.what} "
        what, rest = f"{which}{reasons.score:.4g}", f"from a mean of {reasons.intercept:.4g}"
    return Text("  ").join(
        [Text(one_line(str(explained.id))), Text(one_line(what), "bold"), Text(one_line(rest), "dim")]
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
