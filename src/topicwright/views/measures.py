"""Numbers of topics: how large each is, and how well its words go together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..evaluation import coherence
from ..io.export.protocol import topic_weights
from .checks import has_documents

Floats = NDArray[np.float64]


def topic_sizes(model: Any) -> Floats:
    """Each topic's share of all tokens."""
    return np.array(topic_weights(model))


def coherence_of_topics(model: Any, measure: str = "npmi") -> Floats:
    """The coherence of each topic in the training documents; NaN where a topic holds fewer than two words.

    Where the model was trained on texts, words are together in a window; else, since the order of words may be lost,
    in a document. See :func:`topicwright.evaluation.coherence`.

    >>> import topicwright as tw
    >>> model = tw.LabeledLDA(n_sweeps=10).fit(["ship sea", "bread oven"] * 5, [["sea"], ["kitchen"]] * 5)
    >>> coherence_of_topics(model).round(2)
    array([1., 1.])
    """
    if not has_documents(model):
        raise InputError("coherence_of_topics needs the training documents, and this model does not keep them")
    if all(len(words) < 2 for words in model.top_words(2)):
        return np.full(len(model.alpha_), np.nan)
    window = None if model.corpus_.tokenizer is not None else 0
    return coherence(model, model.corpus_, measure, window=window, per_topic=True)
