"""Entries of the suite: a table or figure, the command that measures it in each size, and the text beside it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROGRAM = "python -m benchmarks"
DATA = "$TOPICWRIGHT_DATA"
SIZES = {
    "tiny": "a test run; the figures mean nothing",
    "small": "smaller than in the papers, with fewer topics and sweeps, shorter budgets, and one seed for most parts",
    "paper": "the numbers of topics and sweeps of the papers, several seeds; some parts take hours",
}

Summarize = Callable[[Any], list[str]]


@dataclass(frozen=True)
class Entry:
    """One part of the suite, with one result file."""

    name: str
    kind: str  # kind of benchmark
    title: str
    shows: str  # what is measured, and what the paper says
    args: str  # arguments in every size
    sizes: Mapping[str, str]  # further arguments by size
    data: str  # the corpus, and what it replaces
    summarize: Summarize  # sentences made from the results
    differs: str = ""  # differences in the method
    leave_out: tuple[str, ...] = ()  # columns that are too many for a page

    def command(self, size: str) -> str:
        """The shell command that measures it."""
        return f"{PROGRAM} {self.kind} {self.args} {self.sizes[size]}".strip()

    def missing(self, data: Path | None) -> list[str]:
        """Files that it needs and that are missing."""
        return [name for name in self.files if data is None or not (data / name).is_file()]

    @property
    def files(self) -> list[str]:
        """Files that it reads from the data folder."""
        return re.findall(re.escape(DATA) + r"/(\S+)", self.args)


def arguments(command: str, data: Path) -> list[str]:
    """The words of a command, without the program's name.

    >>> arguments("python -m benchmarks lda --corpus $TOPICWRIGHT_DATA/a.txt", Path("texts"))
    ['lda', '--corpus', 'texts/a.txt']
    """
    return [word.replace(DATA, data.as_posix()) for word in shlex.split(command)[len(PROGRAM.split()) :]]


@dataclass(frozen=True)
class Section:
    """A paper, or another group of entries."""

    title: str
    about: str
    entries: tuple[Entry, ...]
    data: Mapping[str, tuple[int | None, int | None, int | None]]  # the paper's corpora: documents, tokens, words
