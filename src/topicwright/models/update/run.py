"""Course of an update, the same for all models: past counts, sweeps over the new documents, new topics, report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..._sampling import new_engine
from ..._utils.validation import MOST_TOPICS, check_integer, check_n_jobs
from ...corpus import Corpus, corpus_digest
from ...errors import InputError
from ..fit_state import build_problem
from .inputs import check_memory, forget, new_documents, weight_of_past
from .new_topics import NewTopics, find_new_topics
from .report import PastTopics, SplitSuggestion, UpdateReport, build_report

if TYPE_CHECKING:
    from .._training import OnSweep
    from ..batch import BatchTopicModel

UPDATE_SWEEPS = 20
_NEW_TOPIC_SWEEPS = 10  # more sweeps, once topics have opened
Prepare = Callable[[Corpus, float], "NDArray[np.int64]"]


def update_model(
    model: BatchTopicModel,
    X: Any,
    prepare: Prepare,
    open_topics: Callable[[NewTopics], None] | None,
    *,
    memory: float | int,
    n_sweeps: int,
    max_topics: int | None,
    min_df: int,
    on_sweep: OnSweep | None,
) -> UpdateReport:
    """Update a model.

    Parameters
    ----------
    model : BatchTopicModel
        Fitted model, which is changed.
    X : documents
        New documents.
    prepare : callable
        Called with the new corpus and the weight of the past. It makes the model one of these documents, adds topics
        for new labels and sets the knowledge; it returns the numbers that the old topics have now.
    open_topics : callable, optional
        Adds the new topics that were found, with their assignments; None if no new topics are looked for.
    memory, n_sweeps, max_topics, min_df, on_sweep
        As in ``LDA.update``.
    """
    check_is_fitted(model)
    check_integer("n_sweeps", n_sweeps, 1)
    if max_topics is not None:
        check_integer("max_topics", max_topics, len(model.alpha_), MOST_TOPICS)
    weight = weight_of_past(model, check_memory(memory))
    corpus, past, sweeps_before = new_documents(model, X, min_df), PastTopics.of(model), model.sweeps_
    old_numbers = prepare(corpus, weight)
    if max_topics is not None and len(model.alpha_) > max_topics:
        raise InputError(
            parameter="max_topics", expected=f"at least {len(model.alpha_)}, for the new labels", got=max_topics
        )
    if weight < 1.0:
        _start_from_all_of_the_past(model, weight)
    model._train(n_sweeps, on_sweep)
    if model.sweeps_ == sweeps_before:
        raise KeyboardInterrupt  # before the first sweep: the model stays as it was
    splits: Sequence[SplitSuggestion] = ()
    if open_topics is not None and not model.interrupted_:
        n_most = None if max_topics is None else max_topics - len(model.alpha_)
        found = find_new_topics(model, n_most, check_n_jobs(model.n_jobs))
        splits = found.splits
        if found.n_new:
            open_topics(found)
            model._train(_NEW_TOPIC_SWEEPS, on_sweep)
    report = build_report(model, past, old_numbers, weight, splits)
    model.updates_ = [
        *model.updates_,
        {
            "documents": corpus.n_docs,
            "tokens": corpus.n_tokens,
            "digest": corpus_digest(corpus),
            "memory": memory,
            "sweeps": model.sweeps_ - sweeps_before,
            "max_topics": max_topics,
            "min_df": min_df,
            "new_topics": report.new_topics,
        },
    ]
    model.new_topics_ = [*model.new_topics_, *report.new_topics] if open_topics is not None else []
    model.manifest_ = (
        None  # of a fit; `updates_` says what followed, without times, so that a replay has the same bytes
    )
    return report


def _start_from_all_of_the_past(model: BatchTopicModel, weight: float) -> None:
    """Draw the first assignments with all of the past, which says where topics are, and then give it its weight."""
    problem = build_problem(model)
    engine = new_engine(problem._replace(seed=problem.seed + 1), n_jobs=check_n_jobs(model.n_jobs))
    engine.prepare()
    engine.sweep()
    engine.close()
    model.assignments_ = engine.assignments
    forget(model, weight)
    model._set_knowledge(model._recompile_knowledge())
