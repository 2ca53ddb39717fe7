"""How right predictions are: what a model says of documents beside what is known of them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from .._showing import how_many
from .._warning import warn
from ..answers.kinds import is_labelled, is_supervised, some
from ..answers.predictions import is_classifier
from ..errors import InputError, TopicwrightWarning

if TYPE_CHECKING:
    from ..corpus import Corpus
    from ._reading import Batch, Reading

Figures = dict[str, Any]
Row = tuple[str, str, str]
_CUTS = (1, 3, 5)  # of rankings


def truth_reading(model: Any, reading: Reading, field: str | None, source: str | None) -> Reading:
    """The way of reading that finds what the model predicts: in this field, or in the one that it learned from."""
    can_predict = is_supervised(model) or is_labelled(model)
    if field is not None and not can_predict:
        raise InputError("--predict goes with a model that predicts something, and this one has topics only")
    if field is not None and source is None:
        raise InputError("--predict goes with documents to compare with: give a file of them as INPUT")
    known = field or (model.field_ if can_predict else None)
    if known is None:
        return reading
    if is_classifier(model):
        return reading._replace(labels=known, optional=() if field else ("labels",))
    return reading._replace(target=known, optional=() if field else ("target",))


def score_predictions(model: Any, batch: Batch, source: str, field: str | None) -> Figures | None:
    """Figures of how right a model is; None where no field was named and there is nothing to compare with."""
    known = field or model.field_ or "labels"
    figures = (_score_labels if is_classifier(model) else _score_numbers)(model, batch, f"{source}, field {known!r}")
    if figures is None and field is not None:
        raise InputError(f"{source}: no document has anything in the field {field!r} to compare with")
    return figures


def score_rows(figures: Figures) -> list[Row]:
    """The figures for a table."""

    def row(name: str, key: str, remark: str) -> Row:
        return name, "–" if figures[key] is None else f"{figures[key]:.4f}", remark

    of_all = f"of {how_many(figures['documents'], 'document')}"
    if "r2" in figures:
        baseline = f"absolute; the mean for all gives {figures['baseline_error']:.4f}"
        return [row("R²", "r2", of_all), row("mean error", "mean_absolute_error", baseline)]
    if "micro_f1" in figures:
        accuracy = row("accuracy", "accuracy", f"{of_all}, with all labels right")
        both = [row("F1, micro", "micro_f1", "all labels"), row("F1, macro", "macro_f1", "mean over labels")]
        best = [
            (f"precision at {k}", f"{value:.4f}", "right ones among the best labels")
            for k, value in figures["precision_at"].items()
        ]
        return [accuracy, *both, *best]
    baseline = f"{of_all}; the commonest class for all gives {figures['baseline_accuracy']:.4f}"
    return [row("accuracy", "accuracy", baseline), row("F1, macro", "macro_f1", "mean over classes")]


# ---------------------------------------------------------------------- classes and labels


def _score_labels(model: Any, batch: Batch, where: str) -> Figures | None:
    rows = labelled_rows(batch.corpus)
    if not rows:
        return None
    told = batch.corpus.select(rows)
    truth = [set(labels) for labels in told.labels or ()]
    _check_labels(model, truth, where)
    verdicts, names = model.judge(told), [str(name) for name in model.classes_.tolist()]
    said = [{names[number] for number in best} for best in verdicts.best_first()]
    n_right = sum(one == other for one, other in zip(truth, said))
    figures = {"documents": len(rows), "accuracy": n_right / len(rows), **f1_scores(truth, said)}
    if model.multilabel_:
        return {**figures, "precision_at": _precision_at(truth, verdicts.values, names)}
    [(_, most)] = Counter(label for labels in truth for label in labels).most_common(1)
    del figures["micro_f1"]  # the same as accuracy
    return {**figures, "baseline_accuracy": most / len(rows)}


def labelled_rows(corpus: Corpus) -> list[int]:
    """The documents that have a label."""
    return [row for row, labels in enumerate(corpus.labels or ()) if labels]


def _precision_at(truth: list[set[str]], values: Any, names: list[str]) -> dict[str, float]:
    """The share of right ones among the best so many labels, over all documents."""
    order = (-values).argsort(axis=1, kind="stable")[:, : max(_CUTS)].tolist()
    is_right = [[names[number] in labels for number in best] for labels, best in zip(truth, order)]
    return {str(k): sum(sum(row[:k]) for row in is_right) / (k * len(truth)) for k in _CUTS if k <= len(names)}


def _check_labels(model: Any, truth: list[set[str]], where: str) -> None:
    known = [str(name) for name in model.classes_.tolist()]
    there = set().union(*truth)
    unknown = sorted(there.difference(known))
    if len(unknown) == len(there):
        raise InputError(f"{where}: the model knows none of the labels: got {some(unknown)}, expected {some(known)}")
    if not model.multilabel_ and max(map(len, truth)) > 1:
        raise InputError(f"{where}: the model predicts one class a document: got several labels in some")
    if unknown:
        n_docs = sum(not labels.isdisjoint(unknown) for labels in truth)
        wrong = f"{n_docs:,} of {how_many(len(truth), 'document')}"
        warn(f"the model does not know {some(unknown)}: it is wrong about {wrong}", TopicwrightWarning)


def f1_scores(truth: list[set[str]], said: list[set[str]]) -> Figures:
    """F1 over all labels together, and its mean over the labels that occur or were predicted.

    >>> f1_scores([{"a"}, {"a", "b"}], [{"a"}, {"b"}])
    {'micro_f1': 0.8, 'macro_f1': 0.8333333333333333}
    """
    both = Counter(label for one, other in zip(truth, said) for label in one & other)
    either = Counter(label for labels in (*truth, *said) for label in labels)  # what is in both counts twice
    each = [2 * both[label] / count for label, count in either.items()]
    micro = 2 * sum(both.values()) / sum(either.values())
    return {"micro_f1": micro, "macro_f1": sum(each) / len(each)}


# ---------------------------------------------------------------------- numbers


def _score_numbers(model: Any, batch: Batch, where: str) -> Figures | None:
    import numpy as np

    targets, n_targets = batch.corpus.targets, len(np.atleast_2d(model.coef_))
    if targets is None or np.isnan(targets).all():
        return None
    truth = targets.reshape(len(targets), -1)
    if truth.shape[1] != n_targets:
        raise InputError(f"{where}: the model predicts {n_targets} numbers a document: got {truth.shape[1]}")
    known = ~np.isnan(truth)
    told = known.any(axis=0)
    truth, said = truth[:, told], model.predict(batch.corpus).reshape(truth.shape)[:, told]
    errors = truth - said
    spread = truth - np.nanmean(truth, axis=0)
    squares = np.nansum(spread**2, axis=0)
    return {
        "documents": int(known.any(axis=1).sum()),
        "r2": float((1 - np.nansum(errors**2, axis=0) / squares).mean()) if squares.all() else None,
        "mean_absolute_error": float(np.nanmean(np.abs(errors))),
        "baseline_error": float(np.nanmean(np.abs(spread))),
    }
