"""The ``topicwright links`` command: propose must-links, as a knowledge file to edit."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .._utils.formatting import pluralize
from .._utils.warnings import warn
from ..errors import InputError, TopicwrightError, TopicwrightWarning
from . import _options as options
from ._console import print_message, spinner, standard_output
from ._inputs import InputOptions, WordOptions, read_documents
from ._options import Select, expand_groups
from ._outputs import check_own, check_writable, is_standard, print_json

if TYPE_CHECKING:
    from ..corpus import Corpus

_LINKS = "Links"


@expand_groups
def links(
    source: options.Input,
    reading: Annotated[InputOptions, Select("format", "text_field", "on_error")],
    words: WordOptions,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The knowledge file to write.", show_default=False),
    ] = None,
    most: Annotated[
        int, typer.Option(min=1, metavar="N", help="Largest number of pairs.", rich_help_panel=_LINKS)
    ] = 100,
    vectors: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Word vectors (word2vec, GloVe, safetensors) instead of those of the documents.",
            rich_help_panel=_LINKS,
            show_default=False,
        ),
    ] = None,
    wordnet: Annotated[
        bool, typer.Option("--wordnet", help="Synonyms of WordNet whose vectors agree.", rich_help_panel=_LINKS)
    ] = False,
    threshold: Annotated[
        float | None,
        typer.Option(min=-1.0, max=1.0, metavar="NUMBER", help="Least similarity of a pair.", rich_help_panel=_LINKS),
    ] = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Propose pairs of words that belong together.

    Pairs are found by the co-occurrence of words in the documents, by word vectors, or in WordNet. Edit the file, then
    pass it to topicwright fit --knowledge.
    """
    if output is not None and is_standard(output):
        raise InputError(parameter="--output", expected="a file name", got="-", hint="leave it out to see the pairs")
    check_writable(output, source, vectors)
    check_own(output, lambda opening: _is_unedited(str(output)), force=force)
    with spinner(f"reading {source}", quiet=quiet):
        corpus = read_documents(source, reading, **words.parameters())
    with spinner("looking for links", quiet=quiet):
        pairs = _find(corpus, most, vectors, wordnet, {} if threshold is None else {"threshold": threshold})
    if not pairs:
        warn(
            f"no pair of words is similar enough in {pluralize(corpus.n_docs, 'document')}: use more documents or a "
            "lower `threshold`",
            TopicwrightWarning,
        )
    if output is not None:
        from ..knowledge import MustLinks, write_knowledge

        write_knowledge([MustLinks(pairs)], str(output))
        if not quiet:
            found = pluralize(len(pairs), "pair")
            print_message(f"{found} of words in {output}: edit it, then topicwright fit … --knowledge {output}")
    if json:
        print_json({"links": [list(pair) for pair in pairs], "file": None if output is None else str(output)})
    elif output is None:
        standard_output().writelines(f"{one} {other}\n" for one, other in pairs)


def _is_unedited(path: str) -> bool:
    """Whether a file has only links, in exactly the form in which they are written."""
    from ..knowledge import MustLinks, read_knowledge, write_knowledge

    try:
        items = read_knowledge(path)
        with tempfile.TemporaryDirectory() as folder:
            again = Path(folder) / Path(path).name
            write_knowledge(items, str(again))
            return [type(item) for item in items] == [MustLinks] and again.read_bytes() == Path(path).read_bytes()
    except (OSError, TopicwrightError):
        return False


def _find(
    corpus: Corpus, most: int, vectors: str | None, wordnet: bool, threshold: dict[str, Any]
) -> list[tuple[str, str]]:
    from ..knowledge.sources import (
        links_from_corpus,
        links_from_vectors,
        links_from_wordnet,
        load_vectors,
        vectors_from_corpus,
    )

    words = corpus.vocabulary
    if wordnet:
        known = vectors_from_corpus(corpus) if vectors is None else load_vectors(vectors, vocabulary=words)
        return links_from_wordnet(words, vectors=known, most=most, **threshold)
    if vectors is not None:
        return links_from_vectors(words, load_vectors(vectors, vocabulary=words), most=most, per_word=3, **threshold)
    return links_from_corpus(corpus, most=most, **threshold)
