"""LDA for streams: topics without labels, learned from documents that keep arriving."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..._sampling.inference import TopicSnapshot
from ..._sampling.online_lda import OnlineSampler
from ..._sampling.random import seed_from
from ..._utils.count_rows import rows_from_csr
from ..._utils.signals import defer_signals
from ..._utils.signatures import suggest_keywords
from ..._utils.validation import (
    LARGEST_PRIOR,
    MOST_TOPICS,
    SMALLEST_PRIOR,
    check_in_range,
    check_integer,
    check_positive,
)
from ...corpus import Corpus, Tokenizer
from ...corpus.build import validate_texts, validate_token_lists
from ...corpus.inputs import input_kind
from ...corpus.tokenizer import as_tokenizer
from ...errors import CorpusNotStoredError, InputError
from ..base import TopicModel
from .rare_words import Pruned
from .settings import StreamVocabulary, make_tokenizer
from .state import ReadProgress

if TYPE_CHECKING:
    from ...io import ModelFile

_MOST = 2**31 - 1
_MOST_SWEEPS = 1e4
_CHUNK = 500  # documents that are learned without a break for signals


class TopicStreamSettings(NamedTuple):
    """Parameters that a stream was started with; later changes apply to the next one."""

    n_topics: int
    alpha: float
    beta: float
    rejuvenate: float
    warm_up: float
    reservoir: int
    batch_tokens: int
    forgetting: float | None

    def new_sampler(self, seed: int) -> OnlineSampler:
        """A sampler that has learned nothing yet."""
        return OnlineSampler(
            np.full(self.n_topics, self.alpha),
            self.beta,
            rejuvenate=self.rejuvenate,
            warm_up=self.warm_up,
            reservoir=self.reservoir,
            decay=1.0 if self.forgetting is None else self.forgetting,
            seed=seed,
        )


class TopicStreamSnapshot(NamedTuple):
    """Vocabulary and counts of a stream, and its topics as inference reads them."""

    corpus: Corpus  # without documents
    counts: Any  # CSR of shape (n_topics, n_words)
    topics: TopicSnapshot


class TopicStream:
    """Everything that a model has learned from a stream, and what it needs to continue.

    Attributes
    ----------
    settings : TopicStreamSettings
        Parameters that the stream was started with.
    sampler : OnlineSampler
        Sampler that has learned all complete batches.
    vocabulary : StreamVocabulary
        Ids of the words.
    tokenizer : Tokenizer or None
        None if the documents were not texts.
    waiting : list of arrays
        Documents of the next batch, which is not complete yet.
    n_docs, n_tokens : int
        Number of documents and of their tokens, those that wait included.
    progress : ReadProgress
        How far the sources of the stream were read.
    """

    def __init__(self, settings: TopicStreamSettings, seed: int, vocabulary: StreamVocabulary) -> None:
        self.settings, self.seed, self.vocabulary = settings, seed, vocabulary
        self.sampler = settings.new_sampler(seed)
        self.tokenizer: Tokenizer | None = None
        self.waiting: list[NDArray[np.uint32]] = []
        self.n_docs = self.n_tokens = 0
        self.progress = ReadProgress()
        self.monitor_state: dict[str, NDArray[Any]] = {}  # alerts need labels
        self.new_labels: list[Any] = []

    @classmethod
    def from_parameters(cls, model: OnlineLDA) -> TopicStream:
        """An empty stream with the parameters of a model, all of them validated."""
        stream = cls(check_settings(model), seed_from(model.random_state), StreamVocabulary(model.vocabulary))
        tokenizer = make_tokenizer(model)
        stream.tokenizer = tokenizer if model.tokenizer is not None or model.stop_words is not None else None
        return stream

    # ------------------------------------------------------------------ learning

    def learn(self, X: Any) -> None:
        """Learn from documents, all of them validated before any is learned from."""
        documents = self._parse(X)
        n_docs = documents.n_docs if isinstance(documents, Corpus) else len(documents)
        for first in range(0, n_docs, _CHUNK):
            last = min(n_docs, first + _CHUNK)
            with defer_signals():
                if isinstance(documents, Corpus):
                    self._learn_chunk(self._encode_corpus(documents.select(np.arange(first, last))))
                else:
                    chunk = documents[first:last]
                    self._learn_chunk([np.array(self.vocabulary.encode(words), np.uint32) for words in chunk])

    def _learn_chunk(self, documents: list[NDArray[np.uint32]]) -> None:
        for document in documents:
            self.waiting.append(document)
            self.n_docs += 1
            self.n_tokens += len(document)
            if self._n_waiting() >= self.settings.batch_tokens:
                self._learn_waiting(self.sampler)
                self.waiting = []

    def _n_waiting(self) -> int:
        return self.n_tokens - self.sampler.n_tokens

    def _learn_waiting(self, sampler: OnlineSampler) -> None:
        tokens = np.concatenate(self.waiting)
        # The vocabulary may hold words of later documents already, of which the result must not depend.
        n_words = len(self.vocabulary.ids) if self.vocabulary.is_fixed else int(tokens.max(initial=0)) + 1
        lengths = np.array([len(document) for document in self.waiting], np.int64)
        sampler.add(tokens, lengths, max(n_words, sampler.n_words))

    def _parse(self, X: Any) -> Corpus | list[list[str]]:
        """Documents as a corpus or as lists of words; remembers how texts are tokenized."""
        kind, X = ("corpus", X) if isinstance(X, Corpus) else input_kind(X)
        if kind == "texts":
            tokenizer = self.tokenizer or as_tokenizer(None)
            documents = list(map(tokenizer, validate_texts(X)))
            self.tokenizer = tokenizer
            return documents
        if kind == "words":
            return list(validate_token_lists(X))
        corpus = X if kind == "corpus" else Corpus.from_matrix(X)
        if kind == "counts":
            self._check_columns(corpus)
        self.tokenizer = self.tokenizer or corpus.tokenizer
        return corpus

    def _check_columns(self, corpus: Corpus) -> None:
        """A matrix has all words from the start."""
        if not self.vocabulary.ids:
            self.vocabulary.encode(corpus.vocabulary.tolist())
            self.vocabulary.is_fixed = True
        n_words = len(self.vocabulary.ids)
        if corpus.n_words != n_words:
            raise InputError(
                f"X has {corpus.n_words} features, but {OnlineLDA.__name__} is expecting {n_words} features as input",
                parameter="X",
            )

    def _encode_corpus(self, corpus: Corpus) -> list[NDArray[np.uint32]]:
        used, first = np.unique(corpus.tokens, return_index=True)
        used = used[np.argsort(first)]
        words = corpus.vocabulary[used].tolist()
        self.vocabulary.encode(words)  # adds new ones in order of appearance
        ids = np.full(corpus.n_words, -1, np.int64)
        ids[used] = [self.vocabulary.ids.get(word, -1) for word in words]
        documents = [ids[tokens] for tokens in corpus]
        return [tokens[tokens >= 0].astype(np.uint32) for tokens in documents]

    def prune(self, min_count: float) -> int:
        """Remove words with a lower count that are neither in the reservoir nor waiting; returns their number."""
        sampler = self.sampler
        if self.vocabulary.is_fixed:
            return 0
        kept = np.ones(len(self.vocabulary.ids), bool)
        kept[: sampler.n_words] = np.asarray(sampler.word_topics().sum(axis=1)).reshape(-1) >= min_count
        for tokens in chain((batch.tokens for batch in sampler.batches), self.waiting):
            kept[tokens] = True
        if not kept.any():
            raise InputError(parameter="min_count", expected="low enough to leave a word", got=min_count)
        number = (np.cumsum(kept) - 1).astype(np.uint32)
        sampler.keep_words(kept[: sampler.n_words])
        self.waiting = [number[tokens] for tokens in self.waiting]
        names = [word for word, is_kept in zip(self.vocabulary.ids, kept.tolist()) if is_kept]
        self.vocabulary.ids = {word: n for n, word in enumerate(names)}
        return int((~kept).sum())

    # ------------------------------------------------------------------ results

    @property
    def is_fitted(self) -> bool:
        """Whether there is at least one word."""
        return self.n_tokens > 0

    def snapshot(self) -> TopicStreamSnapshot:
        """Vocabulary, counts, and topics for inference, as if the documents that wait were a complete batch."""
        sampler = self.sampler
        if self._n_waiting():
            sampler = sampler.copy()
            self._learn_waiting(sampler)
        counts: Any = sampler.word_topics()
        counts.resize((len(self.vocabulary.ids), self.settings.n_topics))
        vocabulary = np.array([*self.vocabulary.ids, None], dtype=object)[:-1]
        empty = Corpus(np.zeros(0, np.int32), np.zeros(1, np.int64), vocabulary, tokenizer=self.tokenizer)
        beta, alpha = self.settings.beta, np.full(self.settings.n_topics, self.settings.alpha)
        topics = TopicSnapshot(rows_from_csr(counts), sampler.sizes, alpha, beta, beta * len(vocabulary))
        return TopicStreamSnapshot(empty, counts.T.tocsr(), topics)


def check_settings(model: OnlineLDA) -> TopicStreamSettings:
    """Validated parameters of a model."""
    return TopicStreamSettings(
        check_integer("n_topics", model.n_topics, 1, MOST_TOPICS),
        check_in_range("alpha", model.alpha, SMALLEST_PRIOR, LARGEST_PRIOR),
        check_in_range("beta", model.beta, SMALLEST_PRIOR, LARGEST_PRIOR),
        check_in_range("rejuvenate", model.rejuvenate, 0.0, _MOST_SWEEPS),
        check_in_range("warm_up", model.warm_up, 0.0, _MOST_SWEEPS),
        check_integer("reservoir", model.reservoir, 0, _MOST),
        check_integer("batch_tokens", model.batch_tokens, 1, _MOST),
        None if model.forgetting is None else check_in_range("forgetting", model.forgetting, 0.01, 1.0, or_none=True),
    )


class OnlineLDA(TopicModel):
    """Latent Dirichlet allocation for streams, fitted by a sparse collapsed Gibbs sampler.

    Documents need no labels, and new words may appear at any time. Topics keep their numbers. Earlier documents are
    kept in a reservoir and resampled as others arrive, so that topics improve. Memory and the cost per word do
    not grow with the length of the stream. The result does not depend on how the stream is divided into calls. A model
    that was saved and loaded continues as if it had never stopped.

    Documents are learned in batches of about ``batch_tokens`` words. Documents of the batch that is not complete yet
    count in all results, as if it were complete; they are sampled again when it is.

    Parameters
    ----------
    n_topics : int
        Number of topics.
    alpha, beta : float
        Prior of topics in a document, and prior of words in a topic.
    rejuvenate : float
        Number of earlier words to resample for each word that arrives. More is more accurate and takes longer.
    warm_up : float
        The same at the beginning, for as many words as the reservoir holds. Topics form there, and documents that leave
        the reservoir later keep theirs.
    reservoir : int
        Number of words of earlier documents to keep for resampling. Every batch is kept with the same probability.
    batch_tokens : int
        Number of words that complete a batch.
    forgetting : float, optional
        Factor by which the expected counts of a batch shrink with each later document, such as 0.9999, so that old
        documents count less. A batch is forgotten as a whole, after a random time, or where the reservoir is full.
        None for never.
    vocabulary : list of str, optional
        Words to learn. By default new words are added as they appear.
    tokenizer, stop_words
        How texts are tokenized, as in :meth:`Corpus.from_texts`: a :class:`Tokenizer` or a function.
    n_jobs : int or None
        Number of threads of inference for new documents.
    random_state : int, None, RandomState or Generator
        Random seed.

    Attributes
    ----------
    topic_word_ : array of shape (n_topics, n_words)
        Word distribution of each topic, φ; rows sum to 1.
    components_ : array of shape (n_topics, n_words)
        Counts plus beta, as in scikit-learn.
    topic_word_counts_ : scipy CSR array
        Counts.
    vocabulary_ : array of str
        Words in order of appearance. Their numbers never change.
    n_docs_seen_, n_tokens_seen_ : int
        Number of documents and of words learned from.

    Examples
    --------
    >>> import topicwright as tw
    >>> lda = tw.OnlineLDA(n_topics=2)
    >>> for _ in range(20):
    ...     lda = lda.partial_fit(["ship sails sea", "bread oven flour"])
    >>> lda.partial_fit(["a new ship at sea"]).n_docs_seen_
    41
    >>> sorted(sorted(words) for words in lda.top_words(3))
    [['bread', 'flour', 'oven'], ['sails', 'sea', 'ship']]
    """

    _stream: TopicStream
    _cached_snapshot: TopicStreamSnapshot | None

    assignments_ = None  # documents of a stream are not kept
    doc_topic_counts_ = None
    word_prior_ = None
    topic_names_ = None

    @suggest_keywords()
    def __init__(
        self,
        n_topics: int = 100,
        *,
        alpha: float = 0.1,
        beta: float = 0.05,
        rejuvenate: float = 8,
        warm_up: float = 40,
        reservoir: int = 4_000_000,
        batch_tokens: int = 50_000,
        forgetting: float | None = None,
        vocabulary: Any = None,
        tokenizer: Any = None,
        stop_words: Any = None,
        n_jobs: int | None = 1,
        random_state: Any = 0,
    ) -> None:
        self.n_topics = n_topics
        self.alpha = alpha
        self.beta = beta
        self.rejuvenate = rejuvenate
        self.warm_up = warm_up
        self.reservoir = reservoir
        self.batch_tokens = batch_tokens
        self.forgetting = forgetting
        self.vocabulary = vocabulary
        self.tokenizer = tokenizer
        self.stop_words = stop_words
        self.n_jobs = n_jobs
        self.random_state = random_state

    # ------------------------------------------------------------------ learning

    def fit(self, X: Any, y: Any = None) -> OnlineLDA:
        """Discard the stream so far and learn from these documents; see :meth:`partial_fit`."""
        stream = TopicStream.from_parameters(self)
        stream.learn(X)
        if not stream.is_fitted:
            raise InputError(f"the corpus is empty: got {stream.n_docs} documents with 0 words", parameter="X")
        self.set_stream(stream)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> OnlineLDA:
        """Learn from further documents of the stream, one or many.

        A changed parameter takes effect at the next :meth:`fit`. Ctrl-C takes effect after some of these documents are
        learned; ``n_docs_seen_`` tells how many.

        Parameters
        ----------
        X : list of str, list of list of str, Corpus, or matrix of counts
            Documents. The first matrix sets the vocabulary.
        y : ignored
            For scikit-learn pipelines. :class:`OnlineLabeledLDA` learns labels.

        Returns
        -------
        self
        """
        stream = self.open_stream()
        stream.learn(X)
        self.set_stream(stream)
        return self

    def prune(self, min_count: float = 1.0) -> Pruned:
        """Remove rare words, except those of the reservoir, so that the vocabulary stays bounded.

        The remaining words are renumbered. A word that was removed is new when it appears again.

        Parameters
        ----------
        min_count : float
            Words with a lower count are removed.

        Returns
        -------
        Pruned
            Number of words that were removed; its number of labels is 0.

        Examples
        --------
        >>> lda = OnlineLDA(n_topics=2, reservoir=0, batch_tokens=3).fit(["ship sea ship bread"])
        >>> lda.prune(min_count=2)
        Pruned(words=2, labels=0)
        >>> lda.vocabulary_.tolist()
        ['ship']
        """
        stream = self._require_fitted_stream()
        with defer_signals():
            n_words = stream.prune(check_positive("min_count", min_count))
            self._drop_cached_results()
        return Pruned(n_words, 0)

    # ------------------------------------------------------------------ state

    @property
    def stream_(self) -> TopicStream | None:
        """State of the stream; None before the first document."""
        return self.__dict__.get("_stream")

    def open_stream(self) -> TopicStream:
        """State of the stream, or a new one with the parameters of this model."""
        return TopicStream.from_parameters(self) if self.stream_ is None else self.stream_

    def set_stream(self, stream: TopicStream) -> None:
        """Continue with this state of the stream; results computed from an earlier state are dropped."""
        self._stream = stream
        self._drop_cached_results()

    def _require_fitted_stream(self) -> TopicStream:
        check_is_fitted(self)
        return self._stream

    def _require_corpus(self, what: str) -> None:
        raise CorpusNotStoredError(f"{what} needs the training documents, but a stream does not keep them")

    def _drop_cached_results(self) -> None:
        super()._drop_cached_results()
        self._cached_snapshot = None

    def __sklearn_is_fitted__(self) -> bool:
        return self.stream_ is not None and self.stream_.is_fitted

    # ------------------------------------------------------------------ results

    @property
    def _stream_snapshot(self) -> TopicStreamSnapshot:
        stream = self._require_fitted_stream()
        if self._cached_snapshot is None:
            self._cached_snapshot = stream.snapshot()
        return self._cached_snapshot

    @property
    def _snapshot(self) -> TopicSnapshot:
        return self._stream_snapshot.topics

    @property
    def corpus_(self) -> Corpus:
        """Vocabulary and tokenizer; a stream does not keep its documents."""
        return self._stream_snapshot.corpus

    @property
    def vocabulary_(self) -> NDArray[np.object_]:
        """Words in order of appearance."""
        return self._stream_snapshot.corpus.vocabulary

    @property
    def topic_word_counts_(self) -> Any:
        """Topic–word counts as CSR."""
        return self._stream_snapshot.counts

    @property
    def alpha_(self) -> NDArray[np.float64]:
        """α of each topic."""
        return self._require_fitted_stream().sampler.alpha

    @property
    def beta_(self) -> float:
        """β."""
        return self._require_fitted_stream().settings.beta

    @property
    def seed_(self) -> int:
        """Seed of the random streams."""
        return self._require_fitted_stream().seed

    @property
    def n_features_in_(self) -> int:
        """Number of words."""
        return len(self._require_fitted_stream().vocabulary.ids)

    @property
    def n_docs_seen_(self) -> int:
        """Number of documents learned from."""
        return self._require_fitted_stream().n_docs

    @property
    def n_docs_read_(self) -> int:
        """Number of documents learned from; 0 before the first."""
        return 0 if self.stream_ is None else self.stream_.n_docs

    @property
    def n_tokens_seen_(self) -> int:
        """Number of words learned from."""
        return self._require_fitted_stream().n_tokens

    # ------------------------------------------------------------------ files

    def save(self, path: Any) -> None:
        """Write everything that the stream needs to continue to one file; read it with :func:`topicwright.load`.

        The file is replaced only once it is complete. It contains the reservoir as word ids, so parts of the documents
        can be reconstructed from it.

        Parameters
        ----------
        path : str or path
            Name of the file.
        """
        from .lda_persistence import write

        write(self, self._require_fitted_stream(), path)

    @classmethod
    def from_file(cls, file: ModelFile) -> OnlineLDA:
        """Model from an open model file; see :func:`topicwright.load`."""
        from .lda_persistence import read

        return read(cls, file)
