"""A shard does each sweep once, however often it is asked, and whoever asks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from topicwright import ClusterError
from topicwright.cluster.checkpoints import Attempt
from topicwright.cluster.cutting import Job, cut_corpus, open_run, shard_seed
from topicwright.cluster.shard import Message, Reply, Shard
from topicwright.cluster.table import Table, added, empty_table, table_to_csr


@pytest.fixture
def folder(job: Job, tmp_path: Path) -> Path:
    cut_corpus(job, 3, tmp_path)
    return tmp_path


def nothing(job: Job) -> Table:
    return empty_table(job.n_words, job.n_topics, len(job.tokens))


def message(job: Job, table: Table) -> Message:
    return Message(table, job.alpha, job.beta)


def same(one: Reply, other: Reply) -> bool:
    return one.n_moved == other.n_moved and all(
        a.dtype == b.dtype and np.array_equal(a, b) for a, b in zip(one.delta, other.delta)
    )


def test_shards_together_are_the_corpus(job: Job, folder: Path) -> None:
    shards = [Shard(folder, number) for number in range(open_run(folder).n_shards)]
    np.testing.assert_array_equal(np.concatenate([shard.tokens for shard in shards]), job.tokens)
    lengths = np.concatenate([np.diff(shard.offsets) for shard in shards])
    np.testing.assert_array_equal(lengths, np.diff(job.offsets))
    sizes = [len(shard.tokens) for shard in shards]
    assert max(sizes) - min(sizes) <= np.diff(job.offsets).max()


def test_a_sweep_asked_for_again_is_answered_alike_and_not_done_again(job: Job, folder: Path) -> None:
    shard = Shard(folder, 1)
    first = shard.step(1, message(job, nothing(job)))
    topics = shard.topics(1)
    assert same(first, shard.step(1, message(job, nothing(job))))
    table = added(nothing(job), [first.delta])
    second = shard.step(2, message(job, table))
    assert same(second, shard.step(2, message(job, table)))
    np.testing.assert_array_equal(shard.topics(1), topics)
    assert shard.done == 2
    assert table_to_csr(added(table, [second.delta])).sum() == len(shard.tokens)


@pytest.mark.parametrize("sweep", [0, 2, 5])
def test_a_sweep_out_of_turn_is_an_error(job: Job, folder: Path, sweep: int) -> None:
    shard = Shard(folder, 0)
    if sweep == 0:
        shard.step(1, message(job, nothing(job)))
        shard.step(2, message(job, added(nothing(job), [shard.count(1)])))
    with pytest.raises(ClusterError, match="can't do sweep"):
        shard.step(sweep, message(job, nothing(job)))


def test_a_shard_lost_after_its_checkpoint_sends_the_same_again(job: Job, folder: Path) -> None:
    first = Shard(folder, 2).step(1, message(job, nothing(job)))
    heir = Shard(folder, 2)
    assert heir.done == 1
    assert same(first, heir.step(1, message(job, nothing(job))))


def test_a_shard_lost_before_its_checkpoint_draws_the_same_again(
    job: Job, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = Shard(folder, 2)
    table = added(nothing(job), [lost.step(1, message(job, nothing(job))).delta])
    with monkeypatch.context() as patch:
        patch.setattr(Attempt, "write", lambda *arguments: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            lost.step(2, message(job, table))
    heirs = [Shard(folder, 2)]
    replies = [heirs[0].step(2, message(job, table))]
    other = cut_corpus(job, 3, folder / "undisturbed")
    undisturbed = Shard(other.folder, 2)
    undisturbed.step(1, message(job, nothing(job)))
    assert same(replies[0], undisturbed.step(2, message(job, table)))


def test_unloading_changes_nothing(job: Job, folder: Path, tmp_path: Path) -> None:
    kept, dropped = Shard(folder, 0), Shard(cut_corpus(job, 3, tmp_path / "other").folder, 0)
    table = nothing(job)
    for sweep in range(1, 4):
        replies = [shard.step(sweep, message(job, table)) for shard in (kept, dropped)]
        assert same(*replies)
        dropped.unload()
        table = added(table, [replies[0].delta])


def test_shards_have_random_streams_of_their_own() -> None:
    seeds = [shard_seed(7, number) for number in range(1000)]
    assert seeds[0] == 7
    assert len(set(seeds)) == 1000
    assert not {shard_seed(8, number) for number in range(1000)} & set(seeds)
