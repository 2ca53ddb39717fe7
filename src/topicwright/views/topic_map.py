"""A map of topics: those with like words lie near each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._utils.validation import check_integer
from .topic_metrics import topic_sizes
from .validation import checked_topic

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
    return nearest(topic_distances(model), topic, check_integer("n", n, 1))


def nearest(distances: Floats, place: int, n: int) -> list[tuple[int, float]]:
    """The nearest others in a matrix of distances, with 1 − distance²."""
    likeness = 1 - distances[place] ** 2
    order = [other for other in np.argsort(-likeness, kind="stable").tolist() if other != place and likeness[other] > 0]
    return [(other, float(likeness[other])) for other in order[:n]]


_MOST, _STEPS = 300, 200


class TopicLayout(NamedTuple):
    """Places of topics in the plane, their shares of all tokens, and how far their words are apart."""

    topics: NDArray[np.int64]
    positions: Floats
    sizes: Floats
    distances: Floats


def map_of_topics(model: Any, n: int = _MOST, *, like: TopicLayout | None = None) -> TopicLayout:
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
    largest = np.argsort(-sizes, kind="stable")[: check_integer("n", n, 1)]
    topics = np.sort(largest[sizes[largest] > 0]).astype(np.int64)
    distances = topic_distances(model, topics.tolist())
    places = _nearer(_classical(distances), distances)
    places = _upright(places, sizes[topics]) if like is None else _turned_like(places, topics, like)
    return TopicLayout(topics, places, sizes[topics], distances)


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


def _turned_like(places: Floats, topics: NDArray[np.int64], like: TopicLayout) -> Floats:
    """Turned and mirrored so that topics lie as near as can be to where they lay (orthogonal Procrustes)."""
    _, here, there = np.intersect1d(topics, like.topics, return_indices=True)
    if len(here) == 0:
        return places
    mine, old = _centred(places[here]), _centred(like.positions[there])
    left, _, right = np.linalg.svd(mine.T @ old)
    return np.asarray((places - places[here].mean(axis=0)) @ left @ right + like.positions[there].mean(axis=0))


def _centred(places: Floats) -> Floats:
    return np.asarray(places - places.mean(axis=0)) if len(places) else places


_FILLED = 0.22  # the share of the picture that circles cover
_SMALLEST, _LARGEST = 0.011, 0.085  # radii, as shares of the picture's shorter side
_GAP = 0.006
_ROUNDS = 300


def circles(places: TopicLayout, width: float, height: float) -> tuple[Floats, Floats]:
    """Centres and radii in a picture of such a size; areas are in proportion to the topics' tokens, as far as can be.

    Centres are pulled to where the map has them and pushed off each other, the same number of times for any map.
    """
    short = min(width, height)
    radii = np.sqrt(places.sizes / max(places.sizes.sum(), 1e-300) * _FILLED * width * height / np.pi)
    radii = np.clip(radii, _SMALLEST * short, _LARGEST * short)
    centres = _fitted(places.positions, radii, width, height)
    home = centres.copy()
    for turn in range(_ROUNDS):
        centres += 0.02 * (1 - turn / _ROUNDS) * (home - centres)
        centres += _pushes(centres, radii + _GAP * short / 2)
        centres = np.clip(centres, radii[:, None] + 2, np.array([width, height]) - radii[:, None] - 2)
    return centres, radii


def _fitted(positions: Floats, radii: Floats, width: float, height: float) -> Floats:
    """The map stretched to fill the picture, each way by itself, but not by more than twice the other."""
    if len(positions) == 0:
        return positions.copy()
    low, high = positions.min(axis=0), positions.max(axis=0)
    room = np.array([width, height]) - 2 * radii.max() - 4
    scale = room / np.maximum(high - low, 1e-9)
    scale = np.minimum(scale, 2 * scale.min())
    return np.asarray((positions - (low + high) / 2) * scale + np.array([width, height]) / 2)


def _pushes(centres: Floats, radii: Floats) -> Floats:
    """Half of the overlap for each of two circles; such as lie on one spot part along a spiral."""
    across, down = (side[:, None] - side[None] for side in centres.T)
    reach = radii[:, None] + radii[None]
    overlapping = across * across + down * down < reach * reach
    np.fill_diagonal(overlapping, False)
    one, other = np.nonzero(overlapping)  # few pairs, and only these are looked at further
    apart = centres[one] - centres[other]
    length = np.linalg.norm(apart, axis=1)[:, None]
    angle = np.arange(len(centres)) * 2.399963  # the golden angle
    spiral = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    direction = np.where(length < 1e-9, (spiral[one] - spiral[other]) / 2, apart / np.maximum(length, 1e-9))
    pushes = np.zeros_like(centres)
    np.add.at(pushes, one, (reach[one, other][:, None] - length) * direction / 2)
    return pushes


_LETTER = 0.56  # the width of a letter, in heights of the type
_AIR = 2.0


class Placed(NamedTuple):
    """A name and the middle of its line."""

    circle: int
    x: float
    y: float


def place_names(
    centres: Floats, radii: Floats, names: Sequence[str], size: float, width: float, height: float
) -> list[Placed]:
    """The names for which there is room in type of such a size, those of large circles first."""
    boxes: list[tuple[float, float, float, float]] = []
    placed = []
    for circle in np.argsort(-radii, kind="stable").tolist():
        half = len(names[circle]) * _LETTER * size / 2 + _AIR
        for x, y in _places(centres[circle], float(radii[circle]), half, size):
            box = (x - half, y - size / 2 - _AIR / 2, x + half, y + size / 2 + _AIR / 2)
            inside = box[0] >= 0 and box[1] >= 0 and box[2] <= width and box[3] <= height
            if names[circle] and inside and not _covers(box, circle, boxes, centres, radii):
                boxes.append(box)
                placed.append(Placed(circle, x, y))
                break
    return placed


def _places(centre: Floats, radius: float, half: float, size: float) -> Iterator[tuple[float, float]]:
    x, y = centre.tolist()
    yield x, y + radius + size / 2 + _AIR
    yield x, y - radius - size / 2 - _AIR
    yield x + radius + half + _AIR, y
    yield x - radius - half - _AIR, y


def _covers(
    box: tuple[float, float, float, float],
    own: int,
    boxes: list[tuple[float, float, float, float]],
    centres: Floats,
    radii: Floats,
) -> bool:
    left, top, right, bottom = box
    if any(left < b[2] and right > b[0] and top < b[3] and bottom > b[1] for b in boxes):
        return True
    across = centres[:, 0] - np.clip(centres[:, 0], left, right)
    down = centres[:, 1] - np.clip(centres[:, 1], top, bottom)
    hit = np.hypot(across, down) < radii
    hit[own] = False
    return bool(hit.any())
