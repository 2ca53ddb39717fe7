"""Options that several verbs share, written once."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

_READING, _WORDS = "Reading documents", "Choosing words"
OF_LABELS = "For a model of --labels"


class OnError(str, Enum):
    """What to do at a line that can't be read."""

    stop = "stop"
    skip = "skip"


class Layout(str, Enum):
    """How answers about documents are written."""

    jsonl = "jsonl"
    csv = "csv"


ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file.", show_default=False)]
Input = Annotated[
    str,
    typer.Argument(
        metavar="INPUT",
        help="A file of documents (JSONL, CSV, TSV, Parquet, text, MALLET, UCI or lda-c, packed or not), "
        "or - for standard input.",
        show_default=False,
    ),
]

Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        metavar="FORMAT",
        help="jsonl, csv, tsv, parquet, text, mallet, uci or ldac. By default the suffix tells.",
        rich_help_panel=_READING,
        show_default=False,
    ),
]
TextField = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Field of the text.", rich_help_panel=_READING, show_default="text"),
]
LabelField = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Field of the labels.", rich_help_panel=_READING, show_default="labels"),
]
LabelSeparator = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="Between several labels in one string.",
        rich_help_panel=_READING,
        show_default="| in CSV and TSV",
    ),
]
IdField = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Field of the id.", rich_help_panel=_READING, show_default="id"),
]
TargetField = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Field of a number.", rich_help_panel=_READING, show_default=False),
]
DateField = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Field of a date: ISO (2019-05-03), a year, or Unix seconds.",
        rich_help_panel=_READING,
        show_default=False,
    ),
]
KeepTexts = Annotated[
    bool,
    typer.Option(
        "--keep-texts",
        help="Keep the texts in the model file, to read documents as they were written.",
        rich_help_panel=_READING,
    ),
]
Errors = Annotated[
    OnError,
    typer.Option("--on-error", help="At a bad line: stop, or skip and count it.", rich_help_panel=_READING),
]

MinDf = Annotated[
    str,
    typer.Option(
        metavar="N", help="Keep words of at least so many documents, or such a share (0.01).", rich_help_panel=_WORDS
    ),
]
MaxDf = Annotated[
    str,
    typer.Option(metavar="N", help="Keep words of at most so many documents, or such a share.", rich_help_panel=_WORDS),
]
MaxWords = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Keep only the most frequent words.", rich_help_panel=_WORDS),
]
StopWords = Annotated[
    str,
    typer.Option(
        metavar="WORDS",
        help="Words to leave out: english, none, or a file with one word a line.",
        rich_help_panel=_WORDS,
    ),
]
Ngrams = Annotated[
    int,
    typer.Option(min=1, metavar="N", help="Take runs of up to so many words too.", rich_help_panel=_WORDS),
]

Candidates = Annotated[
    str | None,
    typer.Option(
        metavar="LABELS",
        help="Labels to choose from: names with commas between, or a file with one a line.",
        rich_help_panel=OF_LABELS,
        show_default="all",
    ),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="Give a document the labels that have such a share of it.",
        rich_help_panel=OF_LABELS,
        show_default="found in training",
    ),
]

Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Where to write.", show_default="standard output"),
]
To = Annotated[Layout | None, typer.Option("--to", help="How to write.", show_default="by the suffix, or jsonl")]
BatchSize = Annotated[int, typer.Option("--batch", min=1, metavar="N", help="Documents in memory at a time.")]

Jobs = Annotated[
    int,
    typer.Option("--jobs", "-j", metavar="N", help="Threads; -1 for all. The answer does not depend on it."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no messages; errors only.")]
Json = Annotated[bool, typer.Option("--json", help="Write the answer as JSON to standard output.")]
