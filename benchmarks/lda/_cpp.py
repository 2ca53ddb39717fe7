"""The sampler of ``cpp/sparse_lda.cpp``, compiled on first use, as a yardstick."""

from __future__ import annotations

import atexit
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import numpy as np
from numpy.typing import NDArray

from topicwright.corpus.corpus import Corpus
from topicwright.errors import TopicwrightError

from ._programs import Program

SOURCE = Path(__file__).resolve().parents[1] / "cpp" / "sparse_lda.cpp"


class Cpp(Program):
    """Our own sampler in C++, one thread and one cell, in a process of its own that waits between turns."""

    flags: tuple[str, ...] = ()

    @classmethod
    def missing(cls) -> str | None:
        return None if shutil.which("g++") else "no compiler (g++)"

    def _setup(self) -> None:
        self.folder = TemporaryDirectory(prefix="topicwright-")
        self.seconds = 0.0
        path = Path(self.folder.name) / "corpus.bin"
        write_corpus(self.task.corpus, path)
        values = (self.task.n_topics, self.task.alpha, self.task.beta, self.task.seed)
        command = [str(_compiled(self.flags)), str(path), *map(str, values)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.advance(0)  # answers when the corpus is read

    def _ask(self, command: str) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise TopicwrightError(f"the C++ program ended with code {self.process.wait()} at '{command}'")
        return answer

    def use_stream(self, state: int, step: int) -> None:
        """Continue with this random state: with the state of our engine it draws the same topics."""
        self._ask(f"stream {state} {step}")

    def advance(self, n_sweeps: int) -> None:
        self.seconds += sum(map(float, self._ask(f"sweep {n_sweeps}").split()))

    def assignments(self) -> NDArray[np.uint32]:
        path = Path(self.folder.name) / "topics.bin"
        self._ask(f"write {path}")
        return np.fromfile(path, dtype=np.uint32)

    def cpu_seconds(self) -> float:
        return self.seconds

    def process_id(self) -> int | None:
        return self.process.pid

    def close(self) -> None:
        self.process.communicate()  # the end of its input ends it
        self.folder.cleanup()


def write_corpus(corpus: Corpus, path: Path) -> None:
    """The raw form that the C++ program reads."""
    with path.open("wb") as file:
        np.array([corpus.n_docs, corpus.n_tokens, corpus.n_words], dtype=np.int64).tofile(file)
        corpus.offsets.tofile(file)
        corpus.tokens.tofile(file)


@cache
def _compiled(flags: tuple[str, ...]) -> Path:
    """The compiled program, with further flags; it goes when this process ends."""
    folder = mkdtemp(prefix="topicwright-cpp-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    output = Path(folder) / "sparse_lda"
    command = ["g++", "-O3", "-march=native", *flags, "-o", str(output), str(SOURCE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise TopicwrightError(f"g++ can not compile {SOURCE.name}: {done.stderr.strip()}")
    return output
