"""Options of ``fit``: what a model predicts, and where it is trained."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from .._utils.formatting import pluralize
from .._utils.warnings import warn
from ..errors import InputError, TopicwrightWarning
from ..records.predictions import some
from ._inputs import InputOptions
from ._options import OptionGroup, option

if TYPE_CHECKING:
    from ..corpus import Corpus
    from ..models import LDA

_predicting, _labels = partial(option, "Predictions and labels"), partial(option, "Predictions and labels")


class UnlabeledPolicy(str, Enum):
    """Use of documents without labels if labels are topics."""

    skip = "skip"
    any = "any"


@dataclass(frozen=True, kw_only=True)
class TaskOptions(OptionGroup):
    """What a model learns in addition to topics: to predict a field, labels as topics, or nothing."""

    predict: Annotated[
        str | None,
        _predicting(
            "Learn topics that predict this field: a class, or several labels.",
            metavar="FIELD",
            default=False,
        ),
    ] = None
    numbers: Annotated[bool, _predicting("Predict a number instead of a class.", "--numbers")] = False
    loss: Annotated[
        str | None,
        _predicting(
            "Loss: hinge or logistic; with --numbers epsilon_insensitive or squared.",
            metavar="NAME",
            default="hinge; with --numbers epsilon_insensitive",
        ),
    ] = None
    cost: Annotated[
        float | None,
        _predicting(
            "Weight of predictions against the words.",
            metavar="NUMBER",
            default="1.6, or more if classes have few documents; with logistic 50, with --numbers 16",
        ),
    ] = None
    margin: Annotated[
        float | None,
        _predicting(
            "Margin of the hinge loss between classes.",
            metavar="NUMBER",
            default="64, or 8 with labels; less for short documents",
        ),
    ] = None
    word_weights: Annotated[
        bool | None,
        _predicting(
            "Give single words weights too, for better predictions.",
            "--word-weights/--no-word-weights",
            default="--word-weights",
        ),
    ] = None
    labels: Annotated[
        str | None,
        _labels(
            "Learn one topic for each label in this field (Labeled LDA).",
            metavar="FIELD",
            default=False,
        ),
    ] = None
    background: Annotated[
        int | None,
        _labels(
            "Number of background topics, for words that all documents share.",
            metavar="N",
            default="none",
            min=0,
        ),
    ] = None
    unlabeled: Annotated[
        UnlabeledPolicy | None,
        _labels(
            "Documents without labels: skip them, or allow them any label.",
            "--unlabeled",
            "--unlabelled",
            metavar="skip|any",
            default="skip",
        ),
    ] = None

    @property
    def field(self) -> str | None:
        """Field of what the model predicts."""
        return self.labels if self.predict is None else self.predict

    @property
    def _field_option(self) -> str:
        return "--labels" if self.predict is None else "--predict"

    def check(self, n_topics: int | None) -> None:
        """Raise an error if options contradict each other."""
        for_losses = {"--loss": self.loss, "--margin": self.margin, "--cost": self.cost}
        given = [name for name, value in for_losses.items() if value is not None]
        flags = {"--numbers": self.numbers, "--word-weights": self.word_weights is not None}
        need_predict = [name for name, is_given in flags.items() if is_given] + given
        if self.predict is not None and self.labels is not None:
            raise InputError("--predict and --labels make different kinds of models: pass one of them")
        if self.predict is None and need_predict:
            raise InputError(f"{need_predict[0]} needs --predict FIELD")
        for name, value in {"--background": self.background, "--unlabeled": self.unlabeled}.items():
            if self.labels is None and value is not None:
                raise InputError(f"{name} needs --labels FIELD")
        if self.labels is not None and n_topics is not None:
            raise InputError(
                "--topics cannot be used with --labels, which makes every label a topic: --background adds more topics"
            )
        if self.numbers and self.margin is not None:
            raise InputError("--margin is for classes and cannot be used with --numbers")
        if self.loss is not None:
            self._check_loss(self.loss)
        for name, number in {"--cost": self.cost, "--margin": self.margin}.items():
            if number is not None and not 0 < number < math.inf:
                raise InputError(parameter=name, expected="a positive number", got=number)

    def _check_loss(self, name: str) -> None:
        from ..losses.base import CLASSIFICATION, REGRESSION, registered_loss

        loss = registered_loss(name, REGRESSION if self.numbers else CLASSIFICATION)
        if self.margin is not None and "margin" not in loss.parameters:
            raise InputError(f"--margin cannot be used with --loss {name}, which has no margin")

    def with_field(self, reading: InputOptions) -> InputOptions:
        """Input options that read the field that the model predicts."""
        if self.field is None:
            return reading
        if self.numbers:
            return replace(reading, target_field=self.field)
        if reading.label_field not in (None, self.field):
            raise InputError(
                f"{self._field_option} and --label-field name two fields of labels, and only one can be read: "
                f"got {self.field!r} and {reading.label_field!r}"
            )
        return replace(reading, label_field=self.field)

    def describe(self, corpus: Corpus, source: str) -> str:
        """Summary of the targets in a corpus; an error if they cannot be learned."""
        if self.numbers:
            return f"to predict: {_describe_numbers(corpus, source, str(self.field))}"
        if not corpus.label_names():
            raise InputError(
                f"{source}: no document has a label in the field {self.field!r}, and {self._field_option} needs some"
            )
        if self.labels is None:
            return f"to predict: {_describe_classes(corpus, source, str(self.field))}"
        labels, names = corpus.labels or (), corpus.label_names()
        most, n_without = max(map(len, labels)), labels.count(())
        each = f"up to {most} per document" if most > 1 else f"one per document ({some(names)})"
        skipped = "and is skipped" if n_without == 1 else "and are skipped"
        use = "and may have any" if self.unlabeled is UnlabeledPolicy.any else skipped
        return f"labels: {len(names):,}, {each}" + (f"{_without(n_without)}, {use}" if n_without else "")

    def training_documents(self, corpus: Corpus) -> Corpus:
        """Documents to train on: if labels are topics, those with labels."""
        if self.labels is None or self.unlabeled is UnlabeledPolicy.any or () not in (corpus.labels or ()):
            return corpus
        labeled = corpus.select([row for row, labels in enumerate(corpus.labels or ()) if labels])
        return labeled.prune(max_df=labeled.n_docs)  # without the words that only the others had

    def new_model(self, **parameters: Any) -> LDA:
        """The estimator; a parameter that is None has the default of the estimator."""
        from ..models import LDA, LabeledLDA, MedLDAClassifier, MedLDARegressor

        parameters |= {
            "loss": self.loss,
            "C": self.cost,
            "margin": self.margin,
            "word_weights": self.word_weights,
            "n_background_topics": self.background,
        }
        supervised: Any = MedLDARegressor if self.numbers else MedLDAClassifier
        kind = LabeledLDA if self.labels is not None else LDA if self.predict is None else supervised
        model: LDA = kind(**{name: value for name, value in parameters.items() if value is not None})
        return model


def _describe_classes(corpus: Corpus, source: str, field: str) -> str:
    names, labels = corpus.label_names(), corpus.labels or ()
    if len(names) == 1:
        others = " (the class of documents without a label is unknown)" * (() in labels)
        raise InputError(f"{source}: to predict classes, two or more are needed: got {names[0]!r} only{others}")
    most = max(map(len, labels))
    if most > 1:
        return f"{pluralize(len(names), 'label')}, up to {most} per document{_without(labels.count(()))}"
    values = [_number(name) for name in names]
    fraction = next((name for name, value in zip(names, values) if value is not None and value % 1), None)
    if fraction is not None and None not in values:
        raise InputError(
            f"{source}: the field {field!r} has numbers such as {fraction}: add --numbers to predict numbers"
        )
    n_known = len(labels) - labels.count(())
    if len(names) > max(2, n_known / 2):
        found = f"{len(names):,} classes for {pluralize(n_known, 'document')}"
        warn(f"the field {field!r} has {found}: classes with few documents cannot be learned", TopicwrightWarning)
    return f"{len(names):,} classes ({some(names)}){_without(labels.count(()))}"


def _describe_numbers(corpus: Corpus, source: str, field: str) -> str:
    import numpy as np

    targets = np.array([np.nan]) if corpus.targets is None else corpus.targets
    is_known = ~np.isnan(targets).reshape(len(targets), -1).all(axis=1)
    known = targets[is_known]
    if not known.size:
        raise InputError(f"{source}: no document has a number in the field {field!r}, and --predict needs some")
    if targets.ndim == 2:
        return f"{targets.shape[1]} numbers per document{_without(int((~is_known).sum()))}"
    if known.min() == known.max():
        raise InputError(f"{source}: to predict numbers, different ones are needed: got {known[0]:g} only")
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


# ---------------------------------------------------------------------- where to train

_backend = partial(option, "Larger than memory or one machine")


class BackendName(str, Enum):
    """Backend that trains on shards."""

    disk = "disk"
    ray = "ray"


@dataclass(frozen=True, kw_only=True)
class BackendOptions(OptionGroup):
    """Where to train."""

    backend: Annotated[
        BackendName | None,
        _backend("Train on shards, from disk or on a Ray cluster.", metavar="disk|ray", default="neither"),
    ] = None
    address: Annotated[
        str | None,
        _backend(
            "Address of the Ray cluster; auto on one of its nodes.", metavar="ADDRESS", default="one is started here"
        ),
    ] = None
    shards: Annotated[int | None, _backend("Number of shards.", metavar="N", default="8; on Ray 4", min=1)] = None
    rounds: Annotated[
        int | None,
        _backend(
            "Exchanges of counts between shards per sweep. Fewer send less data and need more sweeps.",
            metavar="N",
            default="16, or as many as shards",
            min=1,
        ),
    ] = None
    in_memory: Annotated[
        int | None, _backend("With disk: number of shards to keep in memory.", metavar="N", default="all", min=0)
    ] = None
    cpus_per_worker: Annotated[
        int | None, _backend("With ray: number of threads per worker.", metavar="N", default="1", min=1)
    ] = None
    sweep_timeout: Annotated[
        float | None, _backend("With ray: stop if a step takes longer.", metavar="SECONDS", default="3600")
    ] = None
    max_restarts: Annotated[
        int | None,
        _backend("With ray: number of restarts of each worker; -1 for no limit.", metavar="N", default="3", min=-1),
    ] = None
    checkpoint_dir: Annotated[
        Path | None,
        _backend(
            "Folder for corpus, shards and topics; on a cluster, one that all nodes share.",
            metavar="DIR",
            default="a temporary folder",
        ),
    ] = None
    resume: Annotated[bool, _backend("Continue the run in --checkpoint-dir, if there is one.", "--resume")] = False

    def parameters(self) -> dict[str, Any]:
        """Keyword arguments of ``fit`` of a model."""
        if self.backend is None:
            self._check_unused({**self._shared(), **self._for_disk(), **self._for_ray()}, "--backend disk or ray")
            self._check_unused({"--resume": self.resume or None}, "--backend disk or ray")
            return {}
        from .. import DiskBackend, RayBackend
        from ..distributed.sharding import has_run

        is_disk = self.backend is BackendName.disk
        self._check_unused(
            self._for_ray() if is_disk else self._for_disk(), f"--backend {'ray' if is_disk else 'disk'}"
        )
        folder = self.checkpoint_dir
        if self.resume and folder is None:
            raise InputError("--resume needs --checkpoint-dir, the folder of an interrupted run")
        if folder is not None and not self.resume and has_run(folder):  # before any text is read
            raise InputError(f"{folder} already has a run: continue it with --resume, or choose another folder")
        given = {
            "n_shards": self.shards,
            "n_rounds": self.rounds,
            "checkpoint_dir": folder,
            **({"in_memory": self.in_memory} if is_disk else self._ray_parameters()),
        }
        kind: Any = DiskBackend if is_disk else RayBackend
        backend = kind(**{name: value for name, value in given.items() if value is not None})
        backend.check()  # before any text is read
        return {"backend": backend, "resume": self.resume}

    def _ray_parameters(self) -> dict[str, Any]:
        return {
            "address": self.address,
            "cpus_per_worker": self.cpus_per_worker,
            "sweep_timeout": self.sweep_timeout,
            "max_restarts": self.max_restarts,
        }

    def _shared(self) -> dict[str, Any]:
        return {"--shards": self.shards, "--rounds": self.rounds, "--checkpoint-dir": self.checkpoint_dir}

    def _for_disk(self) -> dict[str, Any]:
        return {"--in-memory": self.in_memory}

    def _for_ray(self) -> dict[str, Any]:
        return {f"--{name.replace('_', '-')}": value for name, value in self._ray_parameters().items()}

    @staticmethod
    def _check_unused(given: dict[str, Any], needed: str) -> None:
        for name, value in given.items():
            if value is not None:
                raise InputError(f"{name} needs {needed}")

    def no_run_message(self) -> str | None:
        """Message that there is no run to continue, if ``--resume`` was passed."""
        from ..distributed.sharding import has_run

        if not self.resume or self.checkpoint_dir is None or has_run(self.checkpoint_dir):
            return None
        return f"there is no run in {self.checkpoint_dir} to continue: this one starts with the first sweep"

    def check_shards(self, n_docs: int) -> None:
        """Raise an error if there were shards without documents."""
        if self.shards is not None and self.shards > n_docs:
            expected = f"at most the number of documents, {n_docs:,}"
            raise InputError(parameter="--shards", expected=expected, got=self.shards)

    @contextmanager
    def corpus_folder(self) -> Iterator[Path | None]:
        """Folder to store the corpus in while it is read, so that it need not fit in memory; None without a backend."""
        if self.backend is None:
            yield None
        elif self.checkpoint_dir is not None:
            yield self.checkpoint_dir / "corpus"
        else:
            with tempfile.TemporaryDirectory(prefix="topicwright-", ignore_cleanup_errors=True) as folder:
                yield Path(folder)
