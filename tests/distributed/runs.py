"""A model that trains quickly, and comparison of models."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import topicwright as tw
from topicwright.distributed.disk_backend import LocalWorkers

LINKS_BETWEEN = [tw.DocumentLinks([(d, 91 - d) for d in range(0, 46, 2)])]  # from one end of the news to the other


def lda(**options: Any) -> tw.LDA:
    return tw.LDA(**{"n_topics": 5, "n_sweeps": 30, "random_state": 3, "evaluate_every": 10, **options})


def assert_same(one: Any, other: Any) -> None:
    np.testing.assert_array_equal(one.assignments_, other.assignments_)
    np.testing.assert_array_equal(one.alpha_, other.alpha_)
    np.testing.assert_array_equal(one.beta_, other.beta_)
    assert one.log_likelihood_ == other.log_likelihood_
    for counts in ("topic_word_counts_", "doc_topic_counts_"):
        np.testing.assert_array_equal(getattr(one, counts).toarray(), getattr(other, counts).toarray())
    assert one.sweeps_ == other.sweeps_


class CutOffError(Exception):
    pass


@contextmanager
def driver_lost_before(call: int) -> Iterator[None]:
    """The driver dies before its nth call of the workers, which must be reached."""
    numbers, submit = iter(range(1, 1000)), LocalWorkers.submit  # which calls are made by as well

    def die_before(self: Any, *arguments: Any) -> Any:
        if next(numbers) == call:
            raise CutOffError
        return submit(self, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LocalWorkers, "submit", die_before)
        with pytest.raises(CutOffError):
            yield
