"""One person's steps on one model."""

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
from .branch_comparison import Comparison, compare, n_common, takeable
from .branches import MAIN, DirectoryBranches, Home, MemoryBranches, steps_beside
from .state_cache import Snapshot, StateCache, digest_of
from .steps import Step, Update, called
from .topic_changes import Changes


class BranchProperties:
    """Where a branch stands."""

    _past: StateCache
    _now: Snapshot

    @property
    def model(self) -> LDA:
        """The model as it stands, a new one after each update, merge, split or name: none is changed in place."""
        return self._now.state.model

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps that hold, the first one first, updates included."""
        return self._now.steps

    @property
    def pending(self) -> tuple[Step, ...]:
        """The steps since the last update."""
        steps = self._now.steps
        last = max((n for n, step in enumerate(steps, 1) if isinstance(step, Update)), default=0)
        return steps[last:]

    @property
    def names(self) -> dict[int, str]:
        """The names of the topics that have one."""
        return self._past.door.names(self._now.said)

    def name(self, topic: int) -> str:
        """What to call a topic: by its name, or ``topic 7``."""
        return called(topic, self.names)

    @property
    def hidden(self) -> frozenset[int]:
        """Topics that are not to be shown."""
        return self._now.said.hidden

    @property
    def pinned(self) -> frozenset[int]:
        """Topics that stay as they are."""
        return self._now.said.pinned

    @property
    def free(self) -> frozenset[int]:
        """Numbers of topics that were merged away: empty, and not to be shown."""
        return self._now.said.free

    @property
    def changes(self) -> Changes | None:
        """What the last update changed; None where there was none."""
        return self._now.changes


Callback = Callable[["Steering"], Any]


class UpdateInProgressError(InputError):
    """An update is running in another thread, and nothing else can be done until it ends."""


class Steering(BranchProperties):
    """One person's branch of steps on one model. Any thread may read while another updates.

    ``Steering(model)`` lives in memory; :meth:`open` keeps every step on disk, in a folder beside the model file, which
    itself never changes. All windows of a process share one object of a branch.

    Parameters
    ----------
    model : LDA
        A fitted model that has its corpus. It is left as it is.
    n_jobs : int or None
        Threads of updates; None for those of the model. It changes the time, never the answer.

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
        self._begin(StateCache(_steerable(model), n_jobs=n_jobs), MemoryBranches(), MAIN)

    @classmethod
    def open(cls, path: Any, *, branch: str = MAIN, n_jobs: int | None = None) -> Steering:
        """Steps on a model file, as they were left; they are kept in the folder ``PATH.steps``.

        ``InputError`` where another process has the branch open, or the file holds another model than the steps are of.
        """
        from .. import load

        base = _steerable(load(path))
        folder = steps_beside(path)
        home = DirectoryBranches(folder, digest_of(base))
        return cls._on(StateCache(base, folder / "states", n_jobs), home, branch)

    @classmethod
    def _on(cls, past: StateCache, home: Home, branch: str) -> Steering:
        self = cls.__new__(cls)
        self._begin(past, home, branch)
        return self

    def _begin(self, past: StateCache, home: Home, branch: str) -> None:
        self._past, self._home = past, home
        self._log = home.open(branch)
        try:
            past.check(tuple(self._log.history.steps))
            self._now = past.at(tuple(self._log.history.steps))
        except BaseException:
            self._log.close()
            raise
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._busy = self._closed = False
        self._callbacks: list[Callback] = []

    def close(self) -> None:
        """Let the branch go, for other processes; ``with Steering.open(…) as steering`` does it too."""
        with self._lock:
            self._closed = True
            self._log.close()

    def __enter__(self) -> Steering:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    @property
    def notes(self) -> tuple[str, ...]:
        """What was met on opening, such as a last line that a crash had cut off."""
        return self._log.notes

    # ------------------------------------------------------------------ steps

    def add(self, step: Step) -> list[str]:
        """Take a step; returns warnings. It is on disk when this returns.

        A merge, a split and a name change the model at once, all else with the next update. ``InputError`` where a step
        makes no sense here.
        """
        with self._changing():
            admitted, warned = self._past.door.admit(step, self._now.said)
            self._take(admitted)
        self._tell()
        return warned

    def undo(self) -> Step:
        """Take back the last step, whatever it is; returns it."""
        with self._changing():
            if not self.can_undo:
                raise InputError("there is no step to take back")
            step, before = self._now.steps[-1], self._past.at(self._now.steps[:-1])
            self._log.undo()
            self._now = before
        self._tell()
        return step

    def redo(self) -> Step:
        """Take again the step that was taken back last; returns it."""
        with self._changing():
            if not self.can_redo:
                raise InputError("there is no step to take again")
            step = self._log.history.undone[-1]
            after = self._past.at((*self._now.steps, step))
            self._log.redo()
            self._now = after
        self._tell()
        return step

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to take back."""
        return bool(self._now.steps)

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to take again."""
        return bool(self._log.history.undone)

    # ------------------------------------------------------------------ updates

    def update(self, n_sweeps: int = 20, on_sweep: OnSweep | None = None) -> Changes:
        """Sweeps with all that was said, from where the model stands; returns what they changed.

        ``on_sweep`` gets a :class:`~topicwright.models.Sweep` after each; where it returns False, or :meth:`stop` was
        called, the update ends with the sweeps so far, and counts as one of so many. An exception keeps nothing.
        """
        n_sweeps = check_integer("n_sweeps", n_sweeps, 1)
        with self._changing():
            self._busy = True
            self._stop.clear()
        self._tell()
        try:
            later = self._past.run_update(self._now, n_sweeps, self._until_stopped(on_sweep))
            with self._lock:
                if later.steps != self._now.steps:
                    self._log.add(later.steps[-1])
                    self._now = later
        finally:
            self._busy = False
            self._tell()
        assert later.changes is not None
        return later.changes

    def stop(self) -> None:
        """End an update that runs in another thread, after its sweep."""
        self._stop.set()

    @property
    def busy(self) -> bool:
        """Whether an update runs; then ``add``, ``undo``, ``redo``, ``merge`` and ``update`` raise :class:`Busy`."""
        return self._busy

    def prepare(self) -> None:
        """Compile the sampler, or load it from its cache, so that the first update need not wait for that."""
        moment = self._now
        run_update(moment.state, moment.said, self._past.base, 0, None, self._past.n_jobs)

    def _until_stopped(self, on_sweep: OnSweep | None) -> OnSweep:
        def goes_on(sweep: Sweep) -> bool:
            asked = on_sweep is not None and on_sweep(sweep) is False
            return not asked and not self._stop.is_set()

        return goes_on

    # ------------------------------------------------------------------ branches

    def branches(self) -> list[str]:
        """The names of all branches, the main one first."""
        return self._home.names()

    def branch(self, name: str, from_: str | None = None) -> Steering:
        """A new branch with the steps of this one, or of the one named; open, and the caller's to close."""
        steps = self._now.steps if from_ is None else self._home.steps(from_)
        self._home.create(name, list(steps))
        return self.open_branch(name)

    def open_branch(self, name: str) -> Steering:
        """Another branch of the model that this one is of, which is not read again; the caller's to close."""
        return self._on(self._past, self._home, name)

    def compare(self, other: str | Steering) -> Comparison:
        """What two branches have in common, and where their steps and topics differ."""
        return compare(self._now, self._past.at(self._steps_of(other)), self._past.door)

    def merge(self, other: str | Steering) -> list[str]:
        """Take the steps of the other branch since both parted, but for its updates.

        Returns what could not be taken, and why. Each step can be taken back.
        """
        theirs = self._steps_of(other)
        with self._changing():
            new = theirs[n_common(self._now.steps, theirs) :]
            taken, problems = takeable(new, self._now.said, self._past.door)
            for step in taken:
                self._take(step)
        self._tell()
        return problems

    def _steps_of(self, other: str | Steering) -> tuple[Step, ...]:
        if not isinstance(other, Steering):
            return self._home.steps(other)
        if other._past.digest != self._past.digest:
            raise InputError("the other branch is of another model: branches of one model can be compared and merged")
        return other.steps

    # ------------------------------------------------------------------ files and windows

    def export(self, path: Any) -> None:
        """Write a knowledge file (YAML, or JSON by its name): what holds now, and the steps that led there.

        ``read_knowledge`` reads the first; ``topicwright fit --knowledge`` and :func:`replay` take the steps again.
        """
        from .replay import write_steps

        write_steps(path, self._past, self._now)

    def save(self, path: Any) -> None:
        """Write the model as it stands to a model file."""
        self.model.save(path)

    def subscribe(self, callback: Callback) -> Callable[[], None]:
        """Call back after every change, and when an update begins, in the thread that made it.

        Returns a function that ends it.
        """
        self._callbacks.append(callback)

        def end() -> None:
            if callback in self._callbacks:
                self._callbacks.remove(callback)

        return end

    # ------------------------------------------------------------------ inside

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with self._lock:
            if self._closed:
                raise InputError("this branch was closed: open it again")
            if self._busy:
                raise UpdateInProgressError("an update is running: wait for its end, or stop it")
            yield

    def _take(self, step: Step) -> None:
        later = self._past.after(self._now, step)
        self._log.add(step)
        self._now = later

    def _tell(self) -> None:
        for callback in list(self._callbacks):
            callback(self)


def _steerable(model: Any) -> LDA:
    """The model, if it is one that can be steered."""
    if type(model) is not LDA:
        raise InputError(f"an LDA can be steered, and no other model yet: got {type(model).__name__}")
    if getattr(model, "assignments_", None) is None:
        raise InputError("a model can be steered only where it is fitted and has its corpus: save it with the corpus")
    return model
