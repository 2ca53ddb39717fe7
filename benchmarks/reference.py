"""``topicwright benchmark lda`` on the reference corpora: same options, but ``--corpus`` is 20ng or arxiv.

python benchmarks/reference.py --corpus 20ng --n-topics 100 --programs topicwright,tomotopy,cpp
"""

from __future__ import annotations

import typer

from corpora import CORPORA, prepare
from topicwright.benchmarks import command


def load(corpus: str, held_out: str | None, min_df: int, stop_words: str) -> tuple[object, object]:
    """In place of files: the corpus of that name, and its test part where it has one."""
    name = "20ng" if corpus == "docstrings" else corpus
    if name not in CORPORA:
        raise typer.BadParameter(f"--corpus must be one of {', '.join(CORPORA)}: got {name}")
    if held_out is not None or (min_df, stop_words) != (5, "english"):
        raise typer.BadParameter("a reference corpus is prepared in one way: no --held-out, --min-df, --stop-words")
    return prepare(name), prepare("20ng_test") if name == "20ng" else None


if __name__ == "__main__":
    command.load = load
    typer.run(command.benchmark_lda)
