"""What a trained model tells: its topics, and what new documents are about."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .._sampling.inference import COMPLETION, METHODS, TokenBatch, TopicSnapshot, heldout_log_probabilities, infer
from .._sampling.medlda.weights import count_documents
from .._utils.signatures import suggest_keywords
from .._utils.validation import check_choice, check_integer, check_n_jobs
from ..corpus import Corpus
from ..errors import CorpusNotStoredError, InputError
from ._inputs import encode_for
from ._plotting import PlottingMixin
from .fit_state import FitState

VIEWS = ("components_", "topic_word_", "doc_topic_")  # of the counts, worked out when they are asked for
_BURN_IN, _SAMPLES = 10, 20  # sweeps over a new document before θ is averaged, and while it is


class TopicModel(PlottingMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Topics that were learned; how, is told by :class:`LDA` and those that build on it."""

    n_jobs: int | None
    alpha_: NDArray[np.float64]
    beta_: float | NDArray[np.float64]
    seed_: int
    corpus_: Corpus
    vocabulary_: NDArray[np.object_]
    assignments_: NDArray[np.uint32] | None
    topic_word_counts_: Any
    seed_prior_: Any
    fit_state_: FitState

    # ------------------------------------------------------------------ what was learned

    @cached_property
    def doc_topic_counts_(self) -> Any:
        """Counts of topics in documents, as CSR of shape (n_docs, n_topics)."""
        check_is_fitted(self)
        self._require_corpus("doc_topic_counts_")
        assert self.assignments_ is not None
        return count_documents(self.assignments_, self.corpus_.offsets, len(self.alpha_))

    @cached_property
    def components_(self) -> NDArray[np.float64]:
        """Counts plus beta."""
        check_is_fitted(self)
        counts = self.topic_word_counts_ if self.seed_prior_ is None else self.topic_word_counts_ + self.seed_prior_
        return np.asarray(counts.toarray() + self.beta_)

    @cached_property
    def topic_word_(self) -> NDArray[np.float64]:
        """φ: the distribution of words in each topic."""
        return np.asarray(self.components_ / self.components_.sum(axis=1, keepdims=True))

    @cached_property
    def doc_topic_(self) -> NDArray[np.float64]:
        """θ: the distribution of topics in each training document."""
        check_is_fitted(self)
        self._require_corpus("doc_topic_")
        weights = self.doc_topic_counts_.toarray() + self.alpha_
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    @suggest_keywords()
    def top_words(self, n: int = 10) -> list[list[str]]:
        """The most frequent words of each topic, at most ``n``; a topic that holds no words has none."""
        check_is_fitted(self)
        check_integer("n", n, 1)
        counts = self.topic_word_counts_
        if self.seed_prior_ is not None:
            counts = counts + self.seed_prior_.multiply(counts > 0)
        prior = np.broadcast_to(self.beta_, counts.shape[1])
        tops = []
        for start, end in zip(counts.indptr[:-1], counts.indptr[1:]):
            words = counts.indices[start:end]
            best = np.lexsort((words, -(counts.data[start:end] + prior[words])))[:n]
            tops.append(list(self.vocabulary_[words[best]]))
        return tops

    def _require_corpus(self, what: str) -> None:
        if self.assignments_ is None:
            raise CorpusNotStoredError(f"{what} needs the training corpus, and this model was saved without it")

    # ------------------------------------------------------------------ new documents

    def transform(self, X: Any) -> NDArray[np.float64]:
        """θ of new documents, with the topics frozen: an array of shape (n_docs, n_topics) whose rows sum to 1.

        Words that the model has never seen are skipped, and counted in a warning. A document's answer depends on
        its words alone: not on the batch, the order of documents or the number of threads.
        """
        check_is_fitted(self)
        return infer(self._snapshot, self._documents(X), **self._inference())

    def perplexity(self, X: Any, *, method: str = COMPLETION, n_particles: int = 20) -> float:
        """Perplexity of new documents; lower is better.

        "completion" infers a document's topics from every other word and scores the words between. "left-to-right"
        (Wallach et al. 2009) scores every word given those before it; slower, and exact with many particles.
        """
        return float(np.exp(-self._heldout(X, method, n_particles)))

    def score(self, X: Any, y: Any = None) -> float:
        """Log-likelihood per token of new documents, by document completion; higher is better."""
        return self._heldout(X, COMPLETION, 1)

    def _heldout(self, X: Any, method: str, n_particles: int) -> float:
        check_is_fitted(self)
        check_choice("method", method, METHODS)
        check_integer("n_particles", n_particles, 1)
        scores = heldout_log_probabilities(
            self._snapshot, self._documents(X), method, n_particles=n_particles, **self._inference()
        )
        if not scores.size:
            raise InputError("no document has words to score: each must have two words or more that the model knows")
        return float(scores.mean())

    @property
    def _snapshot(self) -> TopicSnapshot:
        """Topics as inference reads them."""
        snapshot = self.fit_state_.snapshot
        if snapshot is None:
            raise AttributeError(f"this {type(self).__name__} has no topics of its own")
        return snapshot

    def _documents(self, X: Any) -> TokenBatch:
        corpus = encode_for(self, X)
        return TokenBatch(corpus.tokens, corpus.offsets)

    def _inference(self) -> dict[str, int]:
        return {
            "seed": self.seed_,
            "burn_in": _BURN_IN,
            "n_samples": _SAMPLES,
            "n_jobs": check_n_jobs(self.n_jobs),
        }

    # ------------------------------------------------------------------ scikit-learn's contract

    @property
    def _n_features_out(self) -> int:
        return len(self.alpha_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.positive_only = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "topic_word_counts_")
