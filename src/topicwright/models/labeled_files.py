"""A LabeledLDA as a model file, and back: beside what an LDA has, the labels and how many documents have each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError
from ..io import Fields, ModelFile, corpus_from_fields, corpus_to_arrays, pack_strings, write_model
from ..io.plainjson import to_json
from ..knowledge import DocumentLabels
from ..knowledge.missing import Missing
from .files import _one_or_all, _plain, _read_counts, _without_documents, counts_to_arrays
from .knownfiles import knowledge_from_fields, knowledge_to_arrays
from .labeled_targets import topic_names
from .parameters import LARGEST_PRIOR, SMALLEST_PRIOR
from .targets import CLASSES, INDICATOR, LISTS, as_array

if TYPE_CHECKING:
    from .labeled import LabeledLDA

KIND, AUTO = "labeled-lda", "auto"
_WHOLE = ("n_sweeps", "evaluate_every")
_MOST = 2**31


def write(model: LabeledLDA, path: Any, include_corpus: bool) -> None:
    """Write a fitted model."""
    names = model.classes_.tolist()
    for name in names:
        if not isinstance(name, (str, bool, int, float)):
            raise InputError(f"labels must be text, numbers or truth values to be saved: got {name!r}")
    has_corpus = include_corpus and model.assignments_ is not None
    arrays = {
        **corpus_to_arrays(model.corpus_ if has_corpus else _without_documents(model.corpus_)),
        **pack_strings([to_json(names, "classes")], "classes"),
        "label_counts": model.label_counts_,
        "alpha": model.alpha_,
        "beta": np.atleast_1d(np.float64(model.beta_)),
        **knowledge_to_arrays(model, has_corpus),
        **({"assignments": model.assignments_} if has_corpus else counts_to_arrays(model)),
    }
    meta = {
        "parameters": {
            **{name: int(getattr(model, name)) for name in _WHOLE},
            "n_background_topics": model._n_background,
            "n_jobs": _plain(model.n_jobs),
        },
        "form": model._form,
        "field": model.field_,
        "labelled": model._n_labelled,
        "learns_beta": isinstance(model.beta, str),
        "label_prior": model.label_prior,
        "threshold": model.threshold if isinstance(model.threshold, str) else float(model.threshold),
        "threshold_found": _threshold_found(model, has_corpus),
        "tol": None if model.tol is None else float(model.tol),
        "seed": model.seed_,
        "sweeps": model.sweeps_,
        "interrupted": model.interrupted_,
        "converged": model.converged_,
        "log_likelihood": [[sweep, value] for sweep, value in model.log_likelihood_],
    }
    write_model(path, KIND, meta, arrays)


def _threshold_found(model: LabeledLDA, has_corpus: bool) -> float | None:
    """The threshold that was learned; without documents it can't be learned later, so it is now."""
    if has_corpus or not model.multilabel_ or model.threshold != AUTO:
        return model._thresholds.get(model.label_prior)
    return model.threshold_


def read(cls: type[LabeledLDA], file: ModelFile) -> LabeledLDA:
    """A model from a file that may hold anything: whatever does not fit is a ModelFileError."""
    fields = file.fields
    corpus, classes = corpus_from_fields(fields), _classes(fields)
    said = fields.section("parameters")
    n_background = said.integer("n_background_topics", minimum=0, maximum=10_000)
    n_topics = len(classes) + n_background
    bounds: dict[str, Any] = {"minimum": SMALLEST_PRIOR, "maximum": LARGEST_PRIOR}
    alpha = fields.array("alpha", np.float64, shape=(n_topics,), **bounds)
    beta = fields.array("beta", np.float64, ndim=1, **bounds)
    if len(beta) not in (1, corpus.n_words):
        fields.fail("beta", f"must have 1 entry or {corpus.n_words}: got {len(beta)}")
    model = cls(
        alpha=float(alpha[0]) if (alpha == alpha[0]).all() else alpha,
        beta="learn" if fields.flag("learns_beta") else _one_or_all(beta),
        n_background_topics=n_background,
        threshold=fields.value("threshold"),
        label_prior=fields.text("label_prior"),
        n_sweeps=said.integer("n_sweeps", minimum=1, maximum=_MOST),
        tol=None if fields.value("tol") is None else fields.number("tol", above=0),
        n_jobs=said.integer("n_jobs") if "n_jobs" in said else None,
        random_state=fields.integer("seed", minimum=0),
        evaluate_every=said.integer("evaluate_every", minimum=0, maximum=_MOST),
    )
    model._check_parameters()
    model._start(corpus, alpha)
    model.beta_, model.classes_ = _one_or_all(beta), classes
    model._form = fields.text("form", choices=(CLASSES, LISTS, INDICATOR))
    model.field_ = fields.text("field") if "field" in fields else None
    model.label_counts_ = fields.array("label_counts", np.int64, shape=(len(classes),), minimum=0, maximum=_MOST)
    model._n_labelled = fields.integer("labelled", minimum=0, maximum=_MOST)
    model.multilabel_ = model._form != CLASSES
    model.sweeps_ = fields.integer("sweeps", minimum=0, maximum=_MOST)
    model.interrupted_, model.converged_ = fields.flag("interrupted"), fields.flag("converged")
    model.log_likelihood_ = [(sweep, value) for sweep, value in fields.rows("log_likelihood", int, float)]
    _restore_knowledge(model, fields, n_topics)
    _read_counts(model, fields, n_topics)
    model._thresholds = {}
    if "threshold_found" in fields:
        model._thresholds[model.label_prior] = fields.number("threshold_found", minimum=0, maximum=1)
    elif model.assignments_ is None and model.multilabel_ and model.threshold == AUTO:
        fields.fail("threshold_found", "must be a number where there are no documents")
    return model


def _classes(fields: Fields) -> Any:
    names = fields.json("classes")
    if not isinstance(names, list) or not names or not all(type(name) in (str, bool, int, float) for name in names):
        fields.fail("classes", "must be a list of text, numbers or truth values")
    return as_array(names)


def _restore_knowledge(model: LabeledLDA, fields: Fields, n_topics: int) -> None:
    """The knowledge of a file begins with the documents' labels, which are no parameter of the model."""
    names = topic_names(model.classes_, n_topics - len(model.classes_))
    has_corpus = "assignments" in fields
    if has_corpus and not {label for own in model.corpus_.labels or () for label in own} <= set(names):
        fields.fail("labels", "must be among the classes")
    knowledge_from_fields(model, fields, n_topics)
    first = model._known[0] if model._known else None
    is_right = (
        isinstance(first, DocumentLabels)
        and first.labels is None
        and first.background == n_topics - len(model.classes_)
    )
    if not (is_right if has_corpus else isinstance(first, Missing)):
        fields.fail("knowledge", "must begin with the documents' labels")
    if model._compiled.topics.numbers != {name: number for number, name in enumerate(names)}:
        fields.fail("knowledge", "must number the topics as the classes are")
    model.knowledge = model._known[1:]
