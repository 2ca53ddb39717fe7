"""Peak memory of one program: measured in a separate process that fits the corpus.

The base is the same process after a fit of a tiny corpus, so that what is loaded but not needed for these
documents (the interpreter, the program's libraries, the corpus itself) does not count.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from topicwright.corpus.corpus import Corpus

from ..common.machine import most_memory
from ._programs import Program, Task
from .options import PROGRAMS

N_SWEEPS = 2


def peak_memory(program: str, task: Task) -> int | None:
    """Bytes that a program needs beyond the corpus, or None where it did not end well."""
    with TemporaryDirectory(prefix="topicwright-") as folder:
        path = Path(folder) / "corpus.npz"
        corpus = task.corpus
        np.savez(path, tokens=corpus.tokens, offsets=corpus.offsets, vocabulary=corpus.vocabulary.astype(str))
        numbers = json.dumps({name: value for name, value in vars(task).items() if name != "corpus"})
        command = [sys.executable, "-m", __name__, program, str(path), numbers]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    return int(done.stdout) if done.returncode == 0 else None


def _main(name: str, path: str, numbers: str) -> None:
    with np.load(path) as arrays:
        task = Task(Corpus(arrays["tokens"], arrays["offsets"], arrays["vocabulary"]), **json.loads(numbers))
    tiny = replace(task, corpus=task.corpus.select(task.corpus.doc_lengths() > 0).select([0]), n_topics=2)
    base = _peak_after_fit(PROGRAMS[name](), tiny)
    print(_peak_after_fit(PROGRAMS[name](), task) - base)


def _peak_after_fit(program: Program, task: Task) -> int:
    program.setup(task)
    try:
        program.advance(1 if program.variational else N_SWEEPS)
        return most_memory(program.process_id())
    finally:
        program.close()


if __name__ == "__main__":
    _main(*sys.argv[1:])
