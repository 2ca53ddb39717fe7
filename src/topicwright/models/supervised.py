"""What supervised topic models share: topics that are drawn together with the weights they have in some tasks."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from copy import copy
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..corpus import Corpus
from ..errors import InputError, TopicwrightWarning
from ..knowledge import Compiled, KnowledgeReport
from ..samplers.inference import Documents, infer
from ..samplers.random import seed_from
from ..samplers.supervised_engine import PLAIN_SWEEPS, SupervisedEngine
from .documents import training_corpus
from .knowing import understand
from .lda import LDA
from .parameters import MOST_TOPICS, number_of_jobs, starting_alpha, starting_beta, whole_number
from .targets import Floats, Tasks
from .training import OnSweep

SAMPLERS = ("auto", "compositional", "dense")
_ALPHA_SUM = 6.4  # as in the papers of LightMedLDA
_DENSE_TOPICS = 24  # up to here exact draws are as quick as Metropolis steps, and mix better
_LATE = 6.0  # how much later sweeps count more in the mean of the weights


class AveragingEngine(SupervisedEngine):
    """The engine, and a mean of its draws of the weights, in which sweep t counts about as t⁵.

    So early sweeps are forgotten as the run goes on, as in a mean over its last third, but the end need not be known: a
    run that is stopped has a mean as well, and one that is resumed has the mean of an unbroken one.
    """

    def __init__(self, *arguments: Any, average: Floats | None, **options: Any) -> None:
        super().__init__(*arguments, n_plain_sweeps=PLAIN_SWEEPS, **options)
        self.average = self.eta.copy() if average is None else average.copy()

    def sweep(self) -> None:
        """Draw everything once, and take the weights into the mean."""
        super().sweep()
        n_draws = self.sweep_number - PLAIN_SWEEPS
        if n_draws > 0:
            self.average += _LATE / (n_draws - 1 + _LATE) * (self.eta - self.average)


class SupervisedLDA(LDA):
    """Topics with weights in one task or several; the base of the classifier and the regressor."""

    nu: float
    sampler: str
    mh_steps: int
    weight_sweeps: int

    _tasks: Tasks
    _eta: Floats | None
    _average: Floats

    def _loss_object(self) -> Any:
        """The loss that the parameters ask for."""
        raise NotImplementedError

    # ------------------------------------------------------------------ training

    def _check_parameters(self) -> None:
        whole_number("n_topics", self.n_topics, 1, MOST_TOPICS)
        whole_number("n_sweeps", self.n_sweeps, PLAIN_SWEEPS + 1)
        whole_number("evaluate_every", self.evaluate_every, 0)
        whole_number("mh_steps", self.mh_steps, 1)
        whole_number("weight_sweeps", self.weight_sweeps, 1)
        positive("nu", self.nu)
        one_of("sampler", self.sampler, SAMPLERS)
        for name in ("alpha", "beta"):
            if isinstance(getattr(self, name), str):
                raise InputError(f"{name} can't be learned beside a loss: give numbers, got {getattr(self, name)!r}")
        self._loss_object()

    def _training_corpus(self, X: Any) -> Corpus:
        corpus = training_corpus(self, X)
        if self.n_topics > corpus.n_tokens:
            warnings.warn(
                f"n_topics is {self.n_topics:,}, but there are only {corpus.n_tokens:,} tokens: most will be empty",
                TopicwrightWarning,
                stacklevel=3,
            )
        return corpus

    def _begin(self, corpus: Corpus, tasks: Tasks, knowledge: Compiled | None = None) -> None:
        """Everything that training starts from; with ``knowledge``, that of the model which this one is a part of."""
        n_topics = self.n_topics
        self.corpus_ = corpus
        self.vocabulary_ = corpus.vocabulary
        self.n_features_in_ = corpus.n_words
        self.seed_ = seed_from(self.random_state)
        self.alpha_ = starting_alpha(_ALPHA_SUM / n_topics if self.alpha is None else self.alpha, n_topics)
        self.beta_ = starting_beta(self.beta, corpus.n_words)
        self._tasks = tasks
        if knowledge is None:
            knowledge = understand(self, corpus, n_topics)
        else:
            self._known, self._told, self._without = list(self.knowledge), dict[str, type[Warning]](), None
        self._know(knowledge)
        self.assignments_: NDArray[np.uint32] | None = None
        self._eta, self._average = None, np.zeros((tasks.targets.shape[1], n_topics))
        self.sweeps_ = 0
        self.log_likelihood_: list[tuple[int, float]] = []

    def _engine(self) -> Any:
        corpus: Corpus = self.corpus_
        return AveragingEngine(
            corpus.tokens,
            corpus.offsets,
            corpus.n_words,
            len(self.alpha_),
            alpha=self.alpha_,
            beta=self.beta_,
            seed=self.seed_,
            targets=self._tasks.targets,
            loss=self._loss_object(),
            cost_weights=self._tasks.cost_weights,
            nu=float(self.nu),
            sampler=self._sampler(),
            mh_steps=int(self.mh_steps),
            weight_sweeps=int(self.weight_sweeps),
            n_jobs=number_of_jobs(self.n_jobs),
            assignments=self.assignments_,
            eta=self._eta,
            average=self._average,
            sweep_number=self.sweeps_,
            knowledge=self._compiled,
        )

    def _sampler(self) -> str:
        if self.sampler != "auto":
            return self.sampler
        return "dense" if len(self.alpha_) <= _DENSE_TOPICS else "compositional"

    def _take_over(self, engine: Any) -> None:
        super()._take_over(engine)
        self._eta, self._average = engine.eta.copy(), engine.average.copy()
        self._name_weights()

    def _name_weights(self) -> None:
        """Set ``coef_`` from the mean of the weights."""
        self.coef_ = self._average

    # ------------------------------------------------------------------ what was learned

    def knowledge_report(self, before: LDA | bool = True, *, on_sweep: OnSweep | None = None) -> KnowledgeReport:
        """How far knowledge holds, beside the same model trained without it: see :meth:`LDA.knowledge_report`."""
        check_is_fitted(self)
        if before is True and self._known:
            before = self._trained_without_knowledge(on_sweep)
        return super().knowledge_report(before, on_sweep=on_sweep)

    def _trained_without_knowledge(self, on_sweep: OnSweep | None) -> LDA:
        self._needs_corpus("before=True")
        kept: LDA | None = self._without
        if kept is None:
            other = copy(self).set_params(knowledge=(), random_state=self.seed_, evaluate_every=0)
            other._begin(self.corpus_, self._tasks)
            other._train(self.sweeps_, on_sweep)
            kept = other
            self._without = None if other.interrupted_ else other
        return kept  # type: ignore[no-any-return]

    # ------------------------------------------------------------------ new documents

    def _infer(self, documents: Documents) -> tuple[Floats, Floats]:
        """θ, and the mean share of each topic in a document's tokens, which is what weights weigh in training too."""
        lengths = np.diff(documents.offsets)[:, None]
        theta = infer(self._frozen, documents, **self._inference())
        shares = theta * (lengths + self.alpha_.sum()) - self.alpha_  # without what α added
        return theta, np.where(lengths > 0, np.maximum(shares, 0.0) / np.maximum(lengths, 1), 0.0)

    def _scores(self, X: Any) -> Floats:
        _, shares = self._infer(self._documents(X))
        return shares @ self._average.T

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")


# ---------------------------------------------------------------------- parameters


def one_of(name: str, value: Any, known: Collection[str]) -> str:
    """One of the known names, or an error that lists them."""
    if not isinstance(value, str) or value not in known:
        raise InputError(f"{name} must be one of {', '.join(map(repr, known))}: got {value!r}")
    return value


def positive(name: str, value: Any) -> float:
    """A finite number above zero."""
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 < float(value) < np.inf:
        raise InputError(f"{name} must be a positive number: got {value!r}")
    return float(value)


def loss_from(loss: Any, named: dict[str, Any]) -> Any:
    """A loss by its name or as it is; anything that linearises and has a centre is one."""
    if isinstance(loss, str) and loss in named:
        return named[loss]()
    if isinstance(loss, str) or not (hasattr(loss, "linearise") and hasattr(loss, "centre")):
        names = ", ".join(map(repr, named))
        raise InputError(f"loss must be one of {names}, or an object with linearise and centre: got {loss!r}")
    return loss
