"""Sampler of LDA for streams: batches of documents arrive, and earlier ones are resampled from a bounded reservoir.

A batch is sampled a few sweeps given all counts so far. It then joins the reservoir, whose batches take turns to be
resampled. Where the reservoir is full, a batch drawn at random leaves it: its counts stay, and its topics are no longer
drawn. So while everything is in the reservoir, the sampler is that of batch LDA, and memory and time per token stay
bounded. With a decay, batches leave after a random time, and take their counts along.

Draws depend on (seed, batch, sweep) and on the counts alone, so a sampler that was saved and loaded continues exactly
like one that was not.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.count_rows import CountRows, GrowingRows, count_tokens, empty_rows, sort_rows
from ..knowledge.factors import kernel_with, no_multipliers
from .conditional import new_workspace
from .random import streams
from .sparse_lda.kernel import sweep_documents

FIRST_SWEEPS = 50  # of the first batch, from which topics begin
NEW_SWEEPS = 3  # of every later batch, before it joins the reservoir

State = dict[str, NDArray[Any]]


class Batch(NamedTuple):
    """Documents that were learned together, and the topics of their tokens."""

    tokens: NDArray[np.uint32]
    starts: NDArray[np.uint64]
    topics: NDArray[np.uint32]  # n_topics before the first sweep
    docs: CountRows
    key: float  # random number; it decides when the batch leaves the reservoir
    born: int  # documents before this batch and in it


def _new_batch(tokens: Any, lengths: Any, topics: Any, n_topics: int, key: float, born: int) -> Batch:
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint64)
    docs = empty_rows(np.asarray(lengths, np.int64), n_topics)
    owners = np.repeat(np.arange(len(lengths), dtype=np.uint32), lengths)
    count_tokens(docs, owners, topics, np.uint64(n_topics))
    sort_rows(docs, np.uint64(0), np.uint64(len(lengths)))
    return Batch(np.asarray(tokens, np.uint32), starts, topics, docs, key, born)


class OnlineSampler:
    """Collapsed Gibbs sampler of LDA for a stream of batches.

    Parameters
    ----------
    alpha : array of shape (n_topics,)
        Prior of topics in a document.
    beta : float
        Prior of words in a topic.
    rejuvenate : float
        Number of tokens of the reservoir to resample for each token that arrives.
    warm_up : float
        The same for the tokens that arrive before as many as the reservoir holds.
    reservoir : int
        Number of tokens that the reservoir holds.
    decay : float
        Factor of the expected counts of a batch with each document that arrives after it. 1 keeps all counts.
    seed : int
        Random seed.
    """

    def __init__(
        self,
        alpha: NDArray[np.float64],
        beta: float,
        *,
        rejuvenate: float,
        warm_up: float,
        reservoir: int,
        decay: float,
        seed: int,
    ) -> None:
        self.alpha, self.beta, self.seed = alpha, beta, seed
        self.rejuvenate, self.warm_up, self.capacity, self.decay = rejuvenate, warm_up, reservoir, decay
        self.n_topics = len(alpha)
        self.words = GrowingRows(self.n_topics)
        self.sizes: NDArray[np.int64] = np.zeros(self.n_topics, np.int64)
        self.batches: list[Batch] = []
        self.n_batches = 0
        self.n_docs = self.n_tokens = self.n_words = 0
        self._turn = 0  # index of the batch to resample next
        self._owed = 0.0  # tokens of the reservoir that are yet to be resampled
        self._sweeps = 0  # since the last batch arrived
        self._kernel = kernel_with(sweep_documents, ())

    def copy(self) -> OnlineSampler:
        """A sampler that goes on independently of this one."""
        other = object.__new__(OnlineSampler)
        other.__dict__.update(self.__dict__)
        other.words, other.sizes = self.words.copy(), self.sizes.copy()
        other.batches = [
            batch._replace(topics=batch.topics.copy(), docs=batch.docs._replace(entries=batch.docs.entries.copy()))
            for batch in self.batches
        ]
        return other

    @property
    def n_reservoir_tokens(self) -> int:
        """Number of tokens in the reservoir."""
        return sum(len(batch.tokens) for batch in self.batches)

    # ------------------------------------------------------------------ learning

    def add(self, tokens: NDArray[np.uint32], lengths: NDArray[np.int64], n_words: int) -> None:
        """Learn from a batch of documents, of a vocabulary that may have grown."""
        self.n_batches, self.n_words, self._sweeps = self.n_batches + 1, n_words, 0
        self.n_docs += len(lengths)
        self.n_tokens += len(tokens)
        key = float(np.random.default_rng([self.seed, self.n_batches]).random())
        unassigned = np.full(len(tokens), self.n_topics, np.uint32)
        batch = _new_batch(tokens, lengths, unassigned, self.n_topics, key, self.n_docs)
        self.words.reserve(batch.tokens, n_words)
        for _ in range(NEW_SWEEPS if self.n_batches > 1 else FIRST_SWEEPS):
            self._sweep(batch)
        self.batches.append(batch)
        self._trim()
        self._owed += len(tokens) * (self.warm_up if self.n_tokens <= self.capacity else self.rejuvenate)
        while self.batches:
            due = self.batches[self._turn % len(self.batches)]
            if len(due.tokens) > self._owed:
                break
            self._sweep(due)
            self._owed -= len(due.tokens)
            self._turn = (self._turn + 1) % len(self.batches)

    def _trim(self) -> None:
        """Let batches leave the reservoir: each stays with a probability in proportion to its decayed weight."""
        while self.batches:
            weights = [self.decay ** (self.n_docs - batch.born) for batch in self.batches]
            ranks = [batch.key / max(weight, 1e-300) for batch, weight in zip(self.batches, weights)]
            last = max(range(len(ranks)), key=ranks.__getitem__)
            if ranks[last] < 1.0 and self.n_reservoir_tokens <= self.capacity:
                return
            batch = self.batches.pop(last)
            self._turn -= self._turn > last
            if self.decay < 1.0:
                self.words.remove(batch.tokens, batch.topics)
                self.sizes -= np.bincount(batch.topics, minlength=self.n_topics)
        self._owed = 0.0

    def _sweep(self, batch: Batch) -> None:
        """Draw the topic of every token of a batch."""
        beta_sum = self.beta * self.n_words
        topics = new_workspace(self.sizes, self.alpha, beta_sum)
        n_docs = np.uint64(len(batch.starts) - 1)
        self._sweeps += 1
        self._kernel(
            batch.tokens,
            batch.starts,
            batch.tokens,  # positions, which only knowledge reads
            batch.topics,
            self.words.rows,
            batch.docs,
            topics,
            self.beta,
            beta_sum,
            (),
            no_multipliers(self.n_topics),
            None,
            None,
            streams(self.seed, 1, self.n_batches, self._sweeps)[0],
            np.uint64(0),
            n_docs,
        )
        self.sizes = topics.size[:-1].copy()
        sort_rows(batch.docs, np.uint64(0), n_docs)

    def keep_words(self, kept: NDArray[np.bool_]) -> None:
        """Remove the other words, of which the reservoir has none; the words that are left are renumbered."""
        number = (np.cumsum(kept) - 1).astype(np.uint32)
        self.words = self.words.select(kept)
        self.batches = [batch._replace(tokens=number[batch.tokens]) for batch in self.batches]
        self.n_words = int(kept.sum())
        self._count_sizes()

    def _count_sizes(self) -> None:
        self.sizes = np.asarray(self.words.to_csr().sum(axis=0), np.int64).reshape(-1)

    # ------------------------------------------------------------------ results and state

    def word_topics(self) -> Any:
        """Counts as CSR of shape (n_words, n_topics)."""
        return self.words.to_csr()

    def state(self) -> State:
        """Everything that the sampler needs to continue."""
        lengths, entries = self.words.packed()
        return {
            "rows.lengths": lengths.astype(np.int64),
            "rows.entries": entries.astype(np.uint64),
            "tokens": _joined([batch.tokens for batch in self.batches]),
            "topics": _joined([batch.topics for batch in self.batches]),
            "doc_lengths": _joined([np.diff(batch.starts.astype(np.int64)) for batch in self.batches], np.int64),
            "n_docs": np.array([len(batch.starts) - 1 for batch in self.batches], np.int64),
            "born": np.array([batch.born for batch in self.batches], np.int64),
            "keys": np.array([batch.key for batch in self.batches], np.float64),
            "owed": np.array([self._owed]),
            "counters": np.array([self.n_batches, self.n_docs, self.n_tokens, self._turn], np.int64),
        }

    def restore(self, state: State) -> OnlineSampler:
        """Continue from a state."""
        self.words = GrowingRows.from_packed(self.n_topics, state["rows.lengths"], state["rows.entries"])
        self.n_words = len(state["rows.lengths"])
        self._count_sizes()
        self._owed = float(state["owed"][0])
        self.n_batches, self.n_docs, self.n_tokens, self._turn = state["counters"].tolist()
        doc, token = 0, 0
        for n_docs, key, born in zip(*(state[name].tolist() for name in ("n_docs", "keys", "born"))):
            lengths = state["doc_lengths"][doc : doc + n_docs]
            end = token + int(lengths.sum())
            own = state["topics"][token:end].copy()
            self.batches.append(_new_batch(state["tokens"][token:end], lengths, own, self.n_topics, key, born))
            doc, token = doc + n_docs, end
        return self


def _joined(parts: list[NDArray[Any]], dtype: Any = np.uint32) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype), *parts]).astype(dtype)
