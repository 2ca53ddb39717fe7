"""Labels in order: how well those of new documents are ranked, by Labeled LDA and others."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topicwright.corpus.corpus import Corpus
from topicwright.models.fit_state import build_engine, store_results

from ..common.schedule import Contestant, take_turns
from ..common.tomotopy_adapter import TheirModel, missing
from ..common.untrained_estimators import UntrainedLabeledLDA
from .context import MedLDAContext
from .fits import Entrant, Fit
from .peers import TfidfSVC
from .problems import Problem

Scores = NDArray[np.float64]

SWEEPS = 50
BEST = (1, 5)  # precision at k
PRIOR: dict[str, Any] = {"alpha": 0.1, "beta": 0.1}  # the same for all
TOMOTOPY = {"tomotopy LLDA": "LLDAModel", "tomotopy PLDA": "PLDAModel"}


class Labeled:
    """Our Labeled LDA."""

    def __init__(self, problem: Problem, seed: int) -> None:
        self.problem = problem
        self.model = UntrainedLabeledLDA(random_state=seed, **PRIOR).fit(problem.train)
        self.engine = build_engine(self.model)

    def prepare(self) -> None:
        """Compile the sampler."""
        self.engine.prepare()

    def sweep(self) -> None:
        """Draw all labels."""
        self.engine.sweep()

    def finish(self) -> None:
        """Take what was drawn."""
        store_results(self.model, self.engine)

    def rank(self, corpus: Corpus) -> Scores:
        """Scores of labels in the order of the problem's names."""
        return in_order(self.problem, self.model.classes_.tolist(), self.model.predict_proba(corpus))


class TomotopyLabels(TheirModel):
    """tomotopy's Labeled LDA, or its partially labeled LDA with one topic a label and one for all."""

    def __init__(self, problem: Problem, seed: int, kind: str) -> None:
        self.problem, labels = problem, problem.train.labels or ()
        size = {"k": 1} if kind == "LLDAModel" else {"latent_topics": 1, "topics_per_label": 1}
        prior = {"alpha": PRIOR["alpha"], "eta": PRIOR["beta"], "seed": seed}
        super().__init__(kind, problem.train, lambda row: {"labels": list(labels[row])}, **prior, **size)

    def rank(self, corpus: Corpus) -> Scores:
        """Shares of labels by its own inference; a document without words has none."""
        full, _, shares = self.infer(corpus)
        names = list(self.model.topic_label_dict)
        found = np.zeros((corpus.n_docs, len(names)))
        found[full] = np.asarray(shares, np.float64)[:, : len(names)]
        return in_order(self.problem, names, found)


def in_order(problem: Problem, names: list[str], scores: Scores) -> Scores:
    """Columns in the order of the problem's names; a label that a method does not know comes last.

    >>> one = Corpus.from_texts(["red apple"], labels=[["apple", "red"]])
    >>> from benchmarks.medlda.problems import problem_of
    >>> in_order(problem_of(one, one), ["red", "apple"], np.array([[0.1, 0.9]])).tolist()
    [[0.9, 0.1]]
    """
    place = {name: n for n, name in enumerate(names)}
    known = [n for n, name in enumerate(problem.names) if name in place]
    ordered = np.full((len(scores), len(problem.names)), -1.0)
    ordered[:, known] = scores[:, [place[problem.names[n]] for n in known]]
    return ordered


def run(context: MedLDAContext) -> list[Fit]:
    """All methods train in turns, then rank the labels of the test documents."""
    problem, n_sweeps = context.problem("ranking"), context.sweeps(SWEEPS)
    fits = []
    for seed in context.seeds():
        context.progress("setting up")
        entrants = _entrants(context, problem, seed, n_sweeps)
        contestants = [ready() for ready, _ in entrants]
        times = take_turns(contestants, [n for _, n in entrants], context.progress)
        for one, seconds in zip(contestants, times):
            context.progress(f"{one.name} ranks")
            finish_seconds = one.finish()
            n_topics = len(problem.names) if len(seconds) > 1 else None
            scores = scores_of(problem, one.model.rank)
            fits.append(Fit(one.name, n_topics, seed, one.setup_seconds, seconds, scores, None, finish_seconds))
    return fits


def _entrants(context: MedLDAContext, problem: Problem, seed: int, n_sweeps: int) -> list[Entrant]:
    builds: dict[str, Callable[[], Any]] = {"LabeledLDA": partial(Labeled, problem, seed)}
    if "tomotopy" in context.options.peers:
        if (reason := missing()) is not None:
            context.note(f"tomotopy is {reason}: its LLDA and PLDA are left out")
        else:
            builds |= {name: partial(TomotopyLabels, problem, seed, kind) for name, kind in TOMOTOPY.items()}
    entrants: list[Entrant] = [(partial(Contestant, name, build), n_sweeps) for name, build in builds.items()]
    if "svc" in context.options.peers and seed == context.options.seed:  # chance has no part in it
        entrants.append((partial(Contestant, TfidfSVC.name, partial(TfidfSVC, problem)), 1))
    return entrants


def scores_of(problem: Problem, rank: Callable[[Corpus], Scores]) -> dict[str, float]:
    """Precision of the first labels and average precision, over documents that have a known label; and the time."""
    from sklearn.metrics import label_ranking_average_precision_score

    start = time.process_time()
    found = rank(problem.test)
    seconds = time.process_time() - start
    some = problem.y_test.any(axis=1)
    found, y = found[some], problem.y_test[some]
    order = np.argsort(-found, axis=1, kind="stable")
    best = {f"best_{n}": float(np.take_along_axis(y, order[:, :n], axis=1).mean()) for n in BEST}
    whole = float(label_ranking_average_precision_score(y, found))
    return {**best, "lrap": whole, "ms": 1e3 * seconds / problem.test.n_docs}
