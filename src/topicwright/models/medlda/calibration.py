"""Calibration of scores: log-odds of classes, and thresholds of labels, from scores of left-out documents.

One class per document: p = softmax(a s + b), with one slope for all classes. Several labels: p_l = 1 / (1 + exp(−a_l
s_l − b_l)) as in Platt (1999), with slopes and offsets that are shrunk to those of all labels together. A label is
predicted if p_l > ½ √(F_l F), where F_l and F are the best expected F1 of the label and of all labels together: with ½
F_l the expected F1 of the label is largest (Lipton, Elkan & Naryanaswamy 2014), with ½ F the micro F1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, log_expit, log_softmax, logit

from .._inputs import Floats, Tasks

_SPREAD = 1.5  # prior mean of the standard deviation of a s
_STEPS, _TOLERANCE, _LONGEST_STEP = 50, 1e-6, 2.0  # of Newton's method
_LEAST_SLOPE = 0.1  # of a label, relative to the slope of all labels


class Calibration(NamedTuple):
    """Log-odds of each task, a s + b, and the log-odds at which a label is predicted."""

    slopes: Floats
    offsets: Floats
    thresholds: Floats


def calibrate(scores: Floats, tasks: Tasks, *, multilabel: bool) -> Calibration | None:
    """Calibration from scores of documents that were left out; None if there are none.

    Parameters
    ----------
    scores : array of shape (n_docs, n_tasks)
        Score of each document by weights that were found without it.
    tasks : Tasks
        Targets, and their weights.
    multilabel : bool
        Whether a document may have several labels. Otherwise one task separates two classes, and several tasks separate
        each class from the others.
    """
    is_known = ~np.isnan(tasks.targets)
    used = np.flatnonzero(is_known.any(axis=1))
    scores, is_known, has = scores[used], is_known[used], tasks.targets[used] > 0
    weights = is_known * (1.0 if tasks.cost_weights is None else tasks.cost_weights[used])
    if not weights.any():
        return None
    n_tasks = scores.shape[1]
    if not multilabel and n_tasks > 1:
        slope, offsets = fit_softmax(scores, has.argmax(axis=1), weights[:, 0])
        return Calibration(np.full(n_tasks, slope), offsets, np.zeros(n_tasks))
    slope, offset = fit_sigmoid(scores, has, weights)
    if not multilabel:
        return Calibration(np.array([slope]), np.array([offset]), np.zeros(1))
    slopes, offsets = fit_sigmoids(scores, has, weights, slope, offset)
    thresholds = np.zeros(n_tasks)
    if tasks.cost_weights is None:  # otherwise the weights say which errors matter
        thresholds = f1_thresholds(np.where(is_known, expit(slopes * scores + offsets), 0.0))
    return Calibration(slopes, offsets, thresholds)


def fit_softmax(scores: Floats, classes: NDArray[Any], weights: Floats) -> tuple[float, Floats]:
    """Slope, and offset of each class, of p = softmax(a s + b); the offsets have a standard normal prior."""
    n_docs, n_classes = scores.shape
    targets = np.full(scores.shape, 1.0 / (len(scores) + 2) / n_classes)  # smoothed as by Platt
    targets[np.arange(n_docs), classes] += (n_docs + 1) / (n_docs + 2)
    targets *= weights[:, None]
    usual = _usual_slope(scores - scores.mean(axis=1, keepdims=True))

    def objective(parameters: Floats) -> tuple[float, Floats]:
        slope, offsets = usual * np.exp(parameters[0]), parameters[1:]
        logs = log_softmax(slope * scores + offsets, axis=1)
        errors = weights[:, None] * np.exp(logs) - targets
        gradient = np.append(slope * np.sum(errors * scores), errors.sum(axis=0))
        return 0.5 * float(np.sum(parameters**2)) - float(np.sum(targets * logs)), gradient + parameters

    found = minimize(objective, np.zeros(1 + n_classes), jac=True, method="L-BFGS-B").x
    return float(usual * np.exp(found[0])), found[1:]


def fit_sigmoid(scores: Floats, has: NDArray[np.bool_], weights: Floats) -> tuple[float, float]:
    """Slope and offset of p = 1 / (1 + exp(−a s − b)) for all entries together, by Platt's method."""
    n_with, n_without = np.sum(has & (weights > 0)), np.sum(~has & (weights > 0))
    targets = np.where(has, (n_with + 1) / (n_with + 2), 1 / (n_without + 2))
    usual = _usual_slope(scores - scores.mean(axis=0))

    def objective(parameters: Floats) -> tuple[float, Floats]:
        slope = usual * np.exp(parameters[0])
        odds = slope * scores + parameters[1]
        errors = weights * (expit(odds) - targets)
        loss = -float(np.sum(weights * (log_expit(odds) - (1 - targets) * odds)))
        return loss + 0.5 * float(parameters[0] ** 2), np.array(
            [slope * np.sum(errors * scores) + parameters[0], np.sum(errors)]
        )

    found = minimize(objective, np.zeros(2), jac=True, method="L-BFGS-B").x
    return float(usual * np.exp(found[0])), float(found[1])


def fit_sigmoids(
    scores: Floats, has: NDArray[np.bool_], weights: Floats, slope: float, offset: float
) -> tuple[Floats, Floats]:
    """Slope and offset of each label, by Newton's method.

    Offsets have a normal prior with that of all labels as its mean and a variance of 1, and slopes divided by that of
    all labels one with mean and variance 1.
    """
    n_labels = scores.shape[1]
    slopes, offsets = np.ones(n_labels), np.full(n_labels, offset)
    scores = slope * scores
    for _ in range(_STEPS):
        probabilities = expit(slopes * scores + offsets)
        errors, spread = weights * (probabilities - has), weights * probabilities * (1 - probabilities)
        of_slope, of_offset = np.sum(errors * scores, axis=0) + slopes - 1, np.sum(errors, axis=0) + offsets - offset
        both = np.sum(spread * scores, axis=0)
        own_slope, own_offset = np.sum(spread * scores**2, axis=0) + 1, np.sum(spread, axis=0) + 1
        determinant = own_slope * own_offset - both**2
        steps = np.array([own_offset * of_slope - both * of_offset, own_slope * of_offset - both * of_slope])
        steps /= determinant
        steps /= np.maximum(1.0, np.abs(steps).max(axis=0) / _LONGEST_STEP)
        before = slopes
        slopes, offsets = np.maximum(_LEAST_SLOPE, slopes - steps[0]), offsets - steps[1]
        if max(np.abs(slopes - before).max(), np.abs(steps[1]).max()) < _TOLERANCE:
            break
    return slope * slopes, offsets


def f1_thresholds(probabilities: Floats) -> Floats:
    """Log-odds from which each label (column) is predicted: those of ½ √(F_l F).

    >>> f1_thresholds(np.array([[1.0], [0.0]])).tolist()  # without errors F1 is 1: the threshold is ½
    [0.0]
    """
    of_labels = best_expected_f1(probabilities)
    of_all = best_expected_f1(probabilities.reshape(-1, 1))
    return np.asarray(logit(np.sqrt(of_labels * of_all) / 2))


def best_expected_f1(probabilities: Floats) -> Floats:
    """Largest expected F1 of each column, over all numbers n of documents with the label: 2 Σ_n p / (n + Σ p).

    >>> best_expected_f1(np.array([[0.9], [0.5], [0.1]])).round(4).tolist()  # n = 2: 2 · 1.4 / (2 + 1.5)
    [0.8]
    """
    sums = np.cumsum(-np.sort(-probabilities, axis=0), axis=0)
    numbers = np.arange(1, len(sums) + 1)[:, None]
    return np.asarray((2 * sums / (numbers + sums[-1])).max(axis=0))


def _usual_slope(scores: Floats) -> float:
    """Slope with which scores, centered, have the usual spread."""
    return _SPREAD / max(float(scores.std()), 1e-9)
