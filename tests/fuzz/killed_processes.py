"""kill -9, SIGTERM and Ctrl-C at random moments: a resumed command ends as if it had not been interrupted."""

from __future__ import annotations

import gzip
import os
import shutil
import signal
import time
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import topicwright as tw
from topicwright.steering import Steering

from ..steering.test_random_walks import walk
from ..streaming.conftest import json_lines
from .attack import Attack, DataLossError, WrongResultError, pick
from .command_runner import CODES, RunningCommand, fork_child, preload, run
from .targets import documents, empty_folder, model_file

Rng = np.random.Generator
_LONG = 120.0  # seconds, longer than anything here takes


class KilledCommands(Attack):
    """A resumable command is interrupted several times, then runs to its end."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        preload(folder)

    signals: ClassVar = [signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT]

    def interrupt(self, command: list[str], folder: Path, rng: Rng, longest: float, stdin: bytes = b"") -> None:
        """Start a command and interrupt it up to five times; then let it finish."""
        for _ in range(int(rng.integers(1, 6))):
            running = RunningCommand(command, folder, stdin=stdin)
            time.sleep(rng.uniform(0.0, longest))
            number = pick(rng, self.signals)
            running.send_signal(number)
            ended = running.wait(_LONG)
            if ended.code not in {*CODES, -number} or "Traceback" in ended.err:
                raise WrongResultError(f"exit code {ended.code} after {number!r}: {ended.err[-3000:]}")
        finish(command, folder, stdin)


def finish(command: list[str], folder: Path, stdin: bytes = b"") -> None:
    """Run a command to its end, which must succeed."""
    ended = run(command, folder, _LONG, stdin=stdin)
    if ended.code != 0:
        raise DataLossError(f"cannot be resumed: exit code {ended.code}: {ended.err[-3000:]}")


def check_equal(pieces: Path, whole: Path) -> None:
    """Require two identical model files."""
    if pieces.read_bytes() != whole.read_bytes():
        raise DataLossError("an interrupted and resumed run has a different model than an uninterrupted one")


class KilledStreams(KilledCommands):
    """``stream`` is interrupted: no document is lost or learned twice."""

    name = "streams"
    weight = 2.0

    def run_case(self, rng: Rng) -> None:
        folder = empty_folder(self.folder, self.name)
        lines = json_lines(int(rng.integers(50, 400)), seed=int(rng.integers(2**31)))
        for _ in range(int(rng.integers(4))):
            lines.insert(int(rng.integers(len(lines))), pick(rng, ["\n", "not JSON\n", '{"text": 3}\n']))
        data = "".join(lines).encode()
        packed, piped = rng.random() < 0.3, rng.random() < 0.2
        (folder / "s.jsonl").write_bytes(gzip.compress(data) if packed else data)
        options = _stream_options(rng)
        often = ["--every", str(rng.integers(3, 60))]
        source, stdin = ("-", data) if piped else ("s.jsonl", b"")
        self.description = f"{len(lines)} lines, {'packed, ' * packed}{'piped, ' * piped}{' '.join([*options, *often])}"
        finish(["stream", source, "-m", "whole.tw", *options], folder, stdin)
        self.interrupt(["stream", source, "-m", "pieces.tw", *options, *often], folder, rng, 0.5, stdin)
        check_equal(folder / "pieces.tw", folder / "whole.tw")


def _stream_options(rng: Rng) -> list[str]:
    options = ["--particles", str(rng.integers(1, 5))]
    for more in (["--no-alerts"], ["--forgetting", "0.99"], ["--prune-every", "40"], ["--unlabelled", "likely"]):
        options += more if rng.random() < 0.4 else []
    return options


class KilledShards(KilledCommands):
    """``fit`` on shards with checkpoints is interrupted and resumed."""

    name = "checkpoints"
    signals: ClassVar = [signal.SIGKILL]

    def run_case(self, rng: Rng) -> None:
        folder = empty_folder(self.folder, self.name)
        shutil.copy(documents(self.folder), folder / "docs.jsonl")
        sweeps, shards = int(rng.integers(20, 80)), int(rng.integers(1, 4))
        command = ["fit", "docs.jsonl", "-k", "4", "-n", str(sweeps), "--seed", str(rng.integers(100))]
        command += ["--backend", "disk", "--shards", str(shards), "--resume", "--checkpoint-dir"]
        self.description = " ".join(command)
        finish([*command, "one", "-o", "whole.tw"], folder)
        self.interrupt([*command, "two", "-o", "pieces.tw"], folder, rng, 2.0)
        check_equal(folder / "pieces.tw", folder / "whole.tw")


class KilledSteering(Attack):
    """A steering process is killed: all acknowledged steps are stored and lead to the same model."""

    name = "steering"

    def run_case(self, rng: Rng) -> None:
        folder = empty_folder(self.folder, self.name)
        path = Path(shutil.copy(model_file(self.folder, "lda"), folder / "lda.tw"))
        seed, longest = int(rng.integers(2**31)), rng.uniform(0.0, 1.5)
        self.description = f"steps of seed {seed}"
        child = fork_child(lambda: _steer(path, seed))
        time.sleep(longest)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        acknowledged = (folder / "acknowledged").read_bytes().count(b".") if (folder / "acknowledged").exists() else 0
        try:
            with Steering.open(path) as steering:
                check_steps(steering, tw.load(path), seed, acknowledged)
        except tw.InputError as error:
            raise DataLossError(f"steps cannot be read: {error}") from error


def _steer(path: Path, seed: int) -> None:
    """Take random steps; each acknowledged step adds a dot to a file."""
    rng = np.random.default_rng(seed)
    log = os.open(path.with_name("acknowledged"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    with Steering.open(path) as steering:
        while True:
            walk(steering, rng, 1)
            os.write(log, b".")


def check_steps(steering: Steering, base: Any, seed: int, acknowledged: int) -> None:
    """Require the acknowledged steps, and perhaps the one in progress."""
    rng, straight = np.random.default_rng(seed), Steering(base)
    for _ in range(acknowledged):
        walk(straight, rng, 1)
    if steering.steps != straight.steps:
        walk(straight, rng, 1)
    if steering.steps != straight.steps:
        raise DataLossError(f"{len(steering.steps)} steps, expected {len(straight.steps)} after {acknowledged} acts")
    if not np.array_equal(steering.model.assignments_, straight.model.assignments_):
        raise DataLossError("the steps are there, but lead to another model")
