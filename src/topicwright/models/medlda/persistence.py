"""Model files of the MedLDA models.

Besides the parts of an LDA, a file holds the targets and, for each set of topics, its weights and the draw and mean
that training continues from. With "one-vs-rest" there is one set per task; the names of all arrays but those of the
first begin with ``1.``, ``2.``, ….
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..._sampling.medlda.weights import TaskWeights
from ..._utils.validation import MOST_STEPS, MOST_TOPICS
from ...corpus import Corpus
from ...errors import InputError
from ...io import ModelFields, ModelFile, corpus_from_fields, write_model
from ...losses.base import loss_from_data, loss_to_data
from .._inputs import CLASSES, INDICATOR, LISTS, EncodedClasses, ScaledTargets, Tasks
from .._persistence import (
    Arrays,
    classes_from_fields,
    classes_to_arrays,
    common_to_arrays,
    counts_from_fields,
    knowledge_from_fields,
    one_or_all,
    priors_from_fields,
    progress_from_fields,
    progress_to_meta,
    topics_to_arrays,
    whole_or_none,
)
from ..fit_state import count_assignments
from .base import AUTO, SAMPLERS, MedLDABase
from .one_vs_rest import ONE_VS_REST, STRATEGIES

if TYPE_CHECKING:
    from .classifier import MedLDAClassifier
    from .regressor import MedLDARegressor


def loss_from_fields(fields: ModelFields) -> Any:
    """The parameter ``loss``; None for a loss of the user, without which a model predicts but cannot be resumed."""
    try:
        return loss_from_data(fields.value("loss"))
    except InputError as error:
        fields.fail("loss", f"is not valid: {error}")


_LARGEST = 1e30  # of weights and parameters: no product of some leaves the range of a double
_WHOLE = {
    "n_topics": (1, MOST_TOPICS),
    "n_sweeps": (1, None),
    "mh_steps": (1, MOST_STEPS),
    "weight_sweeps": (1, MOST_STEPS),
    "evaluate_every": (0, None),
}


# ---------------------------------------------------------------------- classifiers


def write_classifier(model: MedLDAClassifier, path: Any, include_corpus: bool) -> None:
    """Write a fitted classifier."""
    weight = model.class_weight
    meta = {
        "form": model._form,
        "strategy": model.strategy,
        "margin": None if model.margin is None else float(model.margin),
        "margin_found": model.margin_,
        "C": None if model.C is None else float(model.C),
        "C_found": model.C_,
        "calibrate": model.calibrate,
        "calibrated": model.calibrated_,
        "class_weight": weight if weight is None or isinstance(weight, str) else [list(kv) for kv in weight.items()],
    }
    arrays = {**classes_to_arrays(model.classes_, "classes"), "thresholds": model.thresholds_}
    _write(model, path, "medlda-classifier", include_corpus, meta, arrays)


def read_classifier(cls: type[MedLDAClassifier], file: ModelFile) -> MedLDAClassifier:
    """Read a classifier; a ModelFileError if anything in the file is invalid."""
    fields = file.fields
    corpus, classes = corpus_from_fields(fields), classes_from_fields(fields)
    form = fields.text("form", choices=(CLASSES, LISTS, INDICATOR))
    if len(classes) < (2 if form == CLASSES else 1):
        fields.fail("classes", f"must be more: got {len(classes)}")
    n_tasks = 1 if form == CLASSES and len(classes) == 2 else len(classes)
    model = cls(
        **_parameters(fields, corpus),
        strategy=fields.text("strategy", choices=STRATEGIES),
        margin=None if fields.value("margin") is None else fields.number("margin", above=0, maximum=_LARGEST),
        C=None if fields.value("C") is None else fields.number("C", above=0, maximum=_LARGEST),
        class_weight=_class_weight(fields, classes),
        calibrate="calibrate" in fields and fields.flag("calibrate"),  # absent before there was calibration
    )
    tasks = _tasks(fields, n_tasks)
    if tasks is not None and not np.isin(tasks.targets[~np.isnan(tasks.targets)], (-1.0, 1.0)).all():
        fields.fail("tasks.targets", "must be −1, 1 or NaN")
    model._set_classes(EncodedClasses(classes, form, np.empty((0, n_tasks))))
    model.margin_ = fields.number("margin_found", above=0, maximum=_LARGEST)
    model.C_ = fields.number("C_found", above=0, maximum=_LARGEST)
    _restore(model, fields, corpus, tasks, n_tasks)
    if "thresholds" in fields:
        model.calibrated_, model.thresholds_ = fields.flag("calibrated"), _weights(fields, "thresholds", (n_tasks,))
    return model


def _class_weight(fields: ModelFields, classes: NDArray[Any]) -> Any:
    weights = fields.value("class_weight")
    if weights is None or weights == "balanced":
        return weights
    names = classes.tolist()
    if not isinstance(weights, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in weights):
        fields.fail("class_weight", "must be null, balanced, or a list of pairs")
    if not all(pair[0] in names and type(pair[1]) in (int, float) and pair[1] > 0 for pair in weights):
        fields.fail("class_weight", "must give classes positive numbers")
    return dict(weights)


# ---------------------------------------------------------------------- regressors


def write_regressor(model: MedLDARegressor, path: Any, include_corpus: bool) -> None:
    """Write a fitted regressor."""
    meta = {"C": float(model.C), "epsilon": float(model.epsilon), "flat": model._is_flat}
    arrays = {"centre": model._center, "scale": model._scale}
    _write(model, path, "medlda-regressor", include_corpus, meta, arrays)


def read_regressor(cls: type[MedLDARegressor], file: ModelFile) -> MedLDARegressor:
    """Read a regressor; a ModelFileError if anything in the file is invalid."""
    fields = file.fields
    corpus = corpus_from_fields(fields)
    center = fields.array("centre", np.float64, ndim=1, minimum=-1e300, maximum=1e300)
    scale = fields.array("scale", np.float64, shape=center.shape, above=0, maximum=1e300)
    is_flat = fields.flag("flat")
    if len(center) == 0 or (is_flat and len(center) > 1):
        fields.fail("centre", f"must have one entry per target: got {len(center)}")
    model = cls(
        **_parameters(fields, corpus),
        C=fields.number("C", above=0, maximum=_LARGEST),
        epsilon=fields.number("epsilon", above=0, maximum=_LARGEST),
    )
    tasks = _tasks(fields, len(center))
    model._set_scale(ScaledTargets(np.empty((0, len(center))), center, scale, is_flat))
    _restore(model, fields, corpus, tasks, len(center))
    return model


# ---------------------------------------------------------------------- shared parts


def _write(model: Any, path: Any, kind: str, include_corpus: bool, meta: dict[str, Any], arrays: Arrays) -> None:
    parts = getattr(model, "estimators_", [model])
    has_corpus = include_corpus and parts[0].assignments_ is not None
    arrays = {**arrays, **common_to_arrays(model, has_corpus)}
    if has_corpus:
        arrays["tasks.targets"] = model._tasks.targets
        if model._tasks.cost_weights is not None:
            arrays["tasks.cost_weights"] = model._tasks.cost_weights
    if parts[0]._idf is not None:
        arrays["words.idf"] = parts[0]._idf
    for number, part in enumerate(parts):
        arrays |= {_prefix(number) + name: array for name, array in _topics_to_arrays(part, has_corpus).items()}
    meta = {
        **meta,
        "parameters": {name: int(getattr(model, name)) for name in _WHOLE} | {"n_jobs": whole_or_none(model.n_jobs)},
        "field": model.field_,
        "nu": float(model.nu),
        "refit": model.refit,
        "word_weights": _word_weights_to_meta(model),
        "sampler": model.sampler,
        "loss": loss_to_data(model.loss),
        "seeds": [[model.seed_], *([part.seed_] for part in parts)],
        **progress_to_meta(model),
    }
    write_model(path, kind, meta, arrays)


def _parameters(fields: ModelFields, corpus: Corpus) -> dict[str, Any]:
    """Parameters of both models, except knowledge."""
    section = fields.section("parameters")
    whole = {name: section.integer(name, minimum=least, maximum=most) for name, (least, most) in _WHOLE.items()}
    alpha, beta = priors_from_fields(fields, whole["n_topics"], corpus.n_words)
    return {
        **whole,
        "n_jobs": section.integer("n_jobs") if "n_jobs" in section else None,
        "alpha": one_or_all(alpha),
        "beta": beta,
        "nu": fields.number("nu", above=0, maximum=_LARGEST),
        "word_weights": _word_weights(fields),
        "refit": fields.flag("refit"),
        "sampler": fields.text("sampler", choices=SAMPLERS),
        "loss": loss_from_fields(fields),
        "random_state": _seeds(fields)[0],
    }


def _word_weights_to_meta(model: Any) -> bool | float | str:
    value = model.word_weights
    if isinstance(value, str) and loss_to_data(model.loss) is None:  # the reader does not know the loss
        return bool(model._has_words())
    return value if isinstance(value, (bool, str)) else float(value)


def _word_weights(fields: ModelFields) -> bool | float | str:
    if isinstance(fields.value("word_weights"), str):
        return fields.text("word_weights", choices=(AUTO,))
    if isinstance(fields.value("word_weights"), bool):
        return fields.flag("word_weights")
    return fields.number("word_weights", above=0, maximum=_LARGEST)


def _restore(model: MedLDABase, fields: ModelFields, corpus: Corpus, tasks: Tasks | None, n_tasks: int) -> None:
    """Restore everything that ``fit`` sets besides classes and scales."""
    if tasks is not None and len(tasks.targets) != corpus.n_docs:
        fields.fail("tasks.targets", f"must have {corpus.n_docs} rows: got {len(tasks.targets)}")
    per_task = getattr(model, "strategy", None) == ONE_VS_REST
    seeds = _seeds(fields, 1 + (n_tasks if per_task else 1))
    model._prepare_fit(corpus, tasks or Tasks(np.full((corpus.n_docs, n_tasks), np.nan)))
    knowledge_from_fields(model, fields, len(model.alpha_))
    progress_from_fields(model, fields)
    parts = getattr(model, "estimators_", [model])
    read_topics = _counts_from_fields if tasks is None else _assignments_from_fields
    for number, (part, seed) in enumerate(zip(parts, seeds[1:])):
        part.seed_, part.sweeps_, part.interrupted_ = seed, model.sweeps_, model.interrupted_
        read_topics(part, fields, _prefix(number), 1 if per_task else n_tasks)
    model.field_ = fields.text("field") if "field" in fields else None


def _tasks(fields: ModelFields, n_tasks: int) -> Tasks | None:
    if "assignments" not in fields:
        return None
    bounds: dict[str, Any] = {"shape": (None, n_tasks), "maximum": _LARGEST}
    targets = fields.array("tasks.targets", np.float64, **bounds, minimum=-_LARGEST, finite=False)
    if "tasks.cost_weights" not in fields:
        return Tasks(targets)
    weights = fields.array("tasks.cost_weights", np.float64, **bounds, above=0)
    if weights.shape != targets.shape:
        fields.fail("tasks.cost_weights", f"must have shape {targets.shape}: got {weights.shape}")
    return Tasks(targets, weights)


def _seeds(fields: ModelFields, count: int | None = None) -> list[int]:
    seeds = [seed for (seed,) in fields.rows("seeds", int)]
    if not seeds or min(seeds) < 0 or count not in (None, len(seeds)):
        fields.fail("seeds", "must have a number for the model and one for each set of topics")
    return seeds


# ---------------------------------------------------------------------- topics and weights


def _prefix(number: int) -> str:
    return f"{number}." if number else ""


def _topics_to_arrays(part: MedLDABase, has_corpus: bool) -> Arrays:
    arrays: Arrays = {"weights": part._weights.topics, "words.intercepts": part._intercepts}
    if part._idf is not None:
        arrays["words.weights"] = part._weights.words
    to_continue: dict[str, Any] = {}
    if has_corpus:
        to_continue = {"eta": part._eta, "average": part._average}
        if part._idf is not None and not part._is_convex():
            to_continue |= {"words.eta": part._word_eta, "words.average": part._word_average}
    return {**arrays, **to_continue, **topics_to_arrays(part, has_corpus)}


def _weights(fields: ModelFields, name: str, shape: tuple[int, ...]) -> Any:
    return fields.array(name, np.float64, shape=shape, minimum=-_LARGEST, maximum=_LARGEST)


def _weights_from_fields(part: MedLDABase, fields: ModelFields, prefix: str, n_tasks: int) -> None:
    """Restore the weights for predictions."""
    topics = _weights(fields, f"{prefix}weights", (n_tasks, len(part.alpha_)))
    words = part._word_average
    if part._idf is not None:
        n_words = part.corpus_.n_words
        part._idf = fields.array("words.idf", np.float64, shape=(n_words,), above=0, maximum=_LARGEST)
        words = _weights(fields, f"{prefix}words.weights", (n_tasks, n_words))
    if f"{prefix}words.intercepts" in fields:
        part._intercepts = _weights(fields, f"{prefix}words.intercepts", (n_tasks,))
    part._weights = TaskWeights(topics, words)
    part._name_weights()


def _assignments_from_fields(part: MedLDABase, fields: ModelFields, prefix: str, n_tasks: int) -> None:
    shape, last = (part.corpus_.n_tokens,), len(part.alpha_) - 1
    part.assignments_ = fields.array(f"{prefix}assignments", np.uint32, shape=shape, maximum=last)
    count_assignments(part)
    of_topics, of_words = (n_tasks, len(part.alpha_)), (n_tasks, part.corpus_.n_words)
    part._eta = _weights(fields, f"{prefix}eta", of_topics)
    part._average = _weights(fields, f"{prefix}average", of_topics)
    if part._idf is not None and f"{prefix}words.eta" in fields:
        part._word_eta = _weights(fields, f"{prefix}words.eta", of_words)
        part._word_average = _weights(fields, f"{prefix}words.average", of_words)
    _weights_from_fields(part, fields, prefix, n_tasks)


def _counts_from_fields(part: MedLDABase, fields: ModelFields, prefix: str, n_tasks: int) -> None:
    part._eta = None
    counts_from_fields(part, fields, prefix)
    _weights_from_fields(part, fields, prefix, n_tasks)
