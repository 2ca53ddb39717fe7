"""A disk that fills up while something is written: one sentence, and the old file as it was."""

from __future__ import annotations

import os
import resource
import shutil
from pathlib import Path

import numpy as np

from topicwright.steering import Hide, Rename, Steering

from .arguments import check_files, contents, lay_out
from .attack import Attack, LostError, RefusedError, WrongError, pick
from .commands import forked, run, waited, warm
from .kill import check_equal, finish
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
    "explain labelled.tw docs.jsonl --html old.html",
    "report lda.tw --html old.html",
    "links docs.jsonl -o old.yaml",
    "demo -o lda.tw -k 3 -n 2",
]


class FullDisk(Attack):
    """A file may grow to a random size and no further, as on a disk that is all but full; or it is /dev/full."""

    name = "full-disk"
    share = 2.0

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        warm(folder)

    def once(self, rng: Rng) -> None:
        pick(rng, [self._command, self._command, self._stream, self._steps])(rng)

    def _command(self, rng: Rng) -> None:
        folder = empty_folder(self.folder, self.name)
        lay_out(folder, self.folder)
        for suffix in ("jsonl", "ldac", "vocab.txt", "docs.jsonl", "jsonl.gz", "json", "txt", "csv", "html", "yaml"):
            (folder / f"old.{suffix}").write_text("what was here before\n")
        words, room = pick(rng, WRITERS).split(), _room(rng)
        if rng.random() < 0.1 and "-o" in words:
            words[words.index("-o") + 1] = "/dev/full"
        self.what = f"{' '.join(words)} with room for {room} bytes"
        before = contents(folder)
        ended = run(words, folder, 60.0, first=lambda: limit(resource.RLIMIT_FSIZE, room))
        check_files(words[0], ended, before, folder)
        if ended.code == 2 and len(ended.err.encode()) >= room:
            raise RefusedError("no room for the error itself")
        ended.check()

    def _stream(self, rng: Rng) -> None:
        """What was saved last stands, and the stream goes on from there when there is room again."""
        folder = empty_folder(self.folder, self.name)
        shutil.copy(documents(self.folder), folder / "docs.jsonl")
        command = ["stream", "docs.jsonl", "--particles", "2", "--every", "10", "-m"]
        finish([*command, "whole.tw"], folder)
        room = int((folder / "whole.tw").stat().st_size * rng.uniform(0.2, 1.1))
        self.what = f"stream with room for {room} bytes"
        ended = run([*command, "pieces.tw"], folder, 60.0, first=lambda: limit(resource.RLIMIT_FSIZE, room))
        finish([*command, "pieces.tw"], folder)
        check_equal(folder / "pieces.tw", folder / "whole.tw")
        ended.check()

    def _steps(self, rng: Rng) -> None:
        """A step that can't be written is not taken; those before it stay."""
        folder = empty_folder(self.folder, self.name)
        path = Path(shutil.copy(model_file(self.folder, "lda"), folder / "lda.tw"))
        room = int(rng.integers(100, 600))
        self.what = f"steps with room for {room} bytes"
        if waited(forked(lambda: _steer(path, room)), 60.0) != 0:
            raise WrongError("the process that steers died or hangs")
        taken = int((folder / "taken").read_text())
        with Steering.open(path) as steering:
            if len(steering.steps) != taken:
                raise LostError(f"{taken} steps were acknowledged, {len(steering.steps)} are there")
            steering.add(Hide(1))
        raise RefusedError("no room for a step")


def _steer(path: Path, room: int) -> None:
    """Steps until the disk is full; then two more tries, which fail in the same way."""
    taken = 0
    told = os.open(path.with_name("taken"), os.O_WRONLY | os.O_CREAT)
    with Steering.open(path) as steering:
        limit(resource.RLIMIT_FSIZE, room)
        for failures in range(3):
            try:
                while True:
                    steering.add(Rename(taken % 3, f"name {taken}"))
                    taken += 1
            except OSError:
                assert len(steering.steps) == taken, failures
    os.write(told, str(taken).encode())


def _room(rng: Rng) -> int:
    """From a few bytes to some hundred thousand."""
    return int(10 ** rng.uniform(0.0, 5.5))
