"""The engine of a shard whose topics are to predict something: documents and their auxiliary variables stay here."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._compile import kernel
from ..counts import topic_bits
from ..errors import InputError
from ..knowledge.compiling import Compiled
from ..losses import EpsilonInsensitive, Hinge, Logistic
from ..samplers.prior import with_seeds
from ..samplers.supervised import ByWord
from ..samplers.supervised_engine import PLAIN_SWEEPS, SupervisedEngine
from ..samplers.weights import Statistics, statistics_of
from .messages import Message, Round
from .parts import SparsePart
from .table import Table, rows_of

Floats = NDArray[np.float64]
_LOSSES: dict[str, Any] = {loss.__name__: loss for loss in (EpsilonInsensitive, Hinge, Logistic)}
_AUXILIARY = 1  # the stream that SupervisedEngine draws auxiliary variables from


class Supervision(NamedTuple):
    """What topics are to predict, and how."""

    targets: Floats
    cost_weights: Floats | None
    loss: Any
    nu: float
    sampler: str
    mh_steps: int
    weight_sweeps: int
    late: float  # how much later sweeps count more in the mean of the weights
    eta: Floats | None = None  # weights to go on from
    average: Floats | None = None

    def facts(self) -> dict[str, Any]:
        """All of it that is no array and that a shard must know, for JSON."""
        name = type(self.loss).__name__
        if type(self.loss) is not _LOSSES.get(name):
            raise InputError(f"a loss must be one of {', '.join(_LOSSES)} where there is a backend: got {self.loss!r}")
        return {"loss": name, "parameters": asdict(self.loss), "sampler": self.sampler, "mh_steps": self.mh_steps}


class SupervisedPart(SupervisedEngine):
    """Topics of a shard's documents, given the weights that all shards share.

    A proposal from a word must be drawn from that word's tokens in all shards. So of each word that the shard has, it
    lists the topics of all tokens, its own and others'.
    """

    def __init__(
        self,
        tokens: NDArray[np.int32],
        offsets: NDArray[np.int64],
        places: list[NDArray[np.int32]],
        n_words: int,
        n_topics: int,
        *,
        seed: int,
        n_jobs: int,
        assignments: NDArray[np.uint32],
        knowledge: Compiled,
        largest: int,
        facts: dict[str, Any],
        targets: Floats,
        cost_weights: Floats | None,
    ) -> None:
        self._topics, self._largest = assignments, largest
        options: dict[str, Any] = {"seed": seed, "n_jobs": n_jobs, "knowledge": knowledge}
        place = (tokens, offsets, places, n_words, n_topics)
        self._plainly = partial(SparsePart, *place, largest=largest, **options)
        self._first: SparsePart | None = None
        self._own = np.bincount(tokens, minlength=n_words)
        super().__init__(
            tokens,
            offsets,
            n_words,
            n_topics,
            alpha=np.ones(n_topics),
            beta=1.0,
            targets=targets,
            loss=_LOSSES[facts["loss"]](**facts["parameters"]),
            cost_weights=cost_weights,
            sampler=facts["sampler"],
            mh_steps=facts["mh_steps"],
            n_plain_sweeps=0,
            assignments=assignments,
            **options,
        )

    @property
    def assignments(self) -> NDArray[np.uint32]:
        """The topic of each token."""
        return self._topics

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many tokens each topic has in all shards."""
        return self._sizes

    def statistics(self, sweep: int, eta: Floats) -> Statistics:
        """What the weights of a sweep are drawn from, given those of the sweep before."""
        return statistics_of(self.doc_topics(), *self._auxiliaries(sweep, eta))

    def draw(self, which: Round, table: Table, message: Message) -> NDArray[np.uint32]:
        """Draw all topics, starting from the counts of all shards; returns them."""
        if which.sweep < PLAIN_SWEEPS:
            self._first = self._first or self._plainly(assignments=self._topics)
            self._topics = self._first.draw(which, table, message)
            return self._topics
        self._leave_plain()
        assert message.eta is not None
        before, self._eta = message.eta
        linear, quadratic = self._auxiliaries(which.sweep, before)
        self.sweep_number, self._sizes = which.sweep, message.sizes
        self.alpha, self.beta = message.alpha, with_seeds(message.beta, self._knowledge.seeds)
        self._start_from(table)
        n_tasks = len(self._eta)
        self._margin.linear[:, :n_tasks], self._margin.quadratic[:, :n_tasks] = linear, quadratic
        self._draw_topics()
        self._topics = self._state.assignments
        return self._topics

    def close(self) -> None:
        """Let the threads go."""
        self._leave_plain()
        super().close()

    def _leave_plain(self) -> None:
        if self._first is not None:
            self._first.close()
            self._first = None

    def _take_up(self, assignments: NDArray[np.uint32]) -> None:
        """Counts are given for each sweep."""

    def _auxiliaries(self, sweep: int, eta: Floats) -> tuple[Floats, Floats]:
        """A and Q: the same however often they are asked for."""
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(sweep, _AUXILIARY)))
        scores = np.asarray(self.doc_topics() @ eta.T)
        linear, quadratic = self._loss.linearise(scores, self._targets, self.doc_lengths, self._cost_weights, rng)
        return linear, quadratic

    def _start_from(self, table: Table) -> None:
        tokens, shift = self._corpus[0], np.uint64(topic_bits(self.n_topics))
        words = np.zeros((self.n_words, self.n_topics), np.uint16 if self._largest < 2**16 else np.int32)
        _fill_words(table.words, table.start, table.entries, words, shift)
        listed = np.where(self._own > 0, words.sum(axis=1, dtype=np.int64), 0)
        start = np.concatenate([[0], np.cumsum(listed)])
        topics = np.empty(start[-1], np.min_scalar_type(self.n_topics))
        place: Any = np.empty(len(tokens), np.uint32 if start[-1] < 2**32 else np.uint64)
        _list_by_word(tokens, self._topics, words, start, topics, place)
        self._set_state(self._topics, words, ByWord(start.astype(np.uint64), topics, place))
        if self._knowledge.factors:
            counts = self._sparse_counts(tokens, self._topics)
            order = np.arange(self.n_words)
            needed = np.ones(self.n_words, np.bool_)
            self._counts = counts._replace(words=rows_of(table, self._own, needed, order, self._largest))
        else:
            self._counts = None


@kernel
def _fill_words(words: Any, start: Any, entries: Any, counts: Any, shift: Any) -> None:
    mask = (np.uint64(1) << shift) - np.uint64(1)
    for i in range(words.shape[0]):
        for j in range(start[i], start[i + 1]):
            counts[words[i], np.uint64(entries[j]) & mask] = np.uint64(entries[j]) >> shift


@kernel
def _list_by_word(tokens: Any, assignments: Any, words: Any, start: Any, topics: Any, place: Any) -> None:
    """The topics of all tokens of each word: the shard's own, and then those of others, which stay as they are."""
    n_words, n_topics = words.shape
    end = start[:-1].copy()
    own = np.zeros((n_words, n_topics), np.int32)
    for i in range(tokens.shape[0]):
        w = tokens[i]
        topics[end[w]] = assignments[i]
        place[i] = end[w]
        own[w, assignments[i]] += 1
        end[w] += 1
    for w in range(n_words):
        if start[w] < start[w + 1]:
            for k in range(n_topics):
                for _ in range(np.int64(words[w, k]) - own[w, k]):
                    topics[end[w]] = k
                    end[w] += 1
