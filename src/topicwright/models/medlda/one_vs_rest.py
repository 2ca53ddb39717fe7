"""Strategy "one-vs-rest": one model with its own topics for each task, all trained side by side."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._sampling.engine import EngineGroup, SamplingEngine, SamplingResults
from ..._sampling.inference import TokenBatch
from ..._utils.validation import check_n_jobs
from ...corpus import Corpus
from ...knowledge import CompiledKnowledge
from ...knowledge.factors import is_builtin, registered
from .._inputs import CLASSES, EncodedClasses, Floats, Tasks
from .._training import OnSweep
from ..fit_state import FitState, build_engine
from .base import MedLDABase

SHARED, ONE_VS_REST = "shared", "one-vs-rest"
STRATEGIES = (SHARED, ONE_VS_REST)
_OF_SHARED_TOPICS = (
    *("topic_word_counts_", "doc_topic_counts_", "assignments_", "coef_", "intercept_", "word_coef_", "_snapshot"),
    *("components_", "topic_word_", "doc_topic_"),
    *("_eta", "_average", "_word_eta", "_word_average", "_weights", "_intercepts"),
)


class OneVsRestMixin(MedLDABase):
    """Delegation to ``estimators_``, one for each task, if the strategy is "one-vs-rest"."""

    strategy: str
    margin_: float
    C_: float

    def _estimators(self) -> list[Any]:
        """Estimators of the tasks; empty if all tasks share their topics."""
        estimators: list[Any] = self.__dict__.get("estimators_", [])
        return estimators

    def _set_classes(self, encoded: EncodedClasses) -> None:
        raise NotImplementedError

    # ------------------------------------------------------------------ training

    def _prepare_fit(
        self, corpus: Corpus, tasks: Tasks, knowledge: FitState | None = None, idf: Floats | None = None
    ) -> None:
        for name in ("estimators_", *_OF_SHARED_TOPICS):  # of an earlier fit
            self.__dict__.pop(name, None)
        super()._prepare_fit(corpus, tasks, knowledge, idf)
        if self.strategy == ONE_VS_REST:
            for name in _OF_SHARED_TOPICS:
                self.__dict__.pop(name, None)
            self.estimators_ = [self._new_estimator(task) for task in range(tasks.targets.shape[1])]

    def _new_estimator(self, task: int) -> Any:
        """Model of one task, ready for training."""
        (seed,) = np.random.SeedSequence(self.seed_, spawn_key=(task,)).generate_state(1, np.uint32).tolist()
        parameters = {**self.get_params(deep=False), "strategy": SHARED, "n_jobs": 1, "random_state": seed}
        parameters["calibrate"] = False  # all tasks together
        estimator = type(self)(**parameters)
        estimator._set_classes(EncodedClasses(np.array([False, True]), CLASSES, self._tasks.targets))
        estimator.margin_, estimator.C_ = self.margin_, self.C_
        targets, weights = self._tasks
        tasks = Tasks(targets[:, [task]].copy(), None if weights is None else weights[:, [task]].copy())
        knowledge = FitState(list(self.knowledge), self.fit_state_.compiled, {})
        estimator._prepare_fit(self.corpus_, tasks, knowledge, self._idf)
        return estimator

    def _set_knowledge(self, state: FitState) -> None:
        super()._set_knowledge(state)
        for estimator in self._estimators():
            estimator.knowledge = self.knowledge
            estimator._set_knowledge(state._replace(warnings=estimator.fit_state_.warnings))

    def _new_engine(self, backend: Any = None, resume: bool = False) -> SamplingEngine:
        estimators = self._estimators()
        if not estimators:
            return super()._new_engine(backend, resume)
        for estimator in estimators:
            compiled = _with_own_factors(self.fit_state_.compiled)
            estimator.fit_state_ = estimator.fit_state_._replace(compiled=compiled)
            if self._is_convex():
                estimator._word_rows = self._tfidf()
            elif self._idf is not None:
                estimator._feature_columns = self._features()
        n_jobs = check_n_jobs(self.n_jobs)
        if backend is not None:  # its workers do one thing at a time
            problems = [estimator._problem() for estimator in estimators]
            return EngineGroup(backend.start_all(problems, n_jobs=n_jobs, resume=resume), 1)
        return EngineGroup([build_engine(estimator) for estimator in estimators], n_jobs)

    def _train(self, n_sweeps: int, on_sweep: OnSweep | None = None, backend: Any = None, resume: bool = False) -> None:
        super()._train(n_sweeps, on_sweep, backend, resume)
        for estimator in self._estimators():
            estimator.interrupted_ = self.interrupted_
            estimator._drop_features()

    def _refit(self) -> None:
        estimators = self._estimators()
        if not estimators:
            super()._refit()
            return
        with ThreadPoolExecutor(check_n_jobs(self.n_jobs), thread_name_prefix="topicwright") as pool:
            list(pool.map(lambda estimator: estimator._refit(), estimators))

    def _left_out_scores(self) -> Floats:
        estimators = self._estimators()
        if not estimators:
            return super()._left_out_scores()
        with ThreadPoolExecutor(check_n_jobs(self.n_jobs), thread_name_prefix="topicwright") as pool:
            return np.hstack(list(pool.map(lambda estimator: estimator._left_out_scores(), estimators)))

    def _rescale(self, slopes: Floats, offsets: Floats) -> None:
        estimators = self._estimators()
        if not estimators:
            super()._rescale(slopes, offsets)
        for task, estimator in enumerate(estimators):
            estimator._rescale(slopes[[task]], offsets[[task]])

    def _store_results(self, results: Sequence[SamplingResults]) -> None:
        estimators = self._estimators()
        if not estimators:
            super()._store_results(results)
            return
        self.sweeps_ = min(own.sweep_number for own in results)
        for estimator, own in zip(estimators, results):
            estimator._store_results([own])

    # ------------------------------------------------------------------ results

    def _scores_of(self, documents: TokenBatch) -> Floats:
        estimators = self._estimators()
        if not estimators:
            return super()._scores_of(documents)
        with ThreadPoolExecutor(check_n_jobs(self.n_jobs), thread_name_prefix="topicwright") as pool:
            columns = list(pool.map(lambda estimator: estimator._scores_of(documents)[:, 0], estimators))
        return np.column_stack(columns)

    def _require_corpus(self, what: str) -> None:
        estimators = self._estimators()
        if estimators:
            estimators[0]._require_corpus(what)
        else:
            super()._require_corpus(what)

    def __sklearn_is_fitted__(self) -> bool:
        return "coef_" in self.__dict__ or any("coef_" in estimator.__dict__ for estimator in self._estimators())

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if "estimators_" in self.__dict__ and name in _OF_SHARED_TOPICS:
                what = "it" if name.startswith("_") else name
                raise AttributeError(
                    f"{what} does not exist with strategy={ONE_VS_REST!r}, where each class has its own topics: "
                    "see estimators_"
                )
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


def _with_own_factors(compiled: CompiledKnowledge) -> CompiledKnowledge:
    """Knowledge with copies of the factors that keep statistics of one model; everything else is shared."""
    return compiled._replace(
        factors=tuple(deepcopy(factor) if _has_statistics(type(factor)) else factor for factor in compiled.factors)
    )


def _has_statistics(kind: type) -> bool:
    functions = registered(kind)
    return not is_builtin(kind) or functions is None or functions.on_move is not None
