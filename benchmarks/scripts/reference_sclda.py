"""``python -m benchmarks sclda`` on the paper's corpora: the same options, but the corpora are ``nips`` and ``20ng``.

    python -m benchmarks.scripts.reference_sclda --part table2 --json table2.json

``nips`` is UCI's bag of words as it is. ``20ng`` is all 18,846 posts with their groups as labels, with the headers
"From" and "Subject" alone (as in the copy that the paper used), tokenized like our other corpora, and without words
that occur fewer than ten times. The files are expected where ``reference_corpora`` expects them.
"""

from __future__ import annotations

import json
import lzma
from collections import Counter
from dataclasses import replace
from itertools import chain

import typer

from topicwright.corpus import read_corpus
from topicwright.corpus.corpus import Corpus

from ..commands.sclda import benchmark_sclda
from ..sclda import corpora as loading
from .reference_corpora import data_file, encode, tokenize

MIN_COUNT = 10
HEADERS = ("From:", "Subject:")


def nips() -> Corpus:
    return read_corpus(str(data_file("nips_uci.docword.txt.gz")))


def newsgroups() -> Corpus:
    with lzma.open(data_file("20newsgroups.jsonl.xz"), "rt", encoding="utf8") as lines:
        posts = [json.loads(line) for line in lines]
    docs = tokenize(with_two_headers(post["text"]) for post in posts)
    counts = Counter(chain.from_iterable(docs))
    corpus = encode(docs, sorted(word for word, count in counts.items() if count >= MIN_COUNT))
    return replace(corpus, labels=tuple(tuple(post["labels"]) for post in posts))


def with_two_headers(text: str) -> str:
    head, _, body = text.partition("\n\n")
    return "\n".join([*(line for line in head.splitlines() if line.startswith(HEADERS)), body])


CORPORA = {"nips": nips, "20ng": newsgroups}


def load_corpora(
    links: str | None, labels: str | None, min_df: int, stop_words: str
) -> tuple[Corpus | None, Corpus | None]:
    """In place of files: the corpora of these names, by default those of the paper."""
    if (min_df, stop_words) != (5, "english"):
        raise typer.BadParameter("a reference corpus is prepared in one way: no --min-df, --stop-words")
    return _load(links, "nips"), _load(labels, "20ng")


def _load(name: str | None, usual: str) -> Corpus | None:
    if name is None:
        return None
    name = usual if name == "docstrings" else name
    if name not in CORPORA:
        raise typer.BadParameter(f"a corpus must be one of {', '.join(CORPORA)}: got {name}")
    return CORPORA[name]()


if __name__ == "__main__":
    loading.load_corpora = load_corpora
    typer.run(benchmark_sclda)
