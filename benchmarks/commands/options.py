"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

MinDf = Annotated[int, typer.Option(help="Minimum number of documents of a word, for texts.")]
StopWords = Annotated[str, typer.Option(help="'english' or 'none', for texts.")]
TokenPattern = Annotated[str | None, typer.Option(help="Regular expression of a word.")]
Repeats = Annotated[int, typer.Option(help="Number of runs with different seeds.")]
Seed = Annotated[int, typer.Option(help="Random seed of the first run.")]
Json = Annotated[Path | None, typer.Option("--json", help="Write all results to this file.")]
Plot = Annotated[Path | None, typer.Option("--plot", file_okay=False, help="Write plots to this folder.")]
