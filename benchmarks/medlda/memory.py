"""Peak memory of training, measured in a separate process."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from topicwright.corpus.corpus import Corpus

from ..common.machine import most_memory
from .fits import MethodVariant
from .options import LEAST_SWEEPS
from .parameters import Parameters
from .problems import Problem


def peak_memory(problem: Problem, variant: MethodVariant, n_topics: int, seed: int) -> int | None:
    """Bytes of the whole process, with the interpreter and the corpus; None where it did not end well."""
    with TemporaryDirectory(prefix="topicwright-") as folder:
        path, corpus = Path(folder) / "problem.npz", problem.train
        np.savez(path, tokens=corpus.tokens, offsets=corpus.offsets, n_words=corpus.n_words, y=problem.y_train)
        what = {"variant": asdict(variant), "n_topics": n_topics, "seed": seed}
        what |= {"kind": problem.kind, "names": problem.names}
        command = [sys.executable, "-m", __name__, str(path), json.dumps(what)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    return int(done.stdout) if done.returncode == 0 else None


def _main(path: str, text: str) -> None:
    what = json.loads(text)
    with np.load(path) as arrays:
        words = np.array([str(word) for word in range(int(arrays["n_words"]))], dtype=object)
        corpus, y = Corpus(arrays["tokens"], arrays["offsets"], words), arrays["y"]
    problem = Problem(what["kind"], corpus, corpus, y, y, tuple(what["names"]))
    parameters = what["variant"]["parameters"]
    parameters["more"] = tuple(map(tuple, parameters["more"]))
    variant = MethodVariant(**{**what["variant"], "parameters": Parameters(**parameters)})
    model = variant.build(problem, what["n_topics"], what["seed"])
    for _ in range(LEAST_SWEEPS + 1):
        model.sweep()
    print(most_memory())


if __name__ == "__main__":
    _main(*sys.argv[1:])
