"""Corpora and links of the SC-LDA benchmark."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from topicwright.errors import InputError

from ..common.datasets import Source, has_counts, read
from .options import SCLDAOptions

if TYPE_CHECKING:
    from topicwright.corpus.corpus import Corpus

Link = tuple[str, str]

# What to ask of a corpus for links, from usual to generous, until there are enough.
_LADDER: tuple[dict[str, Any], ...] = (
    {},
    {"threshold": 0.3, "per_word": 10},
    {"threshold": 0.2, "per_word": 10, "share": 1.0, "min_docs": 20},
)


class Loaded(TypedDict):
    """What ``run`` takes beside its options."""

    links_corpus: Corpus | None
    labels_corpus: Corpus | None
    links: list[Link]


@dataclass(frozen=True)
class Sources:
    """Files, and how texts become words."""

    links_corpus: str
    labels_corpus: str
    links: Path | None = None  # or else from the corpus itself
    min_df: int = 5
    stop_words: str = "english"


def load(options: SCLDAOptions, sources: Sources, progress: Callable[[str], object]) -> Loaded:
    """What the parts that the options name need."""
    names = (
        sources.links_corpus if options.need_links_corpus else None,
        sources.labels_corpus if options.need_labels else None,
    )
    links_corpus, labels_corpus = load_corpora(*names, sources.min_df, sources.stop_words)
    links: list[Link] = []
    if links_corpus is not None and options.need_links:
        progress("looking for links")
        if sources.links is None:
            links = find_links(links_corpus, options.n_links)
        else:
            links = read_links(sources.links, links_corpus)
    return Loaded(links_corpus=links_corpus, labels_corpus=labels_corpus, links=links)


def load_corpora(
    links: str | None, labels: str | None, min_df: int, stop_words: str
) -> tuple[Corpus | None, Corpus | None]:
    """The corpus of the parts about links, and of those about labels; None for one that is not needed."""
    first = None if links is None else load_corpus(links, min_df, stop_words)
    if labels is None:
        return first, None
    return first, first if labels == links else load_corpus(labels, min_df, stop_words)


def load_corpus(name: str, min_df: int, stop_words: str) -> Corpus:
    """A file of documents, cut into words; or a file of counts, taken as it is; or the docstrings."""
    if has_counts(name):
        from topicwright.corpus import read_corpus

        return read_corpus(name)
    return read(Source(name, min_df=min_df, stop_words=stop_words))


def find_links(corpus: Corpus, most: int) -> list[Link]:
    """Must-links derived from the corpus, the most similar words first; fewer if there are no more."""
    from topicwright.knowledge.sources import links_from_corpus

    links: list[Any] = []
    for asked in _LADDER:
        links = links_from_corpus(corpus, most=most, **asked)
        if len(links) >= most:
            break
    return [(a, b) for a, b, *_ in links]


def read_links(path: Path, corpus: Corpus) -> list[Link]:
    """Must-links of a file, each once, of words that the corpus has: a JSON list of pairs, or a knowledge file."""
    from topicwright.knowledge import MustLinks, read_knowledge

    listed = _listed(path)
    known = [MustLinks(listed)] if listed is not None else read_knowledge(path)
    pairs = [pair for item in known if isinstance(item, MustLinks) for pair in item.pairs(corpus)[0].tolist()]
    if not pairs:
        raise InputError(f"{path}: must have must-links between words of the corpus: got none")
    return [(str(corpus.vocabulary[a]), str(corpus.vocabulary[b])) for a, b in dict.fromkeys(map(tuple, pairs))]


def _listed(path: Path) -> list[Any] | None:
    """The entries of a plain JSON list of lists; None for any other file."""
    if path.suffix.lower() != ".json":
        return None
    try:
        data = json.loads(path.read_text(encoding="utf8"))
    except ValueError:
        return None  # the reader of knowledge files says what is wrong
    return data if isinstance(data, list) and all(isinstance(link, list) for link in data) else None
