"""Steering session: steps on one branch of a model."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .._utils.validation import check_integer
from ..errors import InputError
from ..models import LDA, Sweep
from ..models._training import OnSweep
from .apply import run_update
from .branches import MAIN, BranchStore, DirectoryBranches, MemoryBranches, steps_directory
from .comparison import Changes, Comparison, compare, mergeable_steps, n_common
from .state_cache import StateCache, model_digest
from .steps import Step, Update, topic_name

Callback = Callable[["Steering"], Any]


class UpdateInProgressError(InputError):
    """An update is running in another thread; wait for its end or stop it."""


class Steering:
    """Interactive corrections of a model, as a branch of steps that can be undone.

    ``Steering(model)`` keeps the steps in memory. :meth:`open` writes every step to a directory next to the model file;
    the model file itself never changes. Other threads can read while one updates.

    Parameters
    ----------
    model : LDA
        A fitted model that has its corpus. It is not changed.
    n_jobs : int or None
        Threads of updates; None for those of the model. Results do not depend on it.

    Examples
    --------
    >>> import topicwright as tw
    >>> from topicwright.steering import NeverIn, Steering
    >>> texts = ["ship sails", "boat sails", "bread bakes", "loaf bakes"] * 10
    >>> steering = Steering(tw.LDA(n_topics=2, n_sweeps=20).fit(texts))
    >>> steering.add(NeverIn(("ship",), 0))
    []
    >>> changes = steering.update(5)
    >>> "ship" in steering.model.top_words()[0]
    False
    """

    def __init__(self, model: LDA, *, n_jobs: int | None = None) -> None:
        self._setup(StateCache(_require_steerable(model), n_jobs=n_jobs), MemoryBranches(), MAIN)

    @classmethod
    def open(cls, path: Any, *, branch: str = MAIN, n_jobs: int | None = None) -> Steering:
        """Open a branch of a model file, whose steps are in the directory ``PATH.steps``.

        Parameters
        ----------
        path : path
            Model file.
        branch : str
            Name of the branch.
        n_jobs : int, optional
            Threads of updates.

        Raises
        ------
        InputError
            If another process has the branch open, or if the steps belong to another model.
        """
        from .. import load

        base = _require_steerable(load(path))
        folder = steps_directory(path)
        store = DirectoryBranches(folder, model_digest(base))
        return cls._create(StateCache(base, folder / "states", n_jobs), store, branch)

    @classmethod
    def _create(cls, cache: StateCache, store: BranchStore, branch: str) -> Steering:
        self = cls.__new__(cls)
        self._setup(cache, store, branch)
        return self

    def _setup(self, cache: StateCache, store: BranchStore, branch: str) -> None:
        self._cache, self._store = cache, store
        self._log = store.open(branch)
        try:
            cache.check(tuple(self._log.history.steps))
            self._snapshot = cache.at(tuple(self._log.history.steps))
        except BaseException:
            self._log.close()
            raise
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._busy = self._closed = False
        self._callbacks: list[Callback] = []

    def close(self) -> None:
        """Close the branch, so that other processes can open it; ``with Steering.open(…)`` does this too."""
        with self._lock:
            self._closed = True
            self._log.close()

    def __enter__(self) -> Steering:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the opening, such as an incomplete last line after a crash."""
        return self._log.notes

    # ------------------------------------------------------------------ current state

    @property
    def model(self) -> LDA:
        """Current model; updates, merges, splits and names create a new one and change none in place."""
        return self._snapshot.state.model

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps, updates included."""
        return self._snapshot.steps

    @property
    def pending(self) -> tuple[Step, ...]:
        """Steps since the last update."""
        steps = self._snapshot.steps
        last = max((n for n, step in enumerate(steps, 1) if isinstance(step, Update)), default=0)
        return steps[last:]

    @property
    def names(self) -> dict[int, str]:
        """Names of topics, by number."""
        return self._cache.validator.names(self._snapshot.constraints)

    def name(self, topic: int) -> str:
        """Name of a topic, or ``topic 7`` if it has none."""
        return topic_name(topic, self.names)

    @property
    def hidden(self) -> frozenset[int]:
        """Hidden topics."""
        return self._snapshot.constraints.hidden

    @property
    def pinned(self) -> frozenset[int]:
        """Pinned topics, which updates do not change."""
        return self._snapshot.constraints.pinned

    @property
    def free(self) -> frozenset[int]:
        """Numbers of topics that were merged into others and are empty."""
        return self._snapshot.constraints.free

    @property
    def changes(self) -> Changes | None:
        """Changes by the last update; None before the first."""
        return self._snapshot.changes

    # ------------------------------------------------------------------ steps

    def add(self, step: Step) -> list[str]:
        """Add a step, which is on disk when this returns.

        Merges, splits and names change the model immediately, other steps with the next update.

        Parameters
        ----------
        step : Step

        Returns
        -------
        list of str
            Warnings.

        Raises
        ------
        InputError
            If the step is not possible on this branch.
        """
        with self._modifying():
            valid, warnings = self._cache.validator.validate(step, self._snapshot.constraints)
            self._append_step(valid)
        self._notify()
        return warnings

    def undo(self) -> Step:
        """Undo the last step, and return it."""
        with self._modifying():
            if not self.can_undo:
                raise InputError("there is no step to undo")
            step, before = self._snapshot.steps[-1], self._cache.at(self._snapshot.steps[:-1])
            self._log.undo()
            self._snapshot = before
        self._notify()
        return step

    def redo(self) -> Step:
        """Redo the step that was undone last, and return it."""
        with self._modifying():
            if not self.can_redo:
                raise InputError("there is no step to redo")
            step = self._log.history.undone[-1]
            after = self._cache.at((*self._snapshot.steps, step))
            self._log.redo()
            self._snapshot = after
        self._notify()
        return step

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to undo."""
        return bool(self._snapshot.steps)

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to redo."""
        return bool(self._log.history.undone)

    # ------------------------------------------------------------------ updates

    def update(self, n_sweeps: int = 20, on_sweep: OnSweep | None = None) -> Changes:
        """Update the model with Gibbs sweeps under all constraints.

        Parameters
        ----------
        n_sweeps : int
            Number of sweeps.
        on_sweep : callable, optional
            Called with a :class:`~topicwright.models.Sweep` after each sweep. If it returns False, or if :meth:`stop`
            was called, the update ends and counts as an update of the sweeps done. An exception discards the update.

        Returns
        -------
        Changes
        """
        n_sweeps = check_integer("n_sweeps", n_sweeps, 1)
        with self._modifying():
            self._busy = True
            self._stop.clear()
        self._notify()
        try:
            after = self._cache.run_update(self._snapshot, n_sweeps, self._until_stopped(on_sweep))
            with self._lock:
                if after.steps != self._snapshot.steps:
                    self._log.add(after.steps[-1])
                    self._snapshot = after
        finally:
            self._busy = False
            self._notify()
        assert after.changes is not None
        return after.changes

    def stop(self) -> None:
        """Stop an update in another thread after its current sweep."""
        self._stop.set()

    @property
    def busy(self) -> bool:
        """Whether an update is running.

        Meanwhile ``add``, ``undo``, ``redo``, ``merge`` and ``update`` raise :class:`UpdateInProgressError`.
        """
        return self._busy

    def prepare(self) -> None:
        """Compile the sampler or load it from its cache, so that the first update does not have to."""
        snapshot = self._snapshot
        run_update(snapshot.state, snapshot.constraints, self._cache.base, 0, None, self._cache.n_jobs)

    def _until_stopped(self, on_sweep: OnSweep | None) -> OnSweep:
        def continues(sweep: Sweep) -> bool:
            is_stopped = on_sweep is not None and on_sweep(sweep) is False
            return not is_stopped and not self._stop.is_set()

        return continues

    # ------------------------------------------------------------------ branches

    def branches(self) -> list[str]:
        """Names of all branches, the main one first."""
        return self._store.names()

    def branch(self, name: str, from_: str | None = None) -> Steering:
        """Create and open a branch with the steps of this branch, or of the branch ``from_``; the caller closes it."""
        steps = self._snapshot.steps if from_ is None else self._store.steps(from_)
        self._store.create(name, list(steps))
        return self.open_branch(name)

    def open_branch(self, name: str) -> Steering:
        """Open another branch of the same model without reading it again; the caller closes it."""
        return self._create(self._cache, self._store, name)

    def compare(self, other: str | Steering) -> Comparison:
        """Compare the steps and topics of this branch with those of another."""
        return compare(self._snapshot, self._cache.at(self._steps_of(other)), self._cache.validator)

    def merge(self, other: str | Steering) -> list[str]:
        """Add the steps of another branch since their last common step, without its updates.

        Returns
        -------
        list of str
            Steps that could not be added, and why. The added ones can be undone one by one.
        """
        theirs = self._steps_of(other)
        with self._modifying():
            new = theirs[n_common(self._snapshot.steps, theirs) :]
            steps, problems = mergeable_steps(new, self._snapshot.constraints, self._cache.validator)
            for step in steps:
                self._append_step(step)
        self._notify()
        return problems

    def _steps_of(self, other: str | Steering) -> tuple[Step, ...]:
        if not isinstance(other, Steering):
            return self._store.steps(other)
        if other._cache.digest != self._cache.digest:
            raise InputError("the other branch belongs to another model", parameter="other")
        return other.steps

    # ------------------------------------------------------------------ files and callbacks

    def export(self, path: Any) -> None:
        """Write a knowledge file (YAML, or JSON by its suffix) with the constraints and the steps of the branch.

        ``read_knowledge`` reads the constraints; ``topicwright fit --knowledge`` and :func:`replay` replay the steps.
        """
        from .replay import write_steps

        write_steps(path, self._cache, self._snapshot)

    def save(self, path: Any) -> None:
        """Save the current model to a model file."""
        self.model.save(path)

    def subscribe(self, callback: Callback) -> Callable[[], None]:
        """Call a function after every change and at the start of an update, in the thread that made it.

        Returns
        -------
        callable
            Function that unsubscribes.
        """
        self._callbacks.append(callback)

        def unsubscribe() -> None:
            if callback in self._callbacks:
                self._callbacks.remove(callback)

        return unsubscribe

    # ------------------------------------------------------------------ internals

    @contextmanager
    def _modifying(self) -> Iterator[None]:
        with self._lock:
            if self._closed:
                raise InputError("this branch is closed: open it again")
            if self._busy:
                raise UpdateInProgressError("an update is running: wait for its end or stop it")
            yield

    def _append_step(self, step: Step) -> None:
        after = self._cache.after(self._snapshot, step)
        self._log.add(step)
        self._snapshot = after

    def _notify(self) -> None:
        for callback in list(self._callbacks):
            callback(self)


def _require_steerable(model: Any) -> LDA:
    """The model, if it can be steered."""
    if type(model) is not LDA:
        raise InputError(parameter="model", expected="an LDA, the only model that can be steered", got=type(model))
    if getattr(model, "assignments_", None) is None:
        raise InputError("a model can only be steered if it is fitted and has its corpus: save it with the corpus")
    return model
