"""A shard does each step once, however often it is called."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from topicwright import ClusterError
from topicwright._sampling.engine import SamplingProblem
from topicwright.distributed.checkpoints import Attempt
from topicwright.distributed.count_table import CountDelta, apply_deltas, empty_table
from topicwright.distributed.protocol import StepReply, SweepMessage, round_at
from topicwright.distributed.shard import Shard
from topicwright.distributed.sharding import open_run, shard_corpus, shard_seed

N_SHARDS, N_ROUNDS = 3, 2


Answer = tuple[StepReply, np.ndarray, CountDelta]


class Alone:
    """One shard with its own driver."""

    def __init__(self, problem: SamplingProblem, folder: Path, number: int) -> None:
        self.problem, self.folder, self.number = problem, folder, number
        run = open_run(folder)
        self.tables = [
            empty_table(run.words(block), problem.n_topics, len(problem.tokens)) for block in range(N_ROUNDS)
        ]
        self.shard = Shard(folder, number)
        self.answers: list[Answer] = []

    def message(self) -> SweepMessage:
        return SweepMessage(self.problem.alpha, self.problem.beta)

    def sizes(self) -> list[np.ndarray]:
        """Topic sizes of the shard."""
        return [table.sizes for table in self.tables]

    def block(self, step: int) -> int:
        return round_at(step, self.number, N_ROUNDS).block

    def submit(self, step: int) -> Answer:
        held = [*self.sizes(), self.tables[self.block(step)]]
        *answer, _ = self.shard.step(step, self.message(), None, N_ROUNDS, *held)
        return answer[0], answer[1], answer[2]

    def go_to(self, step: int) -> Answer:
        """Take all steps up to this one."""
        for next_step in range(len(self.answers) + 1, step + 1):
            self.answers.append(self.submit(next_step))
            self.apply_changes(next_step)
        return self.answers[-1]

    def apply_changes(self, step: int) -> None:
        block = self.block(step)
        self.tables[block] = apply_deltas(self.tables[block], [self.answers[step - 1][-1]])


@pytest.fixture
def folder(problem: SamplingProblem, tmp_path: Path) -> Path:
    return shard_corpus(problem, N_SHARDS, N_ROUNDS, tmp_path).folder


def same(one: Answer, other: Answer) -> bool:
    return one[0].n_moved == other[0].n_moved and all(
        a.dtype == b.dtype and np.array_equal(a, b) for a, b in zip((one[1], *one[2]), (other[1], *other[2]))
    )


def test_shards_cover_the_corpus(problem: SamplingProblem, folder: Path) -> None:
    shards = [Shard(folder, number) for number in range(N_SHARDS)]
    np.testing.assert_array_equal(np.concatenate([shard.tokens for shard in shards]), problem.tokens)
    lengths = np.concatenate([np.diff(shard.offsets) for shard in shards])
    np.testing.assert_array_equal(lengths, np.diff(problem.offsets))
    sizes = [len(shard.tokens) for shard in shards]
    assert max(sizes) - min(sizes) <= np.diff(problem.offsets).max()


def test_concurrent_shards_visit_all_blocks_without_overlap() -> None:
    for step in range(1, 9):
        assert sorted(round_at(step, shard, 4).block for shard in range(4)) == [0, 1, 2, 3]
    assert [round_at(step, 1, 4) for step in (1, 4, 5)] == [(0, 0, 1), (0, 3, 0), (1, 0, 1)]


def test_after_a_sweep_every_token_has_a_topic(problem: SamplingProblem, folder: Path) -> None:
    alone = Alone(problem, folder, 1)
    shard = alone.shard
    assert (shard.topics(0) == problem.n_topics).all()
    alone.go_to(1)
    blocks = open_run(folder).arrays["block_of_word"][shard.tokens]
    assert ((shard.topics(1) < problem.n_topics) == (blocks == alone.block(1))).all()
    alone.go_to(2)
    assert (shard.topics(2) < problem.n_topics).all()
    alone.go_to(6)
    for counted in (shard.sizes(6), alone.answers[-1][1]):
        np.testing.assert_array_equal(counted, np.sum(alone.sizes(), axis=0))
    for block, table in enumerate(alone.tables):
        recounted = apply_deltas(
            empty_table(table.words, problem.n_topics, len(problem.tokens)), [shard.count(block, 6)]
        )
        for one, other in zip(recounted, table):
            np.testing.assert_array_equal(one, other)


def test_repeated_step_is_idempotent(problem: SamplingProblem, folder: Path) -> None:
    alone = Alone(problem, folder, 1)
    for sweep in range(3):
        steps = range(sweep * N_ROUNDS + 1, (sweep + 1) * N_ROUNDS + 1)
        for step in steps:
            alone.go_to(step)
            topics = alone.shard.topics(step)
            for earlier in range(steps[0], step + 1):
                assert same(alone.answers[earlier - 1], alone.submit(earlier))
            np.testing.assert_array_equal(alone.shard.topics(step), topics)
            assert alone.shard.done == step


def test_rejects_step_out_of_order(problem: SamplingProblem, folder: Path) -> None:
    alone = Alone(problem, folder, 0)
    alone.go_to(4)
    for step in (0, 1, 2, 6, 100):
        with pytest.raises(ClusterError, match=f"has done 4 steps: step {step} cannot be next"):
            alone.submit(step)
    with pytest.raises(ClusterError, match="the state after step 5 does not exist"):
        alone.shard.documents_log_likelihood(5, problem.alpha)


def test_received_changes_are_applied_first(problem: SamplingProblem, folder: Path, tmp_path: Path) -> None:
    """A table plus changes gives the same result as their sum."""
    summed = Alone(problem, folder, 1)
    apart = Shard(shard_corpus(problem, N_SHARDS, N_ROUNDS, tmp_path / "other").folder, 1)
    before = summed.tables[:]
    for step in range(1, N_ROUNDS + 1):
        apart.step(step, summed.message(), None, N_ROUNDS, *summed.sizes(), before[summed.block(step)])
        summed.go_to(step)
    block, held = summed.block(N_ROUNDS + 1), [*summed.sizes(), before[summed.block(N_ROUNDS + 1)]]
    *answer, total = apart.step(N_ROUNDS + 1, summed.message(), None, N_ROUNDS, *held, summed.answers[0][-1])
    assert total is not None
    for one, other in zip(total, summed.tables[block]):
        np.testing.assert_array_equal(one, other)
    assert same((answer[0], answer[1], answer[2]), summed.go_to(N_ROUNDS + 1))


@pytest.mark.parametrize("step", [1, 2, 5])
def test_shard_lost_after_its_checkpoint_resends_the_same(problem: SamplingProblem, folder: Path, step: int) -> None:
    alone = Alone(problem, folder, 2)
    if step > 1:
        alone.go_to(step - 1)
    first = alone.submit(step)
    alone.shard = Shard(folder, 2)
    assert alone.shard.done == step
    assert same(first, alone.submit(step))


@pytest.mark.parametrize("step", [1, 2, 5])
def test_shard_lost_before_its_checkpoint_redraws_the_same(
    problem: SamplingProblem, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    undisturbed = Alone(problem, shard_corpus(problem, N_SHARDS, N_ROUNDS, tmp_path / "other").folder, 2)
    lost = Alone(problem, folder, 2)
    if step > 1:
        lost.go_to(step - 1)

    def die(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Attempt, "write", die)
        with pytest.raises(KeyboardInterrupt):
            lost.submit(step)
    lost.shard = Shard(folder, 2)
    assert same(lost.submit(step), undisturbed.go_to(step))


def test_unloading_changes_nothing(problem: SamplingProblem, folder: Path, tmp_path: Path) -> None:
    kept = Alone(problem, folder, 0)
    dropped = Alone(problem, shard_corpus(problem, N_SHARDS, N_ROUNDS, tmp_path / "other").folder, 0)
    for step in range(1, 7):
        assert same(kept.go_to(step), dropped.go_to(step))
        dropped.shard.unload()


def test_missing_topics_are_an_error(problem: SamplingProblem, folder: Path) -> None:
    alone = Alone(problem, folder, 0)
    alone.go_to(6)
    with pytest.raises(ClusterError, match="no longer has the topics of step 2"):
        alone.shard.count(1, 2)


def test_shards_have_independent_random_streams() -> None:
    seeds = [shard_seed(7, number) for number in range(1000)]
    assert seeds[0] == 7
    assert len(set(seeds)) == 1000
    assert not {shard_seed(8, number) for number in range(1000)} & set(seeds)
