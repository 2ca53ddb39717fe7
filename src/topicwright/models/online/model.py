"""Online Labeled LDA: labels and their words, learned from a stream of documents that need never end."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..._sampling.inference import TokenBatch, TopicSnapshot
from ..._utils.signals import defer_signals
from ..._utils.signatures import suggest_keywords
from ..._utils.validation import check_positive
from ...corpus import Corpus
from ...errors import CorpusNotStoredError, InputError
from .._targets import CLASSES, Floats, as_array
from ..labeled.inference import LabelInference, documents_to_learn_from
from ..labeled.prediction import AUTO, FREQUENCY, LabelPredictionMixin
from ..labeled.targets import topic_names
from .inputs import MiniBatch
from .pruning import Pruned, prune
from .settings import BEST, MEAN, SKIP
from .state import StreamSnapshot, StreamState

if TYPE_CHECKING:
    from ...io import ModelFile


class StreamResultsMixin(LabelPredictionMixin):
    """The fitted attributes of a stream; the base of :class:`OnlineLabeledLDA`."""

    _stream: StreamState
    assignments_ = None
    doc_topic_counts_ = None
    seed_prior_ = None

    @property
    def stream_(self) -> StreamState | None:
        """State of the stream: the particle filter, the labels and the vocabulary; None before the first document."""
        return self.__dict__.get("_stream")

    def set_stream(self, stream: StreamState) -> None:
        """Continue with this state of the stream; results computed from an earlier state are dropped."""
        self._stream = stream
        self._drop_cached_results()

    def _drop_cached_results(self) -> None:
        super()._drop_cached_results()
        self._seen: StreamSnapshot | None = None

    @property
    def n_docs_read_(self) -> int:
        """Number of documents that were learned from or skipped; 0 before the first."""
        return 0 if self.stream_ is None else self.stream_.n_read

    def __sklearn_is_fitted__(self) -> bool:
        return self.stream_ is not None and self.stream_.is_fitted

    def _require_fitted_stream(self) -> StreamState:
        check_is_fitted(self)
        return self._stream

    @property
    def _view(self) -> StreamSnapshot:
        stream = self._require_fitted_stream()
        if self._seen is None:
            self._seen = stream.view()
        return self._seen

    def _readers(self) -> list[LabelInference]:
        """Particles infer θ for themselves.

        On arXiv, Reuters and Delicious they foresaw words better than one θ from their mean φ did: perplexity was 1 to
        9 % lower; on ACM it was 4 % higher.
        """
        return [self._reader(particle) for particle in self._require_fitted_stream().particles()]

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, in the order in which they came."""
        return as_array(list(self._require_fitted_stream().labels))

    @property
    def corpus_(self) -> Corpus:
        """The words and how texts are cut; a stream's documents are not kept."""
        return self._view.corpus

    @property
    def vocabulary_(self) -> NDArray[np.object_]:
        """The words, in the order in which they came."""
        return self._view.corpus.vocabulary

    @property
    def topic_word_counts_(self) -> Any:
        """Counts of words of labels, as CSR: the mean of particles, or those of the best."""
        return self._view.counts

    @property
    def _snapshot(self) -> TopicSnapshot:
        return self._view.frozen

    @property
    def alpha_(self) -> Floats:
        """α of each label."""
        stream = self._require_fitted_stream()
        return np.full(len(stream.labels), stream.settings.alpha)

    @property
    def beta_(self) -> float:
        """β."""
        return self._require_fitted_stream().settings.beta

    @property
    def seed_(self) -> int:
        """The seed."""
        return self._require_fitted_stream().seed

    @property
    def topic_names_(self) -> list[str]:
        """The labels as text."""
        return topic_names(self.classes_, 0)

    @property
    def n_features_in_(self) -> int:
        """Number of words."""
        return len(self._require_fitted_stream().words.number)

    @property
    def label_counts_(self) -> NDArray[np.int64]:
        """How many documents came with each label."""
        return np.array(self._require_fitted_stream().label_counts, dtype=np.int64)

    @property
    def _n_labeled(self) -> int:
        return self._require_fitted_stream().n_labelled

    @property
    def _form(self) -> str:
        return self._require_fitted_stream().form

    @property
    def multilabel_(self) -> bool:
        """Whether documents may have several labels: not as long as each came with one that was in no list."""
        return self._form != CLASSES

    @property
    def n_docs_seen_(self) -> int:
        """Documents that were learned from."""
        return self._require_fitted_stream().engine.n_documents

    @property
    def n_tokens_seen_(self) -> int:
        """Words that were learned from."""
        return self._require_fitted_stream().engine.n_tokens

    @property
    def n_skipped_(self) -> int:
        """Documents that were skipped, since they had no labels."""
        return self._require_fitted_stream().n_skipped

    @property
    def running_perplexity_(self) -> float:
        """Perplexity of the window's documents, each as it was foreseen; NaN where they have no words."""
        return self._require_fitted_stream().running_perplexity()

    @property
    def effective_particles_(self) -> float:
        """1 / Σ ω² over the particles' weights ω."""
        return self._require_fitted_stream().engine.effective_particles

    @property
    def n_resamplings_(self) -> int:
        """How often particles were resampled."""
        return self._require_fitted_stream().engine.n_resamplings

    @property
    def new_labels_(self) -> list[Any]:
        """Labels that came up in the last call."""
        return list(self._require_fitted_stream().new_labels)

    def _threshold_documents(self) -> tuple[TokenBatch, list[list[int]]]:
        stream = self._require_fitted_stream()
        lengths = np.array([len(document.tokens) for document in stream.recent], dtype=np.int64)
        rows = documents_to_learn_from(lengths, np.ones(len(lengths), dtype=bool), len(stream.labels)).tolist()
        if not rows:
            raise InputError("threshold_ needs labelled documents in the window: got none with words")
        offsets = np.concatenate([[0], np.cumsum(lengths[rows])]).astype(np.int64)
        documents = TokenBatch(np.concatenate([stream.recent[row].tokens for row in rows]), offsets)
        return documents, [list(stream.recent[row].labels) for row in rows]

    def _require_corpus(self, what: str) -> None:
        raise CorpusNotStoredError(f"{what} needs the training documents, but a stream does not keep them")


class OnlineLabeledLDA(StreamResultsMixin):
    """Labeled LDA of a stream: documents are read once, and new words and labels may come at any time.

    Particles follow the stream, and the model is their mean or the best one. Tokens of a reservoir of earlier documents
    are drawn anew all the while. What is learned does not depend on how the stream is cut into calls, and a model that
    was saved and loaded goes on as if it had never stopped. A word costs the same at any age of the stream.

    Parameters
    ----------
    n_particles : int
        Runs through the stream, side by side.
    alpha, beta : float
        Priors of labels in a document that has them, and of words in a label.
    combine : {"mean", "best"}
        Whether the model is the mean of all particles, which are then best left to themselves, or the one with the
        largest weight, as in the paper.
    start : int
        Documents to begin with: when so many have been learned from, their tokens are drawn anew a hundred times, as a
        batch sampler does; 0 for none. Those beyond the reservoir are left as they are.
    weighting : {"marginal", "drawn"}
        What a particle's weight is multiplied with: the probability of the word over all labels, or, as in the paper,
        that under the label drawn.
    resample_below : float
        Particles are resampled where their effective number falls to this share of them; 0 for never.
    resampling : {"systematic", "multinomial"}
        How that is done.
    rejuvenate : int
        Tokens of the reservoir that are drawn anew after each resampling.
    rejuvenate_per_label : float
        Tokens of the reservoir that are drawn anew for each word that arrives and each label that its document has
        beyond the first, of which 20 count at most: where there is no choice, nothing need be drawn anew.
    reservoir : int
        Tokens of earlier documents to keep for that, any document alike; none where nothing is ever drawn anew.
    forgetting : float, optional
        What counts shrink by with each document, such as 0.9999; None for never.
    vocabulary : list of str, optional
        The only words to learn; otherwise new ones are taken in as they come.
    tokenizer, stop_words
        How texts are cut, as in :meth:`Corpus.from_texts`: a :class:`Tokenizer`, or a function.
    unlabelled : {"skip", "likely"}
        What becomes of documents without labels: they are skipped, or learned from as if they had their likely labels,
        as many as documents have in the mean. That takes time in proportion to the number of all labels.
    knowledge : sequence of SeedWords, MustLinks and CannotLinks
        Words of labels, each counted ``weight`` times before the stream begins; words that belong together or apart, as
        in :class:`LabeledLDA`. A link holds in every particle, for words that arrive and for those that are drawn anew,
        from when both of its words have come. Where batch models ask how frequent a word is in the corpus, it is here
        how often it has come so far, less what was forgotten; links see the counts of seeds like those of words.
        Probabilities and perplexity are of words without links: these say which label a word is owed to. A linked word
        costs more, in proportion to its partners; any other next to nothing.
    window : int
        Labelled documents, the last ones, that are kept for ``running_perplexity_`` and to find the threshold by.
    threshold, label_prior, n_jobs, random_state
        As in :class:`LabeledLDA`; what "auto" looks at are the documents of the window.

    Attributes
    ----------
    classes_, vocabulary_ : arrays
        Labels and words in the order in which they came. Their numbers never change.
    topic_word_, label_word_, label_counts_, threshold_, …
        As in :class:`LabeledLDA`.
    n_docs_seen_, n_tokens_seen_, n_skipped_ : int
        Documents and words that were learned from, and documents that were skipped.
    running_perplexity_ : float
        Perplexity of the window's documents given their labels, each as it was foreseen before it was learned from, by
        particles in proportion to their weights.
    effective_particles_, n_resamplings_
        How many particles still count, and how often they were resampled.
    new_labels_ : list
        Labels that came up in the last call.

    Notes
    -----
    The defaults are by experiment, on other documents (4,000 arXiv abstracts before 2005, half of Reuters' training
    stories, 6,000 pages of Delicious) than those of this table: 10,000 arXiv abstracts of 2012 (2 labels each), 3,475
    Reuters stories (1.3), 600 ACM papers (2.7), 9,000 pages of Delicious (19). Perplexity is that of later documents
    given their labels, by completion; "fold-in" is Delicious again, with θ from the words that are scored. Figures are
    means of 3 seeds (the mean of batches is one run); seconds are those of arXiv and Delicious on a busy machine.

    ===============================================  =====  =======  =====  =========  =======  =========
    model                                            arXiv  Reuters    ACM  Delicious  fold-in  seconds
    ===============================================  =====  =======  =====  =========  =======  =========
    batch of 400 sweeps                              2,204      828  3,703        251      201   7.7, 7.5
    mean of 8 batches                                2,074      810  2,578        236      190
    defaults: 8 particles, 0.35 redraws              1,988      810  2,584        243      194   0.3, 1.3
    0.5 redraws                                      1,993      812  2,595        242      194   0.4, 1.6
    1 redraw a label                                 1,998      814  2,576        240      192   0.4, 2.7
    no redraws                                       1,982      808               257      203   0.3, 0.3
    one particle, 0.35 redraws                       2,189      843  4,066        268      210   0.2, 0.9
    :meth:`paper`, without its start as a batch      2,269      860  4,615        275      209   1.0, 2.6
    ===============================================  =====  =======  =====  =========  =======  =========

    So the stream has 0.90, 0.98, 0.70 and 0.97 of the batch's perplexity, and 0.96 by fold-in. Each particle infers a
    document's labels for itself, and the probability of a word is the mean of what they give it. With one inference
    from their mean φ, perplexity on Delicious was 247 by completion and 211 by fold-in, on ACM 2,489.

    A batch gains little beyond 50 sweeps. With so many at each tenth of the documents it takes 15 times the stream's
    time on arXiv and Reuters, 17 times on ACM, 5.5 times on Delicious. Most of the gain is the mean's; redraws are for
    documents with many labels. To draw as many otherwise was no better: the document's own tokens first, new or old
    documents more often, or at random. Particles that are resampled soon share one history, and their mean is then that
    of one.

    Examples
    --------
    >>> import topicwright as tw
    >>> model = tw.OnlineLabeledLDA()
    >>> for _ in range(10):
    ...     model = model.partial_fit(["ship sails sea", "bread oven flour"], [["sea"], ["kitchen"]])
    >>> model.partial_fit(["judge court law", "ship law"], [["court"], ["sea", "court"]]).new_labels_
    ['court']
    >>> model.classes_.tolist(), model.n_docs_seen_
    (['sea', 'kitchen', 'court'], 22)
    >>> [label for label, probability in model.rank(["a ship, a sea"], top=1)[0]]
    ['sea']
    """

    @suggest_keywords()
    def __init__(
        self,
        *,
        n_particles: int = 8,
        alpha: float = 0.1,
        beta: float = 0.1,
        combine: str = MEAN,
        start: int = 0,
        weighting: str = "marginal",
        resample_below: float = 0.0,
        resampling: str = "systematic",
        rejuvenate: int = 30,
        rejuvenate_per_label: float = 0.35,
        reservoir: int = 200_000,
        forgetting: float | None = None,
        vocabulary: Iterable[str] | None = None,
        tokenizer: Any = None,
        stop_words: Any = None,
        unlabelled: str = SKIP,
        knowledge: Any = (),
        window: int = 1000,
        threshold: float | str = AUTO,
        label_prior: str = FREQUENCY,
        n_jobs: int | None = 1,
        random_state: Any = 0,
    ) -> None:
        self.n_particles = n_particles
        self.alpha = alpha
        self.beta = beta
        self.combine = combine
        self.start = start
        self.weighting = weighting
        self.resample_below = resample_below
        self.resampling = resampling
        self.rejuvenate = rejuvenate
        self.rejuvenate_per_label = rejuvenate_per_label
        self.reservoir = reservoir
        self.forgetting = forgetting
        self.vocabulary = vocabulary
        self.tokenizer = tokenizer
        self.stop_words = stop_words
        self.unlabelled = unlabelled
        self.knowledge = knowledge
        self.window = window
        self.threshold = threshold
        self.label_prior = label_prior
        self.n_jobs = n_jobs
        self.random_state = random_state

    @classmethod
    def paper(cls, **changes: Any) -> OnlineLabeledLDA:
        """A model with the paper's settings: ten particles, weighted by the labels drawn, and redrawn when resampled.

        It starts with a batch sampler on the first 200 documents. Its threshold and number of redraws are not known;
        these are those of Canini et al. 2009.

        >>> OnlineLabeledLDA.paper(alpha=0.2).n_particles
        10
        """
        settings: dict[str, Any] = {
            "n_particles": 10,
            "combine": BEST,
            "start": 200,
            "resample_below": 0.5,
            "weighting": "drawn",
            "resampling": "multinomial",
            "rejuvenate": 30,
            "rejuvenate_per_label": 0.0,
            "reservoir": 1_000_000,
        }
        return cls(**{**settings, **changes})

    # ------------------------------------------------------------------ the stream

    @suggest_keywords()
    def fit(self, X: Any, y: Any = None) -> OnlineLabeledLDA:
        """Forget everything, and learn from these documents: see :meth:`partial_fit`."""
        started = StreamState.from_parameters(self)
        started.warn_of_links()
        started.read(started.parse(X, y))
        if not started.is_fitted and y is None:
            raise InputError(
                f"{type(self).__name__} requires y to be passed, but the target y is None, and X has no labels"
            )
        if not started.is_fitted:
            raise InputError("one document or more must have words and labels: got none")
        self.set_stream(started)
        return self

    @suggest_keywords()
    def partial_fit(self, X: Any, y: Any = None, classes: Any = None) -> OnlineLabeledLDA:
        """Go on with more documents: texts, lists of words, or a corpus, one or many.

        y has a list of labels for each document, or one label; None or an empty list where there are none. Without y,
        a corpus's own labels are taken. ``classes`` may name labels that are still to come; it is not needed.
        Parameters that have been changed since the stream began wait for the next :meth:`fit`, but for those that only
        concern predictions.

        Ctrl-C is heard when these documents are learned. Where they are more than 500, it may be heard after the first
        of them: ``n_docs_seen_`` and ``n_skipped_`` then tell how many.
        """
        stream = self.open_stream()
        items = stream.parse(X, y)
        self._stream, stream.new_labels = stream, []
        try:
            stream.read(items)
        finally:
            self._drop_cached_results()
        return self

    def learn(self, stream: Iterable[Any], batch_size: int = 100) -> OnlineLabeledLDA:
        """Learn from an iterator of pairs (text, labels) or :class:`~topicwright.corpus.Document`, to its end.

        Where the iterator fails, or Ctrl-C comes, what it has given so far is learned.

        >>> pairs = [("ship sails sea", ["sea"]), ("bread oven flour", ["kitchen"])]
        >>> OnlineLabeledLDA().learn(iter(pairs)).n_docs_seen_
        2
        """
        batch = MiniBatch(self, batch_size)
        try:
            for entry in stream:
                batch.add(entry)
        finally:
            batch.flush()
        return self

    async def alearn(self, stream: AsyncIterable[Any], batch_size: int = 100) -> OnlineLabeledLDA:
        """The same from an asynchronous iterator; a document may wait until its batch is full."""
        batch = MiniBatch(self, batch_size)
        try:
            async for entry in stream:
                batch.add(entry)
        finally:
            batch.flush()
        return self

    def open_stream(self) -> StreamState:
        """State of the stream, or a new one with the parameters of this model."""
        if self.stream_ is not None:
            return self.stream_
        stream = StreamState.from_parameters(self)
        stream.warn_of_links()
        return stream

    def prune(self, min_count: float = 1.0) -> Pruned:
        """Give up words and labels that count for less than this, but for those in the reservoir.

        Where nothing is forgotten, those are rare ones; where counts shrink, also such as have not come up for long.
        The others get new numbers. What was given up is new when it comes again.

        >>> model = OnlineLabeledLDA().fit(["ship sea", "ship sea", "bread"], [["sea"], ["sea"], ["kitchen"]])
        >>> model.prune(min_count=2)
        Pruned(words=1, labels=1)
        >>> model.classes_.tolist(), model.vocabulary_.tolist()
        (['sea'], ['ship', 'sea'])
        """
        stream = self._require_fitted_stream()
        stream.check_whole()
        with defer_signals():
            pruned = prune(stream, check_positive("min_count", min_count))
            self._drop_cached_results()
        return pruned

    # ------------------------------------------------------------------ files

    def save(self, path: Any) -> None:
        """Write all that the stream needs to go on to one file, all or nothing; read it with :func:`topicwright.load`.

        The reservoir and the window are in it, as numbers of words: parts of the documents can be told from the file.
        """
        from .persistence import write

        write(self, self._require_fitted_stream(), path)

    @classmethod
    def from_file(cls, file: ModelFile) -> OnlineLabeledLDA:
        """Model from an open model file; see :func:`topicwright.load`."""
        from .persistence import read

        return read(cls, file)
