"""What the shell says of labels: which to choose from, and from which share on they are given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from ..answers.kinds import check_labelled
from ..answers.predictions import checked_classes
from ..errors import InputError
from ._options import LabelPrior
from ._reading import lines_of


def named_labels(model: Any, text: str) -> list[Any]:
    """The labels of a list with commas, or of a file with one a line."""
    check_labelled(model, "--candidates")
    names = lines_of(text) if Path(text).is_file() else [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise InputError(f"--candidates must name one label or more: got none in {text!r}")
    labels = model.classes_.tolist()
    return [labels[number] for number in checked_classes(model, names)]


def adjust(model: Any, prior: LabelPrior | None, threshold: float | None) -> None:
    """Have a model expect labels so, and predict those that reach this share; None leaves it as it is."""
    if prior is not None:
        check_labelled(model, "--label-prior")
        model.label_prior = prior.value
    if threshold is not None:
        _set_threshold(model, threshold)


def _set_threshold(model: Any, threshold: float) -> None:
    check_labelled(model, "--threshold")
    if not model.multilabel_:
        raise InputError("--threshold is for documents with several labels, and this model gives one each: try --top")
    if not 0 < threshold < 1:
        raise typer.BadParameter(f"it must be a share between 0 and 1: got {threshold:g}", param_hint="--threshold")
    model.threshold = threshold
