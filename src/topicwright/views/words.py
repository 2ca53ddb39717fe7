"""Words of a topic by relevance, and metrics of topics: sizes, coherence, weights, labels."""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from .._utils.table import Table
from .._utils.validation import check_integer
from ..errors import InputError
from ..evaluation import coherence
from ..io.export import topic_weights
from .format import check_share, check_topic, has_documents, require_documents

Floats = NDArray[np.float64]
_LAMBDAS = np.linspace(0, 1, 11)  # for which candidates are among the most relevant words


class RelevantWord(NamedTuple):
    """A word of a topic with log p(w|k), log p(w|k)/p(w), and its number of tokens in the topic and in the corpus."""

    word: str
    log_probability: float
    log_lift: float
    times: float
    times_in_all: float

    def relevance(self, lam: float) -> float:
        """λ log p(w|k) + (1 − λ) log p(w|k)/p(w)."""
        return lam * self.log_probability + (1 - lam) * self.log_lift


def relevant_words(model: Any, topic: int | str, lam: float = 0.6, n: int = 10) -> Table[RelevantWord]:
    """Most relevant words of a topic, by the measure of LDAvis (Sievert and Shirley 2014).

    Parameters
    ----------
    model : fitted model
        Any model.
    topic : int or str
        Number or name of the topic.
    lam : float
        λ from 0 to 1. With 1 the words are the most frequent ones, as in ``top_words``. Smaller values favor words that
        are rare in other topics; with 0 words are ranked by their lift.
    n : int
        Number of words.

    Returns
    -------
    Table of RelevantWord
        By decreasing relevance.

    Examples
    --------
    >>> import topicwright as tw
    >>> texts = ["the ship sails the sea", "the bread in the oven"] * 10
    >>> model = tw.LabeledLDA(n_sweeps=10).fit(texts, [["sea"], ["kitchen"]] * 10)
    >>> [word.word for word in relevant_words(model, 1, lam=1.0, n=1)]
    ['the']
    >>> "the" in [word.word for word in relevant_words(model, 1, lam=0.0, n=3)]
    False
    """
    topic, lam, n = check_topic(model, topic), check_share("lam", lam), check_integer("n", n, 1)
    title = f"most relevant words of topic {topic}, λ = {lam:g}"
    return Table(RankedWords(model).relevant(topic, lam, n), title, RelevantWord._fields)


def frex_words(model: Any, topic: int | str, weight: float = 0.5, n: int = 10) -> Table[RelevantWord]:
    """Words of a topic that are both frequent and exclusive (FREX; Bischof and Airoldi 2012).

    FREX is the harmonic mean of two ranks of a word among all words, each from 0 to 1: the rank by its probability in
    the topic, and the rank by its exclusivity φ_kw / Σ_j φ_jw.

    Parameters
    ----------
    model : fitted model
        Any model.
    topic : int or str
        Number or name of the topic.
    weight : float
        Weight of exclusivity from 0 to 1.
    n : int
        Number of words.

    Returns
    -------
    Table of RelevantWord
        By decreasing FREX.

    Examples
    --------
    >>> import topicwright as tw
    >>> texts = ["the ship sails the sea", "the bread in the oven"] * 10
    >>> model = tw.LabeledLDA(n_sweeps=10).fit(texts, [["sea"], ["kitchen"]] * 10)
    >>> sorted(word.word for word in frex_words(model, 1, n=3))
    ['sails', 'sea', 'ship']
    """
    topic, n = check_topic(model, topic), check_integer("n", n, 1)
    rows = RankedWords(model).frex(topic, check_share("weight", weight), n)
    return Table(rows, f"frequent and exclusive words of topic {topic}", RelevantWord._fields)


class RankedWords:
    """Words of all topics by relevance; quantities that topics share are computed once.

    p(w) is that of the model, Σ_k p(k) p(w|k), with p(k) in proportion to the tokens of each topic. So, of two words
    that occur in one topic only, the frequent one is more relevant.
    """

    def __init__(self, model: Any) -> None:
        self._vocabulary = model.vocabulary_
        self._counts = model.topic_word_counts_.tocsr()
        self._prior: Floats = np.broadcast_to(np.asarray(model.beta_, dtype=np.float64), self._counts.shape[1])
        self._priors = model.word_prior_
        self._sizes = _row_sums(self._counts)
        extra = 0.0 if self._priors is None else _row_sums(self._priors)
        self._totals = self._sizes + self._prior.sum() + extra
        self._word_counts = np.asarray(self._counts.sum(axis=0), dtype=np.float64).ravel()
        self._word_probabilities = self._marginal()

    def _marginal(self) -> Floats:
        return self._weighted_sum(self._sizes / max(self._sizes.sum(), 1.0) / self._totals)

    def _weighted_sum(self, scale: Floats) -> Floats:
        """Pseudo-counts of each word, summed over topics with these weights."""
        counted = self._counts.T @ scale
        if self._priors is not None:
            counted = counted + self._priors.T @ scale
        return np.asarray(counted + self._prior * scale.sum())

    def relevant(self, topic: int, lam: float, n: int) -> list[RelevantWord]:
        """Most relevant words of a topic; equal ones in the order of the vocabulary."""
        ids, log_p, log_lift = self._columns(topic)
        return self._words(topic, ids, log_p, log_lift, _best(log_p, log_lift, lam, n))

    def frex(self, topic: int, weight: float, n: int) -> list[RelevantWord]:
        """Words of a topic with the highest FREX; equal ones in the order of the vocabulary."""
        ids, log_p, log_lift = self._columns(topic)
        p = self._prior / self._totals[topic]  # of all words, also those that are not in the topic
        if self._priors is not None:
            p = p + self._priors[[topic], :].toarray()[0] / self._totals[topic]
        p[ids] = np.exp(log_p)
        frequency, exclusivity = _ranks(p)[ids], _ranks(p / self._sums)[ids]
        scores = 1 / (weight / exclusivity + (1 - weight) / frequency)
        return self._words(topic, ids, log_p, log_lift, np.argsort(-scores, kind="stable")[:n])

    @cached_property
    def _sums(self) -> Floats:
        """Σ_k p(w|k) of each word."""
        return self._weighted_sum(1 / self._totals)

    def candidates(self, topic: int, n: int) -> list[RelevantWord]:
        """Words that are among the ``n`` most relevant for some λ, the most frequent first."""
        ids, log_p, log_lift = self._columns(topic)
        chosen = np.unique(np.concatenate([_best(log_p, log_lift, float(lam), n) for lam in _LAMBDAS]))
        return self._words(topic, ids, log_p, log_lift, chosen[np.argsort(-log_p[chosen], kind="stable")])

    def _columns(self, topic: int) -> tuple[NDArray[np.int64], Floats, Floats]:
        start, end = self._counts.indptr[topic : topic + 2]
        order = np.argsort(self._counts.indices[start:end], kind="stable")
        ids = self._counts.indices[start:end][order].astype(np.int64)
        ids = ids[self._counts.data[start:end][order] > 0]
        p = self._in_topic(topic, ids) + self._prior[ids]
        if self._priors is not None:
            p = p + self._priors[[topic], :].toarray()[0][ids]
        p = p / self._totals[topic]
        return ids, np.log(p), np.log(p / self._word_probabilities[ids])

    def _in_topic(self, topic: int, ids: NDArray[np.int64]) -> Floats:
        return np.asarray(self._counts[[topic], :].toarray()[0][ids], dtype=np.float64)

    def _words(self, topic: int, ids: Any, log_p: Floats, log_lift: Floats, chosen: Any) -> list[RelevantWord]:
        ids, columns = ids[chosen], (log_p[chosen], log_lift[chosen])
        figures = (*columns, self._in_topic(topic, ids), self._word_counts[ids])
        return [RelevantWord(str(self._vocabulary[i]), *row) for i, *row in zip(ids, *(f.tolist() for f in figures))]


def _ranks(values: Floats) -> Floats:
    """Rank of each value over the number of values; equal ones have their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[inverse] / len(values))


def _best(log_p: Floats, log_lift: Floats, lam: float, n: int) -> NDArray[np.intp]:
    return np.argsort(-(lam * log_p + (1 - lam) * log_lift), kind="stable")[:n]


def _row_sums(matrix: Any) -> Floats:
    return np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()


def topic_sizes(model: Any) -> Floats:
    """Share of all tokens that each topic has."""
    return np.array(topic_weights(model))


def coherence_of_topics(model: Any, measure: str = "npmi") -> Floats:
    """Coherence of each topic in the training documents.

    Words co-occur if they are in the same window of a text, or in the same document if the model was trained on counts,
    which have no word order. See :func:`topicwright.evaluation.coherence`.

    Parameters
    ----------
    model : fitted model
        With its training documents.
    measure : {"npmi", "c_v", "umass"}
        Coherence measure.

    Returns
    -------
    array of shape (n_topics,)
        NaN for topics with fewer than two words.

    Examples
    --------
    >>> import topicwright as tw
    >>> model = tw.LabeledLDA(n_sweeps=10).fit(["ship sea", "bread oven"] * 5, [["sea"], ["kitchen"]] * 5)
    >>> coherence_of_topics(model).round(2)
    array([1., 1.])
    """
    require_documents(model, "coherence_of_topics")
    if all(len(words) < 2 for words in model.top_words(2)):
        return np.full(len(model.alpha_), np.nan)
    window = None if model.corpus_.tokenizer is not None else 0
    return coherence(model, model.corpus_, measure, window=window, per_topic=True)


def weights_of_topics(model: Any) -> dict[str, list[float]]:
    """Weight of each topic in each class or target, by name; empty if the model predicts nothing."""
    if not hasattr(model, "coef_"):
        return {}
    rows = np.atleast_2d(model.coef_)
    if hasattr(model, "classes_"):
        names = list(map(str, model.classes_.tolist()))
        if len(rows) < len(names):  # of two classes, a model has the weights of the second only
            rows = np.vstack([0.0 - rows, rows])
        return dict(zip(names, rows.tolist()))
    return {"y" if len(rows) == 1 else f"y[{number}]": row for number, row in enumerate(rows.tolist())}


def labels_of(model: Any) -> tuple[list[str], Any]:
    """Labels of the training documents, and for each topic the share of its tokens that is in documents of each label.

    A token counts for every label of its document.

    Returns
    -------
    names : list of str
        The labels.
    shares : CSR array of shape (n_topics, n_labels)
        Shares of all tokens of a topic.

    Examples
    --------
    >>> import topicwright as tw
    >>> corpus = tw.Corpus.from_texts(["ship sea", "bread oven"], labels=[["sea"], ["kitchen"]])
    >>> names, shares = labels_of(tw.LDA(n_topics=1, n_sweeps=5).fit(corpus))
    >>> names, shares.toarray()
    (['kitchen', 'sea'], array([[0.5, 0.5]]))
    """
    if not has_documents(model) or model.corpus_.labels is None:
        raise InputError("labels_of needs training documents with labels, and this model has none of them")
    corpus = model.corpus_
    names = corpus.label_names()
    number = {name: column for column, name in enumerate(names)}
    columns = [number[name] for name in chain.from_iterable(corpus.labels)]
    starts = np.concatenate([[0], np.cumsum([len(own) for own in corpus.labels])])
    has = csr_array((np.ones(len(columns)), columns, starts), shape=(corpus.n_docs, len(names)))
    counts = (model.doc_topic_counts_.T @ has).tocsr()
    sizes = np.asarray(model.doc_topic_counts_.sum(axis=0), dtype=np.float64).ravel()
    return names, counts.multiply(1 / np.maximum(sizes, 1)[:, None]).tocsr()
