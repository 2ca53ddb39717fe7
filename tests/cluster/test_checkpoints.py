"""Topics on disk: two generations, and one writer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from topicwright import ClusterError
from topicwright.cluster.checkpoints import Attempt, Generations, load, save


def topics(sweep: int) -> np.ndarray:
    return np.arange(5, dtype=np.uint32) + sweep


def test_two_generations_are_kept(tmp_path: Path) -> None:
    attempt = Attempt(tmp_path)
    assert attempt.newest() is None
    for sweep in range(1, 5):
        attempt.write(sweep, topics(sweep), 100)
    assert attempt.sweeps() == [3, 4]
    np.testing.assert_array_equal(attempt.read(3), topics(3))
    np.testing.assert_array_equal(attempt.read(4), topics(4))
    with pytest.raises(ClusterError, match="no topics of sweep 2"):
        attempt.read(2)


@pytest.mark.parametrize(("n_topics", "width"), [(255, 1), (256, 2), (65_535, 2), (65_536, 4)])
def test_topics_take_no_more_room_than_they_need(tmp_path: Path, n_topics: int, width: int) -> None:
    """And there is always a number for "none"."""
    Attempt(tmp_path).write(1, np.array([n_topics, 0], np.uint32), n_topics)
    (path,) = tmp_path.glob("attempt-*/z-*.npy")
    assert load(path).itemsize == width
    assert Generations(tmp_path).read(1).tolist() == [n_topics, 0]


def test_a_later_attempt_goes_on_and_the_earlier_can_write_no_more(tmp_path: Path) -> None:
    orphan = Attempt(tmp_path)
    orphan.write(1, topics(1), 100)
    heir = Attempt(tmp_path)
    assert heir.newest() == 1
    with pytest.raises(ClusterError, match="attempt 2 has taken this shard over"):
        orphan.write(2, topics(2), 100)
    heir.write(2, topics(2), 100)
    assert heir.sweeps() == [1, 2]  # one generation of each attempt
    heir.write(3, topics(3), 100)
    assert heir.sweeps() == [2, 3]
    assert heir.attempts() == [2]


def test_what_was_half_written_is_not_there(tmp_path: Path) -> None:
    attempt = Attempt(tmp_path)
    attempt.write(1, topics(1), 100)
    (tmp_path / "attempt-000001" / ".topicwright-0123456789abcdef.tmp").write_bytes(b"half")
    assert Attempt(tmp_path).newest() == 1


def test_arrays_on_disk_are_never_written_back(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    save(path, np.arange(3))
    load(path)[0] = 7
    assert load(path).tolist() == [0, 1, 2]


def test_empty_and_damaged_arrays(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    save(path, np.zeros(0, np.int32))
    assert load(path).shape == (0,)
    path.write_bytes(b"nonsense")
    with pytest.raises(ClusterError, match="is damaged"):
        load(path)
    save(path, np.arange(100))
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(ClusterError, match="is damaged"):
        load(path)
