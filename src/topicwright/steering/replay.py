"""Steps in a knowledge file: written with all that it takes to go through them again, and gone through again."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..corpus import Corpus
from ..corpus.formats.files import Source, source_name
from ..errors import InputError
from ..knowledge import TopicNames, parse_knowledge, serialize_knowledge, write_knowledge
from ..knowledge.io.files import read_steps
from ..models import LDA, Sweep
from ..models._persistence import one_or_all
from ..models._training import OnSweep
from .constraints import knowledge_of, own_names
from .state_cache import Snapshot, StateCache, digest_of, digest_of_corpus
from .steps import Step, Update, step_from_dict

if TYPE_CHECKING:
    from .session import Steering

_BASE = (
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
_SIZES = ("documents", "tokens", "words")


def write_steps(path: Any, past: StateCache, now: Snapshot) -> None:
    """Write a knowledge file with what holds now, and the steps that led there."""
    steps = {"base": _base_to_data(past.base), "log": [step.to_dict() for step in now.steps]}
    known = knowledge_of(now.said, now.state.pins, past.base)
    names = {**now.said.names, **own_names(past.base)}  # with their numbers, so that a new model has the same
    items = [item for item in known if not isinstance(item, TopicNames)]
    write_knowledge([*items, *([TopicNames(names)] if names else [])], path, steps=steps)


def replay(path: Source, corpus: Corpus, *, n_jobs: int | None = None, on_sweep: OnSweep | None = None) -> Steering:
    """Train the base model of a knowledge file once more, and take all of its steps: the model is the same.

    The corpus must be the same as well: the same documents, cut in the same way. Where ``on_sweep`` returns False, what
    was done until then is returned, and its model is ``interrupted_``.

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
    told = read_recording(path)
    if told is None:
        raise InputError(f"{source_name(path)} has no section steps: it is for fit, which starts anew")
    return told.taken(corpus, n_jobs, on_sweep)


class Recording(NamedTuple):
    """What a file says of steps: the base model, and the log."""

    name: str
    base: dict[str, Any]
    steps: tuple[Step, ...]

    @property
    def n_sweeps(self) -> int:
        """All sweeps, of the base model and of updates."""
        return int(self.base["sweeps"]) + sum(step.n_sweeps for step in self.steps if isinstance(step, Update))

    def taken(self, corpus: Corpus, n_jobs: int | None, on_sweep: OnSweep | None) -> Steering:
        """The base model trained once more, and all steps."""
        from .session import Steering

        self._check_corpus(corpus)
        until = None if on_sweep is None else _counting_to(self.n_sweeps, on_sweep)
        base = _trained(self.base, corpus, n_jobs, until)
        steering = Steering(base, n_jobs=n_jobs)
        if base.sweeps_ < self.base["sweeps"]:
            return steering
        if digest_of(base) != self.base["digest"]:
            raise InputError(
                f"{self.name}: training gives another model than the one that was steered, which was resumed with "
                "other knowledge, or made by another version: steer that model's own file"
            )
        for step in self.steps:
            if not isinstance(step, Update):
                steering.add(step)
            elif steering.update(step.n_sweeps, until).n_sweeps < step.n_sweeps:
                steering.model.interrupted_ = True
                break
        return steering

    def _check_corpus(self, corpus: Corpus) -> None:
        if digest_of_corpus(corpus) != self.base["corpus"]["digest"]:
            wanted = self.base["corpus"]
            raise InputError(
                f"{self.name} has steps on another corpus, of {wanted['documents']:,} documents with "
                f"{wanted['tokens']:,} words, {wanted['words']:,} different ones: got {corpus.n_docs:,} with "
                f"{corpus.n_tokens:,}, {corpus.n_words:,} different; read the same file with the same options"
            )


def read_recording(path: Source) -> Recording | None:
    """What a knowledge file says of steps; None where it has none."""
    data = read_steps(path)
    if data is None:
        return None
    name = source_name(path)
    try:
        base, log = data["base"], data["log"] or []
        missing = [key for key in (*_BASE, "knowledge", "digest", "corpus") if key not in base]
        if missing:
            raise InputError(f"the base of steps must have {', '.join(missing)}")
        _check_base(base)
        return Recording(name, base, tuple(map(step_from_dict, log)))
    except (KeyError, TypeError) as error:
        raise InputError(f"{name}: steps must have a base and a log: {error}") from None
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def _check_base(base: dict[str, Any]) -> None:
    """What is not checked by the model itself."""
    sweeps, evaluated, corpus = base["sweeps"], base["evaluated"], base["corpus"]
    if type(sweeps) is not int or sweeps < 1:
        raise InputError(f"sweeps of the base must be 1 or more: got {sweeps!r}")
    if not isinstance(evaluated, list) or not all(type(run) is int and 0 < run <= sweeps for run in evaluated):
        raise InputError(f"evaluated must be numbers of sweeps up to {sweeps}: got {evaluated!r}")
    if (
        not isinstance(corpus, dict)
        or not all(type(corpus.get(key)) is int for key in _SIZES)
        or "digest" not in corpus
    ):
        raise InputError(f"the corpus of steps must have {', '.join(_SIZES)} and digest: got {corpus!r}")


# ---------------------------------------------------------------------- the base model


def _base_to_data(base: LDA) -> dict[str, Any]:
    corpus = base.corpus_
    return {
        "n_topics": len(base.alpha_),
        "alpha": "learn" if isinstance(base.alpha, str) else np.asarray(one_or_all(base.alpha_)).tolist(),
        "beta": "learn" if isinstance(base.beta, str) else np.asarray(base.beta_, dtype=np.float64).tolist(),
        "n_sweeps": int(base.n_sweeps),
        "n_jobs": None if base.n_jobs is None else int(base.n_jobs),
        "evaluate_every": int(base.evaluate_every),
        "seed": int(base.seed_),
        "sweeps": int(base.sweeps_),
        "evaluated": [int(sweep) for sweep, _ in base.log_likelihood_],
        "interrupted": bool(base.interrupted_),
        "knowledge": serialize_knowledge(base.fit_state_.knowledge),
        "digest": digest_of(base),
        "corpus": {
            **dict(zip(_SIZES, (corpus.n_docs, corpus.n_tokens, corpus.n_words))),
            "digest": digest_of_corpus(corpus),
        },
    }


def _runs(data: dict[str, Any]) -> list[int]:
    """The sweeps at which training was stopped, and gone on with: the likelihood was computed there out of turn."""
    every = data["evaluate_every"]
    return sorted({sweep for sweep in data["evaluated"] if not every or sweep % every} | {data["sweeps"]})


def _trained(data: dict[str, Any], corpus: Corpus, n_jobs: int | None, on_sweep: OnSweep | None) -> LDA:
    """The base model, trained as it was."""
    runs = _runs(data)
    base = LDA(
        n_topics=data["n_topics"],
        alpha=data["alpha"],
        beta=data["beta"],
        knowledge=parse_knowledge(data["knowledge"]),
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


def _counting_to(last: int, on_sweep: OnSweep) -> OnSweep:
    """The callback, told of the whole way and not of one run."""

    def counted(sweep: Sweep) -> Any:
        return on_sweep(sweep._replace(last=last))

    return counted
