"""Our supervised estimators with the methods of all contestants: prepare, sweep, finish, predict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from topicwright._sampling.medlda.engine import WARMUP_SWEEPS
from topicwright.corpus.corpus import Corpus
from topicwright.errors import InputError
from topicwright.models.fit_state import build_engine, refit_weights, store_results
from topicwright.models.medlda.one_vs_rest import SHARED

from ..common.untrained_estimators import UntrainedClassifier, UntrainedRegressor
from .parameters import Parameters
from .problems import TARGETS, Problem


class Ours:
    """A model and the engine that its ``fit`` would run, on one thread.

    Parameters
    ----------
    sampler : {"compositional", "dense"}
    engine : mapping
        Options of the engine that estimators do not have: proposals, weight_draw.
    """

    def __init__(
        self,
        problem: Problem,
        parameters: Parameters,
        n_topics: int,
        seed: int,
        *,
        strategy: str = SHARED,
        sampler: str = "compositional",
        engine: Mapping[str, Any] | None = None,
    ) -> None:
        self.model = _estimator(problem, parameters, n_topics, seed, sampler, strategy)
        self.model.fit(problem.train, problem.y_train)
        for one in getattr(self.model, "estimators_", [self.model]):
            one._engine_options = dict(engine or {})
        self.engine = build_engine(self.model)
        self._finished_at = 0

    def prepare(self) -> None:
        """Compile the sampler."""
        self.engine.prepare()

    def sweep(self) -> None:
        """Auxiliary variables, weights and topics."""
        self.engine.sweep()

    @property
    def can_predict(self) -> bool:
        """Whether weights have been drawn."""
        return bool(self.engine.sweep_number > WARMUP_SWEEPS)

    def finish(self) -> None:
        """What ``fit`` does after its last sweep, at this point."""
        store_results(self.model, self.engine)
        refit_weights(self.model)
        self._finished_at = self.engine.sweep_number

    def predict(self, corpus: Corpus) -> Any:
        """What the estimator predicts at this point."""
        if self._finished_at != self.engine.sweep_number:
            self.finish()
        return self.model.predict(corpus)


def _estimator(
    problem: Problem, parameters: Parameters, n_topics: int, seed: int, sampler: str, strategy: str
) -> UntrainedClassifier | UntrainedRegressor:
    shared: dict[str, Any] = {
        "loss": parameters.loss,
        "C": parameters.cost,
        "alpha": parameters.alpha_sum / n_topics,
        "beta": parameters.beta,
        "nu": parameters.nu,
        "mh_steps": parameters.mh_steps,
        "weight_sweeps": parameters.weight_sweeps,
        "sampler": sampler,
        "word_weights": False,  # the model of the paper
        "random_state": seed,
    }
    kind = UntrainedRegressor if problem.kind == TARGETS else UntrainedClassifier
    if problem.kind == TARGETS:
        shared["epsilon"] = parameters.epsilon
    else:
        shared |= {"margin": parameters.margin, "strategy": strategy, "calibrate": False}
    known = kind().get_params()
    for name, value in parameters.more:
        if name not in known:
            raise InputError(f"{kind.__bases__[1].__name__} has no parameter {name}")
        shared[name] = value
    return kind(n_topics, **shared)
