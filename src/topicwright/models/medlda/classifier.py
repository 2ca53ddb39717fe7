"""MedLDA classifier as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..._utils.signatures import suggest_keywords
from ..._utils.validation import check_choice, check_integer, check_positive
from ...losses.base import CLASSIFICATION, Loss, loss_class, make_loss
from .._classification import ClassPredictionMixin, Decisions, given_classes, of_both_classes
from .._explanations import Description, Explanation, explain_task, heaviest_topics
from .._inputs import (
    CLASSES,
    EncodedClasses,
    Floats,
    Tasks,
    cost_weights,
    encode_labels,
    own_labels,
    training_corpus,
    warn_of_many_topics,
)
from .._training import OnSweep, check_backend, rollback_on_error
from .base import mean_length
from .calibration import calibrate
from .one_vs_rest import SHARED, STRATEGIES, OneVsRestMixin

if TYPE_CHECKING:
    from ...io import ModelFile


_MARGIN, _MARGIN_OF_LABELS, _MARGIN_SHARE = (
    64.0,
    8.0,
    0.4,
)  # default margin: at most this share of the mean document length
_COST, _MOST_COST, _COST_OF_LOGISTIC = 1.6, 50.0, 50.0  # default C


def _is_probabilistic(model: MedLDAClassifier) -> bool:
    return hasattr(loss_class(model.loss), "probability")


def _has_probabilities(model: MedLDAClassifier) -> bool:
    return getattr(model, "calibrated_", model.calibrate) or _is_probabilistic(model)


class MedLDAClassifier(ClassPredictionMixin, OneVsRestMixin):
    """MedLDA classifier: topics and a max-margin or logistic classifier on topics and words (Gibbs MedLDA).

    Every class is a task with one weight per topic and one per word. The score of a document is the mean weight of its
    tokens' topics, plus the weights of its words. The words and the losses of all tasks determine the topics together.
    Documents without a class also contribute to the topics. The same seed gives the same result with any number of
    threads.

    Parameters
    ----------
    n_topics : int
        Number of topics. Use at least as many as classes.
    loss : {"hinge", "logistic"} or a loss
        Loss function. See :mod:`topicwright.losses`.
    C : float or None
        Weight of the loss relative to the words. None for 1.6, or more if classes have few documents: 10 times the
        margin divided by the mean number of documents per class, up to 50. With "logistic", None for 50.
    margin : float or None
        Margin of the hinge loss. With a larger margin, topics follow the classes more closely and the words less. None
        for 64, or 0.4 times the mean document length if that is less; if documents may have several labels, most of
        which are rare, None for 8.
    strategy : {"shared", "one-vs-rest"}
        One set of topics for all classes, or one model with its own topics per class (``estimators_``).
    alpha : float, array of shape (n_topics,), or None
        Prior of topics in a document. None for a sum of 32, or 0.4 times the mean document length if that is less.
    beta : float or array of shape (n_words,)
        Prior of words in a topic.
    nu : float
        Precision of the prior of the weights. A larger value keeps weights smaller.
    knowledge : sequence
        Knowledge about words and documents, as in :class:`LDA`.
    class_weight : dict, "balanced" or None
        Weights of the classes in the loss. With several labels per document, the weight of a label applies to the
        documents that have it.
    sampler : {"auto", "compositional", "dense"}
        Metropolis steps, whose cost does not grow with the number of topics, or exact draws. "auto" chooses by
        ``n_topics``.
    mh_steps : int
        Number of Metropolis steps per token. More steps are slower and more exact per sweep; 2 to 6 work well.
    weight_sweeps : int
        Number of times that weights are sampled in each sweep.
    word_weights : "auto", bool or float
        Whether words have weights too. Topics are then sampled given how words alone predict each training document
        from the others, and after the last sweep a convex solve finds the weights of topics and words together. Its
        penalty is chosen on left-out training documents; a number is the penalty itself, 1 / C of a linear SVM. False
        gives the model of the paper. "auto" is True for the losses of this package and False for a loss that does not
        have the attribute ``dual``. With such a loss, word weights are sampled, and a number is the precision of their
        prior.
    refit : bool
        Whether to find the weights of topics after the last sweep, given shares of topics that are inferred from the
        words of a training document only, as for new documents. Otherwise they are a mean over sweeps in which later
        sweeps count more.
    calibrate : bool
        Whether to turn scores into log-odds, from the scores that training documents have by weights found without
        them. This gives probabilities with any loss, corrects the balance of the classes, and chooses a threshold for
        each label. If False, scores are in units of the margin.
    n_sweeps, n_jobs, random_state, evaluate_every
        As in :class:`LDA`.

    Attributes
    ----------
    classes_ : array
        Classes or labels, sorted.
    multilabel_ : bool
        Whether documents may have several labels.
    coef_ : array of shape (n_tasks, n_topics)
        Weights of the topics: one task for two classes, otherwise one per class. A score is ``intercept_ + shares @
        coef_.T`` with the shares of the topics in the tokens of a document, plus the part of the words.
    intercept_ : array of shape (n_tasks,)
        Intercepts, which documents without any known word do not receive; 0 without word weights and calibration.
    word_coef_ : array of shape (n_tasks, n_words), or None
        Weights of the words if they have weights. They apply to TF-IDF vectors of length 1.
    C_, margin_ : float
        C and margin, as given or chosen.
    calibrated_ : bool
        Whether scores are log-odds.
    thresholds_ : array of shape (n_tasks,)
        Score above which a label is predicted, if documents may have several: the best for F1 if scores are log-odds,
        otherwise 0.
    estimators_ : list of MedLDAClassifier
        Model of each task with "one-vs-rest". Only these have topics and weights then.
    topic_word_, doc_topic_, …
        As in :class:`LDA`.

    Examples
    --------
    >>> import topicwright as tw
    >>> texts = ["ship sails sea", "boat sea storm", "bread oven flour", "flour butter bread"] * 10
    >>> model = tw.MedLDAClassifier(n_topics=4, n_sweeps=20).fit(texts, ["sea", "sea", "kitchen", "kitchen"] * 10)
    >>> model.predict(["storm ship", "butter oven"]).tolist()
    ['sea', 'kitchen']
    """

    classes_: NDArray[Any]
    multilabel_: bool
    _form: str

    @suggest_keywords()
    def __init__(
        self,
        n_topics: int = 40,
        *,
        loss: Any = "hinge",
        C: float | None = None,
        margin: float | None = None,
        strategy: str = SHARED,
        alpha: float | Iterable[float] | None = None,
        beta: float | Iterable[float] = 0.1,
        nu: float = 1.0,
        knowledge: Any = (),
        class_weight: Any = None,
        sampler: str = "auto",
        mh_steps: int = 4,
        weight_sweeps: int = 2,
        word_weights: bool | float | str = "auto",
        refit: bool = True,
        calibrate: bool = True,
        n_sweeps: int = 50,
        n_jobs: int | None = 1,
        random_state: Any = 0,
        evaluate_every: int = 0,
    ) -> None:
        self.n_topics = n_topics
        self.loss = loss
        self.C = C
        self.margin = margin
        self.strategy = strategy
        self.alpha = alpha
        self.beta = beta
        self.nu = nu
        self.knowledge = knowledge
        self.class_weight = class_weight
        self.sampler = sampler
        self.mh_steps = mh_steps
        self.weight_sweeps = weight_sweeps
        self.word_weights = word_weights
        self.refit = refit
        self.calibrate = calibrate
        self.n_sweeps = n_sweeps
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.evaluate_every = evaluate_every

    # ------------------------------------------------------------------ training

    @rollback_on_error
    @suggest_keywords()
    def fit(
        self, X: Any, y: Any = None, *, on_sweep: OnSweep | None = None, backend: Any = None, resume: bool = False
    ) -> MedLDAClassifier:
        """Learn topics and weights from documents and their classes.

        Parameters
        ----------
        X : list of str, list of list of str, Corpus, or matrix of counts
            Documents.
        y : list, array or indicator matrix, optional
            Class of each document, or its labels as a list or as a row of 0 and 1. None and NaN mark unknown values. By
            default the labels of a Corpus; a document without labels is unknown.
        on_sweep, backend, resume
            As in :meth:`LDA.fit`.

        Returns
        -------
        self
        """
        check_backend(backend, resume)
        self._check_parameters()
        check_choice("strategy", self.strategy, STRATEGIES)
        corpus = training_corpus(self, X)
        warn_of_many_topics(self.n_topics, corpus)
        encoded = encode_labels(own_labels(corpus, type(self).__name__) if y is None else y, corpus.n_docs)
        weights = cost_weights(self.class_weight, encoded)
        self._set_classes(encoded)
        usual = _MARGIN_OF_LABELS if self.multilabel_ else _MARGIN
        self.margin_ = min(usual, _MARGIN_SHARE * mean_length(corpus)) if self.margin is None else float(self.margin)
        self.C_ = self._default_cost(encoded.targets) if self.C is None else float(self.C)
        self._prepare_fit(corpus, Tasks(encoded.targets, weights))
        self._train(self.n_sweeps, on_sweep, backend, resume)
        return self

    def _set_classes(self, encoded: EncodedClasses) -> None:
        self.classes_ = encoded.classes
        self._form = encoded.form
        self.multilabel_ = encoded.form != CLASSES
        self.calibrated_, self.thresholds_ = False, np.zeros(encoded.targets.shape[1])

    def _loss_object(self) -> Loss:
        cost = getattr(self, "C_", _COST) if self.C is None else check_positive("C", self.C)
        if self.margin is not None:
            check_positive("margin", self.margin)
        margin = getattr(self, "margin_", _MARGIN)
        return make_loss(self.loss, CLASSIFICATION, cost=cost, margin=margin)

    def _default_cost(self, targets: Floats) -> float:
        """C with which the loss of the documents of a class outweighs the prior of its weights."""
        if _is_probabilistic(self):
            return _COST_OF_LOGISTIC
        n_tasks = targets.shape[1]
        of_class = (np.sum(targets > 0) if n_tasks > 1 else np.sum(~np.isnan(targets)) / 2) / n_tasks
        return float(np.clip(10 * self.margin_ / max(1.0, of_class), _COST, _MOST_COST))

    def _quality(self, scores: Floats, targets: Floats) -> float:
        """Accuracy, or micro F1 if documents may have several labels: the best of all thresholds, if one is chosen."""
        known = ~np.isnan(targets)
        if not self.multilabel_ and targets.shape[1] > 1:
            return float(np.mean(scores.argmax(axis=1) == np.nan_to_num(targets, nan=-1.0).argmax(axis=1)))
        if not self.multilabel_:
            return float(np.mean((scores > 0) == (targets > 0)))
        if self.calibrate:
            order = np.argsort(-scores[known], kind="stable")
            found = np.cumsum((targets > 0)[known][order])
            return float(np.max(2 * found / (np.arange(1, len(found) + 1) + found[-1]), initial=0.0))
        given, right = given_classes(scores, scores > 0, several=True) & known, targets > 0
        return 2.0 * float(np.sum(given & right)) / max(1.0, float(np.sum(given) + np.sum(right)))

    def _refit(self) -> None:
        super()._refit()
        found = calibrate(self._left_out_scores(), self._tasks, multilabel=self.multilabel_) if self.calibrate else None
        self.calibrated_, self.thresholds_ = found is not None, np.zeros(self._tasks.targets.shape[1])
        if found is not None:
            self._rescale(found.slopes, found.offsets)
            self.thresholds_ = found.thresholds

    def _default_word_nu(self) -> float:
        return self.C_ / 10 if _is_probabilistic(self) else 2 * self.C_ / self.margin_

    # ------------------------------------------------------------------ predictions

    def decision_function(self, X: Any) -> Floats:
        """Scores of the classes.

        Parameters
        ----------
        X : list of str, list of list of str, Corpus, or matrix of counts
            Documents.

        Returns
        -------
        array of shape (n_docs,) or (n_docs, n_classes)
            Log-odds if the model is calibrated. For two classes one score, which is positive for the second class. All
            scores of a document without a known word are 0.
        """
        check_is_fitted(self)
        scores = self._scores(X)
        return scores[:, 0] if self._is_binary() else scores

    def decide(self, X: Any) -> Decisions:
        """Score of each class for each document, and which classes are predicted.

        Parameters
        ----------
        X : list of str, list of list of str, Corpus, or matrix of counts
            Documents.

        Returns
        -------
        Decisions
            ``values``, probabilities, or scores if the model has none; and ``given``, a boolean array of the same
            shape. If documents may have several labels, those with scores above ``thresholds_`` are predicted, and
            always the best.
            A document without a known word has NaN for all classes, and none is predicted.
        """
        return super().decide(X)

    def _decide(self, X: Any) -> tuple[Decisions, NDArray[np.int64]]:
        check_is_fitted(self)
        documents = self._documents(X)
        scores = of_both_classes(self._scores_of(documents), len(self.classes_))
        given = given_classes(scores, scores > self.thresholds_, several=self.multilabel_)
        values = self._probabilities(scores) if _has_probabilities(self) else scores
        return Decisions(values, given), np.diff(documents.offsets)

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the classes; needs ``calibrate=True`` or the logistic loss.

        Parameters
        ----------
        X : list of str, list of list of str, Corpus, or matrix of counts
            Documents.

        Returns
        -------
        array of shape (n_docs, n_classes)
            Rows sum to 1, unless documents may have several labels.
        """
        check_is_fitted(self)
        return self._probabilities(of_both_classes(self._scores(X), len(self.classes_)))

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name == "predict_proba":  # refused by available_if
                raise AttributeError(
                    f"predict_proba needs probabilities, which loss={self.loss!r} does not have by itself: train with "
                    "calibrate=True, or see decision_function"
                )
            return super().__getattr__(name)

    def _probabilities(self, scores: Floats) -> Floats:
        if self.calibrated_:
            by_class = not self.multilabel_ and len(self.classes_) > 2
            return np.asarray(softmax(scores, axis=1) if by_class else expit(scores))
        probabilities = loss_class(self.loss).probability(scores)
        return (
            probabilities if self.multilabel_ else np.asarray(probabilities / probabilities.sum(axis=1, keepdims=True))
        )

    # ------------------------------------------------------------------ explanations

    def explain(self, document: Any, top: int = 10, *, n_labels: int | None = None) -> Explanation:
        """Explain the scores of a document by its topics and words.

        Parameters
        ----------
        document : str, list of str, or row of counts
            One document.
        top : int
            Number of topics, of words for and of words against each class.
        n_labels : int, optional
            Number of classes or labels, the best first. By default the predicted ones and their strongest rival.

        Returns
        -------
        Explanation
            Classes by decreasing score. None for a document without a known word.

        Examples
        --------
        >>> import topicwright as tw
        >>> texts = ["ship sails sea", "boat sea storm", "bread oven flour", "flour butter bread"] * 10
        >>> model = tw.MedLDAClassifier(n_topics=4, n_sweeps=20).fit(texts, ["sea", "sea", "kitchen", "kitchen"] * 10)
        >>> best, rival = model.explain("ship sea ship bread").reasons
        >>> best.what, best.score > 0, best.words_for[0].word, best.words_against[0].word
        ('sea', True, 'ship', 'bread')
        >>> rival.what, rival.score == -best.score
        ('kitchen', True)
        """
        check_is_fitted(self)
        names, ones = self.classes_.tolist(), self._estimators()
        if n_labels is not None:
            check_integer("n_labels", n_labels, 1)
        own = names[1:] if self._is_binary() else names
        if not ones:
            reasons = explain_task(self, document, own, np.zeros(len(own)), np.ones(len(own)), top)
        else:
            parts = [explain_task(one, document, [name], np.zeros(1), np.ones(1), top) for one, name in zip(ones, own)]
            reasons = [one for part in parts for one in part]
        if self._is_binary():
            reasons = [reasons[0].negated(names[0]), *reasons]
        if not reasons[0].words:
            return Explanation([])
        if _has_probabilities(self):
            (row,) = self._probabilities(np.array([[one.score for one in reasons]]))
            reasons = [one._replace(probability=p) for one, p in zip(reasons, row.tolist())]
        if n_labels is None:
            n_predicted = int(np.sum(np.array([one.score for one in reasons]) > self.thresholds_))
            n_labels = 1 + (max(1, n_predicted) if self.multilabel_ else 1)
        return Explanation(sorted(reasons, key=lambda one: -one.score)[:n_labels])

    def describe(self, n_words: int = 8, n_topics: int = 5) -> Description:
        """Describe each class by the topics with the largest weights.

        Parameters
        ----------
        n_words : int
            Number of words per topic.
        n_topics : int
            Number of topics per class.

        Returns
        -------
        Description
        """
        check_is_fitted(self)
        check_integer("n_topics", n_topics, 1)
        ones = self._estimators() or [self] * len(self.coef_)
        rows = [one.coef_[0] for one in ones] if self._estimators() else list(self.coef_)
        if self._is_binary():
            ones, rows = ones * 2, [-rows[0], rows[0]]
        names = self.classes_.tolist()
        return Description(
            {name: heaviest_topics(one, row, n_words, n_topics) for name, one, row in zip(names, ones, rows)}
        )

    def _is_binary(self) -> bool:
        return len(self.classes_) == 2 and not self.multilabel_

    # ------------------------------------------------------------------ files and scikit-learn

    def save(self, path: Any, *, include_corpus: bool = True) -> None:
        """Write the model to one file; see :meth:`LDA.save`. Classes must be text, numbers or booleans."""
        from .persistence import write_classifier

        check_is_fitted(self)
        write_classifier(self, path, include_corpus)

    @classmethod
    def from_file(cls, file: ModelFile) -> MedLDAClassifier:
        """Model from an open model file; see :func:`topicwright.load`."""
        from .persistence import read_classifier

        return read_classifier(cls, file)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
