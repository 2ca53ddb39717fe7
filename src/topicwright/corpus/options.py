"""The options that methods of ``Corpus`` share."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, TypedDict


class CutOptions(TypedDict, total=False):
    """How texts are cut into words and which words are kept: see ``Corpus.from_texts``."""

    min_df: float
    max_df: float
    max_words: int | None
    stop_words: str | Iterable[str] | None
    ngram_range: tuple[int, int]
    lowercase: bool
    token_pattern: str | None
    tokenizer: Any
    vocabulary: Any
    keep_texts: bool
    store: str | os.PathLike[str] | None


PRUNING = {"min_df", "max_df", "max_words", "stop_words"}
"""Those that choose words, and do not cut texts."""


class KnownOptions(TypedDict, total=False):
    """What is known about the documents: see ``Corpus``."""

    labels: Any
    targets: Any
    links: Any
    ids: Any
    dates: Any
