"""Base class of the models that are trained in sweeps over a corpus, as opposed to a stream."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._sampling.engine import EarlierCounts, SamplingEngine, SamplingResults
from .._sampling.inference import DocumentKnowledge, TopicSnapshot
from .._utils.count_rows import rows_from_csr
from .._utils.signatures import suggest_keywords
from .._utils.validation import check_integer
from ..corpus import Corpus
from ..errors import InputError
from ..knowledge import KnowledgeReport
from ..knowledge.priors import word_priors_to_csr
from ._knowledge import build_report
from ._topic_names import FixedList, rename_topics, topic_name_of
from ._training import OnSweep, rollback_on_error
from .base import TopicModel
from .fit_state import FitState
from .manifest import Manifest

Model = TypeVar("Model", bound="BatchTopicModel")


class BatchTopicModel(TopicModel):
    """Base class of :class:`LDA`, :class:`LabeledLDA` and the MedLDA models.

    It declares the fitted attributes that they share, and what follows from them: ``resume`` and ``knowledge_report``.
    Each model defines its own ``fit`` and the few private methods below; the loop over the sweeps is
    :func:`topicwright.models._training.run_training`.
    """

    alpha: Any
    beta: Any
    knowledge: Any
    n_sweeps: int
    random_state: Any
    evaluate_every: int

    corpus_: Corpus
    vocabulary_: NDArray[np.object_]
    n_features_in_: int
    seed_: int
    alpha_: NDArray[np.float64]
    beta_: float | NDArray[np.float64]
    earlier_: EarlierCounts | None = None
    updates_: list[dict[str, Any]]
    new_topics_: list[int]
    assignments_: NDArray[np.uint32] | None
    topic_word_counts_: Any
    word_prior_: Any
    sweeps_: int
    log_likelihood_: list[tuple[int, float]]
    interrupted_: bool
    fit_state_: FitState
    manifest_: Manifest | None
    _topic_names: list[str] | None

    # ------------------------------------------------------------------ what each model defines

    def _recompile_knowledge(self) -> FitState:
        """The knowledge of the parameters, compiled for topics that keep their numbers."""
        raise NotImplementedError

    def _new_engine(self, backend: Any = None, resume: bool = False) -> SamplingEngine:
        """A sampling engine that continues from the fitted attributes."""
        raise NotImplementedError

    def _train(self, n_sweeps: int, on_sweep: OnSweep | None = None, backend: Any = None, resume: bool = False) -> None:
        """Run sweeps and set the fitted attributes."""
        raise NotImplementedError

    def _store_results(self, results: Sequence[SamplingResults]) -> None:
        """Set the fitted attributes; ``results`` has one entry for each set of topics that the engine trained."""
        raise NotImplementedError

    def _fit_baseline(self, on_sweep: OnSweep | None) -> BatchTopicModel:
        """The same training without knowledge."""
        raise NotImplementedError

    def _diagnostics(self) -> list[str]:
        """Warnings about the fitted topics."""
        return []

    # ------------------------------------------------------------------ what follows

    @rollback_on_error
    def resume(self: Model, n_sweeps: int = 50, *, on_sweep: OnSweep | None = None) -> Model:
        """Run more sweeps.

        100 sweeps of ``fit`` and 50 of ``resume`` give the same model as 150 sweeps of ``fit``. You may change
        ``knowledge`` in between: the new knowledge applies from here on, and topics keep their numbers.

        Parameters
        ----------
        n_sweeps : int
            Number of further sweeps.
        on_sweep : callable, optional
            Called after each sweep, as in ``fit``.

        Returns
        -------
        self

        Examples
        --------
        >>> import topicwright as tw
        >>> lda = tw.LDA(n_topics=2, n_sweeps=10).fit([[2, 0, 1], [0, 3, 1]])
        >>> lda.resume(5).sweeps_
        15
        """
        check_is_fitted(self)
        self._require_corpus("resume")
        check_integer("n_sweeps", n_sweeps, 1)
        self._set_knowledge(self._recompile_knowledge())
        self._train(n_sweeps, on_sweep)
        return self

    @suggest_keywords()
    def knowledge_report(self, before: Any = True, *, on_sweep: OnSweep | None = None) -> KnowledgeReport:
        """Report how well the topics satisfy each link, seed and label, compared with a model without knowledge.

        The report gives advice on single items, and says what knowledge cost the model in perplexity and coherence.
        :class:`~topicwright.knowledge.KnowledgeReport` explains the figures.

        Parameters
        ----------
        before : bool or fitted model
            True trains the same model without knowledge, which takes as long as the first training; the result is kept
            for the next call. A model trained on the same corpus is compared with as it is. False leaves the comparison
            out.
        on_sweep : callable, optional
            Called after each sweep of that training, as in ``fit``.

        Returns
        -------
        KnowledgeReport

        Examples
        --------
        >>> import topicwright as tw
        >>> texts = ["ship sails", "boat sails", "bread bakes", "loaf bakes"] * 10
        >>> lda = tw.LDA(n_topics=2, knowledge=[tw.MustLinks([("ship", "boat")])], n_sweeps=50).fit(texts)
        >>> print(lda.knowledge_report(before=False).rows[0].what)
        boat – ship
        """
        check_is_fitted(self)
        return build_report(self, before, on_sweep)

    # ------------------------------------------------------------------ names of topics

    @property
    def topic_names_(self) -> list[str] | None:
        """Name of each topic, or None if no topic has a name. A topic without one is called by its number."""
        return self._topic_names

    @topic_names_.setter
    def topic_names_(self, names: Sequence[str | None] | None) -> None:
        names = [None] * len(self.alpha_) if names is None else names
        if isinstance(names, str) or len(names) != len(self.alpha_):
            expected = f"a list of {len(self.alpha_)} names"
            raise InputError(parameter="topic_names_", expected=expected, got=names)
        rename_topics(self, {k: name for k, name in enumerate(names) if name != topic_name_of(self, k)})

    def rename_topics(self: Model, names: Mapping[int | str, str | None]) -> Model:
        """Give topics names, or other names.

        The topics stay as they are. Names are saved with the model, and stand for the topics in plots, reports, the
        command line and ``get_feature_names_out``. They become part of ``knowledge``, as :class:`TopicNames`.

        Parameters
        ----------
        names : mapping
            New name of each topic, by its number or its present name. None removes a name. Labels and the names of
            seeds, which knowledge refers to, can't be changed.

        Returns
        -------
        self

        Examples
        --------
        >>> import topicwright as tw
        >>> lda = tw.LDA(n_topics=3, n_sweeps=5).fit(["ship sails", "bread bakes"] * 5)
        >>> lda.rename_topics({1: "sea"}).topic_names_
        ['0', 'sea', '2']
        >>> lda.get_feature_names_out().tolist()
        ['lda0', 'sea', 'lda2']
        """
        check_is_fitted(self)
        rename_topics(self, names)
        return self

    def _document_knowledge(self) -> DocumentKnowledge:
        compiled = self.fit_state_.compiled
        factors, shared = compiled.document_factors, compiled.shared_document_counts
        docs = rows_from_csr(self.doc_topic_counts_) if factors or shared is not None else None
        return DocumentKnowledge(docs, factors, compiled.allowed_topics, shared)

    def _set_knowledge(self, state: FitState) -> None:
        """Train with this knowledge from now on; results stay as they are."""
        compiled, previous = state.compiled, self.__dict__.get("fit_state_")
        if compiled.word_priors is not None and isinstance(self.beta, str):
            raise InputError(
                "`beta` cannot be learned with KnownTopics, which add to it: pass a number",
                parameter="beta",
                got=self.beta,
            )
        self.fit_state_ = state if previous is None else state._replace(snapshot=previous.snapshot)
        self._topic_names = FixedList(compiled.topics.names()) if compiled.topics.numbers else None
        self.word_prior_ = (
            None if compiled.word_priors is None else word_priors_to_csr(compiled.word_priors, compiled.topics.n_topics)
        )

    @property
    def _snapshot(self) -> TopicSnapshot:
        snapshot = self.fit_state_.snapshot
        if snapshot is None:
            raise AttributeError(f"this {type(self).__name__} has no topics of its own")
        return snapshot
