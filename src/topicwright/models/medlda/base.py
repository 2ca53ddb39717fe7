"""Base class of the MedLDA models: topics and their weights in one or several tasks, sampled together."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..._sampling.engine import SamplingEngine, SamplingProblem, SamplingResults, Supervision
from ..._sampling.inference import TokenBatch, infer
from ..._sampling.medlda.engine import MedLDAEngine
from ..._sampling.medlda.left_out import left_out_shares
from ..._sampling.medlda.weights import FeatureColumns, TaskWeights, refit_weights
from ..._utils.validation import (
    MOST_STEPS,
    MOST_TOPICS,
    check_bool,
    check_choice,
    check_integer,
    check_n_jobs,
    check_positive,
    initial_alpha,
)
from ...corpus import Corpus
from ...corpus.vocabulary import document_frequencies
from ...errors import InputError
from ...losses.base import Loss, loss_class
from .._inputs import Floats, Tasks
from .._knowledge import compile_for
from .._training import OnSweep, run_training
from ..batch import BatchTopicModel
from ..fit_state import FitState, build_problem, reset_fit_state, store_topics
from .linear import COSTS, LinearProblem, has_dual, left_out_scores, solve_path, split_documents


def inverse_document_frequency(tokens: NDArray[np.int32], offsets: NDArray[np.int64], n_words: int) -> Floats:
    """Inverse document frequency of each word, 1 + log((1 + D) / (1 + D_w))."""
    return np.asarray(1.0 + np.log(len(offsets) / (1 + document_frequencies(tokens, offsets, n_words))))


def tfidf_features(tokens: NDArray[np.int32], offsets: NDArray[np.int64], idf: Floats) -> Any:
    """TF-IDF features as CSR with one row of length 1 per document; zero for a document without words."""
    from scipy.sparse import csr_array

    shape = (len(offsets) - 1, len(idf))
    rows = csr_array((np.ones(len(tokens)), tokens.copy(), offsets.copy()), shape=shape)  # changed in place below
    rows.sum_duplicates()
    rows.data = (1.0 + np.log(rows.data)) * idf[rows.indices]
    return _of_length_one(rows)


def without_own_words(rows: Any) -> Any:
    """TF-IDF features of training documents as if each were new: words of no other document are unknown."""
    n_docs = np.bincount(rows.indices, minlength=rows.shape[1])
    rows = rows.copy()
    rows.data[n_docs[rows.indices] == 1] = 0.0
    rows.eliminate_zeros()
    return _of_length_one(rows)


def _of_length_one(rows: Any) -> Any:
    """Rows divided by their lengths, in place; rows of zeros stay."""
    lengths = np.sqrt(np.add.reduceat(np.append(rows.data**2, 0.0), rows.indptr[:-1]))
    rows.data /= np.repeat(lengths, np.diff(rows.indptr))
    return rows


def feature_columns(tokens: NDArray[np.int32], offsets: NDArray[np.int64], idf: Floats) -> FeatureColumns:
    """TF-IDF features by column, times the length of each document: scores of the sampler are sums over tokens."""
    rows = tfidf_features(tokens, offsets, idf)
    rows.data *= np.repeat(np.diff(offsets), np.diff(rows.indptr))
    columns = rows.tocsc()
    return FeatureColumns(columns.indptr.astype(np.int64), columns.indices.astype(np.int32), columns.data)


AUTO = "auto"
SAMPLERS = (AUTO, "compositional", "dense")
_ALPHA_SUM, _ALPHA_SHARE = 32.0, 0.4  # default of Σα, or this share of the mean document length if that is less
_DENSE_TOPICS = 24  # up to this number of topics exact draws are as fast as Metropolis steps, and mix better
_SHARE_STEPS = 6  # fixed-point iterations for the topic shares of a document
# Scale of topic shares beside TF-IDF vectors of length 1. Labels formed the topics, so left-out documents overrate them
# and cannot choose it.
_TOPIC_SCALE = 0.5
_MIN_TOKENS = 0.1  # expected number of tokens below which the share of a topic is set to zero


class MedLDABase(BatchTopicModel):
    """Base class of :class:`MedLDAClassifier` and :class:`MedLDARegressor`."""

    n_topics: int
    nu: float
    sampler: str
    mh_steps: int
    weight_sweeps: int
    word_weights: bool | float | str
    refit: bool

    _engine_options: ClassVar[dict[str, Any]] = {}  # further options of the engine, for experiments

    _tasks: Tasks
    _eta: Floats | None
    _average: Floats
    _weights: TaskWeights  # for predictions
    intercept_: Any
    _intercepts: Floats  # of the tasks; 0 without word weights
    _idf: Floats | None  # None without word weights
    _feature_columns: FeatureColumns  # TF-IDF features of the training documents by column, while training runs
    _word_rows: Any  # the same by document, as CSR
    _word_cost: float  # C of words alone, while training runs
    _base_scores: Floats  # predictions for training documents by words alone, while training runs
    _word_eta: Floats | None
    _word_average: Floats

    def _loss_object(self) -> Loss:
        """Loss that the parameters define."""
        raise NotImplementedError

    def _default_word_nu(self) -> float:
        """Default precision of the prior of word weights: about that of a linear SVM with C = 1."""
        raise NotImplementedError

    # ------------------------------------------------------------------ training

    def _check_parameters(self) -> None:
        check_integer("n_topics", self.n_topics, 1, MOST_TOPICS)
        check_integer("n_sweeps", self.n_sweeps, 1)
        check_integer("evaluate_every", self.evaluate_every, 0)
        check_integer("mh_steps", self.mh_steps, 1, MOST_STEPS)
        check_integer("weight_sweeps", self.weight_sweeps, 1, MOST_STEPS)
        check_positive("nu", self.nu)
        check_bool("refit", self.refit)
        if isinstance(self.word_weights, str):
            check_choice("word_weights", self.word_weights, (AUTO,))
        elif self.word_weights is not True and self.word_weights is not False:
            check_positive("word_weights", self.word_weights)
        check_choice("sampler", self.sampler, SAMPLERS)
        for name in ("alpha", "beta"):
            if isinstance(getattr(self, name), str):
                raise InputError(
                    parameter=name,
                    expected="numbers",
                    got=getattr(self, name),
                    hint="priors are not learned in supervised models",
                )
        self._loss_object()

    def _prepare_fit(
        self, corpus: Corpus, tasks: Tasks, knowledge: FitState | None = None, idf: Floats | None = None
    ) -> None:
        """Set the fitted attributes to those before the first sweep.

        ``knowledge`` and ``idf`` are those of the model that this one is a part of, so that they are computed once.
        """
        n_topics = self.n_topics
        alpha_sum = min(_ALPHA_SUM, _ALPHA_SHARE * mean_length(corpus))
        reset_fit_state(
            self, corpus, initial_alpha(alpha_sum / n_topics if self.alpha is None else self.alpha, n_topics)
        )
        self._tasks = tasks
        self._set_knowledge(compile_for(self, corpus, n_topics) if knowledge is None else knowledge)
        n_tasks = tasks.targets.shape[1]
        self._eta, self._average, self._intercepts = None, np.zeros((n_tasks, n_topics)), np.zeros(n_tasks)
        has_weights = self._has_words()
        if has_weights and idf is None:
            idf = inverse_document_frequency(corpus.tokens, corpus.offsets, corpus.n_words)
        self._idf = idf
        self._word_eta, self._word_average = None, np.zeros((n_tasks, corpus.n_words if has_weights else 0))

    def _recompile_knowledge(self) -> FitState:
        return compile_for(self, self.corpus_, len(self.alpha_), self.fit_state_.compiled.topics.numbers)

    def _train(self, n_sweeps: int, on_sweep: OnSweep | None = None, backend: Any = None, resume: bool = False) -> None:
        run_training(self, self._new_engine(backend, resume), n_sweeps, on_sweep)
        self._refit()
        self._drop_features()

    def _refit(self) -> None:
        """Set the weights for predictions: refitted to the topics, or the mean over sweeps."""
        self._weights = TaskWeights(self._average, self._word_average)
        self._intercepts = np.zeros(len(self._average))
        if self._is_convex():
            self._solve()
        elif self.refit:
            shares = self._shares(TokenBatch(self.corpus_.tokens, self.corpus_.offsets))
            self._weights = self._refit_weights(shares, self._tasks.targets)
        self._name_weights()

    def _refit_weights(self, shares: Floats, targets: Floats) -> TaskWeights:
        words = self._word_options()
        return refit_weights(
            shares,
            self.corpus_.doc_lengths(),
            targets,
            self._loss_object(),
            self._weights,
            cost_weights=self._tasks.cost_weights,
            nu=float(self.nu),
            features=words.get("features"),
            feature_nu=words.get("feature_nu", 1.0),
            seed=self.seed_,
            n_jobs=check_n_jobs(self.n_jobs),
        )

    # ------------------------------------------------------------------ word weights

    def _has_words(self) -> bool:
        """Whether words have weights."""
        if isinstance(self.word_weights, str):
            return hasattr(loss_class(self.loss), "dual")
        return self.word_weights is not False

    def _is_convex(self) -> bool:
        """Whether word weights are found by a convex solve; those of other losses are sampled."""
        return self._idf is not None and has_dual(self._loss_object())

    def _quality(self, scores: Floats, targets: Floats) -> float:
        """Quality of scores, by which penalties are chosen; higher is better."""
        raise NotImplementedError

    def _costs(self) -> tuple[float, ...]:
        """Candidates for C of word weights."""
        return COSTS if isinstance(self.word_weights, (bool, str)) else (1.0 / float(self.word_weights),)

    def _linear_problem(self, shares: Floats | None = None) -> LinearProblem:
        """Convex problem with a column for the intercept, one per topic if there are shares, and one per word."""
        rows = self._linear_rows(self._tfidf(), shares)
        return LinearProblem(rows, self._tasks, self._loss_object(), check_n_jobs(self.n_jobs))

    def _linear_rows(self, words: Any, shares: Floats | None) -> Any:
        from scipy.sparse import csr_array, hstack

        has_words = csr_array(np.diff(self.corpus_.offsets)[:, None] > 0, dtype=np.float64)
        topics = [] if shares is None else [csr_array(_TOPIC_SCALE * shares)]
        return hstack([has_words, *topics, words], format="csr")

    def _tfidf(self) -> Any:
        """TF-IDF features of the training documents, computed once for all problems."""
        if "_word_rows" not in self.__dict__:
            assert self._idf is not None
            self._word_rows = tfidf_features(self.corpus_.tokens, self.corpus_.offsets, self._idf)
        return self._word_rows

    def _predict_by_words(self) -> Floats:
        """Score of each training document by words alone, without the document: topics add what these lack."""
        if "_base_scores" not in self.__dict__:
            found = left_out_scores(self._linear_problem(), self._costs(), self._quality)
            self._word_cost, self._base_scores = found
        return self._base_scores

    def _solve(self) -> None:
        """Set the weights by a convex solve: of topics and words, or with ``refit=False`` of words alone."""
        self._predict_by_words()
        problem = self._linear_problem(self._training_shares() if self.refit else None)
        (solution,) = solve_path(problem, [self._word_cost])
        rows = np.ascontiguousarray(solution.T)
        n_words = self.corpus_.n_words
        self._intercepts, topics, words = rows[:, 0], _TOPIC_SCALE * rows[:, 1:-n_words], rows[:, -n_words:]
        self._weights = TaskWeights(topics if self.refit else self._average, words.copy())

    def _rescale(self, slopes: Floats, offsets: Floats) -> None:
        """Multiply the scores of each task by its slope, and add its offset, by changing the weights."""
        column = slopes[:, None]
        self._weights = TaskWeights(column * self._weights.topics, column * self._weights.words)
        self._intercepts = slopes * self._intercepts + offsets
        self._name_weights()

    def _left_out_scores(self) -> Floats:
        """Score of each training document as if it were new: by weights that were found without it.

        The weights of topics alone are few, so that only the shares of topics have to leave the document out.
        """
        shares = self._training_shares()
        if self._idf is None:
            return np.asarray(shares @ self._weights.topics.T)
        if self._is_convex():
            of_topics = shares if self.refit else None
            rows = self._linear_rows(without_own_words(self._tfidf()), of_topics)
            scores = left_out_scores(self._linear_problem(of_topics), [self._word_cost], rows=rows).scores
            return scores if self.refit else scores + shares @ self._average.T
        scores, words = np.zeros_like(self._tasks.targets), without_own_words(self._tfidf())
        folds = split_documents(self._tasks.targets)
        for fold in range(folds.max() + 1):
            is_out = folds == fold
            weights = self._refit_weights(shares, np.where(is_out[:, None], np.nan, self._tasks.targets))
            scores[is_out] = shares[is_out] @ weights.topics.T + words[np.flatnonzero(is_out)] @ weights.words.T
        return scores

    # ------------------------------------------------------------------ engines

    def _new_engine(self, backend: Any = None, resume: bool = False) -> SamplingEngine:
        n_jobs = check_n_jobs(self.n_jobs)
        if backend is None:
            return MedLDAEngine(self._problem(), n_jobs=n_jobs, **self._engine_options)
        engine: SamplingEngine = backend.start(self._problem(), n_jobs=n_jobs, resume=resume)
        return engine

    def _problem(self) -> SamplingProblem:
        supervision = Supervision(
            self._tasks.targets,
            self._loss_object(),
            self._tasks.cost_weights,
            float(self.nu),
            self._sampler(),
            int(self.mh_steps),
            int(self.weight_sweeps),
            eta=self._eta,
            average=self._average,
            **self._word_options(),
        )
        return build_problem(self)._replace(supervision=supervision)

    def _word_options(self) -> dict[str, Any]:
        if self._idf is None:
            return {}
        if self._is_convex():
            return {"base_scores": self._predict_by_words()}
        return {
            "features": self._features(),
            "feature_nu": self._default_word_nu() if isinstance(self.word_weights, bool) else float(self.word_weights),
            "feature_eta": self._word_eta,
            "feature_average": self._word_average,
        }

    def _features(self) -> FeatureColumns:
        """TF-IDF features of the training documents, computed once for sampling and refitting."""
        if "_feature_columns" not in self.__dict__:
            assert self._idf is not None
            self._feature_columns = feature_columns(self.corpus_.tokens, self.corpus_.offsets, self._idf)
        return self._feature_columns

    def _drop_features(self) -> None:
        for name in ("_feature_columns", "_word_rows", "_word_cost", "_base_scores"):
            self.__dict__.pop(name, None)

    def _sampler(self) -> str:
        if self.sampler != "auto":
            return self.sampler
        return "dense" if len(self.alpha_) <= _DENSE_TOPICS else "compositional"

    def _store_results(self, results: Sequence[SamplingResults]) -> None:
        (own,) = results
        store_topics(self, own)
        weights = own.weights
        assert weights is not None
        self._eta, self._average = weights.eta.copy(), weights.average.copy()
        self._word_eta, self._word_average = weights.feature_eta.copy(), weights.feature_average.copy()

    def _name_weights(self) -> None:
        """Set ``coef_``, ``intercept_`` and ``word_coef_``."""
        self.intercept_ = self._intercepts
        self.coef_ = self._weights.topics
        self.word_coef_ = None if self._idf is None else self._weights.words

    def _fit_baseline(self, on_sweep: OnSweep | None) -> MedLDABase:
        other: MedLDABase = copy(self).set_params(knowledge=(), random_state=self.seed_, evaluate_every=0)
        other._prepare_fit(self.corpus_, self._tasks)
        other._train(self.sweeps_, on_sweep)
        return other

    # ------------------------------------------------------------------ new documents

    def _shares(self, documents: TokenBatch) -> Floats:
        """Expected share of each topic in the tokens of a document, computed alike for training and new documents."""
        n_jobs = check_n_jobs(self.n_jobs)
        shares = infer(self._snapshot, documents, n_steps=_SHARE_STEPS, is_smoothed=False, n_jobs=n_jobs)
        return _without_traces(shares, documents)

    def _training_shares(self) -> Floats:
        """Shares of the topics in each training document, as if it had not been part of the training."""
        documents = TokenBatch(self.corpus_.tokens, self.corpus_.offsets)
        n_jobs = check_n_jobs(self.n_jobs)
        assert self.assignments_ is not None
        shares = left_out_shares(self._snapshot, documents, self.assignments_, _SHARE_STEPS, n_jobs)
        return _without_traces(shares, documents)

    def _scores(self, X: Any) -> Floats:
        return self._scores_of(self._documents(X))

    def _scores_of(self, documents: TokenBatch) -> Floats:
        has_words = np.diff(documents.offsets)[:, None] > 0
        scores: Floats = has_words * self._intercepts + self._shares(documents) @ self._weights.topics.T
        if self._idf is not None:
            scores += _word_scores(tfidf_features(documents.tokens, documents.offsets, self._idf), self._weights.words)
        return scores

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")


def _word_scores(features: Any, weights: Floats) -> Floats:
    """Scores by the words of documents; those of few documents need no copy of all weights."""
    from scipy.sparse import csr_array

    if features.nnz < weights.shape[1]:
        words, columns = np.unique(features.indices, return_inverse=True)
        features = csr_array((features.data, columns, features.indptr), shape=(features.shape[0], len(words)))
        weights = weights[:, words]
    scores: Floats = features @ weights.T
    return scores


def _without_traces(shares: Floats, documents: TokenBatch) -> Floats:
    """Shares without those that amount to less than a tenth of a token."""
    shares[shares * np.diff(documents.offsets)[:, None] < _MIN_TOKENS] = 0.0
    return shares


# ---------------------------------------------------------------------- parameters


def mean_length(corpus: Corpus) -> float:
    """Mean number of tokens of a document."""
    return corpus.n_tokens / max(1, corpus.n_docs)
