"""MedLDA regressor as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from ..._utils.signatures import suggest_keywords
from ..._utils.validation import check_integer, check_positive
from ...errors import InputError
from ...losses.base import REGRESSION, Loss, make_loss
from .._explanations import Description, Explanation, explain_task, heaviest_topics
from .._inputs import (
    Floats,
    ScaledTargets,
    Tasks,
    as_floats,
    check_known,
    encode_numbers,
    training_corpus,
    warn_of_many_topics,
)
from .._training import OnSweep, check_backend, rollback_on_error
from .base import MedLDABase

if TYPE_CHECKING:
    from ...io import ModelFile


class MedLDARegressor(RegressorMixin, MedLDABase):  # type: ignore[misc]
    """MedLDA regressor: topics and a support vector regression on topics and words (Gibbs MedLDA).

    Every target has one weight per topic and one per word. The prediction for a document is the mean weight of its
    tokens' topics, plus the weights of its words. The words and the losses of all targets determine the topics
    together. Targets are standardized for training and predictions are scaled back: ``C`` and ``epsilon`` are in units
    of the standard deviation of a target.

    Parameters
    ----------
    n_topics : int
        Number of topics.
    loss : {"epsilon_insensitive", "squared"} or a loss
        Loss function; see :mod:`topicwright.losses`.
    C : float
        Weight of the loss relative to the words. Longer documents need more: 10 to 30 for a few hundred words.
    epsilon : float
        Largest error without a loss.
    alpha, beta, nu, knowledge, sampler, mh_steps, weight_sweeps, word_weights, refit
        As in :class:`MedLDAClassifier`.
    n_sweeps, n_jobs, random_state, evaluate_every
        As in :class:`LDA`.

    Attributes
    ----------
    coef_ : array of shape (n_topics,), or (n_targets, n_topics) if y has columns
        Weights of the topics in the units of the targets. A prediction is ``intercept_ + shares @ coef_.T`` with the
        shares of the topics in the tokens of a document, plus the part of the words.
    intercept_ : float, or array of shape (n_targets,)
        Intercept; without word weights the mean of the known targets, which is also the prediction for a document
        without any known word.
    word_coef_ : array like ``coef_`` with one column per word, or None
        Weights of the words if they have weights. They apply to TF-IDF vectors of length 1.
    topic_word_, doc_topic_, …
        As in :class:`LDA`.

    Examples
    --------
    >>> import topicwright as tw
    >>> texts = ["ship sails sea", "boat sea storm", "bread oven flour", "flour butter bread"] * 10
    >>> model = tw.MedLDARegressor(n_topics=4, C=16, n_sweeps=20).fit(texts, [1.0, 1.0, 5.0, 5.0] * 10)
    >>> low, high = model.predict(["storm ship", "butter oven"])
    >>> bool(low < 3 < high)
    True
    """

    @suggest_keywords()
    def __init__(
        self,
        n_topics: int = 40,
        *,
        loss: Any = "epsilon_insensitive",
        C: float = 16.0,
        epsilon: float = 1e-3,
        alpha: float | Iterable[float] | None = None,
        beta: float | Iterable[float] = 0.1,
        nu: float = 1.0,
        knowledge: Any = (),
        sampler: str = "auto",
        mh_steps: int = 4,
        weight_sweeps: int = 2,
        word_weights: bool | float | str = "auto",
        refit: bool = True,
        n_sweeps: int = 50,
        n_jobs: int | None = 1,
        random_state: Any = 0,
        evaluate_every: int = 0,
    ) -> None:
        self.n_topics = n_topics
        self.loss = loss
        self.C = C
        self.epsilon = epsilon
        self.alpha = alpha
        self.beta = beta
        self.nu = nu
        self.knowledge = knowledge
        self.sampler = sampler
        self.mh_steps = mh_steps
        self.weight_sweeps = weight_sweeps
        self.word_weights = word_weights
        self.refit = refit
        self.n_sweeps = n_sweeps
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.evaluate_every = evaluate_every

    # ------------------------------------------------------------------ training

    @rollback_on_error
    @suggest_keywords()
    def fit(
        self, X: Any, y: Any = None, *, on_sweep: OnSweep | None = None, backend: Any = None, resume: bool = False
    ) -> MedLDARegressor:
        """Learn topics and weights from documents and numbers.

        Parameters
        ----------
        X : list of str, list of list of str, Corpus, or matrix of counts
            Documents.
        y : array of shape (n_docs,) or (n_docs, n_targets), optional
            One number or several for each document. NaN marks unknown values. By default the targets of a Corpus.
        on_sweep, backend, resume
            As in :meth:`LDA.fit`.

        Returns
        -------
        self
        """
        check_backend(backend, resume)
        self._check_parameters()
        corpus = training_corpus(self, X)
        warn_of_many_topics(self.n_topics, corpus)
        if y is None and corpus.targets is None:
            name = type(self).__name__
            raise InputError(
                f"{name} requires y to be passed, but the target y is None, and X has no targets", parameter="y"
            )
        scaled = encode_numbers(corpus.targets if y is None else y, corpus.n_docs)
        self._set_scale(scaled)
        self._prepare_fit(corpus, Tasks(scaled.targets))
        self._train(self.n_sweeps, on_sweep, backend, resume)
        return self

    def _set_scale(self, scaled: ScaledTargets) -> None:
        self._center, self._scale, self._is_flat = scaled.center, scaled.scale, scaled.is_flat

    def _loss_object(self) -> Loss:
        cost, epsilon = check_positive("C", self.C), check_positive("epsilon", self.epsilon)
        return make_loss(self.loss, REGRESSION, cost=cost, epsilon=epsilon)

    def _name_weights(self) -> None:
        coef = self._weights.topics * self._scale[:, None]
        self.coef_ = coef[0] if self._is_flat else coef
        intercept = self._center + self._scale * self._intercepts
        self.intercept_ = float(intercept[0]) if self._is_flat else intercept
        words = None if self._idf is None else self._weights.words * self._scale[:, None]
        self.word_coef_ = words[0] if self._is_flat and words is not None else words

    def _quality(self, scores: Floats, targets: Floats) -> float:
        return -float(np.nanmean((scores - targets) ** 2))

    def _default_word_nu(self) -> float:
        return 2 * float(self.C)

    # ------------------------------------------------------------------ predictions

    def predict(self, X: Any) -> Floats:
        """Predict the targets of documents.

        Parameters
        ----------
        X : list of str, list of list of str, Corpus, or matrix of counts
            Documents.

        Returns
        -------
        array of shape (n_docs,) or (n_docs, n_targets)
            Predictions in the units of y.
        """
        check_is_fitted(self)
        values = self._center + self._scale * self._scores(X)
        return values[:, 0] if self._is_flat else values

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """R² of the predictions, averaged over the targets; unknown values of y do not count.

        Parameters
        ----------
        X : list of str, list of list of str, Corpus, or matrix of counts
            Documents.
        y : array of shape (n_docs,) or (n_docs, n_targets)
            Targets.
        sample_weight : array of shape (n_docs,), optional
            Weights of the documents.

        Returns
        -------
        float
        """
        if y is None:
            raise InputError("score needs `y`, the targets of the documents", parameter="y")
        from sklearn.metrics import r2_score

        targets, predicted = (rows.reshape(len(rows), -1) for rows in (as_floats(y), self.predict(X)))
        if targets.shape != predicted.shape:
            raise InputError(parameter="y", expected=f"of shape {predicted.shape}", got=targets.shape)
        check_known(targets)
        weights = np.ones(len(targets)) if sample_weight is None else np.asarray(sample_weight)
        check_consistent_length(targets, weights)
        known = enumerate(~np.isnan(targets).T)
        scores = [r2_score(targets[rows, k], predicted[rows, k], sample_weight=weights[rows]) for k, rows in known]
        return float(np.mean(scores))

    def explain(self, document: Any, top: int = 10) -> Explanation:
        """Explain the predictions for a document by its topics and words.

        Parameters
        ----------
        document : str, list of str, or row of counts
            One document.
        top : int
            Number of topics and of words per target.

        Returns
        -------
        Explanation

        Examples
        --------
        >>> import topicwright as tw
        >>> texts = ["ship sails sea", "boat sea storm", "bread oven flour", "flour butter bread"] * 10
        >>> model = tw.MedLDARegressor(n_topics=4, n_sweeps=20).fit(texts, [1.0, 1.0, 5.0, 5.0] * 10)
        >>> reasons = model.explain("bread flour bread").reasons[0]
        >>> reasons.what, reasons.words[0].word, reasons.words[0].contribution > 0
        ('y', 'bread', True)
        """
        check_is_fitted(self)
        return Explanation(explain_task(self, document, self._names(), self._center, self._scale, top))

    def describe(self, n_words: int = 8, n_topics: int = 5) -> Description:
        """Describe each target by the topics that raise it most and those that lower it most.

        Parameters
        ----------
        n_words : int
            Number of words per topic.
        n_topics : int
            Number of topics in each direction.

        Returns
        -------
        Description
        """
        check_is_fitted(self)
        check_integer("n_topics", n_topics, 1)
        topics = {}
        for name, row in zip(self._names(), np.atleast_2d(self.coef_)):
            topics[f"higher {name}"] = heaviest_topics(self, row, n_words, n_topics)
            lowering = heaviest_topics(self, -row, n_words, n_topics)
            topics[f"lower {name}"] = [topic._replace(weight=-topic.weight) for topic in lowering]
        return Description(topics)

    def _names(self) -> list[str]:
        return ["y"] if self._is_flat else [f"y[{column}]" for column in range(len(self._center))]

    # ------------------------------------------------------------------ files and scikit-learn

    def save(self, path: Any, *, include_corpus: bool = True) -> None:
        """Write the model to one file; see :meth:`LDA.save`."""
        from .persistence import write_regressor

        check_is_fitted(self)
        write_regressor(self, path, include_corpus)

    @classmethod
    def from_file(cls, file: ModelFile) -> MedLDARegressor:
        """Model from an open model file; see :func:`topicwright.load`."""
        from .persistence import read_regressor

        return read_regressor(cls, file)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
