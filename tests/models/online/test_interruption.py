"""Ctrl-C, SIGTERM and failures during a batch: each document is learned completely or not at all."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import topicwright as tw
from topicwright._utils.signals import defer_signals
from topicwright.errors import InputError

from .test_model import KINDS, TEXTS, state_of, stream_of


@contextmanager
def ctrl_c_within(seconds: float) -> Iterator[None]:
    """Send Ctrl-C after this many seconds; code that finishes earlier waits for it.

    Ctrl-C is sent again if a finalizer caught the first, because exceptions raised there are lost.
    """
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    yield
    timer.join()
    time.sleep(1)
    signal.raise_signal(signal.SIGINT)


class InterruptingStr(str):
    """Words and labels that send Ctrl-C at the n-th lookup."""

    __slots__ = ()
    lookups_left = 0

    def __hash__(self) -> int:
        InterruptingStr.lookups_left -= 1
        if InterruptingStr.lookups_left == 0:
            signal.raise_signal(signal.SIGINT)
        return super().__hash__()


@pytest.mark.parametrize("kind", ["defaults", "resampled", "likely"])
@pytest.mark.parametrize("share", [0.02, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
def test_ctrl_c_at_any_step_of_a_batch(kind: str, share: float) -> None:
    texts, labels = stream_of(40, without=0.2)
    words = [text.split() for text in texts]
    loud_words = [[InterruptingStr(word) for word in own] for own in words[20:]]
    loud_labels = [None if own is None else [*map(InterruptingStr, own)] for own in labels[20:]]

    def half() -> tw.OnlineLabeledLDA:
        return tw.OnlineLabeledLDA(**KINDS[kind]).fit(words[:20], labels[:20])

    InterruptingStr.lookups_left = 0
    calm = half().partial_fit(loud_words, loud_labels)
    n_looks = -InterruptingStr.lookups_left
    model = half()
    InterruptingStr.lookups_left = max(1, int(share * n_looks))
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(loud_words, loud_labels)
    assert model.n_docs_read_ == (20 if share < 0.1 else 40)  # the first lookups are those of validation
    if model.n_docs_read_ == 20:
        model.partial_fit(words[20:], labels[20:])
    assert state_of(model) == state_of(calm)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Ctrl-C inside a finalizer
@pytest.mark.parametrize("size", [9, 700])
def test_ctrl_c_at_any_time(size: int) -> None:
    """Each call is interrupted at another moment; counters give the documents that were learned."""
    texts, labels = stream_of(2 * size if size > 100 else 30 * size)
    calm = tw.OnlineLabeledLDA(n_particles=2).fit(texts, labels)
    model = tw.OnlineLabeledLDA(n_particles=2)
    rng, n_calls = np.random.default_rng(0), 0
    while (done := model.n_docs_read_) < len(texts):
        n_calls += 1
        with pytest.raises(KeyboardInterrupt), ctrl_c_within(rng.uniform(0, 0.003 if n_calls < 40 else 0.3)):
            model.partial_fit(texts[done : done + size], labels[done : done + size])
        assert model.n_docs_read_ - done in (0, 500, min(size, len(texts) - done))
    assert state_of(model) == state_of(calm)


def test_ctrl_c_in_the_middle_of_an_iterator() -> None:
    texts, labels = stream_of(900)

    def pairs() -> Iterator[tuple[Any, Any]]:
        for number, (text, own) in enumerate(zip(texts, labels)):
            yield text.split() if number != 450 else [InterruptingStr("wave")], own

    model = tw.OnlineLabeledLDA(n_particles=2)
    InterruptingStr.lookups_left = 1
    with pytest.raises(KeyboardInterrupt):
        model.learn(pairs(), batch_size=800)
    assert model.n_docs_seen_ == 800  # what the iterator has given
    assert sorted(model.new_labels_) == ["court", "kitchen", "sea"]


def test_failed_batch_is_reported(tmp_path: Any) -> None:
    class Failing(str):
        __slots__ = ()
        looks = 2

        def __hash__(self) -> int:
            Failing.looks -= 1
            if Failing.looks < 0:
                raise MemoryError
            return super().__hash__()

    model = tw.OnlineLabeledLDA().fit(TEXTS[:1], [["sea"]])
    model.save(tmp_path / "m.tw")
    with pytest.raises(MemoryError):
        model.partial_fit([["ship", Failing("wave")]] * 5, [["sea"]] * 5)
    for go_on in (lambda: model.partial_fit(["ship"], ["sea"]), lambda: model.save(tmp_path / "m.tw"), model.prune):
        with pytest.raises(InputError, match="stopped in the middle of a document"):
            go_on()
    assert tw.load(tmp_path / "m.tw").partial_fit(["ship"], [["sea"]]).n_docs_seen_ == 2
    assert model.fit(["ship"], [["sea"]]).n_docs_seen_ == 1


def test_signals_are_deferred_and_then_delivered() -> None:
    heard: list[int] = []

    def work() -> None:
        with defer_signals():
            signal.raise_signal(signal.SIGTERM)
            signal.raise_signal(signal.SIGINT)
            assert heard == []

    before = signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
        assert heard == [signal.SIGTERM]
        signal.raise_signal(signal.SIGTERM)
        assert heard == [signal.SIGTERM] * 2
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGTERM, before)


def test_learns_in_another_thread() -> None:
    model = tw.OnlineLabeledLDA()
    thread = threading.Thread(target=lambda: model.partial_fit(["ship"], [["sea"]]))
    thread.start()
    thread.join()
    assert model.n_docs_seen_ == 1
