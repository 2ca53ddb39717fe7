"""What ``fit`` is to learn beside words: which field, with which model, and whether the documents have it."""

from __future__ import annotations

import math
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from .._utils.formatting import pluralize
from .._utils.warnings import warn
from ..errors import InputError, TopicwrightWarning
from ..records.model_types import some
from ._inputs import InputOptions

if TYPE_CHECKING:
    from ..corpus import Corpus
    from ..models import LDA


class UnlabeledPolicy(str, Enum):
    """What becomes of documents without labels, where labels are topics."""

    skip = "skip"
    any = "any"


class Target(NamedTuple):
    """What a model is to learn beside words, as the options give it: a field to predict, labels, or nothing."""

    predict: str | None = None
    numbers: bool = False
    loss: str | None = None
    cost: float | None = None
    margin: float | None = None
    word_weights: bool = False
    labels: str | None = None
    background: int | None = None
    unlabelled: UnlabeledPolicy | None = None

    @property
    def field(self) -> str | None:
        """The field that it is in."""
        return self.labels if self.predict is None else self.predict

    def check(self, n_topics: int | None) -> None:
        """An error where options do not go together."""
        of_losses = {"--loss": self.loss, "--margin": self.margin, "--cost": self.cost}
        given = [name for name, value in of_losses.items() if value is not None]
        flags = {"--numbers": self.numbers, "--word-weights": self.word_weights}
        alone = [name for name, is_given in flags.items() if is_given] + given
        if self.predict is not None and self.labels is not None:
            raise InputError("--predict and --labels ask for two kinds of model: give one of them")
        if self.predict is None and alone:
            raise InputError(f"{alone[0]} goes with --predict FIELD")
        for name, option in {"--background": self.background, "--unlabelled": self.unlabelled}.items():
            if self.labels is None and option is not None:
                raise InputError(f"{name} goes with --labels FIELD")
        if self.labels is not None and n_topics is not None:
            raise InputError("--topics can't go with --labels, which makes every label a topic: --background adds more")
        if self.numbers and self.margin is not None:
            raise InputError("--margin is for classes, and can't go with --numbers")
        if self.loss is not None:
            self._check_loss(self.loss)
        for name, value in {"--cost": self.cost, "--margin": self.margin}.items():
            if value is not None and not 0 < value < math.inf:
                raise typer.BadParameter(f"it must be a positive number: got {value:g}", param_hint=name)

    def _check_loss(self, name: str) -> None:
        from ..losses import CLASSIFICATION, REGRESSION, registered_loss

        loss = registered_loss(name, REGRESSION if self.numbers else CLASSIFICATION)
        if self.margin is not None and "margin" not in loss.parameters:
            raise InputError(f"--margin can't go with --loss {name}, which has no margin")

    def reading(self, reading: InputOptions) -> InputOptions:
        """The way of reading that finds the field."""
        if self.field is None:
            return reading
        if self.numbers:
            return reading._replace(target=self.field)
        if reading.labels not in (None, self.field):
            raise InputError(
                f"{self._option} and --label-field name two fields of labels, and one can be read: "
                f"got {self.field!r} and {reading.labels!r}"
            )
        return reading._replace(labels=self.field)

    @property
    def _option(self) -> str:
        return "--labels" if self.predict is None else "--predict"

    def found_in(self, corpus: Corpus, source: str) -> str:
        """What there is to learn, in words; an error where it will not do."""
        if self.numbers:
            return f"to predict: {_numbers(corpus, source, str(self.field))}"
        if not corpus.label_names():
            raise InputError(
                f"{source}: no document has a label in the field {self.field!r}, and {self._option} needs some"
            )
        if self.labels is None:
            return f"to predict: {_classes(corpus, source, str(self.field))}"
        labels, names = corpus.labels or (), corpus.label_names()
        most, n_without = max(map(len, labels)), labels.count(())
        each = f"up to {most} a document" if most > 1 else f"one a document ({some(names)})"
        skipped = "and is skipped" if n_without == 1 else "and are skipped"
        become = "and may have any" if self.unlabelled is UnlabeledPolicy.any else skipped
        return f"labels: {len(names):,}, {each}" + (f"{_without(n_without)}, {become}" if n_without else "")

    def documents(self, corpus: Corpus) -> Corpus:
        """Those to learn from: where labels are topics, the ones that have some."""
        if self.labels is None or self.unlabelled is UnlabeledPolicy.any or () not in (corpus.labels or ()):
            return corpus
        told = corpus.select([row for row, labels in enumerate(corpus.labels or ()) if labels])
        return told.prune(max_df=told.n_docs)  # without the words that only the others had

    def model(self, **options: Any) -> LDA:
        """The estimator; where an option is None, its own default holds."""
        from ..models import LDA, LabeledLDA, MedLDAClassifier, MedLDARegressor

        options |= {"loss": self.loss, "C": self.cost, "margin": self.margin, "word_weights": self.word_weights or None}
        options["n_background_topics"] = self.background
        supervised: Any = MedLDARegressor if self.numbers else MedLDAClassifier
        kind = LabeledLDA if self.labels is not None else LDA if self.predict is None else supervised
        model: LDA = kind(**{name: value for name, value in options.items() if value is not None})
        return model


def _classes(corpus: Corpus, source: str, field: str) -> str:
    names, labels = corpus.label_names(), corpus.labels or ()
    if len(names) == 1:
        others = " (a document without a label is one whose class is not known)" * (() in labels)
        raise InputError(f"{source}: to predict classes there must be two or more: got {names[0]!r} only{others}")
    most = max(map(len, labels))
    if most > 1:
        return f"{pluralize(len(names), 'label')}, up to {most} a document{_without(labels.count(()))}"
    values = [_number(name) for name in names]
    fraction = next((name for name, value in zip(names, values) if value is not None and value % 1), None)
    if fraction is not None and None not in values:
        raise InputError(
            f"{source}: the field {field!r} has numbers such as {fraction}: to predict those add --numbers"
        )
    n_known = len(labels) - labels.count(())
    if len(names) > max(2, n_known / 2):
        told = f"{len(names):,} classes for {pluralize(n_known, 'document')}"
        warn(f"the field {field!r} has {told}: what hardly repeats can't be learned", TopicwrightWarning)
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
