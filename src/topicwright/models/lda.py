"""Latent Dirichlet allocation as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._sampling import new_engine
from .._sampling.engine import SamplingEngine, SamplingResults
from .._sampling.priors import base_prior
from .._sampling.problem import SamplingProblem
from .._sampling.random import seed_from
from .._utils.signatures import suggest_keywords
from .._utils.validation import MOST_TOPICS, check_integer, check_n_jobs, initial_alpha, initial_beta
from .._utils.warnings import warn
from ..corpus import Corpus
from ..errors import InputError, TopicwrightWarning
from ..knowledge import KnowledgeReport
from ..knowledge.priors import seeds_to_csr
from ._inputs import training_corpus
from ._knowledge import build_report, compile_for, warn_of_lost_seeds
from ._training import HERE, OnSweep, Where, placed, rollback_on_error, train
from .base import VIEWS, TopicModel
from .fit_state import FitState

if TYPE_CHECKING:
    from ..io import ModelFile


class LDA(TopicModel):
    """Latent Dirichlet allocation, sampled by a sparse collapsed Gibbs sampler.

    The same seed gives the same answer, on any number of threads. Topic ids never change.

    Parameters
    ----------
    n_topics : int
        Number of topics, up to a million; time and memory follow the topics that words and documents really have.
    alpha : float, array of shape (n_topics,), or "learn"
        Prior of topics in a document. "learn" fits one of each topic to the corpus, as MALLET's optimisation does,
        so that some topics may be common and others rare.
    beta : float, array of shape (n_words,), or "learn"
        Prior of words in a topic.
    knowledge : sequence
        What is known about words and documents: :class:`MustLinks`, :class:`CannotLinks`, :class:`SeedWords`,
        :class:`DocumentLabels`, :class:`SentenceLabels`, :class:`DocumentLinks`, :class:`Custom`, in any mix.
    n_sweeps : int
        How often every token's topic is drawn anew.
    n_jobs : int or None
        Threads; -1 for all processors. It changes the time, never the answer.
    random_state : int, None, RandomState or Generator
        The seed.
    evaluate_every : int
        log p(w, z) is computed every so many sweeps, and after the last; 0 for the last only.

    Attributes
    ----------
    topic_word_ : array of shape (n_topics, n_words)
        φ: rows sum to 1.
    doc_topic_ : array of shape (n_docs, n_topics)
        θ of the training documents: rows sum to 1.
    components_ : array of shape (n_topics, n_words)
        Counts plus beta, as in scikit-learn.
    topic_word_counts_, doc_topic_counts_ : scipy CSR arrays
        The counts behind them, sparse; use these where K × V or D × K would not fit in memory.
    vocabulary_ : array of str
        The word of each column.
    log_likelihood_ : list of (sweep, log p(w, z) per token)
        The training curve.
    alpha_, beta_
        The priors, as given or learned.
    seed_prior_ : scipy CSR array of shape (n_topics, n_words), or None
        What soft seeds add to beta.
    topic_names_ : list of str, or None
        A name for each topic, where labels or seeds gave names; topics without one are called by their number.
    assignments_ : uint32 array of shape (n_tokens,)
        The topic of each token of ``corpus_``.
    sweeps_ : int
        Sweeps done.
    interrupted_ : bool
        Whether training was stopped before its end, by Ctrl-C or by ``on_sweep``.

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

    field_: str | None = None  # that y was read from, where the command line did it

    @suggest_keywords()
    def __init__(
        self,
        n_topics: int = 100,
        *,
        alpha: float | Iterable[float] | str = 0.1,
        beta: float | Iterable[float] | str = 0.01,
        knowledge: Any = (),
        n_sweeps: int = 200,
        n_jobs: int | None = 1,
        random_state: Any = 0,
        evaluate_every: int = 10,
    ) -> None:
        self.n_topics = n_topics
        self.alpha = alpha
        self.beta = beta
        self.knowledge = knowledge
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
        """Learn topics from texts, a corpus, or a matrix of counts.

        ``on_sweep`` is called with a :class:`~topicwright.models.Sweep` after each sweep; where it returns False,
        training ends there. Ctrl-C does the same, with a warning: what was learned is kept, and ``interrupted_`` is
        set. ``on_sweep=topicwright.show_progress`` shows how far it is.

        With a ``backend`` the documents are cut into shards, which are trained from disk (:class:`DiskBackend`) or on a
        cluster (:class:`RayBackend`). ``resume=True`` goes on with such a run if it was cut off, and ends with the same
        model as if it had not been.
        """
        where = placed(backend, resume)
        n_topics = check_integer("n_topics", self.n_topics, 1, MOST_TOPICS)
        check_integer("n_sweeps", self.n_sweeps, 1)
        corpus = self._training_corpus(X)
        self._reset_fit_state(corpus, initial_alpha(self.alpha, n_topics))
        self._set_knowledge(compile_for(self, corpus, n_topics))
        return self._train(self.n_sweeps, on_sweep, where)

    def _training_corpus(self, X: Any) -> Corpus:
        corpus = training_corpus(self, X)
        if self.n_topics > corpus.n_tokens:
            warn(
                f"n_topics is {self.n_topics:,}, but there are only {corpus.n_tokens:,} tokens: most will be empty",
                TopicwrightWarning,
            )
        return corpus

    def _reset_fit_state(self, corpus: Corpus, alpha: NDArray[np.float64]) -> None:
        """What training starts from, but for knowledge."""
        self.field_ = None
        self.__dict__.pop("fit_state_", None)
        self.corpus_ = corpus
        self.vocabulary_ = corpus.vocabulary
        self.n_features_in_ = corpus.n_words
        self.seed_ = seed_from(self.random_state)
        self.alpha_ = alpha
        self.beta_ = initial_beta(self.beta, corpus.n_words)
        self.assignments_ = None
        self.sweeps_ = 0
        self.log_likelihood_: list[tuple[int, float]] = []

    @rollback_on_error
    def resume(self, n_sweeps: int = 50, *, on_sweep: OnSweep | None = None) -> LDA:
        """More sweeps from where the model stands: ``fit`` with 150 sweeps, or with 100 and 50 more, is the same.

        ``knowledge`` may have been changed since: what it says now holds from here on, and topics keep their numbers.

        >>> import topicwright as tw
        >>> lda = tw.LDA(n_topics=2, n_sweeps=10).fit([[2, 0, 1], [0, 3, 1]])
        >>> lda.resume(5).sweeps_
        15
        """
        check_is_fitted(self)
        self._require_corpus("resume")
        numbers = self.fit_state_.compiled.topics.numbers
        self._set_knowledge(compile_for(self, self.corpus_, len(self.alpha_), numbers))
        return self._train(check_integer("n_sweeps", n_sweeps, 1), on_sweep)

    def _train(self, n_sweeps: int, on_sweep: OnSweep | None, where: Where = HERE) -> LDA:
        is_new, engine = self.sweeps_ == 0, self._new_engine(where)
        try:
            done, asked = engine.sweep_number, self.sweeps_ + n_sweeps
            if done > asked:
                warn(f"{done:,} sweeps are done already, and {asked:,} were asked for", TopicwrightWarning)
            earlier = list(engine.curve)
            recall = getattr(on_sweep, "recall", None)
            if earlier and recall is not None:
                recall(earlier[-1][1])
            curve, stopped = train(
                engine,
                max(0, asked - done),
                learns_alpha=isinstance(self.alpha, str),
                learns_beta=isinstance(self.beta, str),
                evaluate_every=check_integer("evaluate_every", self.evaluate_every, 0),
                on_sweep=on_sweep,
            )
            self._store_results(engine.results())
        finally:
            engine.close()
        self.log_likelihood_ = [*self.log_likelihood_, *earlier, *curve]
        self.interrupted_ = stopped
        if is_new and not stopped:
            warn_of_lost_seeds(self)
        return self

    def _new_engine(self, where: Where = HERE) -> SamplingEngine:
        n_jobs = check_n_jobs(self.n_jobs)
        if where.backend is not None:
            return where.start(self._problem(), n_jobs)
        return self._local_engine(n_jobs)

    def _local_engine(self, n_jobs: int) -> SamplingEngine:
        return new_engine(self._problem(), n_jobs=n_jobs)

    def _problem(self) -> SamplingProblem:
        corpus: Corpus = self.corpus_
        return SamplingProblem(
            corpus.tokens,
            corpus.offsets,
            corpus.n_words,
            len(self.alpha_),
            self.alpha_,
            self.beta_,
            self.seed_,
            self.fit_state_.compiled,
            self.assignments_,
            self.sweeps_,
        )

    def _set_knowledge(self, state: FitState) -> None:
        """Train with this knowledge from here on; results stay as they are."""
        compiled, before = state.compiled, self.__dict__.get("fit_state_")
        if compiled.seeds is not None and isinstance(self.beta, str):
            raise InputError("beta can't be learned where there are soft seeds, which add to it: give a number")
        self.fit_state_ = state if before is None else state._replace(snapshot=before.snapshot)
        self.topic_names_ = compiled.topics.names() if compiled.topics.numbers else None
        self.seed_prior_ = None if compiled.seeds is None else seeds_to_csr(compiled.seeds, compiled.topics.n_topics)

    def _store_results(self, results: Sequence[SamplingResults]) -> None:
        """Set the fitted attributes; ``results`` has one entry for each model that the engine trained."""
        (own,) = results
        self.assignments_ = own.assignments
        self.alpha_ = own.topics.alpha
        self.beta_ = base_prior(own.topics.beta)
        self.sweeps_ = own.sweep_number
        self.topic_word_counts_ = own.topic_word_counts
        if own.doc_topic_counts is not None:
            self.doc_topic_counts_ = own.doc_topic_counts
        else:  # documents that are on shards need not fit in memory: counted when they are asked for
            self.__dict__.pop("doc_topic_counts_", None)
        self.fit_state_ = self.fit_state_._replace(snapshot=own.topics)
        for view in VIEWS:
            self.__dict__.pop(view, None)

    # ------------------------------------------------------------------ what was known

    def _notes(self) -> list[str]:
        """What to know of topics that stand for labels."""
        return []

    @suggest_keywords()
    def knowledge_report(self, before: LDA | bool = True, *, on_sweep: OnSweep | None = None) -> KnowledgeReport:
        """How far each link, seed and label holds, beside a model without knowledge.

        What the figures mean is told in :class:`~topicwright.knowledge.KnowledgeReport`. With ``before=True`` the same
        training runs once more without knowledge: that takes as long as the first did, and is kept for the next call.
        Or give such a model; False leaves the comparison out. ``on_sweep`` is for that training, as in :meth:`fit`.

        >>> import topicwright as tw
        >>> texts = ["ship sails", "boat sails", "bread bakes", "loaf bakes"] * 10
        >>> lda = tw.LDA(n_topics=2, knowledge=[tw.MustLinks([("ship", "boat")])], n_sweeps=50).fit(texts)
        >>> print(lda.knowledge_report(before=False).rows[0].what)
        boat – ship
        """
        check_is_fitted(self)
        return build_report(self, before, on_sweep)

    def _trained_without_knowledge(self, on_sweep: OnSweep | None) -> LDA:
        """A model to compare with, trained as long as this one."""
        other = LDA(
            len(self.alpha_),
            alpha=self.alpha,
            beta=self.beta,
            n_sweeps=self.sweeps_,
            n_jobs=self.n_jobs,
            random_state=self.seed_,
            evaluate_every=0,
        )
        return other.fit(self.corpus_, on_sweep=on_sweep)

    # ------------------------------------------------------------------ files

    def save(self, path: Any, *, include_corpus: bool = True) -> None:
        """Write the model to one file, all or nothing; read it with :func:`topicwright.load`.

        Without the corpus the file is smaller and holds no document, but ``resume`` and ``doc_topic_`` need it.
        """
        from ._persistence import write

        check_is_fitted(self)
        write(self, path, include_corpus)

    @classmethod
    def from_file(cls, file: ModelFile) -> LDA:
        """Model from an open model file; see :func:`topicwright.load`."""
        from ._persistence import read

        return read(cls, file)
