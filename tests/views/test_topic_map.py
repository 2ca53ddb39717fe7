"""Topic map: positions follow distances, are deterministic, and are stable under small changes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

import topicwright as tw
from topicwright.views import map_of_topics
from topicwright.views.format import Axis
from topicwright.views.topic_map import TopicLayout, _classical_scaling, circle_layout, place_labels

from .conftest import KINDS


def of_distances(places):
    return np.linalg.norm(places[:, None] - places[None], axis=2)


@pytest.fixture(scope="module")
def many():
    """Twelve topics in three groups that share words."""
    rng = np.random.default_rng(0)
    groups = [[f"g{g}w{i}" for i in range(12)] for g in range(3)]
    texts, labels = [], []
    for document in range(240):
        label = document % 12
        own = [f"t{label}w{i}" for i in range(6)]
        texts.append(rng.choice(groups[label % 3] + own, 20).tolist())
        labels.append([f"l{label:02d}"])
    return tw.LabeledLDA(n_sweeps=5).fit(texts, labels)


def test_recovers_points_of_a_plane():
    points = np.random.default_rng(0).normal(size=(7, 2))
    np.testing.assert_allclose(of_distances(_classical_scaling(of_distances(points))), of_distances(points), atol=1e-9)


def test_similar_topics_are_close(many):
    places = map_of_topics(many)
    pairs = np.triu_indices(12, 1)
    assert spearmanr(of_distances(places.positions)[pairs], places.distances[pairs]).statistic > 0.7
    same = (np.arange(12)[:, None] % 3 == np.arange(12)[None] % 3)[pairs]
    shown = of_distances(places.positions)[pairs]
    assert shown[same].max() < shown[~same].min()


def test_iterations_reduce_stress(many):
    places = map_of_topics(many)

    def error(positions):
        return ((of_distances(positions) - places.distances) ** 2).sum()

    assert error(places.positions) < error(_classical_scaling(places.distances))


def test_map_is_deterministic(many):
    first, second = map_of_topics(many), map_of_topics(many)
    np.testing.assert_array_equal(first.positions, second.positions)
    np.testing.assert_allclose(first.sizes, many.topic_word_counts_.sum(axis=1) / many.corpus_.n_tokens)


def test_map_orientation_is_canonical(many):
    places = map_of_topics(many)
    spread = places.positions.T @ places.positions
    assert spread[0, 0] >= spread[1, 1]
    assert abs(spread[0, 1]) < 1e-9 * spread[0, 0]
    assert (places.sizes @ places.positions <= 0).all()


def test_map_is_aligned_with_an_earlier_one(many):
    places = map_of_topics(many)
    mirrored = places._replace(positions=places.positions @ np.array([[0.0, 1.0], [1.0, 0.0]]) + 3.0)
    np.testing.assert_allclose(map_of_topics(many, like=mirrored).positions, mirrored.positions, atol=1e-9)
    part = mirrored._replace(topics=mirrored.topics[:5], positions=mirrored.positions[:5])
    np.testing.assert_allclose(map_of_topics(many, like=part).positions, mirrored.positions, atol=1e-9)


def test_a_change_of_few_words_moves_topics_little(many):
    """One document of 240 is left out."""
    part = tw.LabeledLDA(n_sweeps=5).fit(many.corpus_.select(np.arange(1, 240)))
    before = map_of_topics(many)
    after = map_of_topics(part, like=before)
    assert np.abs(after.positions - before.positions).max() < 0.1 * np.ptp(before.positions)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_model_has_a_map(models, kind):
    places = map_of_topics(models(kind))
    assert np.isfinite(places.positions).all()
    assert len(places.topics) <= len(models(kind).alpha_)


def test_only_the_largest_topics(many):
    sizes = map_of_topics(many).sizes
    chosen = map_of_topics(many, 4)
    assert len(chosen.topics) == 4
    assert chosen.sizes.min() >= np.sort(sizes)[-4]


@pytest.mark.parametrize("n_topics", [1, 2, 3])
def test_few_topics(n_topics):
    model = tw.LDA(n_topics=n_topics, n_sweeps=5).fit(["red blue green", "ship sea storm"] * 9)
    places = map_of_topics(model)
    centers, _ = circle_layout(places, 300, 200)
    assert np.isfinite(places.positions).all()
    assert np.isfinite(centers).all()


def test_circles_do_not_cover_each_other(many):
    centers, radii = circle_layout(map_of_topics(many), 600, 500)
    gaps = of_distances(centers) - radii[:, None] - radii[None]
    assert gaps[np.triu_indices(12, 1)].min() > -0.5
    assert (centers - radii[:, None] >= 0).all()
    assert (centers + radii[:, None] <= [600, 500]).all()


def test_coincident_circles_are_separated():
    places = TopicLayout(np.arange(30), np.zeros((30, 2)), np.full(30, 1 / 30), np.zeros((30, 30)))
    centers, radii = circle_layout(places, 600, 500)
    gaps = of_distances(centers) - radii[:, None] - radii[None]
    assert gaps[np.triu_indices(30, 1)].min() > -0.5


def test_areas_are_in_proportion_to_tokens():
    rng = np.random.default_rng(0)
    sizes = rng.uniform(1, 3, 60)
    places = TopicLayout(np.arange(60), rng.normal(size=(60, 2)), sizes / sizes.sum(), np.ones((60, 60)))
    _, radii = circle_layout(places, 600, 500)
    np.testing.assert_allclose(radii**2 / radii[0] ** 2, sizes / sizes[0])


def test_names_do_not_overlap():
    rng = np.random.default_rng(0)
    centers, radii = rng.uniform(20, 380, (40, 2)), np.full(40, 8.0)
    names = ["a name"] * 40
    placed = place_labels(centers, radii, names, 10.0, 400, 400)
    assert 5 < len(placed) < 40
    half = len("a name") * 5.6 / 2
    for n, (circle, x, y) in enumerate(placed):
        assert all(abs(x - b.x) >= 2 * half or abs(y - b.y) >= 10 for b in placed[:n])
        nearest = np.hypot(*(centers - np.clip(centers, [x - half, y - 5], [x + half, y + 5])).T)
        nearest[circle] = np.inf
        assert nearest.min() >= 8


def test_ticks_are_round_and_in_range():
    ticks = Axis([-8.93, -8.41], 0, 1).ticks()
    assert [label for _, label in ticks] == ["−8.8", "−8.6"]
    assert Axis([3.0, 3.0], 0, 10).at(3.0) == 5
    assert Axis([10, 1200], 0, 1).ticks()[-1][1] == "1,000"


def test_small_fluctuations_are_not_exaggerated():
    axis = Axis([1.0, 1.01], 0, 100, span=1.0)
    assert axis.at(1.0) == pytest.approx(49.5)
    assert axis.at(1.01) == pytest.approx(50.5)
