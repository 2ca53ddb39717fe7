"""The oracles of links in the stream: tiny streams state by state, and the plain filter with links.

Links have no joint distribution of labels alone (``tests/knowledge/test_exactness.py``). The stream has one of words
and labels: words come as they do without links, and each draws its label with them. That is what particles follow.
Rejuvenated tokens are a chain, whose oracle is its matrix of transitions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from topicwright._sampling.particle_filter import StreamEngine
from topicwright._sampling.particle_filter.word_links import MUST_LINK, SHARE_COUNTS, LinkList

from .test_oracle import PlainFilter, TinyStream, batch


class Link(NamedTuple):
    one: int
    other: int
    kind: Any
    amount: float
    firmness: float = 1.0


def as_list(links: list[Link]) -> LinkList:
    words = np.array([link[:2] for link in links], np.int64).reshape(-1, 2)
    kinds, amounts, firmness = ([link[n] for link in links] for n in (2, 3, 4))
    return LinkList(words, np.array(kinds, np.uint8), np.array(amounts, float), np.array(firmness, float))


def ratio(links: list[Link], w: int, sizes: Any, own: float, counts: Mapping[int, float]) -> float:
    """How much more a label weighs with links: ``own`` is n_kw + b there, ``counts`` has n_ku."""
    borrowed, g = 0.0, 1.0
    for link in links:
        if w in link[:2]:
            u = link.other if link.one == w else link.one
            count = counts.get(u, 0.0)
            if link.kind == SHARE_COUNTS:
                borrowed += link.amount * max(sizes[w], 1) / max(sizes[u], 1) * count
            else:
                floor = link.firmness * link.amount + (1 - link.firmness) * max(sizes[u], link.amount)
                g *= (max(floor, count) / floor) ** (1 if link.kind == MUST_LINK else -1)
    return (own + borrowed) / own * g


class LinkedStream(TinyStream):
    """A tiny stream with links, and with counts before it begins; ``more`` is what the oracle gets wrong on purpose."""

    def __init__(self, links: list[Link], seeds: dict[tuple[int, int], float] | None = None, more: float = 0) -> None:
        docs = [([0, 1], [0, 1]), ([1, 1], [1]), ([1, 2, 0], [2, 0])]
        super().__init__(docs, {0: 0.3, 1: 0.8, 2: 0.5}, 0.4, 3)
        self.links, self.seeds, self.more = links, seeds or {}, more

    def engine(self, n_particles: int, **parameters: Any) -> StreamEngine:
        engine = super().engine(n_particles, links=as_list(self.links), dtype=np.float64, **parameters)
        if self.seeds:
            engine.add_counts(*zip(*self.seeds), list(self.seeds.values()))
        return engine

    def drawn(self, seed: int, n_particles: int = 50_000, **parameters: Any) -> StreamEngine:
        engine = self.engine(n_particles, seed=seed, threshold=0, **parameters)
        engine.add(*batch(self.docs))
        return engine

    def frequencies(self, engine: StreamEngine) -> np.ndarray:
        return np.bincount(self.number(engine), engine.weights, len(self.states))

    def seen(self, engine: StreamEngine) -> np.ndarray:
        return np.bincount(self.number(engine), minlength=len(self.states))

    def weights(self, i: int, rest: list[tuple[int, int, int]], n_docs: int) -> list[tuple[float, float, float]]:
        """By label of token i: what the document says, what the label says, what links say, given other tokens."""
        d, w = self.tokens[i]
        sizes = [sum(v == u for e, v in self.tokens if e < n_docs) for u in range(self.n_words)]
        for (_, u), n in self.seeds.items():
            sizes[u] += n  # type: ignore[assignment]

        def n_of(u: int, k: int) -> float:
            return sum(1 for _, v, kk in rest if v == u and kk == k) + self.seeds.get((k, u), 0.0)

        result = []
        for k in self.docs[d][1]:
            in_doc = sum(1 for e, _, kk in rest if e == d and kk == k) + self.alpha[k]
            own = n_of(w, k) + self.beta
            in_label = own / (sum(n_of(u, k) for u in range(self.n_words)) + self.n_words * self.beta)
            partners = {u: n_of(u, k) + self.more for u in range(self.n_words)}
            pull = ratio(self.links, w, sizes, own, partners)
            result.append((in_doc, in_label, pull))
        return result

    def steps(self, z: tuple[int, ...]) -> list[tuple[float, float, float]]:
        result = []
        for i, (d, _) in enumerate(self.tokens):
            rest = [(e, v, k) for (e, v), k in zip(self.tokens[:i], z[:i])]
            weights = self.weights(i, rest, d + 1)
            j = self.docs[d][1].index(z[i])
            chance = np.prod(weights[j]) / sum(np.prod(row) for row in weights)
            margin = sum(a * b for a, b, _ in weights) / sum(a for a, _, _ in weights)
            result.append((chance, margin, weights[j][1]))
        return result

    def joint(self) -> np.ndarray:
        """p(w, z): the words as they come without links, the labels as they are drawn with them."""
        return np.array([np.prod([chance * margin for chance, margin, _ in self.steps(z)]) for z in self.states])

    def posterior(self) -> np.ndarray:
        return self.joint() / self.joint().sum()

    def redraw(self, i: int) -> np.ndarray:
        """Transitions where token i is resampled."""
        index = {z: n for n, z in enumerate(self.states)}
        step = np.zeros((len(self.states), len(self.states)))
        d = self.tokens[i][0]
        for z in self.states:
            rest = [(e, v, k) for n, ((e, v), k) in enumerate(zip(self.tokens, z)) if n != i]
            weights = np.array([np.prod(row) for row in self.weights(i, rest, len(self.docs))])
            for k, chance in zip(self.docs[d][1], weights / weights.sum()):
                step[index[z], index[(*z[:i], k, *z[i + 1 :])]] += chance
        return step


class LinkedFilter(PlainFilter):
    """The filter that copies everything, with links."""

    def __init__(self, n_particles: int, links: list[Link], **parameters: Any) -> None:
        super().__init__(n_particles, **parameters)
        self.links, self.sizes = links, np.zeros(100)

    def _add(self, words: list[int], labels: list[int]) -> float:
        np.add.at(self.sizes, words, self.increment)
        return super()._add(words, labels)

    def _weights(self, p: int, d: int, i: int) -> list[float]:
        self.token = d, i
        return super()._weights(p, d, i)

    def _choose(self, weights: list[list[float]]) -> list[int]:
        return super()._choose([self._linked_weights(p, *self.token, plain) for p, plain in enumerate(weights)])

    def _linked_weights(self, p: int, d: int, i: int, plain: list[float]) -> list[float]:
        (words, labels), old, unit = self.docs[d], self.choices[p].get((d, i)), self.increment
        result = []
        for j, (k, weight) in enumerate(zip(labels, plain)):
            pairs, taken_out = self.pairs[p], float(j == old) * self.increments[d]
            own = (pairs.get((k, words[i]), 0.0) - taken_out) / unit + self.given["beta"]
            partners = {u: n / unit for (kk, u), n in pairs.items() if kk == k}
            pull = ratio(self.links, words[i], self.sizes / unit, own, partners)
            result.append(weight * pull)
        return result
