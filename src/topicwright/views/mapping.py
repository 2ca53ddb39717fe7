"""A map of topics: those with like words lie near each other."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..models.parameters import whole_number
from .measures import topic_sizes
from .similarity import topic_distances

Floats = NDArray[np.float64]
_MOST, _STEPS = 300, 200


class TopicMap(NamedTuple):
    """Places of topics in the plane, their shares of all tokens, and how far their words are apart."""

    topics: NDArray[np.int64]
    positions: Floats
    sizes: Floats
    distances: Floats


def map_of_topics(model: Any, n: int = _MOST, *, like: TopicMap | None = None) -> TopicMap:
    """Where topics lie, by the Jensen-Shannon distances of their words: the ``n`` largest that hold words, by number.

    The places are those of multidimensional scaling: classical scaling, then steps that bring distances on the map
    nearer to those of the words (SMACOF). The longest axis runs from left to right. Nothing is left to chance: a model
    has one map. With ``like``, a map of an earlier state of the model, the new one is turned to lie as that did.

    >>> import topicwright as tw
    >>> labels = [["sea"], ["kitchen"], ["court"]] * 5
    >>> model = tw.LabeledLDA(n_sweeps=10).fit(["ship sea storm", "bread oven salt", "law oven salt"] * 5, labels)
    >>> map_of_topics(model).topics
    array([0, 1, 2])
    """
    check_is_fitted(model)
    sizes = topic_sizes(model)
    largest = np.argsort(-sizes, kind="stable")[: whole_number("n", n, 1)]
    topics = np.sort(largest[sizes[largest] > 0]).astype(np.int64)
    distances = topic_distances(model, topics.tolist())
    places = _nearer(_classical(distances), distances)
    places = _upright(places, sizes[topics]) if like is None else _turned_like(places, topics, like)
    return TopicMap(topics, places, sizes[topics], distances)


def _classical(distances: Floats) -> Floats:
    """Torgerson's scaling: the two longest axes of points that have these distances."""
    inner = -0.5 * _centred(_centred(distances**2).T)
    values, vectors = np.linalg.eigh((inner + inner.T) / 2)
    places = np.zeros((len(distances), 2))
    longest = np.argsort(-values, kind="stable")[:2]
    places[:, : len(longest)] = vectors[:, longest] * np.sqrt(np.maximum(values[longest], 0))
    return places


def _nearer(places: Floats, distances: Floats) -> Floats:
    """Steps of Guttman's transform, each of which lowers the sum of squared errors of the distances."""
    for _ in range(_STEPS if len(places) > 2 else 0):
        shown = np.linalg.norm(places[:, None] - places[None], axis=2)
        ratio = np.divide(distances, shown, out=np.zeros_like(shown), where=shown > 1e-12)
        places = (ratio.sum(axis=1)[:, None] * places - ratio @ places) / len(places)
    return _centred(places)


def _upright(places: Floats, sizes: Floats) -> Floats:
    """The longest axis level; the larger part of all tokens left and below."""
    if len(places) == 0:
        return places
    _, _, axes = np.linalg.svd(places, full_matrices=False)
    turned = _centred(places @ axes.T) if len(axes) == 2 else places
    weights = sizes @ turned
    return np.asarray(turned * np.where(weights > 0, -1.0, 1.0))


def _turned_like(places: Floats, topics: NDArray[np.int64], like: TopicMap) -> Floats:
    """Turned and mirrored so that topics lie as near as can be to where they lay (orthogonal Procrustes)."""
    _, here, there = np.intersect1d(topics, like.topics, return_indices=True)
    if len(here) == 0:
        return places
    mine, old = _centred(places[here]), _centred(like.positions[there])
    left, _, right = np.linalg.svd(mine.T @ old)
    return np.asarray((places - places[here].mean(axis=0)) @ left @ right + like.positions[there].mean(axis=0))


def _centred(places: Floats) -> Floats:
    return np.asarray(places - places.mean(axis=0)) if len(places) else places
