"""Labeled LDA as a scikit-learn estimator."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..._sampling.engine import SamplingEngine, SamplingProblem, SamplingResults
from ..._sampling.inference import TokenBatch
from ..._sampling.initialization import topics_of_labeled
from ..._utils.formatting import pluralize
from ..._utils.signatures import suggest_keywords
from ..._utils.validation import check_choice, check_integer, check_positive, initial_alpha, initial_beta
from ..._utils.warnings import warn
from ...corpus import Corpus
from ...corpus.corpus import replace_metadata
from ...corpus.vocabulary import take_documents
from ...errors import InputError, TopicwrightWarning
from ...io import ModelFields, ModelFile, corpus_from_fields, write_model
from ...knowledge import CompiledKnowledge, DocumentLabels, TopicNames
from ...knowledge.base import UnavailableKnowledge
from ...knowledge.compiler import topics_mentioned
from ...knowledge.priors import add_document_priors
from .._inputs import CLASSES, INDICATOR, LISTS, Floats, as_array, own_labels, training_corpus
from .._knowledge import as_list, attach
from .._persistence import (
    MOST,
    classes_from_fields,
    classes_to_arrays,
    common_to_arrays,
    earlier_from_fields,
    knowledge_from_fields,
    one_or_all,
    priors_from_fields,
    progress_from_fields,
    progress_to_meta,
    topics_from_fields,
    topics_to_arrays,
    whole_or_none,
)
from .._training import OnSweep, Sweep, check_backend, rollback_on_error, run_training, start_engine
from ..batch import BatchTopicModel
from ..fit_state import FitState, build_problem, reset_fit_state, store_topics
from ..lda import LDA, fit_plain_lda
from ..update.inputs import insert_topics, kept_knowledge, replace_documents
from ..update.report import UpdateReport
from ..update.run import UPDATE_SWEEPS, update_model
from .inference import AllowedLabels, documents_to_learn_from
from .prediction import AUTO, PRIORS, WORDS, LabelPredictionMixin, check_threshold
from .regression import (
    LabelRegression,
    continue_label_regression,
    fit_label_regression,
    regression_from_fields,
    regression_to_arrays,
)
from .targets import EncodedLabels, encode_label_sets, topic_names


def compile_with_labels(model: LabeledLDA, numbers: Mapping[str, int], issued: Mapping[str, Any]) -> FitState:
    """Labels of the documents and further knowledge, compiled; warnings ``issued`` before are not repeated."""
    further = as_list(model.knowledge)
    _check_names(further, model.corpus_, numbers)
    items = [DocumentLabels(background=model._n_background, pull=0.0), *further]
    state = attach(items, model.corpus_, len(numbers), numbers, issued)
    labeled = np.array([bool(own) for own in model.corpus_.labels or ()], dtype=bool)
    if labeled.all() or not model.corpus_.n_tokens:
        return state
    return state._replace(compiled=_with_predicted_labels(model, state.compiled, labeled))


def _with_predicted_labels(
    model: LabeledLDA, compiled: CompiledKnowledge, labeled: NDArray[np.bool_]
) -> CompiledKnowledge:
    """Knowledge with a prior of the labels in each unlabeled document: those that labeled documents alone predict.

    Without it, unlabeled documents turn the topic of a rare label into a part of a frequent one: it explains their
    words better than what the few documents of the rare label are about.
    """
    from scipy.sparse import csr_array, vstack

    corpus, n_topics = model.corpus_, len(model.alpha_)
    beta = initial_beta(model.beta, corpus.n_words)  # not the learned one, so that training resumes with the same prior
    problem = SamplingProblem(
        corpus.tokens, corpus.offsets, corpus.n_words, n_topics, model.alpha_, beta, model.seed_, compiled
    )._replace(earlier=model.earlier_)
    inference = model._inference_with(topics_of_labeled(problem, labeled))
    lengths, step, parts = corpus.doc_lengths(), max(1, _MOST_SHARES // n_topics), []
    for first in range(0, corpus.n_docs, step):
        rows = np.arange(first, min(first + step, corpus.n_docs))
        unlabeled = rows[~labeled[rows]]
        theta = np.zeros((len(rows), n_topics))
        if len(unlabeled):
            documents = TokenBatch(*take_documents(corpus.tokens, corpus.offsets, unlabeled))
            own = inference.infer(documents, [AllowedLabels()] * len(unlabeled))
            theta[unlabeled - first] = own if model.multilabel_ else _with_one_label(own, len(model.classes_))
        theta[theta < _LEAST_SHARE] = 0.0
        parts.append(csr_array(theta * (PREDICTION_WEIGHT * lengths[rows, np.newaxis])))
    priors = add_document_priors(compiled.document_priors, vstack(parts, format="csr"))
    return compiled._replace(document_priors=priors)


def _with_one_label(theta: Floats, n_labels: int) -> Floats:
    """θ with the shares of all labels given to the best one."""
    best, own = theta[:, :n_labels].argmax(axis=1), theta.copy()
    own[:, :n_labels] = 0.0
    own[np.arange(len(own)), best] = theta[:, :n_labels].sum(axis=1)
    return own


def _check_names(items: Sequence[Any], corpus: Corpus, numbers: Mapping[str, int]) -> None:
    for item in items:
        for topic in topics_mentioned(item, corpus):
            if isinstance(topic, str) and topic not in numbers:
                raise InputError(
                    parameter="knowledge",
                    expected="about labels or background topics",
                    got=topic,
                    hint="no document has this label",
                )


def label_likelihood_offset(corpus: Corpus, numbers: Mapping[str, int], n_background: int, alpha: Floats) -> float:
    """Difference between log p(w, z) per token given the labels and the likelihood that the engine computes.

    The engine computes it as if every document might use all topics; the difference does not depend on z.
    """
    from scipy.special import gammaln

    in_background = float(alpha[len(alpha) - n_background :].sum())
    of_doc = np.full(corpus.n_docs, float(alpha.sum()))
    for row, labels in enumerate(corpus.labels or ()):
        if labels:
            own = {numbers[label] for label in labels}
            of_doc[row] = in_background + sum(float(alpha[k]) for k in own if k < len(alpha) - n_background)
    lengths, total = corpus.doc_lengths(), float(alpha.sum())
    missing = gammaln(of_doc) - gammaln(of_doc + lengths) - gammaln(total) + gammaln(total + lengths)
    return float(missing.sum()) / max(1, corpus.n_tokens)


class ConvergenceMonitor:
    """Callback that ends training once the likelihood given the labels rises by less than ``tol``."""

    def __init__(self, shift: float, tol: float | None, before: float | None, on_sweep: OnSweep | None) -> None:
        self.converged = False
        self._shift, self._tol, self._last, self._on_sweep = shift, tol, before, on_sweep

    def recall(self, log_likelihood: float) -> None:
        """Continue from the last likelihood of an interrupted run."""
        self._last = log_likelihood + self._shift

    def __call__(self, sweep: Sweep) -> bool:
        """Whether to continue training."""
        if sweep.log_likelihood is not None:
            now = sweep.log_likelihood + self._shift
            sweep = sweep._replace(log_likelihood=now)
            self.converged = self._tol is not None and self._last is not None and now - self._last < self._tol
            self._last = now
        stopped = self._on_sweep is not None and self._on_sweep(sweep) is False
        return not (stopped or self.converged)


_LEAST_FOLDS = 4  # into which documents are split to find the threshold, if all of them are predicted
_NAMED = 5  # labels listed in a warning
_MOST_SHARES = 4_000_000  # label shares of documents that are in memory at once
_LEAST_SHARE = 0.01  # predicted labels with less are left out
PREDICTION_WEIGHT = 3.0  # tokens that the prior of an unlabeled document has for each of its own


class LabeledLDA(LabelPredictionMixin, BatchTopicModel):
    """Labeled LDA (Ramage et al. 2009): one topic per label, and documents that use the topics of their labels only.

    The topic of a label contains the words that this label explains better than the other labels of a document. The
    model ranks labels for new documents, and attributes each word of a document to a label. The same seed gives the
    same result with any number of threads.

    Parameters
    ----------
    alpha : float or array of shape (n_labels + n_background_topics,)
        Prior of the labels in a document that has them.
    beta : float, array of shape (n_words,), or "learn"
        Prior of words in a label.
    n_background_topics : int
        Number of topics besides the labels that every document may use, for words that all documents share. They are
        called "background 1" and so on.
    knowledge : sequence
        Further knowledge, as in :class:`LDA`: links between words, seed words of labels, labels of sentences.
    threshold : "auto" or float
        If documents may have several labels: share of the labeled words of a document from which on a label is
        predicted. "auto" finds the threshold with the best F1 on training documents when it is first needed. These are
        then predicted by regressions on other documents.
    label_prior : {"auto", "words", "frequency", "flat"}
        Prior of labels in documents without known labels: what a regression of labels on words expects in the document,
        by the number of training documents with the label, or alpha as it is. "auto" is "words" for up to 1,000 labels
        and "frequency" for more: the time of the regression grows with the number of labels.
    n_sweeps : int
        Number of Gibbs sweeps. With 50, held-out perplexity was within 2 % of that with 200 on Reuters, arXiv and
        Delicious, with and without background topics; with 20, within 4 %.
    tol : float or None
        Training ends early once log p(w, z) per token has risen by less than this since the previous evaluation.
    n_jobs, random_state, evaluate_every
        As in :class:`LDA`.

    Attributes
    ----------
    classes_, labels_ : array
        The labels, sorted, under both names; labels that :meth:`update` added follow the others. Topic k is that of
        label k; background topics come last.
    multilabel_ : bool
        Whether documents may have several labels.
    label_word_ : array of shape (n_labels, n_words)
        Word distribution of each label, φ; rows sum to 1.
    label_counts_ : array of shape (n_labels,)
        Number of documents with each label.
    threshold_ : float
        Threshold, as given or found.
    converged_ : bool
        Whether training ended because of ``tol``.
    log_likelihood_ : list of (sweep, log p(w, z) per token)
        Training curve, given the labels of the documents.
    topic_names_, topic_word_, doc_topic_, …
        As in :class:`LDA`.

    Examples
    --------
    >>> import topicwright as tw
    >>> texts = ["ship sails sea", "bread oven flour", "ship sea bread oven"] * 10
    >>> model = tw.LabeledLDA(n_sweeps=20).fit(texts, [["sea"], ["kitchen"], ["sea", "kitchen"]] * 10)
    >>> model.topic_names_
    ['kitchen', 'sea']
    >>> model.predict(["sails ship sea", "flour bread ship sea"])
    [('sea',), ('kitchen', 'sea')]
    >>> [word.label for word in model.attribute("the ship has flour").words]
    [None, 'sea', None, 'kitchen']
    """

    classes_: NDArray[Any]
    multilabel_: bool
    label_counts_: NDArray[np.int64]
    _form: str
    _n_labeled: int

    @suggest_keywords()
    def __init__(
        self,
        *,
        alpha: float | Iterable[float] = 0.1,
        beta: float | Iterable[float] | str = 0.1,
        n_background_topics: int = 0,
        knowledge: Any = (),
        threshold: float | str = AUTO,
        label_prior: str = AUTO,
        n_sweeps: int = 50,
        tol: float | None = None,
        n_jobs: int | None = 1,
        random_state: Any = 0,
        evaluate_every: int = 10,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.n_background_topics = n_background_topics
        self.knowledge = knowledge
        self.threshold = threshold
        self.label_prior = label_prior
        self.n_sweeps = n_sweeps
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.evaluate_every = evaluate_every

    # ------------------------------------------------------------------ training

    @rollback_on_error
    @suggest_keywords()
    def fit(
        self, X: Any, y: Any = None, *, on_sweep: OnSweep | None = None, backend: Any = None, resume: bool = False
    ) -> LabeledLDA:
        """Learn the words of labels from documents.

        Parameters
        ----------
        X : list of str, list of list of str, Corpus, or matrix of counts
            Documents.
        y : list of lists, indicator matrix, or list of classes, optional
            Labels of each document. By default the labels of a Corpus. A document with unknown labels (None, NaN, or no
            labels in a Corpus) may use all labels and the background; training on the labeled documents alone predicts
            its labels first, and the prediction is its prior. A document known to have no label (an empty list,
            a row of zeros) uses the background only, or all labels if there is no background.
        on_sweep, backend, resume
            As in :meth:`LDA.fit`.

        Returns
        -------
        self
        """
        check_backend(backend, resume)
        self._check_parameters()
        corpus = training_corpus(self, X)
        self._prepare_fit(
            corpus, encode_label_sets(own_labels(corpus, type(self).__name__) if y is None else y, corpus.n_docs)
        )
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
        min_df: int = 2,
        on_sweep: OnSweep | None = None,
    ) -> UpdateReport:
        """Learn from new documents. Labels keep their numbers, and new labels follow them.

        ``classes_`` has new labels after the others, not in alphabetical order. Background topics stay last.

        Parameters
        ----------
        X : list of str, list of list of str, Corpus, or matrix of counts
            New documents.
        labels : list of lists, indicator matrix, or list of classes, optional
            Labels of each document, as in :meth:`fit`. By default the labels of a Corpus.
        memory, n_sweeps, min_df, on_sweep
            As in :meth:`LDA.update`.

        Returns
        -------
        UpdateReport
            How much each label changed, new labels and words, and documents that no topic explains.

        Examples
        --------
        >>> import topicwright as tw
        >>> model = tw.LabeledLDA().fit(["ship sails sea", "bread oven flour"] * 10, ["sea", "kitchen"] * 10)
        >>> report = model.update(["ball goal team", "ship sea harbor"] * 10, ["sport", "sea"] * 10)
        >>> model.classes_.tolist()
        ['kitchen', 'sea', 'sport']
        >>> model.predict(["team ball", "bread"]).tolist()
        ['sport', 'kitchen']
        """

        def prepare(corpus: Corpus, weight: float) -> NDArray[np.int64]:
            y = own_labels(corpus, type(self).__name__) if labels is None else labels
            return self._prepare_update(corpus, encode_label_sets(y, corpus.n_docs), weight)

        return update_model(
            self, X, prepare, None, memory=memory, n_sweeps=n_sweeps, max_topics=None, min_df=min_df, on_sweep=on_sweep
        )

    def _prepare_update(self, corpus: Corpus, encoded: EncodedLabels, weight: float) -> NDArray[np.int64]:
        """Append new labels, and set the fitted attributes to those before the first sweep over new documents."""
        if not any(encoded.documents):
            raise InputError("`labels` must have at least one label: no document has any", parameter="labels")
        n_before, n_background = len(self.classes_), self._n_background
        known, own = self.classes_.tolist(), encoded.classes.tolist()
        new = [label for label in own if label not in known]
        names = topic_names(as_array([*known, *new]), n_background)
        items = kept_knowledge(self.fit_state_.knowledge[1:], corpus)
        mentioned = [topic for item in items for topic in topics_mentioned(item, corpus) if not isinstance(topic, str)]
        if new and n_background and any(topic >= n_before for topic in mentioned):
            raise InputError(
                "`knowledge` refers to background topics by number, and new labels change these numbers: "
                "call them 'background 1' and so on",
                parameter="knowledge",
            )
        number = {label: n for n, label in enumerate([*known, *new])}
        rows = [None if labels is None else [number[own[k]] for k in labels] for labels in encoded.documents]
        background = names[len(number) :]
        of_docs = tuple(() if row is None else tuple(names[k] for k in row) or tuple(background) for row in rows)
        replace_documents(self, replace_metadata(corpus, labels=of_docs))
        insert_topics(self, len(new), at=n_before)
        self.classes_ = as_array([*known, *new])
        self._form = LISTS if self._form == CLASSES and encoded.form != CLASSES else self._form
        self.multilabel_ = self._form != CLASSES
        counts = np.bincount([k for row in rows for k in row or ()], minlength=len(number)).astype(np.int64)
        counts[:n_before] += np.rint(self.label_counts_ * weight).astype(np.int64)
        self.label_counts_ = counts
        if self._prior_kind() != WORDS or weight == 0.0:
            self._regression = None  # fitted to the new documents when it is needed
        elif self._regression is not None:
            documents = TokenBatch(corpus.tokens, corpus.offsets)
            of_rows = [row or [] for row in rows]
            self._regression = continue_label_regression(self._regression, documents, of_rows, corpus.n_words, counts)
        self._n_labeled = round(self._n_labeled * weight) + sum(bool(row) for row in rows)
        self.knowledge = [*items, TopicNames(dict(enumerate(names)))]  # not all labels need be among the new ones
        self._set_knowledge(compile_with_labels(self, self._numbers(), self.fit_state_.warnings))
        return np.arange(n_before + n_background) + len(new) * (np.arange(n_before + n_background) >= n_before)

    def _check_parameters(self) -> None:
        check_integer("n_background_topics", self.n_background_topics, 0, 10_000)
        check_integer("n_sweeps", self.n_sweeps, 1)
        check_integer("evaluate_every", self.evaluate_every, 0)
        check_choice("label_prior", self.label_prior, PRIORS)
        if isinstance(self.alpha, str):
            raise InputError(
                parameter="alpha", expected="numbers", got=self.alpha, hint="LabeledLDA does not learn alpha"
            )
        if self.tol is not None:
            check_positive("tol", self.tol)
            if self.evaluate_every == 0:
                raise InputError("`tol` needs `evaluate_every` of at least 1: got 0", parameter="evaluate_every", got=0)
        check_threshold(self.threshold)

    def _prepare_fit(self, corpus: Corpus, encoded: EncodedLabels) -> None:
        """Set the fitted attributes to those before the first sweep."""
        if not any(encoded.documents):
            raise InputError("`y` must have at least one label: no document has any", parameter="y")
        n_background = int(self.n_background_topics)
        names = topic_names(encoded.classes, n_background)
        alpha = initial_alpha(self.alpha, len(names))
        background = names[len(encoded.classes) :]
        labels = [() if own is None else [names[k] for k in own] or background for own in encoded.documents]
        flat = [k for own in encoded.documents for k in own or ()]
        self.classes_ = encoded.classes
        self._form = encoded.form
        self.label_counts_ = np.bincount(flat, minlength=len(encoded.classes)).astype(np.int64)
        self._n_labeled = sum(bool(own) for own in encoded.documents)
        reset_fit_state(self, replace_metadata(corpus, labels=tuple(map(tuple, labels))), alpha)
        self.multilabel_ = self._form != CLASSES
        self._regression = self._fit_regression() if self._prior_kind() == WORDS else None
        self._set_knowledge(compile_with_labels(self, self._numbers(), {}))

    def _numbers(self) -> dict[str, int]:
        """Number of each topic by its name."""
        return {name: number for number, name in enumerate(topic_names(self.classes_, self._n_background))}

    def _recompile_knowledge(self) -> FitState:
        self._check_parameters()
        return compile_with_labels(self, self._numbers(), self.fit_state_.warnings)

    def _new_engine(self, backend: Any = None, resume: bool = False) -> SamplingEngine:
        return start_engine(build_problem(self), self.n_jobs, backend, resume)

    def _train(self, n_sweeps: int, on_sweep: OnSweep | None = None, backend: Any = None, resume: bool = False) -> None:
        is_new, n_before = self.sweeps_ == 0, len(self.log_likelihood_)
        before = self.log_likelihood_[-1][1] if n_before else None
        shift = label_likelihood_offset(self.corpus_, self._numbers(), self._n_background, self.alpha_)
        monitor = ConvergenceMonitor(shift, None if self.tol is None else float(self.tol), before, on_sweep)
        run_training(self, self._new_engine(backend, resume), n_sweeps, monitor)
        curve = self.log_likelihood_
        self.log_likelihood_ = [*curve[:n_before], *((sweep, value + shift) for sweep, value in curve[n_before:])]
        self.converged_ = monitor.converged
        self.interrupted_ = self.interrupted_ and not monitor.converged
        if is_new and not self.interrupted_:
            for message in self._diagnostics():
                warn(message, TopicwrightWarning)

    def _diagnostics(self) -> list[str]:
        if self.assignments_ is None:
            return []
        sizes = np.asarray(self.topic_word_counts_.sum(axis=1)).ravel()[: len(self.classes_)]
        names, lengths = topic_names(self.classes_, 0), self.corpus_.doc_lengths().tolist()
        with_words = {label for own, length in zip(self.corpus_.labels or (), lengths) if length for label in own}
        empty = [name for name, size in zip(names, sizes.tolist()) if size == 0 and name in with_words]
        if not empty:
            return []
        named = f"{', '.join(empty[:_NAMED])}{', …' * (len(empty) > _NAMED)}"
        return [f"{pluralize(len(empty), 'label')} got no words, since others explain all of their documents: {named}"]

    def _store_results(self, results: Sequence[SamplingResults]) -> None:
        (own,) = results
        store_topics(self, own)

    def _fit_baseline(self, on_sweep: OnSweep | None) -> LDA:
        return fit_plain_lda(self, on_sweep)

    def _threshold_shares(self) -> tuple[Floats, list[list[int]]]:
        """Shares of labels in evenly spaced training documents, predicted by regressions on the others."""
        self._require_corpus("threshold='auto'")
        labels, n_labels = self._label_numbers(), len(self.classes_)
        are_labeled = np.array([bool(own) for own in labels], dtype=bool)
        chosen = documents_to_learn_from(self.corpus_.doc_lengths(), are_labeled, n_labels)
        inference, n_folds = self._inference_with(), 1
        if inference.predicted is not None:
            n_folds = max(1, math.ceil(_LEAST_FOLDS * len(chosen) / max(1, int(are_labeled.sum()))))
        shares = np.zeros((len(chosen), n_labels))
        for fold in range(n_folds):
            out = chosen[fold::n_folds]
            if inference.predicted is not None:
                left_out = set(out.tolist())
                visible = [() if row in left_out else own for row, own in enumerate(labels)]
                predicted = inference.predicted._replace(regression=self._fit_regression(visible))
                inference = inference._replace(predicted=predicted)
            part = TokenBatch(*take_documents(self.corpus_.tokens, self.corpus_.offsets, out))
            shares[fold::n_folds] = inference.infer(part, [AllowedLabels()] * len(out))[:, :n_labels]
        return shares / shares.sum(axis=1, keepdims=True), [labels[row] for row in chosen]

    def _label_numbers(self) -> list[list[int]]:
        """Numbers of the labels of each training document; empty if they are unknown."""
        n_labels, numbers = len(self.classes_), self._numbers()
        return [[k for k in map(numbers.__getitem__, own) if k < n_labels] for own in self.corpus_.labels or ()]

    def _fit_regression(self, labels: Sequence[Sequence[int]] | None = None) -> LabelRegression:
        documents = TokenBatch(self.corpus_.tokens, self.corpus_.offsets)
        visible = self._label_numbers() if labels is None else labels
        return fit_label_regression(documents, visible, self.corpus_.n_words, len(self.classes_))

    # ------------------------------------------------------------------ files

    def save(self, path: Any, *, include_corpus: bool = True) -> None:
        """Write the model to one file; see :meth:`LDA.save`. Labels must be text, numbers or booleans."""
        check_is_fitted(self)
        _write_model(self, path, include_corpus)

    @classmethod
    def from_file(cls, file: ModelFile) -> LabeledLDA:
        """Model from an open model file; see :func:`topicwright.load`."""
        return _read_model(cls, file)


KIND = "labeled-lda"
_WHOLE = ("n_sweeps", "evaluate_every")


# ---------------------------------------------------------------------- model files


def _write_model(model: LabeledLDA, path: Any, include_corpus: bool) -> None:
    """Write a fitted LabeledLDA."""
    has_corpus = include_corpus and model.assignments_ is not None
    regression = model._label_regression() if model._prior_kind() == WORDS else model.__dict__.get("_regression")
    arrays = {
        **({} if regression is None else regression_to_arrays(regression)),
        **classes_to_arrays(model.classes_, "labels"),
        "label_counts": model.label_counts_,
        **common_to_arrays(model, has_corpus),
        **topics_to_arrays(model, has_corpus),
    }
    meta = {
        "parameters": {
            **{name: int(getattr(model, name)) for name in _WHOLE},
            "n_background_topics": model._n_background,
            "n_jobs": whole_or_none(model.n_jobs),
        },
        "form": model._form,
        "field": model.field_,
        "labelled": model._n_labeled,
        "learns_beta": isinstance(model.beta, str),
        "label_prior": model.label_prior,
        "regression": regression is not None,
        "threshold": model.threshold if isinstance(model.threshold, str) else float(model.threshold),
        "threshold_found": _threshold_found(model, has_corpus),
        "tol": None if model.tol is None else float(model.tol),
        "seed": model.seed_,
        "converged": model.converged_,
        **progress_to_meta(model),
    }
    write_model(path, KIND, meta, arrays)


def _threshold_found(model: LabeledLDA, has_corpus: bool) -> float | None:
    """Threshold found so far; without documents it cannot be found later, so it is found now."""
    if has_corpus or not model.multilabel_ or model.threshold != AUTO:
        return model._thresholds.get(model._prior_kind())
    return model.threshold_


def _read_model(cls: type[LabeledLDA], file: ModelFile) -> LabeledLDA:
    """Read a LabeledLDA; a ModelFileError if anything in the file is invalid."""
    fields = file.fields
    corpus, classes = corpus_from_fields(fields), classes_from_fields(fields)
    section = fields.section("parameters")
    n_background = section.integer("n_background_topics", minimum=0, maximum=10_000)
    n_topics = len(classes) + n_background
    alpha, beta = priors_from_fields(fields, n_topics, corpus.n_words)
    model = cls(
        alpha=one_or_all(alpha),
        beta="learn" if fields.flag("learns_beta") else beta,
        n_background_topics=n_background,
        threshold=fields.value("threshold"),
        label_prior=fields.text("label_prior"),
        n_sweeps=section.integer("n_sweeps", minimum=1),
        tol=None if fields.value("tol") is None else fields.number("tol", above=0),
        n_jobs=section.integer("n_jobs") if "n_jobs" in section else None,
        random_state=fields.integer("seed", minimum=0),
        evaluate_every=section.integer("evaluate_every", minimum=0),
    )
    model._check_parameters()
    reset_fit_state(model, corpus, alpha)
    model.beta_, model.classes_ = beta, classes
    model._form = fields.text("form", choices=(CLASSES, LISTS, INDICATOR))
    model.field_ = fields.text("field") if "field" in fields else None
    model.label_counts_ = fields.array("label_counts", np.int64, shape=(len(classes),), minimum=0, maximum=MOST)
    model._n_labeled = fields.integer("labelled", minimum=0, maximum=MOST)
    model.multilabel_ = model._form != CLASSES
    model.converged_ = fields.flag("converged")
    progress_from_fields(model, fields)
    model._regression = None
    if "regression" in fields and fields.flag("regression"):
        model._regression = regression_from_fields(fields, corpus.n_words, len(classes))
    elif model._prior_kind() == WORDS:
        fields.fail("regression", "must be there for a prior of labels that is predicted from words")
    earlier_from_fields(model, fields, n_topics)
    _restore_knowledge(model, fields, n_topics)
    topics_from_fields(model, fields)
    if "threshold_found" in fields:
        model._thresholds[model._prior_kind()] = fields.number("threshold_found", minimum=0, maximum=1)
    elif model.assignments_ is None and model.multilabel_ and model.threshold == AUTO:
        fields.fail("threshold_found", "must be a number where there are no documents")
    return model


def _restore_knowledge(model: LabeledLDA, fields: ModelFields, n_topics: int) -> None:
    """Restore knowledge. It begins with the labels of the documents, which are no parameter of the model."""
    names = topic_names(model.classes_, n_topics - len(model.classes_))
    has_corpus = "assignments" in fields
    if has_corpus and not {label for own in model.corpus_.labels or () for label in own} <= set(names):
        fields.fail("labels", "must be among the classes")
    knowledge_from_fields(model, fields, n_topics)
    items = model.fit_state_.knowledge
    first = items[0] if items else None
    is_right = (
        isinstance(first, DocumentLabels)
        and first.labels is None
        and first.background == n_topics - len(model.classes_)
    )
    if not (is_right if has_corpus else isinstance(first, UnavailableKnowledge)):
        fields.fail("knowledge", "must begin with the documents' labels")
    if model.fit_state_.compiled.topics.numbers != {name: number for number, name in enumerate(names)}:
        fields.fail("knowledge", "must number the topics as the classes are")
    model.knowledge = items[1:]
