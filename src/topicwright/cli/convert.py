"""The ``topicwright convert`` command: a corpus in another format, or a model for other tools."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from . import _options as options
from ._console import print_message, spinner, standard_output
from ._inputs import InputOptions, WordOptions, is_model, load_model, read_documents
from ._options import Select, expand_groups
from ._outputs import check_own, check_writable, is_standard

if TYPE_CHECKING:
    from collections.abc import Iterable

_BY_SUFFIX = {".csv": "topics-csv", ".json": "topics-json"}
_WITH_WORDS = ("topics-csv", "topics-json", "mallet-topic-keys")


@expand_groups
def convert(
    source: Annotated[
        str,
        typer.Argument(metavar="INPUT", help="A file of documents, a model file, or -.", show_default=False),
    ],
    output: Annotated[
        str, typer.Argument(metavar="OUTPUT", help="The file to write, or - for standard output.", show_default=False)
    ],
    reading: InputOptions,
    choice: Annotated[WordOptions, Select(stop_words="none")],
    to: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="Of documents: a format such as jsonl or mtx. Of a model: topics-csv, topics-json, doc-topics-csv, "
            "mallet-topic-keys, mallet-doc-topics, mallet-word-topic-counts, mallet-state, gensim, pyldavis. "
            "By default it depends on the suffix.",
            show_default=False,
        ),
    ] = None,
    words: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Words of each topic, where topics are written.", show_default="20"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
    quiet: options.Quiet = False,
) -> None:
    """Write a corpus or a model in another format.

    INPUT is a file of documents or a model. Documents are written as the words that fit would use.
    Of a model, topics are written, or the part that --to names: doc-topics-csv is the topics of each document.
    The suffixes .gz, .xz, .bz2 and .zst compress the output.
    """
    check_writable(output, source)
    check_own(output, _is_unknown, force=force)
    if is_model(source):
        with spinner(f"exporting {source}", quiet=quiet):
            paths: Iterable[str | Path] = _export(source, output, to, words)
    else:
        if words is not None:
            raise InputError(f"--words needs a model, and {source} has documents")
        with spinner(f"reading {source}", quiet=quiet):
            paths = _rewrite(source, output, to, reading, choice, force)
    if not quiet and not is_standard(output):
        print_message(f"wrote {', '.join(map(str, paths))}")


def _export(source: str, output: str, to: str | None, words: int | None) -> Iterable[str]:
    from ..io.export import FORMATS, export

    kind = to or _BY_SUFFIX.get(Path(output).suffix)
    if kind not in FORMATS:
        got = to or output
        raise InputError(parameter="--to", expected=f"one of {', '.join(FORMATS)} for a model", got=got)
    if words is not None and kind not in _WITH_WORDS:
        raise InputError(f"--words needs --to {', '.join(_WITH_WORDS)}: got {kind}")
    n_words: dict[str, Any] = {} if words is None else {"n_words": words}
    export(load_model(source), standard_output() if is_standard(output) else output, kind, **n_words)
    return [output]


def _is_unknown(opening: str) -> bool:
    """False: a file of documents does not tell which program wrote it."""
    return False


def _rewrite(
    source: str, output: str, to: str | None, reading: InputOptions, words: WordOptions, force: bool
) -> Iterable[Path]:
    from ..corpus import write_corpus
    from ..corpus.formats.counts import sidecar_path
    from ..corpus.formats.registry import format_of, get_format

    kind = format_of(output, to, writable=True, parameter="to")
    has_sidecars = get_format(kind).holds_counts
    if has_sidecars and not is_standard(output):
        for beside in ("vocab", "docs"):
            check_writable(sidecar_path(Path(output), beside), source)
            check_own(sidecar_path(Path(output), beside), _is_unknown, force=force)
    corpus = read_documents(source, reading, **words.parameters())
    if has_sidecars or not is_standard(output) or not sys.stdout.isatty():
        return write_corpus(corpus, output, kind)
    with tempfile.TemporaryDirectory() as folder:  # control characters must not reach a terminal
        page, *_ = write_corpus(corpus, Path(folder) / "page", kind)
        standard_output().write(page.read_text("utf-8"))
    return []
