"""Enumeration: every state of a tiny corpus, its exact probability, and the visits of a sampler."""

from __future__ import annotations

from itertools import product
from math import lgamma
from typing import Any

import numba
import numpy as np
from scipy import stats
from scipy.sparse import csr_array

from topicwright import Corpus
from topicwright._sampling.conditional import DocumentPseudoCounts, new_workspace
from topicwright._sampling.priors import (
    _FLOOR,
    InformedBeta,
    _linked_priors,
    prior_sum,
    with_linked_counts,
    with_word_priors,
)
from topicwright._sampling.random import streams
from topicwright._sampling.sparse_lda.kernel import sweep_documents
from topicwright._utils.count_rows import count_tokens, empty_rows
from topicwright._utils.numba import without_cache
from topicwright.knowledge import compile_knowledge
from topicwright.knowledge.factors import no_multipliers
from topicwright.knowledge.priors import WordPriors, add_document_priors

sweep = without_cache(sweep_documents)  # factors of tests are removed again


class Tiny:
    """A corpus of a few tokens, with priors."""

    def __init__(self, docs: list[list[int]], n_topics: int, alpha: Any, beta: Any, n_words: int = 3) -> None:
        self.docs, self.n_topics, self.n_words = docs, n_topics, n_words
        self.tokens = np.concatenate([np.array(doc, np.uint32) for doc in docs])
        self.doc_of = np.repeat(np.arange(len(docs), dtype=np.uint32), [len(doc) for doc in docs])
        self.alpha = np.broadcast_to(np.asarray(alpha, float), n_topics).copy()
        self.alphas = np.tile(self.alpha, (len(docs), 1))  # a_dk
        self.beta = beta
        self.betas = np.broadcast_to(np.asarray(beta, float), (n_topics, n_words)).copy()  # b_kw

    def states(self) -> list[tuple[int, ...]]:
        """All assignments; their index is a number in base K, first token highest."""
        return list(product(range(self.n_topics), repeat=len(self.tokens)))

    def log_joint(self, z: tuple[int, ...]) -> float:
        """log p(w, z), term by term from the definition of the Dirichlet-multinomial."""
        total = 0.0
        for d in range(len(self.docs)):
            counts = [sum(1 for i, k in enumerate(z) if self.doc_of[i] == d and k == t) for t in range(self.n_topics)]
            total += _dirichlet_multinomial(counts, self.alphas[d])
        for t in range(self.n_topics):
            counts = [sum(1 for i, k in enumerate(z) if k == t and self.tokens[i] == w) for w in range(self.n_words)]
            total += _dirichlet_multinomial(counts, self.betas[t])
        return total

    def with_seeds(self, seeds: dict[int, list[int]], weight: float, pull: float | None = None) -> Any:
        """Add the document priors of soft seeds (words by topic); returns the factor of their tokens.

        Those of a document are scaled to 20, which is more than half of its tokens, if they are more.
        """
        pull = weight if pull is None else pull
        for d, doc in enumerate(self.docs):
            added = np.array([pull * sum(w in seeds.get(k, ()) for w in doc) for k in range(self.n_topics)])
            self.alphas[d] += added * min(1.0, 20 / max(added.sum(), 20))
        return lambda i, k, rest=(): 1.0 + weight * (int(self.tokens[i]) in seeds.get(k, ()))

    def shared_counts(self, shares: dict[tuple[int, int], float], floor: float = 0.05) -> Any:
        """(n_kw + b_kw + Σ_u share n_ku) / (n_kw + b_kw), with n_ku in the state given; ``shares`` by (w, u).

        Topics with less than ``floor`` of the sum are left out.
        """

        def at_start(z: tuple[int, ...]) -> Any:
            extra = np.zeros((self.n_words, self.n_topics))
            for (word, source), share in shares.items():
                for i, k in enumerate(z):
                    extra[word, k] += share * (int(self.tokens[i]) == source)
            extra[extra < floor * extra.sum(axis=1, keepdims=True)] = 0.0

            def ratio(i: int, k: int, rest: Any) -> float:
                w = int(self.tokens[i])
                own = self.betas[k, w] + sum(1 for ww, _, kk in rest if ww == w and kk == k)
                return float((own + extra[w, k]) / own)

            return ratio

        return at_start

    def posterior(self, log_potential: Any = None) -> np.ndarray:
        """p(z | w) of every state, with a fixed potential of z if there is one."""
        logs = np.array([self.log_joint(z) + (log_potential(z) if log_potential else 0.0) for z in self.states()])
        weights = np.exp(logs - logs.max())
        return weights / weights.sum()

    def conditional(self, z: tuple[int, ...], i: int, ratio: Any = None) -> np.ndarray:
        """p(z_i = k | rest), with a ratio g(k) that may depend on the other tokens."""
        rest = [(int(self.tokens[j]), int(self.doc_of[j]), z[j]) for j in range(len(z)) if j != i]
        w, d = int(self.tokens[i]), int(self.doc_of[i])
        weights = np.empty(self.n_topics)
        for k in range(self.n_topics):
            n_dk = sum(1 for _, dd, kk in rest if dd == d and kk == k)
            n_kw = sum(1 for ww, _, kk in rest if ww == w and kk == k)
            n_k = sum(1 for _, _, kk in rest if kk == k)
            weights[k] = (n_dk + self.alphas[d, k]) * (n_kw + self.betas[k, w]) / (n_k + self.betas[k].sum())
            if ratio is not None:
                weights[k] *= ratio(i, k, rest)
        return weights / weights.sum()

    def stationary(self, ratio: Any = None, at_start: Any = None) -> np.ndarray:
        """The stationary distribution of one scan over the tokens, where the conditionals have no joint.

        ``at_start`` gives another ratio for each state in which a scan starts.
        """
        states = self.states()
        index = {z: n for n, z in enumerate(states)}
        scan = np.eye(len(states))
        if at_start is None:
            for i in range(len(self.tokens)):
                step = np.zeros_like(scan)
                for z in states:
                    for k, p in enumerate(self.conditional(z, i, ratio)):
                        step[index[z], index[(*z[:i], k, *z[i + 1 :])]] += p
                scan = scan @ step
        else:
            for start in states:
                scan[index[start]] = self._scan_from(start, ratio, at_start(start), index)
        distribution = np.full(len(states), 1 / len(states))
        for _ in range(2000):
            distribution = distribution @ scan
        return distribution

    def _scan_from(
        self, start: tuple[int, ...], ratio: Any, other: Any, index: dict[tuple[int, ...], int]
    ) -> np.ndarray:
        """Where a scan that starts in a state ends."""

        def both(i: int, k: int, rest: Any) -> float:
            return float(other(i, k, rest) * (ratio(i, k, rest) if ratio else 1.0))

        paths = {start: 1.0}
        for i in range(len(self.tokens)):
            longer: dict[tuple[int, ...], float] = {}
            for z, probability in paths.items():
                for k, p in enumerate(self.conditional(z, i, both)):
                    moved = (*z[:i], k, *z[i + 1 :])
                    longer[moved] = longer.get(moved, 0.0) + probability * p
            paths = longer
        ends = np.zeros(len(index))
        for z, probability in paths.items():
            ends[index[z]] = probability
        return ends

    def corpus(self, **about: Any) -> Corpus:
        """The same, as users have it; the words are called a, b, c."""
        offsets = np.concatenate([[0], np.cumsum([len(doc) for doc in self.docs])])
        return Corpus(self.tokens, offsets, [chr(ord("a") + w) for w in range(self.n_words)], **about)

    def visits(
        self,
        factors: tuple[Any, ...] = (),
        n: int = 200_000,
        thin: int = 5,
        seed: int = 0,
        knowledge: list[Any] | None = None,
        document_priors: np.ndarray | None = None,
        floor: float = _FLOOR,
    ) -> np.ndarray:
        """Number of visits of each state by the sampler, counted every ``thin`` sweeps.

        ``floor`` is that of the pseudo-counts of linked words.
        """
        known = compile_knowledge(knowledge or [], self.corpus(), self.n_topics)
        if document_priors is not None:
            added = add_document_priors(known.document_priors, csr_array(document_priors))
            known = known._replace(document_priors=added)
        factors = (*factors, *known.factors)
        beta = with_word_priors(self.beta, known.word_priors)
        start = np.zeros(len(self.tokens), np.uint32)
        words = empty_rows(np.bincount(self.tokens, minlength=self.n_words), self.n_topics)
        docs = empty_rows(np.bincount(self.doc_of, minlength=len(self.docs)), self.n_topics)
        count_tokens(words, self.tokens, start, np.uint64(self.n_topics))
        count_tokens(docs, self.doc_of, start, np.uint64(self.n_topics))
        sizes = np.bincount(start, minlength=self.n_topics).astype(np.int64)
        beta_sum = prior_sum(beta, self.n_words, self.n_topics)
        starts = np.concatenate([[0], np.cumsum([len(doc) for doc in self.docs])]).astype(np.uint64)
        seen = np.zeros(self.n_topics ** len(self.tokens), np.int64)
        topics = new_workspace(sizes, self.alpha, beta_sum)
        multipliers = no_multipliers(self.n_topics)
        positions = np.arange(len(self.tokens))
        state = (self.tokens, starts, positions, start, words, docs, topics)
        pseudo = known.document_pseudo_counts and DocumentPseudoCounts(
            *known.document_pseudo_counts, np.zeros(self.n_topics)
        )
        if known.shared_word_counts is not None:
            beta = with_linked_counts(beta, known.shared_word_counts, words, self.n_topics)
        linked = known.shared_word_counts and (
            known.shared_word_counts,
            known.word_priors or WordPriors(np.zeros(self.n_words + 1, np.uint64), np.empty(0, np.uint32), np.empty(0)),
            floor,
        )
        rules = (beta_sum, factors, multipliers, known.allowed_topics, pseudo)
        tally(n, thin, state, beta, linked, rules, streams(seed, 1)[0], np.uint64(len(self.docs)), seen)
        return seen


@numba.njit
def tally(
    n: int, thin: int, state: Any, beta: Any, linked: Any, rules: Any, random: Any, n_docs: Any, seen: Any
) -> None:
    tokens, starts, positions, z, words, docs, topics = state
    beta_sum, factors, multipliers, limits, pseudo = rules
    n_topics = topics.size.shape[0] - 1
    for _ in range(n):
        for _ in range(thin):
            if linked is not None:
                shared, known, floor = linked
                start, own, extra = _linked_priors(shared, words, known, n_topics, floor)
                beta = InformedBeta(beta.base, WordPriors(start, own, extra))
            sweep(
                tokens,
                starts,
                positions,
                z,
                words,
                docs,
                topics,
                beta,
                beta_sum,
                factors,
                multipliers,
                limits,
                pseudo,
                random,
                np.uint64(0),
                n_docs,
            )
        number = 0
        for i in range(z.shape[0]):
            number = number * n_topics + z[i]
        seen[number] += 1


def predicted_labels(docs: list[list[int]], labels: list[set[int] | None], n_topics: int, n_words: int) -> np.ndarray:
    """Additions to a_dk of labels that the words of the unlabeled documents predict; ``labels`` are topics."""
    words = np.array([np.bincount(doc, minlength=n_words) for doc in docs], float)
    of_label = np.array([[k in (own or ()) for own in labels] for k in range(n_topics)], float)
    used = np.flatnonzero(of_label.sum(axis=1))
    counts = (of_label / np.maximum(of_label.sum(axis=0), 1)) @ words
    phi = (counts + 0.01) / (counts.sum(axis=1, keepdims=True) + 0.01 * n_words)
    rows = np.vstack([phi[used], words.sum(axis=0) / words.sum()])  # the whole corpus competes
    added = np.zeros((len(docs), n_topics))
    for d, own in enumerate(labels):
        theta = np.full(len(rows), 1 / len(rows))
        for _ in range(20):
            joint = (theta * len(docs[d]) + 0.1)[:, np.newaxis] * rows[:, docs[d]]
            theta = (joint / joint.sum(axis=0)).mean(axis=1)
        if not own:
            shares = np.where(theta[:-1] > 0.05, theta[:-1], 0.0)
            added[d, used] = len(docs[d]) * shares * shares.sum() ** 3
    return added


def p_value(seen: np.ndarray, expected: np.ndarray) -> float:
    """Chi-square of visits against probabilities; states too rare to count are put together."""
    n = seen.sum()
    often = expected * n >= 5
    observed = np.append(seen[often], seen[~often].sum())
    wanted = np.append(expected[often] * n, expected[~often].sum() * n)
    keep = wanted > 0
    assert observed[~keep].sum() == 0, "a state of probability zero was visited"
    return float(stats.chisquare(observed[keep], wanted[keep] * observed[keep].sum() / wanted[keep].sum()).pvalue)


def _dirichlet_multinomial(counts: list[int], prior: np.ndarray) -> float:
    total = lgamma(prior.sum()) - lgamma(prior.sum() + sum(counts))
    return total + sum(lgamma(n + a) - lgamma(a) for n, a in zip(counts, prior))
