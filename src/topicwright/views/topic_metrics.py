"""Metrics of topics: size, coherence, weights in predictions, and labels of their documents."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ..errors import InputError
from ..evaluation import coherence
from ..io.export.base import topic_weights
from .validation import has_documents, require_documents

Floats = NDArray[np.float64]


def topic_sizes(model: Any) -> Floats:
    """Share of all tokens that each topic has."""
    return np.array(topic_weights(model))


def coherence_of_topics(model: Any, measure: str = "npmi") -> Floats:
    """Coherence of each topic in the training documents.

    Words co-occur if they are in the same window of a text, or in the same document if the model was trained on counts,
    which have no word order. See :func:`topicwright.evaluation.coherence`.

    Parameters
    ----------
    model : fitted model
        With its training documents.
    measure : {"npmi", "c_v", "umass"}
        Coherence measure.

    Returns
    -------
    array of shape (n_topics,)
        NaN for topics with fewer than two words.

    Examples
    --------
    >>> import topicwright as tw
    >>> model = tw.LabeledLDA(n_sweeps=10).fit(["ship sea", "bread oven"] * 5, [["sea"], ["kitchen"]] * 5)
    >>> coherence_of_topics(model).round(2)
    array([1., 1.])
    """
    require_documents(model, "coherence_of_topics")
    if all(len(words) < 2 for words in model.top_words(2)):
        return np.full(len(model.alpha_), np.nan)
    window = None if model.corpus_.tokenizer is not None else 0
    return coherence(model, model.corpus_, measure, window=window, per_topic=True)


def weights_of_topics(model: Any) -> dict[str, list[float]]:
    """Weight of each topic in each class or target, by name; empty if the model predicts nothing."""
    if not hasattr(model, "coef_"):
        return {}
    rows = np.atleast_2d(model.coef_)
    if hasattr(model, "classes_"):
        names = list(map(str, model.classes_.tolist()))
        if len(rows) < len(names):  # of two classes, a model has the weights of the second only
            rows = np.vstack([0.0 - rows, rows])
        return dict(zip(names, rows.tolist()))
    return {"y" if len(rows) == 1 else f"y[{number}]": row for number, row in enumerate(rows.tolist())}


def labels_of(model: Any) -> tuple[list[str], Any]:
    """Labels of the training documents, and for each topic the share of its tokens that is in documents of each label.

    A token counts for every label of its document.

    Returns
    -------
    names : list of str
        The labels.
    shares : CSR array of shape (n_topics, n_labels)
        Shares of all tokens of a topic.

    Examples
    --------
    >>> import topicwright as tw
    >>> corpus = tw.Corpus.from_texts(["ship sea", "bread oven"], labels=[["sea"], ["kitchen"]])
    >>> names, shares = labels_of(tw.LDA(n_topics=1, n_sweeps=5).fit(corpus))
    >>> names, shares.toarray()
    (['kitchen', 'sea'], array([[0.5, 0.5]]))
    """
    if not has_documents(model) or model.corpus_.labels is None:
        raise InputError("labels_of needs training documents with labels, and this model has none of them")
    corpus = model.corpus_
    names = corpus.label_names()
    number = {name: column for column, name in enumerate(names)}
    columns = [number[name] for name in chain.from_iterable(corpus.labels)]
    starts = np.concatenate([[0], np.cumsum([len(own) for own in corpus.labels])])
    has = csr_array((np.ones(len(columns)), columns, starts), shape=(corpus.n_docs, len(names)))
    counts = (model.doc_topic_counts_.T @ has).tocsr()
    sizes = np.asarray(model.doc_topic_counts_.sum(axis=0), dtype=np.float64).ravel()
    return names, counts.multiply(1 / np.maximum(sizes, 1)[:, None]).tocsr()
