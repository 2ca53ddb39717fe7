"""Recorded steps in knowledge files: write them with the settings of the base model, and replay them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..corpus import Corpus, corpus_digest
from ..corpus.formats.files import Source, source_name
from ..errors import InputError
from ..knowledge import TopicNames, parse_knowledge, serialize_knowledge, write_knowledge
from ..knowledge.io.files import KnowledgeFile, read_knowledge_file
from ..models import LDA, Sweep
from ..models._persistence import one_or_all
from ..models._training import OnSweep
from .constraints import knowledge_names, knowledge_of
from .state_cache import Snapshot, StateCache, model_digest
from .steps import Step, Update, step_from_dict

if TYPE_CHECKING:
    from .session import Steering

_BASE_KEYS = (
    "n_topics",
    "alpha",
    "beta",
    "n_sweeps",
    "n_jobs",
    "evaluate_every",
    "seed",
    "sweeps",
    "evaluated",
    "interrupted",
)
_CORPUS_KEYS = ("documents", "tokens", "words")


def write_steps(path: Any, cache: StateCache, snapshot: Snapshot) -> None:
    """Write a knowledge file with the current constraints and the steps that led to them."""
    steps = {"base": _serialize_base(cache.base), "log": [step.to_dict() for step in snapshot.steps]}
    knowledge = knowledge_of(snapshot.constraints, snapshot.state.pins, cache.base)
    names = {
        **snapshot.constraints.names,
        **knowledge_names(cache.base),
    }  # with numbers, so that a new model has the same
    items = [item for item in knowledge if not isinstance(item, TopicNames)]
    write_knowledge([*items, *([TopicNames(names)] if names else [])], path, steps=steps)


def replay(path: Source, corpus: Corpus, *, n_jobs: int | None = None, on_sweep: OnSweep | None = None) -> Steering:
    """Train the base model of a knowledge file again and apply its steps, which gives the same model.

    Parameters
    ----------
    path : path or file
        Knowledge file written by :meth:`Steering.export`.
    corpus : Corpus
        The same documents, tokenized in the same way.
    n_jobs : int, optional
        Threads; None for those of the recorded model.
    on_sweep : callable, optional
        Called after each sweep. If it returns False, the session so far is returned, and its model is ``interrupted_``.

    Returns
    -------
    Steering

    Examples
    --------

    >>> import tempfile, topicwright as tw
    >>> from topicwright.steering import Apart, Steering, replay
    >>> corpus = tw.Corpus.from_texts(["ship sails", "boat sails", "bread bakes", "loaf bakes"] * 10)
    >>> steering = Steering(tw.LDA(n_topics=2, n_sweeps=20).fit(corpus))
    >>> _ = steering.add(Apart(("ship", "bread")))
    >>> _ = steering.update(5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     steering.export(f"{folder}/steps.yaml")
    ...     again = replay(f"{folder}/steps.yaml", corpus)
    >>> bool((again.model.assignments_ == steering.model.assignments_).all())
    True
    """
    recording = parse_recording(read_knowledge_file(path))
    if recording is None:
        raise InputError(f"{source_name(path)} has no section `steps` to replay; use it with fit")
    return recording.replay(corpus, n_jobs, on_sweep)


class Recording(NamedTuple):
    """Steps of a knowledge file: settings of the base model, and the log."""

    name: str
    base: dict[str, Any]
    steps: tuple[Step, ...]

    @property
    def n_sweeps(self) -> int:
        """Number of sweeps, of the base model and of all updates."""
        return int(self.base["sweeps"]) + sum(step.n_sweeps for step in self.steps if isinstance(step, Update))

    def replay(self, corpus: Corpus, n_jobs: int | None, on_sweep: OnSweep | None) -> Steering:
        """Train the base model and apply all steps."""
        from .session import Steering

        self._check_corpus(corpus)
        report = None if on_sweep is None else _with_total(self.n_sweeps, on_sweep)
        base = _train_base(self.base, corpus, n_jobs, report)
        steering = Steering(base, n_jobs=n_jobs)
        if base.sweeps_ < self.base["sweeps"]:
            return steering
        if model_digest(base) != self.base["digest"]:
            raise InputError(
                f"{self.name}: training gives another model than the one that was steered. That one was resumed with "
                "other knowledge or trained by another version: steer its own model file instead"
            )
        for step in self.steps:
            if not isinstance(step, Update):
                steering.add(step)
            elif steering.update(step.n_sweeps, report).n_sweeps < step.n_sweeps:
                steering.model.interrupted_ = True
                break
        return steering

    def _check_corpus(self, corpus: Corpus) -> None:
        if corpus_digest(corpus) != self.base["corpus"]["digest"]:
            expected = self.base["corpus"]
            raise InputError(
                f"{self.name} belongs to another corpus, of {expected['documents']:,} documents with "
                f"{expected['tokens']:,} tokens and {expected['words']:,} words: got {corpus.n_docs:,} with "
                f"{corpus.n_tokens:,} tokens and {corpus.n_words:,} words; read the same file with the same options",
                parameter="corpus",
            )


def parse_recording(file: KnowledgeFile) -> Recording | None:
    """Recorded steps of a knowledge file, or None."""
    if file.steps is None:
        return None
    name = file.name
    try:
        base, log = file.steps["base"], file.steps["log"] or []
        missing = [key for key in (*_BASE_KEYS, "knowledge", "digest", "corpus") if key not in base]
        if missing:
            raise InputError(f"`base` of `steps` needs the keys {', '.join(missing)}", parameter="base")
        _check_base(base)
        return Recording(name, base, tuple(map(step_from_dict, log)))
    except (KeyError, TypeError) as error:
        raise InputError(
            f"{name}: `steps` needs the keys base and log: {error}", parameter="steps", where=name
        ) from None
    except InputError as error:
        raise InputError(f"{name}: {error}", parameter=error.parameter, got=error.got, where=name) from None


def _check_base(base: dict[str, Any]) -> None:
    """Check what the model itself does not check."""
    sweeps, evaluated, corpus = base["sweeps"], base["evaluated"], base["corpus"]
    if type(sweeps) is not int or sweeps < 1:
        raise InputError(parameter="sweeps", expected="an integer of at least 1", got=sweeps)
    if not isinstance(evaluated, list) or not all(type(run) is int and 0 < run <= sweeps for run in evaluated):
        raise InputError(parameter="evaluated", expected=f"a list of integers from 1 to {sweeps}", got=evaluated)
    if (
        not isinstance(corpus, dict)
        or not all(type(corpus.get(key)) is int for key in _CORPUS_KEYS)
        or "digest" not in corpus
    ):
        keys = f"a mapping with the keys {', '.join(_CORPUS_KEYS)} and digest"
        raise InputError(parameter="corpus", expected=keys, got=corpus)


# ---------------------------------------------------------------------- base model


def _serialize_base(base: LDA) -> dict[str, Any]:
    corpus = base.corpus_
    return {
        "n_topics": len(base.alpha_),
        "alpha": "learn" if isinstance(base.alpha, str) else np.asarray(one_or_all(base.alpha_)).tolist(),
        "beta": "learn" if isinstance(base.beta, str) else np.asarray(base.beta_, dtype=np.float64).tolist(),
        "one_topic_per_document": bool(base.one_topic_per_document),
        "n_sweeps": int(base.n_sweeps),
        "n_jobs": None if base.n_jobs is None else int(base.n_jobs),
        "evaluate_every": int(base.evaluate_every),
        "seed": int(base.seed_),
        "sweeps": int(base.sweeps_),
        "evaluated": [int(sweep) for sweep, _ in base.log_likelihood_],
        "interrupted": bool(base.interrupted_),
        "knowledge": serialize_knowledge(base.fit_state_.knowledge),
        "digest": model_digest(base),
        "corpus": {
            **dict(zip(_CORPUS_KEYS, (corpus.n_docs, corpus.n_tokens, corpus.n_words))),
            "digest": corpus_digest(corpus),
        },
    }


def _run_ends(data: dict[str, Any]) -> list[int]:
    """Sweeps at which training was stopped and resumed, where the likelihood was computed outside its rhythm."""
    every = data["evaluate_every"]
    return sorted({sweep for sweep in data["evaluated"] if not every or sweep % every} | {data["sweeps"]})


def _train_base(data: dict[str, Any], corpus: Corpus, n_jobs: int | None, on_sweep: OnSweep | None) -> LDA:
    """Train the base model with the recorded settings."""
    runs = _run_ends(data)
    base = LDA(
        n_topics=data["n_topics"],
        alpha=data["alpha"],
        beta=data["beta"],
        knowledge=parse_knowledge(data["knowledge"]),
        one_topic_per_document=data.get("one_topic_per_document", False) is True,
        n_sweeps=runs[0],
        n_jobs=data["n_jobs"] if n_jobs is None else n_jobs,
        random_state=data["seed"],
        evaluate_every=data["evaluate_every"],
    )
    base.fit(corpus, on_sweep=on_sweep)
    for done, run in pairwise(runs):
        if base.sweeps_ == done:
            base.resume(run - done, on_sweep=on_sweep)
    if base.sweeps_ == data["sweeps"]:
        base.interrupted_ = data["interrupted"]
        base.log_likelihood_ = [point for point in base.log_likelihood_ if point[0] in data["evaluated"]]
    base.n_sweeps, base.n_jobs = data["n_sweeps"], data["n_jobs"]
    return base


def _with_total(last: int, on_sweep: OnSweep) -> OnSweep:
    """Callback that gets the total number of sweeps instead of that of one run."""

    def on_sweep_of_all(sweep: Sweep) -> Any:
        return on_sweep(sweep._replace(last=last))

    return on_sweep_of_all
