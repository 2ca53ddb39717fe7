"""Topics on disk: two generations of each block of words, and one writer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from topicwright import ClusterError
from topicwright.distributed.checkpoints import Attempt, ShardCheckpoints, load, save


def topics(step: int) -> np.ndarray:
    return np.arange(5, dtype=np.uint32) + step


def test_two_generations_are_kept(tmp_path: Path) -> None:
    attempt = Attempt(tmp_path, 1)
    assert attempt.newest() is None
    for step in range(1, 5):
        attempt.write(0, step, topics(step), 100)
    assert attempt.newest() == 4
    np.testing.assert_array_equal(attempt.read(0, 3), topics(3))
    np.testing.assert_array_equal(attempt.read(0, 4), topics(4))
    assert attempt.read(0, 2) is None


def test_block_has_its_last_written_value(tmp_path: Path) -> None:
    attempt = Attempt(tmp_path, 2)
    for step in range(1, 8):
        attempt.write(step % 2, step, topics(step), 100)
    for block, step, written in ((1, 7, 7), (0, 7, 6), (1, 6, 5), (0, 6, 6), (0, 5, 4)):
        np.testing.assert_array_equal(attempt.read(block, step), topics(written))
    assert len(list(tmp_path.glob("*/*.npy"))) == 4


@pytest.mark.parametrize(("n_topics", "width"), [(255, 1), (256, 2), (65_535, 2), (65_536, 4)])
def test_topics_use_the_smallest_type(tmp_path: Path, n_topics: int, width: int) -> None:
    """One value is reserved for "none"."""
    Attempt(tmp_path, 1).write(0, 1, np.array([n_topics, 0], np.uint32), n_topics)
    (path,) = tmp_path.glob("attempt-*/z-*.npy")
    assert load(path).itemsize == width
    kept = ShardCheckpoints(tmp_path).read(0, 1)
    assert kept is not None
    assert kept.tolist() == [n_topics, 0]


def test_later_attempt_takes_over_and_locks_out_the_earlier(tmp_path: Path) -> None:
    orphan = Attempt(tmp_path, 2)
    orphan.write(0, 1, topics(1), 100)
    heir = Attempt(tmp_path, 2)
    assert heir.newest() == 1
    with pytest.raises(ClusterError, match="attempt 2 has taken over"):
        orphan.write(1, 2, topics(2), 100)
    for step in range(2, 5):
        heir.write((step - 1) % 2, step, topics(step), 100)
        np.testing.assert_array_equal(heir.read(0, 2), topics(1))  # which the orphan wrote
    assert heir.attempts() == [1, 2]
    heir.write(0, 5, topics(5), 100)
    assert heir.attempts() == [2]


def test_partial_writes_are_ignored(tmp_path: Path) -> None:
    Attempt(tmp_path, 1).write(0, 1, topics(1), 100)
    (tmp_path / "attempt-000001" / ".topicwright-0123456789abcdef.tmp").write_bytes(b"half")
    assert Attempt(tmp_path, 1).newest() == 1


def test_arrays_on_disk_are_read_only(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    save(path, np.arange(3000))
    load(path)[0] = 7
    assert load(path)[0] == 0


def test_empty_and_damaged_arrays(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    save(path, np.zeros(0, np.int32))
    assert load(path).shape == (0,)
    path.write_bytes(b"nonsense")
    with pytest.raises(ClusterError, match="is damaged"):
        load(path)
    for length in (100, 3000):
        save(path, np.arange(length))
        path.write_bytes(path.read_bytes()[:-100])
        with pytest.raises(ClusterError, match="is damaged"):
            load(path)
