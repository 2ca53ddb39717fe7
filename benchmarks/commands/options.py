"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

MinDf = Annotated[int, typer.Option(help="Of texts, keep words of at least so many documents.")]
StopWords = Annotated[str, typer.Option(help="Of texts: 'english', or 'none'.")]
TokenPattern = Annotated[str | None, typer.Option(help="What a word is, as a regular expression.")]
Repeats = Annotated[int, typer.Option(help="Runs, each with another seed.")]
Seed = Annotated[int, typer.Option(help="Random seed of the first run.")]
Json = Annotated[Path | None, typer.Option("--json", help="Write every figure to this file.")]
Plot = Annotated[Path | None, typer.Option("--plot", file_okay=False, help="Draw what was measured into this folder.")]
