"""Base class of all topic models: topics, inference on new documents, and the scikit-learn contract."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .._sampling.inference import (
    COMPLETION,
    METHODS,
    DocumentKnowledge,
    TokenBatch,
    TopicSnapshot,
    heldout_log_probabilities,
    infer,
)
from .._sampling.medlda.weights import count_documents
from .._utils.deprecation import deprecation_warning
from .._utils.signatures import suggest_keywords
from .._utils.validation import check_choice, check_integer, check_n_jobs, check_rows
from ..corpus import Corpus
from ..errors import CorpusNotStoredError, InputError
from ._inputs import encode_all, encode_for
from ._plotting import PlottingMixin

if TYPE_CHECKING:
    from .._utils.table import Table
    from ..io import ModelFile
    from ..views import DocumentInfo, TopicInfo
    from .manifest import Manifest


class TopicModel(PlottingMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of the topic models: results, inference, plots and model files.

    :class:`LDA`, :class:`LabeledLDA`, :class:`MedLDAClassifier`, :class:`MedLDARegressor`, :class:`OnlineLDA` and
    :class:`OnlineLabeledLDA` inherit from it side by side. It does no training. A subclass sets the fitted attributes
    below, or computes them.
    """

    n_jobs: int | None
    field_: str | None = None  # name of the field that y was read from, set by the command line

    if TYPE_CHECKING:  # attributes of models trained in batch, properties of a stream

        @property
        def alpha_(self) -> NDArray[np.float64]:
            """Prior of each topic in a document."""

        @property
        def beta_(self) -> float | NDArray[np.float64]:
            """Prior of words in a topic: one number, or one for each word."""

        @property
        def seed_(self) -> int:
            """Seed of the random streams."""

        @property
        def corpus_(self) -> Corpus:
            """Training corpus, without documents if these were not stored."""

        @property
        def vocabulary_(self) -> NDArray[np.object_]:
            """Word of each column."""

        @property
        def topic_names_(self) -> list[str] | None:
            """Name of each topic, if topics have names."""

        @property
        def manifest_(self) -> Manifest | None:
            """Data, settings, seed, software and time of the training; None for a stream or a model of an old file."""

        @property
        def assignments_(self) -> NDArray[np.uint32] | None:
            """Topic of each token of the training corpus, if that is stored."""

        @property
        def topic_word_counts_(self) -> Any:
            """Topic–word counts as CSR."""

        @property
        def word_prior_(self) -> Any:
            """Pseudo-counts of known topics as CSR, or None."""

        @property
        def _snapshot(self) -> TopicSnapshot:
            """Topic–word counts and priors as inference reads them."""

    # ------------------------------------------------------------------ results

    @cached_property
    def doc_topic_counts_(self) -> Any:
        """Document–topic counts of the training corpus, as CSR of shape (n_docs, n_topics)."""
        check_is_fitted(self)
        self._require_corpus("doc_topic_counts_")
        assert self.assignments_ is not None
        return count_documents(self.assignments_, self.corpus_.offsets, len(self.alpha_))

    @cached_property
    def components_(self) -> NDArray[np.float64]:
        """Topic–word counts plus beta, as in scikit-learn."""
        check_is_fitted(self)
        counts = self.topic_word_counts_ if self.word_prior_ is None else self.topic_word_counts_ + self.word_prior_
        return np.asarray(counts.toarray() + self.beta_)

    @cached_property
    def topic_word_(self) -> NDArray[np.float64]:
        """Word distribution of each topic, φ."""
        return np.asarray(self.components_ / self.components_.sum(axis=1, keepdims=True))

    @cached_property
    def doc_topic_(self) -> NDArray[np.float64]:
        """Topic distribution of each training document, θ."""
        return self.document_topics()

    @suggest_keywords()
    def document_topics(self, rows: Any = None) -> NDArray[np.float64]:
        """Topic distributions of training documents, given the topics.

        They are inferred as :meth:`transform` infers new documents, with the knowledge about the documents themselves:
        labels, document topics and document links. Knowledge about words enters by way of the topics.

        Parameters
        ----------
        rows : array of int, optional
            Numbers of the documents; by default all.

        Returns
        -------
        array of shape (n_rows, n_topics)
            θ; rows sum to 1. ``doc_topic_`` is the same for all documents.
        """
        check_is_fitted(self)
        self._require_corpus("document_topics")
        docs = TokenBatch(self.corpus_.tokens, self.corpus_.offsets)
        chosen = np.arange(self.corpus_.n_docs) if rows is None else check_rows("rows", rows, self.corpus_.n_docs)
        knowledge = self._document_knowledge()
        return infer(self._snapshot, docs, rows=chosen, knowledge=knowledge, n_jobs=check_n_jobs(self.n_jobs))

    def _document_knowledge(self) -> DocumentKnowledge:
        """Knowledge about the training documents."""
        return DocumentKnowledge()

    @property
    def seed_prior_(self) -> Any:
        """Deprecated name of :attr:`word_prior_`."""
        deprecation_warning("the attribute seed_prior_", "word_prior_")
        return self.word_prior_

    def _drop_cached_results(self) -> None:
        """Forget results that were computed from earlier counts."""
        for name in ("components_", "topic_word_", "doc_topic_"):
            self.__dict__.pop(name, None)

    @suggest_keywords()
    def top_words(self, n: int = 10) -> list[list[str]]:
        """Most frequent words of each topic.

        Parameters
        ----------
        n : int
            Number of words per topic. A topic lists fewer if it has fewer words, and none if it is empty.

        Returns
        -------
        list of list of str
            Words of each topic, the most frequent first.
        """
        check_is_fitted(self)
        check_integer("n", n, 1)
        counts = self.topic_word_counts_
        if self.word_prior_ is not None:
            counts = counts + self.word_prior_.multiply(counts > 0)
        prior = np.broadcast_to(self.beta_, counts.shape[1])
        tops = []
        for start, end in zip(counts.indptr[:-1], counts.indptr[1:]):
            words = counts.indices[start:end]
            best = np.lexsort((words, -(counts.data[start:end] + prior[words])))[:n]
            tops.append(list(self.vocabulary_[words[best]]))
        return tops

    @suggest_keywords()
    def topic_info(self, n_words: int = 10) -> Table[TopicInfo]:
        """All topics with their names, sizes and words.

        Parameters
        ----------
        n_words : int
            Number of words of each topic.

        Returns
        -------
        Table of TopicInfo
            A list of rows, displayed as a table; ``to_frame()`` gives a pandas data frame. The columns are topic,
            name, share of all tokens, n_tokens, n_docs (documents that have most tokens in the topic), words (the most
            probable ones) and frex (frequent and exclusive ones, see :func:`topicwright.views.frex_words`).

        Examples
        --------
        >>> import topicwright as tw
        >>> lda = tw.LDA(n_topics=2, n_sweeps=20).fit(["ship sea", "bread oven"] * 10)
        >>> [(topic.topic, topic.n_docs) for topic in lda.topic_info()]
        [(0, 10), (1, 10)]
        """
        from ..views.info import topic_info

        return topic_info(self, n_words)

    @suggest_keywords()
    def document_info(self, rows: Any = None) -> Table[DocumentInfo]:
        """Training documents with their largest topics and their metadata.

        Parameters
        ----------
        rows : array of int, optional
            Numbers of the documents; by default all.

        Returns
        -------
        Table of DocumentInfo
            A list of rows that is displayed as a table; ``to_frame()`` gives a pandas data frame. The columns are row,
            name, topic (the largest by θ), topic_name, share, n_words, labels, date, target, those of
            ``corpus.metadata``, and the start of the text.

        Examples
        --------
        >>> import topicwright as tw
        >>> corpus = tw.Corpus.from_texts(["ship sea", "bread oven"] * 10, metadata={"year": [2020, 2021] * 10})
        >>> lda = tw.LDA(n_topics=2, n_sweeps=20).fit(corpus)
        >>> lda.document_info([0, 1]).to_frame()[["n_words", "year", "text"]].values.tolist()
        [[2, 2020, 'ship sea'], [2, 2021, 'bread oven']]
        """
        from ..views.info import document_info

        return document_info(self, rows)

    def _require_corpus(self, what: str) -> None:
        """Raise an error if the training corpus is not stored; ``what`` needs it."""
        if self.assignments_ is None:
            raise CorpusNotStoredError(f"{what} needs the training corpus, but this model was saved without it")

    # ------------------------------------------------------------------ new documents

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Topic distributions of new documents, given the topics.

        The result for a document depends on its words only: not on the seed, the batch, the order of documents or the
        number of threads.

        Parameters
        ----------
        X : list of str, list of list of str, Corpus, or matrix of counts
            Documents. Words outside the vocabulary are skipped, with a warning that counts them.

        Returns
        -------
        array of shape (n_docs, n_topics)
            θ; rows sum to 1. It includes the prior alpha: the topics of a short document are close to the prior, and
            those of a document without a known word are the prior. :meth:`count_unknown` counts unknown words.
        """
        check_is_fitted(self)
        return infer(self._snapshot, self._documents(X), n_jobs=check_n_jobs(self.n_jobs))

    def count_unknown(self, X: Any) -> NDArray[np.int64]:
        """Number of words of each document that are not in the vocabulary, and so do not count.

        Parameters
        ----------
        X : list of str, list of list of str, Corpus, or matrix of counts
            Documents.

        Returns
        -------
        array of shape (n_docs,)
            Stop words that the tokenizer removes are not counted.

        Examples
        --------
        >>> import topicwright as tw
        >>> lda = tw.LDA(n_topics=2, n_sweeps=5).fit(["ship sails sea", "bread oven flour"])
        >>> lda.count_unknown(["a ship at sea", "a new bread"]).tolist()
        [1, 1]
        """
        check_is_fitted(self)
        return encode_all(self, X).unknown_by_document

    def perplexity(self, X: Any, *, method: str = COMPLETION, n_particles: int = 20) -> float:
        """Perplexity of new documents; lower is better.

        Parameters
        ----------
        X : list of str, list of list of str, Corpus, or matrix of counts
            Documents.
        method : {"completion", "left-to-right"}
            "completion" infers the topics of a document from every other word and scores the remaining words.
            "left-to-right" (Wallach et al. 2009) scores every word given the words before it. It is slower, and exact
            in the limit of many particles.
        n_particles : int
            Number of particles of "left-to-right".

        Returns
        -------
        float
            exp of minus the mean log-probability of a word.
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
            self._snapshot,
            self._documents(X),
            method,
            seed=self.seed_,
            n_particles=n_particles,
            n_jobs=check_n_jobs(self.n_jobs),
        )
        if not scores.size:
            raise InputError("no document has two or more words of the model's vocabulary", parameter="X")
        return float(scores.mean())

    def _documents(self, X: Any) -> TokenBatch:
        corpus = encode_for(self, X)
        return TokenBatch(corpus.tokens, corpus.offsets)

    # ------------------------------------------------------------------ files

    def save(self, path: Any) -> None:
        """Write the model to one file; read it with :func:`topicwright.load`."""
        raise NotImplementedError

    @classmethod
    def from_file(cls, file: ModelFile) -> Any:
        """Model from an open model file; see :func:`topicwright.load`."""
        raise NotImplementedError

    # ------------------------------------------------------------------ scikit-learn contract

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names of the columns of ``transform``: names of topics, or the class and number of a topic without a name."""
        prefixed = super().get_feature_names_out(input_features)
        names = self.topic_names_ or [str(k) for k in range(len(prefixed))]
        columns = [own if name == str(k) else name for k, (name, own) in enumerate(zip(names, prefixed))]
        return np.array(columns, dtype=object)

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
