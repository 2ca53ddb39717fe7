"""A model with topics of its own for each task, all of them trained side by side, sweep by sweep."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._sampling.threads import ThreadTask, new_pool, run
from ..._utils.validation import check_n_jobs
from ...corpus import Corpus
from ...knowledge import CompiledKnowledge
from .._knowledge import compile_collecting_warnings
from .._targets import CLASSES, EncodedClasses, Floats, Tasks
from .._training import HERE, OnSweep, Where
from ..base import VIEWS
from ..lda import LDA
from .base import MedLDABase

SHARED, ONE_VS_REST = "shared", "one-vs-rest"
STRATEGIES = (SHARED, ONE_VS_REST)
_OF_SHARED_TOPICS = (
    *("topic_word_counts_", "doc_topic_counts_", "assignments_", "coef_", "word_coef_", "_frozen"),
    *("_eta", "_average", "_word_eta", "_word_average", "_weights"),
)


class OneVsRestMixin(MedLDABase):
    """Where the strategy is "one-vs-rest": hands everything on to ``estimators_``, which have one task each."""

    strategy: str
    margin_: float
    C_: float

    def _begin(self, corpus: Corpus, tasks: Tasks, knowledge: CompiledKnowledge | None = None) -> None:
        for name in ("estimators_", *_OF_SHARED_TOPICS, *VIEWS):  # of an earlier fit
            self.__dict__.pop(name, None)
        super()._begin(corpus, tasks, knowledge)
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
        one._begin(self.corpus_, tasks, self._compiled)
        return one

    def _set_classes(self, labelling: EncodedClasses) -> None:
        raise NotImplementedError

    def _know(self, compiled: CompiledKnowledge) -> None:
        super()._know(compiled)
        for one in self._estimators():
            one.knowledge, one._known = self.knowledge, self._known
            one._know(compiled)

    def _engine(self, where: Where = HERE) -> Any:
        ones = self._estimators()
        if not ones:
            return super()._engine(where)
        numbers = self._compiled.topics.numbers
        for one in ones:  # a copy for each: some knowledge keeps step with the topics of the one model that has it
            one._compiled, _ = compile_collecting_warnings(self._known, self.corpus_, len(self.alpha_), numbers)
        n_jobs = check_n_jobs(self.n_jobs)
        if where.backend is not None:  # whose workers do one thing at a time
            return EngineGroup(where.start_all([one._job() for one in ones], n_jobs), 1)
        return EngineGroup([one._engine() for one in ones], n_jobs)

    def _train(self, n_sweeps: int, on_sweep: OnSweep | None, where: Where = HERE) -> LDA:
        super()._train(n_sweeps, on_sweep, where)
        for one in self._estimators():
            one.interrupted_ = self.interrupted_
        return self

    def _refit(self) -> None:
        ones = self._estimators()
        if not ones:
            super()._refit()
            return
        with ThreadPoolExecutor(check_n_jobs(self.n_jobs), thread_name_prefix="topicwright") as pool:
            list(pool.map(lambda one: one._refit(), ones))

    def _take_over(self, engine: Any) -> None:
        if not isinstance(engine, EngineGroup):
            super()._take_over(engine)
            return
        self.sweeps_ = engine.sweep_number
        for one, its_engine in zip(self.estimators_, engine.engines):
            one._take_over(its_engine)

    def _scores(self, X: Any) -> Floats:
        ones = self._estimators()
        if not ones:
            return super()._scores(X)
        documents = self._documents(X)
        with ThreadPoolExecutor(check_n_jobs(self.n_jobs), thread_name_prefix="topicwright") as pool:
            columns = list(pool.map(lambda one: one._scores_of(documents)[:, 0], ones))
        return np.column_stack(columns)

    def _needs_corpus(self, what: str) -> None:
        ones = self._estimators()
        if ones:
            ones[0]._needs_corpus(what)
        else:
            super()._needs_corpus(what)

    def _estimators(self) -> list[Any]:
        ones: list[Any] = self.__dict__.get("estimators_", [])
        return ones

    def __sklearn_is_fitted__(self) -> bool:
        return "coef_" in self.__dict__ or any("coef_" in one.__dict__ for one in self._estimators())

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if "estimators_" in self.__dict__ and name in (*_OF_SHARED_TOPICS, *VIEWS):
                what = "this" if name.startswith("_") else name
                raise AttributeError(
                    f"{what} is not to be had with strategy={ONE_VS_REST!r}, where each class has topics of its own: "
                    "see estimators_"
                )
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


class EngineGroup:
    """Engines of one corpus with topics of their own; a sweep is one of each, some at a time.

    For the likelihood they are one model of as many copies of the corpus, each with its own topics. Where a run on
    shards goes on that was cut off, some may be ahead: those wait.
    """

    def __init__(self, engines: Sequence[Any], n_jobs: int) -> None:
        self.engines = list(engines)
        self.n_tokens = sum(engine.n_tokens for engine in engines)
        self._n_jobs = n_jobs
        self._pool = new_pool(n_jobs)

    @property
    def sweep_number(self) -> int:
        """Sweeps that all have done."""
        return int(min(engine.sweep_number for engine in self.engines))

    @property
    def curve(self) -> list[tuple[int, float]]:
        """What was measured of all before, where a run goes on that was cut off."""
        curves = [dict(engine.curve) for engine in self.engines]
        sweeps = [sweep for sweep in curves[0] if all(sweep in curve for curve in curves)]
        return [(sweep, self._joint([curve[sweep] for curve in curves]) / self.n_tokens) for sweep in sweeps]

    @property
    def n_moved(self) -> int:
        """How many tokens changed their topic, in all engines."""
        return sum(engine.n_moved for engine in self.engines)

    def log_likelihood(self) -> float:
        """log p(w, z) of all copies together."""
        return self._joint([engine.log_likelihood() / max(1, engine.n_tokens) for engine in self.engines])

    def _joint(self, by_token: Sequence[float]) -> float:
        return float(self.n_tokens * np.mean(by_token))

    def prepare(self) -> None:
        """Compile the sampler, which is the same for all."""
        self.engines[0].prepare()

    def sweep(self) -> None:
        """One sweep of every engine."""
        behind = [engine for engine in self.engines if engine.sweep_number == self.sweep_number]
        run([ThreadTask(engine.sweep) for engine in behind], self._pool, self._n_jobs)

    def close(self) -> None:
        """Let the threads go."""
        for engine in self.engines:
            engine.close()
        if self._pool is not None:
            self._pool.shutdown()
