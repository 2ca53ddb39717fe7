"""Numbers of topics: how large each is, and how well its words go together."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ..errors import InputError
from ..evaluation import coherence
from ..io.export.base import topic_weights
from ..models._classification import of_both_classes
from .validation import has_documents

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


def weights_of_topics(model: Any) -> dict[str, list[float]]:
    """The weight of each topic in each class or number; of a model that predicts nothing there are none."""
    if not hasattr(model, "coef_"):
        return {}
    rows = np.atleast_2d(model.coef_)
    if hasattr(model, "classes_"):
        names = list(map(str, model.classes_.tolist()))
        return dict(zip(names, of_both_classes(rows.T, len(names)).T.tolist()))
    return {"y" if len(rows) == 1 else f"y[{number}]": row for number, row in enumerate(rows.tolist())}


def labels_of(model: Any) -> tuple[list[str], Any]:
    """The labels of the training documents, and for each topic how its tokens spread over them: a CSR array.

    A token counts for each of its document's labels. Shares are of all tokens of the topic.

    >>> import topicwright as tw
    >>> corpus = tw.Corpus.from_texts(["ship sea", "bread oven"], labels=[["sea"], ["kitchen"]])
    >>> names, shares = labels_of(tw.LDA(n_topics=1, n_sweeps=5).fit(corpus))
    >>> names, shares.toarray()
    (['kitchen', 'sea'], array([[0.5, 0.5]]))
    """
    if not has_documents(model) or model.corpus_.labels is None:
        raise InputError("labels_of needs training documents with labels, and this model has none")
    corpus = model.corpus_
    names = corpus.label_names()
    number = {name: place for place, name in enumerate(names)}
    columns = [number[name] for name in chain.from_iterable(corpus.labels)]
    starts = np.concatenate([[0], np.cumsum([len(own) for own in corpus.labels])])
    has = csr_array((np.ones(len(columns)), columns, starts), shape=(corpus.n_docs, len(names)))
    counts = (model.doc_topic_counts_.T @ has).tocsr()
    sizes = np.asarray(model.doc_topic_counts_.sum(axis=0), dtype=np.float64).ravel()
    return names, counts.multiply(1 / np.maximum(sizes, 1)[:, None]).tocsr()
