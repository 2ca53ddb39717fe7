"""Deferred warnings, by thread."""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

import topicwright as tw
from topicwright._utils.warnings import collect_warnings, warn
from topicwright.errors import TopicwrightWarning, UnknownWordsWarning


def test_warnings_are_recorded_once_in_order() -> None:
    with collect_warnings() as warned:
        for message in ("b", "a", "b"):
            warn(message, UnknownWordsWarning)
    assert warned == {"b": UnknownWordsWarning, "a": UnknownWordsWarning}
    assert list(warned) == ["b", "a"]


def test_deferred_warnings_point_to_the_calling_line() -> None:
    def of_the_library() -> None:
        with collect_warnings():
            warn("not this", TopicwrightWarning)
        warn("look", TopicwrightWarning)

    with pytest.warns(TopicwrightWarning) as given:
        of_the_library()
    assert [(str(one.message), one.filename) for one in given] == [("look", __file__)]


def test_warnings_skip_frames_of_wrappers() -> None:
    lda = tw.LDA(n_topics=2, n_sweeps=2).fit(["ship sea", "bread oven"])
    with pytest.warns(UnknownWordsWarning) as given:
        lda.transform(["ship lamp"])  # which scikit-learn has wrapped
    assert given[0].filename == __file__


def test_threads_defer_their_own_warnings() -> None:
    both = Barrier(2)
    before = (list(warnings.filters), warnings.showwarning)

    def hold(name: str) -> list[str]:
        both.wait()
        with collect_warnings() as warned:
            both.wait()
            warn(name, TopicwrightWarning)
            both.wait()
        return list(warned)

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(hold, "ab")) == [["a"], ["b"]]
    assert (list(warnings.filters), warnings.showwarning) == before
