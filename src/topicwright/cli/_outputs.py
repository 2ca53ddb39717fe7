"""Output files: checked before the work starts, written in batches, and replaced when the work is done."""

from __future__ import annotations

import csv
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from .._utils.formatting import pluralize, safe_json
from ..errors import InputError, TopicwrightError
from ._console import print_message, spinner, standard_output
from ._inputs import InputBatch, InputOptions, is_model, read_batches
from ._options import OutputLayout

if TYPE_CHECKING:
    from ..models import LDA


def check_model(path: Path, *sources: str | Path) -> None:
    """Check that a model can be written to a file; see :func:`check_writable`."""
    if is_standard(path):
        raise InputError("a model cannot be written to standard output: pass a file name")
    check_writable(path, *sources)
    _check_replaceable(path, "model", is_model)
    from ..steering.branches import is_steered, steps_directory

    if path.exists() and is_steered(path):
        raise InputError(
            f"{path} was steered, and the steps in {steps_directory(path)} belong to it: "
            "choose another name with --output, or move that folder"
        )


def check_page(path: str | Path | None, *sources: str | Path | None) -> None:
    """Check that an HTML page can be written to a file; see :func:`check_writable`."""
    check_writable(path, *sources)
    if path is not None:
        _check_replaceable(Path(path), "page", _is_page)


def _is_page(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(100).lstrip().lower().startswith((b"<!doctype", b"<html"))


def _check_replaceable(path: Path, kind: str, is_such: Callable[[Path], bool]) -> None:
    """Raise an error if the file exists and is not of this kind, so that it is not overwritten."""
    if path.is_file() and path.stat().st_size and not is_such(path):
        raise InputError(f"{path} exists and is not a {kind}: choose another name, so that it is not lost")


def check_own(path: str | Path | None, is_own: Callable[[str], bool], *, force: bool) -> None:
    """Raise an error if the file exists and was written by something else, which its beginning tells.

    Parameters
    ----------
    path : str, Path or None
        The output.
    is_own : callable
        Whether the beginning of a file is that of a result of this command.
    force : bool
        Whether any file may be replaced.
    """
    if force or path is None or is_standard(path) or not Path(path).is_file() or not Path(path).stat().st_size:
        return
    if not is_own(_opening(path)):
        raise InputError(
            f"{path} exists and was not written by this command: choose another name, or pass --force to replace it"
        )


def _opening(path: str | Path) -> str:
    """The first characters of a file; empty if it is not a text."""
    from ..corpus.formats.files import open_bytes

    try:
        with open_bytes(path) as file:
            return file.read(_OPENING).decode("utf-8", "ignore")
    except (OSError, ValueError, EOFError, TopicwrightError):  # damaged, or not what its suffix says
        return ""


def check_writable(path: str | Path | None, *sources: str | Path | None) -> None:
    """Raise an error if ``path`` cannot be written, or is one of the sources."""
    if path is None or is_standard(path):
        return
    path = Path(path)
    others = [Path(source) for source in sources if source is not None]
    if path.exists() and any(other.exists() and path.samefile(other) for other in others):
        raise InputError(f"the output must not be an input: got {path} for both")
    if path.exists() and not path.is_file() and not path.is_dir():
        return  # a device or a pipe: opening it may block, or signal the end of the input to its reader
    try:
        _try_to_write(Path(os.path.realpath(path)))
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None


def _try_to_write(target: Path) -> None:
    if not target.parent.is_dir():
        raise FileNotFoundError(0, f"the directory {target.parent} does not exist")
    if target.is_dir():
        raise IsADirectoryError(0, "it is a directory, expected a file name")
    if target.exists():
        with target.open("r+b"):
            pass
    with tempfile.TemporaryFile(dir=target.parent):
        pass


def is_standard(path: str | Path | None) -> bool:
    """Whether this means standard input or output."""
    return path is None or str(path) == "-"


def text_output(path: str | Path | None) -> AbstractContextManager[TextIO]:
    """Output file that is written atomically and compressed by its suffix, or standard output."""
    from ..io.export import open_text

    if path is None or is_standard(path):
        return open_text(standard_output())
    return open_text(path)


def print_json(value: Any) -> None:
    """Print the result of a command as JSON."""
    sys.stdout.write(safe_json(value, indent=2) + "\n")


Record = dict[str, Any]
_OPENING = 2**16  # bytes of a file by which a command recognizes its own results


# ---------------------------------------------------------------------- results about documents, in batches


def with_names(batch: InputBatch, records: Iterable[Record]) -> Iterator[Record]:
    """Records of documents with their ids first and their numbers of unknown words last."""
    for name, record, n_unknown in zip(batch.names, records, batch.unknown.tolist()):
        yield {"id": name, **record, "n_unknown": n_unknown}


class ResultsTable(Protocol):
    """Results of a command about documents."""

    def header(self) -> list[str]:
        """Names of the columns of CSV."""

    def records(self, batch: InputBatch) -> Iterator[Record]:
        """A record for each document, as in JSON."""

    def rows(self, record: Record) -> Iterable[list[Any]]:
        """Rows of CSV for a record."""


@dataclass
class BatchCounts:
    """Numbers of documents and words, for the summary at the end."""

    documents: int = 0
    words: int = 0
    unknown: int = 0
    empty: int = 0

    def add(self, batch: InputBatch) -> None:
        """Add the counts of a batch."""
        self.documents += batch.corpus.n_docs
        n_unknown = int(batch.unknown.sum())
        self.words += batch.corpus.n_tokens + n_unknown
        self.unknown += n_unknown
        self.empty += int((batch.corpus.doc_lengths() == 0).sum())

    def __str__(self) -> str:
        share = f" ({self.unknown / self.words:.1%})" if self.words else ""
        text = f"{pluralize(self.documents, 'document')}, {pluralize(self.words, 'word')}; "
        text += f"the model does not know {self.unknown:,}{share}"
        return text + (f"; documents without a known word: {self.empty:,}" if self.empty else "")


@dataclass(frozen=True, kw_only=True)
class BatchWriter:
    """Reads documents from a file in batches, and writes results about them."""

    source: str
    reading: InputOptions
    output: Path | None
    layout: OutputLayout | None
    batch_size: int
    force: bool

    def write(self, model: LDA, results: ResultsTable, *, quiet: bool) -> None:
        """Write the results of all documents, then a summary to standard error."""
        check_own(self.output, lambda opening: _is_result(opening, results.header()), force=self.force)
        batches = read_batches(model, self.source, self.reading, self.batch_size)
        counts = BatchCounts()
        is_on_screen = is_standard(self.output) and sys.stdout.isatty()
        with text_output(self.output) as file, spinner(f"reading {self.source}", quiet=quiet or is_on_screen):
            table = csv.writer(file, lineterminator="\n") if self._is_csv() else None
            if table is not None:
                table.writerow(results.header())
            for batch in batches:
                counts.add(batch)
                for record in results.records(batch):
                    if table is not None:
                        table.writerows(results.rows(record))
                    else:
                        file.write(safe_json(record) + "\n")
                file.flush()
        if not quiet:
            print_message(str(counts))

    def _is_csv(self) -> bool:
        if self.layout is not None:
            return self.layout is OutputLayout.csv
        return self.output is not None and self.output.name.removesuffix(".gz").endswith(".csv")


_RESULT = re.compile(r'\{"id": .*"n_unknown": \d+\}')


def _is_result(opening: str, header: list[str]) -> bool:
    """Whether a file begins like results about documents, as CSV with this header or as JSON lines."""
    first, line_end, _ = opening.partition("\n")
    if next(csv.reader([first]), None) == header:
        return True
    return _RESULT.fullmatch(first) is not None or (not line_end and first.startswith('{"id": '))
