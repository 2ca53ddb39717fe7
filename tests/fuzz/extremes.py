"""Extreme corpora: no vocabulary, one word, huge counts, more topics than words."""

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

from .attack import Attack, CleanError, Outcome, WrongResultError, pick, run_trial
from .command_runner import fork_child, wait_for_child
from .limits import limit
from .targets import empty_folder

Rng = np.random.Generator
_TEXTS = ["", " ", "a", "red", "red red", "red green blue", "the and of", "123 !!", "\0", "é", "x" * 5000, "red " * 300]
_LABELS: list[Any] = [[], ["a"], ["b"], ["a", "b"], None]
_COUNTS = [0, 1, 3, 2**15, 2**16, 2**30, 2**31 - 2, 2**31 - 1]
_BEYOND = [2**31, 2**32 - 1, 2**32, 2**53, 2**62, 2**63 - 1]
_SPARE = 2**30  # bytes that huge counts may use in addition


class ExtremeCorpora(Attack):
    """Every kind of model on nearly empty corpora."""

    name = "extremes"

    def run_case(self, rng: Rng) -> None:
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
        self.description = f"{make.__name__}({options}) of {texts!r:.200}, {pruning}"
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
    """Fit with the labels or numbers that the model needs."""
    if isinstance(model, tw.MedLDARegressor):
        model.fit(corpus, [pick(rng, [0.0, 1.0, -1e30, 1e300, np.nan]) for _ in range(corpus.n_docs)])
    elif isinstance(model, tw.MedLDAClassifier):
        model.fit(corpus, [pick(rng, ["a", "b"]) for _ in range(corpus.n_docs)])
    else:
        model.fit(corpus)


def check_model(model: Any, texts: list[str]) -> None:
    """Require valid topic shares, finite topics, and predictions."""
    shares = np.asarray(model.transform([*texts, "red", ""]))
    if not np.isfinite(shares).all() or not np.allclose(shares.sum(axis=1), 1.0):
        raise WrongResultError(f"invalid topic shares: {shares}")
    if not np.isfinite(np.asarray(model.components_)).all():
        raise WrongResultError("topics with words of no probability")
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

    def run_case(self, rng: Rng) -> None:
        work = pick(rng, [self._matrix, self._ldac, self._new_documents])(rng)
        run_with_little_memory(work, empty_folder(self.folder, self.name))

    def _matrix(self, rng: Rng) -> Callable[[], Any]:
        matrix = _matrix(rng)
        make = pick(rng, MODELS)
        self.description = f"{make.__name__} of counts {matrix.data.tolist()} as {matrix.dtype}"
        return lambda: fit(make(), tw.Corpus.from_matrix(matrix, labels=[["a"], ["b"]]), rng)

    def _new_documents(self, rng: Rng) -> Callable[[], Any]:
        matrix = _matrix(rng)
        self.description = f"transform of counts {matrix.data.tolist()} as {matrix.dtype}"
        return lambda: self._model.transform(matrix)

    def _ldac(self, rng: Rng) -> Callable[[], Any]:
        path = empty_folder(self.folder, "ldac") / "c.ldac"
        counts = [_count(rng) for _ in range(3)]
        path.write_text("3 " + " ".join(f"{word}:{count}" for word, count in enumerate(counts)) + "\n1 0:1\n")
        self.description = f"lda-c with counts {counts}"
        return lambda: tw.LDA(2, n_sweeps=1).fit(tw.Corpus.from_ldac(path))


def _count(rng: Rng) -> int:
    return int(pick(rng, _BEYOND if rng.random() < 0.05 else _COUNTS))


def _matrix(rng: Rng) -> Any:
    """Two documents of three words, with one duplicate entry."""
    kind = pick(rng, ["int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"])
    most = np.iinfo(kind).max if kind[0] in "iu" else 2**63
    counts = np.array([min(_count(rng), int(most)) for _ in range(6)]).astype(kind)
    return csr_array((counts, [0, 1, 2, 0, 1, 1], [0, 3, 6]), shape=(2, 3))


def run_with_little_memory(work: Callable[[], Any], folder: Path) -> None:
    """Run in a child process with little spare memory, and report its outcome."""

    class Once(Attack):
        name = "child"

        def run_case(self, rng: Rng) -> None:
            work()

    def child() -> None:
        limit(resource.RLIMIT_AS, _address_space() + _SPARE)
        done = run_trial(Once(folder), 0, 0)
        (folder / "outcome").write_text(f"{done.outcome.name} {done.message}")

    status = wait_for_child(process := fork_child(child), 60.0)
    if status is None:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        raise WrongResultError("hangs")
    if status != 0:
        raise WrongResultError(f"the process died, status {status}")
    outcome, _, message = (folder / "outcome").read_text().partition(" ")
    if Outcome[outcome] is Outcome.clean:
        raise CleanError(message)
    if Outcome[outcome] is not Outcome.survived:
        raise WrongResultError(message)


def _address_space() -> int:
    """Address space of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


MODELS: list[Any] = [tw.LDA, tw.LabeledLDA, tw.MedLDAClassifier, tw.MedLDARegressor, tw.OnlineLabeledLDA]
