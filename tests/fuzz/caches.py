"""Faults of the kernel cache: read-only, full, damaged, or written by several processes at once."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from .attack import Attack, WrongResultError, pick
from .limits import limit
from .targets import empty_folder

Rng = np.random.Generator
_SECONDS = 400.0
# Programs that compile quickly, and what most people compile first. Each prints its result on one line.
QUICK = """
import topicwright as tw
corpus = tw.Corpus.from_texts(["ship wave sail", "ship wave", "bread oven", "bread oven salt"] * 5)
print(tw.evaluation.coherence([["ship", "wave"], ["bread", "oven"]], corpus))
"""
LDA = """
import topicwright as tw
model = tw.LDA(2, n_sweeps=5, random_state=0).fit(["ship wave sail", "bread oven salt"] * 9)
print(model.assignments_.tolist())
"""


class DamagedCaches(Attack):
    """Processes whose kernel cache fails."""

    name = "caches"
    weight = 2.0
    timeout = 3 * _SECONDS

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._right: dict[str, str] = {}

    def run_case(self, rng: Rng) -> None:
        program = pick(rng, [QUICK, QUICK, LDA])
        fault = pick(rng, [self.closed, self.full, self.damaged, self.at_once])
        self.description = f"{fault.__name__}, {'LDA' if program is LDA else 'coherence'}"
        if program not in self._right:
            (self._right[program],) = answers(program, {})
        folder = empty_folder(self.folder, self.name)
        for answer in fault(program, folder, rng):
            if answer != self._right[program]:
                raise WrongResultError(f"different result: {answer[:300]}, expected {self._right[program][:300]}")

    def closed(self, program: str, folder: Path, rng: Rng) -> list[str]:
        """No cache directory can be written."""
        (folder / "file").touch()  # permissions would not stop root
        places = [
            {"NUMBA_CACHE_DIR": str(folder / "file")},
            {"NUMBA_CACHE_DIR": "/proc/nowhere", "HOME": "/proc/nowhere"},
        ]
        return answers(program, pick(rng, places))

    def full(self, program: str, folder: Path, rng: Rng) -> list[str]:
        """The disk fills up while kernels are written; the next process reads the rest."""
        room = int(10 ** rng.uniform(1.0, 5.5))
        cache = {"NUMBA_CACHE_DIR": str(folder)}
        first = answers(program, cache, before=lambda: limit(resource.RLIMIT_FSIZE, room))
        return [*first, *answers(program, cache)]

    def damaged(self, program: str, folder: Path, rng: Rng) -> list[str]:
        """Files are empty, truncated or changed, as after a power cut."""
        kept = self.folder / f"cache-{'lda' if program is LDA else 'quick'}-{os.getpid()}"
        if not kept.exists():
            answers(program, {"NUMBA_CACHE_DIR": str(kept)})
        shutil.copytree(kept, folder, dirs_exist_ok=True)
        files = sorted(path for path in folder.rglob("*.nb?"))
        for path in files:
            if rng.random() < 0.5:
                data = path.read_bytes()
                path.write_bytes(pick(rng, [b"", data[: int(rng.integers(len(data)))], rng.bytes(100)]))
        return answers(program, {"NUMBA_CACHE_DIR": str(folder)})

    def at_once(self, program: str, folder: Path, rng: Rng) -> list[str]:
        """Two processes or three compile into one empty cache; one more reads it."""
        cache = {"NUMBA_CACHE_DIR": str(folder)}
        return [*answers(program, cache, n=int(rng.integers(2, 4))), *answers(program, cache)]


def answers(program: str, environment: dict[str, str], *, n: int = 1, before: Any = None) -> list[str]:
    """Output of concurrent processes, each of which must succeed."""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=before,
        )
        for _ in range(n)
    ]
    answer = []
    for process in running:
        try:
            out, err = process.communicate(timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise WrongResultError(f"no end within {_SECONDS:g} seconds") from None
        if process.returncode != 0:
            raise WrongResultError(f"exit code {process.returncode}: {err[-3000:]}")
        answer.append(out.strip())
    return answer
