"""A model with topics of its own for each task, all of them trained side by side, sweep by sweep."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._sampling.engine import EngineGroup, SamplingEngine, SamplingResults
from ..._utils.validation import check_n_jobs
from ...corpus import Corpus
from .._knowledge import compile_collecting_warnings
from .._targets import CLASSES, EncodedClasses, Floats, Tasks
from .._training import OnSweep
from ..fit_state import FitState
from .base import MedLDABase

SHARED, ONE_VS_REST = "shared", "one-vs-rest"
STRATEGIES = (SHARED, ONE_VS_REST)
_OF_SHARED_TOPICS = (
    *("topic_word_counts_", "doc_topic_counts_", "assignments_", "coef_", "word_coef_", "_snapshot"),
    *("components_", "topic_word_", "doc_topic_"),
    *("_eta", "_average", "_word_eta", "_word_average", "_weights"),
)


class OneVsRestMixin(MedLDABase):
    """Where the strategy is "one-vs-rest": hands everything on to ``estimators_``, which have one task each."""

    strategy: str
    margin_: float
    C_: float

    def _prepare_fit(self, corpus: Corpus, tasks: Tasks, knowledge: FitState | None = None) -> None:
        for name in ("estimators_", *_OF_SHARED_TOPICS):  # of an earlier fit
            self.__dict__.pop(name, None)
        super()._prepare_fit(corpus, tasks, knowledge)
        if self.strategy == ONE_VS_REST:
            for name in _OF_SHARED_TOPICS:
                self.__dict__.pop(name, None)
            self.estimators_ = [self._new_estimator(task) for task in range(tasks.targets.shape[1])]

    def _new_estimator(self, task: int) -> Any:
        """A model of one task, ready to be trained."""
        (seed,) = np.random.SeedSequence(self.seed_, spawn_key=(task,)).generate_state(1, np.uint32).tolist()
        one = type(self)(**{**self.get_params(deep=False), "strategy": SHARED, "n_jobs": 1, "random_state": seed})
        one._set_classes(EncodedClasses(np.array([False, True]), CLASSES, self._tasks.targets))
        one.margin_, one.C_ = self.margin_, self.C_
        targets, weights = self._tasks
        tasks = Tasks(targets[:, [task]].copy(), None if weights is None else weights[:, [task]].copy())
        one._prepare_fit(self.corpus_, tasks, FitState(list(self.knowledge), self.fit_state_.compiled, {}))
        return one

    def _set_classes(self, labelling: EncodedClasses) -> None:
        raise NotImplementedError

    def _set_knowledge(self, state: FitState) -> None:
        super()._set_knowledge(state)
        for one in self._estimators():
            one.knowledge = self.knowledge
            one._set_knowledge(state._replace(warnings=one.fit_state_.warnings))

    def _new_engine(self, backend: Any = None, resume: bool = False) -> SamplingEngine:
        ones = self._estimators()
        if not ones:
            return super()._new_engine(backend, resume)
        state = self.fit_state_
        for one in ones:  # a copy for each: some knowledge keeps step with the topics of the one model that has it
            compiled, _ = compile_collecting_warnings(
                state.knowledge, self.corpus_, len(self.alpha_), state.compiled.topics.numbers
            )
            one.fit_state_ = one.fit_state_._replace(compiled=compiled)
        n_jobs = check_n_jobs(self.n_jobs)
        if backend is not None:  # its workers do one thing at a time
            problems = [one._problem() for one in ones]
            return EngineGroup(backend.start_all(problems, n_jobs=n_jobs, resume=resume), 1)
        return EngineGroup([one._new_engine() for one in ones], n_jobs)

    def _train(self, n_sweeps: int, on_sweep: OnSweep | None = None, backend: Any = None, resume: bool = False) -> None:
        super()._train(n_sweeps, on_sweep, backend, resume)
        for one in self._estimators():
            one.interrupted_ = self.interrupted_

    def _refit(self) -> None:
        ones = self._estimators()
        if not ones:
            super()._refit()
            return
        with ThreadPoolExecutor(check_n_jobs(self.n_jobs), thread_name_prefix="topicwright") as pool:
            list(pool.map(lambda one: one._refit(), ones))

    def _store_results(self, results: Sequence[SamplingResults]) -> None:
        ones = self._estimators()
        if not ones:
            super()._store_results(results)
            return
        self.sweeps_ = min(own.sweep_number for own in results)
        for one, own in zip(ones, results):
            one._store_results([own])

    def _scores(self, X: Any) -> Floats:
        ones = self._estimators()
        if not ones:
            return super()._scores(X)
        documents = self._documents(X)
        with ThreadPoolExecutor(check_n_jobs(self.n_jobs), thread_name_prefix="topicwright") as pool:
            columns = list(pool.map(lambda one: one._scores_of(documents)[:, 0], ones))
        return np.column_stack(columns)

    def _require_corpus(self, what: str) -> None:
        ones = self._estimators()
        if ones:
            ones[0]._require_corpus(what)
        else:
            super()._require_corpus(what)

    def _estimators(self) -> list[Any]:
        ones: list[Any] = self.__dict__.get("estimators_", [])
        return ones

    def __sklearn_is_fitted__(self) -> bool:
        return "coef_" in self.__dict__ or any("coef_" in one.__dict__ for one in self._estimators())

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if "estimators_" in self.__dict__ and name in _OF_SHARED_TOPICS:
                what = "this" if name.startswith("_") else name
                raise AttributeError(
                    f"{what} is not to be had with strategy={ONE_VS_REST!r}, where each class has topics of its own: "
                    "see estimators_"
                )
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
