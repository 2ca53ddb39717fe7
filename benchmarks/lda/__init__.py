"""``python -m benchmarks lda``: plain LDA beside other programs, which take turns of a few sweeps.

>>> from benchmarks.lda import LDAOptions, run
>>> import topicwright as tw
>>> corpus = tw.Corpus.from_texts(["cats and dogs purr and bark", "stocks and bonds rise and fall"] * 20)
>>> result = run(LDAOptions(n_topics=2, n_sweeps=4, programs=("topicwright",), every=2, memory=False), corpus)
>>> result.contestants[0].rate() > 0
True
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from topicwright.errors import InputError

from ..common.base import sizes_of
from ..common.machine import machine
from ..common.metrics import Completion, joint_log_likelihood
from ..common.schedule import alternating
from ._programs import Program, Task
from .memory import peak_memory
from .options import PROGRAMS, LDAOptions
from .results import LDAResult, ProgramRecord, Track, Turn

if TYPE_CHECKING:
    from topicwright.corpus.corpus import Corpus

__all__ = ["PROGRAMS", "LDAOptions", "LDAResult", "run"]

MAX_HELD_OUT = 500  # documents; more would take longer to evaluate than to fit
MAX_TRANSFORMED = 100  # of these; a peer takes minutes for more


def run(
    options: LDAOptions,
    corpus: Corpus,
    held_out: Corpus | None = None,
    *,
    progress: Callable[[str], object] = lambda text: None,
) -> LDAResult:
    """Fit one corpus with several programs that take turns, and measure speed and quality of each in one way.

    Parameters
    ----------
    held_out : Corpus, optional
        Documents, in the same vocabulary, whose perplexity is measured. Without them, one document in twenty
        is taken out of the corpus.
    progress : callable
        Called with a short description of each step.
    """
    missing = {name: reason for name in options.programs if (reason := PROGRAMS[name].missing())}
    present = [name for name in dict.fromkeys(options.programs) if name not in missing]
    corpus, held_out = _split(corpus, held_out)
    contestants = [
        ProgramRecord(name, n, PROGRAMS[name].variational, corpus.n_tokens)
        for name in present
        for n in ((1, options.threads) if options.threads > 1 and PROGRAMS[name].threaded else (1,))
    ]
    evaluator = Completion(held_out, options.alpha)
    for seed in range(options.seed, options.seed + options.repeats):
        prior = (options.n_topics, options.alpha, options.beta, seed)
        tasks = [Task(corpus, *prior, contestant.threads) for contestant in contestants]
        _race(options, contestants, tasks, evaluator, held_out, progress)
    for contestant, task in zip(contestants, tasks) if options.memory else ():
        progress(f"{contestant.name}: memory")
        contestant.peak_memory = peak_memory(contestant.program, task)
    sizes = sizes_of(corpus) | {"n_held_out_docs": len(evaluator.documents)}
    return LDAResult(sizes, asdict(options), machine(present), contestants, missing)


def _race(
    options: LDAOptions,
    contestants: Sequence[ProgramRecord],
    tasks: Sequence[Task],
    evaluator: Completion,
    held_out: Corpus,
    progress: Callable[[str], object],
) -> None:
    """One run of all contestants, turn by turn; every second round in reverse order."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    n_sweeps, every = options.n_sweeps, options.every
    with threadpool_limits(1), ExitStack() as stack:
        runners = []
        for contestant, task in zip(contestants, tasks):
            program, track = _ready(contestant, task)
            stack.callback(program.close)
            contestant.tracks.append(track)
            runners.append((contestant, program, track))
        for round_, done in enumerate(range(0, n_sweeps, every)):
            for contestant, program, track in alternating(runners, round_):
                progress(f"{contestant.name}: {done} of {n_sweeps} sweeps")
                n = 1 if contestant.variational else min(every, n_sweeps - done)
                track.turns.append(_turn(program, n, evaluator))
        for contestant, program, track in runners:
            progress(f"{contestant.name}: new documents")
            track.transform_rate = _transform_rate(program, held_out)


def _ready(contestant: ProgramRecord, task: Task) -> tuple[Program, Track]:
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
            parameter="held_out", expected=f"in the corpus's vocabulary of {corpus.n_words:,}", got=held_out.n_words
        )
    if corpus.n_tokens == 0:
        raise InputError("the corpus must have words: got none")
    if held_out.n_docs > MAX_HELD_OUT:
        held_out = held_out.select(np.linspace(0, held_out.n_docs - 1, MAX_HELD_OUT).astype(int))
    return corpus, held_out
