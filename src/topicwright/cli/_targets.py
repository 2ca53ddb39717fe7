"""What ``fit`` is to predict: which field, with which model, and whether the documents have it."""

from __future__ import annotations

import math
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from ..errors import InputError
from ._predictions import some
from ._reading import Reading

if TYPE_CHECKING:
    from ..corpus import Corpus
    from ..models import LDA


class Loss(str, Enum):
    """What a wrong score costs."""

    hinge = "hinge"
    logistic = "logistic"


class Target(NamedTuple):
    """What to predict, as the options give it; without a field it is nothing."""

    field: str | None = None
    numbers: bool = False
    loss: Loss | None = None
    cost: float | None = None
    margin: float | None = None
    word_weights: bool = False

    def check(self) -> None:
        """An error where options do not go together."""
        of_classes = {"--loss": self.loss, "--margin": self.margin}
        given = [name for name, value in {**of_classes, "--cost": self.cost}.items() if value is not None]
        flags = {"--numbers": self.numbers, "--word-weights": self.word_weights}
        alone = [name for name, is_given in flags.items() if is_given] + given
        if self.field is None and alone:
            raise InputError(f"{alone[0]} goes with --predict FIELD")
        if self.numbers and given and given != ["--cost"]:
            raise InputError(f"{given[0]} is for classes, and can't go with --numbers")
        if self.loss is Loss.logistic and self.margin is not None:
            raise InputError("--margin is for the hinge loss, and can't go with --loss logistic")
        for name, value in {"--cost": self.cost, "--margin": self.margin}.items():
            if value is not None and not 0 < value < math.inf:
                raise typer.BadParameter(f"it must be a positive number: got {value:g}", param_hint=name)

    def reading(self, reading: Reading) -> Reading:
        """The way of reading that finds the field."""
        if self.field is None:
            return reading
        if self.numbers:
            return reading._replace(target=self.field)
        if reading.labels not in (None, self.field):
            raise InputError(
                f"--predict and --label-field name two fields of labels, and one can be read: "
                f"got {self.field!r} and {reading.labels!r}"
            )
        return reading._replace(labels=self.field)

    def found_in(self, corpus: Corpus, source: str) -> str:
        """What there is to learn, in words; an error where it will not do."""
        return (_numbers if self.numbers else _labels)(corpus, source, str(self.field))

    def model(self, **options: Any) -> LDA:
        """The estimator; where an option is None, its own default holds."""
        from ..models import LDA, MedLDAClassifier, MedLDARegressor

        loss = None if self.loss is None else self.loss.value
        options |= {"loss": loss, "C": self.cost, "margin": self.margin, "word_weights": self.word_weights or None}
        kind: Any = LDA if self.field is None else MedLDARegressor if self.numbers else MedLDAClassifier
        model: LDA = kind(**{name: value for name, value in options.items() if value is not None})
        return model


def _labels(corpus: Corpus, source: str, field: str) -> str:
    names, labels = corpus.label_names(), corpus.labels or ()
    if not names:
        raise InputError(f"{source}: no document has a label in the field {field!r}, and --predict needs some")
    if len(names) == 1:
        others = " (a document without a label is one whose class is not known)" * (() in labels)
        raise InputError(f"{source}: to predict classes there must be two or more: got {names[0]!r} only{others}")
    most = max(map(len, labels))
    if most > 1:
        return f"{len(names):,} labels, up to {most} a document{_without(labels.count(()))}"
    values = [_number(name) for name in names]
    fraction = next((name for name, value in zip(names, values) if value is not None and value % 1), None)
    if fraction is not None and None not in values:
        raise InputError(
            f"{source}: the field {field!r} has numbers such as {fraction}: to predict those add --numbers"
        )
    return f"{len(names):,} classes ({some(names)}){_without(labels.count(()))}"


def _numbers(corpus: Corpus, source: str, field: str) -> str:
    import numpy as np

    targets = np.array([np.nan]) if corpus.targets is None else corpus.targets
    is_known = ~np.isnan(targets).reshape(len(targets), -1).all(axis=1)
    known = targets[is_known]
    if not known.size:
        raise InputError(f"{source}: no document has a number in the field {field!r}, and --predict needs some")
    if targets.ndim == 2:
        return f"{targets.shape[1]} numbers a document{_without(int((~is_known).sum()))}"
    if known.min() == known.max():
        raise InputError(f"{source}: to predict numbers there must be different ones: got {known[0]:g} only")
    spread = f"numbers from {known.min():g} to {known.max():g}, {known.mean():.4g} on average"
    return spread + _without(int((~is_known).sum()))


def _without(count: int) -> str:
    return f"; {count:,} documents have none" if count > 1 else "; one document has none" * count


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
