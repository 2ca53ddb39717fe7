"""Other ways to predict from words, behind the same methods as ours: prepare, sweep, predict."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from topicwright.corpus.corpus import Corpus
from topicwright.models.fit_state import build_engine, store_results

from ..common.tomotopy_adapter import TheirModel, missing
from ..common.untrained_estimators import UntrainedLDA
from .parameters import Parameters
from .problems import CLASSES, LABELS, TARGETS, Problem

MOST_RESPONSES = 50  # tomotopy's sampler goes through all of them for each topic of each token


class TfidfSVC:
    """TF-IDF of all words and a linear support vector machine; its one sweep is the whole training."""

    name = "TF-IDF + SVC"

    def __init__(self, problem: Problem) -> None:
        from sklearn.feature_extraction.text import TfidfTransformer

        self.problem, self.machine = problem, _machine(problem)
        self.weights = TfidfTransformer(sublinear_tf=True)

    def prepare(self) -> None:
        """Nothing is compiled."""

    def sweep(self) -> None:
        """Train."""
        words = self.weights.fit_transform(_counts(self.problem.train))
        self.machine.fit(words, _known(self.problem))

    def predict(self, corpus: Corpus) -> Any:
        """Classes, rows of labels, or numbers."""
        return _predictions(self.problem, self.machine, self.weights.transform(_counts(corpus)))

    def rank(self, corpus: Corpus) -> NDArray[np.float64]:
        """Scores of labels."""
        return np.asarray(self.machine.decision_function(self.weights.transform(_counts(corpus))))


class LdaSVC:
    """Our plain LDA, and a linear support vector machine on its shares of topics; the last sweep trains that too."""

    name = "LDA + SVC"

    def __init__(self, problem: Problem, parameters: Parameters, n_topics: int, n_sweeps: int, seed: int) -> None:
        alpha = parameters.alpha_sum / n_topics
        self.problem, self.machine, self.left = problem, _machine(problem), n_sweeps
        self.model = UntrainedLDA(n_topics, alpha=alpha, beta=parameters.beta, random_state=seed)
        self.model.fit(problem.train)
        self.engine = build_engine(self.model)

    def prepare(self) -> None:
        """Compile the sampler."""
        self.engine.prepare()

    def sweep(self) -> None:
        """Draw all topics; after the last time, train."""
        self.engine.sweep()
        self.left -= 1
        if self.left == 0:
            store_results(self.model, self.engine)
            self.machine.fit(self.model.doc_topic_, _known(self.problem))

    def predict(self, corpus: Corpus) -> Any:
        """Classes, rows of labels, or numbers."""
        return _predictions(self.problem, self.machine, self.model.transform(corpus))


class TomotopySLDA(TheirModel):
    """tomotopy's supervised LDA: a linear response, or one binary response for each class or label."""

    name = "tomotopy sLDA"

    def __init__(self, problem: Problem, parameters: Parameters, n_topics: int, seed: int) -> None:
        self.problem = problem
        responses, kind = _responses(problem)
        self.n_responses = responses.shape[1]
        prior = {"alpha": parameters.alpha_sum / n_topics, "eta": parameters.beta, "seed": seed}
        known = {"k": n_topics, "vars": kind * self.n_responses, **prior}
        super().__init__("SLDAModel", problem.train, lambda row: {"y": responses[row].tolist()}, **known)

    @staticmethod
    def why_not(problem: Problem) -> str | None:
        """Why it can not run here, or None where it can."""
        if (reason := missing()) is not None:
            return f"tomotopy is {reason}: its sLDA is left out"
        if problem.n_tasks > MOST_RESPONSES:
            return f"tomotopy's sLDA is left out: {problem.n_tasks:,} responses would take it too long"
        return None

    def predict(self, corpus: Corpus) -> Any:
        """Classes, rows of labels, or numbers; a document without words has what an average one has."""
        full, docs, _ = self.infer(corpus)
        found = np.asarray(self.model.estimate(docs), np.float64).reshape(len(docs), self.n_responses)
        responses = np.tile(found.mean(axis=0), (corpus.n_docs, 1))
        responses[full] = found
        if self.problem.kind == TARGETS:
            return self.problem.y_train.mean() + self.problem.y_train.std() * responses[:, 0]
        return _chosen(self.problem, responses - 0.5)


def _responses(problem: Problem) -> tuple[NDArray[np.float64], str]:
    if problem.kind == TARGETS:
        y = problem.y_train
        return ((y - y.mean()) / max(float(y.std()), 1e-9))[:, None], "l"
    if problem.kind == LABELS:
        return problem.y_train.astype(np.float64), "b"
    if problem.n_tasks == 1:
        return problem.y_train.astype(np.float64)[:, None], "b"
    return np.eye(len(problem.names))[problem.y_train], "b"


# ---------------------------------------------------------------------- scikit-learn


def _counts(corpus: Corpus) -> Any:
    counts = corpus.to_matrix().astype(np.float64)
    counts.indices, counts.indptr = counts.indices.astype(np.int32), counts.indptr.astype(np.int32)
    return counts


def _known(problem: Problem) -> NDArray[Any]:
    """Targets of the training documents; label numbers take the type of the indicators, so it is a wide one."""
    return problem.y_train.astype(np.int64) if problem.kind == LABELS else problem.y_train


def _machine(problem: Problem) -> Any:
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVR, LinearSVC

    if problem.kind == TARGETS:
        return TransformedTargetRegressor(SVR(kernel="linear"), transformer=StandardScaler())
    one = LinearSVC(dual="auto", random_state=0)
    return OneVsRestClassifier(one) if problem.kind == LABELS else one


def _predictions(problem: Problem, machine: Any, features: Any) -> Any:
    if problem.kind == LABELS:
        return _chosen(problem, machine.decision_function(features))
    return machine.predict(features)


def _chosen(problem: Problem, scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """As our classifier chooses: the best class; or the labels above zero, and else the best one."""
    if problem.kind == CLASSES:
        return (scores[:, 0] > 0).astype(np.int64) if scores.shape[1] == 1 else scores.argmax(axis=1)
    chosen = scores > 0
    chosen[np.arange(len(scores)), scores.argmax(axis=1)] = True
    return chosen.astype(np.int64)
