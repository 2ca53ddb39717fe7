"""Model files of LabeledLDA: the parts of an LDA, the labels, and the number of documents with each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...io import ModelFields, ModelFile, corpus_from_fields, write_model
from ...knowledge import DocumentLabels
from ...knowledge.base import UnavailableKnowledge
from .._inputs import CLASSES, INDICATOR, LISTS
from .._persistence import (
    MOST,
    classes_from_fields,
    classes_to_arrays,
    common_to_arrays,
    knowledge_from_fields,
    one_or_all,
    priors_from_fields,
    progress_from_fields,
    progress_to_meta,
    topics_from_fields,
    topics_to_arrays,
    whole_or_none,
)
from ..fit_state import reset_fit_state
from .targets import topic_names

if TYPE_CHECKING:
    from .model import LabeledLDA

KIND, AUTO = "labeled-lda", "auto"
_WHOLE = ("n_sweeps", "evaluate_every")


def write(model: LabeledLDA, path: Any, include_corpus: bool) -> None:
    """Write a fitted LabeledLDA."""
    has_corpus = include_corpus and model.assignments_ is not None
    arrays = {
        **classes_to_arrays(model.classes_, "labels"),
        "label_counts": model.label_counts_,
        **common_to_arrays(model, has_corpus),
        **topics_to_arrays(model, has_corpus),
    }
    meta = {
        "parameters": {
            **{name: int(getattr(model, name)) for name in _WHOLE},
            "n_background_topics": model._n_background,
            "n_jobs": whole_or_none(model.n_jobs),
        },
        "form": model._form,
        "field": model.field_,
        "labelled": model._n_labeled,
        "learns_beta": isinstance(model.beta, str),
        "label_prior": model.label_prior,
        "threshold": model.threshold if isinstance(model.threshold, str) else float(model.threshold),
        "threshold_found": _threshold_found(model, has_corpus),
        "tol": None if model.tol is None else float(model.tol),
        "seed": model.seed_,
        "converged": model.converged_,
        **progress_to_meta(model),
    }
    write_model(path, KIND, meta, arrays)


def _threshold_found(model: LabeledLDA, has_corpus: bool) -> float | None:
    """Threshold found so far; without documents it cannot be found later, so it is found now."""
    if has_corpus or not model.multilabel_ or model.threshold != AUTO:
        return model._thresholds.get(model.label_prior)
    return model.threshold_


def read(cls: type[LabeledLDA], file: ModelFile) -> LabeledLDA:
    """Read a LabeledLDA; a ModelFileError if anything in the file is invalid."""
    fields = file.fields
    corpus, classes = corpus_from_fields(fields), classes_from_fields(fields)
    section = fields.section("parameters")
    n_background = section.integer("n_background_topics", minimum=0, maximum=10_000)
    n_topics = len(classes) + n_background
    alpha, beta = priors_from_fields(fields, n_topics, corpus.n_words)
    model = cls(
        alpha=one_or_all(alpha),
        beta="learn" if fields.flag("learns_beta") else beta,
        n_background_topics=n_background,
        threshold=fields.value("threshold"),
        label_prior=fields.text("label_prior"),
        n_sweeps=section.integer("n_sweeps", minimum=1),
        tol=None if fields.value("tol") is None else fields.number("tol", above=0),
        n_jobs=section.integer("n_jobs") if "n_jobs" in section else None,
        random_state=fields.integer("seed", minimum=0),
        evaluate_every=section.integer("evaluate_every", minimum=0),
    )
    model._check_parameters()
    reset_fit_state(model, corpus, alpha)
    model.beta_, model.classes_ = beta, classes
    model._form = fields.text("form", choices=(CLASSES, LISTS, INDICATOR))
    model.field_ = fields.text("field") if "field" in fields else None
    model.label_counts_ = fields.array("label_counts", np.int64, shape=(len(classes),), minimum=0, maximum=MOST)
    model._n_labeled = fields.integer("labelled", minimum=0, maximum=MOST)
    model.multilabel_ = model._form != CLASSES
    model.converged_ = fields.flag("converged")
    progress_from_fields(model, fields)
    _restore_knowledge(model, fields, n_topics)
    topics_from_fields(model, fields)
    if "threshold_found" in fields:
        model._thresholds[model.label_prior] = fields.number("threshold_found", minimum=0, maximum=1)
    elif model.assignments_ is None and model.multilabel_ and model.threshold == AUTO:
        fields.fail("threshold_found", "must be a number where there are no documents")
    return model


def _restore_knowledge(model: LabeledLDA, fields: ModelFields, n_topics: int) -> None:
    """Restore knowledge. It begins with the labels of the documents, which are no parameter of the model."""
    names = topic_names(model.classes_, n_topics - len(model.classes_))
    has_corpus = "assignments" in fields
    if has_corpus and not {label for own in model.corpus_.labels or () for label in own} <= set(names):
        fields.fail("labels", "must be among the classes")
    knowledge_from_fields(model, fields, n_topics)
    items = model.fit_state_.knowledge
    first = items[0] if items else None
    is_right = (
        isinstance(first, DocumentLabels)
        and first.labels is None
        and first.background == n_topics - len(model.classes_)
    )
    if not (is_right if has_corpus else isinstance(first, UnavailableKnowledge)):
        fields.fail("knowledge", "must begin with the documents' labels")
    if model.fit_state_.compiled.topics.numbers != {name: number for number, name in enumerate(names)}:
        fields.fail("knowledge", "must number the topics as the classes are")
    model.knowledge = items[1:]
