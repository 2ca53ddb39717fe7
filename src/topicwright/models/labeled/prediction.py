"""What a model with labels tells of documents: their labels, their words' labels, their likelihood."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..._sampling.inference import FOLD_IN, METHODS, TokenBatch, TopicSnapshot
from ..._utils.validation import check_choice, check_integer
from ...corpus import Corpus
from ...errors import InputError
from .._classification import ClassPredictionMixin, Decisions, given_classes
from .._explanations import Explanation
from .._inputs import encode_for
from .._targets import Floats, own_labels
from ..base import TopicModel
from .attribution import Attribution, Snippet
from .inference import LabelInference, best_threshold, frequency_prior
from .targets import LabelIndex, topic_names
from .token_posteriors import attribution_of, explanation_of

PRIORS = FREQUENCY, FLAT = "frequency", "flat"
AUTO = "auto"


class Ranked(NamedTuple):
    """A label and its probability."""

    label: Any
    probability: float


class LabelPredictionMixin(ClassPredictionMixin, TopicModel):
    """Topics that are labels: what they tell of documents, after a batch or in a stream."""

    threshold: float | str
    label_prior: str
    _thresholds: dict[str, float]  # best thresholds found so far, by label prior

    if TYPE_CHECKING:  # attributes of models trained in batch, properties of a stream

        @property
        def label_counts_(self) -> NDArray[np.int64]:
            """Number of documents with each label."""

        @property
        def _n_labeled(self) -> int:
            """Number of documents with labels."""

    def _threshold_documents(self) -> tuple[TokenBatch, list[list[int]]]:
        """Documents to find the threshold on, and their labels."""
        raise NotImplementedError

    def _drop_cached_results(self) -> None:
        super()._drop_cached_results()
        self._thresholds = {}

    @property
    def labels_(self) -> NDArray[Any]:
        """The labels; the same as ``classes_``."""
        return self.classes_

    # ------------------------------------------------------------------ what was learned

    @property
    def n_topics(self) -> int:
        """Labels and background topics together."""
        check_is_fitted(self)
        return len(self.alpha_)

    @property
    def label_word_(self) -> Floats:
        """φ of the labels, without the background."""
        return self.topic_word_[: len(self.classes_)]

    @property
    def threshold_(self) -> float:
        """The share from which on a label is predicted."""
        check_is_fitted(self)
        checked_threshold(self.threshold)
        if self.threshold != AUTO:
            return float(self.threshold)
        if self.label_prior not in self._thresholds:
            self._thresholds[self.label_prior] = self._best_threshold()
        return self._thresholds[self.label_prior]

    def _best_threshold(self) -> float:
        """The threshold with the best F1 on known documents, looked at as if their labels were not known."""
        documents, labels = self._threshold_documents()
        is_label = np.zeros((len(labels), len(self.classes_)), dtype=bool)
        for row, own in zip(is_label, labels):
            row[own] = True
        return best_threshold(self._shares(documents, None), is_label)

    def _reader(self, frozen: TopicSnapshot | None = None) -> LabelInference:
        """The model, or a part of it, as it looks at documents."""
        untagged = self.alpha_
        if check_choice("label_prior", self.label_prior, PRIORS) == FREQUENCY:
            untagged = frequency_prior(self.alpha_, self.label_counts_, self._n_labeled)
        return LabelInference(
            self._snapshot if frozen is None else frozen, untagged, len(self.classes_), self._inference()
        )

    def _readers(self) -> list[LabelInference]:
        """All that have a say in how probable words are, each for itself."""
        return [self._reader()]

    @property
    def _n_background(self) -> int:
        """As it was in training, whatever the parameter is now."""
        return len(self.alpha_) - len(self.classes_)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The names of the topics: labels, then the background."""
        check_is_fitted(self)
        return np.array(topic_names(self.classes_, self._n_background), dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    # ------------------------------------------------------------------ labels of documents

    def transform(self, X: Any, candidates: Any = None) -> Floats:
        """θ of new documents over labels and background: an array of shape (n_docs, n_topics) whose rows sum to 1.

        ``candidates`` are the labels that documents may have: one list for all, or a list for each document, None
        standing for all labels. θ of other labels is zero. Otherwise as :meth:`LDA.transform`.
        """
        check_is_fitted(self)
        return self._theta(self._documents(X), candidates)

    def predict_proba(self, X: Any, candidates: Any = None) -> Floats:
        """The share of each label in the words that a document owes to labels: rows sum to 1.

        Where documents have one label each, that is the label's probability.
        """
        check_is_fitted(self)
        return self._shares(self._documents(X), candidates)

    def decision_function(self, X: Any, candidates: Any = None) -> Floats:
        """Scores: logarithms of :meth:`predict_proba`, by which labels are ranked.

        With two classes there is one, above zero for the second. Where documents may have several labels, those above
        zero are predicted: it is then the logarithm of share over threshold. What is no candidate has −inf.
        """
        shares = self.predict_proba(X, candidates)
        with np.errstate(divide="ignore"):
            scores = np.log(shares)
        if self.multilabel_:
            return np.asarray(scores - np.log(self.threshold_))
        return np.asarray(scores[:, 1] - scores[:, 0]) if len(self.classes_) == 2 else scores

    def judge(self, X: Any, candidates: Any = None, *, top: int | None = None) -> Decisions:
        """The probability of each label for each document, as in :meth:`predict_proba`, and which are predicted."""
        shares = self.predict_proba(X, candidates)
        if top is None:
            reach = shares >= self.threshold_ if self.multilabel_ else shares > 0
            return Decisions(shares, given_classes(shares, reach, several=self.multilabel_))
        if not self.multilabel_:
            raise InputError("top is for documents that may have several labels: rank gives the best classes")
        given = np.zeros(shares.shape, dtype=bool)
        np.put_along_axis(given, _largest(shares, check_integer("top", top, 1)), True, axis=1)
        return Decisions(shares, given & (shares > 0))  # what is no candidate has no share

    def predict(self, X: Any, candidates: Any = None, *, top: int | None = None) -> Any:
        """The class of each document; or its labels, in the form that y had: an indicator matrix, or a list of tuples.

        A document has the labels whose share reaches ``threshold_``, and the best one in any case. With ``top`` it has
        so many, the best ones.
        """
        return self._as_y(self.judge(X, candidates, top=top).given)

    def rank(self, X: Any, top: int = 5, candidates: Any = None) -> list[list[Ranked]]:
        """The best labels of each document with their probabilities, as in :meth:`predict_proba`.

        >>> import topicwright as tw
        >>> texts, labels = ["ship sails sea", "bread oven flour"] * 10, [["sea"], ["kitchen"]] * 10
        >>> model = tw.LabeledLDA(n_sweeps=5).fit(texts, labels)
        >>> [label for label, probability in model.rank(["bread"])[0]]
        ['kitchen', 'sea']
        """
        check_integer("top", top, 1)
        shares = self.predict_proba(X, candidates)
        best, names = _largest(shares, top).tolist(), self.classes_.tolist()
        return [[Ranked(names[k], float(row[k])) for k in order if row[k] > 0] for row, order in zip(shares, best)]

    def perplexity(self, X: Any, y: Any = None, *, method: str = FOLD_IN, n_particles: int = 20) -> float:
        """Perplexity of documents given their labels: exp(−Σ log p(w | d) / n), where p(w | d) = Σ over labels of θ φ.

        y is as in :meth:`fit`; without it a corpus's own labels are taken, and other documents may have all labels.
        Words of a label that the model has never seen follow beta alone: all are equally probable.
        "fold-in" infers θ from the words that it then scores: with few labels a document that flatters little, but
        where it may have all labels, or as many as words, it does, and a φ that is sharp most of all.
        "completion" and "left-to-right" score words that θ was not inferred from: see :meth:`LDA.perplexity`.

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
        readers = self._readers()
        known = [None] * corpus.n_docs if y is None else LabelIndex(self.classes_).known(y, corpus.n_docs)
        documents, topics = TokenBatch(corpus.tokens, corpus.offsets), [readers[0].known(labels) for labels in known]
        scores = [reader.log_probabilities(documents, topics, method, n_particles) for reader in readers]
        if not scores[0].size:
            raise InputError("no document has words to score: one must have words that the model knows")
        return float(np.exp(-np.mean(np.logaddexp.reduce(scores, axis=0) - np.log(len(scores)))))

    def _theta(self, documents: TokenBatch, candidates: Any) -> Floats:
        reader, n_docs = self._reader(), len(documents.offsets) - 1
        own = LabelIndex(self.classes_).candidates(candidates, n_docs)
        return reader.infer(documents, [reader.among(labels) for labels in own])

    def _shares(self, documents: TokenBatch, candidates: Any) -> Floats:
        labels = self._theta(documents, candidates)[:, : len(self.classes_)]
        return np.asarray(labels / labels.sum(axis=1, keepdims=True))

    # ------------------------------------------------------------------ labels of words

    def attribute(self, document: Any, labels: Any = None) -> Attribution:
        """The label that each word of a document is most probably owed to.

        ``document`` is one text, one list of words or one row of counts. ``labels`` are its labels where they are
        known; without them it may have all. Words of a text keep their places in it. Show the answer in a notebook,
        print it with rich, or take its ``words``, ``probabilities``, ``to_html()`` or ``to_dict()``.

        >>> import topicwright as tw
        >>> texts, labels = ["ship sails sea", "bread oven flour"] * 10, [["sea"], ["kitchen"]] * 10
        >>> model = tw.LabeledLDA(n_sweeps=5).fit(texts, labels)
        >>> print(model.attribute("The ship sails. Bread!"))
        sea       67%  ship sails
        kitchen   33%  Bread
        """
        check_is_fitted(self)
        return attribution_of(self, document, labels)

    def snippets(self, document: Any, label: Any, *, length: int = 20, n: int = 1, labels: Any = None) -> list[Snippet]:
        """The passages of a document that are most about a label: ``n`` of them, of ``length`` words each.

        They are those with the most words that are owed to the label and not to others, of all labels or of those in
        ``labels``. From a text they are taken as they stand; otherwise they are words with spaces between.

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
            raise InputError(f"label must be one of labels: got {label!r}, expected some of {attribution.labels!r}")
        return attribution.snippets(name, length, n)

    def explain(self, document: Any, top: int = 10, *, n_labels: int = 3, candidates: Any = None) -> Explanation:
        """Why a document has its best labels, by the words that are owed to them.

        A score is θ of the label, as :meth:`transform` gives it; what it starts from is the prior.

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
    """The columns with the largest shares in each row, in order."""
    return np.argsort(-shares, axis=1, kind="stable")[:, :top]


def checked_threshold(threshold: Any) -> None:
    """A threshold must be "auto" or a share."""
    if isinstance(threshold, str) and threshold == AUTO:
        return
    is_number = isinstance(threshold, Real) and not isinstance(threshold, bool)
    if not is_number or not 0 < threshold < 1:
        raise InputError(f"threshold must be {AUTO!r} or a share between 0 and 1: got {threshold!r}")
