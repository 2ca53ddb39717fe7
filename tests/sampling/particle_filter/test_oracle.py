"""The oracles of the stream: every state of a tiny one with its probability, and the whole filter in plain Python."""

from __future__ import annotations

from itertools import product
from math import lgamma, log
from typing import Any

import numpy as np

from topicwright._sampling.particle_filter import StreamEngine
from topicwright._sampling.particle_filter.ancestry import lane_count
from topicwright._sampling.random import streams

Docs = list[tuple[list[int], list[int]]]  # words and labels


def batch(docs: Docs) -> tuple[np.ndarray, ...]:
    """Documents as the engine takes them."""
    lengths, widths = [len(words) for words, _ in docs], [len(labels) for _, labels in docs]
    return (
        np.array([w for words, _ in docs for w in words], np.int64),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.array([k for _, labels in docs for k in labels], np.int64),
        np.concatenate([[0], np.cumsum(widths)]).astype(np.int64),
    )


def random_docs(n: int, n_words: int, n_labels: int, seed: int = 0, most: int = 4, longest: int = 12) -> Docs:
    rng = np.random.default_rng(seed)
    return [
        (
            rng.integers(0, n_words, rng.integers(0, longest)).tolist(),
            rng.choice(n_labels, rng.integers(1, most + 1), replace=False).tolist(),
        )
        for _ in range(n)
    ]


class TinyStream:
    """A few tokens, with all states of those that have a choice; a state's number is that of :meth:`number`."""

    def __init__(self, docs: Docs, alpha: dict[int, float], beta: float, n_words: int) -> None:
        self.docs, self.alpha, self.beta, self.n_words = docs, alpha, beta, n_words
        self.tokens = [(d, w) for d, (words, _) in enumerate(docs) for w in words]
        self.free = [i for i, (d, _) in enumerate(self.tokens) if len(docs[d][1]) > 1]
        self.states = list(product(*[docs[d][1] for d, _ in self.tokens]))

    def engine(self, n_particles: int, **parameters: Any) -> StreamEngine:
        engine = StreamEngine(n_particles, beta=self.beta, n_words=self.n_words, **parameters)
        engine.set_alpha(list(self.alpha), list(self.alpha.values()))
        return engine

    def number(self, engine: StreamEngine) -> np.ndarray:
        """State of each particle."""
        choices = engine.state()["reservoir.choices"].astype(np.int64)
        assert len(choices) == len(self.free)
        number = np.zeros(choices.shape[1], np.int64)
        for i, row in zip(self.free, choices):
            number = number * len(self.docs[self.tokens[i][0]][1]) + row
        return number

    def log_joint(self, z: tuple[int, ...]) -> float:
        """log p(w, z), from the definition of the Dirichlet-multinomial."""
        total = 0.0
        for d, (_, labels) in enumerate(self.docs):
            counts = [sum(1 for (e, _), k in zip(self.tokens, z) if e == d and k == label) for label in labels]
            total += _dirichlet_multinomial(counts, [self.alpha[k] for k in labels])
        for label in self.alpha:
            counts = [sum(1 for (_, v), k in zip(self.tokens, z) if v == w and k == label) for w in range(self.n_words)]
            total += _dirichlet_multinomial(counts, [self.beta] * self.n_words)
        return total

    def joint(self) -> np.ndarray:
        return np.exp([self.log_joint(z) for z in self.states])

    def steps(self, z: tuple[int, ...]) -> list[tuple[float, float, float]]:
        """By token: the chance of its label in a draw, p(w) summed over labels, and p(w) under its label."""
        result = []
        for i, (d, w) in enumerate(self.tokens):
            before = [(e, v, k) for (e, v), k in zip(self.tokens[:i], z[:i])]
            in_doc, in_label = {}, {}
            for k in self.docs[d][1]:
                in_doc[k] = sum(1 for e, _, kk in before if e == d and kk == k) + self.alpha[k]
                of_word = sum(1 for _, v, kk in before if v == w and kk == k) + self.beta
                in_label[k] = of_word / (sum(1 for _, _, kk in before if kk == k) + self.n_words * self.beta)
            total = sum(in_doc[k] * in_label[k] for k in in_doc)
            chance = in_doc[z[i]] * in_label[z[i]] / total
            result.append((chance, total / sum(in_doc.values()), in_label[z[i]]))
        return result

    def sequential(self) -> np.ndarray:
        """Π p(z_i | z_<i, w_≤i): what one particle does."""
        return np.array([np.prod([chance for chance, _, _ in self.steps(z)]) for z in self.states])

    def by_drawn_weights(self) -> np.ndarray:
        """Limit of the particles when weights are multiplied by p(w) under the drawn label."""
        target = np.array([np.prod([chance * drawn for chance, _, drawn in self.steps(z)]) for z in self.states])
        return target / target.sum()


def _dirichlet_multinomial(counts: list[int], prior: list[float]) -> float:
    total = lgamma(sum(prior)) - lgamma(sum(prior) + sum(counts))
    return total + sum(lgamma(n + a) - lgamma(a) for n, a in zip(counts, prior))


class PlainFilter:
    """Straightforward filter: each particle has its own dicts, and resampling copies them all.

    Only the random numbers are those of the engine, in its order.
    """

    def __init__(self, n_particles: int, **parameters: Any) -> None:
        self.n, self.given = n_particles, parameters
        self.key = int(streams(parameters["seed"], 1)[0, 0])
        self.pairs: list[dict[tuple[int, int], float]] = [{} for _ in range(n_particles)]
        self.totals: list[dict[int, float]] = [{} for _ in range(n_particles)]
        self.choices: list[dict[tuple[int, int], int]] = [{} for _ in range(n_particles)]  # by document and token
        self.docs: Docs = []
        self.increments: list[float] = []
        self.keys: list[float] = []
        self.kept: list[int] = []
        self.weights = [1 / n_particles] * n_particles
        self.seen: set[int] = set()
        self.bound, self.increment, self.owed, self.place = 1.0, 1.0, 0.0, 0
        self.n_resamplings = 0

    def add(self, docs: Docs) -> list[float]:
        return [self._add(words, labels) for words, labels in docs]

    def _add(self, words: list[int], labels: list[int]) -> float:
        d, given = len(self.docs), self.given
        self.random = [_mix(_mix(self.key + 1) ^ _mix(d + 1)), 0]
        self.random[1] = _mix(self.random[0]) | 1
        self.seen |= set(words)
        self.docs.append((words, labels))
        self.increments.append(self.increment)
        self.keys.append(self._draw())
        log_p = 0.0
        for i in range(len(words)):
            log_p += self._read(d, i)
        self.owed += given["rejuvenate_per_label"] * min(len(labels) - 1, 20) * len(words)
        self._redraw(d, len(words), int(self.owed), given["rejuvenation_order"] == "cycle")
        self.owed -= int(self.owed)
        self._keep_or_drop(d)
        self.increment /= given["decay"]
        return log_p

    def _read(self, d: int, i: int) -> float:
        words, labels = self.docs[d]
        weights = [self._weights(p, d, i) for p in range(self.n)]
        before = i + len(labels) * self.given["alpha"]
        margins = [sum(w) / before for w in weights]
        foreseen, drawn = margins, self._choose(weights)
        if self.given["weighting"] == "drawn":
            foreseen = [self._in_label(p, words[i], labels[j], 0.0) for p, j in enumerate(drawn)]
        log_p = log(sum(w * m for w, m in zip(self.weights, margins)))
        self._move(d, i, drawn)
        if self.n > 1:
            power = self.given["tempering"]
            power = 1 / len(words) if power == "document" else power
            weighed = [w * f**power for w, f in zip(self.weights, foreseen)]
            self.weights = [w / sum(weighed) for w in weighed]
            if 1 / sum(w * w for w in self.weights) <= self.given["threshold"]:
                self._resample()
                self._redraw(d, i + 1, self.given["rejuvenate_at_resampling"], False)
        return log_p

    def _in_label(self, p: int, w: int, k: int, own: float) -> float:
        beta = self.given["beta"] * self.increment
        count, total = self.pairs[p].get((k, w), 0.0), self.totals[p].get(k, 0.0)
        return (count - own + beta) / (total - own + beta * (self.given["n_words"] or len(self.seen)))

    def _weights(self, p: int, d: int, i: int) -> list[float]:
        (words, labels), old = self.docs[d], self.choices[p].get((d, i))
        result = []
        for j, k in enumerate(labels):
            here = float(j == old)
            in_doc = sum(1 for ii in range(len(words)) if self.choices[p].get((d, ii)) == j)
            in_label = self._in_label(p, words[i], k, here * self.increments[d])
            result.append((in_doc - here + self.given["alpha"]) * in_label)
        return result

    def _choose(self, weights: list[list[float]]) -> list[int]:
        if len(weights[0]) == 1:
            return [0] * self.n
        state, step = self.random
        result = []
        for p, w in enumerate(weights):
            sums = np.cumsum(w)
            point = (_mix(state + step * (p + 1)) >> 11) * 2.0**-53 * sums[-1]
            result.append(int((sums[:-1] <= point).sum()))
        self.random[0] = (state + step * lane_count(self.n)) % 2**64
        return result

    def _move(self, d: int, i: int, drawn: list[int]) -> None:
        words, labels = self.docs[d]
        for p, new in enumerate(drawn):
            old = self.choices[p].get((d, i))
            if old is not None:
                self._count(p, labels[old], words[i], -self.increments[d])
            self._count(p, labels[new], words[i], self.increments[d])
            self.choices[p][d, i] = new

    def _count(self, p: int, k: int, w: int, n: float) -> None:
        self.pairs[p][k, w] = self.pairs[p].get((k, w), 0.0) + n
        self.totals[p][k] = self.totals[p].get(k, 0.0) + n

    def _redraw(self, d: int, n_read: int, n: int, in_turn: bool) -> None:
        there = [(e, i) for e in self.kept for i in range(len(self.docs[e][0]))]
        if len(self.docs[d][1]) > 1:
            there += [(d, i) for i in range(n_read)]
        left = n if there else 0
        while left:
            places = []
            for _ in range(min(16, left)):  # places are drawn in blocks
                if in_turn:
                    self.place = self.place if self.place < len(there) else 0
                    places.append(self.place)
                    self.place += 1
                else:
                    places.append(min(int(self._draw() * len(there)), len(there) - 1))
            for place in places:
                e, i = there[place]
                self._move(e, i, self._choose([self._weights(p, e, i) for p in range(self.n)]))
            left -= len(places)

    def _resample(self) -> None:
        assert self.given["resampling"] == "systematic"
        points = (np.arange(self.n) + self._draw()) / self.n
        ancestors = np.minimum(np.searchsorted(np.cumsum(self.weights), points, side="right"), self.n - 1)
        self.pairs = [self.pairs[a].copy() for a in ancestors]
        self.totals = [self.totals[a].copy() for a in ancestors]
        self.choices = [self.choices[a].copy() for a in ancestors]
        self.weights = [1 / self.n] * self.n
        self.n_resamplings += 1

    def _keep_or_drop(self, d: int) -> None:
        room, (words, labels) = self.given["reservoir_tokens"], self.docs[d]
        fits = 0 < len(words) <= room and 1 < len(labels) <= room
        if fits and self.keys[d] < self.bound:
            self.kept.append(d)
        place = self._token_at(self.place)
        while any(sum(len(self.docs[e][part]) for e in self.kept) > room for part in (0, 1)):
            self.bound *= 0.9
            self.kept = [e for e in self.kept if self.keys[e] < self.bound]
        before = [(e, i) for e in self.kept for i in range(len(self.docs[e][0])) if (e, i) < place]
        self.place = len(before)
        if self.place >= sum(len(self.docs[e][0]) for e in self.kept):
            self.place = 0

    def _token_at(self, place: int) -> tuple[int, int]:
        there = [(e, i) for e in self.kept for i in range(len(self.docs[e][0]))]
        return there[place] if place < len(there) else (len(self.docs), 0)

    def _draw(self) -> float:
        self.random[0] = (self.random[0] + self.random[1]) % 2**64
        return (_mix(self.random[0]) >> 11) * 2.0**-53


def _mix(x: int) -> int:
    x %= 2**64
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) % 2**64
    return x ^ (x >> 31)


TINY = TinyStream([([0, 1], [0, 1]), ([1, 1], [1]), ([1, 2, 0], [2, 0])], {0: 0.3, 1: 0.8, 2: 0.5}, 0.4, 3)
WIDE = TinyStream([([0, 1], [0, 1, 2]), ([1], [1]), ([0, 1, 0], [2, 1])], {0: 0.3, 1: 0.8, 2: 0.5}, 0.4, 3)


def test_the_steps_multiply_to_the_joint() -> None:
    product_of_steps = [np.prod([chance * margin for chance, margin, _ in TINY.steps(z)]) for z in TINY.states]
    np.testing.assert_allclose(product_of_steps, TINY.joint())
    np.testing.assert_allclose(TINY.sequential().sum(), 1)


def test_the_three_distributions_differ() -> None:
    """By enough that frequencies can tell them apart."""
    posterior = TINY.joint() / TINY.joint().sum()
    for one, other in ((posterior, TINY.sequential()), (posterior, TINY.by_drawn_weights())):
        assert np.abs(one - other).sum() > 0.1
