"""How much the words of topics have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..models.parameters import whole_number
from .checks import checked_topic

Floats = NDArray[np.float64]


def topic_distances(model: Any, topics: Sequence[int] | None = None) -> Floats:
    """Jensen-Shannon distances between the words of topics: 0 where they are the same, 1 where they share none.

    They are of the words that topics hold, without the prior. A topic that holds none is at 1 from all others.

    >>> import topicwright as tw
    >>> model = tw.LabeledLDA(n_sweeps=10).fit(["ship sea", "bread oven"] * 5, [["sea"], ["kitchen"]] * 5)
    >>> topic_distances(model)
    array([[0., 1.],
           [1., 0.]])
    """
    counts = model.topic_word_counts_.astype(np.float64).tocsr()
    counts = counts if topics is None else counts[np.asarray(topics, dtype=np.int64), :]
    sizes = np.asarray(counts.sum(axis=1)).ravel()
    rows = counts.multiply(1 / np.maximum(sizes, 1e-300)[:, None]).tocsr()
    rows.eliminate_zeros()
    columns = rows.tocsc()
    divergence = np.stack([_divergences(rows, columns, topic) for topic in range(rows.shape[0])])
    distances = np.sqrt(np.clip((divergence + divergence.T) / 2, 0, 1))
    np.fill_diagonal(distances, 0.0)
    return np.asarray(distances)


def _divergences(rows: Any, columns: Any, topic: int) -> Floats:
    """From one topic to all: words that only one of two holds add half their share, so only common ones are looked at.

    ½ p log(2p / (p + q)) + ½ q log(2q / (p + q)) is p/2 where q is 0. So it is 1, and for each common word
    ½ p log(p / (p + q)) + ½ q log(q / (p + q)), in base 2.
    """
    start, end = rows.indptr[topic : topic + 2]
    words, p = rows.indices[start:end], rows.data[start:end]
    common = columns[:, words]
    p, q = np.repeat(p, np.diff(common.indptr)), common.data
    terms = 0.5 * (p * np.log2(p / (p + q)) + q * np.log2(q / (p + q)))
    return np.asarray(1 + np.bincount(common.indices, weights=terms, minlength=rows.shape[0]))


def similar_topics(model: Any, topic: int | str, n: int = 5) -> list[tuple[int, float]]:
    """The topics whose words are most like those of one, with 1 − distance²; none that share no word with it."""
    topic = checked_topic(model, topic)
    return nearest(topic_distances(model), topic, whole_number("n", n, 1))


def nearest(distances: Floats, place: int, n: int) -> list[tuple[int, float]]:
    """The nearest others in a matrix of distances, with 1 − distance²."""
    likeness = 1 - distances[place] ** 2
    order = [other for other in np.argsort(-likeness, kind="stable").tolist() if other != place and likeness[other] > 0]
    return [(other, float(likeness[other])) for other in order[:n]]
