"""Latent Dirichlet allocation as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._sampling.engine import SamplingEngine, SamplingResults
from .._sampling.initialization import cluster_documents
from .._utils.signatures import suggest_keywords
from .._utils.validation import MOST_TOPICS, SMALLEST_PRIOR, check_bool, check_integer, initial_alpha
from ..corpus import Corpus
from ..corpus.corpus import replace_metadata
from ..errors import InputError
from ..knowledge import TopicNames
from ..knowledge.compiler import topics_mentioned
from ._inputs import training_corpus, warn_of_many_topics, warn_of_short_documents
from ._knowledge import as_list, attach, compile_for
from ._training import OnSweep, check_backend, rollback_on_error, run_training, start_engine
from .batch import BatchTopicModel
from .fit_state import FitState, build_problem, count_assignments, is_mixture, reset_fit_state, store_topics
from .update.inputs import insert_topics, kept_knowledge, merge_earlier, most_similar, replace_documents
from .update.new_topics import NewTopics
from .update.report import UpdateReport
from .update.run import UPDATE_SWEEPS, update_model

if TYPE_CHECKING:
    from ..io import ModelFile

_REFUSAL_SWEEPS = 5


class LDA(BatchTopicModel):
    """Latent Dirichlet allocation, fitted by a sparse collapsed Gibbs sampler.

    The same seed gives the same result with any number of threads. Topic ids never change.

    Parameters
    ----------
    n_topics : int
        Number of topics, up to a million. Few topics are broad, many are narrow; start with 20 to 100. Time and memory
        grow with the topics that words and documents actually have.
    alpha : float, array of shape (n_topics,), or "learn"
        Prior of topics in a document. A smaller value gives documents fewer topics. "learn" fits one value per topic to
        the corpus, as MALLET's hyperparameter optimization does, so that some topics may be frequent and others rare;
        this suits most corpora.
    beta : float, array of shape (n_words,), or "learn"
        Prior of words in a topic. A smaller value gives topics with fewer words. It rarely needs a change.
    knowledge : sequence
        Knowledge about words and documents, in any combination: :class:`MustLinks`, :class:`CannotLinks`,
        :class:`SeedWords`, :class:`DocumentLabels`, :class:`SentenceLabels`, :class:`DocumentLinks`,
        :class:`CustomFactor` and others.
    one_topic_per_document : bool
        Whether all words of a document have the same topic, as in the Dirichlet-multinomial mixture (GSDMM). This suits
        short texts, such as titles and messages: below about 20 words, a document says too little about several topics.
        ``doc_topic_`` and ``transform`` then give the posterior probability of each topic. All knowledge applies;
        a document takes a topic that most of its words are allowed in.
    n_sweeps : int
        Number of Gibbs sweeps. If ``log_likelihood_`` still rises at the end, continue with :meth:`resume`.
    n_jobs : int or None
        Number of threads; -1 uses all processors. It changes the time, never the result.
    random_state : int, None, RandomState or Generator
        Random seed. None draws a new one for each fit.
    evaluate_every : int
        Number of sweeps between two evaluations of log p(w, z). It is always evaluated after the last sweep, and with 0
        only there.

    Attributes
    ----------
    topic_word_ : array of shape (n_topics, n_words)
        Word distribution of each topic, φ; rows sum to 1.
    doc_topic_ : array of shape (n_docs, n_topics)
        Topic distribution of each training document given the topics, θ; rows sum to 1.
    components_ : array of shape (n_topics, n_words)
        Counts plus beta, as in scikit-learn.
    topic_word_counts_, doc_topic_counts_ : scipy CSR arrays
        Sparse counts. Use these if n_topics × n_words or n_docs × n_topics values do not fit in memory.
    vocabulary_ : array of str
        Word of each column.
    log_likelihood_ : list of (sweep, log p(w, z) per token)
        Training curve.
    alpha_, beta_
        Priors, as given or learned.
    word_prior_ : scipy CSR array of shape (n_topics, n_words), or None
        Pseudo-counts that :class:`KnownTopics` add to beta.
    topic_names_ : list of str, or None
        Name of each topic if labels, seeds or :meth:`rename_topics` name topics. Without a name, a topic is called by
        its number.
    assignments_ : uint32 array of shape (n_tokens,)
        Topic of each token of ``corpus_``.
    sweeps_ : int
        Number of sweeps done.
    interrupted_ : bool
        Whether training stopped early, by Ctrl-C or by ``on_sweep``.
    new_topics_ : list of int
        Topics that :meth:`update` opened and you have not accepted, merged or refused yet.
    updates_ : list of dict
        Log of the updates: documents, a digest of them, and options. The same model file and the same updates give the
        same model.
    earlier_ : EarlierCounts, or None
        Topic–word counts of the documents before the last update, with the weight that ``memory`` gave them, and their
        number by topic.

    Examples
    --------
    >>> import topicwright as tw
    >>> texts = ["cats purr", "dogs bark", "cats and dogs", "stocks fall", "bonds rise", "stocks and bonds"] * 5
    >>> lda = tw.LDA(n_topics=2, n_sweeps=50).fit(texts)
    >>> lda.doc_topic_.shape
    (30, 2)
    >>> bool(lda.transform(["cats purr"]).argmax() == lda.doc_topic_[0].argmax())
    True
    """

    @suggest_keywords()
    def __init__(
        self,
        n_topics: int = 100,
        *,
        alpha: float | Iterable[float] | str = 0.1,
        beta: float | Iterable[float] | str = 0.01,
        knowledge: Any = (),
        one_topic_per_document: bool = False,
        n_sweeps: int = 200,
        n_jobs: int | None = 1,
        random_state: Any = 0,
        evaluate_every: int = 10,
    ) -> None:
        self.n_topics = n_topics
        self.alpha = alpha
        self.beta = beta
        self.knowledge = knowledge
        self.one_topic_per_document = one_topic_per_document
        self.n_sweeps = n_sweeps
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.evaluate_every = evaluate_every

    # ------------------------------------------------------------------ training

    @rollback_on_error
    @suggest_keywords()
    def fit(
        self, X: Any, y: Any = None, *, on_sweep: OnSweep | None = None, backend: Any = None, resume: bool = False
    ) -> LDA:
        """Learn topics from documents.

        Parameters
        ----------
        X : list of str, list of list of str, Corpus, or matrix of counts
            Documents.
        y : ignored
            For scikit-learn pipelines.
        on_sweep : callable, optional
            Called with a :class:`~topicwright.models.Sweep` after each sweep. If it returns False, training ends there.
            Pass :func:`topicwright.show_progress` to see the progress. Ctrl-C also ends training after the present
            sweep, with a warning. In both cases the model is usable and ``interrupted_`` is True.
        backend : DiskBackend or RayBackend, optional
            Splits the documents into shards and trains from disk or on a cluster.
        resume : bool
            Continue an interrupted run of the backend. The result is the same as without the interruption.

        Returns
        -------
        self
        """
        check_backend(backend, resume)
        n_topics = check_integer("n_topics", self.n_topics, 1, MOST_TOPICS)
        check_integer("n_sweeps", self.n_sweeps, 1)
        check_bool("one_topic_per_document", self.one_topic_per_document)
        if self.one_topic_per_document and backend is not None:
            raise InputError(
                "`one_topic_per_document=True` trains in memory: leave out `backend`", parameter="backend", got=backend
            )
        corpus = training_corpus(self, X)
        warn_of_many_topics(n_topics, corpus)
        if not self.one_topic_per_document:
            warn_of_short_documents(corpus)
        reset_fit_state(self, corpus, initial_alpha(self.alpha, n_topics))
        self._set_knowledge(compile_for(self, corpus, n_topics))
        self._train(self.n_sweeps, on_sweep, backend, resume)
        return self

    @rollback_on_error
    @suggest_keywords()
    def update(
        self,
        X: Any,
        labels: Any = None,
        *,
        memory: float | int = 1.0,
        n_sweeps: int = UPDATE_SWEEPS,
        max_topics: int | None = None,
        min_df: int = 2,
        on_sweep: OnSweep | None = None,
    ) -> UpdateReport:
        """Learn from new documents. Topics keep their numbers, names and knowledge.

        The documents so far are not needed: their topic–word counts are fixed and count in every draw. Afterwards this
        is a fitted model of the new documents, whose topics contain the past and the present. Knowledge about words and
        topics stays; knowledge about single documents applied to those documents only.

        Parameters
        ----------
        X : list of str, list of list of str, Corpus, or matrix of counts
            New documents. Words that are not in the vocabulary follow the others there. Counts must have the columns of
            the vocabulary.
        labels : sequence, optional
            Labels of the documents, for models with :class:`DocumentLabels` of the corpus. By default the labels of a
            Corpus. Labels that the model does not know get new topics.
        memory : float or int
            Weight of the past. A share from 0.0 to 1.0 multiplies the counts of all documents so far; with a share at
            every update, the past fades exponentially. An integer is the number of documents that the past may count
            for at most, as in a sliding window. The past counts in full where topics start. So with 0.0 and all
            documents, topics keep their numbers and are trained again.
        n_sweeps : int
            Number of Gibbs sweeps over the new documents.
        max_topics : int, optional
            Number of topics up to which new ones may open; None sets no limit. Pass the present number to open none.
        min_df : int
            Number of new documents that a new word must be in.
        on_sweep : callable, optional
            Called after each sweep, as in ``fit``. If training stops early, the model is usable, and no topics open.

        Returns
        -------
        UpdateReport
            How much each topic changed, new topics and words, and documents that no topic explains.

        Examples
        --------
        >>> import topicwright as tw
        >>> lda = tw.LDA(n_topics=2, n_sweeps=50).fit(["ship sails sea", "bread oven flour"] * 20)
        >>> report = lda.update(["ship harbor sea", "bread oven yeast"] * 5, n_sweeps=10)
        >>> report.new_words
        ['harbor', 'yeast']
        >>> lda.doc_topic_.shape
        (10, 2)
        """

        def prepare(corpus: Corpus, weight: float) -> NDArray[np.int64]:
            return self._prepare_update(corpus if labels is None else replace_metadata(corpus, labels=labels))

        return update_model(
            self,
            X,
            prepare,
            self._open_topics,
            memory=memory,
            n_sweeps=n_sweeps,
            max_topics=max_topics,
            min_df=min_df,
            on_sweep=on_sweep,
        )

    def _open_topics(self, found: NewTopics) -> None:
        """Add topics that the evidence of an update opened."""
        state = self.fit_state_
        insert_topics(self, found.n_new)
        self.n_topics, self.assignments_ = len(self.alpha_), found.assignments
        numbers = state.compiled.topics.numbers
        self._set_knowledge(attach(self.knowledge, self.corpus_, self.n_topics, numbers, state.warnings))

    def accept_topics(self, topics: Mapping[int, str] | Iterable[int]) -> LDA:
        """Accept topics that an update opened: they are not marked as new any more.

        Parameters
        ----------
        topics : mapping or iterable of int
            Numbers of the topics, or the name of each number.

        Returns
        -------
        self
        """
        names = dict(topics) if isinstance(topics, Mapping) else {}
        accepted = self._check_new("topics", list(topics))
        if names:
            self._rename(names)
        self.new_topics_ = [topic for topic in self.new_topics_ if topic not in accepted]
        return self

    @rollback_on_error
    def merge_topics(self, *others: int, into: int) -> LDA:
        """Make topics part of another topic. Their numbers stay, without words, so that no other number changes.

        Parameters
        ----------
        *others : int
            Topics that become part of the other one.
        into : int
            The other topic.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        self._require_corpus("merge_topics")
        assert self.assignments_ is not None
        for topic in (*others, into):
            check_integer("into" if topic is into else "others", topic, 0, len(self.alpha_) - 1)
        if into in others or not others:
            raise InputError(parameter="others", expected=f"topics other than {into}", got=others)
        self._retire(others, np.where(np.isin(self.assignments_, others), into, self.assignments_), into)
        count_assignments(self)
        return self

    @rollback_on_error
    def refuse_topics(self, topics: Iterable[int]) -> LDA:
        """Remove topics that an update opened: the other topics take over their words, in a few sweeps.

        The number of a refused topic stays, without words, so that no other number changes.

        Parameters
        ----------
        topics : iterable of int
            Numbers of the topics.

        Returns
        -------
        self
        """
        self._require_corpus("refuse_topics")
        assert self.assignments_ is not None
        for topic in self._check_new("topics", list(topics)):
            free = np.where(self.assignments_ == topic, len(self.alpha_), self.assignments_)
            self._retire([topic], free, most_similar(self.topic_word_counts_, topic))
        self._train(_REFUSAL_SWEEPS)
        return self

    def _check_new(self, parameter: str, topics: list[int]) -> list[int]:
        check_is_fitted(self)
        for topic in topics:
            if topic not in self.new_topics_:
                raise InputError(
                    parameter=parameter, expected=f"topics that are new, which are {self.new_topics_}", got=topic
                )
        return topics

    def _retire(self, others: Sequence[int], assignments: NDArray[Any], into: int) -> None:
        """Move the earlier counts of topics to another one, and let no token be drawn into them again."""
        self.assignments_ = assignments.astype(np.uint32)
        if self.earlier_ is not None:
            self.earlier_ = merge_earlier(self.earlier_, into, others)
        self.alpha_ = self.alpha_.copy()
        self.alpha_[list(others)] = SMALLEST_PRIOR
        if not isinstance(self.alpha, str):
            self.alpha = self.alpha_
        self.new_topics_ = [topic for topic in self.new_topics_ if topic not in others]

    def _rename(self, names: Mapping[int, str]) -> None:
        state = self.fit_state_
        numbers = {name: n for name, n in state.compiled.topics.numbers.items() if n not in names}
        numbers |= {name: n for n, name in names.items()}
        others = [item for item in as_list(self.knowledge) if not isinstance(item, TopicNames)]
        self.knowledge = [*others, TopicNames({n: name for name, n in numbers.items()})]
        self._set_knowledge(attach(self.knowledge, self.corpus_, len(self.alpha_), numbers, state.warnings))

    def _prepare_update(self, corpus: Corpus) -> NDArray[np.int64]:
        """Keep the knowledge that holds for the new documents, with the numbers of its topics, and add new labels."""
        state, n_before = self.fit_state_, len(self.alpha_)
        items, numbers = kept_knowledge(state.knowledge, corpus), dict(state.compiled.topics.numbers)
        names = dict.fromkeys(topic for item in items for topic in topics_mentioned(item, corpus))
        new = [name for name in names if isinstance(name, str) and name not in numbers]
        numbers |= {name: n_before + n for n, name in enumerate(new)}
        replace_documents(self, corpus)
        insert_topics(self, len(new))
        self.n_topics = len(self.alpha_)
        self.knowledge = [*items, TopicNames({n: name for name, n in numbers.items()})] if numbers else items
        self._set_knowledge(attach(self.knowledge, self.corpus_, self.n_topics, numbers, state.warnings))
        return np.arange(n_before)

    def _recompile_knowledge(self) -> FitState:
        return compile_for(self, self.corpus_, len(self.alpha_), self.fit_state_.compiled.topics.numbers)

    def _new_engine(self, backend: Any = None, resume: bool = False) -> SamplingEngine:
        problem = build_problem(self)
        if problem.assignments is None and not self.one_topic_per_document:
            problem = problem._replace(assignments=cluster_documents(problem))
        return start_engine(problem, self.n_jobs, backend, resume)

    def _train(self, n_sweeps: int, on_sweep: OnSweep | None = None, backend: Any = None, resume: bool = False) -> None:
        run_training(self, self._new_engine(backend, resume), n_sweeps, on_sweep)

    def _store_results(self, results: Sequence[SamplingResults]) -> None:
        (own,) = results
        store_topics(self, own)

    def _fit_baseline(self, on_sweep: OnSweep | None) -> LDA:
        return fit_plain_lda(self, on_sweep)

    # ------------------------------------------------------------------ files

    def save(self, path: Any, *, include_corpus: bool = True) -> None:
        """Write the model to one file; read it with :func:`topicwright.load`.

        The file is replaced only once it is complete.

        Parameters
        ----------
        path : str or path
            Name of the file.
        include_corpus : bool
            Whether to store the training corpus. The file is smaller without it and contains no document, but
            ``resume`` and ``doc_topic_`` need the corpus.
        """
        from ._persistence import write

        check_is_fitted(self)
        write(self, path, include_corpus)

    @classmethod
    def from_file(cls, file: ModelFile) -> LDA:
        """Model from an open model file; see :func:`topicwright.load`."""
        from ._persistence import read

        return read(cls, file)


def fit_plain_lda(model: BatchTopicModel, on_sweep: OnSweep | None) -> LDA:
    """An LDA with as many topics and sweeps as a model, trained on its corpus without knowledge."""
    plain = LDA(
        len(model.alpha_),
        alpha=model.alpha,
        beta=model.beta,
        one_topic_per_document=is_mixture(model),
        n_sweeps=model.sweeps_,
        n_jobs=model.n_jobs,
        random_state=model.seed_,
        evaluate_every=0,
    )
    return plain.fit(model.corpus_, on_sweep=on_sweep)
