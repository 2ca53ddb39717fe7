"""Manifest of a fit: the data, settings, seed, software and time that a model came from."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Mapping
from datetime import datetime, timezone
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._utils.formatting import align_columns, html_table, truncate
from .._utils.validation import check_n_jobs
from .._version import __version__
from ..corpus.corpus import corpus_digest
from ..errors import InputError
from ..io.strict_json import to_json
from ..knowledge import serialize_knowledge

if TYPE_CHECKING:
    from ..io import ModelFields
    from .batch import BatchTopicModel

_PACKAGES = ("numpy", "scipy", "numba", "scikit-learn")
_ELSEWHERE = ("knowledge", "random_state", "n_jobs")  # parameters that the manifest has by other names
_MOST_ENTRIES = 1000  # of an array that is listed
_LONGEST_VALUE = 200
_DIGITS = 32  # of digests


class TrainingRun(NamedTuple):
    """One call of ``fit`` or ``resume``."""

    started: str
    """UTC time in ISO format."""
    seconds: float
    n_sweeps: int
    n_threads: int
    backend: str
    """Shards of the backend, or "" for training in this process."""
    knowledge: str
    """Digest of the knowledge, or "" without any. Code in knowledge counts by its class only."""
    environment: str
    """Versions of the libraries and of Python, and the platform."""


class Manifest(NamedTuple):
    """The data, settings, seed, software and time that a model came from: what it takes to repeat its training.

    Displayed as a table. ``to_dict`` gives plain data for JSON.

    Examples
    --------
    >>> import topicwright as tw
    >>> corpus = tw.Corpus.from_texts(["ship sea", "bread oven"] * 10)
    >>> lda = tw.LDA(n_topics=2, n_sweeps=20, random_state=7).fit(corpus)
    >>> manifest = lda.manifest_
    >>> manifest.seed, manifest.runs[0].n_sweeps, manifest.digest == tw.corpus.corpus_digest(corpus)
    (7, 20, True)
    >>> again = tw.LDA(**manifest.parameters, random_state=manifest.seed).fit(corpus)
    >>> bool((again.assignments_ == lda.assignments_).all())
    True
    """

    model: str
    """Class of the model."""
    parameters: dict[str, Any]
    """Parameters of the model as JSON values, except ``knowledge``, ``random_state`` and ``n_jobs``."""
    seed: int
    digest: str
    """Digest of the encoded corpus: see :func:`topicwright.corpus.corpus_digest`."""
    target_digest: str
    """Digest of the labels or numbers that a supervised model learned, or ""."""
    n_docs: int
    n_tokens: int
    n_words: int
    runs: tuple[TrainingRun, ...]
    """The fit, and each ``resume`` since."""

    def to_dict(self) -> dict[str, Any]:
        """The manifest as a dictionary that JSON can hold."""
        return {**self._asdict(), "runs": [run._asdict() for run in self.runs]}

    def rows(self) -> list[tuple[str, str]]:
        """Names and values for display."""
        parameters = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        size = f"{self.n_docs:,} documents, {self.n_tokens:,} tokens, {self.n_words:,} words"
        targets = [("labels or targets", f"digest {self.target_digest}")] if self.target_digest else []
        runs = [row for number, run in enumerate(self.runs) for row in _run_rows("resume" if number else "fit", run)]
        return [
            ("model", f"{self.model}({truncate(parameters, 4 * _LONGEST_VALUE)})"),
            ("seed", str(self.seed)),
            ("documents", f"{size}; digest {self.digest}"),
            *targets,
            *runs,
        ]

    def __repr__(self) -> str:
        return "\n".join(align_columns([[name, truncate(value, _LONGEST_VALUE)] for name, value in self.rows()]))

    def _repr_html_(self) -> str:
        return html_table("Manifest", ["", ""], self.rows())


def _run_rows(what: str, run: TrainingRun) -> list[tuple[str, str]]:
    threads = f"{run.n_threads} thread{'s' * (run.n_threads != 1)}"
    where = f"{run.backend}, {threads}" if run.backend else threads
    when = f"{run.started}, {run.seconds:.1f} s on {where}"
    knowledge = f"; knowledge digest {run.knowledge}" if run.knowledge else ""
    return [(what, f"{run.n_sweeps:,} sweeps; {when}{knowledge}"), ("", run.environment)]


# ---------------------------------------------------------------------- recording


def record_run(model: BatchTopicModel, started: float, seconds: float, n_sweeps: int, backend: str) -> None:
    """Add a run that has just ended to the manifest of a model; ``started`` is a Unix time.

    A model of unknown origin, such as one of an old file, gets no manifest by further training.
    """
    is_new = model.sweeps_ == n_sweeps
    manifest = _new_manifest(model) if is_new else model.manifest_
    if manifest is None:
        return
    when = datetime.fromtimestamp(started, timezone.utc).isoformat(timespec="seconds")
    threads = check_n_jobs(model.n_jobs)
    knowledge = _knowledge_digest(model.fit_state_.knowledge)
    run = TrainingRun(when, round(seconds, 3), n_sweeps, threads, backend, knowledge, environment())
    model.manifest_ = manifest._replace(runs=(*manifest.runs, run))


def environment() -> str:
    """Versions of the libraries that results depend on, and the platform."""
    versions = [f"{name} {version(name)}" for name in _PACKAGES]
    python = f"Python {platform.python_version()}"
    return ", ".join([f"topicwright {__version__}", *versions, python, f"{platform.system()} {platform.machine()}"])


def _new_manifest(model: BatchTopicModel) -> Manifest:
    corpus = model.corpus_
    parameters = {name: _plain(value) for name, value in model.get_params(deep=False).items() if name not in _ELSEWHERE}
    return Manifest(
        model=type(model).__name__,
        parameters=parameters,
        seed=int(model.seed_),
        digest=corpus_digest(corpus),
        target_digest=_target_digest(model),
        n_docs=corpus.n_docs,
        n_tokens=corpus.n_tokens,
        n_words=corpus.n_words,
        runs=(),
    )


def _plain(value: Any) -> Any:
    """Value of a parameter in the types of JSON; a text that describes it if it has no such form."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    array = np.asarray(value) if isinstance(value, (np.ndarray, list, tuple)) else None
    if array is not None and array.size > _MOST_ENTRIES:
        return f"{array.size} entries, digest {hashlib.sha256(array.tobytes()).hexdigest()[:_DIGITS]}"
    value = array.tolist() if isinstance(value, np.ndarray) and array is not None else value
    try:
        to_json(value)
    except InputError:
        return truncate(repr(value), _LONGEST_VALUE)
    return value


def _target_digest(model: Any) -> str:
    """Digest of the labels or numbers that a supervised model learns; empty for other models."""
    tasks = getattr(model, "_tasks", None)
    if tasks is not None:
        targets = np.where(np.isnan(tasks.targets), np.nan, tasks.targets)  # one NaN of many
        return hashlib.sha256(np.ascontiguousarray(targets, "<f8").tobytes()).hexdigest()[:_DIGITS]
    if not hasattr(model, "label_counts_"):
        return ""
    digest = hashlib.sha256()
    for labels in model.corpus_.labels:
        digest.update("\0".join(labels).encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()[:_DIGITS]


def _knowledge_digest(items: list[Any]) -> str:
    if not items:
        return ""
    return hashlib.sha256(to_json([_knowledge_data(item) for item in items]).encode()).hexdigest()[:_DIGITS]


def _knowledge_data(item: Any) -> Any:
    try:
        return serialize_knowledge([item])
    except InputError:  # it contains code
        return type(item).__name__


# ---------------------------------------------------------------------- model files


def manifest_to_meta(manifest: Manifest | None) -> Any:
    """Manifest as JSON values of a model file."""
    if manifest is None:
        return None
    return {**manifest._asdict(), "runs": [list(run) for run in manifest.runs]}


def manifest_from_fields(fields: ModelFields) -> Manifest | None:
    """Manifest of a model file; None for a file without one, which an earlier version wrote."""
    if "manifest" not in fields:
        return None
    section = fields.section("manifest")
    parameters = section.value("parameters")
    if not isinstance(parameters, Mapping):
        section.fail("parameters", "must be an object")
    return Manifest(
        model=section.text("model"),
        parameters=dict(parameters),
        seed=section.integer("seed", minimum=0),
        digest=section.text("digest"),
        target_digest=section.text("target_digest"),
        n_docs=section.integer("n_docs", minimum=0),
        n_tokens=section.integer("n_tokens", minimum=0),
        n_words=section.integer("n_words", minimum=0),
        runs=tuple(TrainingRun(*row) for row in section.rows("runs", str, float, int, int, str, str, str)),
    )
