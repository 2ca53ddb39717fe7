"""``python -m benchmarks kernels``: CPU time of every kernel, compiled for several processors.

LLVM compiles a kernel in another way for each kind of processor, and one of them may turn out slow. Each kind runs in a
process of its own, with ``NUMBA_CPU_NAME``, on the same corpus.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import topicwright as tw

from .common.datasets import Source, read

HOST = "host"
CPUS = (HOST, "x86-64-v2", "x86-64-v3", "haswell", "skylake", "znver2", "znver3")
_N_TOPICS, _N_LINKS, _ROUNDS = 100, 1000, 3

Seconds = dict[str, float]


def run(
    corpus: str, cpus: Sequence[str] = CPUS, progress: Callable[[str], object] = lambda text: None
) -> dict[str, Seconds]:
    """Best CPU seconds of every kernel on each processor, as ``{cpu: {kernel: seconds}}``.

    Parameters
    ----------
    corpus : str
        A file of documents, or "docstrings".
    cpus : sequence of str
        Names that LLVM knows; "host" is this machine.
    progress : callable
        Called with the name of each processor.
    """
    result: dict[str, Seconds] = {}
    for cpu in cpus:
        progress(cpu)
        with tempfile.TemporaryDirectory() as cache:
            environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
            if cpu != HOST:
                environment |= {"NUMBA_CPU_NAME": cpu, "NUMBA_CPU_FEATURES": ""}
            command = [sys.executable, "-m", "benchmarks.kernels", corpus]
            reply = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if reply.returncode:
            progress(f"{cpu}: {reply.stderr.strip().splitlines()[-1]}")  # a processor that this machine cannot run
            continue
        result[cpu] = json.loads(reply.stdout)
    return result


def slowdowns(seconds: dict[str, Seconds]) -> Seconds:
    """Time of each kernel on the host, relative to the best processor."""
    return {kernel: own / min(times[kernel] for times in seconds.values()) for kernel, own in seconds[HOST].items()}


def report(seconds: dict[str, Seconds]) -> str:
    """Markdown table: milliseconds of each kernel by processor, and the host relative to the best."""
    ratio = slowdowns(seconds)
    lines = [
        f"| kernel | {' | '.join(seconds)} | host / best |",
        f"| --- |{' ---: |' * (len(seconds) + 1)}",
        *(
            f"| {kernel} | {' | '.join(f'{1000 * times[kernel]:.0f}' for times in seconds.values())} | {value:.2f} |"
            for kernel, value in ratio.items()
        ),
    ]
    return "\n".join(lines)


# ---------------------------------------------------------------------- one processor


def measure(corpus: tw.Corpus) -> Seconds:
    """Best CPU seconds of every kernel in this process."""
    seconds = {}
    for name, call in _kernels(corpus).items():
        call()  # compiles
        seconds[name] = min(call() for _ in range(_ROUNDS))
    return seconds


def _kernels(corpus: tw.Corpus) -> dict[str, Callable[[], float]]:
    rng = np.random.default_rng(0)
    n, words, n_docs = min(_N_LINKS, corpus.n_words), corpus.vocabulary, corpus.n_docs
    pairs = [tuple(words[rng.choice(len(words), 2, replace=False)]) for _ in range(n)]
    topics = {str(k): [pairs[k][0]] for k in range(min(20, n))}
    knowledge: dict[str, list[Any]] = {
        "LDA": [],
        "must-links": [tw.MustLinks(pairs)],
        "must-links of SC-LDA": [tw.MustLinks(pairs, firmness=None)],
        "cannot-links": [tw.CannotLinks(pairs)],
        "soft seeds": [tw.SeedWords(topics)],
        "hard seeds": [tw.SeedWords(topics, hard=True)],
        "known topics": [tw.KnownTopics({name: {own[0]: 50} for name, own in topics.items()})],
        "document topics": [tw.DocumentTopics({d: d % _N_TOPICS for d in range(0, n_docs, 3)})],
        "document links": [tw.DocumentLinks([(d, d + 1) for d in range(0, n_docs - 1, 3)])],
    }
    part = corpus.select(np.arange(min(400, n_docs)))
    classes = rng.integers(0, 20, part.n_docs)
    labels = [[f"label {k}" for k in rng.integers(0, 60, 2)] for _ in range(n_docs)]
    fitted = tw.LDA(_N_TOPICS, n_sweeps=10, evaluate_every=0).fit(corpus)
    return {
        **{name: _sweeps(corpus, items) for name, items in knowledge.items()},
        "labeled": _cpu(lambda: tw.LabeledLDA(n_sweeps=8, evaluate_every=0).fit(corpus, labels)),
        "MedLDA, dense": _medlda(part, classes, "dense"),
        "MedLDA, Metropolis": _medlda(part, classes, "compositional"),
        "particle filter": _cpu(lambda: tw.OnlineLabeledLDA(random_state=0).partial_fit(part, labels[: part.n_docs])),
        "inference": _cpu(lambda: fitted.transform(part)),
    }


def _medlda(corpus: tw.Corpus, classes: Any, sampler: str) -> Callable[[], float]:
    return _cpu(
        lambda: tw.MedLDAClassifier(_N_TOPICS, sampler=sampler, word_weights=False, n_sweeps=6, evaluate_every=0).fit(
            corpus, classes
        )
    )


def _sweeps(corpus: tw.Corpus, knowledge: list[Any]) -> Callable[[], float]:
    """Median CPU time of a sweep, after the first ones."""

    def measure_sweeps() -> float:
        times = [time.process_time()]
        model = tw.LDA(_N_TOPICS, alpha=1.0, knowledge=knowledge, n_sweeps=12, evaluate_every=0)
        model.fit(corpus, on_sweep=lambda sweep: times.append(time.process_time()))
        return float(np.median(np.diff(times)[6:]))

    return measure_sweeps


def _cpu(call: Callable[[], Any]) -> Callable[[], float]:
    def measure_call() -> float:
        started = time.process_time()
        call()
        return time.process_time() - started

    return measure_call


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")
    json.dump(measure(read(Source(corpus=sys.argv[1]))), sys.stdout)
