"""kill -9, SIGTERM and Ctrl-C at random moments: what is taken up again ends as if nothing had happened."""

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

from ..steering.test_walks import walk
from ..streaming.conftest import json_lines
from .attack import Attack, LostError, WrongError, pick
from .commands import CODES, Running, forked, run, warm
from .targets import documents, empty_folder, model_file

Rng = np.random.Generator
_LONG = 120.0  # seconds that nothing here takes


class KilledRuns(Attack):
    """A command that can be taken up again is cut off some times, then left to its end."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        warm(folder)

    signals: ClassVar = [signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT]

    def cut_off(self, command: list[str], folder: Path, rng: Rng, longest: float, stdin: bytes = b"") -> None:
        """Start it and cut it off, up to five times; then let it come to its end."""
        for _ in range(int(rng.integers(1, 6))):
            running = Running(command, folder, stdin=stdin)
            time.sleep(rng.uniform(0.0, longest))
            number = pick(rng, self.signals)
            running.ask(number)
            ended = running.ended(_LONG)
            if ended.code not in {*CODES, -number} or "Traceback" in ended.err:
                raise WrongError(f"exit code {ended.code} after {number!r}: {ended.err[-3000:]}")
        finish(command, folder, stdin)


def finish(command: list[str], folder: Path, stdin: bytes = b"") -> None:
    """Run a command to its end, which must be a good one."""
    ended = run(command, folder, _LONG, stdin=stdin)
    if ended.code != 0:
        raise LostError(f"can't be taken up again: exit code {ended.code}: {ended.err[-3000:]}")


def check_equal(pieces: Path, whole: Path) -> None:
    """Two model files are the same to the byte."""
    if pieces.read_bytes() != whole.read_bytes():
        raise LostError("a run that was cut off and taken up again has another model than one that was not")


class KilledStreams(KilledRuns):
    """``stream`` is cut off: nothing is lost, and nothing learned twice."""

    name = "streams"
    share = 2.0

    def once(self, rng: Rng) -> None:
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
        self.what = f"{len(lines)} lines, {'packed, ' * packed}{'piped, ' * piped}{' '.join([*options, *often])}"
        finish(["stream", source, "-m", "whole.tw", *options], folder, stdin)
        self.cut_off(["stream", source, "-m", "pieces.tw", *options, *often], folder, rng, 0.5, stdin)
        check_equal(folder / "pieces.tw", folder / "whole.tw")


def _stream_options(rng: Rng) -> list[str]:
    options = ["--particles", str(rng.integers(1, 5))]
    for more in (["--no-alerts"], ["--forgetting", "0.99"], ["--prune-every", "40"], ["--unlabelled", "likely"]):
        options += more if rng.random() < 0.4 else []
    return options


class KilledShards(KilledRuns):
    """``fit`` on shards with checkpoints is cut off and resumed."""

    name = "checkpoints"
    signals: ClassVar = [signal.SIGKILL]

    def once(self, rng: Rng) -> None:
        folder = empty_folder(self.folder, self.name)
        shutil.copy(documents(self.folder), folder / "docs.jsonl")
        sweeps, shards = int(rng.integers(20, 80)), int(rng.integers(1, 4))
        command = ["fit", "docs.jsonl", "-k", "4", "-n", str(sweeps), "--seed", str(rng.integers(100))]
        command += ["--backend", "disk", "--shards", str(shards), "--resume", "--checkpoint-dir"]
        self.what = " ".join(command)
        finish([*command, "one", "-o", "whole.tw"], folder)
        self.cut_off([*command, "two", "-o", "pieces.tw"], folder, rng, 2.0)
        check_equal(folder / "pieces.tw", folder / "whole.tw")


class KilledSteering(Attack):
    """A process that steers a model is killed: what was acknowledged is there, and leads to the same model."""

    name = "steering"

    def once(self, rng: Rng) -> None:
        folder = empty_folder(self.folder, self.name)
        path = Path(shutil.copy(model_file(self.folder, "lda"), folder / "lda.tw"))
        seed, longest = int(rng.integers(2**31)), rng.uniform(0.0, 1.5)
        self.what = f"steps of seed {seed}"
        child = forked(lambda: _steer(path, seed))
        time.sleep(longest)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        acknowledged = (folder / "acknowledged").read_bytes().count(b".") if (folder / "acknowledged").exists() else 0
        try:
            with Steering.open(path) as steering:
                check_steps(steering, tw.load(path), seed, acknowledged)
        except tw.InputError as error:
            raise LostError(f"steps can't be read any more: {error}") from error


def _steer(path: Path, seed: int) -> None:
    """Steps at random; a point in a file tells of each that was acknowledged."""
    rng = np.random.default_rng(seed)
    told = os.open(path.with_name("acknowledged"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    with Steering.open(path) as steering:
        while True:
            walk(steering, rng, 1)
            os.write(told, b".")


def check_steps(steering: Steering, base: Any, seed: int, acknowledged: int) -> None:
    """The steps are those that were acknowledged, and perhaps the one that was being taken."""
    rng, straight = np.random.default_rng(seed), Steering(base)
    for _ in range(acknowledged):
        walk(straight, rng, 1)
    if steering.steps != straight.steps:
        walk(straight, rng, 1)
    if steering.steps != straight.steps:
        raise LostError(f"{len(steering.steps)} steps, expected {len(straight.steps)} after {acknowledged} acts")
    if not np.array_equal(steering.model.assignments_, straight.model.assignments_):
        raise LostError("the steps are there, but lead to another model")
