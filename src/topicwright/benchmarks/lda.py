"""LDA beside other programs: they take turns of a few sweeps, so that what disturbs one disturbs all alike.

>>> from topicwright.benchmarks.lda import run
>>> import topicwright as tw
>>> corpus = tw.Corpus.from_texts(["cats and dogs purr and bark", "stocks and bonds rise and fall"] * 20)
>>> result = run(corpus, n_topics=2, n_sweeps=4, programs=["topicwright"], every=2, memory=False)
>>> result.contestants[0].rate() > 0
True
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InputError
from ._cpp import Cpp
from ._plain_lda import PlainLDA
from ._programs import Gensim, Program, ScikitLearn, Task, Tomotopy, Topicwright
from .measures import Completion, joint_log_likelihood
from .results import Contestant, Result, Track, Turn

if TYPE_CHECKING:
    from ..corpus.core import Corpus

PROGRAMS: dict[str, type[Program]] = {
    "topicwright": Topicwright,
    "tomotopy": Tomotopy,
    "gensim": Gensim,
    "sklearn": ScikitLearn,
    "lda": PlainLDA,
    "cpp": Cpp,
}
MAX_HELD_OUT = 500  # documents; more would take longer to evaluate than to fit
MAX_TRANSFORMED = 100  # of these; a peer takes minutes for more


def run(
    corpus: Corpus,
    n_topics: int = 100,
    n_sweeps: int = 100,
    programs: Sequence[str] = tuple(PROGRAMS),
    *,
    threads: int = 1,
    repeats: int = 1,
    every: int = 10,
    alpha: float = 0.1,
    beta: float = 0.01,
    seed: int = 0,
    held_out: Corpus | None = None,
    memory: bool = True,
    on_turn: Callable[[str, int], object] | None = None,
) -> Result:
    """Fit one corpus with several programs that take turns, and measure speed and quality of each in one way.

    Parameters
    ----------
    every : int
        Sweeps in a turn. A variational program makes one pass in its turn.
    threads : int
        With more than one, programs that can use them run on one thread and, as further contestants, on all.
    held_out : Corpus, optional
        Documents, in the same vocabulary, whose perplexity is measured. Without them, one document in twenty
        is taken out of the corpus.
    memory : bool
        Whether to measure peak memory too, by a separate process for each program.
    on_turn : callable, optional
        Called before each turn with the contestant's name and the sweeps done so far.
    """
    _check(programs, n_topics=n_topics, n_sweeps=n_sweeps, threads=threads, repeats=repeats, every=every)
    missing = {name: reason for name in programs if (reason := PROGRAMS[name].missing())}
    present = [name for name in dict.fromkeys(programs) if name not in missing]
    corpus, held_out = _split(corpus, held_out)
    evaluator = Completion(held_out, alpha)
    contestants = [
        Contestant(name, n, PROGRAMS[name].variational, corpus.n_tokens)
        for name in present
        for n in ({1, threads} if PROGRAMS[name].threaded else {1})
    ]
    for repeat in range(repeats):
        tasks = [Task(corpus, n_topics, alpha, beta, seed + repeat, c.threads) for c in contestants]
        _race(contestants, tasks, n_sweeps, every, evaluator, held_out, on_turn)
    if memory:
        from .memory import peak_memory

        for contestant, task in zip(contestants, tasks):
            contestant.peak_memory = peak_memory(contestant.program, task)
    sizes = {
        "n_docs": corpus.n_docs,
        "n_tokens": corpus.n_tokens,
        "n_words": corpus.n_words,
        "n_held_out_docs": len(evaluator.documents),
    }
    parameters = {
        "n_topics": n_topics,
        "alpha": alpha,
        "beta": beta,
        "n_sweeps": n_sweeps,
        "every": every,
        "repeats": repeats,
        "threads": threads,
        "seed": seed,
    }
    return Result(sizes, parameters, _machine(present), contestants, missing)


def _race(
    contestants: Sequence[Contestant],
    tasks: Sequence[Task],
    n_sweeps: int,
    every: int,
    evaluator: Completion,
    held_out: Corpus,
    on_turn: Callable[[str, int], object] | None,
) -> None:
    """One run of all contestants, turn by turn; every second round in reverse order."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with threadpool_limits(1), ExitStack() as stack:
        runners = []
        for contestant, task in zip(contestants, tasks):
            program, track = _ready(contestant, task)
            stack.callback(program.close)
            contestant.tracks.append(track)
            runners.append((contestant, program, track))
        for round_, done in enumerate(range(0, n_sweeps, every)):
            for contestant, program, track in runners[:: 1 if round_ % 2 == 0 else -1]:
                if on_turn is not None:
                    on_turn(contestant.name, done)
                n = 1 if contestant.variational else min(every, n_sweeps - done)
                track.turns.append(_turn(program, n, evaluator))
        for _, program, track in runners:
            track.transform_rate = _transform_rate(program, held_out)


def _ready(contestant: Contestant, task: Task) -> tuple[Program, Track]:
    program = PROGRAMS[contestant.program]()
    program.warm_up(task)
    start = time.process_time()
    program.setup(task)
    return program, Track(contestant.program, task.threads, task.seed, time.process_time() - start)


def _turn(program: Program, n_sweeps: int, evaluator: Completion) -> Turn:
    """Some sweeps by the clock, then their result, evaluated off it."""
    cpu, wall = program.cpu_seconds(), time.perf_counter()
    program.advance(n_sweeps)
    wall, cpu = time.perf_counter() - wall, program.cpu_seconds() - cpu
    task, z = program.task, program.assignments()
    likelihood = None
    if z is not None:
        likelihood = joint_log_likelihood(task.corpus, z, task.n_topics, task.alpha, task.beta)
    perplexity = evaluator.perplexity(program.topic_word()) if evaluator.documents else None
    return Turn(n_sweeps, cpu, wall, likelihood, perplexity)


def _transform_rate(program: Program, held_out: Corpus) -> float | None:
    held_out = held_out.select(range(min(held_out.n_docs, MAX_TRANSFORMED)))
    if held_out.n_tokens == 0:
        return None
    transform = program.transformer()
    if transform is None:
        return None
    transform(held_out.select([0]))  # compiled before the clock runs
    start = program.cpu_seconds()
    transform(held_out)
    return held_out.n_tokens / max(program.cpu_seconds() - start, 1e-9)


def _split(corpus: Corpus, held_out: Corpus | None) -> tuple[Corpus, Corpus]:
    """The documents to fit, and at most MAX_HELD_OUT others, spread evenly."""
    if held_out is None:
        chosen = np.arange(corpus.n_docs) % 20 == 19
        corpus, held_out = corpus.select(~chosen), corpus.select(chosen)
    elif held_out.n_words != corpus.n_words:
        raise InputError(
            f"held_out must have the corpus's words: got {held_out.n_words:,}, expected {corpus.n_words:,}"
        )
    if corpus.n_tokens == 0:
        raise InputError("the corpus must have words: got none")
    if held_out.n_docs > MAX_HELD_OUT:
        held_out = held_out.select(np.linspace(0, held_out.n_docs - 1, MAX_HELD_OUT).astype(int))
    return corpus, held_out


def _check(programs: Sequence[str], **numbers: int) -> None:
    unknown = [name for name in programs if name not in PROGRAMS]
    if unknown or not programs:
        got = ", ".join(unknown) or "none"
        raise InputError(f"programs must be some of {', '.join(PROGRAMS)}: got {got}")
    for name, value in numbers.items():
        if value < 1:
            raise InputError(f"{name} must be at least 1: got {value}")


def _machine(programs: Sequence[str]) -> dict[str, object]:
    versions = {}
    for program in programs:
        try:
            versions[program] = version({"sklearn": "scikit-learn"}.get(program, program))
        except PackageNotFoundError:  # our own loop in C++
            versions[program] = "source"
    return {
        "platform": platform.platform(),
        "processor": _processor(),
        "cpus": os.cpu_count(),
        "load": list(os.getloadavg()) if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "versions": versions,
    }


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf8") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()
