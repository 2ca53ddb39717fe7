"""The model after any list of steps: kept where it is known, else made again by taking the steps.

A kept state is named by what it came of, the base model and the steps so far. So undo, redo and branches share them,
and one that is missing comes out the same when it is made again.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from copy import copy
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._utils.validation import LARGEST_PRIOR, SMALLEST_PRIOR
from ..errors import InputError, ModelFileError
from ..io import ModelFields, pack_strings, read_model, write_model
from ..io.strict_json import to_json
from ..knowledge import serialize_knowledge
from ..models import LDA
from ..models._training import OnSweep
from .apply import SteeredState, apply_step, rebuilt, run_update
from .constraints import Constraints, constraints_after, knowledge_of
from .steps import Step, Update
from .topic_changes import Changes, changes_between
from .validation import StepValidator

_KIND = "steering-state"


def write_state(path: Path, state: SteeredState, changes: Changes) -> None:
    """Write a state, all or nothing."""
    model = state.model
    meta = {
        "sweeps": model.sweeps_,
        "learns_beta": isinstance(model.beta, str),
        "log_likelihood": [[sweep, value] for sweep, value in model.log_likelihood_],
    }
    said = {"pins": {str(topic): words for topic, words in state.pins.items()}, "changes": changes.to_dict()}
    arrays = {
        "assignments": np.asarray(model.assignments_).astype(_width(len(model.alpha_))),
        "alpha": model.alpha_,
        "beta": np.atleast_1d(np.float64(model.beta_)),
        **pack_strings([to_json(said)], "said"),
    }
    write_model(path, _KIND, meta, arrays)


def read_state(path: Path, base: LDA, said: Constraints) -> tuple[SteeredState, Changes]:
    """The state that a file holds, ``ModelFileError`` if it is damaged; ``said`` is what held then."""
    file = read_model(path)
    if file.kind != _KIND:
        raise ModelFileError(f"{path} holds no state of steering")
    fields = file.fields
    pins, changes = _said(fields)
    prior: dict[str, Any] = {"minimum": SMALLEST_PRIOR, "maximum": LARGEST_PRIOR}
    alpha = fields.array("alpha", np.float64, shape=(said.n_topics,), **prior)
    beta = fields.array("beta", np.float64, shape=np.atleast_1d(base.beta_).shape, **prior)
    shape, width = (base.corpus_.n_tokens,), _width(said.n_topics)
    assignments = fields.array("assignments", width, shape=shape, maximum=said.n_topics - 1).astype(np.uint32)
    model = rebuilt(_with_beta(base, beta, fields), assignments, alpha, knowledge_of(said, pins, base), base)
    model.sweeps_ = fields.integer("sweeps", minimum=0)
    model.log_likelihood_ = [(sweep, value) for sweep, value in fields.rows("log_likelihood", int, float)]
    model.interrupted_ = False
    return SteeredState(model, pins), changes


def _width(n_topics: int) -> type[np.unsignedinteger[Any]]:
    """The type of assignments in a file: half as large as in memory, where that will do."""
    return np.uint16 if n_topics <= 2**16 else np.uint32


def _with_beta(base: LDA, beta: Any, fields: ModelFields) -> LDA:
    model = copy(base)
    model.beta_ = float(beta[0]) if np.ndim(base.beta_) == 0 else beta
    model.beta = "learn" if fields.flag("learns_beta") else model.beta_
    return model


def _said(fields: ModelFields) -> tuple[dict[int, dict[str, int]], Changes]:
    try:
        said = fields.json("said")
        return {int(topic): words for topic, words in said["pins"].items()}, Changes.from_dict(said["changes"])
    except (KeyError, TypeError, ValueError, AttributeError):
        fields.fail("said", "must have pins and changes")


_IN_MEMORY = 6  # models
_ON_DISK = 100  # kept states, of some bytes a token


class Snapshot(NamedTuple):
    """Where a branch stands."""

    steps: tuple[Step, ...]
    said: Constraints
    state: SteeredState
    changes: Changes | None = None


class StateCache:
    """All moments of steps on one model."""

    def __init__(self, base: LDA, folder: Path | None = None, n_jobs: int | None = None) -> None:
        self.base = base
        self.n_jobs = n_jobs
        self.door = StepValidator(base)
        self.digest = digest_of(base)
        self._folder = folder
        self._recent: OrderedDict[str, Snapshot] = OrderedDict()
        self._lock = threading.Lock()
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)

    def start(self) -> Snapshot:
        """Before any step."""
        return Snapshot((), self.door.start, SteeredState(self.base, {}))

    def after(self, moment: Snapshot, step: Step) -> Snapshot:
        """After one more step that is no update."""
        said = moment.said.after(step)
        state = apply_step(moment.state, step, said, self.base, len(moment.steps))
        later = Snapshot((*moment.steps, step), said, state, moment.changes)
        if state is not moment.state:
            self._remember(later)
        return later

    def run_update(self, moment: Snapshot, n_sweeps: int, on_sweep: OnSweep | None = None) -> Snapshot:
        """After an update, which is kept; its last step says how many sweeps were done, unless none was."""
        state = run_update(moment.state, moment.said, self.base, n_sweeps, on_sweep, self.n_jobs)
        spoken_of = {word for step in moment.steps for word in getattr(step, "words", ())}
        changes = changes_between(moment.state.model, state.model, spoken_of)
        if changes.n_sweeps == 0:
            return moment._replace(changes=changes)
        later = Snapshot((*moment.steps, Update(changes.n_sweeps)), moment.said, state, changes)
        self._remember(moment)
        self._remember(later)
        if self._folder is not None:
            write_state(self._path(self._keys(later.steps)[-1]), later.state, changes)
            self._prune()
        return later

    def at(self, steps: tuple[Step, ...]) -> Snapshot:
        """After all these steps: from the nearest moment that is known, over those that follow."""
        keys = self._keys(steps)
        known = (self._known(keys[n], steps[:n]) for n in range(len(steps), 0, -1))
        moment = next(filter(None, known), None) or self.start()
        for step in steps[len(moment.steps) :]:
            if isinstance(step, Update):
                moment = self.run_update(moment, step.n_sweeps)
            else:
                moment = self.after(moment, step)
        return moment

    def check(self, steps: tuple[Step, ...]) -> None:
        """``InputError`` if one of the steps of a file makes no sense here."""
        said = self.door.start
        for number, step in enumerate(steps, 1):
            try:
                if not isinstance(step, Update):
                    self.door.admit(step, said)
                elif step.n_sweeps < 1:
                    raise InputError(f"an update must have 1 sweep or more: got {step.n_sweeps}")
            except InputError as error:
                raise InputError(f"step {number} makes no sense on this model: {error}") from None
            said = said.after(step)

    # ------------------------------------------------------------------ what is known

    def _known(self, key: str, steps: tuple[Step, ...]) -> Snapshot | None:
        with self._lock:
            moment = self._recent.get(key)
        if moment is not None or self._folder is None or not isinstance(steps[-1], Update):
            return moment
        said = constraints_after(self.door.start, steps)
        try:
            state, changes = read_state(self._path(key), self.base, said)
        except (FileNotFoundError, ModelFileError, InputError):  # it will be made again
            return None
        self._remember(Snapshot(steps, said, state, changes))
        return Snapshot(steps, said, state, changes)

    def _remember(self, moment: Snapshot) -> None:
        key = self._keys(moment.steps)[-1]
        with self._lock:
            self._recent[key] = moment
            self._recent.move_to_end(key)
            while len(self._recent) > _IN_MEMORY:
                self._recent.popitem(last=False)

    def _keys(self, steps: tuple[Step, ...]) -> list[str]:
        """Names of the moments before and after each step, each made of the one before and the step."""
        said = (to_json(step.to_dict()) for step in steps)
        return list(accumulate(said, lambda key, step: _digest(f"{key}\n{step}"), initial=self.digest))

    def _path(self, key: str) -> Path:
        assert self._folder is not None
        return self._folder / f"{key}.state"

    def _prune(self) -> None:
        """Remove the oldest files where there are too many; they can be made again."""
        assert self._folder is not None
        files = sorted(self._folder.glob("*.state"), key=_written)
        for path in files[:-_ON_DISK]:
            path.unlink(missing_ok=True)


def _written(path: Path) -> float:
    """When a file was written; long ago, if another process has removed it meanwhile."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def digest_of(model: LDA) -> str:
    """A name for a model's content: the same for the same documents, priors, knowledge and assignments."""
    digest = hashlib.sha256(digest_of_corpus(model.corpus_).encode())
    numbers = [model.seed_, model.sweeps_, isinstance(model.alpha, str), isinstance(model.beta, str)]
    state = model.fit_state_
    digest.update(to_json([*numbers, state.compiled.topics.numbers, *map(_said_by, state.knowledge)]).encode())
    for array in (model.assignments_, model.alpha_, model.beta_):
        digest.update(_bytes_of(array))
    return digest.hexdigest()[:32]


def digest_of_corpus(corpus: Any) -> str:
    """A name for the words of a corpus and where its documents begin."""
    digest = hashlib.sha256("\n".join(corpus.vocabulary).encode())
    for array in (corpus.tokens, corpus.offsets):
        digest.update(_bytes_of(array))
    return digest.hexdigest()[:32]


def _bytes_of(array: Any) -> bytes:
    array = np.atleast_1d(array)
    return bytes(array.astype(array.dtype.newbyteorder("<"), copy=False).data)


def _said_by(item: Any) -> Any:
    try:
        return serialize_knowledge([item])
    except InputError:  # it holds code
        return type(item).__name__
