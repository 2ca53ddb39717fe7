"""What the baselines share: the corpus and its counts, a random start, a fast dense draw, links by word."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import gammaln

LANES = 16  # rows of counts are padded to this many topics
_HERE = Path(__file__).resolve().parent
_GOLDEN, _MIX_1, _MIX_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile without the GIL, and without reference counts (nothing is allocated inside): up to 1.8 times as fast.

    Kept on disk under a digest of all files here, as Numba itself watches only the one of the function.
    """
    sources = b"".join(path.read_bytes() for path in sorted(_HERE.glob("*.py")))
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(_HERE / "__pycache__" / hashlib.sha256(sources).hexdigest()[:12])
    try:
        return numba.njit(nogil=True, cache=True, error_model="numpy", _nrt=False)(function)
    finally:
        numba.config.CACHE_DIR = previous


class Baseline:
    """A collapsed Gibbs sampler: topics of all tokens, and their counts, word by word.

    Every kind takes the same stream of tokens and the same prior, and what it knows by keywords of its own.
    """

    def __init__(
        self,
        tokens: ArrayLike,
        offsets: ArrayLike,
        n_words: int,
        n_topics: int,
        *,
        alpha: float,
        beta: float,
        seed: int,
    ) -> None:
        if n_topics < 1 or alpha <= 0 or beta <= 0:
            raise ValueError(f"n_topics, alpha and beta must be positive: got {n_topics}, {alpha}, {beta}")
        self.tokens = np.ascontiguousarray(tokens, np.int32)
        self.offsets = np.ascontiguousarray(offsets, np.int64)
        self.n_words, self.n_topics, self.alpha, self.beta = n_words, n_topics, float(alpha), float(beta)
        start, draws = np.random.SeedSequence(seed).spawn(2)
        self._random = draws.generate_state(1, np.uint64)
        self._z = self._start(np.random.default_rng(start)).astype(np.uint32)
        self._word_topic = np.zeros((n_words, -(-n_topics // LANES) * LANES), np.int32)
        np.add.at(self._word_topic, (self.tokens, self._z), 1)
        self._sizes = np.bincount(self._z, minlength=n_topics).astype(np.int64)
        padded = self._word_topic.shape[1]
        self._scratch = (np.empty(n_topics), np.zeros(padded), np.empty(padded), np.empty(LANES))  # of dense kernels

    def _start(self, random: np.random.Generator) -> NDArray[Any]:
        return random.integers(0, self.n_topics, size=len(self.tokens))

    def _sweep(self, offsets: NDArray[np.int64]) -> None:
        """Draw every token of the documents that begin at all offsets but the last."""
        raise NotImplementedError

    def prepare(self) -> None:
        """Compile, by a sweep over no document."""
        self._sweep(self.offsets[:1])

    def sweep(self) -> None:
        """Draw every token once."""
        self._sweep(self.offsets)

    @property
    def assignments(self) -> NDArray[np.uint32]:
        """The topic of every token, in the order of the corpus."""
        return self._z

    @property
    def doc_of(self) -> NDArray[np.int64]:
        """The document of every token."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def topic_word(self) -> NDArray[np.float64]:
        """φ of the state, topics × words."""
        counts = self._word_topic[:, : self.n_topics].T + self.beta
        return counts / counts.sum(axis=1, keepdims=True)

    def log_likelihood(self) -> float:
        """log p(w, z) per token under plain LDA, whatever the model is: comparable between all of them."""
        docs = np.unique(self.doc_of * self.n_topics + self._z, return_counts=True)[1]
        words = self._word_topic[self._word_topic > 0]
        total = _log_multinomial(docs, np.diff(self.offsets), self.alpha, self.n_topics)
        total += _log_multinomial(words, self._sizes, self.beta, self.n_words)
        return total / max(len(self.tokens), 1)


def _log_multinomial(counts: NDArray[Any], sizes: NDArray[Any], prior: float, n: int) -> float:
    """Σ rows log Γ(nb)/Γ(size + nb) + Σ entries log Γ(count + b)/Γ(b); entries of zero add nothing."""
    entries = np.sum(gammaln(counts + prior) - gammaln(prior))
    return float(entries + np.sum(gammaln(n * prior) - gammaln(sizes + n * prior)))


def csr(rows: NDArray[Any], values: NDArray[Any], n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Values gathered by row: where each of n rows begins, and all values."""
    order = np.argsort(rows, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
    return starts.astype(np.int64), values[order].astype(np.int64)


def partners_of(must_links: ArrayLike, n_words: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Linked words of every word, each once."""
    links = np.unique(np.sort(np.asarray(must_links, np.int64).reshape(-1, 2), axis=1), axis=0)
    if links.size and (links.min() < 0 or links.max() >= n_words or np.any(links[:, 0] == links[:, 1])):
        raise ValueError(f"must_links must be pairs of two different word ids below {n_words}")
    return csr(np.append(links[:, 0], links[:, 1]), np.append(links[:, 1], links[:, 0]), n_words)


def trees(must_links: ArrayLike, n_words: int) -> NDArray[np.int64]:
    """The number of every word's tree, of all words that links join; −1 for words without links."""
    starts, partners = partners_of(must_links, n_words)
    graph = csr_array((np.ones(len(partners)), partners, starts), (n_words, n_words))
    component, linked = connected_components(graph)[1], np.diff(starts) > 0
    result = np.full(n_words, -1, np.int64)
    result[linked] = np.unique(component[linked], return_inverse=True)[1]
    return result


@kernel
def uniform(random):
    """The next number in [0, 1), by SplitMix64 (Steele, Lea & Flood 2014)."""
    random[0] += _GOLDEN
    x = random[0]
    x = (x ^ (x >> _S30)) * _MIX_1
    x = (x ^ (x >> _S27)) * _MIX_2
    return np.float64((x ^ (x >> _S31)) >> _S11) * 2.0**-53


@kernel
def open_document(z, sizes, alpha, beta_sum, doc, factor):
    """n_dk + α of a document whose topics are z, and that times 1/(n_k + B): all of the weight but the word's part."""
    doc[:] = alpha
    for i in range(z.shape[0]):
        doc[z[i]] += 1.0
    for k in range(doc.shape[0]):
        factor[k] = doc[k] / (sizes[k] + beta_sum)


@kernel
def count(k, step, word_row, sizes, doc, factor, beta_sum):
    """One token more (step 1) or less (−1) in topic k."""
    word_row[k] += step
    sizes[k] += step
    doc[k] += step
    factor[k] = doc[k] / (sizes[k] + beta_sum)


@kernel
def weigh(factor, word_row, beta, weights):
    """(n_dk + α)(n_kw + β)/(n_k + B) of all topics; zero in the padding, where the factor is zero."""
    for k in range(weights.shape[0]):
        weights[k] = factor[k] * (word_row[k] + beta)


@kernel
def choose(weights, n_topics, lanes, random):
    """A topic in proportion to its weight: first its lane (topics alike modulo 16: so sums vectorize), then itself."""
    lanes[:] = 0.0
    for first in range(0, weights.shape[0], LANES):
        block = weights[first : first + LANES]
        for j in range(LANES):
            lanes[j] += block[j]
    u = uniform(random) * np.sum(lanes)
    k = 0
    while k < min(LANES, n_topics) - 1 and u >= lanes[k]:
        u -= lanes[k]
        k += 1
    while k + LANES < n_topics and u >= weights[k]:
        u -= weights[k]
        k += LANES
    return k


@kernel
def tilt(weights, agree, strength):
    """Multiply weights by exp(strength · (agree − max agree)), which cannot overflow; ``agree`` is zero afterwards."""
    best = 0
    for k in range(agree.shape[0]):
        best = max(best, agree[k])
    nowhere = np.exp(-strength * best)
    for k in range(agree.shape[0]):
        weights[k] *= nowhere if agree[k] == 0 else np.exp(strength * (agree[k] - best))
        agree[k] = 0
