"""Correlation of topics in documents, and their hierarchy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster.hierarchy import cophenet
from scipy.spatial.distance import squareform

import topicwright as tw
from topicwright.views import topic_correlations, topic_distances, topic_groups, topic_hierarchy

from ..assertions import raises_input
from ..conftest import THEMES
from .conftest import KINDS, drawn, without_documents


@pytest.fixture(scope="module")
def pairs():
    """Six topics of which the first three share words with the last three, two by two."""
    rng = np.random.default_rng(0)
    themes = [words.split() for words in THEMES.values()]
    texts, labels = [], []
    for i in range(120):
        theme, half = i % 3, i // 3 % 2
        own = themes[theme][4 * half : 4 * half + 4] + themes[theme][2:6]
        texts.append(" ".join(rng.choice(own, 12)))
        labels.append([f"{half}{theme}"])
    return tw.LabeledLDA(n_sweeps=20).fit(texts, labels)


def test_correlations_are_those_of_numpy(models, monkeypatch):
    model = models("lda")
    expected = np.corrcoef(model.doc_topic_.T)
    np.testing.assert_allclose(topic_correlations(model), expected, atol=1e-10)
    monkeypatch.setattr("topicwright.views.hierarchy._ROWS", 7)
    np.testing.assert_allclose(topic_correlations(model), expected, atol=1e-10)


def test_correlations_of_a_constant_topic():
    correlations = topic_correlations(tw.LDA(n_topics=1, n_sweeps=2).fit(["ship sea", "bread oven"] * 5))
    assert correlations.tolist() == [[1.0]]
    same = topic_correlations(tw.LDA(n_topics=2, n_sweeps=2).fit(["ship sea"] * 3))
    assert np.isfinite(same).all()


def test_correlations_need_documents(models, tmp_path):
    with raises_input(match="topic_correlations needs the training documents"):
        topic_correlations(without_documents(models("lda"), tmp_path))


def test_similar_topics_are_merged_first(pairs):
    hierarchy = topic_hierarchy(pairs)
    assert hierarchy.cut(3) == [[0, 3], [1, 4], [2, 5]]
    assert hierarchy.cut(6) == [[k] for k in range(6)]
    assert hierarchy.cut(1) == [list(range(6))]
    with raises_input("n_groups", got=7):
        hierarchy.cut(7)


def test_topics_without_common_words_can_be_cut_too():
    model = tw.LabeledLDA(n_sweeps=2).fit(["ship", "bread", "law", "moon"], [["a"], ["b"], ["c"], ["d"]])
    assert [len(topic_hierarchy(model).cut(n)) for n in (1, 2, 3, 4)] == [1, 2, 3, 4]


def test_merges_are_at_the_mean_distance(pairs):
    heights = squareform(cophenet(topic_hierarchy(pairs).linkage))
    distances = topic_distances(pairs)
    for groups in (topic_hierarchy(pairs).cut(3), topic_hierarchy(pairs).cut(2)):
        for group in groups:
            joined = max(heights[a, b] for a in group for b in group)
            top = [(a, b) for a in group for b in group if a < b and heights[a, b] == joined]
            assert joined == pytest.approx(np.mean([distances[pair] for pair in top]))


def test_groups_have_the_words_of_their_topics(pairs):
    groups = topic_groups(pairs, 3, n_words=5)
    assert sum(group.share for group in groups) == pytest.approx(1)
    assert [group.share for group in groups] == sorted((group.share for group in groups), reverse=True)
    for group in groups:
        theme = list(THEMES.values())[group.topics[0] % 3].split()
        assert set(group.words) <= set(theme)
    assert groups.to_frame().shape == (3, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_plots_of_every_kind(models, kind):
    model = models(kind)
    figure = model.plot_hierarchy()
    assert all(drawn(figure))
    axes = figure.axes[0]
    n_topics = int((np.asarray(model.topic_word_counts_.sum(axis=1)) > 0).sum())
    assert len(axes.lines) == n_topics - 1
    leaves = [int(label.get_text().split()[0]) for label in axes.get_yticklabels()]
    assert sorted(leaves) == topic_hierarchy(model).topics.tolist()


def test_empty_and_single_topics():
    model = tw.LDA(n_topics=1, n_sweeps=2).fit(["ship sea", "bread oven"] * 5)
    assert topic_hierarchy(model).cut(1) == [[0]]
    assert len(model.plot_hierarchy().axes[0].lines) == 0
    many = tw.LDA(n_topics=8, n_sweeps=30).fit(["ship", "sea"] * 5)
    hierarchy = topic_hierarchy(many)
    assert len(hierarchy.topics) < 8
    assert sorted(k for group in hierarchy.cut(1) for k in group) == hierarchy.topics.tolist()
