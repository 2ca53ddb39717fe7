"""Corpora at the edge of what there can be: no vocabulary, one word, huge counts, more topics than words."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

import topicwright as tw

from .attack import Attack, Outcome, RefusedError, WrongError, attempt, pick
from .commands import forked, waited
from .limits import limit
from .targets import empty_folder

Rng = np.random.Generator
_TEXTS = ["", " ", "a", "red", "red red", "red green blue", "the and of", "123 !!", "\0", "é", "x" * 5000, "red " * 300]
_LABELS: list[Any] = [[], ["a"], ["b"], ["a", "b"], None]
_COUNTS = [0, 1, 3, 2**15, 2**16, 2**30, 2**31 - 2, 2**31 - 1]
_BEYOND = [2**31, 2**32 - 1, 2**32, 2**53, 2**62, 2**63 - 1]
_SPARE = 2**30  # bytes that huge counts may take beyond what is taken already


class Extremes(Attack):
    """Every kind of model on documents of which little is left."""

    name = "extremes"

    def once(self, rng: Rng) -> None:
        texts = [pick(rng, _TEXTS) for _ in range(int(rng.integers(0, 5)))]
        pruning: dict[str, Any] = {}
        for name, values in (
            ("min_df", [2, 3, 0.9]),
            ("max_df", [1, 0.1]),
            ("max_words", [1]),
            ("stop_words", ["english"]),
        ):
            if rng.random() < 0.15:
                pruning[name] = pick(rng, values)
        make = pick(rng, MODELS)
        options = {"random_state": 0, **_options(rng, make)}
        self.what = f"{make.__name__}({options}) of {texts!r:.200}, {pruning}"
        labels = [pick(rng, _LABELS) for _ in texts]
        corpus = tw.Corpus.from_texts(texts, labels=labels, **pruning)
        model = make(**options)
        fit(model, corpus, rng)
        check_model(model, texts)


def _options(rng: Rng, make: Any) -> dict[str, Any]:
    if make is tw.OnlineLabeledLDA:
        return {"n_particles": int(pick(rng, [1, 2, 9])), "reservoir": int(pick(rng, [0, 1, 100]))}
    options: dict[str, Any] = {"n_sweeps": int(rng.integers(1, 4)), "n_jobs": pick(rng, [None, 2])}
    for name, values in (("alpha", ["learn", 1e-100, 1e15]), ("beta", ["learn", 1e-100, 1e15])):
        if rng.random() < 0.3:
            options[name] = pick(rng, values)
    return options if make is tw.LabeledLDA else {"n_topics": int(pick(rng, [1, 2, 3, 50, 5000])), **options}


def fit(model: Any, corpus: tw.Corpus, rng: Rng) -> None:
    """With the labels, or numbers, as the kind of model wants them."""
    if isinstance(model, tw.MedLDARegressor):
        model.fit(corpus, [pick(rng, [0.0, 1.0, -1e30, 1e300, np.nan]) for _ in range(corpus.n_docs)])
    elif isinstance(model, tw.MedLDAClassifier):
        model.fit(corpus, [pick(rng, ["a", "b"]) for _ in range(corpus.n_docs)])
    else:
        model.fit(corpus)


def check_model(model: Any, texts: list[str]) -> None:
    """Shares are shares, topics are distributions, predictions are numbers or labels."""
    shares = np.asarray(model.transform([*texts, "red", ""]))
    if not np.isfinite(shares).all() or not np.allclose(shares.sum(axis=1), 1.0):
        raise WrongError(f"shares of topics that are none: {shares}")
    if not np.isfinite(np.asarray(model.components_)).all():
        raise WrongError("topics with words of no probability")
    model.top_words(3)
    if hasattr(model, "predict"):
        model.predict(["red", ""])


class HugeCounts(Attack):
    """Matrices and files whose counts, or their sums, are beyond 16, 32 or 64 bits: a clean error, little memory."""

    name = "counts"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._model = tw.LDA(2, n_sweeps=1).fit(np.eye(3, dtype=int))
        self._model.transform(np.eye(3, dtype=int))

    def once(self, rng: Rng) -> None:
        work = pick(rng, [self._matrix, self._ldac, self._new_documents])(rng)
        in_little_memory(work, empty_folder(self.folder, self.name))

    def _matrix(self, rng: Rng) -> Callable[[], Any]:
        matrix = _matrix(rng)
        make = pick(rng, MODELS)
        self.what = f"{make.__name__} of counts {matrix.data.tolist()} as {matrix.dtype}"
        return lambda: fit(make(), tw.Corpus.from_matrix(matrix, labels=[["a"], ["b"]]), rng)

    def _new_documents(self, rng: Rng) -> Callable[[], Any]:
        matrix = _matrix(rng)
        self.what = f"transform of counts {matrix.data.tolist()} as {matrix.dtype}"
        return lambda: self._model.transform(matrix)

    def _ldac(self, rng: Rng) -> Callable[[], Any]:
        path = empty_folder(self.folder, "ldac") / "c.ldac"
        counts = [_count(rng) for _ in range(3)]
        path.write_text("3 " + " ".join(f"{word}:{count}" for word, count in enumerate(counts)) + "\n1 0:1\n")
        self.what = f"lda-c with counts {counts}"
        return lambda: tw.LDA(2, n_sweeps=1).fit(tw.Corpus.from_ldac(path))


def _count(rng: Rng) -> int:
    return int(pick(rng, _BEYOND if rng.random() < 0.05 else _COUNTS))


def _matrix(rng: Rng) -> Any:
    """Two documents of three words, one cell of which stands there twice."""
    kind = pick(rng, ["int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"])
    most = np.iinfo(kind).max if kind[0] in "iu" else 2**63
    counts = np.array([min(_count(rng), int(most)) for _ in range(6)]).astype(kind)
    return csr_array((counts, [0, 1, 2, 0, 1, 1], [0, 3, 6]), shape=(2, 3))


def in_little_memory(work: Callable[[], Any], folder: Path) -> None:
    """Do it in a child that may take little more memory than it has; its outcome is ours."""

    class Once(Attack):
        name = "child"

        def once(self, rng: Rng) -> None:
            work()

    def child() -> None:
        limit(resource.RLIMIT_AS, _taken() + _SPARE)
        done = attempt(Once(folder), 0, 0)
        (folder / "outcome").write_text(f"{done.outcome.name} {done.said}")

    status = waited(process := forked(child), 60.0)
    if status is None:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        raise WrongError("hangs")
    if status != 0:
        raise WrongError(f"the process died, status {status}")
    outcome, _, said = (folder / "outcome").read_text().partition(" ")
    if Outcome[outcome] is Outcome.clean:
        raise RefusedError(said)
    if Outcome[outcome] is not Outcome.survived:
        raise WrongError(said)


def _taken() -> int:
    """Bytes of addresses that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


MODELS: list[Any] = [tw.LDA, tw.LabeledLDA, tw.MedLDAClassifier, tw.MedLDARegressor, tw.OnlineLabeledLDA]
