"""A disk that fills up while a file is written: a clean error, and the old file is unchanged."""

from __future__ import annotations

import os
import resource
import shutil
from pathlib import Path

import numpy as np

from topicwright.steering import Hide, Rename, Steering

from .arguments import check_files, contents, write_files
from .attack import Attack, CleanError, DataLossError, WrongResultError, pick
from .command_runner import fork_child, preload, run, wait_for_child
from .killed_processes import check_equal, finish
from .limits import limit
from .targets import documents, empty_folder, model_file

Rng = np.random.Generator
WRITERS = [
    "fit docs.jsonl -o lda.tw -k 3 -n 3",
    "fit docs.jsonl -o lda.tw -k 3 -n 3 --backend disk --checkpoint-dir folder",
    "resume lda.tw -n 2",
    "convert docs.jsonl old.jsonl",
    "convert docs.jsonl old.ldac",
    "convert docs.jsonl old.jsonl.gz",
    "convert lda.tw old.txt --to mallet-state",
    "topics lda.tw -o old.json -f json",
    "transform lda.tw docs.jsonl -o old.jsonl",
    "predict classifier.tw docs.jsonl -o old.csv",
    "explain labeled.tw docs.jsonl --html old.html",
    "report lda.tw --html old.html",
    "links docs.jsonl -o old.yaml",
    "demo -o lda.tw -k 3 -n 2",
]


class FullDisk(Attack):
    """Files are limited to a random size, as on a nearly full disk; or the output is /dev/full."""

    name = "full-disk"
    weight = 2.0

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        preload(folder)

    def run_case(self, rng: Rng) -> None:
        pick(rng, [self._command, self._command, self._stream, self._steps])(rng)

    def _command(self, rng: Rng) -> None:
        folder = empty_folder(self.folder, self.name)
        write_files(folder, self.folder)
        for suffix in ("jsonl", "ldac", "vocab.txt", "docs.jsonl", "jsonl.gz", "json", "txt", "csv", "html", "yaml"):
            (folder / f"old.{suffix}").write_text("what was here before\n")
        words, room = pick(rng, WRITERS).split(), _room(rng)
        if rng.random() < 0.1 and "-o" in words:
            words[words.index("-o") + 1] = "/dev/full"
        self.description = f"{' '.join(words)} with room for {room} bytes"
        before = contents(folder)
        ended = run(words, folder, 60.0, first=lambda: limit(resource.RLIMIT_FSIZE, room))
        check_files(words[0], ended, before, folder)
        if ended.code == 2 and len(ended.err.encode()) >= room:
            raise CleanError("no room for the error itself")
        ended.check()

    def _stream(self, rng: Rng) -> None:
        """The last save is kept, and the stream resumes from it when there is room again."""
        folder = empty_folder(self.folder, self.name)
        shutil.copy(documents(self.folder), folder / "docs.jsonl")
        command = ["stream", "docs.jsonl", "--particles", "2", "--every", "10", "-m"]
        finish([*command, "whole.tw"], folder)
        room = int((folder / "whole.tw").stat().st_size * rng.uniform(0.2, 1.1))
        self.description = f"stream with room for {room} bytes"
        ended = run([*command, "pieces.tw"], folder, 60.0, first=lambda: limit(resource.RLIMIT_FSIZE, room))
        finish([*command, "pieces.tw"], folder)
        check_equal(folder / "pieces.tw", folder / "whole.tw")
        ended.check()

    def _steps(self, rng: Rng) -> None:
        """A step that cannot be written is not applied; earlier ones are kept."""
        folder = empty_folder(self.folder, self.name)
        path = Path(shutil.copy(model_file(self.folder, "lda"), folder / "lda.tw"))
        room = int(rng.integers(100, 600))
        self.description = f"steps with room for {room} bytes"
        if wait_for_child(fork_child(lambda: _steer(path, room)), 60.0) != 0:
            raise WrongResultError("the process that steers died or hangs")
        taken = int((folder / "taken").read_text())
        with Steering.open(path) as steering:
            if len(steering.steps) != taken:
                raise DataLossError(f"{taken} steps were acknowledged, {len(steering.steps)} are there")
            steering.add(Hide(1))
        raise CleanError("no room for a step")


def _steer(path: Path, room: int) -> None:
    """Take steps until the disk is full; then try twice more, which fails in the same way."""
    taken = 0
    log = os.open(path.with_name("taken"), os.O_WRONLY | os.O_CREAT)
    with Steering.open(path) as steering:
        limit(resource.RLIMIT_FSIZE, room)
        for failures in range(3):
            try:
                while True:
                    steering.add(Rename(taken % 3, f"name {taken}"))
                    taken += 1
            except OSError:
                assert len(steering.steps) == taken, failures
    os.write(log, str(taken).encode())


def _room(rng: Rng) -> int:
    """Between one and some hundred thousand bytes."""
    return int(10 ** rng.uniform(0.0, 5.5))
