from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicwright.errors import InputError
from topicwright.evaluation.diversity import diversity


def test_diversity_is_the_fraction_of_unique_top_words():
    assert diversity([["a", "b"], ["c", "d"]]) == 1.0
    assert diversity([["a", "b"], ["b", "a"]]) == 0.5
    assert diversity([["a", "b", "c"], ["a", "d", "e"]], top=1) == 0.5
    assert diversity([["a", "b", "c"], ["a"]]) == 0.75


def test_words_ids_arrays_and_models_agree():
    class Model:
        def top_words(self, n):
            return [["w0", "w1"][:n], ["w1", "w2"][:n]]

    assert diversity(Model()) == diversity(np.array([[0, 1], [1, 2]])) == diversity([[0, 1], [1, 2]]) == 0.75
    assert diversity(Model(), top=1) == 1.0


def test_empty_topics_are_ignored():
    class Model:
        def top_words(self, n):
            return [["w0", "w1"], [], ["w1", "w2"]]

    assert diversity(Model()) == 0.75


@given(st.lists(st.lists(st.integers(0, 30), min_size=4, max_size=4, unique=True), min_size=1))
def test_diversity_is_within_its_bounds(topics):
    assert 1 / len(topics) <= diversity(topics) <= 1
    assert diversity(topics) == diversity(topics[::-1]) == len(np.unique(topics)) / np.size(topics)


@pytest.mark.parametrize(
    ("topics", "top", "message"),
    [
        ([["a", "b"]], 0, "top must be an integer of at least 1: got 0"),
        ([["a", "b"]], 2.5, "top must be an integer: got 2.5"),
        ([], 25, "topics must hold at least one topic"),
        ([["a"], []], 25, "topic 1 must have at least 1 word: got 0"),
        ([["a", "a"]], 25, "topic 0 must not repeat a word: got 'a' twice"),
    ],
)
def test_rejects_invalid_input(topics, top, message):
    with pytest.raises(InputError, match=message):
        diversity(topics, top)
