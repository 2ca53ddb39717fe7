"""Steps on disk: they survive crashes and are never overwritten."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import topicwright as tw
from topicwright.errors import InputError
from topicwright.steering import Hide, MergeTopics, NeverIn, Pin, Rename, SplitTopic, Steering, Together, Update
from topicwright.steering.branches import is_steered

from ..assertions import raises_input

STEPS = [NeverIn(("ship",), 0), Pin(1), Rename(2, "zwei")]


def log_of(path: Path, branch: str = "main") -> Path:
    return Path(f"{path}.steps") / f"{branch}.jsonl"


def states_of(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (Path(f"{path}.steps") / "states").iterdir()}


def steer(path: Path) -> bytes:
    """Add steps and updates, and return the resulting model file."""
    with Steering.open(path) as steering:
        for step in STEPS:
            steering.add(step)
        steering.update(3)
        steering.add(MergeTopics(0, (4,)))
        steering.add(SplitTopic(1, ("bread",)))
        steering.update(2)
        steering.add(Hide(3))
        return saved(steering, path)


def saved(steering: Steering, path: Path) -> bytes:
    steering.save(path.with_name("saved.tw"))
    return path.with_name("saved.tw").read_bytes()


def test_state_is_restored_after_a_restart(path: Path) -> None:
    before = path.read_bytes()
    model = steer(path)
    assert path.read_bytes() == before  # the base stays as it is
    with Steering.open(path) as steering:
        assert saved(steering, path) == model
        assert len(steering.steps) == 8
        assert steering.names == {2: "zwei"}
        assert (steering.hidden, steering.pinned) == ({3}, {1})
        assert steering.notes == ()
        changes = steering.changes
        assert changes is not None
        assert changes.n_sweeps == 2
        assert [type(steering.undo()) for _ in range(2)] == [Hide, Update]
    with Steering.open(path) as steering:
        assert len(steering.steps) == 6
        assert steering.changes is not None
        assert steering.changes.n_sweeps == 3
        steering.redo()
        steering.redo()
        assert saved(steering, path) == model
        assert steering.changes == changes


def test_missing_or_damaged_state_is_recomputed(path: Path) -> None:
    model = steer(path)
    states = states_of(path)
    assert len(states) == 2
    folder = Path(f"{path}.steps") / "states"
    for name in states:
        (folder / name).unlink()
    with Steering.open(path) as steering:
        assert saved(steering, path) == model
    assert states_of(path) == states
    for name, data in states.items():
        (folder / name).write_bytes(data[:-20])
    with Steering.open(path) as steering:
        assert saved(steering, path) == model
    assert states_of(path) == states


def test_state_removed_by_another_process(path: Path) -> None:
    with Steering.open(path) as steering:
        steering.add(Hide(1))
        steering.update(1)
        gone = Path(f"{path}.steps") / "states" / "gone.state"
        gone.symlink_to("nothing")  # is listed, and not there
        steering.update(1)
        assert len(steering.steps) == 3


def test_undo_uses_the_cached_state(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steer(path)
    monkeypatch.setattr(tw.LDA, "_train", None)
    with Steering.open(path) as steering:
        for _ in range(8):
            if not isinstance(steering.steps[-1], Update):
                steering.undo()
            elif len(steering.steps) > 4:
                break
        assert len(steering.steps) == 7


def test_truncated_line_is_dropped_with_a_warning(path: Path) -> None:
    model = steer(path)
    whole = log_of(path).read_bytes()
    log_of(path).write_bytes(whole + b'{"step":"hide","top')
    with Steering.open(path) as steering:
        assert steering.notes == ("main.jsonl: the last 19 bytes were an incomplete line and are dropped",)
        assert saved(steering, path) == model
        assert log_of(path).read_bytes() == whole
        steering.add(Hide(2))
    with Steering.open(path) as steering:
        assert (steering.steps[-1], steering.notes) == (Hide(2), ())


@pytest.mark.parametrize("room", [0, 1, 10])
def test_step_is_rejected_on_a_full_disk(path: Path, room: int) -> None:
    with Steering.open(path) as steering:
        steering.add(Pin(1))
        before, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (log_of(path).stat().st_size + room, hard))
        try:
            with pytest.raises(OSError, match="File too large"):
                steering.add(Rename(2, "zwei"))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (before, hard))
        assert steering.steps == (Pin(1),)
        steering.add(Hide(3))
    with Steering.open(path) as steering:
        assert (steering.steps, steering.notes) == ((Pin(1), Hide(3)), ())


KILLED = """
import os, signal, sys
from topicwright.steering import Hide, Steering, Together
steering = Steering.open(sys.argv[1])
steering.add(Together(("ship", "wave")))
steering.update(2)
steering.add(Hide(1))
print("acknowledged", flush=True)
steering.update(1000, lambda sweep: sweep.number < 35 or os.kill(os.getpid(), signal.SIGKILL))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL on this system")
def test_acknowledged_steps_survive_a_kill(path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, "acknowledged\n"), done.stderr
    with Steering.open(path) as steering:  # the lock ended with the process
        assert steering.steps == (Together(("ship", "wave")), Update(2), Hide(1))
        straight = Steering(tw.load(path))
        straight.add(Together(("ship", "wave")))
        straight.update(2)
        assert np.array_equal(steering.model.assignments_, straight.model.assignments_)
        steering.update(1)


SECOND = """
import sys
from topicwright.errors import InputError
from topicwright.steering import Hide, Steering
try:
    Steering.open(sys.argv[1])
except InputError as error:
    print(error)
with Steering.open(sys.argv[1], branch="eva") as eva:
    eva.add(Hide(3))
"""


def test_branch_is_locked_by_one_process(path: Path) -> None:
    with Steering.open(path) as steering:
        steering.branch("eva").close()
        done = subprocess.run([sys.executable, "-c", SECOND, str(path)], capture_output=True, text=True, timeout=300)
        assert done.stderr == ""
        assert done.stdout == (f"{log_of(path)} is in use by another process: close that process, or create a branch\n")
        steering.add(Hide(1))
        assert steering.compare("eva").other == (Hide(3),)
    with Steering.open(path) as steering:
        assert steering.steps == (Hide(1),)


def test_closed_branch_rejects_steps(path: Path) -> None:
    steering = Steering.open(path)
    steering.close()
    steering.close()
    with pytest.raises(InputError, match="branch is closed"):
        steering.add(Hide(1))


def test_rejects_steps_of_another_model(path: Path, base: tw.LDA) -> None:
    steer(path)
    tw.LDA(5, n_sweeps=26, random_state=3).fit(base.corpus_).save(path)
    with pytest.raises(InputError, match="belongs to another model"):
        Steering.open(path)


def test_model_without_steps_may_be_retrained(path: Path, base: tw.LDA) -> None:
    with Steering.open(path) as steering:
        steering.branch("mine").close()
        assert not is_steered(path)
    tw.LDA(5, n_sweeps=26, random_state=3).fit(base.corpus_).save(path)
    with Steering.open(path) as steering:
        assert steering.compare("mine").common == ()
        steering.add(Hide(1))
    assert is_steered(path)
    base.save(path)
    with pytest.raises(InputError, match="belongs to another model"):
        Steering.open(path)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda lines: [b"hello", *lines[1:]], "line 1 is damaged"),
        (lambda lines: [b'{"format":"other"}', *lines[1:]], "is not a log of steps"),
        (
            lambda lines: [lines[0].replace(b'"version":1', b'"version":2'), *lines[1:]],
            "another version of topicwright",
        ),
        (lambda lines: [lines[0], b'{"step":"explode"}', *lines[1:]], "line 2 is damaged: step must be"),
        (lambda lines: [lines[0], b'{"undo":1}', *lines[1:]], "line 2 is damaged"),
        (lambda lines: [lines[0], b"\xff", *lines[1:]], "line 2 is damaged"),
        (lambda lines: [], "its first line is missing"),
    ],
)
def test_damaged_log_is_reported(path: Path, damage: object, reason: str) -> None:
    steer(path)
    lines = log_of(path).read_bytes().splitlines()
    log_of(path).write_bytes(b"".join(line + b"\n" for line in damage(lines)))  # type: ignore[operator]
    with pytest.raises(InputError) as error:
        Steering.open(path)
    assert reason in str(error.value)


def test_steps_invalid_for_this_model_are_reported(path: Path) -> None:
    steer(path)
    whole = log_of(path).read_bytes()
    for step, reason in ((Hide(17), "from 0 to 4: got 17"), (Update(0), "at least 1: got 0")):
        log_of(path).write_bytes(whole + json.dumps(step.to_dict()).encode() + b"\n")
        with pytest.raises(InputError, match=f"step 9 is not possible on this model: .*{reason}"):
            Steering.open(path)


@pytest.mark.parametrize("name", ["", ".", "../main", "a/b", "a\\b", ".hidden", "x" * 61, "a\n", "a ", 7])
def test_branch_names_must_be_valid_file_names(path: Path, name: object) -> None:
    with Steering.open(path) as steering, raises_input("branch", got=name):
        steering.branch(name)  # type: ignore[arg-type]
    assert sorted(os.listdir(f"{path}.steps")) == ["main.jsonl", "states"]
