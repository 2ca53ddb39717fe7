"""Which labels the words of topics come from."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from ..errors import InputError
from .checks import has_documents


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
