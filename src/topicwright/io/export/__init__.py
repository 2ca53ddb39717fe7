"""Exports of fitted models: tables, MALLET's files, gensim's model, pyLDAvis's input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._utils.validation import check_choice
from .base import FittedModel, Target
from .libraries import gensim_files, pyldavis_json, to_gensim, to_pyldavis
from .tables import (
    doc_topics_to_csv,
    mallet_doc_topics,
    mallet_state,
    mallet_topic_keys,
    mallet_word_topic_counts,
    topics_to_csv,
    topics_to_json,
)

__all__ = [
    "FORMATS",
    "FittedModel",
    "doc_topics_to_csv",
    "export",
    "mallet_doc_topics",
    "mallet_state",
    "mallet_topic_keys",
    "mallet_word_topic_counts",
    "to_gensim",
    "to_pyldavis",
    "topics_to_csv",
    "topics_to_json",
]

FORMATS: dict[str, Callable[..., None]] = {
    "topics-csv": topics_to_csv,
    "topics-json": topics_to_json,
    "doc-topics-csv": doc_topics_to_csv,
    "mallet-topic-keys": mallet_topic_keys,
    "mallet-doc-topics": mallet_doc_topics,
    "mallet-word-topic-counts": mallet_word_topic_counts,
    "mallet-state": mallet_state,
    "gensim": gensim_files,
    "pyldavis": pyldavis_json,
}
"""Functions that write each format of ``export``."""


def export(model: FittedModel, target: Target, format: str, **options: Any) -> None:
    """Write a fitted model in a format of another tool.

    Parameters
    ----------
    model : fitted model
        The model.
    target : path or file object
        Where to write. A file at a path is replaced atomically.
    format : str
        One of ``FORMATS``.
    **options
        Options of the format, such as ``n_words`` of "topics-csv".

    Examples
    --------
    >>> import io
    >>> import topicwright as tw
    >>> from topicwright.io.export import export
    >>> lda = tw.LDA(n_topics=2, n_sweeps=5).fit(["red apples", "green grass"])
    >>> table = io.StringIO()
    >>> export(lda, table, "topics-csv", n_words=3)
    >>> table.getvalue().splitlines()[0]
    'topic,weight,rank,word,probability'
    """
    FORMATS[check_choice("format", format, FORMATS)](model, target, **options)
