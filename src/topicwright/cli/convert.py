"""``topicwright convert``: a corpus in another format, or a model for other tools."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from . import _options as options
from ._console import say, standard_output, waiting
from ._inputs import InputOptions, WordOptions, read_documents
from ._models import load_model
from ._outputs import check_writable, is_model, is_standard

if TYPE_CHECKING:
    from collections.abc import Iterable

_BY_SUFFIX = {".csv": "topics-csv", ".json": "topics-json"}
_WITH_WORDS = ("topics-csv", "topics-json", "mallet-topic-keys")


def convert(
    source: Annotated[
        str,
        typer.Argument(metavar="INPUT", help="A file of documents, a model file, or -.", show_default=False),
    ],
    output: Annotated[
        str, typer.Argument(metavar="OUTPUT", help="The file to write, or - for standard output.", show_default=False)
    ],
    to: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="Of documents: a format such as jsonl or mtx. Of a model: topics-csv, topics-json, doc-topics-csv, "
            "mallet-topic-keys, mallet-doc-topics, mallet-word-topic-counts, mallet-state, gensim, pyldavis. "
            "By default the suffix tells.",
            show_default=False,
        ),
    ] = None,
    words: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Words of each topic, where topics are written.", show_default="20"),
    ] = None,
    format: options.Format = None,
    text_field: options.TextField = None,
    label_field: options.LabelField = None,
    label_separator: options.LabelSeparator = None,
    id_field: options.IdField = None,
    target_field: options.TargetField = None,
    date_field: options.DateField = None,
    on_error: options.Errors = options.OnError.stop,
    min_df: options.MinDf = "1",
    max_df: options.MaxDf = "1.0",
    max_words: options.MaxWords = None,
    stop_words: options.StopWords = "none",
    ngrams: options.Ngrams = 1,
    quiet: options.Quiet = False,
) -> None:
    """Write a corpus, or what a model has learned, in another format.

    Of documents the words are written, cut as fit would: news.csv news.jsonl, or news.jsonl news.ldac. Of a model, what
    --to asks for: news.tw topics.csv has its topics, news.tw documents.csv --to doc-topics-csv the topics of each
    document. The suffixes .gz, .xz, .bz2 and .zst pack the output.
    """
    check_writable(output, source)
    if is_model(source):
        with waiting(f"exporting {source}", quiet=quiet):
            paths: Iterable[str | Path] = _export(source, output, to, words)
    else:
        if words is not None:
            raise InputError(f"--words goes with a model, and {source} has documents")
        reading = InputOptions(
            format, text_field, label_field, label_separator, id_field, date_field, target_field, on_error
        )
        choice = WordOptions(min_df, max_df, max_words, stop_words, ngrams)
        with waiting(f"reading {source}", quiet=quiet):
            paths = _rewrite(source, output, to, reading, choice)
    if not quiet and not is_standard(output):
        say(f"wrote {', '.join(map(str, paths))}")


def _export(source: str, output: str, to: str | None, words: int | None) -> Iterable[str]:
    from ..io.export import FORMATS, export

    kind = to or _BY_SUFFIX.get(Path(output).suffix)
    if kind not in FORMATS:
        got = repr(to) if to else f"the name {output!r}, which does not tell"
        raise InputError(f"a model can be written as one of {', '.join(FORMATS)}: got {got}")
    if words is not None and kind not in _WITH_WORDS:
        raise InputError(f"--words goes with {', '.join(_WITH_WORDS)}: got {kind}")
    counted: dict[str, Any] = {} if words is None else {"n_words": words}
    export(load_model(source), standard_output() if is_standard(output) else output, kind, **counted)
    return [output]


def _rewrite(source: str, output: str, to: str | None, reading: InputOptions, words: WordOptions) -> Iterable[Path]:
    from ..corpus import write_corpus
    from ..corpus.formats.registry import format_of, get_format
    from ..corpus.formats.sidecars import sidecar_path

    kind = format_of(output, to, writable=True, parameter="to")
    has_sidecars = get_format(kind).holds_counts
    if has_sidecars and not is_standard(output):
        for beside in ("vocab", "docs"):
            check_writable(sidecar_path(Path(output), beside), source)
    corpus = read_documents(source, reading, **words.options())
    if has_sidecars or not is_standard(output) or not sys.stdout.isatty():
        return write_corpus(corpus, output, kind)
    with tempfile.TemporaryDirectory() as folder:  # a screen gets its text cleaned
        page, *_ = write_corpus(corpus, Path(folder) / "page", kind)
        standard_output().write(page.read_text("utf-8"))
    return []
