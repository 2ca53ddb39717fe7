"""A long stream that never stops to grow: the documents come many times, each time with some new words and labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..common.machine import resident_memory
from ..common.schedule import alternating, seconds_of
from .context import OnlineContext
from .speed import cost_of_token, ratio_of_costs
from .streams import DEFAULTS, Follower, Slice, bounds, bytes_in_all, bytes_of_pairs, take, tokens_in_reservoir

if TYPE_CHECKING:
    from topicwright.corpus.corpus import Corpus

Timed = tuple[int, float]  # tokens, and the CPU seconds that they took
Turn = tuple[Follower, int]  # a stream, and the pass that it reads

SHARE = 0.2  # of words, and of labels, that are new in a pass
N_SLICES = 10  # in a pass
SECOND = 1


@dataclass
class Pass:
    """All documents once more."""

    number: int
    seed: int
    n_particles: int
    n_docs: int  # since the beginning, as all that follows up to the growth of memory
    n_words: int
    n_labels: int
    n_pairs: int
    reservoir: int  # tokens
    pair_bytes: int
    state_bytes: int  # all arrays, pairs and reservoir included
    memory_growth: int | None  # of the process, in bytes
    n_tokens: list[int]  # of this pass, slice by slice
    seconds: list[float]  # CPU
    young_tokens: list[int] = field(default_factory=list)  # the last pass: of a stream that reads the second beside it
    young_seconds: list[float] = field(default_factory=list)

    @property
    def cost(self) -> float:
        """CPU seconds of a token, the median over slices."""
        return cost_of_token(self.seconds, self.n_tokens)

    @property
    def growth(self) -> float | None:
        """What a token of the last pass costs to one of the second, both read at the same time."""
        return ratio_of_costs(self.seconds, self.n_tokens, self.young_seconds, self.young_tokens)


def run(context: OnlineContext) -> list[Pass]:
    """The default settings, pass by pass."""
    return [row for seed in context.seeds() for row in _run(context, seed)]


def _run(context: OnlineContext, seed: int) -> Iterator[Pass]:
    stream, young = _new(context, seed), _new(context, seed)
    for part in one_pass(context.corpus, 0, seed):
        _read(young, part)  # now, so that its memory is there before that of the other is looked at
    before, last = resident_memory(), context.options.passes - 1
    for number in range(last):
        context.progress(f"pass {number + 1} of {last + 1}")
        timed = [_read(stream, part) for part in one_pass(context.corpus, number, seed)]
        yield _row(stream, number, seed, before, timed)
    context.progress("the last pass, and the second beside it")
    times = _read_in_turn((stream, last), (young, SECOND), context.corpus, seed)
    row = _row(stream, last, seed, before, times[0])
    row.young_tokens, row.young_seconds = map(list, zip(*times[1]))
    yield row


def _read_in_turn(one: Turn, other: Turn, corpus: Corpus, seed: int) -> tuple[list[Timed], list[Timed]]:
    """Two streams that each read a pass, every second slice in reverse order."""
    times: tuple[list[Timed], list[Timed]] = ([], [])
    for number, parts in enumerate(zip(one_pass(corpus, one[1], seed), one_pass(corpus, other[1], seed))):
        for (stream, _), part, own in alternating(list(zip((one, other), parts, times)), number):
            own.append(_read(stream, part))
    return times


def _new(context: OnlineContext, seed: int) -> Follower:
    stream = Follower(DEFAULTS, seed, **context.prior)
    stream.prepare()
    return stream


def _read(stream: Follower, part: Slice) -> Timed:
    stream.go_on([part])
    return part.n_tokens, seconds_of(stream.sweep)


def _row(stream: Follower, number: int, seed: int, before: int | None, timed: list[Timed]) -> Pass:
    engine, now = stream.engine, resident_memory()
    return Pass(
        number,
        seed,
        engine.n_particles,
        n_docs=engine.n_documents,
        n_words=engine.n_words,
        n_labels=engine.n_labels,
        n_pairs=engine.n_count_rows,
        reservoir=tokens_in_reservoir(engine),
        pair_bytes=bytes_of_pairs(engine),
        state_bytes=bytes_in_all(engine),
        memory_growth=None if now is None or before is None else now - before,
        n_tokens=[n for n, _ in timed],
        seconds=[seconds for _, seconds in timed],
    )


def one_pass(corpus: Corpus, number: int, seed: int) -> Iterator[Slice]:
    """All documents, with some of their words and labels under a name of this pass: new ones all along."""
    random = np.random.default_rng([seed, number])
    words = _renamed(corpus.vocabulary.tolist(), number, random)
    labels = _renamed(corpus.label_names(), number, random)
    for ends in bounds(0, corpus.n_docs, N_SLICES):
        part = take(corpus, *ends)
        yield Slice(
            [[words[word] for word in own] for own in part.words],
            [[labels[label] for label in own] for own in part.labels],
        )


def _renamed(names: list[str], number: int, random: np.random.Generator) -> dict[str, str]:
    are_new = (random.random(len(names)) < SHARE).tolist()
    return {name: f"{name} {number}" if number and is_new else name for name, is_new in zip(names, are_new)}
