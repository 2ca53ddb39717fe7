"""How a corpus looks: in a line, and in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._showing import html_table, shown

if TYPE_CHECKING:
    from .core import Corpus

_DOCUMENTS, _CHARACTERS, _WORDS = 5, 120, 30


def parts_of(corpus: Corpus) -> list[str]:
    """What a corpus holds: how much of each."""
    parts = [f"{corpus.n_docs:,} documents", f"{corpus.n_tokens:,} tokens", f"{corpus.n_words:,} words"]
    if corpus.labels is not None:
        parts.append(f"{len(corpus.label_names()):,} labels")
    if corpus.targets is not None:
        parts.append("targets")
    if corpus.links is not None:
        parts.append(f"{len(corpus.links):,} links")
    if corpus.dates is not None:
        n_missing = int(np.isnat(corpus.dates).sum())
        parts.append(f"dates ({n_missing:,} missing)" if n_missing else "dates")
    return parts if corpus.texts is None else [*parts, "texts"]


def html_of(corpus: Corpus) -> str:
    """What it holds, and its first documents."""
    columns = [name for name in ("ids", "labels", "targets", "dates") if getattr(corpus, name) is not None]
    heads = ["", *({"ids": "id", "dates": "date", "targets": "target"}.get(name, name) for name in columns)]
    n = min(corpus.n_docs, _DOCUMENTS)
    rows = [[f"{row:,}", *(_entry(corpus, name, row) for name in columns), _start(corpus, row)] for row in range(n)]
    more = f"… and {corpus.n_docs - n:,} more" if corpus.n_docs > n else ""
    return html_table(f"Corpus: {', '.join(parts_of(corpus))}", [*heads, _said(corpus)], rows, more)


def _said(corpus: Corpus) -> str:
    return "words" if corpus.texts is None else "text"


def _start(corpus: Corpus, row: int) -> str:
    """How a document begins: as it was written, or else its words."""
    if corpus.texts is not None:
        return shown(corpus.texts[row], _CHARACTERS)
    words = corpus.vocabulary[corpus.doc(row)[:_WORDS]]
    return shown(" ".join(words) + (" …" if len(corpus.doc(row)) > _WORDS else ""), _CHARACTERS)


def _entry(corpus: Corpus, name: str, row: int) -> str:
    value: Any = getattr(corpus, name)[row]
    if name == "dates":
        return "–" if np.isnat(value) else str(value).removesuffix("T00:00:00").replace("T", " ")
    if name == "targets":
        return shown(", ".join(f"{number:g}" for number in np.atleast_1d(value)), 40)
    return shown(", ".join(value) if name == "labels" else value, 40)
