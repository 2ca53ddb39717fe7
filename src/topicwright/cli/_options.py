"""Options that several verbs share, written once."""

from __future__ import annotations

from enum import Enum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

OF_LABELS = "For a model of --labels"


def option(
    panel: str, help: str, *names: str, metavar: str | None = None, default: str | bool = True, **more: Any
) -> Any:
    """An option in a panel of the help, which says ``default`` of what holds without it."""
    return typer.Option(*names, help=help, metavar=metavar, show_default=default, rich_help_panel=panel, **more)


_reading, _words = partial(option, "Reading documents"), partial(option, "Choosing words")


class OnError(str, Enum):
    """What to do at a line that can't be read."""

    stop = "stop"
    skip = "skip"


class LabelPrior(str, Enum):
    """How frequent labels are expected to be."""

    frequency = "frequency"
    flat = "flat"


class OutputLayout(str, Enum):
    """How answers about documents are written."""

    jsonl = "jsonl"
    csv = "csv"


ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file.", show_default=False)]
Input = Annotated[
    str,
    typer.Argument(
        metavar="INPUT",
        help="A file of documents (JSONL, CSV, Parquet, plain text and others) or of word counts, compressed or not, "
        "or - for standard input.",
        show_default=False,
    ),
]

Format = Annotated[
    str | None,
    _reading(
        "Format of the input, such as jsonl, csv, text or mtx. By default the suffix tells.",
        "--format",
        "-f",
        metavar="FORMAT",
        default=False,
    ),
]
TextField = Annotated[str | None, _reading("Field of the text.", metavar="NAME", default="text")]
LabelField = Annotated[str | None, _reading("Field of the labels.", metavar="NAME", default="labels")]
LabelSeparator = Annotated[
    str | None, _reading("Between several labels in one string.", metavar="TEXT", default="| in CSV and TSV")
]
IdField = Annotated[str | None, _reading("Field of the id.", metavar="NAME", default="id")]
TargetField = Annotated[str | None, _reading("Field of a number.", metavar="NAME", default=False)]
DateField = Annotated[
    str | None,
    _reading(
        "Field of a date: ISO (2019-05-03), as in mails (3 May 2019 10:00), a year, or Unix seconds.",
        metavar="NAME",
        default=False,
    ),
]
KeepTexts = Annotated[
    bool, _reading("Keep the texts in the model file, to read documents as they were written.", "--keep-texts")
]
Errors = Annotated[OnError, _reading("At a bad line: stop, or skip and count it.", "--on-error")]

MinDf = Annotated[str, _words("Keep words of at least so many documents, or such a share (0.01).", metavar="N")]
MaxDf = Annotated[str, _words("Keep words of at most so many documents, or such a share.", metavar="N")]
MaxWords = Annotated[int | None, _words("Keep only the most frequent words.", metavar="N", min=1)]
StopWords = Annotated[
    str, _words("Words to leave out: english, none, or a file with one word a line.", metavar="WORDS")
]
Ngrams = Annotated[int, _words("Take runs of up to so many words too.", metavar="N", min=1)]

Candidates = Annotated[
    str | None,
    option(
        OF_LABELS,
        "Labels to choose from: names with commas between, or a file with one a line.",
        metavar="LABELS",
        default="all",
    ),
]
Threshold = Annotated[
    float | None,
    option(
        OF_LABELS,
        "Give a document the labels that have such a share of it.",
        metavar="SHARE",
        default="found in training",
    ),
]
Expected = Annotated[
    LabelPrior | None,
    option(
        OF_LABELS,
        "Expect labels as frequent as in training, or all alike: then short texts get rare labels too.",
        "--label-prior",
        default="as trained: frequency",
    ),
]

Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Where to write.", show_default="standard output"),
]
To = Annotated[OutputLayout | None, typer.Option("--to", help="How to write.", show_default="by the suffix, or jsonl")]
BatchSize = Annotated[int, typer.Option("--batch", min=1, metavar="N", help="Documents in memory at a time.")]

Jobs = Annotated[
    int,
    typer.Option("--jobs", "-j", metavar="N", help="Threads; -1 for all. The answer does not depend on it."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no messages; errors only.")]
Json = Annotated[bool, typer.Option("--json", help="Write the answer as JSON to standard output.")]
