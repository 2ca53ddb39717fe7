"""Predictions of models whose topics are labels: labels of documents, labels of words, and perplexity."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..._sampling.inference import FOLD_IN, METHODS, TokenBatch, TopicSnapshot
from ..._sampling.priors import base_prior
from ..._utils.count_rows import CountRows
from ..._utils.validation import check_choice, check_integer, check_n_jobs
from ...corpus import Corpus
from ...errors import InputError
from .._classification import ClassPredictionMixin, Decisions, given_classes
from .._explanations import Explanation, TaskExplanation, TopicShare, WordShare, for_and_against, one_document
from .._inputs import Floats, encode_for, own_labels, tokenizer_of
from ..base import TopicModel
from .attribution import Attribution, Snippet, TokenSpan, build_attribution, spans_of_text, spans_of_words
from .inference import LabelInference, PredictedPrior, best_threshold, frequency_prior
from .regression import LabelRegression
from .targets import DocumentLabelSet, LabelIndex, topic_names

_WORDS = 5  # words listed for a label


def attribution_of(model: LabelPredictionMixin, document: Any, labels: Any) -> Attribution:
    """Attribution of one document."""
    spans = _spans(model, document)
    wanted = {span.word for span in spans}
    ids = {word: n for n, word in enumerate(model.vocabulary_.tolist()) if word in wanted}
    in_vocabulary = [span.word in ids for span in spans]
    tokens = np.array([ids[span.word] for span in spans if span.word in ids], dtype=np.int32)
    inference = model._inference_with()
    if labels is None:
        topics = inference.with_candidates(None)
    else:
        topics = inference.with_labels(DocumentLabelSet(LabelIndex(model.classes_).find_all(labels, "labels")))
    theta = inference.infer(TokenBatch(tokens, np.array([0, len(tokens)])), [topics])[0]
    numbers = np.arange(len(theta)) if topics.numbers is None else np.array(topics.numbers)
    n_labels = len(model.classes_)
    names = [*model.classes_.tolist(), *(model.topic_names_ or [])[n_labels:]]
    return build_attribution(
        spans,
        in_vocabulary,
        [names[k] for k in numbers],
        token_posteriors(model, theta, tokens, numbers),
        len(theta) - n_labels,
        document if isinstance(document, str) else None,
    )


def token_posteriors(model: LabelPredictionMixin, theta: Floats, tokens: Any, numbers: NDArray[np.int64]) -> Floats:
    """p(z = k | w, d) ∝ θ_dk φ_kw, with one row per token and one column for each of these topics."""
    words, where = np.unique(tokens, return_inverse=True)
    snapshot = model._snapshot
    counts = np.empty((len(words), len(theta)))
    counts[:] = np.broadcast_to(base_prior(snapshot.beta), len(model.vocabulary_))[words, None]
    for row, word in zip(counts, words.tolist()):
        topics, own = _row_of(snapshot.words, word)
        row[topics] += own
    if model.word_prior_ is not None:
        counts += model.word_prior_[:, words].toarray().T
    weights = (counts * (theta / (snapshot.sizes + snapshot.beta_sum)))[:, numbers]
    return np.asarray((weights / weights.sum(axis=1, keepdims=True))[where])


def _row_of(rows: CountRows, word: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Topics of a word, and their counts."""
    start = int(rows.start[word]) + 1
    entries = rows.entries[start : start + int(rows.entries[start - 1])]
    return entries & rows.mask, entries >> rows.shift


def _spans(model: LabelPredictionMixin, document: Any) -> list[TokenSpan]:
    if isinstance(document, str):
        return spans_of_text(document, tokenizer_of(model))
    if isinstance(document, (list, tuple)) and document and all(isinstance(word, str) for word in document):
        return spans_of_words(document)
    corpus = encode_for(model, one_document(document))
    if corpus.n_docs != 1:
        raise InputError(f"`document` must be one document: got {corpus.n_docs:,}", parameter="document")
    return spans_of_words(model.vocabulary_[corpus.tokens].tolist())


def explanation_of(model: LabelPredictionMixin, document: Any, top: int, n_labels: int, candidates: Any) -> Explanation:
    """Best labels of a document, explained by its words."""
    documents = model._documents(one_document(document))
    if len(documents.offsets) != 2:
        raise InputError(f"`document` must be one document: got {len(documents.offsets) - 1:,}", parameter="document")
    inference = model._inference_with()
    (own,) = LabelIndex(model.classes_).candidates(candidates, 1)
    topics = inference.with_candidates(own)
    if not len(documents.tokens):
        return Explanation([])
    theta = inference.infer(documents, [topics])[0]
    ids, counts = np.unique(documents.tokens, return_counts=True)
    best = np.argsort(-theta[: len(model.classes_)], kind="stable")[:n_labels]
    best = best[theta[best] > 0]
    priors = inference.predicted_alpha(documents, topics)
    alpha = inference.alpha_of(topics) if priors is None else priors[0]
    weight = len(documents.tokens) / (len(documents.tokens) + float(alpha.sum()))
    start, alone = (1.0 - weight) * alpha[best] / alpha.sum(), np.zeros((len(best), len(ids)))
    if inference.predicted is not None:  # the prior is due to words too
        scale = (1.0 - weight) * (1.0 - inference.predicted.background.sum())
        allowed = np.flatnonzero(alpha[: inference.n_labels] > 0)
        without, added = inference.predicted.regression.contributions(documents, best.tolist(), allowed)
        start, alone = scale * without, scale * added[:, ids]
    from_topics = np.maximum(0.0, theta[best] - start - alone.sum(axis=1))
    of_topics = (token_posteriors(model, theta, ids, np.arange(len(theta)))[:, best] * counts[:, None]).T
    of_topics *= (from_topics / np.maximum(of_topics.sum(axis=1), 1e-300))[:, None]  # they add up to the score
    names, top_words = model.classes_.tolist(), model.top_words(_WORDS)

    def reasons(n: int, k: int) -> TaskExplanation:
        of_words, name = of_topics[n] + alone[n], names[k]
        share = float(from_topics[n]) / max(weight, 1e-300)
        topic = TopicShare(k, str(name), share, weight, float(from_topics[n]), tuple(top_words[k]))
        words = (
            WordShare(str(model.vocabulary_[ids[j]]), int(counts[j]), float(of_words[j]), float(alone[n, j]))
            for j in for_and_against(of_words, top)
        )
        return TaskExplanation(name, float(theta[k]), float(start[n]), (topic,), tuple(words), float(alone[n].sum()))

    return Explanation([reasons(n, k) for n, k in enumerate(best.tolist())])


AUTO = "auto"
PRIORS = AUTO, WORDS, FREQUENCY, FLAT = AUTO, "words", "frequency", "flat"
MOST_LABELS = 1000  # up to which "auto" fits the regression: its time grows with all labels, that of sampling does not


class Ranked(NamedTuple):
    """A label and its probability."""

    label: Any
    probability: float


class LabelPredictionMixin(ClassPredictionMixin, TopicModel):
    """Predictions of :class:`LabeledLDA` and :class:`OnlineLabeledLDA`."""

    threshold: float | str
    label_prior: str
    _thresholds: dict[str, float]  # best thresholds found so far, by label prior
    _regression: LabelRegression | None  # of labels on words, once it is fitted

    if TYPE_CHECKING:  # attributes of LabeledLDA, properties of OnlineLabeledLDA

        @property
        def label_counts_(self) -> NDArray[np.int64]:
            """Number of documents with each label."""

        @property
        def _n_labeled(self) -> int:
            """Number of documents with labels."""

    def _threshold_shares(self) -> tuple[Floats, list[list[int]]]:
        """Predicted shares of labels in the documents to find the threshold on, and the labels that they have."""
        raise NotImplementedError

    # ------------------------------------------------------------------ results

    @property
    def labels_(self) -> NDArray[Any]:
        """The labels; the same as ``classes_``."""
        return self.classes_

    @property
    def n_topics(self) -> int:
        """Number of labels and background topics."""
        check_is_fitted(self)
        return len(self.alpha_)

    @property
    def label_word_(self) -> Floats:
        """Word distribution of each label, φ without the background."""
        return self.topic_word_[: len(self.classes_)]

    @property
    def threshold_(self) -> float:
        """Share of a document from which on a label is predicted."""
        check_is_fitted(self)
        check_threshold(self.threshold)
        if self.threshold != AUTO:
            return float(self.threshold)
        prior = self._prior_kind()
        if prior not in self._thresholds:
            self._thresholds[prior] = self._best_threshold()
        return self._thresholds[prior]

    def _best_threshold(self) -> float:
        """Threshold with the best F1 on labeled documents, predicted as if their labels were unknown."""
        shares, labels = self._threshold_shares()
        is_label = np.zeros((len(labels), len(self.classes_)), dtype=bool)
        for row, own in zip(is_label, labels):
            row[own] = True
        return best_threshold(shares, is_label)

    def _drop_cached_results(self) -> None:
        super()._drop_cached_results()
        self._thresholds = {}

    @property
    def _n_background(self) -> int:
        """Number of background topics in training, whatever the parameter is now."""
        return len(self.alpha_) - len(self.classes_)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names of the columns of :meth:`transform`: the labels, then the background."""
        check_is_fitted(self)
        return np.array(topic_names(self.classes_, self._n_background), dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    # ------------------------------------------------------------------ inference

    def _inference_with(self, topics: TopicSnapshot | None = None) -> LabelInference:
        """Inference with the topics of the model, or with those of one particle."""
        topics, prior, unlabeled_alpha = self._snapshot if topics is None else topics, self._prior_kind(), self.alpha_
        if prior != FLAT:
            unlabeled_alpha = frequency_prior(self.alpha_, self.label_counts_, self._n_labeled)
        return LabelInference(
            topics,
            unlabeled_alpha,
            len(self.classes_),
            self.seed_,
            check_n_jobs(self.n_jobs),
            self._predicted_prior(topics) if prior == WORDS else None,
        )

    def _prior_kind(self) -> str:
        """Prior of labels that ``label_prior`` stands for: "words", "frequency" or "flat"."""
        prior = check_choice("label_prior", self.label_prior, PRIORS)
        if prior != AUTO:
            return prior
        return WORDS if len(self.classes_) <= MOST_LABELS else FREQUENCY

    def _predicted_prior(self, topics: TopicSnapshot) -> PredictedPrior:
        background = topics.sizes[len(self.classes_) :] / max(1, topics.sizes.sum())
        return PredictedPrior(self._label_regression(), self.label_counts_.sum() / self._n_labeled, background)

    def _label_regression(self) -> LabelRegression:
        """Regression of labels on words, fitted when it is first needed."""
        if self.__dict__.get("_regression") is None:
            self._require_corpus(f"label_prior={self.label_prior!r}")
            self._regression = self._fit_regression()
        assert self._regression is not None
        return self._regression

    def _fit_regression(self) -> LabelRegression:
        """Regression fitted to all labeled documents."""
        raise NotImplementedError

    def _inferences(self) -> list[LabelInference]:
        """Inferences whose mean is the probability of a word."""
        return [self._inference_with()]

    def _theta(self, documents: TokenBatch, candidates: Any) -> Floats:
        inference, n_docs = self._inference_with(), len(documents.offsets) - 1
        own = LabelIndex(self.classes_).candidates(candidates, n_docs)
        return inference.infer(documents, [inference.with_candidates(labels) for labels in own])

    def _label_shares(self, documents: TokenBatch, candidates: Any) -> Floats:
        labels = self._theta(documents, candidates)[:, : len(self.classes_)]
        return np.asarray(labels / labels.sum(axis=1, keepdims=True))

    # ------------------------------------------------------------------ labels of documents

    def transform(self, X: Any, candidates: Any = None) -> Floats:
        """Distribution of each document over labels and background.

        Parameters
        ----------
        X : list of str, list of list of str, Corpus, or matrix of counts
            Documents; see :meth:`LDA.transform`.
        candidates : list, optional
            Labels that documents may have: one list for all documents, or one list for each, with None for all labels.
            θ of other labels is zero.

        Returns
        -------
        array of shape (n_docs, n_topics)
            θ; rows sum to 1.
        """
        check_is_fitted(self)
        return self._theta(self._documents(X), candidates)

    def predict_proba(self, X: Any, candidates: Any = None) -> Floats:
        """Share of each label in the labeled part of a document.

        If documents have one label each, this is the probability of the label.

        Parameters
        ----------
        X : list of str, list of list of str, Corpus, or matrix of counts
            Documents.
        candidates : list, optional
            Labels that documents may have, as in :meth:`transform`.

        Returns
        -------
        array of shape (n_docs, n_labels)
            Shares; rows sum to 1. They include the label prior, and are the prior for a document without a known word.
        """
        check_is_fitted(self)
        return self._label_shares(self._documents(X), candidates)

    def decision_function(self, X: Any, candidates: Any = None) -> Floats:
        """Scores by which labels are ranked: logarithms of :meth:`predict_proba`.

        With two classes there is one score, above zero for the second class. If documents may have several labels, the
        score is the logarithm of share over threshold, and labels above zero are predicted. Labels that are no
        candidates have −inf.

        Parameters
        ----------
        X : list of str, list of list of str, Corpus, or matrix of counts
            Documents.
        candidates : list, optional
            Labels that documents may have, as in :meth:`transform`.

        Returns
        -------
        array of shape (n_docs,) or (n_docs, n_labels)
        """
        shares = self.predict_proba(X, candidates)
        with np.errstate(divide="ignore"):
            scores = np.log(shares)
        if self.multilabel_:
            return np.asarray(scores - np.log(self.threshold_))
        return np.asarray(scores[:, 1] - scores[:, 0]) if len(self.classes_) == 2 else scores

    def decide(self, X: Any, candidates: Any = None, *, top: int | None = None) -> Decisions:
        """Probability of each label for each document, and which labels are predicted.

        Parameters
        ----------
        X : list of str, list of list of str, Corpus, or matrix of counts
            Documents.
        candidates : list, optional
            Labels that documents may have, as in :meth:`transform`.
        top : int, optional
            Number of labels to predict for each document, instead of those that reach the threshold.

        Returns
        -------
        Decisions
            ``values`` as in :meth:`predict_proba`, and ``given``, a boolean array of the same shape. A document without
            a known word has NaN for all labels, and none is predicted.
        """
        decisions, lengths = self._decide(X, candidates, top)
        return decisions.known_only(lengths)

    def _decide(self, X: Any, candidates: Any = None, top: int | None = None) -> tuple[Decisions, NDArray[np.int64]]:
        check_is_fitted(self)
        documents = self._documents(X)
        shares, lengths = self._label_shares(documents, candidates), np.diff(documents.offsets)
        if top is None:
            reach = shares >= self.threshold_ if self.multilabel_ else shares > 0
            return Decisions(shares, given_classes(shares, reach, several=self.multilabel_)), lengths
        if not self.multilabel_:
            raise InputError(
                "`top` needs documents that may have several labels: use rank for the best classes",
                parameter="top",
                got=top,
            )
        given = np.zeros(shares.shape, dtype=bool)
        np.put_along_axis(given, _largest(shares, check_integer("top", top, 1)), True, axis=1)
        return Decisions(shares, given & (shares > 0)), lengths  # labels that are no candidates have no share

    def predict(self, X: Any, candidates: Any = None, *, top: int | None = None) -> Any:
        """Predict the class or the labels of each document.

        A document gets the labels whose share reaches ``threshold_``, and always the best one. A document without a
        known word gets no label; if each document has one class, it gets the most probable one of the prior, and
        :meth:`decide` predicts none.

        Parameters
        ----------
        X : list of str, list of list of str, Corpus, or matrix of counts
            Documents.
        candidates : list, optional
            Labels that documents may have, as in :meth:`transform`.
        top : int, optional
            Number of labels to predict for each document, instead of those that reach the threshold.

        Returns
        -------
        array, or list of tuple
            In the form of y in training: classes, an indicator matrix, or tuples of labels.
        """
        return self._as_y(*self._decide(X, candidates, top))

    def rank(self, X: Any, top: int = 5, candidates: Any = None) -> list[list[Ranked]]:
        """Best labels of each document with their probabilities.

        Parameters
        ----------
        X : list of str, list of list of str, Corpus, or matrix of counts
            Documents.
        top : int
            Number of labels per document.
        candidates : list, optional
            Labels that documents may have, as in :meth:`transform`.

        Returns
        -------
        list of list of Ranked
            Pairs (label, probability), the best first; probabilities as in :meth:`predict_proba`. Empty for a document
            without a known word.

        Examples
        --------
        >>> import topicwright as tw
        >>> texts, labels = ["ship sails sea", "bread oven flour"] * 10, [["sea"], ["kitchen"]] * 10
        >>> model = tw.LabeledLDA(n_sweeps=5).fit(texts, labels)
        >>> [label for label, probability in model.rank(["bread"])[0]]
        ['kitchen', 'sea']
        """
        check_integer("top", top, 1)
        check_is_fitted(self)
        documents = self._documents(X)
        shares = self._label_shares(documents, candidates)
        shares[np.diff(documents.offsets) == 0] = 0.0
        best, names = _largest(shares, top).tolist(), self.classes_.tolist()
        return [[Ranked(names[k], float(row[k])) for k in order if row[k] > 0] for row, order in zip(shares, best)]

    def perplexity(self, X: Any, y: Any = None, *, method: str = FOLD_IN, n_particles: int = 20) -> float:
        """Perplexity of documents given their labels; lower is better.

        It is exp(−Σ log p(w | d) / n) with p(w | d) = Σ θ φ over the labels of the document. The words of a label that
        the model has not seen follow beta: all are equally probable.

        Parameters
        ----------
        X : list of str, list of list of str, Corpus, or matrix of counts
            Documents.
        y : optional
            Labels, as in ``fit``. By default the labels of a Corpus; other documents may have all labels.
        method : {"fold-in", "completion", "left-to-right"}
            "fold-in" infers θ from the words that it then scores. It is optimistic if a document may have all labels or
            as many labels as words, most of all for a sharp φ. With few labels per document this hardly matters.
            "completion" and "left-to-right" score words that θ was not inferred from; see :meth:`LDA.perplexity`.
        n_particles : int
            Number of particles of "left-to-right".

        Returns
        -------
        float

        Examples
        --------
        >>> import topicwright as tw
        >>> texts, labels = ["ship sails sea", "bread oven flour"] * 10, [["sea"], ["kitchen"]] * 10
        >>> model = tw.LabeledLDA(n_sweeps=5).fit(texts, labels)
        >>> round(model.perplexity(["ship sea"], [["sea"]])), round(model.perplexity(["ship sea"], [["court"]]))
        (3, 6)
        """
        check_is_fitted(self)
        check_choice("method", method, (FOLD_IN, *METHODS))
        check_integer("n_particles", n_particles, 1)
        corpus = encode_for(self, X)
        if y is None and isinstance(X, Corpus) and X.labels is not None and any(X.labels):
            y = own_labels(X, type(self).__name__)
        inferences = self._inferences()
        labels = [None] * corpus.n_docs if y is None else LabelIndex(self.classes_).encode(y, corpus.n_docs)
        documents, allowed = (
            TokenBatch(corpus.tokens, corpus.offsets),
            [inferences[0].with_labels(own) for own in labels],
        )
        scores = [inference.log_probabilities(documents, allowed, method, n_particles) for inference in inferences]
        if not scores[0].size:
            raise InputError("no document has words of the model's vocabulary", parameter="X")
        return float(np.exp(-np.mean(np.logaddexp.reduce(scores, axis=0) - np.log(len(scores)))))

    # ------------------------------------------------------------------ labels of words

    def attribute(self, document: Any, labels: Any = None) -> Attribution:
        """Per-word label attribution: the most probable label of each word of a document.

        Parameters
        ----------
        document : str, list of str, or row of counts
            One document.
        labels : list, optional
            Labels of the document, if known. By default it may have all labels.

        Returns
        -------
        Attribution
            A notebook displays it and rich prints it. Its ``words``, ``probabilities``, ``to_html()`` and ``to_dict()``
            give the details. Words of a text keep their positions.

        Examples
        --------
        >>> import topicwright as tw
        >>> texts, labels = ["ship sails sea", "bread oven flour"] * 10, [["sea"], ["kitchen"]] * 10
        >>> model = tw.LabeledLDA(n_sweeps=5).fit(texts, labels)
        >>> print(model.attribute("The ship sails. Bread!"))
        sea       68%  ship sails
        kitchen   32%  Bread
        """
        check_is_fitted(self)
        return attribution_of(self, document, labels)

    def snippets(self, document: Any, label: Any, *, length: int = 20, n: int = 1, labels: Any = None) -> list[Snippet]:
        """Passages of a document that are most about a label.

        These are the passages with the most words attributed to the label. From a text they are quoted as they stand;
        otherwise the words are joined by spaces.

        Parameters
        ----------
        document : str, list of str, or row of counts
            One document.
        label : object
            One of the labels.
        length : int
            Number of words of a passage.
        n : int
            Number of passages.
        labels : list, optional
            Labels of the document, if known. By default it may have all labels.

        Returns
        -------
        list of Snippet

        Examples
        --------
        >>> import topicwright as tw
        >>> texts, labels = ["ship sails sea", "bread oven flour"] * 10, [["sea"], ["kitchen"]] * 10
        >>> model = tw.LabeledLDA(n_sweeps=5).fit(texts, labels)
        >>> model.snippets("Bread and flour, a ship on the sea, and an oven.", "sea", length=4)[0].text
        'ship on the sea'
        """
        check_is_fitted(self)
        check_integer("length", length, 1)
        check_integer("n", n, 1)
        number = LabelIndex(self.classes_).find(label, "label")
        attribution = attribution_of(self, document, labels)
        name = self.classes_.tolist()[number]
        if name not in attribution.labels:
            raise InputError(parameter="label", expected=f"one of `labels`, {attribution.labels!r}", got=label)
        return attribution.snippets(name, length, n)

    def explain(self, document: Any, top: int = 10, *, n_labels: int = 3, candidates: Any = None) -> Explanation:
        """Explain the best labels of a document by the words that are attributed to them.

        The score of a label is its θ, as in :meth:`transform`. A word adds to it through the topics of its tokens, and,
        if it is predicted from words, through the prior of the labels (``by_itself``). There it can also lower it.

        Parameters
        ----------
        document : str, list of str, or row of counts
            One document.
        top : int
            Number of words per label.
        n_labels : int
            Number of labels.
        candidates : list, optional
            Labels that the document may have, as in :meth:`transform`.

        Returns
        -------
        Explanation

        Examples
        --------
        >>> import topicwright as tw
        >>> texts, labels = ["ship sails sea", "bread oven flour"] * 10, [["sea"], ["kitchen"]] * 10
        >>> model = tw.LabeledLDA(n_sweeps=5).fit(texts, labels)
        >>> reasons = model.explain("ship sea ship").reasons[0]
        >>> reasons.what, reasons.words[0].word, reasons.words[0].times
        ('sea', 'ship', 2)
        """
        check_is_fitted(self)
        check_integer("top", top, 1)
        check_integer("n_labels", n_labels, 1)
        return explanation_of(self, document, top, n_labels, candidates)


def _largest(shares: Floats, top: int) -> NDArray[np.int64]:
    """Columns with the largest shares in each row, the largest first."""
    return np.argsort(-shares, axis=1, kind="stable")[:, :top]


def check_threshold(threshold: Any) -> None:
    """Validate the parameter ``threshold``: "auto", or a number between 0 and 1."""
    if isinstance(threshold, str) and threshold == AUTO:
        return
    is_number = isinstance(threshold, Real) and not isinstance(threshold, bool)
    if not is_number or not 0 < threshold < 1:
        raise InputError(parameter="threshold", expected=f"{AUTO!r} or a number between 0 and 1", got=threshold)
