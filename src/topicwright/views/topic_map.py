"""Map of topics: distances between topics, their layout in the plane, and circles and labels to draw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._utils.validation import check_integer
from .format import check_topic
from .words import topic_sizes

Floats = NDArray[np.float64]
_Box = tuple[float, float, float, float]  # left, top, right, bottom
_MOST_TOPICS, _SMACOF_STEPS = 300, 200
_FILLED = 0.22  # share of the picture that circles cover
_SMALLEST, _LARGEST = 0.011, 0.085  # radii, as shares of the shorter side of the picture
_GAP = 0.006  # between circles
_ROUNDS = 300  # of pulling and pushing circles
_LETTER_WIDTH = 0.56  # relative to the font size
_PADDING = 2.0  # of a label
_GOLDEN_ANGLE = 2.399963


def topic_distances(model: Any, topics: Sequence[int] | None = None) -> Floats:
    """Jensen-Shannon distances between the word distributions of topics.

    Distributions are those of the counts, without the prior. The distance is 0 if two topics have the same
    distribution, and 1 if they have no word in common. A topic without words is at distance 1 from all others.

    Parameters
    ----------
    model : fitted model
        Any model.
    topics : list of int, optional
        Numbers of topics; by default all.

    Returns
    -------
    array of shape (n_topics, n_topics)

    Examples
    --------
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
    """Jensen-Shannon divergences in base 2 from one topic to all, computed from the words that topics share.

    A word of only one of two topics adds half its probability: ½ p log(2p / (p + q)) + ½ q log(2q / (p + q)) is p/2 if
    q is 0. So the divergence is 1 plus ½ p log(p / (p + q)) + ½ q log(q / (p + q)) for each common word.
    """
    start, end = rows.indptr[topic : topic + 2]
    words, p = rows.indices[start:end], rows.data[start:end]
    common = columns[:, words]
    p, q = np.repeat(p, np.diff(common.indptr)), common.data
    terms = 0.5 * (p * np.log2(p / (p + q)) + q * np.log2(q / (p + q)))
    return np.asarray(1 + np.bincount(common.indices, weights=terms, minlength=rows.shape[0]))


def similar_topics(model: Any, topic: int | str, n: int = 5) -> list[tuple[int, float]]:
    """Topics with the most similar words, each with the similarity 1 − distance².

    Parameters
    ----------
    model : fitted model
        Any model.
    topic : int or str
        Number or name of the topic.
    n : int
        Largest number of topics. Topics that have no word in common with the topic are left out.

    Returns
    -------
    list of (int, float)
        Numbers of topics and similarities, most similar first.
    """
    topic = check_topic(model, topic)
    return nearest_topics(topic_distances(model), topic, check_integer("n", n, 1))


def nearest_topics(distances: Floats, row: int, n: int) -> list[tuple[int, float]]:
    """The nearest others to one row of a matrix of distances, with the similarity 1 − distance²."""
    similarity = 1 - distances[row] ** 2
    order = [k for k in np.argsort(-similarity, kind="stable").tolist() if k != row and similarity[k] > 0]
    return [(other, float(similarity[other])) for other in order[:n]]


class TopicLayout(NamedTuple):
    """Positions of topics in the plane, their shares of all tokens, and the distances between their words."""

    topics: NDArray[np.int64]
    positions: Floats
    sizes: Floats
    distances: Floats


def map_of_topics(model: Any, n: int = _MOST_TOPICS, *, like: TopicLayout | None = None) -> TopicLayout:
    """Map of the largest topics by multidimensional scaling of the Jensen-Shannon distances between their words.

    Classical scaling is followed by steps that reduce the stress (SMACOF). The longest axis is horizontal. The map is
    deterministic.

    Parameters
    ----------
    model : fitted model
        Any model.
    n : int
        Largest number of topics. Topics without words are left out.
    like : TopicLayout, optional
        Map of an earlier state of the model. The new map is rotated and mirrored to be close to it.

    Returns
    -------
    TopicLayout

    Examples
    --------
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
    positions = _reduce_stress(_classical_scaling(distances), distances)
    positions = _orient(positions, sizes[topics]) if like is None else _orient_like(positions, topics, like)
    return TopicLayout(topics, positions, sizes[topics], distances)


def _classical_scaling(distances: Floats) -> Floats:
    """Torgerson's scaling: the two longest axes of points that have these distances."""
    inner = -0.5 * _centered(_centered(distances**2).T)
    values, vectors = np.linalg.eigh((inner + inner.T) / 2)
    positions = np.zeros((len(distances), 2))
    longest = np.argsort(-values, kind="stable")[:2]
    positions[:, : len(longest)] = vectors[:, longest] * np.sqrt(np.maximum(values[longest], 0))
    return positions


def _reduce_stress(positions: Floats, distances: Floats) -> Floats:
    """Steps of Guttman's transform (SMACOF), each of which lowers the sum of squared errors of the distances."""
    for _ in range(_SMACOF_STEPS if len(positions) > 2 else 0):
        current = np.linalg.norm(positions[:, None] - positions[None], axis=2)
        ratio = np.divide(distances, current, out=np.zeros_like(current), where=current > 1e-12)
        positions = (ratio.sum(axis=1)[:, None] * positions - ratio @ positions) / len(positions)
    return _centered(positions)


def _orient(positions: Floats, sizes: Floats) -> Floats:
    """Rotated so that the longest axis is horizontal, and mirrored so that most tokens are left and below."""
    if len(positions) == 0:
        return positions
    _, _, axes = np.linalg.svd(positions, full_matrices=False)
    rotated = _centered(positions @ axes.T) if len(axes) == 2 else positions
    weights = sizes @ rotated
    return np.asarray(rotated * np.where(weights > 0, -1.0, 1.0))


def _orient_like(positions: Floats, topics: NDArray[np.int64], like: TopicLayout) -> Floats:
    """Rotated and mirrored to be as close as possible to an earlier map (orthogonal Procrustes)."""
    _, here, there = np.intersect1d(topics, like.topics, return_indices=True)
    if len(here) == 0:
        return positions
    new, old = _centered(positions[here]), _centered(like.positions[there])
    left, _, right = np.linalg.svd(new.T @ old)
    return np.asarray((positions - positions[here].mean(axis=0)) @ left @ right + like.positions[there].mean(axis=0))


def _centered(positions: Floats) -> Floats:
    return np.asarray(positions - positions.mean(axis=0)) if len(positions) else positions


# ---------------------------------------------------------------------- circles


def circle_layout(layout: TopicLayout, width: float, height: float) -> tuple[Floats, Floats]:
    """Centers and radii of circles in a picture of this size, with areas in proportion to the tokens of topics.

    Centers are pulled to their positions on the map and pushed off each other, a fixed number of times.
    """
    short = min(width, height)
    radii = np.sqrt(layout.sizes / max(layout.sizes.sum(), 1e-300) * _FILLED * width * height / np.pi)
    radii = np.clip(radii, _SMALLEST * short, _LARGEST * short)
    centers = _scale_to_picture(layout.positions, radii, width, height)
    targets = centers.copy()
    for turn in range(_ROUNDS):
        centers += 0.02 * (1 - turn / _ROUNDS) * (targets - centers)
        centers += _pushes(centers, radii + _GAP * short / 2)
        centers = np.clip(centers, radii[:, None] + 2, np.array([width, height]) - radii[:, None] - 2)
    return centers, radii


def _scale_to_picture(positions: Floats, radii: Floats, width: float, height: float) -> Floats:
    """The map scaled to fill the picture, with a ratio of at most two between the scales of both axes."""
    if len(positions) == 0:
        return positions.copy()
    low, high = positions.min(axis=0), positions.max(axis=0)
    room = np.array([width, height]) - 2 * radii.max() - 4
    scale = room / np.maximum(high - low, 1e-9)
    scale = np.minimum(scale, 2 * scale.min())
    return np.asarray((positions - (low + high) / 2) * scale + np.array([width, height]) / 2)


def _pushes(centers: Floats, radii: Floats) -> Floats:
    """Half of the overlap for each of two circles; circles with the same center move along a spiral."""
    across, down = (side[:, None] - side[None] for side in centers.T)
    reach = radii[:, None] + radii[None]
    overlapping = across * across + down * down < reach * reach
    np.fill_diagonal(overlapping, False)
    one, other = np.nonzero(overlapping)  # few pairs
    apart = centers[one] - centers[other]
    length = np.linalg.norm(apart, axis=1)[:, None]
    angle = np.arange(len(centers)) * _GOLDEN_ANGLE
    spiral = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    direction = np.where(length < 1e-9, (spiral[one] - spiral[other]) / 2, apart / np.maximum(length, 1e-9))
    pushes = np.zeros_like(centers)
    np.add.at(pushes, one, (reach[one, other][:, None] - length) * direction / 2)
    return pushes


# ---------------------------------------------------------------------- labels


class PlacedLabel(NamedTuple):
    """The number of a circle, and the center of its label."""

    circle: int
    x: float
    y: float


def place_labels(
    centers: Floats, radii: Floats, names: Sequence[str], size: float, width: float, height: float
) -> list[PlacedLabel]:
    """Positions of the labels that fit into the picture at this font size, those of large circles first."""
    boxes: list[_Box] = []
    placed = []
    for circle in np.argsort(-radii, kind="stable").tolist():
        half = len(names[circle]) * _LETTER_WIDTH * size / 2 + _PADDING
        for x, y in _label_positions(centers[circle], float(radii[circle]), half, size):
            box = (x - half, y - size / 2 - _PADDING / 2, x + half, y + size / 2 + _PADDING / 2)
            inside = box[0] >= 0 and box[1] >= 0 and box[2] <= width and box[3] <= height
            if names[circle] and inside and not _overlaps(box, circle, boxes, centers, radii):
                boxes.append(box)
                placed.append(PlacedLabel(circle, x, y))
                break
    return placed


def _label_positions(center: Floats, radius: float, half: float, size: float) -> Iterator[tuple[float, float]]:
    x, y = center.tolist()
    yield x, y + radius + size / 2 + _PADDING
    yield x, y - radius - size / 2 - _PADDING
    yield x + radius + half + _PADDING, y
    yield x - radius - half - _PADDING, y


def _overlaps(box: _Box, own: int, boxes: list[_Box], centers: Floats, radii: Floats) -> bool:
    """Whether a box overlaps an earlier one, or a circle other than its own."""
    left, top, right, bottom = box
    if any(left < b[2] and right > b[0] and top < b[3] and bottom > b[1] for b in boxes):
        return True
    across = centers[:, 0] - np.clip(centers[:, 0], left, right)
    down = centers[:, 1] - np.clip(centers[:, 1], top, bottom)
    hit = np.hypot(across, down) < radii
    hit[own] = False
    return bool(hit.any())
