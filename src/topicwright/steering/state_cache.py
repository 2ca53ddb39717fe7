"""Cache of model states after lists of steps; missing states are computed from the steps.

The key of a state is a hash of the base model and the steps, so that undo, redo and branches share states. A state that
is computed again is identical.
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
from ..corpus import corpus_digest
from ..corpus.corpus import array_bytes
from ..errors import InputError, ModelFileError
from ..io import ModelFields, pack_strings, read_model, write_model
from ..io.strict_json import to_json
from ..knowledge import serialize_knowledge
from ..models import LDA
from ..models._persistence import earlier_counts_from_fields, earlier_to_arrays
from ..models._training import OnSweep
from .apply import SteeredState, apply_step, rebuild_model, run_update
from .comparison import Changes, changes_between
from .constraints import Constraints, constraints_after, knowledge_of
from .steps import Step, Update
from .validation import StepValidator

_KIND = "steering-state"
_MAX_IN_MEMORY = 6  # models
_MAX_ON_DISK = 100  # states, of a few bytes per token


class Snapshot(NamedTuple):
    """A branch after some steps: constraints, model, and the changes by the last update."""

    steps: tuple[Step, ...]
    constraints: Constraints
    state: SteeredState
    changes: Changes | None = None


class StateCache:
    """Snapshots of the branches of one model, in memory and on disk.

    Parameters
    ----------
    base : LDA
        Model before all steps.
    folder : Path, optional
        Directory for states; None keeps them in memory only.
    n_jobs : int, optional
        Threads of updates.
    """

    def __init__(self, base: LDA, folder: Path | None = None, n_jobs: int | None = None) -> None:
        self.base = base
        self.n_jobs = n_jobs
        self.validator = StepValidator(base)
        self.digest = model_digest(base)
        self._folder = folder
        self._recent: OrderedDict[str, Snapshot] = OrderedDict()
        self._lock = threading.Lock()
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)

    def start(self) -> Snapshot:
        """Snapshot before any step."""
        return Snapshot((), self.validator.start, SteeredState(self.base, {}))

    def after(self, snapshot: Snapshot, step: Step) -> Snapshot:
        """Snapshot after one more step other than an update."""
        constraints = snapshot.constraints.after(step)
        state = apply_step(snapshot.state, step, constraints, self.base, len(snapshot.steps))
        later = Snapshot((*snapshot.steps, step), constraints, state, snapshot.changes)
        if state is not snapshot.state:
            self._remember(later)
        return later

    def run_update(self, snapshot: Snapshot, n_sweeps: int, on_sweep: OnSweep | None = None) -> Snapshot:
        """Snapshot after an update, which is cached; without sweeps it has no new step."""
        state = run_update(snapshot.state, snapshot.constraints, self.base, n_sweeps, on_sweep, self.n_jobs)
        mentioned = {word for step in snapshot.steps for word in getattr(step, "words", ())}
        changes = changes_between(snapshot.state.model, state.model, mentioned)
        if changes.n_sweeps == 0:
            return snapshot._replace(changes=changes)
        later = Snapshot((*snapshot.steps, Update(changes.n_sweeps)), snapshot.constraints, state, changes)
        self._remember(snapshot)
        self._remember(later)
        if self._folder is not None:
            write_state(self._path(self._keys(later.steps)[-1]), later.state, changes)
            self._prune()
        return later

    def at(self, steps: tuple[Step, ...]) -> Snapshot:
        """Snapshot after a list of steps, computed from the nearest cached one."""
        keys = self._keys(steps)
        cached = (self._find(keys[n], steps[:n]) for n in range(len(steps), 0, -1))
        snapshot = next(filter(None, cached), None) or self.start()
        for step in steps[len(snapshot.steps) :]:
            if isinstance(step, Update):
                snapshot = self.run_update(snapshot, step.n_sweeps)
            else:
                snapshot = self.after(snapshot, step)
        return snapshot

    def check(self, steps: tuple[Step, ...]) -> None:
        """Raise an error if one of the steps is not possible on this model."""
        constraints = self.validator.start
        for number, step in enumerate(steps, 1):
            try:
                if not isinstance(step, Update):
                    self.validator.validate(step, constraints)
                elif step.n_sweeps < 1:
                    raise InputError(parameter="n_sweeps", expected="an integer of at least 1", got=step.n_sweeps)
            except InputError as error:
                raise InputError(f"step {number} is not possible on this model: {error}") from None
            constraints = constraints.after(step)

    # ------------------------------------------------------------------ cache

    def _find(self, key: str, steps: tuple[Step, ...]) -> Snapshot | None:
        with self._lock:
            snapshot = self._recent.get(key)
        if snapshot is not None or self._folder is None or not isinstance(steps[-1], Update):
            return snapshot
        constraints = constraints_after(self.validator.start, steps)
        try:
            state, changes = read_state(self._path(key), self.base, constraints)
        except (FileNotFoundError, ModelFileError, InputError):  # it is computed again
            return None
        self._remember(Snapshot(steps, constraints, state, changes))
        return Snapshot(steps, constraints, state, changes)

    def _remember(self, snapshot: Snapshot) -> None:
        key = self._keys(snapshot.steps)[-1]
        with self._lock:
            self._recent[key] = snapshot
            self._recent.move_to_end(key)
            while len(self._recent) > _MAX_IN_MEMORY:
                self._recent.popitem(last=False)

    def _keys(self, steps: tuple[Step, ...]) -> list[str]:
        """Keys of the snapshots before and after each step: hashes of the previous key and the step."""
        lines = (to_json(step.to_dict()) for step in steps)
        return list(accumulate(lines, lambda key, step: _digest(f"{key}\n{step}"), initial=self.digest))

    def _path(self, key: str) -> Path:
        assert self._folder is not None
        return self._folder / f"{key}.state"

    def _prune(self) -> None:
        """Remove the oldest files if there are too many; they can be computed again."""
        assert self._folder is not None
        files = sorted(self._folder.glob("*.state"), key=_modified_at)
        for path in files[:-_MAX_ON_DISK]:
            path.unlink(missing_ok=True)


def _modified_at(path: Path) -> float:
    """Modification time of a file; 0 if another process has removed it."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


# ---------------------------------------------------------------------- files


def write_state(path: Path, state: SteeredState, changes: Changes) -> None:
    """Write a state to a file, atomically."""
    model = state.model
    meta = {
        "sweeps": model.sweeps_,
        "learns_beta": isinstance(model.beta, str),
        "log_likelihood": [[sweep, value] for sweep, value in model.log_likelihood_],
    }
    details = {"pins": {str(topic): words for topic, words in state.pins.items()}, "changes": changes.to_dict()}
    arrays = {
        "assignments": np.asarray(model.assignments_).astype(_assignment_type(len(model.alpha_))),
        "alpha": model.alpha_,
        "beta": np.atleast_1d(np.float64(model.beta_)),
        **earlier_to_arrays(model),
        **pack_strings([to_json(details)], "said"),
    }
    write_model(path, _KIND, meta, arrays)


def read_state(path: Path, base: LDA, constraints: Constraints) -> tuple[SteeredState, Changes]:
    """Read the state of a file; ``constraints`` are those of its steps.

    Raises
    ------
    ModelFileError
        If the file is damaged.
    """
    file = read_model(path)
    if file.kind != _KIND:
        raise ModelFileError(f"{path} is not a state of steering")
    fields = file.fields
    pins, changes = _read_pins_and_changes(fields)
    prior: dict[str, Any] = {"minimum": SMALLEST_PRIOR, "maximum": LARGEST_PRIOR}
    alpha = fields.array("alpha", np.float64, shape=(constraints.n_topics,), **prior)
    beta = fields.array("beta", np.float64, shape=np.atleast_1d(base.beta_).shape, **prior)
    shape, width = (base.corpus_.n_tokens,), _assignment_type(constraints.n_topics)
    assignments = fields.array("assignments", width, shape=shape, maximum=constraints.n_topics - 1).astype(np.uint32)
    earlier = earlier_counts_from_fields(fields, constraints.n_topics, base.corpus_.n_words)
    knowledge = knowledge_of(constraints, pins, base)
    model = rebuild_model(_with_beta(base, beta, fields), assignments, alpha, earlier, knowledge, base)
    model.sweeps_ = fields.integer("sweeps", minimum=0)
    model.log_likelihood_ = [(sweep, value) for sweep, value in fields.rows("log_likelihood", int, float)]
    model.interrupted_ = False
    return SteeredState(model, pins), changes


def _assignment_type(n_topics: int) -> type[np.unsignedinteger[Any]]:
    """Type of assignments in a file: half as large as in memory if possible."""
    return np.uint16 if n_topics <= 2**16 else np.uint32


def _with_beta(base: LDA, beta: Any, fields: ModelFields) -> LDA:
    model = copy(base)
    model.beta_ = float(beta[0]) if np.ndim(base.beta_) == 0 else beta
    model.beta = "learn" if fields.flag("learns_beta") else model.beta_
    return model


def _read_pins_and_changes(fields: ModelFields) -> tuple[dict[int, dict[str, int]], Changes]:
    try:
        details = fields.json("said")
        return {int(topic): words for topic, words in details["pins"].items()}, Changes.from_dict(details["changes"])
    except (KeyError, TypeError, ValueError, AttributeError):
        fields.fail("said", "must have pins and changes")


# ---------------------------------------------------------------------- hashes


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def model_digest(model: LDA) -> str:
    """Hash of a model: documents, priors, knowledge and assignments."""
    digest = hashlib.sha256(corpus_digest(model.corpus_).encode())
    numbers = [model.seed_, model.sweeps_, isinstance(model.alpha, str), isinstance(model.beta, str)]
    state = model.fit_state_
    digest.update(to_json([*numbers, state.compiled.topics.numbers, *map(_knowledge_key, state.knowledge)]).encode())
    earlier = () if model.earlier_ is None else (*_counts_of(model.earlier_.words), model.earlier_.documents)
    for array in (model.assignments_, model.alpha_, model.beta_, *earlier):
        digest.update(array_bytes(array))
    return digest.hexdigest()[:32]


def _counts_of(matrix: Any) -> tuple[Any, ...]:
    return matrix.data.astype(np.int64), matrix.indices.astype(np.int32), matrix.indptr.astype(np.int64)


def _knowledge_key(item: Any) -> Any:
    try:
        return serialize_knowledge([item])
    except InputError:  # it contains code
        return type(item).__name__
